package automation

import (
	"net/http"
	"strings"
	"testing"

	"fichario/domain/crm"
	"fichario/ports"
)

// TestANameThatNobodyGaveIsNotSent: an upsert would overwrite the destination's own name with the placeholder.
func TestANameThatNobodyGaveIsNotSent(t *testing.T) {
	t.Parallel()
	for destination, where := range map[string][]any{
		"hubspot": {"inputs", 0, "properties"}, "rdstation": {"payload"},
	} {
		for name, want := range map[string]string{
			crm.NoName: "map[]", "jose": "map[]", "José": "map[firstname:José]", "José Dias": "map[firstname:José lastname:Dias]",
		} {
			if destination == "rdstation" {
				want = map[string]string{"José": "map[name:José]", "José Dias": "map[name:José Dias]"}[name]
			}
			t.Run(destination+" "+name, func(t *testing.T) {
				t.Parallel()
				p := &peer{T: t, records: map[string]int{}}
				p.serve = func(p *peer, w http.ResponseWriter, _ *http.Request, body map[string]any) {
					got, _ := at(body, where...).(map[string]any)
					names := map[string]any{}
					for _, field := range []string{"name", "firstname", "lastname"} {
						if v, is := got[field]; is {
							names[field] = v
						}
					}
					if want == "" {
						want = "map[]"
					}
					p.expect("names", names, want)
					p.expect("address", got["email"], "jose@example.com")
					answer(w, 200, `{"results":[{}],"event_uuid":"x"}`)
				}
				c := sending("run-1", destination, shippedCases()[destination].values)
				c.Event.Contact.Name = name
				if _, err := toPeer(t, p).Send(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestASearchThatCannotBeRead: an unreadable search result decides nothing: the record is neither created again nor
// reported as existing.
func TestASearchThatCannotBeRead(t *testing.T) {
	t.Parallel()
	long := `{"success":true,"data":{"items":[]},"_embedded":{"contacts":[{"name":"` + strings.Repeat("x", maxAnswer) + `"}]}}`
	for _, destination := range []string{"pipedrive", "kommo"} {
		for what, body := range map[string]string{
			"too long": long, "empty": "", "not JSON": "<html>", "without a list": "{}",
		} {
			t.Run(destination+" "+what, func(t *testing.T) {
				t.Parallel()
				p := &peer{T: t, script: []http.HandlerFunc{answers(200, nil, body), func(http.ResponseWriter, *http.Request) {
					t.Error("the record is made")
				}}}
				c := sending("run-1", destination, shippedCases()[destination].values)
				_, err := toPeer(t, p).Send(t.Context(), c)
				fails(t, err, ports.SendError{
					Reason: "a resposta da busca no destino não pôde ser lida (status 200)", Permanent: true,
				})
			})
		}
	}
}
