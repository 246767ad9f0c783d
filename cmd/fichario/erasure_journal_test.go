package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fichario/domain/privacy"
)

// TestReadingAJournal: a line that a crash cut off is no loss, any other unreadable one is counted.
func TestReadingAJournal(t *testing.T) {
	t.Parallel()
	const one, other = `{"id":"1","organizacao":"o"}`, `{"id":"2","organizacao":"o"}`
	for text, want := range map[string]string{
		"":                                   "0 0 false",
		"\n" + one + "\n\n" + other + "\n":   "2 0 false",
		one:                                  "1 0 false",
		"\n" + one + "\n\n{\"id\":\"2\",":    "1 0 true",
		"\n{\"id\":\"1\",\"o\n" + one + "\n": "1 0 false", // rewritten when its erasure continued
		"\n{\"id\":\"3\",\"o\n" + one + "\n": "1 1 false",
		"garbage\n":                          "0 1 false",
		"garbage":                            "0 1 false",
		"x\n" + one + "\ny\n{}\n":            "1 3 false",
	} {
		read, err := readJournal(strings.NewReader(text))
		if got := fmt.Sprint(len(read.entries), read.unread, read.cut); err != nil || got != want {
			t.Errorf("%q: %s, not %s, %v", text, got, want, err)
		}
	}
}

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

// TestTheJournalBelongsToTheServicesUser, even where a command run by root made it.
func TestTheJournalBelongsToTheServicesUser(t *testing.T) {
	t.Parallel()
	const uid, gid = 65532, 65531
	db := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(db, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(db, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	journal := erasureJournal{path: db + ".erasures", beside: db}
	for range 2 {
		if kept, err := journal.Append(privacy.Entry{ID: "1"}); err != nil || !kept {
			t.Fatal(kept, err)
		}
	}
	owner := func(path string) string {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		of, _ := info.Sys().(*syscall.Stat_t)
		return fmt.Sprint(of.Uid, of.Gid, info.Mode().Perm())
	}
	if got, want := owner(journal.path), owner(db); got != want {
		t.Errorf("the journal is of %s, the database of %s", got, want)
	}
}

// TestAReceiptSaysThatItIsInNoJournal.
func TestAReceiptSaysThatItIsInNoJournal(t *testing.T) {
	t.Parallel()
	for journalled, want := range map[bool]bool{true: false, false: true} {
		text := receiptText(privacy.Erasure{ID: "1", EndsAt: now(), Journalled: journalled})
		if strings.Contains(text, "In no journal") != want {
			t.Errorf("noted %t: %s", journalled, text)
		}
	}
}
