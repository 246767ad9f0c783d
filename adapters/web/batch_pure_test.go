package web

import (
	"testing"

	"fichario/app"
	"fichario/domain/batch"
)

// TestAnItemThatFailedSaysWhy where there is more to say than that it did.
func TestAnItemThatFailedSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   app.BatchResult
		want string
	}{
		{app.BatchResult{State: batch.Failed}, "falhou"},
		{app.BatchResult{State: batch.Failed, Message: "Peça de novo."}, "falhou. Peça de novo."},
		{app.BatchResult{State: batch.Failed, Message: "Peça de novo.", RepeatOf: 2}, "falhou, como na linha 2"},
	} {
		if got := stateText(c.of); got != c.want {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
}
