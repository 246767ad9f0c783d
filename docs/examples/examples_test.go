package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fichario/tests/testkit"
)

// TestMain names the program that this project built, where the examples look for one, and has them run on this
// machine where no image is named.
func TestMain(m *testing.M) {
	if os.Getenv("FICHARIO_IMAGE") == "" {
		start = onThisMachine
	}
	os.Exit(withProgram(m.Run))
}

func withProgram(run func() int) int {
	path := os.Getenv(testkit.EnvBinary)
	if path == "" {
		dir, err := os.MkdirTemp("", "fichario-examples-")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path = filepath.Join(dir, "fichario")
		if out, err := exec.Command("go", "build", "-pgo=off", "-o", path, "../../cmd/fichario").CombinedOutput(); err != nil {
			panic(string(out))
		}
	}
	_ = os.Setenv("FICHARIO", path)
	return run()
}

func TestTheShell(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "sh", "ephemeral.sh").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "ok: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPHP(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "php", "ephemeral.php").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "ok: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestExamplesAreShort(t *testing.T) {
	for _, pattern := range []string{"*.sh", "*.ts", "*.php", "ephemeral_test.go", "containers_test.go", "postgresql_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if lines := strings.Count(string(text), "\n"); err != nil || lines >= 40 {
				t.Errorf("%s has %d lines, %v", path, lines, err)
			}
		}
	}
}
