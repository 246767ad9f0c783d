package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/adapters/sandbox"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/patience"
)

// TestSlowLeadsOfMetaSurvive: some notifications get lost, some come twice, the token dies, instances are killed; each
// lead makes one contact.
func TestSlowLeadsOfMetaSurvive(t *testing.T) {
	t.Parallel()
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) { leadsOfMeta(t, env, 60, 3) })
}

// TestSlowTenThousandLeadsOfMeta is the same with ten thousand leads and a hundred kills.
func TestSlowTenThousandLeadsOfMeta(t *testing.T) {
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) { leadsOfMeta(t, env, 10000, 100) })
}

// leadsOfMeta makes leads in three parts: with a token, without one, and after it was renewed. A fifth of the
// notifications is lost and a fifth comes twice; what finds nobody at home is lost, too.
func leadsOfMeta(t *testing.T, env map[string]string, leads, kills int) {
	m := intaketest.StartMeta(t)
	s := intaketest.StartService(t, env, m.Env("2s"))
	o, doors := s.Org(t), []*intaketest.Service{s}
	if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") {
		doors = append(doors, s.StartAnother())
	}
	h := o.NewMetaHook("Anúncios")
	o.Connect(h, sandbox.MetaToken)
	killed := 0
	for i := range leads {
		switch i {
		case leads / 3:
			m.KillToken()
		case 2 * leads / 3:
			m.RenewToken("token-novo", 0)
			o.Connect(h, "token-novo")
		}
		id := m.AddLeads(intaketest.MetaLead(fmt.Sprint("lead ", i)))[0]
		times := map[bool]int{i%5 != 0: 1, i%5 == 1: 2}[true]
		for range times {
			announce(doors[i%len(doors)], m, h, id)
		}
		if killed < kills && i > killed*leads/kills {
			victim := doors[killed%len(doors)]
			victim.Kill()
			victim.Restart()
			killed++
		}
	}
	began := time.Now()
	patience.Grows(t, "every lead has come in", leads, func() int {
		return intaketest.Read[struct{ Received int }](o, "webhook", "show", h.ID).Received
	})
	t.Logf("%d leads, %d kills; the last one came %s after the last notification", leads, killed, time.Since(began))
	once := map[string]int{}
	args := []string{"contact", "list", "--org", o.ID, "--limit", fmt.Sprint(2 * leads)}
	for _, c := range intaketest.Read[[]struct{ Email string }](o, args...) {
		once[c.Email]++
	}
	expect(t, "contacts, each once", len(once), leads)
	for email, n := range once {
		if n != 1 {
			t.Errorf("a person has %d contacts (%d characters)", n, len(email))
		}
	}
	o.Command("doctor")
}

// announce posts a notification; whoever is not at home misses it.
func announce(s *intaketest.Service, m intaketest.Meta, h hook, id string) {
	body := m.Notification(id)
	_, _ = s.Send(context.Background(), request{Path: h.Path, Body: string(body), Header: map[string]string{
		"Content-Type": "application/json", "X-Hub-Signature-256": m.Sign(body),
	}})
}

// TestSlowFiftyNotificationsASecond says how fast they are answered: each as soon as its ids are on disk.
func TestSlowFiftyNotificationsASecond(t *testing.T) {
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		const a, seconds = 50, 20
		m := intaketest.StartMeta(t)
		o := intaketest.StartService(t, env, m.Env("1h")).Org(t)
		h := o.NewMetaHook("Anúncios")
		o.Connect(h, sandbox.MetaToken)
		var (
			mu    sync.Mutex
			took  []time.Duration
			tasks sync.WaitGroup
		)
		ticker := time.NewTicker(time.Second / a)
		defer ticker.Stop()
		for i := range a * seconds {
			id := m.AddLeads(intaketest.MetaLead(fmt.Sprint("lead ", i)))[0]
			<-ticker.C
			tasks.Go(func() {
				began := time.Now()
				answer := o.Announce(m, h, id)
				mu.Lock()
				defer mu.Unlock()
				took = append(took, time.Since(began))
				if answer.Status != http.StatusOK {
					t.Errorf("a notification got %s", answer)
				}
			})
		}
		tasks.Wait()
		slices.Sort(took)
		t.Logf("%d notifications, %d a second: p50 %s, p99 %s, the slowest %s", len(took), a, took[len(took)/2],
			took[len(took)*99/100], took[len(took)-1])
		patience.Grows(t, "every lead has come in", a*seconds, func() int {
			return intaketest.Read[struct{ Received int }](o, "webhook", "show", h.ID).Received
		})
	})
}
