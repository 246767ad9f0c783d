package integration

import (
	"database/sql"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// TestTheAuditHasAWitness: an old state that is put back is valid by itself, and not beside the heads that left before.
func TestTheAuditHasAWitness(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		file := filepath.Join(t.TempDir(), "heads")
		env["FICHARIO_AUDIT_WITNESS"] = file
		s := intaketest.StartService(t, env)
		o := s.Org(t)
		o.Origins("Feira", "Rua")
		db := o.Database(t)
		var number int
		var hash, sealed []byte
		row := db.QueryRowContext(t.Context(), "SELECT number, hash, sealed FROM audit_heads")
		if err := row.Scan(&number, &hash, &sealed); err != nil {
			t.Fatal(err)
		}
		o.Origins("Loja")
		s.Restart() // each head leaves at the start
		o.Eventually("the head is in the file", func() bool {
			text, _ := os.ReadFile(file)
			return strings.Contains(string(text), o.ID)
		})
		verify := func() auditCheck {
			failed := testkit.RunErr(t, env, "audit", "verify", "--org", o.ID, "--json", "--witness", file)
			return testkit.JSON[auditCheck](t, failed.Stdout)
		}
		expect(t, "intact", intaketest.Read[auditCheck](o, "audit", "verify", "--org", o.ID, "--witness", file).OK, true)
		o.Command("doctor")

		whole, _ := os.ReadFile(file)
		change := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		change(strings.Replace(string(whole), `"numero":`, `"numero":1`, 1))
		expect(t, "a changed head", verify().Problema, "testemunha")
		change("")
		failed := testkit.RunErr(t, env, "audit", "verify", "--org", o.ID, "--json", "--witness", file)
		expect(t, "no head shows nothing", failed.Code, 1)
		change(string(whole) + "\n{\"organizacao\":\"cut")
		expect(t, "a line cut off by a crash", intaketest.Read[auditCheck](o, "audit", "verify", "--org", o.ID, "--witness", file).OK, true)

		putBack(t, db, number, hash, sealed)
		expect(t, "an old state by itself", intaketest.Read[auditCheck](o, "audit", "verify", "--org", o.ID).OK, true)
		expect(t, "and beside the witness", verify().Problema, "testemunha")
		o.Origins("Sede", "Filial") // as many lines as before, and more
		expect(t, "and continued", verify().Problema, "testemunha")
	})
}

// putBack makes the chain end where it once did.
func putBack(t *testing.T, db *sql.DB, number int, hash, sealed []byte) {
	t.Helper()
	var err error
	if _, err = db.ExecContext(t.Context(), "DELETE FROM audit_lines WHERE number > $1", number); err == nil {
		_, err = db.ExecContext(t.Context(), "UPDATE audit_heads SET number = $1, hash = $2, sealed = $3, "+
			"at = (SELECT at FROM audit_lines WHERE number = $1)", number, hash, sealed)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSlowTheWitnessOfTheAuditIsAway: the work goes on, the log says so, and the heads leave when it is back.
func TestSlowTheWitnessOfTheAuditIsAway(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		var mu sync.Mutex
		var got strings.Builder
		status := http.StatusServiceUnavailable
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if w.WriteHeader(status); status == http.StatusOK {
				_, _ = io.Copy(&got, r.Body)
			}
		}))
		t.Cleanup(receiver.Close)
		env["FICHARIO_AUDIT_WITNESS"], env["FICHARIO_ALLOW_PRIVATE_TARGETS"] = receiver.URL, "true"
		s := intaketest.StartService(t, env)
		o := s.Org(t)
		s.Restart()
		o.Eventually("the log says so", func() bool {
			return strings.Contains(s.Logs(), "heads of the audit do not leave the house")
		})
		o.Accept(o.NewHook("Site", "generic"), intaketest.Lead("Bia"))
		mu.Lock()
		status = http.StatusOK
		mu.Unlock()
		s.Restart()
		o.Eventually("the head arrives", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(got.String(), o.ID)
		})
		file := filepath.Join(t.TempDir(), "heads")
		mu.Lock()
		err := os.WriteFile(file, []byte(got.String()), 0o600)
		mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "what arrived", intaketest.Read[auditCheck](o, "audit", "verify", "--org", o.ID, "--witness", file).OK, true)
	})
}

// TestTheWitnessOfTheAuditProvesItself: no head goes to an address whose certificate nobody vouches for. The log says
// so without what the address has beside its host, the service goes on, and the heads leave once the certificate is
// trusted.
func TestTheWitnessOfTheAuditProvesItself(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		var mu sync.Mutex
		var got strings.Builder
		requests := 0
		receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			requests++
			_, _ = io.Copy(&got, r.Body)
		}))
		receiver.Config.ErrorLog = log.New(io.Discard, "", 0)
		receiver.StartTLS()
		t.Cleanup(receiver.Close)
		trusted := filepath.Join(t.TempDir(), "trusted.pem")
		trust := func(content []byte) {
			if err := os.WriteFile(trusted, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		trust(nil)
		env["FICHARIO_AUDIT_WITNESS"] = receiver.URL + "/caminho-secreto?token=senha-do-cofre"
		env["FICHARIO_ALLOW_PRIVATE_TARGETS"], env["SSL_CERT_FILE"] = "true", trusted
		s := intaketest.StartService(t, env)
		o := s.Org(t)
		s.Restart() // each head leaves at the start
		o.Eventually("the log says so", func() bool {
			return strings.Contains(s.Logs(), "heads of the audit do not leave the house")
		})
		o.Accept(o.NewHook("Site", "generic"), intaketest.Lead("Bia"))
		untrusting := s.Logs()
		for _, secret := range []string{"caminho-secreto", "senha-do-cofre"} {
			expect(t, secret+" in the log", strings.Contains(untrusting, secret), false)
		}
		mu.Lock()
		expect(t, "requests", requests, 0)
		mu.Unlock()

		trust(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw}))
		s.Restart()
		o.Eventually("the head arrives", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(got.String(), o.ID)
		})
		file := filepath.Join(t.TempDir(), "heads")
		mu.Lock()
		heads := got.String()
		mu.Unlock()
		if err := os.WriteFile(file, []byte(heads), 0o600); err != nil {
			t.Fatal(err)
		}
		expect(t, "what arrived", intaketest.Read[auditCheck](o, "audit", "verify", "--org", o.ID, "--witness", file).OK, true)
	})
}
