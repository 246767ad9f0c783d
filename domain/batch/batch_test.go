package batch_test

import (
	"fmt"
	"testing"
	"time"

	"fichario/domain/batch"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestWhatItMayCost(t *testing.T) {
	t.Parallel()
	b := batch.Batch{Valid: 10, FromHistory: 4, Price: 4500}
	if b.MaxCost() != 6*4500 || b.Limit() != 6*4500 {
		t.Error(b.MaxCost(), b.Limit())
	}
	b.Refresh = true
	if b.MaxCost() != 10*4500 {
		t.Error(b.MaxCost())
	}
	b.HasCeiling = true
	if b.Limit() != 0 {
		t.Error(b.Limit())
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	later := noon.Add(time.Minute)
	for what, c := range map[string]struct {
		do   func(*batch.Batch)
		want string
	}{
		"one":          {func(b *batch.Batch) { b.Pause(batch.DailyLimit, "", later) }, "pausado limite_diario 1m0s"},
		"the first":    {func(b *batch.Batch) { b.Pause(batch.Asked, "", time.Time{}); b.Pause(batch.Ceiling, "", later) }, "pausado pedido -"},
		"money back":   {func(b *batch.Batch) { b.Pause(batch.Ceiling, "", time.Time{}); b.Pause(batch.BureauAway, "", later) }, "pausado bureau_indisponivel 1m0s"},
		"room again":   {func(b *batch.Batch) { b.Pause(batch.DailyLimit, "", later); b.Pause(batch.BureauAway, "", noon) }, "pausado bureau_indisponivel 0s"},
		"not running":  {func(b *batch.Batch) { b.Status = batch.Cancelled; b.Pause(batch.Asked, "", later) }, "cancelado  -"},
		"the longest":  {func(b *batch.Batch) { b.Pause(batch.BureauAway, "", later); b.Pause(batch.BureauAway, "", noon) }, "pausado bureau_indisponivel 1m0s"},
		"and on":       {func(b *batch.Batch) { b.Pause(batch.BureauAway, "", later); b.Run(noon) }, "em_andamento  -"},
		"to the end":   {func(b *batch.Batch) { b.Ended = 2; b.Finish(noon) }, "concluido  -"},
		"end of pause": {func(b *batch.Batch) { b.Pause(batch.Ceiling, "", later); b.Ended = 2; b.Finish(noon) }, "concluido  -"},
		"nothing left": {func(b *batch.Batch) { b.Ended = 2; b.Run(noon) }, "concluido  -"},
	} {
		b := batch.Batch{Status: batch.Running, Valid: 2}
		c.do(&b)
		after := "-"
		if !b.ResumeAt.IsZero() {
			after = b.ResumeAt.Sub(noon).String()
		}
		if got := fmt.Sprintf("%s %s %s", b.Status, b.Reason, after); got != c.want {
			t.Errorf("%s: got %q, want %q", what, got, c.want)
		}
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	b := batch.Batch{Status: batch.Running, Valid: 100, Ended: 30, RunEnded: 10, RunFrom: noon}
	now := noon.Add(10 * time.Second)
	if b.PerSecond(now) != 2 || !b.EndsAt(now).Equal(now.Add(35*time.Second)) {
		t.Error(b.PerSecond(now), b.EndsAt(now))
	}
	if b.PerSecond(noon) != 0 || !b.EndsAt(noon).IsZero() {
		t.Error("a rate of no time")
	}
}
