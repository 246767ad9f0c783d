package gormstore

import (
	"reflect"

	"github.com/jackc/pgx/v5"
)

// many writes many rows of one table.
type many struct {
	arrays
	statement string
}

func manyOf(t table) many {
	s := sent{t, "", nil}
	a := arraysOf(1, s)
	return many{a, s.insert("unnest(" + a.parameters + ") AS a (" + a.names + ")")}
}

func (m many) then(clause string) many {
	m.statement += clause
	return m
}

// queueRows queues the insertion of rows; nil if there are none.
func queueRows[Row any](batch *pgx.Batch, m many, rows []Row) *pgx.QueuedQuery {
	if len(rows) == 0 {
		return nil
	}
	values := make([]reflect.Value, len(rows))
	for i := range rows {
		values[i] = reflect.ValueOf(&rows[i]).Elem()
	}
	return batch.Queue(m.statement, m.values(values)...)
}
