package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"fichario/adapters/gormstore"
	"fichario/adapters/notifier"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/ports"
)

const (
	// forever is how long the service waits for a database that is away.
	forever = time.Duration(math.MaxInt64)
	// askEvery is the pause between attempts.
	askEvery = 500 * time.Millisecond
	// tellEvery is how often an unchanged reason is reported again.
	tellEvery = 15 * time.Second
)

// commandPatience is how long a command waits for a database that is away.
func commandPatience() time.Duration { return 2 * gormstore.Timeout() }

// openStore opens the database and migrates it to the newest schema, so that every command works on a fresh machine. It
// retries a database that is away until patience runs out; away receives the reason, in the database's words.
func (e *environment) openStore(patience time.Duration, away func(why string)) (*gormstore.Store, error) {
	keys, err := e.dataKeys()
	if err != nil {
		return nil, err
	}
	gormstore.SetTimeout(e.settings.StoreTimeout)
	store, err := gormstore.Open(e.settings.DatabaseURL, keys)
	if err != nil {
		return nil, err
	}
	err = store.LimitConnections(e.settings.Connections)
	if err == nil && e.settings.MigrateURL != "" {
		err = store.MigrateThrough(e.settings.MigrateURL)
	}
	if err == nil {
		err = e.reach(store, patience, away)
	}
	if err == nil {
		err = e.inKeyFile(store.Migrate(e.ctx))
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// errStopped is for a program told to end before the database answers.
var errStopped = errors.New("stopped while the database was away")

// reach waits until the database answers.
func (e *environment) reach(store *gormstore.Store, patience time.Duration, away func(why string)) error {
	var last string
	var told time.Time
	for start := time.Now(); ; {
		// By default one attempt has 1.5 s, so that the first reason is reported within two seconds.
		ctx, cancel := context.WithTimeout(e.ctx, gormstore.Timeout()*3/10)
		err := store.Ping(ctx)
		cancel()
		if err == nil {
			return nil
		}
		why := gormstore.Reason(err)
		if e.ctx.Err() != nil {
			return fmt.Errorf("%w: %s", errStopped, last)
		}
		if time.Since(start) > patience {
			return fmt.Errorf("the database is away: %s", why)
		}
		if why != last || time.Since(told) > tellEvery {
			away(why)
			last, told = why, time.Now()
		}
		select {
		case <-time.After(askEvery):
		case <-e.ctx.Done():
		}
	}
}

// withStore runs a command on the database.
func (e *environment) withStore(f func(*gormstore.Store) error) error {
	store, err := e.openStore(commandPatience(), func(why string) {
		fmt.Fprintf(e.errOut, "fichario: the database is away: %s; retrying for %s\n", why, commandPatience())
	})
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

func (e *environment) keeping() privacy.Keeping {
	return privacy.Keeping{
		Answers: e.settings.KeepAnswers, Deliveries: e.settings.KeepDeliveries, Contacts: e.settings.KeepContacts,
		Audit: e.settings.KeepAudit,
	}
}

func (e *environment) calendar() (access.Calendar, error) {
	location, err := time.LoadLocation(e.settings.TimeZone)
	return access.Calendar{Location: location}, err
}

func now() time.Time { return time.Now().UTC() }
