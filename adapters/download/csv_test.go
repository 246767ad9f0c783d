package download

import (
	"net/http/httptest"
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

func TestTheTwoFormsOfATable(t *testing.T) {
	t.Parallel()
	cpf, err := document.Parse(document.CPF, "02345678992")
	if err != nil {
		t.Fatal(err)
	}
	table := Table{
		Name: "a.csv", Columns: []string{"nome", "=documento", "em", "valor", "cobrada"},
		Zone: time.FixedZone("-03", -3*60*60),
		Rows: func(yield func([]any, error) bool) {
			at := time.Date(2026, 11, 1, 1, 2, 3, 40_000_000, time.UTC)
			_ = yield([]any{"=Zé; \"Ana\", 2", cpf, at, catalog.Money(1234_5000), true}, nil) &&
				yield([]any{"Bia\nSá", document.Document{}, at, catalog.Money(20_750), false}, nil)
		},
	}
	for form, want := range map[Form]string{
		Plain: "nome,'=documento,em,valor,cobrada\n" +
			"\"'=Zé; \"\"Ana\"\", 2\",02345678992,2026-11-01T01:02:03.04Z,1234.5,true\n" +
			"\"Bia\nSá\",ilegível,2026-11-01T01:02:03.04Z,2.075,false\n",
		Excel: "\ufeffnome;'=documento;em;valor;cobrada\r\n" +
			"\"'=Zé; \"\"Ana\"\", 2\";023.456.789-92;31/10/2026 22:02:03;1234,5;sim\r\n" +
			"\"Bia\r\nSá\";ilegível;31/10/2026 22:02:03;2,075;não\r\n",
	} {
		w := httptest.NewRecorder()
		if begun, err := CSV(w, table, form); !begun || err != nil || w.Body.String() != want {
			t.Errorf("%q: %v %v\n%q\n%q", form, begun, err, w.Body.String(), want)
		}
	}
}
