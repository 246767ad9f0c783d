package bureau_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fichario/adapters/bureau"
	"fichario/adapters/sandbox"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports/portstest"
)

// TestBureau runs the client through the tests that every bureau adapter must pass. It talks to the sandbox.
func TestBureau(t *testing.T) {
	t.Parallel()
	portstest.Bureau(t, func(t *testing.T) portstest.BureauUnderTest {
		other := sandbox.New()
		dial, stop := other.Start()
		file := strings.Replace(string(sandbox.File(sandbox.Plain)), `price: "0.45"`,
			`price: { max: "0.45", from: '.headers["x-custo"]' }`, 1) + `
not_charged: [{ status: 403, when: .body.cobrado == false }]
exhausted: { status: 402, when: .body.codigo == "sem_credito", until: manual }
`
		c := bureau.New(parse(t, file), bureau.WithDialContext(dial),
			bureau.WithRefusals(other.Refuses(sandbox.Plain)))
		t.Cleanup(func() { c.Close(); stop() })
		doors := other.Doors()
		const unknown, later = "11144477735", "12345678909"
		script := func(text string) {
			if err := other.Script([]byte(text), nil); err != nil {
				t.Fatal(err)
			}
		}
		script("cases: [{document: " + unknown + ", status: 404}, {document: " + later + ", later: 300ms}]")
		return portstest.BureauUnderTest{
			Bureau: c, Product: product(t, c, "cpf"),
			Known: doc(t, document.CPF, cpf), Unknown: doc(t, document.CPF, unknown), Wrong: doc(t, document.Plate, "ABC1D23"),
			Later: doc(t, document.CPF, later),
			Misbehave: func(m portstest.Misbehaviour) {
				script("cases: [" + map[portstest.Misbehaviour]string{
					portstest.Away: "{fault: refuse}", portstest.Silent: "{fault: hang}", portstest.Breaking: "{fault: reset}",
					portstest.Failing: "{status: 500}", portstest.Babbling: "{fault: html}",
					portstest.Refusing: "{status: 403, body: {cobrado: false}}", portstest.Penniless: "{status: 402, body: {codigo: sem_credito}}",
				}[m] + "]")
			},
			Bill: func(m catalog.Money) { script("cases: [{headers: {X-Custo: '" + m.String() + "'}}]") },
			Calls: func() (arrived int) {
				w := httptest.NewRecorder()
				doors.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/_/calls", nil))
				var calls []sandbox.Call
				if err := json.Unmarshal(w.Body.Bytes(), &calls); err != nil {
					t.Fatal(err)
				}
				for _, c := range calls {
					if c.Answered.Fault != string(sandbox.Refuse) {
						arrived++
					}
				}
				return arrived
			},
		}
	})
}
