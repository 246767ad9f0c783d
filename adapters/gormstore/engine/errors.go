package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"modernc.org/sqlite"

	"fichario/domain/fault"
	"fichario/ports"
)

// uniqueViolation is PostgreSQL's code. GORM translates it, like SQLite's, where it runs the statement itself.
const uniqueViolation = "23505"

// dataException is PostgreSQL's class of invalid values.
const dataException = "22"

// InsufficientPrivilege is PostgreSQL's code for a right that the role lacks.
const InsufficientPrivilege = "42501"

// SQLite's primary result codes that mean "not now" rather than "wrong".
const (
	sqliteBusy     = 5
	sqliteLocked   = 6
	sqliteReadOnly = 8
	sqliteStopped  = 9 // interrupted at the end of a context
	sqliteIOErr    = 10
	sqliteFull     = 13
	sqliteCantOp   = 14
)

// Classify maps database errors to the port's. A database that is unreachable, full or too slow is a
// fault.ServiceUnavailable; other errors pass unchanged.
func Classify(err error) error {
	var (
		known *fault.Error
		pg    *pgconn.PgError
	)
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, gorm.ErrRecordNotFound), errors.Is(err, sql.ErrNoRows):
		return ports.ErrNotFound
	case errors.Is(sqliteDialect{}.Translate(err), gorm.ErrDuplicatedKey),
		errors.As(err, &pg) && (pg.Code == uniqueViolation || repeated(pg)):
		return ports.ErrExists
	case errors.Is(err, context.Canceled):
		return err
	case Away(err):
		return fault.New(fault.ServiceUnavailable,
			"O serviço está temporariamente sem acesso aos dados. Tente de novo em instantes.").
			After(2 * time.Second).Because(err)
	}
	return err
}

// repeated reports a unique violation that Citus repeats from a node as an error of its own.
func repeated(pg *pgconn.PgError) bool {
	return pg.Code == "XX000" && strings.HasPrefix(pg.Message, "duplicate key value violates unique constraint")
}

// Told is classify for errors that the end of ctx may have caused: drivers word that in many ways, and a caller who is
// gone is no fault of the database.
func Told(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.Canceled) && Away(err) {
		return fmt.Errorf("%w: %w", context.Canceled, err)
	}
	return Classify(err)
}

// opError names the operation that failed, so that the log shows where a foreign error comes from. It holds no value.
type opError struct {
	op  string
	err error
}

func (e *opError) Error() string { return e.op + ": " + withoutValues(e.err) }
func (e *opError) Unwrap() error { return e.err }

// withoutValues is an error's text without user data: PostgreSQL repeats, behind a colon or a quote, data that it
// cannot read, and its driver data that it cannot write.
func withoutValues(err error) string {
	var pg *pgconn.PgError
	switch text := err.Error(); {
	case errors.As(err, &pg) && strings.HasPrefix(pg.Code, dataException):
		says, _, _ := strings.Cut(strings.ReplaceAll(pg.Message, `"`, ":"), ":")
		return fmt.Sprintf("%s: %s (SQLSTATE %s)", pg.Severity, strings.TrimSpace(says), pg.Code)
	case strings.Contains(text, "encode args["):
		before, after, _ := strings.Cut(text, "encode args[")
		n, _, _ := strings.Cut(after, "]")
		return before + "encode args[" + n + "]"
	default:
		return text
	}
}

// Named prefixes an error with the operation, unless it names one already.
func Named(op string, err error) error {
	var known *opError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &opError{op, err}
}

// Away reports whether an error says that the database cannot be reached.
func Away(err error) bool {
	var (
		pg      *pgconn.PgError
		connect *pgconn.ConnectError
		network net.Error
		lite    *sqlite.Error
	)
	switch {
	case errors.As(err, &connect): // whatever the reason: a server may refuse a password while it starts
		return true
	case errors.As(err, &pg):
		// Connection, resources, operator intervention, lock not available, a read-only server, and a serialization failure
		// or deadlock that outlived its retries.
		for _, class := range []string{"08", "53", "57", "58", "55P03", "25006", "40"} {
			if strings.HasPrefix(pg.Code, class) {
				return true
			}
		}
		return false
	case errors.As(err, &lite):
		switch lite.Code() & 0xff {
		case sqliteBusy, sqliteLocked, sqliteReadOnly, sqliteStopped, sqliteIOErr, sqliteFull, sqliteCantOp:
			return true
		}
		return false
	}
	return errors.As(err, &network) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, sql.ErrTxDone) || strings.Contains(err.Error(), "conn closed")
}

// Severed reports whether an error says that a connection to PostgreSQL was lost while it was used.
func Severed(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "57P")
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, driver.ErrBadConn)
}

// Reason says on one line why the database cannot be reached, in the words of the server, the resolver or the system.
// They name host, user and database, and no password.
func Reason(err error) string {
	var (
		connect *pgconn.ConnectError
		known   *fault.Error
		why     = err
	)
	if errors.As(err, &known) && errors.Unwrap(known) != nil {
		why = errors.Unwrap(known)
	}
	if errors.As(err, &connect) {
		why = connect
	}
	var lines []string // one for each address that was tried; most say the same
	for line := range strings.Lines(why.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}

// ErrRemoved is ErrNotFound of what a transaction has read, and another one has removed since: tried again, it reads
// that.
var ErrRemoved = fmt.Errorf("removed meanwhile: %w", ports.ErrNotFound)

// Collided reports whether a transaction lost against another one and may simply be retried.
func Collided(err error) bool {
	if errors.Is(err, ErrRemoved) {
		return true
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "40001" || pg.Code == "40P01"
	}
	var lite *sqlite.Error
	return errors.As(err, &lite) && (lite.Code()&0xff == sqliteBusy || lite.Code()&0xff == sqliteLocked)
}
