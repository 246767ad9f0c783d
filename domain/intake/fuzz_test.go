package intake

import "testing"

// FuzzRead holds three promises over any body: it is read without a panic, what comes out can be stored, and no answer
// vanishes.
func FuzzRead(f *testing.F) {
	for _, s := range everySubmission(f) {
		typ := s.typ
		if typ == "" {
			typ = "application/json"
		}
		f.Add(typ, []byte(s.body), true)
		f.Add(typ, []byte(s.body), false)
	}
	f.Fuzz(func(t *testing.T, typ string, body []byte, service bool) {
		if len(body) > 1<<16 {
			t.Skip()
		}
		o := Options{Kind: Generic, Band: BandMiddle}
		if service {
			o.Kind = FormService
		}
		d, dropped, err := ReadTraced(o, typ, body)
		if err != nil {
			return
		}
		checkStorable(t, d)
		accountFor(t, body, d, dropped)
	})
}
