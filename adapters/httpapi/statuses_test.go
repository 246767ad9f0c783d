package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app/intake"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/contracttest"
)

// TestEveryOperationMayFail: a failure of the service has the answer in the contract, whatever the operation.
func TestEveryOperationMayFail(t *testing.T) {
	t.Parallel()
	operations, err := contracttest.Operations()
	if err != nil {
		t.Fatal(err)
	}
	broken := newServer(t, io.Discard) // without use cases
	for _, o := range operations {
		if o.ID == "preflightWebhook" {
			continue // it answers without reading anything
		}
		r := httptest.NewRequest(o.Method, o.Path, strings.NewReader(o.Body))
		r.Header.Set("Authorization", "Bearer "+access.NewSecret().Reveal())
		answered(t, broken, r, http.StatusInternalServerError)
	}
}

// slowStore is a database that does not answer.
type slowStore struct {
	ports.Store
	ports.Webhooks
}

func (s slowStore) Repos() ports.Repos { return ports.Repos{Webhooks: s, Statement: slowStatement{}} }

func (slowStore) Open(ctx context.Context, _ webhook.Token, _ time.Time) (webhook.Hook, error) {
	<-ctx.Done()
	return webhook.Hook{}, ctx.Err()
}

type slowStatement struct{ ports.Statement }

func (slowStatement) Find(ctx context.Context, _, _ string) (lookup.Entry, error) {
	<-ctx.Done()
	return lookup.Entry{}, ctx.Err()
}

// TestAPostThatIsNotDoneInTime is answered with that after thirty seconds (specification, 8.2.2).
func TestAPostThatIsNotDoneInTime(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{
		webhookPath + "receive/" + strings.Repeat("a", 48):                               `{"email":"bia@example.com"}`,
		webhookPath + "receive/" + strings.Repeat("a", 48) + "?simular=true":             `{"email":"bia@example.com"}`,
		CallbackPath + "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10." + strings.Repeat("a", 43): `{"situacao":"pronto"}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			log := slog.New(slog.DiscardHandler)
			counted := NewMetrics(nil, nil)
			h := New(Config{
				Intake: intake.New(slowStore{}, time.Now), Metrics: counted, Log: log,
				Ledger: lookups.NewLedger(lookups.LedgerConfig{Store: slowStore{}, Log: log}), LookupEnabled: true,
			})
			began := time.Now()
			answered(t, h, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)), http.StatusGatewayTimeout)
			if took := time.Since(began); took != receiveWithin {
				t.Errorf("%s after %s", path, took)
			}
			metrics := httptest.NewRecorder()
			counted.Handler().ServeHTTP(metrics, httptest.NewRequest(http.MethodGet, "/metrics", nil))
			failed := strings.Contains(metrics.Body.String(), `fichario_webhook_posts_total{outcome="failed"} 1`)
			if post := strings.HasPrefix(path, webhookPath) && !strings.Contains(path, "?"); failed != post {
				t.Errorf("%s is counted as a post that failed: %v", path, failed)
			}
		})
	}
}

// answered checks the answer to a request against a status and the contract.
func answered(t *testing.T, h http.Handler, r *http.Request, status int) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	if rec.Code != status {
		t.Errorf("%s %s answers %d: %s", r.Method, r.URL.Path, rec.Code, rec.Body)
	}
	if _, err := contracttest.Conforms(r.Method, r.URL.Path, rec.Code, rec.Header(), rec.Body.Bytes()); err != nil {
		t.Error(err)
	}
}
