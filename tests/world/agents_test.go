package world_test

import (
	"context"
	"slices"
	"time"

	"fichario/app"
	"fichario/app/agents"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// byAgents are worlds in which an agent looks people up, in one session with a ceiling, on any instance.
var byAgents = theme{verbs: "agent 9 lookup 2 fresh 1 erase 1 wait 2", first: "agent"}

// agentChanges are what makes something that was read before wrong there.
const agentChanges = "agent 6 erase 2 lookup 2"

// aboutAgents reports whether the world of a seed is about them: by the seed, as aboutAds.
func aboutAgents(seed uint64) bool { return seed%23 == 8 }

// agent is one session, and the key by which its agent asks.
type agent struct {
	key     heldKey
	session agents.Session
}

// hire makes the session of the world's agent.
func (w *world) hire(ctx context.Context) error {
	ceiling := catalog.Money(w.plan.seed/23%6) * price
	key, secret, err := w.judge.keys.Create(ctx, app.Operator(), lookups.NewKey{
		OrgID: w.orgID, Name: "Agente", Scopes: []document.Type{document.CPF},
		Limits: access.Limits{PerMinute: 100_000, PerDay: 1000, PerMonth: 1000},
	})
	w.agent = agent{heldKey{key.ID, secret.Reveal()}, agents.Session{ID: agents.NewSessionID(), Ceiling: &ceiling}}
	return err
}

// sessions is the use case at an instance.
func (i *instance) sessions() *agents.Sessions {
	return agents.NewSessions(i.asker, i.store, func() time.Time { return time.Now().UTC().Add(i.offset) }, i.log)
}

func init() {
	verbs["agent"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		h.document = cpf(h.op.a)
		caller, err := i.keys.Authenticate(ctx, w.agent.key.secret, nobody)
		if err != nil {
			h.err = err
			return
		}
		h.begun = time.Now()
		result, _, err := i.sessions().DoWithin(ctx, caller, lookups.Request{
			Product: catalog.CPF, Document: h.document, Refresh: h.op.c%2 == 0,
		}, w.agent.session)
		h.err, h.id, h.said, h.cached = err, result.Entry.ID, string(result.Record.Raw), result.Entry.Cache
		h.taken = result.Entry.Status == lookup.Running
	}
}

// judgeAgents: a session is charged no more than its ceiling; and what it is said to have been charged is not less than
// what it was, nor more where nothing crashed.
func (w *world) judgeAgents() {
	if !aboutAgents(w.plan.seed) {
		return
	}
	ctx := context.Background()
	is := catalog.Money(w.number(charged("key_id", w.agent.key.id)))
	if is > *w.agent.session.Ceiling {
		w.fail("agent", "a session was charged %d, above its ceiling of %d", is, *w.agent.session.Ceiling)
	}
	caller, err := w.judge.keys.Authenticate(ctx, w.agent.key.secret, nobody)
	if err != nil {
		w.fail("agent", "%v", err)
		return
	}
	said, err := w.judge.sessions().Spent(ctx, caller, w.agent.session)
	// What a bureau answers later stays reserved.
	calm := !w.crashed() && w.plan.faults.frozen == 0 && w.plan.holds == (holds{}) && w.plan.pins == (pins{}) &&
		!slices.ContainsFunc(w.happened, func(h happening) bool { return h.taken })
	if err != nil || said < is || said > is && calm {
		w.fail("agent", "a session was charged %d, and is said to have been charged %d: %v", is, said, err)
	}
}
