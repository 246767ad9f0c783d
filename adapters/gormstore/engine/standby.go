package engine

import (
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"fichario/domain/fault"
	"fichario/ports"
)

// standby counts commits that waited in vain for a synchronous standby. When such a wait is cancelled or times out,
// PostgreSQL warns that the commit holds on this server alone, and then confirms it like any other, although a failover
// would lose it. It is nil on SQLite, and inside transactions.
type standby struct{ missed atomic.Int64 }

// heard handles a notice from the server.
func (s *standby) heard(_ *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" { // not the message, which is in the server's language
		s.missed.Add(1)
	}
}

// Holds runs a commit, and reports its outcome as unknown where any commit, possibly its own, missed the standby
// meanwhile.
func (s *standby) Holds(f func() error) error {
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
