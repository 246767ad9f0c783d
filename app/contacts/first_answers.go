package contacts

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/ports"
)

// Called records that a member called a contact. Faults: NotFound, ServiceUnavailable.
func (c *Contacts) Called(ctx context.Context, by app.Caller, id string) error {
	return c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, k crm.Contact, e crm.Event) error {
		e.Kind = crm.Called
		return errors.Join(r.ContactAnswers.Answer(ctx, k, by.MemberID(), e.At), r.ContactHistory.Log(ctx, e))
	})
}

// Waits is how long contacts waited for their first note, call or move, by answering member and by origin, the slowest
// first.
type Waits struct {
	Members, Origins []Wait
	// Waiting is how many wait now, counted up to one more than CountMax.
	Waiting int
}

// Wait is how many contacts were answered, and how long they waited on average.
type Wait struct {
	// ID and Name are of the member or the origin; empty for contacts without an origin.
	ID, Name string
	Answers  int
	Mean     time.Duration
}

// Waits returns how long the contacts waited that were answered in the last days. Faults: NotFound, ServiceUnavailable.
func (c *Contacts) Waits(ctx context.Context, by app.Caller, days int) (Waits, error) {
	orgID, err := by.Org()
	if err != nil {
		return Waits{}, err
	}
	r := c.store.Repos()
	n, err := r.Names.All(ctx, orgID, crm.NamedMember, crm.NamedOrigin)
	if err != nil {
		return Waits{}, err
	}
	all, err := r.ContactAnswers.FirstAnswers(ctx, orgID, c.clock().AddDate(0, 0, -days))
	if err != nil {
		return Waits{}, err
	}
	waiting, err := r.ContactSearch.Count(ctx, orgID, ports.ContactFilter{Waiting: true}, app.CountMax+1)
	member := func(a ports.FirstAnswer) Wait { return Wait{ID: a.MemberID, Name: n.Member(a.MemberID).Name} }
	origin := func(a ports.FirstAnswer) Wait { return Wait{ID: a.OriginID, Name: n.Name(crm.NamedOrigin, a.OriginID)} }
	return Waits{waits(all, member), waits(all, origin), waiting}, err
}

func waits(all []ports.FirstAnswer, by func(ports.FirstAnswer) Wait) []Wait {
	sums := map[Wait]time.Duration{}
	answers := map[Wait]int{}
	for _, a := range all {
		of := by(a)
		sums[of] += a.Waited
		answers[of] += a.Answers
	}
	var out []Wait
	for of, sum := range sums {
		key := of
		of.Answers = answers[key]
		of.Mean = sum / time.Duration(max(1, of.Answers))
		out = append(out, of)
	}
	slices.SortFunc(out, func(a, b Wait) int { return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.ID, b.ID)) })
	return out
}
