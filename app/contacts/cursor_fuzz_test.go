package contacts

import (
	"encoding/base64"
	"testing"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/fault"
)

// FuzzCursors: an accepted cursor is an id that a database accepts; any other is refused with a message.
func FuzzCursors(f *testing.F) {
	const id = "01980000-0000-7000-8000-000000000de0"
	for _, s := range []string{
		"", id, base64.RawURLEncoding.EncodeToString([]byte(id)), base64.StdEncoding.EncodeToString([]byte(id)), "AAAA",
		base64.RawURLEncoding.EncodeToString([]byte("01980000-0000-7000-8000-00000000ZZZZ")), "' OR 1=1 --", "\x00", "é\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		after, err := lookups.PageCursor(sent)
		switch {
		case err != nil && fault.CodeOf(err) != fault.InvalidRequest:
			t.Errorf("refused with %v", err)
		case err == nil && after != "" && (!app.ValidID(after) || len(after) != len(id)):
			t.Error("a cursor that is no id")
		case err == nil && after == "" && sent != "":
			t.Error("a cursor that starts again")
		}
		if app.CheckPage(sent, 1) == nil && sent != "" && len(sent) != len(id) {
			t.Error("a page after an invalid id")
		}
	})
}
