package engine

import (
	"database/sql/driver"
	"errors"
	"strings"
	"testing"

	"modernc.org/sqlite"
)

// TestWhatKeptStatementsTake: statements of lists, each of another length, take no more memory than the few megabytes
// that all the others do.
func TestWhatKeptStatementsTake(t *testing.T) {
	t.Parallel()
	conn, err := Kept{&sqlite.Driver{}}.Open("file:/kept-statements?vfs=memdb")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	c := conn.(*keptConn)
	_, err = c.ExecContext(t.Context(), "CREATE TABLE t (a integer, b text, c text, d text, e text)", nil)
	for rows := 1; rows <= 500; rows += 2 {
		values := strings.Repeat(", (1, ?1, ?1, ?1, ?1)", rows)
		_, one := c.ExecContext(t.Context(), "INSERT INTO t VALUES "+values[2:], []driver.NamedValue{{Ordinal: 1, Value: "x"}})
		err = errors.Join(err, one)
	}
	status := c.LiteConn.(interface {
		Status(op sqlite.DBStatusOp, reset bool) (int, int, error)
	})
	taken, _, one := status.Status(sqlite.DBStatusStmtUsed, false)
	if err := errors.Join(err, one); err != nil || len(c.known) == 0 || taken > 4<<20 {
		t.Errorf("%d statements take %d bytes, %v", len(c.known), taken, err)
	}
}
