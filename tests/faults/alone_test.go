package faults

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// TestAFolderThatIsNotThereYet is created, as by every other command.
func TestAFolderThatIsNotThereYet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder", "f.db")
	p := testkit.StartProgram(t, testkit.Options{Env: map[string]string{"FICHARIO_DATABASE_URL": "sqlite://" + path}})
	p.Stop()
}

// TestASecondServiceOnOneFile is refused and told which process is there, whatever name it knows the file by; commands
// run beside the first service, and nothing stays locked when that is killed.
func TestASecondServiceOnOneFile(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	env := testkit.SQLite(t)
	s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	file := strings.TrimPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://")
	link := filepath.Join(t.TempDir(), "outro.db")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file+".key", link+".key"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, link} {
		other := map[string]string{"FICHARIO_DATABASE_URL": "sqlite://" + name, "FICHARIO_LISTEN": "127.0.0.1:0"}
		failed := testkit.RunErr(t, other, "serve")
		expect(t, "code", failed.Code, 1)
		for _, part := range []string{fmt.Sprintf("process %d", s.Pid()), file, "FICHARIO_DATABASE_URL"} {
			if !strings.Contains(failed.Stderr, part) {
				t.Errorf("the second one does not speak of %q: %s", part, failed.Stderr)
			}
		}
	}
	key := s.NewKey(60, 60, 60) // a command
	expect(t, "the first one goes on", s.CPF(key.Key, ana).Status, 200)
	s.Kill()
	s.Restart()
	expect(t, "after a kill", s.CPF(key.Key, ana).Status, 200)
	testkit.StartProgram(t, testkit.Options{Env: map[string]string{"FICHARIO_DATABASE_URL": "sqlite://:memory:"}})
	testkit.StartProgram(t, testkit.Options{Env: map[string]string{"FICHARIO_DATABASE_URL": "sqlite://:memory:"}})
}

// TestConnections: a process uses no more than its limit, and works with a single one.
func TestConnections(t *testing.T) {
	t.Parallel()
	for _, most := range []int{1, 3} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			t.Parallel()
			bureau := lookuptest.StartBureau(t, nil)
			env := testkit.PostgreSQL(t)
			db, err := sql.Open("pgx", env["FICHARIO_DATABASE_URL"])
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient),
				map[string]string{"FICHARIO_DATABASE_CONNECTIONS": fmt.Sprint(most)})
			key := s.NewKey(6000, 5000, 5000).Key
			var asking sync.WaitGroup
			for _, d := range lookuptest.CPFs(60+most, 40) {
				asking.Go(func() { expect(t, "answer", s.CPF(key, d).Status, 200) })
				asking.Go(func() { expect(t, "statement", s.Get("/api/v1/consultas", key).Status, 200) })
			}
			asking.Wait()
			var n int
			const open = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fichario'`
			if err := db.QueryRowContext(t.Context(), open).Scan(&n); err != nil {
				t.Fatal(err)
			}
			expect(t, "connections", n, most)
			expect(t, "ready", s.Get("/readyz", "").Status, 200)
			s.Stop()
		})
	}
}
