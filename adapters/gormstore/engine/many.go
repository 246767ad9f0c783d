package engine

import (
	"reflect"

	"github.com/jackc/pgx/v5"
)

// many writes many rows of one table.
type many struct {
	arrays
	statement string
}

// ManyOf is the insertion of many rows of a table.
func ManyOf(t Table) many {
	s := Sent{t, "", nil}
	a := ArraysOf(1, s)
	return many{a, s.Insert("unnest(" + a.Parameters + ") AS a (" + a.Names + ")")}
}

func (m many) Then(clause string) many {
	m.statement += clause
	return m
}

// QueueRows queues the insertion of rows; nil if there are none.
func QueueRows[Row any](batch *pgx.Batch, m many, rows []Row) *pgx.QueuedQuery {
	if len(rows) == 0 {
		return nil
	}
	values := make([]reflect.Value, len(rows))
	for i := range rows {
		values[i] = reflect.ValueOf(&rows[i]).Elem()
	}
	return batch.Queue(m.statement, m.Values(values)...)
}
