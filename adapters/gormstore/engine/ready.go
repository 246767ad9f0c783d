package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"modernc.org/sqlite"

	"fichario/domain/fault"
)

// Ping reports whether the database answers.
func (s *Engine) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout())
	defer cancel()
	pool, err := s.Writer.DB()
	if err != nil {
		return err
	}
	var answer int
	return Named("store.ping", Classify(pool.QueryRowContext(ctx, "SELECT 1").Scan(&answer)))
}

// Ready reports whether the database answers and accepts writes; if not, the fault.ServiceUnavailable says which of the
// two fails.
func (s *Engine) Ready(ctx context.Context) error {
	if err := s.Ping(ctx); err != nil {
		return err
	}
	return Named("store.ready", s.probe.ask(ctx, s.tryWriting))
}

// probeEvery is how long a result is reused, so that frequent checks cause few writes.
const probeEvery = time.Second

// probe caches the answer to a costly question.
type probe struct {
	mu     sync.Mutex
	asked  time.Time
	answer error
}

func (p *probe) ask(ctx context.Context, question func(context.Context) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked.IsZero() || time.Since(p.asked) >= probeEvery {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout())
		defer cancel()
		p.answer = question(ctx)
		p.asked = time.Now()
	}
	return p.answer
}

// tryWriting writes to SQLite's log a page that changes nothing, and asks PostgreSQL whether it is read-only: there a
// full disk shows only where a table grows, as a write that fails.
func (s *Engine) tryWriting(ctx context.Context) error {
	db := s.Writer.WithContext(ctx)
	if s.IsPostgres() {
		var readOnly bool
		if err := db.Raw("SELECT current_setting('transaction_read_only')::boolean").Scan(&readOnly).Error; err != nil {
			return Classify(err)
		}
		if readOnly {
			return refuses("O banco de dados só aceita leitura: nada pode ser gravado.", errReadOnly)
		}
		return nil
	}
	err := db.Exec("PRAGMA user_version = 0").Error // nobody reads user_version
	switch {
	case err == nil, Collided(err), ctx.Err() != nil: // another process is writing
		return nil
	case full(err):
		return refuses("O banco de dados não tem espaço: nada pode ser gravado.", err)
	}
	return refuses("A gravação no banco de dados está falhando.", err)
}

var errReadOnly = errors.New("the database is read-only")

func refuses(message string, cause error) error {
	return fault.New(fault.ServiceUnavailable, message).After(connectTimeout()).Because(cause)
}

// full reports whether SQLite ran out of space.
func full(err error) bool {
	var lite *sqlite.Error
	return errors.As(err, &lite) && lite.Code()&0xff == sqliteFull
}
