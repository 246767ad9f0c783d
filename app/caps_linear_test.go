package app_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/ports"
	"fichario/ports/portstest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// counter models a cap: what is taken stays until it is given back, and a refusal means that all is taken.
func counter(most int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, output any) (bool, any) {
			used, _ := state.(int)
			switch takes, admitted := input == "take", output == true; {
			case !takes:
				return used > 0, used - 1
			case admitted:
				return used < most, used + 1
			}
			return used == most, used
		},
	}
}

// unreliable is a bureau that three calls in ten cannot reach. It records when each document came and went.
type unreliable struct {
	mu      sync.Mutex
	visits  map[string]visit
	reached int
}

type visit struct {
	came, left int64 // in nanoseconds
	reached    bool
}

func (u *unreliable) Ask(_ context.Context, q ports.Question) (ports.Answer, error) {
	p, d := q.Product, q.Document
	v := visit{came: time.Now().UnixNano(), reached: rand.IntN(10) >= 3}
	time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
	v.left = time.Now().UnixNano()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.visits[d.Value()] = v; !v.reached {
		return ports.Answer{}, &ports.BureauError{Outcome: ports.NotSent, Reason: "as told"}
	}
	u.reached++
	return portstest.Found(p, map[string]any{"nome": "Ana"}), nil
}

// TestACapIsOneCounter: two instances that charge one key under a cap, and give back what was not sent, are
// linearisable as one counter. At no moment is more charged than the cap, and in the end exactly that.
func TestACapIsOneCounter(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		store := open(t, template.New(t))
		isOneCounter(t, newSetting(t, store, now), store, store)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url := postgres.New(t, migrate)
		store := open(t, url)
		isOneCounter(t, newSetting(t, store, now), store, open(t, url))
	})
}

func isOneCounter(t *testing.T, s *setting, stores ...ports.Store) {
	const clients, each, most = 16, 15, 60
	u := &unreliable{visits: map[string]visit{}}
	at := now() // so that no midnight passes
	instances := make([]*desk, len(stores))
	for i, store := range stores {
		instances[i] = s.desk(store, u, products(), func() time.Time { return at })
	}
	by := s.byKey(access.Limits{PerMinute: 1e6, PerDay: most, PerMonth: 1e6})
	var over atomic.Bool
	var sampling sync.WaitGroup
	sampling.Go(func() {
		for !over.Load() {
			usage := s.store.Repos().Usage
			today, _, _, err := usage.Spent(t.Context(), s.orgID, by.Key().ID, calendar.Day(at), calendar.Month(at))
			if err != nil || today.Count > most {
				t.Errorf("%d are charged, %v", today.Count, err)
				return
			}
		}
	})
	var mu sync.Mutex
	var history []porcupine.Operation
	var asking sync.WaitGroup
	ask := func(c, n int) (asked bool) {
		cpf := lookuptest.CPF(n)
		began := time.Now().UnixNano()
		_, err := instances[c%len(instances)].Do(t.Context(), by, lookups.Request{
			Product: catalog.CPF, Document: cpf, Refresh: true,
		})
		ended := time.Now().UnixNano()
		u.mu.Lock()
		v, asked := u.visits[cpf]
		u.mu.Unlock()
		mu.Lock()
		took := porcupine.Operation{ClientId: c, Input: "take", Call: began, Output: asked, Return: ended}
		if asked {
			took.Return = v.came
		}
		history = append(history, took)
		if asked && !v.reached {
			history = append(history, porcupine.Operation{ClientId: c, Input: "give back", Call: v.left, Return: ended})
		}
		mu.Unlock()
		if code := said(err); (code == "") != v.reached || !asked && code != "limite_diario" {
			t.Errorf("asked %t, reached %t: %s", asked, v.reached, code)
		}
		return asked
	}
	for c := range clients {
		asking.Go(func() {
			for i := range each {
				ask(c, c*each+i)
			}
		})
	}
	asking.Wait()
	// What was given back last came too late for the others, which had been refused.
	for n := clients * each; ask(0, n); n++ {
	}
	over.Store(true)
	sampling.Wait()
	equal(t, "calls that reached the bureau", u.reached, most)
	equal(t, "charged", s.spent(by), line(most, most, most, catalog.Money(most*price)))
	if result := porcupine.CheckOperationsTimeout(counter(most), history, time.Minute); result != porcupine.Ok {
		t.Errorf("%d operations are %s: no counter could have told so", len(history), result)
	}
}
