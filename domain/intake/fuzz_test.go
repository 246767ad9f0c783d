package intake

import (
	"bytes"
	"errors"
	"testing"

	"fichario/domain/fault"
	"fichario/domain/intake/fields"
	"fichario/domain/intake/tree"
)

// FuzzRead checks three promises for any body: it is read without a panic, the result can be stored, and no answer
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
		o := Options{Kind: Generic, Band: fields.BandMiddle}
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

// FuzzReadAll checks the promises of ReadAll for any body: no panic, a draft wherever Read has one, an address for each
// of several, and no two with the same id.
func FuzzReadAll(f *testing.F) {
	const ana, beto = `{"email":"a@x.com","lead_id":"7"}`, `{"email":"b@x.com","lead_id":"7","id":3}`
	for _, body := range []string{
		`[` + ana + `,` + beto + `,` + ana + `]`, `{"event_id":"e","type":"t","items":[` + ana + `,` + beto + `]}`,
		`{"mautic.x":[{"submission":{"id":1,"c":` + ana + `}}],"mautic.y":[` + beto + `,` + ana + `]}`,
		`{"entry":[{"changes":[{"value":` + ana + `},{"value":` + beto + `}]},{"changes":[` + ana + `]}]}`,
		ana + "\n" + beto, `{"mail":"@0 \""}`,
	} {
		f.Add("application/json", []byte(body))
	}
	for _, s := range everySubmission(f) {
		f.Add(s.typ, []byte(s.body))
	}
	f.Fuzz(func(t *testing.T, typ string, body []byte) {
		if len(body) > 1<<14 {
			t.Skip()
		}
		all, err := ReadAll(Options{Kind: Generic}, typ, body)
		_, alone := Read(Options{Kind: Generic}, typ, body)
		if err != nil {
			return // for too many people, for one
		}
		if alone != nil || len(all) == 0 || len(all) > MaxPeople {
			t.Errorf("%d drafts, and alone %v", len(all), alone)
		}
		known := map[string]bool{}
		for _, d := range all {
			checkStorable(t, d)
			if len(all) > 1 && (d.Email == "" || known[d.DeliveryID]) {
				t.Errorf("one of %d has no address, or the id of another", len(all))
			}
			known[d.DeliveryID] = d.DeliveryID != ""
		}
	})
}

// FuzzReduce: the result is within the limit, and reducing it again changes nothing; any error is a fault for people,
// or ErrTooLarge.
func FuzzReduce(f *testing.F) {
	text, file := multipartPart(`name="nome"`, "Ana"), multipartPart(`name="f"; filename="a.pdf"`, "%PDF")
	f.Add(multipartType, []byte(text+file+"--B--\r\n"))
	f.Add(multipartType, []byte(text))
	f.Add("multipart/form-data; boundary=\"a b\"", []byte("--a b\r\nContent-Transfer-Encoding: base64\r\n\r\nQQ==\r\n--a b--"))
	f.Add("multipart/form-data; boundary=", []byte("----"))
	f.Fuzz(func(t *testing.T, typ string, body []byte) {
		const limit = 1 << 12
		kept, err := tree.Reduce(typ, bytes.NewReader(body), limit)
		if err != nil {
			if fault.CodeOf(err) == "" && !errors.Is(err, tree.ErrTooLarge) {
				t.Errorf("no words for people: %v", err)
			}
			return
		}
		if len(kept) > limit {
			t.Errorf("%d bytes are kept", len(kept))
		}
		if again, err := tree.Reduce(typ, bytes.NewReader(kept), limit); err != nil || !bytes.Equal(again, kept) {
			t.Errorf("reduced again it is another one: %v", err)
		}
	})
}
