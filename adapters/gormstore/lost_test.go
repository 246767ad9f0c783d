package gormstore_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/ports"
	"fichario/ports/portstest/kit"
	"fichario/tests/testkit"
	"fichario/tests/testkit/patience"
	"fichario/tests/testkit/postgres"
)

// TestACommitThatTheServerLoses is uncertain, though PostgreSQL, or a pooler before it, still says that it ends the
// connection: that is no refusal of what was to be committed.
func TestACommitThatTheServerLoses(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.New(t, migrate))
	ended := make(chan error, 1)
	committing := make(chan uint32, 1)
	for _, statement := range []string{
		"CREATE TABLE slow (n int)",
		"CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$",
		`CREATE CONSTRAINT TRIGGER slowly AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
			EXECUTE FUNCTION slowly()`,
	} {
		kit.Must(t, s.Writer.Exec(statement).Error)
	}
	go func() {
		ended <- s.OnPostgres(t.Context(), func(tx pgx.Tx) error {
			committing <- tx.Conn().PgConn().PID()
			_, err := tx.Exec(t.Context(), "INSERT INTO slow VALUES (1)")
			return err
		})
	}()
	pid := <-committing
	sleeps := func() (asleep bool) {
		kit.Must(t, s.Writer.Raw("SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = ? AND wait_event = 'PgSleep')",
			pid).Scan(&asleep).Error)
		return asleep
	}
	for limit := time.Now().Add(patience.Limit()); !sleeps(); {
		if time.Now().After(limit) {
			t.Fatal("it does not commit")
		}
	}
	kit.Must(t, s.Writer.Exec("SELECT pg_terminate_backend(?)", pid).Error)
	if err := <-ended; !errors.Is(err, ports.ErrUncertain) {
		t.Errorf("a lost commit: %v", err)
	}
}

// TestSlowARollbackThatNobodyHears holds up the calls of an instance no longer than the database may take: on a
// connection that is half open nothing answers.
func TestSlowARollbackThatNobodyHears(t *testing.T) {
	t.Parallel()
	proxy, url := testkit.StartProxy(t, postgres.New(t, migrate))
	s := open(t, url)
	begins := func(limits access.Limits) error {
		e := kit.Running(t, kit.ID())
		// The server itself ends a transaction that is idle for twice that.
		ctx, cancel := context.WithTimeout(t.Context(), engine.Timeout()*3/2)
		defer cancel()
		begun := make(chan error, 1)
		go func() {
			_, err := s.Repos().Calls.Begin(ctx, ports.Charge{Entry: e, Takes: time.Minute, Caps: limits})
			begun <- err
		}()
		select {
		case err := <-begun:
			return err
		case <-ctx.Done():
			t.Fatal("it is held up")
			return nil
		}
	}
	kit.Must(t, begins(access.Limits{PerDay: 9, PerMonth: 9}))
	proxy.Meddle(func(fromServer bool, b []byte) testkit.Fate {
		if !fromServer && bytes.Contains(b, []byte("rollback\x00")) {
			return testkit.Lose
		}
		return testkit.Pass
	})
	kit.WantErr(t, "a full cap", begins(access.Limits{}), ports.ErrMonthCap)
	proxy.Meddle(nil)
	kit.Must(t, begins(access.Limits{PerDay: 9, PerMonth: 9}))
}
