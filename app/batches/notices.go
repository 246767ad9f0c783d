package batches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fichario/app"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
)

// tell notifies the team of a batch that ended or paused by itself, and emits the event that it ended. A quote that
// nobody confirmed is not reported.
func (b *Batches) tell(ctx context.Context, r ports.Repos, now time.Time, was, is batch.Batch) error {
	n := crm.Notification{ID: app.NewID(), OrgID: is.OrgID, Kind: crm.BatchPaused, BatchID: is.ID, At: now}
	switch {
	case is.Status.Ended() && is.Status != was.Status && !is.StartedAt.IsZero():
		all, err := r.Usage.SpentByKeys(ctx, is.OrgID, []string{is.ID}, lookup.BatchBucket)
		if err != nil {
			return err
		}
		spent := all[lookup.BatchBucket][is.ID]
		n.Kind, n.Subject = crm.BatchEnded, endedText(is, spent)
		return errors.Join(r.Notifications.Create(ctx, n), app.Emit(ctx, r, app.BatchJob(is, spent.Amount)))
	case pausedByItself(is) && (was.Status != is.Status || was.Reason != is.Reason):
		n.Subject = pausedText(is)
		// A batch that resumes and pauses again for the same reason is reported once a day.
		once := fmt.Sprintf("%s:%s:%s:%s", is.Reason, b.Calendar.Day(now), is.Limit(), is.Note)
		_, err := r.Notifications.CreateOnce(ctx, n, is.ID, once)
		return err
	}
	return nil
}

// pausedByItself reports whether nobody asked for a batch's pause. Where it cannot go on as it is, its note says why.
func pausedByItself(q batch.Batch) bool {
	return q.Status == batch.Paused && (q.Reason != batch.Asked || q.Note != "")
}

func pausedText(q batch.Batch) string {
	text := q.PauseText()
	switch q.Reason {
	case batch.DailyLimit:
		if !q.ResumeAt.IsZero() {
			text += " Ele continua sozinho depois da meia-noite."
		}
	case batch.BureauAway:
		text += " Ele continua sozinho quando o bureau voltar."
		if q.Note != "" {
			text += " " + q.Note
		}
	case batch.Asked:
		text = "O lote parou. " + q.Note
	case batch.Ceiling, batch.MonthlyLimit:
	}
	return text
}

func endedText(q batch.Batch, spent lookup.Spent) string {
	text := "O lote foi concluído: documentos consultados: " + catalog.Count(q.Ended)
	if q.Status == batch.Cancelled {
		text = "O lote foi cancelado: documentos consultados: " + catalog.Count(q.Ended) + " de " + catalog.Count(q.Valid)
	}
	if q.Failed > 0 {
		text += ", sem resposta: " + catalog.Count(q.Failed)
	}
	return text + ", gasto: " + spent.Amount.Reais() + "."
}
