package privacy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/app"
	"fichario/cmd/fichario/command"
	"fichario/domain/privacy"
)

// Journal is a file outside the database that records erasures, one JSON line each; without a path there is
// none.
type Journal struct {
	Path string
	// beside is the SQLite database that the file accompanies; empty where the file was configured.
	beside string
}

// JournalOf is the file in FICHARIO_ERASURE_JOURNAL, or one beside the SQLite database.
func JournalOf(e *command.Environment) Journal {
	path, sqlite := engine.SQLitePath(e.Settings.DatabaseURL)
	switch {
	case e.Settings.ErasureJournal != "":
		return Journal{Path: e.Settings.ErasureJournal}
	case sqlite && path != engine.InMemory:
		return Journal{path + ".erasures", path}
	}
	return Journal{}
}

// Check fails where no erasure could be written to the journal, before one begins.
func (j Journal) Check() error {
	if j.Path == "" {
		return nil
	}
	file, err := j.open()
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return fmt.Errorf("FICHARIO_ERASURE_JOURNAL: the journal of erasures cannot be written: %w", err)
	}
	return nil
}

// Append writes a line, which is durable on return.
func (j Journal) Append(entry privacy.Entry) (kept bool, err error) {
	if j.Path == "" {
		return false, nil
	}
	line, err := json.Marshal(journalLine(entry))
	if err != nil {
		return false, err
	}
	file, err := j.open()
	if err != nil {
		return false, err
	}
	// The leading newline keeps a line that a crash cut off separate.
	_, err = file.Write(append(append([]byte{'\n'}, line...), '\n'))
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err == nil, err
}

// open opens the file, or creates it. A file beside the database gets the database's owner, so that the service can
// write to it even if a command run by root created it.
func (j Journal) open() (*os.File, error) {
	const write = os.O_WRONLY | os.O_APPEND
	file, err := os.OpenFile(j.Path, write|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(j.Path, write, 0)
	}
	if err == nil && j.beside != "" {
		err = command.OwnedLike(file, j.beside)
		if err != nil {
			err = errors.Join(err, file.Close(), os.Remove(j.Path))
		}
	}
	return file, err
}

// journalLine is an erasure as the journal has it.
type journalLine struct {
	ID       string    `json:"id"`
	OrgID    string    `json:"organizacao"`
	AskedBy  string    `json:"pedidaPor"`
	At       time.Time `json:"em"`
	Block    bool      `json:"bloqueio"`
	KeyID    string    `json:"chave"`
	Hashes   [][]byte  `json:"titular"`
	Contacts []string  `json:"contatos"`
	Parts    []string  `json:"partes,omitempty"`
}

// journalRead is the content of a journal.
type journalRead struct {
	entries []privacy.Entry
	// unread counts the lines that are not erasures.
	unread int
	// cut says that the last line was cut off.
	cut bool
}

// usable reports whether a line says whose erasure it is, in ids that both databases take.
func (l journalLine) usable() bool {
	for _, ids := range [][]string{{l.ID, l.OrgID}, l.Contacts, l.Parts} {
		for _, id := range ids {
			if !app.ValidID(id) {
				return false
			}
		}
	}
	return len(l.Hashes) > 0
}

// readJournal reads the lines of a journal. A line that a crash cut off is no loss: its erasure had not begun, and
// writes its line again when it continues. So a fragment of another line is ignored, and the last line may be a
// fragment. Lines that lost what parted them are read one by one.
func readJournal(in io.Reader) (read journalRead, err error) {
	var good, bad [][]byte
	for lines := bufio.NewReader(in); err == nil; {
		var line []byte
		line, err = lines.ReadBytes('\n')
		read.cut = false
		for line = bytes.TrimSpace(line); len(line) > 0; line = bytes.TrimSpace(line) {
			var one json.RawMessage
			values := json.NewDecoder(bytes.NewReader(line))
			if values.Decode(&one) != nil {
				if read.cut = err != nil && line[0] == '{'; !read.cut {
					bad = append(bad, line)
				}
				break
			}
			var entry journalLine
			if json.Unmarshal(one, &entry) == nil && entry.usable() {
				read.entries, good = append(read.entries, privacy.Entry(entry)), append(good, one)
			} else {
				bad = append(bad, one)
			}
			line = line[values.InputOffset():]
		}
	}
	if !errors.Is(err, io.EOF) {
		return read, fmt.Errorf("the journal of erasures: %w", err)
	}
	for _, part := range bad {
		if !slices.ContainsFunc(good, func(whole []byte) bool { return bytes.HasPrefix(whole, part) }) {
			read.unread++
		}
	}
	return read, nil
}

// writeJournal writes the database's erasures as lines of a journal.
func writeJournal(to io.Writer, all []privacy.Erasure) error {
	enc := json.NewEncoder(to)
	for _, e := range all {
		if err := enc.Encode(journalLine(e.Entry())); err != nil {
			return err
		}
	}
	return nil
}
