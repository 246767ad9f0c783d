package batches

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fichario/adapters/web"
	"fichario/app/batches"
	"fichario/domain/batch"
	"fichario/domain/fault"
)

// TestTheOutcomeOfAnItemInWords says why one failed, and does not call an answer that was erased one without a record.
func TestTheOutcomeOfAnItemInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   batches.Result
		want string
	}{
		{batches.Result{State: batch.Failed}, "falhou"},
		{batches.Result{State: batch.Failed, Message: "Peça de novo."}, "falhou. Peça de novo."},
		{batches.Result{State: batch.Failed, Message: "Peça de novo.", RepeatOf: 12345}, "falhou, como na linha 12.345"},
		{batches.Result{State: batch.Answered, Fields: []byte(`{"nome":null}`)}, "respondida"},
		{batches.Result{State: batch.Answered, Fields: []byte(`{"nome":null}`), Cache: true}, "respondida, do histórico"},
		{batches.Result{State: batch.Answered}, "respondida, mas a resposta não está mais disponível"},
		{batches.Result{State: batch.Answered, Cache: true}, "respondida, mas a resposta não está mais disponível"},
	} {
		if got := stateText(c.of); got != c.want {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
}

// TestTheUnitOfAPaceIsThatOfItsFigures: a bureau may allow twenty calls per minute.
func TestTheUnitOfAPaceIsThatOfItsFigures(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for took, want := range map[time.Duration]string{
		time.Second: "20 por segundo, termina em cerca de 50\u00a0segundos", time.Minute: "20 por minuto, termina em cerca de 50\u00a0minutos",
	} {
		v := batches.View{Now: now}
		v.Status, v.RunFrom, v.Valid, v.Ended = batch.Running, now.Add(-took), 1020, 20
		if got := (pages{Server: &web.Server{}}).paceOf(v); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestWhatIsUnavailableIsNamed: in its own words; the database is blamed only where it is the cause.
func TestWhatIsUnavailableIsNamed(t *testing.T) {
	t.Parallel()
	ours := fault.New(fault.ServiceUnavailable, "O índice ainda está sendo preparado.")
	if p := web.ProblemOf(ours); p.Text != ours.Message || strings.Contains(p.Title, "banco de dados") {
		t.Errorf("a rule of ours: %+v", p)
	}
	away := fault.New(fault.ServiceUnavailable, "A resposta já foi paga.").Because(errors.New("refused"))
	if p := web.ProblemOf(away); p.Detail != away.Message || !strings.Contains(p.Title, "banco de dados") {
		t.Errorf("the database: %+v", p)
	}
}
