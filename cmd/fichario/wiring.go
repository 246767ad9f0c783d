package main

import (
	"errors"
	"time"

	"fichario/adapters/gormstore"
	"fichario/adapters/notifier"
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

// mailer returns the client of the configured mail server; nil when there is none.
func (e *environment) mailer() (ports.Mailer, error) {
	if e.settings.SMTPURL == "" {
		return nil, nil //nolint:nilnil // no mail server is a configuration like any other
	}
	return notifier.New(e.settings.SMTPURL)
}

func (e *environment) calendar() (access.Calendar, error) {
	location, err := time.LoadLocation(e.settings.TimeZone)
	return access.Calendar{Location: location}, err
}

func now() time.Time { return time.Now().UTC() }
