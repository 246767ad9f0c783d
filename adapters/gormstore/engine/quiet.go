package engine

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
)

const (
	// quietMost is the least that Quiet waits before it goes on: only others' transactions, such as that of somebody's
	// session, can be open after that.
	quietMost = 30 * time.Second
	// quietPoll is the longest pause before it looks again: to list transactions holds up everybody's locks for a moment.
	quietPoll = 250 * time.Millisecond
)

// LongestTransaction is how long a transaction of this service lasts at most: three times the database's time limit, of
// which an instance that died leaves it idle for two.
func LongestTransaction() time.Duration { return 3 * Timeout() }

// Quiet returns when every transaction that is running now has ended: later ones see what was committed before it. On
// SQLite there is one writer, so that waiting for its turn is enough.
func (s *Engine) Quiet(ctx context.Context) error {
	const op = "store.quiet"
	if s.Writer.Name() != "postgres" {
		return s.Conn().Exec(ctx, op, func(db *gorm.DB) error { return db.Transaction(func(*gorm.DB) error { return nil }) })
	}
	var open []string
	list := func(db *gorm.DB) error { return db.Raw(listTransactions).Scan(&open).Error }
	if err := s.Conn().Query(ctx, op, list); err != nil {
		return err
	}
	running := slices.Clone(open)
	until := time.Now().Add(max(quietMost, LongestTransaction()))
	for pause := 5 * time.Millisecond; len(running) > 0 && time.Now().Before(until); pause = min(2*pause, quietPoll) {
		if err := Pause(ctx, pause); err != nil {
			return err
		}
		if err := s.Conn().Query(ctx, op, list); err != nil {
			return err
		}
		running = slices.DeleteFunc(running, func(id string) bool { return !slices.Contains(open, id) })
	}
	return nil
}

const listTransactions = `SELECT l.virtualtransaction FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
	WHERE l.locktype = 'virtualxid' AND l.granted AND l.pid <> pg_backend_pid() AND a.usesysid IS NOT NULL
		AND a.datid = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND COALESCE(a.application_name, '') NOT IN ('pg_dump', 'pg_basebackup')`
