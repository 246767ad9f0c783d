package privacy

import (
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
	journal := Journal{Path: db + ".erasures", beside: db}
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
	if got, want := owner(journal.Path), owner(db); got != want {
		t.Errorf("the journal is of %s, the database of %s", got, want)
	}
}
