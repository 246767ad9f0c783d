package examples

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/postgres"
)

// onThisMachine stands for inContainers in this project's own tests, where no engine answers: the program and a
// PostgreSQL that is found, started or installed.
func onThisMachine(t *testing.T) (url string, command func(args ...string) *exec.Cmd) {
	t.Helper()
	env := testkit.OnPostgreSQL(postgres.New(t, func(context.Context, string) error { return nil }))
	program := testkit.StartProgram(t, testkit.Options{Env: env})
	return program.URL, func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), testkit.Build(t), args...)
		cmd.Env = os.Environ()
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		return cmd
	}
}
