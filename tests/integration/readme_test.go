package integration

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fichario/tests/testkit"
)

// TestSlowTheReadmeAsItStands pastes the commands of README.md into one shell, section by section: the first calls, a
// whole file, the same by command, leads, and a member. Only the address and the built program differ from the text.
func TestSlowTheReadmeAsItStands(t *testing.T) {
	t.Parallel()
	dir, address := t.TempDir(), "127.0.0.1:"+freePort(t)
	script := "set -eo pipefail\nmake() { :; }\ntrap 'kill $(jobs -p) && wait' EXIT\n"
	for _, heading := range []string{
		"First calls", "Ask about a whole file", "The same by command", "Catch leads from any form", "The interface",
	} {
		blocks := testkit.ShellBlocks(t, "../../README.md", heading)
		if len(blocks) != 1 {
			t.Fatalf("%s has %d blocks", heading, len(blocks))
		}
		script += "echo; echo '== " + heading + "'\n" + blocks[0] + "\n"
	}
	// A flag has the same effect as the environment variable.
	script += "echo; echo '== by flags'\n" +
		`env -u FICHARIO_KEY -u FICHARIO_URL bin/fichario lookup cpf 52998224725 --key "$KEY" --url "$FICHARIO_URL"` + "\n"
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(testkit.Build(t), filepath.Join(dir, "bin", "fichario")); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(script, "127.0.0.1:8080", address))
	shell.Dir, shell.Env = dir, append(os.Environ(), "FICHARIO_LISTEN="+address)
	var out bytes.Buffer
	shell.Stdout = &out
	if err := shell.Run(); err != nil {
		t.Errorf("%v, after %s", err, out.String()[strings.LastIndex(out.String(), "\n== ")+1:])
	}
	said := map[string]string{}
	for _, part := range strings.Split(out.String(), "\n== ")[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		said[heading] = text
	}
	for heading, words := range map[string][]string{
		"First calls": {
			`"cache":false`, `"valorCobrado":0.45`, `"produto":"score"`, `"produtos":[`, `"consultas":[`, "52998224725",
		},
		"Ask about a whole file":    {`"custoMaximo":0.9`, "spent R$ "},
		"The same by command":       {"valorCobrado       0\n", "cpf,0.45,", `"situacao":"orcado"`},
		"The interface":             {"Ana Lima"},
		"Catch leads from any form": {`"success":true`, `"email_invalido"`, `"simulated":true`, "Bia Rocha", "Rui Prado", "refused"},
		"by flags":                  {"cache              true\n", "valorCobrado       0\n"},
	} {
		for _, w := range words {
			if !strings.Contains(said[heading], w) {
				t.Errorf("%s does not say %s", heading, w)
			}
		}
	}
}
