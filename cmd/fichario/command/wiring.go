package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/notifier"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/ports"
)

const (
	// Forever is how long the service waits for a database that is away.
	Forever = time.Duration(math.MaxInt64)
	// askEvery is the pause between attempts.
	askEvery = 500 * time.Millisecond
	// tellEvery is how often an unchanged reason is reported again.
	tellEvery = 15 * time.Second
)

// commandPatience is how long a command waits for a database that is away.
func commandPatience() time.Duration { return 2 * engine.Timeout() }

// OpenStore opens the database and migrates it to the newest schema, so that every command works on a fresh machine. It
// retries a database that is away until patience runs out; away receives the reason, in the database's words.
func (e *Environment) OpenStore(patience time.Duration, away func(why string)) (*gormstore.Store, error) {
	keys, err := e.dataKeys()
	if err != nil {
		return nil, err
	}
	engine.SetTimeout(e.Settings.StoreTimeout)
	store, err := gormstore.Open(e.Settings.DatabaseURL, keys)
	if err != nil {
		return nil, err
	}
	err = store.LimitConnections(e.Settings.Connections)
	if err == nil && e.Settings.MigrateURL != "" {
		err = store.MigrateThrough(e.Settings.MigrateURL)
	}
	if err == nil {
		err = e.reach(store, patience, away)
	}
	if err == nil {
		err = e.inKeyFile(store.Migrate(e.Ctx))
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// ErrStopped is for a program told to end before the database answers.
var ErrStopped = errors.New("stopped while the database was away")

// reach waits until the database answers.
func (e *Environment) reach(store *gormstore.Store, patience time.Duration, away func(why string)) error {
	var last string
	var told time.Time
	for start := time.Now(); ; {
		// By default one attempt has 1.5 s, so that the first reason is reported within two seconds.
		ctx, cancel := context.WithTimeout(e.Ctx, engine.Timeout()*3/10)
		err := store.Ping(ctx)
		cancel()
		if err == nil {
			return nil
		}
		why := engine.Reason(err)
		if e.Ctx.Err() != nil {
			return fmt.Errorf("%w: %s", ErrStopped, last)
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
		case <-e.Ctx.Done():
		}
	}
}

// WithStore runs a command on the database.
func (e *Environment) WithStore(f func(*gormstore.Store) error) error {
	engine.SetTimeout(e.Settings.StoreTimeout) // commandPatience goes by it
	store, err := e.OpenStore(commandPatience(), func(why string) {
		fmt.Fprintf(e.ErrOut, "fichario: the database is away: %s; retrying for %s\n", why, commandPatience())
	})
	if err != nil {
		return err
	}
	return errors.Join(f(store), store.Close())
}

// Mailer returns the client of the configured mail server; nil when there is none.
func (e *Environment) Mailer() (ports.Mailer, error) {
	if e.Settings.SMTPURL == "" {
		return nil, nil //nolint:nilnil // no mail server is a configuration like any other
	}
	return notifier.New(e.Settings.SMTPURL)
}

// Keeping is how long things are kept.
func (e *Environment) Keeping() privacy.Keeping {
	return privacy.Keeping{
		Answers: e.Settings.KeepAnswers, Deliveries: e.Settings.KeepDeliveries, Contacts: e.Settings.KeepContacts,
		Audit: e.Settings.KeepAudit,
	}
}

// Calendar has the time zone of the caps' days and months.
func (e *Environment) Calendar() (access.Calendar, error) {
	location, err := time.LoadLocation(e.Settings.TimeZone)
	return access.Calendar{Location: location}, err
}

// Now is the present time, UTC.
func Now() time.Time { return time.Now().UTC() }
