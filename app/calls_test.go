package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	bureaufile "fichario/adapters/bureau"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/access"
)

// atBureau makes lookups go to a bureau file with the given keys, whose server is h.
func (s *setting) atBureau(keys string, h http.HandlerFunc) {
	s.t.Helper()
	server := httptest.NewServer(h)
	s.t.Cleanup(server.Close)
	client := bureaufile.New(must(bureaufile.Parse("teste", fmt.Appendf(nil, `name: teste
base_url: %s
%s
products:
  cpf: { price: "0.4567", request: { path: "/{documento}" }, fields: { nome: .nome } }
`, server.URL, keys), func(string) (string, bool) { return "", false })))
	s.t.Cleanup(client.Close)
	s.lookups = s.desk(s.store, client, client.Catalog(), s.now)
}

// tooMany refuses the first call, and asks to wait for a second.
func tooMany(calls *atomic.Int32) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, `{"nome":"ANA"}`)
	}
}

var once = access.Limits{PerMinute: 60, PerDay: 1, PerMonth: 1}

// TestARefusalThatIsNotBilledCostsNothing: no money, nothing of the caps; and the bureau is not called again for as
// long as it asks.
func TestARefusalThatIsNotBilledCostsNothing(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		var calls atomic.Int32
		s.atBureau("not_charged: [429]", tooMany(&calls))
		key := s.byKey(once)
		_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
		equal(t, "refused", line(said(err), app.FaultOf(err).RetryAfter), "bureau_indisponivel 1s")
		equal(t, "spent", s.spent(key), "0 0 0 0")
		for ; err != nil; _, err = s.ask(key, lookups.Request{Document: cpfs[0]}) {
			f := app.FaultOf(err)
			inTime := f.RetryAfter > 0 && f.RetryAfter <= time.Second
			equal(t, "held back", line(said(err), inTime), "bureau_indisponivel true")
			time.Sleep(f.RetryAfter) // the wait suffices
		}
		equal(t, "calls", calls.Load(), 2)
		equal(t, "spent", s.spent(key), "1 1 1 0.4567")
		entries := s.entries()
		equal(t, "the last", entries[0], "concluida 0.4567")
		for _, e := range entries[1:] {
			equal(t, "those before", e, "nao_enviada livre")
		}
	})
}

// TestARefusalThatMayBeBilledIsCharged: unless the bureau's file says otherwise, it costs what any call costs.
func TestARefusalThatMayBeBilledIsCharged(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		var calls atomic.Int32
		s.atBureau("", tooMany(&calls))
		key := s.byKey(once)
		_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
		equal(t, "refused", said(err), "bureau_falhou")
		_, err = s.ask(key, lookups.Request{Document: cpfs[0]})
		equal(t, "the cap", said(err), "limite_mensal")
		equal(t, "spent", line(s.spent(key), s.entries()), "1 1 1 0.4567 [falhou 0.4567]")
	})
}
