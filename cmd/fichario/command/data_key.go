package command

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fichario/adapters/gormstore/engine"
)

// dataKeys reads FICHARIO_DATA_KEY, or the key file beside a SQLite database, which is made together with the database.
// An in-memory database gets a key of its own.
func (e *Environment) dataKeys() ([][]byte, error) {
	text, from := e.Settings.DataKey, "FICHARIO_DATA_KEY"
	if text == "" {
		path, sqlite := engine.SQLitePath(e.Settings.DatabaseURL)
		if !sqlite {
			return nil, errors.New("FICHARIO_DATA_KEY is required with PostgreSQL: 32 random bytes in base64, for example from `openssl rand -base64 32`; keep it safe: without it the data cannot be read")
		}
		if path == engine.InMemory {
			return [][]byte{NewDataKey()}, nil
		}
		var err error
		if text, err = keyFile(path); err != nil {
			return nil, fmt.Errorf("FICHARIO_DATABASE_URL: %w", err)
		}
		from = "the key file " + path + keySuffix
	}
	var keys [][]byte
	for part := range strings.SplitSeq(text, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(part))
		if err != nil || len(key) != engine.DataKeySize {
			return nil, notAKey(from, e.Settings.DataKey == "")
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// keySuffix is what the key file's name adds to the database's.
const keySuffix = ".key"

func notAKey(from string, file bool) error {
	help := "for example from `openssl rand -base64 32`"
	if file {
		help = "which this is not: put back the file that the database was made with"
	}
	return fmt.Errorf("%s: a key is %d bytes in base64, %s", from, engine.DataKeySize, help)
}

// inKeyFile makes an error about the data keys name the key file, where they come from one.
func (e *Environment) inKeyFile(err error) error {
	path, sqlite := engine.SQLitePath(e.Settings.DatabaseURL)
	if e.Settings.DataKey != "" || !sqlite || !errors.Is(err, engine.ErrDataKey) {
		return err
	}
	return fmt.Errorf("the key file %s is not the one that this database was written with: put that one back",
		path+keySuffix)
}

// keyFile returns the content of the key file beside a database, making it for a new database. Of several processes
// that make it at once, one wins and all read it.
func keyFile(database string) (string, error) {
	path := database + keySuffix
	text, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := os.Stat(database); err == nil {
		// Another process may have made both meanwhile: it makes the key first.
		if text, err := os.ReadFile(path); err == nil {
			return strings.TrimSpace(string(text)), nil
		}
		return "", fmt.Errorf("the key file %s of the database is missing; put it back, or set FICHARIO_DATA_KEY", path)
	}
	if err := os.MkdirAll(filepath.Dir(database), 0o700); err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".fichario-key-*") // mode 0600
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	if _, err := temp.WriteString(base64.StdEncoding.EncodeToString(NewDataKey()) + "\n"); err != nil {
		return "", err
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return "", err
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	text, err = os.ReadFile(path)
	return strings.TrimSpace(string(text)), err
}

// NewDataKey returns a new key for personal data.
func NewDataKey() []byte {
	key := make([]byte, engine.DataKeySize)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
	return key
}
