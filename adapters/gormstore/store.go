// Package gormstore keeps all data in SQLite (the embedded default) or PostgreSQL, through GORM, with the same
// behaviour on both.
package gormstore

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/batches"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/intake"
	"fichario/adapters/gormstore/lookups"
	"fichario/adapters/gormstore/privacy"
	"fichario/adapters/gormstore/privacy/persons"
	"fichario/adapters/gormstore/team"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/ports"
)

// Store is the database: the engine, and the rooms that keep their rows in it.
type Store struct {
	*engine.Engine
	*contactIndex
	*personIndex
	rooms []engine.Room
}

type (
	contactIndex = contacts.Index
	personIndex  = persons.Index
)

var _ ports.Store = (*Store)(nil)

// Open connects to a database: sqlite://PATH, postgres://…, or sqlite://:memory: for an empty one that ends with the
// store. The first data key encrypts, all of them decrypt; each has DataKeySize bytes. It does not wait for PostgreSQL:
// until that is up, operations fail with fault.ServiceUnavailable.
func Open(databaseURL string, dataKeys [][]byte, options ...engine.Option) (*Store, error) {
	e, err := engine.Open(databaseURL, dataKeys, options...)
	if err != nil {
		return nil, err
	}
	s := &Store{Engine: e}
	var ofContacts, ofPersons engine.Room
	s.contactIndex, ofContacts = contacts.New(e)
	s.personIndex, ofPersons = persons.New(e)
	s.rooms = []engine.Room{
		lookups.New(e), batches.New(e), intake.New(e), ofContacts, automations.New(e), team.New(e), privacy.New(e), ofPersons,
	}
	for _, r := range s.rooms {
		e.Prepare = append(e.Prepare, r.Statements...)
	}
	return s, nil
}

// Close waits for entries being written and closes the database.
func (s *Store) Close() error {
	for _, r := range s.rooms {
		if r.Close != nil {
			r.Close()
		}
	}
	return s.Engine.Close()
}

// Repos gives repositories outside a transaction. They are made once: a lookup asks for them six times.
func (s *Store) Repos() ports.Repos {
	if made := s.Outside.Load(); made != nil {
		return *made
	}
	made := s.repos(s.Conn())
	s.Outside.Store(&made)
	return made
}

// inside is the key of the context that the function of InTx gets, by which a nested call on a store from outside is
// noticed. Its transaction would wait for the outer one on SQLite, and on PostgreSQL outlive its rollback.
type inside struct{}

// InTx runs f in one transaction; see ports.Store.
func (s *Store) InTx(ctx context.Context, f ports.Tx) (err error) {
	if ctx.Value(inside{}) != nil {
		return engine.Named("store.inTx", ports.ErrInsideTx)
	}
	within := context.WithValue(ctx, inside{}, true)
	ctx, span := engine.Spanned(ctx, "store.inTx")
	defer func() { ports.EndSpan(span, err) }()
	for try := 1; ; try++ {
		err := s.inTx(ctx, func(r ports.Repos) error { return f(within, r) })
		if engine.Collided(err) && engine.TryAgain(ctx, s.Writer, try) {
			continue
		}
		return err
	}
}

func (s *Store) inTx(ctx context.Context, f func(ports.Repos) error) error {
	ctx, cancel := context.WithTimeout(ctx, engine.Timeout())
	defer cancel()
	var own error // the error of f, returned unchanged
	var queued []automation.JobKind
	c := s.Conn()
	err := c.Standby.Holds(func() error {
		return c.Of(ctx).Write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			var lines []audit.Line
			queued = nil
			inside := engine.Conn{Reader: tx, Writer: tx, Edges: &s.Edges, Tx: true, Lines: &lines, Queued: &queued}
			if own = f(s.repos(inside)); own != nil {
				return own
			}
			return privacy.AppendLines(s.Vault, tx, lines)
		}, &sql.TxOptions{})
	})
	if own != nil {
		return own
	}
	s.Announce(queued...) // if the commit is uncertain, they may be due
	return engine.Named("store.inTx", engine.Told(ctx, err))
}

func (s *Store) repos(c engine.Conn) ports.Repos {
	out := ports.Repos{Clock: engine.Clock{Conn: c}, Names: names{c}}
	for _, r := range s.rooms {
		r.Repos(&out, c)
	}
	return out
}

// FoldFigures sums what was counted in past hours and days of a calendar; see engine.Engine.Fold. It is a chore that
// may run on any number of instances at once.
func (s *Store) FoldFigures(ctx context.Context, days access.Calendar) error {
	return s.Fold(ctx, s.tallies(), days)
}

func (s *Store) tallies() (out []engine.Tally) {
	for _, r := range s.rooms {
		out = append(out, r.Tallies...)
	}
	return out
}

// tables are the rows of all tables, except those of the search index, which differ per database.
func (s *Store) tables() []schema.Tabler {
	out := s.Rows()
	for _, r := range s.rooms {
		out = append(out, r.Rows...)
	}
	return out
}

// sealed are the columns that the vault encrypts.
func (s *Store) sealed() []engine.Sealed { return engine.SealedIn(s.tables()) }
