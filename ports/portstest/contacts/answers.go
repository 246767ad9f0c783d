package contacts

import (
	"context"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func firstAnswers(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	stage, origin := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID, kit.Origin(t, s, o.ID, "Site").ID
	person := kit.ID()
	all := kit.Made(t, s,
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "a@example.com", StageID: stage, Waiting: true, OriginID: origin},
		crm.Contact{OrgID: o.ID, Name: "Bia", Email: "b@example.com", StageID: stage, Waiting: true},
		crm.Contact{OrgID: o.ID, Name: "Caio", Email: "c@example.com", StageID: stage},
	)
	waiting := func(words ...string) (names []string) {
		t.Helper()
		for _, order := range []crm.ContactOrder{crm.ByArrival, crm.ByName} {
			found, err := repos.ContactSearch.Select(ctx, o.ID, ports.ContactQuery{
				ContactFilter: ports.ContactFilter{Waiting: true, Words: words}, Order: order, Ascending: true, Limit: 10,
			})
			kit.Must(t, err)
			for _, c := range found {
				names = append(names, c.Name)
			}
		}
		return names
	}
	kit.Same(t, "who waits", waiting(), []string{"Ana", "Bia", "Ana", "Bia"})
	kit.Same(t, "who waits with a name", waiting("bia"), []string{"Bia", "Bia"})
	for range 2 { // the second time it no longer waits
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			return r.ContactAnswers.Answer(ctx, all[0], person, all[0].CreatedAt.Add(90*time.Minute))
		}))
	}
	kit.Same(t, "who waits then", waiting(), []string{"Bia", "Bia"})
	n, err := repos.ContactSearch.Count(ctx, o.ID, ports.ContactFilter{Waiting: true}, 10)
	kit.Must(t, err)
	kit.Same(t, "how many", n, 1)
	totals, err := repos.ContactSearch.Totals(ctx, o.ID, ports.ContactFilter{Waiting: true, Stages: []string{stage}}, 100)
	kit.Must(t, err)
	kit.Same(t, "how many in the stage", totals[stage].Count, 1)
	answers, err := repos.ContactAnswers.FirstAnswers(ctx, o.ID, kit.At)
	kit.Must(t, err)
	kit.Same(t, "answers", answers, []ports.FirstAnswer{
		{MemberID: person, OriginID: origin, Answers: 1, Waited: 90 * time.Minute, Within: crm.AnsweredWithin{3: 1}},
	})
	for range 2 { // the second time it already waits
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			return r.ContactAnswers.Unanswer(ctx, all[0], person, all[0].CreatedAt.Add(90*time.Minute))
		}))
	}
	kit.Same(t, "who waits again", waiting(), []string{"Ana", "Bia", "Ana", "Bia"})
	answers, err = repos.ContactAnswers.FirstAnswers(ctx, o.ID, kit.At)
	kit.Must(t, err)
	for _, a := range answers {
		kit.Same(t, "answers that are taken back", []any{a.Answers, a.Waited, a.Within},
			[]any{0, time.Duration(0), crm.AnsweredWithin{}})
	}
	answers, err = repos.ContactAnswers.FirstAnswers(ctx, o.ID, kit.At.Add(24*time.Hour))
	kit.Must(t, err)
	kit.Same(t, "answers since the day after", len(answers), 0)

	again := kit.Made(t, s, crm.Contact{
		OrgID: o.ID, Name: "Caio de novo", Email: "c@example.com", StageID: stage, Waiting: true,
	})[0]
	caio := all[2]
	caio.Waiting = true
	remove(t, s, crm.Removal{Contact: again, IntoID: caio.ID, Before: all[2], After: caio, At: again.CreatedAt})
	edited := crm.Event{ID: kit.ID(), OrgID: o.ID, ContactID: caio.ID, Kind: crm.Merged, At: again.CreatedAt}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Contacts.Edit(ctx, caio, edited) }))
	kit.Same(t, "who waits since somebody became part of them", waiting("caio"), []string{"Caio", "Caio"})
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.ContactAnswers.Answer(ctx, caio, person, again.CreatedAt.Add(time.Minute))
	}))
	answers, err = repos.ContactAnswers.FirstAnswers(ctx, o.ID, kit.At)
	kit.Must(t, err)
	kit.Same(t, "how long they waited", answers[len(answers)-1],
		ports.FirstAnswer{MemberID: person, Answers: 1, Waited: time.Minute, Within: crm.AnsweredWithin{0: 1}})
}
