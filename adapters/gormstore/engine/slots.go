package engine

import (
	"fmt"
	"time"

	"fichario/ports"
)

// HourOf is the beginning of a time's hour in UTC, as the rollups store it.
func HourOf(at time.Time) time.Time { return Stamp(at).Truncate(time.Hour) }

// HourOfColumn is hourOf in a statement.
func HourOfColumn(dialect, column string) string {
	if dialect == "postgres" {
		return "date_trunc('hour', " + column + ", 'UTC')"
	}
	return "substr(" + column + ", 1, 13) || ':00:00+00:00'"
}

// CountOf counts the rows that have an outcome.
func CountOf[T ~string](column string, o T) string {
	return fmt.Sprintf("COUNT(CASE WHEN %s = %s THEN 1 END)", column, Literal(o))
}

// someSlots is how many slots concurrent transactions spread over, enough that they seldom collide. Their numbers are
// negative, apart from the slots of instances, where cached lookups and posts, which share a commit, wait for no other
// transaction.
const someSlots = 8

// SomeSlot draws one of the slots for transactions of their own.
func SomeSlot() int64 { return -1 - int64(ports.Spread(someSlots-1)) }
