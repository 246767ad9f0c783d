package gormstore

import (
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"fichario/domain/fault"
	"fichario/ports"
)

// standby knows of commits that waited in vain for a synchronous standby. When somebody breaks such a wait off, or a
// time limit does, PostgreSQL warns that the commit holds on this server alone, and then confirms it like any other: a
// failover would lose it. On SQLite, and inside transactions, it is nil.
type standby struct{ missed atomic.Int64 }

// heard takes a notice of the server.
func (s *standby) heard(_ *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" { // the message is in the server's language
		s.missed.Add(1)
	}
}

// holds runs what commits, and says that its outcome is not known where a commit missed the standby meanwhile, maybe
// its own.
func (s *standby) holds(f func() error) error {
	if s == nil {
		return f()
	}
	before := s.missed.Load()
	err := f()
	if err == nil && s.missed.Load() != before {
		return errMissed
	}
	return err
}

var errMissed = fault.New(fault.ServiceUnavailable,
	"O banco de dados não confirmou a gravação. Tente de novo em instantes.").After(2 * time.Second).Because(ports.ErrUncertain)
