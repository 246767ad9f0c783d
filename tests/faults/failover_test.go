package faults

import (
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// withStandby is a primary with synchronous replication to its standby, and an environment whose address leads to
// whichever of the two accepts writes; more is added to the address.
func withStandby(t *testing.T, more string) (primary, standby *postgres.Server, env map[string]string) {
	t.Helper()
	testkit.Build(t)
	primary = postgres.StartDedicated(t)
	address, err := url.Parse(primary.Database(t, testkit.Migrate))
	if err != nil {
		t.Fatal("the database's address is no URL")
	}
	standby = primary.StartReplica(t)
	primary.Synchronous()
	other, err := url.Parse(standby.URL)
	if err != nil {
		t.Fatal("the standby's address is no URL")
	}
	address.Host += "," + other.Host
	address.RawQuery += "&target_session_attrs=read-write" + more
	return primary, standby, testkit.OnPostgreSQL(address.String())
}

// standbyTakesOver kills the primary under posts, lookups and a batch, after its standby had stopped answering and
// somebody made the primary continue without it, and then promotes the standby. Whatever was acknowledged is there
// once, and the service continues by itself.
func standbyTakesOver(t *testing.T) {
	primary, standby, env := withStandby(t, "")
	b := openBooks(t, env)
	const documents = 100
	docs := make([]string, documents)
	for i := range docs {
		docs[i] = lookuptest.CPF(1_000_000 + i)
	}
	s := b.product.Lookups
	batch := s.BatchOf(s.Quote(b.key, `{"produto":"cpf","teto":900,"confirmar":true,"documentos":`+lookuptest.List(docs)+`}`))
	w := b.load()
	w.more(t, "requests are answered", 100)
	s.AwaitBatch(b.key, batch.ID, "the batch is at it", func(b lookuptest.Batch) bool {
		return b.Progresso.Feitos > 0
	})
	standby.Pause()
	await(t, "clients are told, though what they asked for is committed on one server", func() bool {
		impatient(t, primary)
		return w.count(func(w *shift) int { return told(w)[http.StatusServiceUnavailable] }) >= 16
	})
	primary.Stop(postgres.Killed)
	standby.Resume()
	standby.Promote()
	promoted := time.Now()
	await(t, "a lookup is answered", func() bool { return s.CPF(b.key, lookuptest.CPF(2_000_000)).Status == http.StatusOK })
	looked := time.Since(promoted)
	w.more(t, "requests are answered again", 100)
	w.stop()
	s.AwaitBatch(b.key, batch.ID, "the batch ends", func(b lookuptest.Batch) bool {
		return b.Situacao == "concluido" && b.Progresso.Feitos == documents
	})
	mended(b, w, "failover")
	b.close()
	t.Logf("the first lookup is answered %s after the promotion", looked)
	if most := 2 * time.Second; os.Getenv("SOAK") != "" && looked > most { // only there is the machine its own
		t.Errorf("the first lookup is answered %s after the promotion, want %s at most", looked, most)
	}
}

// impatient makes a primary stop waiting for its standby: it then reports commits as done, with a warning.
func impatient(t *testing.T, primary *postgres.Server) {
	t.Helper()
	db := openDatabase(t, testkit.OnPostgreSQL(primary.URL))
	defer func() { _ = db.Close() }()
	const cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
	if _, err := db.ExecContext(t.Context(), cancel); err != nil {
		t.Fatal(err)
	}
}
