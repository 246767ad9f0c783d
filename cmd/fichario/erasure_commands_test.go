package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"fichario/cmd/fichario/command"
	privacycommands "fichario/cmd/fichario/privacy"
	"fichario/domain/privacy"
)

// TestReplayOfJournals that are missing, or invalid.
func TestReplayOfJournals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := "--database-url=sqlite://" + filepath.Join(dir, "x.db")
	for _, c := range []struct {
		name, in string
		args     []string
		code     int
		says     string
	}{
		{"none, where nobody was ever erased", "", nil, 0, "x.db.erasures: correct if nobody was ever erased"},
		{"one that was named", "", []string{"--from", filepath.Join(dir, "no")}, 1, "no such file"},
		{"one that was set", "", []string{"--erasure-journal", filepath.Join(dir, "no")}, 1, "no such file"},
		{"garbage", "garbage\n", []string{"--from=-"}, 1, "cannot be read: 1"},
		{
			"another database's", `{"id":"01980000-0000-7000-8000-000000000001",` +
				`"organizacao":"01980000-0000-7000-8000-00000000000a","chave":"x","titular":["AAAA"]}`, []string{"--from=-"}, 1,
			"by another key, as of another database: 1",
		},
		{"one that is cut off", `{"id":"1","org`, []string{"--from=-"}, 0, "the last line of the journal is cut off"},
	} {
		var out, errOut bytes.Buffer
		code := run(append([]string{"subject", "replay-erasures", db}, c.args...), strings.NewReader(c.in), &out, &errOut)
		if code != c.code || !strings.Contains(errOut.String(), c.says) {
			t.Errorf("%s: code %d, %s", c.name, code, errOut.String())
		}
	}
}

// TestAJournalThatCannotBeWritten keeps the service from starting and a command from erasing: its erasures would never
// complete.
func TestAJournalThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"serve", "--listen=127.0.0.1:0"}, {"subject", "erase", "--org=x", "--email=ana@x.example"},
	} {
		var out, errOut bytes.Buffer
		code := run(append(args, "--database-url=sqlite://"+filepath.Join(dir, "x.db"),
			"--erasure-journal="+filepath.Join(dir, "no", "journal")), nil, &out, &errOut)
		said := errOut.String()
		if code != 1 || !strings.Contains(said, "FICHARIO_ERASURE_JOURNAL: ") || !strings.Contains(said, "no/journal") {
			t.Errorf("%s: code %d, %s", args[0], code, said)
		}
	}
}

// TestAReceiptSaysThatItIsInNoJournal.
func TestAReceiptSaysThatItIsInNoJournal(t *testing.T) {
	t.Parallel()
	for journalled, want := range map[bool]bool{true: false, false: true} {
		text := privacycommands.ReceiptText(privacy.Erasure{ID: "1", EndsAt: command.Now(), Journalled: journalled})
		if strings.Contains(text, "In no journal") != want {
			t.Errorf("noted %t: %s", journalled, text)
		}
	}
}
