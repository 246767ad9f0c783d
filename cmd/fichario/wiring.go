package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/bcrypt"

	"fichario/adapters/bureau"
	"fichario/adapters/gormstore"
	"fichario/adapters/notifier"
	"fichario/adapters/sandbox"
	"fichario/app"
	"fichario/domain/access"
	"fichario/ports"
)

// openStore opens the database and brings it to the newest schema, so that every
// command works on a fresh machine.
func (e *environment) openStore() (*gormstore.Store, error) {
	keys, err := e.dataKeys()
	if err != nil {
		return nil, err
	}
	store, err := gormstore.Open(e.settings.DatabaseURL, keys)
	if err != nil {
		return nil, err
	}
	if err := store.Migrate(e.ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// withStore runs a command on the database.
func (e *environment) withStore(f func(*gormstore.Store) error) error {
	store, err := e.openStore()
	if err != nil {
		return err
	}
	return errors.Join(f(store), store.Close())
}

// dataKeys reads FICHARIO_DATA_KEY, or the key file beside a SQLite database,
// which is made when the database is.
func (e *environment) dataKeys() ([][]byte, error) {
	text := e.settings.DataKey
	if text == "" {
		path, sqlite := gormstore.SQLitePath(e.settings.DatabaseURL)
		if !sqlite {
			return nil, errors.New("FICHARIO_DATA_KEY is required with PostgreSQL: 32 random bytes in base64, for example from `openssl rand -base64 32`; keep it safe, without it the data cannot be read")
		}
		var err error
		if text, err = keyFile(path); err != nil {
			return nil, err
		}
	}
	var keys [][]byte
	for part := range strings.SplitSeq(text, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(part))
		if err != nil || len(key) != gormstore.DataKeySize {
			return nil, fmt.Errorf("FICHARIO_DATA_KEY: a key is %d bytes in base64, for example from `openssl rand -base64 32`", gormstore.DataKeySize)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// keyFile returns the text of the key file beside a database, making it for a new
// database. Of several processes that make it at once, one wins and all read it.
func keyFile(database string) (string, error) {
	path := database + ".key"
	text, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := os.Stat(database); err == nil {
		// Another process may have made both since: the key comes first.
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
	if _, err := temp.WriteString(base64.StdEncoding.EncodeToString(newDataKey()) + "\n"); err != nil {
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

// mailer returns the client of the configured mail server; nil when there is none.
func (e *environment) mailer() (ports.Mailer, error) {
	if e.settings.SMTPURL == "" {
		return nil, nil //nolint:nilnil // no mail server is a configuration like any other
	}
	return notifier.New(e.settings.SMTPURL)
}

// openBureau returns the client of the configured bureau, and what ends it.
func (e *environment) openBureau(log *slog.Logger) (*bureau.Client, func(), error) {
	ref := e.settings.Bureau
	options := []bureau.Option{bureau.WithLogger(log)}
	stop := func() {}
	src, err := bureauFile(ref)
	if err != nil {
		return nil, nil, err
	}
	file, err := bureau.Parse(ref, src, os.LookupEnv)
	if err != nil {
		return nil, nil, fmt.Errorf("bureau file %s:\n%w", ref, err)
	}
	if ref == "sandbox" {
		dial, stopSandbox := sandbox.Start()
		options, stop = append(options, bureau.WithDialContext(dial), bureau.WithoutBreaker()), stopSandbox
	}
	client := bureau.New(file, options...)
	return client, func() { client.Close(); stop() }, nil
}

// bureauFile reads a bureau file: the sandbox's, a shipped one, or one on disk.
func bureauFile(ref string) ([]byte, error) {
	if ref == "sandbox" {
		return sandbox.File(), nil
	}
	if src, ok := bureau.Shipped(ref); ok {
		return src, nil
	}
	src, err := os.ReadFile(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("FICHARIO_BUREAU: %q is neither sandbox, brasilapi, nor a file", ref)
	}
	return src, err
}

func (e *environment) calendar() (access.Calendar, error) {
	location, err := time.LoadLocation(e.settings.TimeZone)
	if err != nil || e.settings.TimeZone == "" {
		return access.Calendar{}, fmt.Errorf("FICHARIO_TIME_ZONE: %q is not a time zone such as America/Sao_Paulo", e.settings.TimeZone)
	}
	return access.Calendar{Location: location}, nil
}

func hashPassword(password string) (string, error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost+2)
	return string(hash), err
}

// decoyHash is the hash of a password that nobody has, of the same cost as the others.
const decoyHash = "$2a$12$afUiaqdb38zq9LzP7tZVSOkaY20zwrmiwPJq8N1ykd9K2Hmvz.aDK"

func checkPassword(hash, password string) bool {
	return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
}

func members(store *gormstore.Store) *app.Members {
	return app.NewMembers(store, now, hashPassword)
}

func now() time.Time { return time.Now().UTC() }
