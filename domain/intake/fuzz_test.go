package intake

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead holds three promises over any body: it is read without a panic, what comes out can be stored, and no answer
// vanishes.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/payloads/*")
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		typ := "application/json"
		switch filepath.Ext(file) {
		case ".form":
			typ = formType
		case ".multipart":
			typ = "multipart/form-data; boundary=----LeadBoundary7MA4YWxk"
		}
		f.Add(typ, body, true)
	}
	for _, p := range products {
		typ := p.typ
		if typ == "" {
			typ = "application/json"
		}
		f.Add(typ, []byte(p.body), false)
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
