package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"fichario/adapters/gormstore"
	"fichario/domain/privacy"
)

// erasureJournal is the path of the file that erasures are kept in beside the database, a line of JSON each; empty for
// none.
type erasureJournal string

// erasureJournal is FICHARIO_ERASURE_JOURNAL, or a file beside the SQLite database.
func (e *environment) erasureJournal() string {
	path, sqlite := gormstore.SQLitePath(e.settings.DatabaseURL)
	switch {
	case e.settings.ErasureJournal != "":
		return e.settings.ErasureJournal
	case sqlite && path != gormstore.InMemory:
		return path + ".erasures"
	}
	return ""
}

// Append writes a line that is durable when it returns.
func (j erasureJournal) Append(entry privacy.Entry) (kept bool, err error) {
	if j == "" {
		return false, nil
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return false, err
	}
	file, err := os.OpenFile(string(j), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	// A line that was cut off by a crash stays one of its own.
	_, err = file.Write(append(append([]byte{'\n'}, line...), '\n'))
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err == nil, err
}

// readJournal reads the lines of a journal. One that was cut off is left out: its erasure had not begun, and is written
// again when it goes on.
func readJournal(in io.Reader) (entries []privacy.Entry, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var entry privacy.Entry
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.ID != "" {
			entries = append(entries, entry)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the journal of erasures: %w", err)
	}
	return entries, nil
}

// writeJournal writes erasures that the database has as lines of a journal.
func writeJournal(to io.Writer, all []privacy.Erasure) error {
	enc := json.NewEncoder(to)
	for _, e := range all {
		entry := privacy.Entry{
			ID: e.ID, OrgID: e.OrgID, AskedBy: e.AskedBy, At: e.At, Block: e.Block, KeyID: e.KeyID, Hashes: e.Hashes,
		}
		if err := enc.Encode(entry); err != nil {
			return err
		}
	}
	return nil
}
