package gormstore

import (
	"context"
	"slices"
	"testing"
	"time"

	"fichario/adapters/gormstore/batches"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// TestLeasesOfAClockThatSteppedBack: what a predecessor held when it was killed, an hour later by the clock of then, is
// free once its successor starts; what is held now stays held, and a retry waits for its time.
func TestLeasesOfAClockThatSteppedBack(t *testing.T) {
	t.Parallel()
	s, ctx := opened(t, templateEach.New(t)), t.Context()
	now := engine.Stamp(time.Now())
	wrong, repos := now.Add(time.Hour), s.Repos()
	job := func(id, attempts int, at time.Time) automation.Job {
		return automation.Job{
			ID: testID(id), OrgID: testID(1), Kind: automation.RunAutomation, AutomationID: testID(id), State: automation.Ready,
			Attempts: attempts, RunAt: at, CreatedAt: at,
		}
	}
	expect := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	claim := func(lease string, at time.Time) (n int) {
		t.Helper()
		jobs, err := repos.JobQueue.Claim(ctx, automation.RunAutomation, lease, at, at.Add(time.Minute), nil, 9)
		kit.Must(t, err)
		return len(jobs)
	}
	kit.Must(t, repos.Jobs.Add(ctx, job(10, 0, wrong)))
	expect("claimed before", claim("before", wrong), 1)
	kit.Must(t, repos.Jobs.Add(ctx, job(11, 0, wrong), job(12, 3, wrong), job(13, 0, now)))
	expect("claimed now", claim("now", now), 1)

	erase := privacy.Erasure{ID: testID(20), OrgID: testID(1), State: privacy.Running, At: wrong}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Erasures.AddErasure(ctx, erase) }))
	if _, err := repos.Erasures.LeaseErasure(ctx, "", "before", wrong, wrong.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for id, until := range map[int]time.Time{30: wrong, 31: now.Add(time.Minute)} {
		kit.Must(t, s.Writer.Create(&batches.BatchItemRow{
			ID: engine.UID(testID(id)), BatchID: engine.UID(testID(2)), OrgID: engine.UID(testID(1)), Line: id,
			State: string(batch.InFlight), Content: []byte{}, LeaseUntil: &until,
		}).Error)
	}
	request := ports.LookupRequest{
		OrgID: testID(1), KeyID: testID(3), Name: "pedido", LookupID: testID(40), At: wrong, Begins: time.Minute,
		Lasts: 24 * time.Hour,
	}
	_, err := repos.LookupRequests.Claim(ctx, request)
	kit.Must(t, err)
	o := kit.Org(t, s)
	hook, _ := kit.Hook(t, s, o.ID)
	_, err = repos.LeadSources.Connect(ctx, webhook.Source{
		ID: testID(50), OrgID: o.ID, WebhookID: hook.ID, Page: "106", State: webhook.SourceOpen,
		ReadTo: now, RunAt: now, PausedUntil: now, CreatedAt: now,
	})
	kit.Must(t, err)
	_, err = repos.LeadSources.Claim(ctx, "before", wrong, wrong.Add(time.Minute))
	kit.Must(t, err)
	asked := func(id int, due time.Time, turn bool) {
		t.Helper()
		kit.Must(t, s.Writer.Exec("INSERT INTO later_answers (id, content, due, until, turn) VALUES (?, ?, ?, ?, ?)", testID(id),
			[]byte{}, engine.Stamp(due), engine.Stamp(wrong.Add(time.Hour)), turn).Error)
	}
	asked(60, wrong.Add(time.Minute), false)
	asked(61, now.Add(30*time.Minute), true)
	asked(62, now.Add(30*time.Minute), false)

	kit.Must(t, s.EndLeases(ctx, now))
	expect("claimed after", claim("after", now), 2)
	if _, err := repos.Erasures.LeaseErasure(ctx, "", "after", now, now.Add(time.Minute)); err != nil {
		t.Errorf("the erasure: %v", err)
	}
	if _, err := repos.LeadSources.Claim(ctx, "after", now, now.Add(time.Minute)); err != nil {
		t.Errorf("the page of leads: %v", err)
	}
	var held []string
	kit.Must(t, s.Reader.Table("batch_items").Where("lease_until > ?", now).Pluck("id", &held).Error)
	if len(held) != 1 || held[0] != testID(31) {
		t.Errorf("items that are held: %q", held)
	}
	answers, err := repos.LaterAnswers.Claim(ctx, now, now.Add(time.Minute), 9)
	kit.Must(t, err)
	expect("answers that are fetched now", len(answers), 2)
	if slices.ContainsFunc(answers, func(a ports.LaterAnswer) bool { return a.ID == testID(62) }) {
		t.Error("an answer is fetched before its bureau wants to be asked")
	}
	request.LookupID, request.At = testID(41), now.Add(time.Second)
	got, err := repos.LookupRequests.Claim(ctx, request)
	kit.Must(t, err)
	expect("who has the request", got.LookupID, testID(41))
}
