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
	line := func(id, more string) string {
		return fmt.Sprintf(`{"id":"01980000-0000-7000-8000-%012s","organizacao":"01980000-0000-7000-8000-00000000000a",%s}`, id, more)
	}
	const whose = `"titular":["AAAA"]`
	one, other := line("1", whose), line("2", whose)
	for text, want := range map[string]string{
		"":                                   "0 0 false",
		"\n" + one + "\n\n" + other + "\n":   "2 0 false",
		one:                                  "1 0 false",
		one + other:                          "2 0 false", // joined by whoever copied it
		one + " " + other + "x\n":            "2 1 false",
		"\n" + one + "\n\n" + other[:9]:      "1 0 true",
		one + other[:9]:                      "1 0 true",
		"\n" + one[:9] + "\n" + one + "\n":   "1 0 false", // rewritten when its erasure continued
		"\n{\"id\":\"3\",\"o\n" + one + "\n": "1 1 false",
		"garbage\n":                          "0 1 false",
		"garbage":                            "0 1 false",
		"x\n" + one + "\ny\n{}\n":            "1 3 false",
		line("z", whose) + "\n" + one:        "1 1 false", // no id
		line("3", `"titular":[]`):            "0 1 false", // of nobody
		line("3", whose+`,"contatos":["x"]`) + "\n" + line("4", whose+`,"partes":["x"]`) + "\n" + one: "1 2 false",
		strings.Replace(other, `"organizacao":"0`, `"organizacao":"`, 1) + "\n" + one:                 "1 1 false",
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
