package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestALineIsCompleted: commands, flags and the values that a flag or an argument may have; nothing for free text.
func TestALineIsCompleted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want string }{
		{"ap", "api"}, {"api batch re", "results resume"}, {"api batch results --form", "--format"},
		{"api batch results --format ", "csv excel ndjson xlsx"}, {"api batch results --format=n", "--format=ndjson"},
		{"api batch results --format = x", "xlsx"}, {"lookup -o j", "json"}, {"lookup --refresh --outp", "--output"},
		{"lookup --url http://x api", ""}, {"completion ", "bash fish zsh"},
		{"completion bash ", ""},
		{"member add --role a", "admin"}, {"lookup --url ", ""}, {"nada ", ""},
	} {
		var out, errOut bytes.Buffer
		code := run(append([]string{askedFor}, strings.Split(c.line, " ")...), nil, &out, &errOut)
		if got := strings.Join(strings.Fields(out.String()), " "); code != 0 || got != c.want {
			t.Errorf("%q: code %d, %q, want %q", c.line, code, got, c.want)
		}
	}
}

// TestTheShellsCompletion runs each script in its shell; `make test` ensures that they are installed.
func TestTheShellsCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := "#!/bin/sh\n[ \"$1\" = " + askedFor + " ] && printf 'results\\nresume\\n'\n"
	err := os.WriteFile(filepath.Join(dir, "fichario"), []byte(program), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	for shell, use := range map[string]string{
		"bash": "COMP_WORDS=(fichario api batch re); COMP_CWORD=3; _fichario; echo ${COMPREPLY[@]}",
		"zsh":  "compadd() { echo ${(P)${@[-1]}} }; words=(fichario api batch re); CURRENT=4; _fichario",
		"fish": "complete -C 'fichario api batch re' | string join ' '",
	} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			script := completions[shell]
			if shell == "zsh" {
				script = "compdef() { : }\n" + script
			}
			cmd := exec.CommandContext(t.Context(), path, "-c", script+use)
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != "results resume" {
				t.Errorf("%v: %q", err, got)
			}
		})
	}
}
