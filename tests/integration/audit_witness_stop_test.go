package integration

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// TestSlowTheWitnessGetsTheLastHeads: what is written in the last minute before a stop leaves at the stop, so that an
// old state that is put back meanwhile is found.
func TestSlowTheWitnessGetsTheLastHeads(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		file := filepath.Join(t.TempDir(), "heads")
		env["FICHARIO_AUDIT_WITNESS"] = file
		s := intaketest.StartService(t, env)
		o := s.Org(t)
		o.Origins("Feira")
		s.Stop()
		check := intaketest.Read[struct {
			Linhas     int64
			Testemunha struct{ Ultima struct{ Numero int64 } }
		}](o, "audit", "verify", "--org", o.ID, "--witness", file)
		expect(t, "the newest head", check.Testemunha.Ultima.Numero, check.Linhas)
	})
}

// TestSlowAWitnessThatCannotBeWrittenHoldsNothingUp: a folder that is not there, such as one that is not mounted, and a
// pipe that nobody reads are named in the log and by doctor; the service starts, serves and stops.
func TestSlowAWitnessThatCannotBeWrittenHoldsNothingUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{
		"no folder": filepath.Join(dir, "away", "heads"), "a folder": dir, "a pipe": pipe, "a device": os.DevNull,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			env := testkit.SQLite(t)
			env["FICHARIO_AUDIT_WITNESS"] = path
			s := intaketest.StartService(t, env)
			o := s.Org(t)
			o.Accept(o.NewHook("Site", "generic"), intaketest.Lead("Bia"))
			s.Stop()
			expect(t, "it is said", strings.Count(s.Logs(), "heads of the audit do not leave the house"), 1)
			expect(t, "and by doctor", strings.Contains(testkit.RunErr(t, env, "doctor").Stdout,
				"1 BROKEN    the witness of the audit takes heads"), true)
		})
	}
}

// TestDoctorAsksTheAddressOfTheWitness with no heads.
func TestDoctorAsksTheAddressOfTheWitness(t *testing.T) {
	t.Parallel()
	status, length := http.StatusNotFound, int64(-1)
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		length = r.ContentLength
		w.WriteHeader(status)
	}))
	t.Cleanup(there.Close)
	env := testkit.SQLite(t)
	env["FICHARIO_AUDIT_WITNESS"], env["FICHARIO_ALLOW_PRIVATE_TARGETS"] = there.URL, "true"
	const takes = "the witness of the audit takes heads"
	expect(t, "away", strings.Contains(testkit.RunErr(t, env, "doctor").Stdout, "1 BROKEN    "+takes), true)
	status = http.StatusNoContent
	expect(t, "there", strings.Contains(testkit.Run(t, env, "doctor"), "ok          "+takes), true)
	expect(t, "without a body", length, 0)
}
