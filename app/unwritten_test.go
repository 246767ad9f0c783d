package app_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/ports"
	"fichario/ports/portstest"
)

// fullDisk is a store that accepts small writes, such as charges, and while it is full no outcomes.
type fullDisk struct {
	ports.Store
	full atomic.Bool
}

func (d *fullDisk) Repos() ports.Repos {
	r := d.Store.Repos()
	r.Calls = tightCalls{r.Calls, &d.full}
	return r
}

type tightCalls struct {
	ports.Calls
	full *atomic.Bool
}

func (c tightCalls) End(ctx context.Context, o ports.Outcome) (bool, error) {
	if c.full.Load() {
		return false, fault.New(fault.ServiceUnavailable, "cheio")
	}
	return c.Calls.End(ctx, o)
}

func (s *setting) onFullDisk() *fullDisk {
	disk := &fullDisk{Store: s.store}
	disk.full.Store(true)
	s.lookups = s.otherLookups(disk)
	return disk
}

// TestAnAnswerThatCannotBeWritten is returned to the caller who paid for it, kept, not paid for again, and written in
// the end.
func TestAnAnswerThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		disk, key := s.onFullDisk(), s.byKey(wide)
		got := must(s.ask(key, lookups.Request{Document: cpfs[0]}))
		equal(t, "who paid gets it", line(string(got.Record.Raw), got.Entry.Charged), `{"nome":"Ana"} true`)
		for range 3 {
			time.Sleep(timeout)
			_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
			equal(t, "the next one", line(said(err), app.FaultOf(err).RetryAfter > 0), "servico_indisponivel true")
			done(s.lookups.Settle(t.Context()))
		}
		equal(t, "kept", s.lookups.Unwritten(), 1)
		must(s.ask(key, lookups.Request{Document: cpfs[0], Refresh: true})) // asks in any case
		equal(t, "both kept", line(s.lookups.Unwritten(), len(s.bureau.Asked())), "2 2")
		disk.full.Store(false)
		time.Sleep(5 * time.Second)
		equal(t, "written by itself", s.lookups.Unwritten(), 0)
		equal(t, "entries", line(s.entries()), "[concluida 0.45 concluida 0.45]")
		equal(t, "from history", must(s.ask(key, lookups.Request{Document: cpfs[0]})).Entry.Cache, true)
		equal(t, "spent", s.spent(key), "2 2 2 0.9")
		equal(t, "calls", len(s.bureau.Asked()), 2)
	})
}

// TestTheNextOneWritesWhatIsKept: it does not wait for the next retry.
func TestTheNextOneWritesWhatIsKept(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		disk, key := s.onFullDisk(), s.byKey(wide)
		must(s.ask(key, lookups.Request{Document: cpfs[0]}))
		time.Sleep(time.Minute)
		disk.full.Store(false)
		equal(t, "answered", must(s.ask(key, lookups.Request{Document: cpfs[0]})).Entry.Cache, true)
		equal(t, "calls", len(s.bureau.Asked()), 1)
	})
}

// TestFollowersOfWhatCannotBeWritten are told at once, free, and a kept failure is reported as what it is.
func TestFollowersOfWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[ports.BureauOutcome]string{
		"": "servico_indisponivel", ports.Failed: "bureau_falhou", ports.NotSent: "bureau_indisponivel",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				disk, key, release := s.onFullDisk(), s.byKey(wide), make(chan struct{})
				s.bureau.Script = func(ctx context.Context) (ports.Answer, error) {
					answer, err := portstest.Holds(release)(ctx)
					if outcome != "" {
						return portstest.Fails(outcome)(ctx)
					}
					return answer, err
				}
				var asking sync.WaitGroup
				asking.Go(func() { _, _ = s.ask(key, lookups.Request{Document: cpfs[0]}) })
				time.Sleep(time.Second)
				asking.Go(func() {
					_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
					equal(t, "a follower", said(err), want)
				})
				time.Sleep(time.Second)
				began := time.Now()
				close(release)
				asking.Wait()
				equal(t, "waited", time.Since(began) < time.Second, true)
				_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
				equal(t, "the next one", said(err), want)
				disk.full.Store(false)
				s.lookups.Close()
				spent := map[bool]string{true: "0 0 0 0", false: "1 1 1 0.45"}[outcome == ports.NotSent]
				equal(t, "spent", s.spent(key), spent)
				equal(t, "calls", len(s.bureau.Asked()), 1)
			})
		})
	}
}

// TestWhatIsKeptIsBounded: beyond the bound nobody is charged any more.
func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		disk, key := s.onFullDisk(), s.byKey(access.Limits{PerMinute: 999, PerDay: 999, PerMonth: 999})
		huge := portstest.Found(must2(products().Find(catalog.CPF)), map[string]any{"nome": "Ana"})
		huge.Raw = []byte(`"` + strings.Repeat("a", 8<<20) + `"`)
		s.bureau.Script = func(context.Context) (ports.Answer, error) { return huge, nil }
		ask := func() error {
			_, err := s.ask(key, lookups.Request{Document: cpfs[0], Refresh: true})
			return err
		}
		n := 0
		for ; n < 20 && ask() == nil; n++ {
		}
		err := ask()
		equal(t, "let through", n, 8)
		equal(t, "beyond", line(said(err), app.FaultOf(err).RetryAfter > 0), "servico_indisponivel true")
		equal(t, "calls and charges", line(len(s.bureau.Asked()), s.spent(key)), "8 8 8 8 3.6")
		disk.full.Store(false)
		time.Sleep(5 * time.Second)
		equal(t, "with room again", said(ask()), "")
	})
}

func must2[T any](v T, ok bool) T {
	if !ok {
		panic("there is none")
	}
	return v
}

// TestStopping: writes are retried until the end, and what is then lost is counted; a call that is given up is not
// lost, because its entry says so.
func TestStopping(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what    string
		after   time.Duration // when there is room again
		script  func(context.Context) (ports.Answer, error)
		lost    int
		entries string
	}{
		{"room in time", 20 * time.Second, nil, 0, "[concluida 0.45]"},
		{"no room", time.Hour, nil, 1, "[em_andamento 0.45]"},
		{"no room for a failure", time.Hour, portstest.Fails(ports.Failed), 0, "[em_andamento 0.45]"},
		{"no room for what a key gets back", time.Hour, portstest.Fails(ports.NotSent), 1, "[em_andamento 0.45]"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				disk := s.onFullDisk()
				s.bureau.Script = c.script
				_, _ = s.ask(s.byKey(wide), lookups.Request{Document: cpfs[0]})
				room := time.AfterFunc(c.after, func() { disk.full.Store(false) })
				defer room.Stop()
				ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
				defer end()
				equal(t, "lost", s.lookups.Stop(ctx), c.lost)
				equal(t, "entries", line(s.entries()), c.entries)
			})
		})
	}
	t.Run("a call that goes on", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(t *testing.T, s *setting) {
			s.bureau.Script = portstest.Holds(nil)
			var asking sync.WaitGroup
			asking.Go(func() {
				_, err := s.ask(s.byKey(wide), lookups.Request{Document: cpfs[0]})
				equal(t, "told", said(err), "bureau_sem_resposta")
			})
			time.Sleep(time.Second)
			ctx, end := context.WithTimeout(t.Context(), time.Second)
			defer end()
			equal(t, "lost", s.lookups.Stop(ctx), 0)
			asking.Wait()
			equal(t, "entries", line(s.entries()), "[sem_resposta 0.45]")
			_, err := s.ask(s.byKey(wide), lookups.Request{Document: cpfs[1]})
			equal(t, "another one", said(err), "servico_indisponivel")
			equal(t, "calls", len(s.bureau.Asked()), 1)
		})
	})
}

// TestWhoIsAloneSettlesAtOnce: calls of a killed process are charged, and their documents need not wait, although the
// clock has stepped back.
func TestWhoIsAloneSettlesAtOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, killed := s.byKey(access.Limits{PerMinute: 9, PerDay: 9, PerMonth: 9}), make(chan struct{})
		s.bureau.Script = portstest.Holds(killed)
		var asking sync.WaitGroup
		asking.Go(func() { _, _ = s.ask(key, lookups.Request{Document: cpfs[0]}) })
		time.Sleep(time.Second)

		next := s.otherLookups(s.store)
		done(next.Settle(t.Context()))
		equal(t, "not yet due", line(s.entries()), "[em_andamento 0.45]")
		done(next.SettleAll(t.Context()))
		equal(t, "settled", line(s.entries()), "[sem_resposta 0.45]")
		s.bureau.Script = nil
		_, err := next.Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
		equal(t, "the same document", line(err == nil, len(s.bureau.Asked())), "true 2")
		close(killed)
		asking.Wait()
	})
}
