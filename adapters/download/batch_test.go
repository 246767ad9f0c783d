package download

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"fichario/app/batches"
	"fichario/app/privacy"
	"fichario/domain/batch"
)

// TestColumnsOfOneName: nothing is lost where cells are keyed by column name; a table has the uploaded columns.
func TestColumnsOfOneName(t *testing.T) {
	t.Parallel()
	columns, cells := []string{"telefone", "telefone", "cpf"}, []string{"11", "22", "52998224725"}
	r := batches.Results{
		Batch: batch.Batch{Columns: columns},
		All:   func(yield func(batches.Result, error) bool) { yield(batches.Result{Line: 2, Cells: cells}, nil) },
	}
	want := map[string]string{"telefone": "11", "telefone (2)": "22", "cpf": "52998224725"}
	w := httptest.NewRecorder()
	if err := NDJSON(w, r); err != nil {
		t.Fatal(err)
	}
	of := subjectOf(t, itemOf(nil, privacy.SubjectItem{Item: batch.Item{Cells: cells}, Batch: r.Batch}))
	for what, written := range map[string][]byte{"NDJSON": w.Body.Bytes(), "a person's": of} {
		var got struct{ Colunas map[string]string }
		if err := json.Unmarshal(written, &got); err != nil || !reflect.DeepEqual(got.Colunas, want) {
			t.Errorf("%s: %v, %v", what, got.Colunas, err)
		}
	}
	w = httptest.NewRecorder()
	if err := XLSX(w, Batch(r)); err != nil || !strings.HasSuffix(w.Header().Get("Content-Disposition"), `.xlsx"`) {
		t.Errorf("%q, %v", w.Header(), err)
	}
	w = httptest.NewRecorder()
	if _, err := CSV(w, Batch(r), Plain); err != nil || !strings.HasPrefix(w.Body.String(), "telefone,telefone,cpf,") {
		t.Errorf("%q, %v", w.Body, err)
	}
}

func subjectOf(t *testing.T, item any) []byte {
	t.Helper()
	written, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	return written
}
