package engine

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// Rest pauses after a step of background work for nine times its duration, so that concurrent writers hardly wait.
func Rest(ctx context.Context, begun time.Time) error {
	return Pause(ctx, 9*time.Since(begun))
}

// BeforeAll sorts before every other id.
const BeforeAll = "00000000-0000-0000-0000-000000000000"

// EndOfStep is the last id of the next rows that are read together, or nothing where they are the last. A walk counts
// all rows rather than the wanted ones, because the next wanted ones may be far away, in any partition.
func EndOfStep(db *gorm.DB, table, last string, rows int) (id string, err error) {
	find := fmt.Sprintf("SELECT id FROM %s WHERE id > ? ORDER BY id LIMIT 1 OFFSET %d", table, rows-1)
	err = db.Raw(find, last).Scan(&id).Error
	return id, err
}

// IndexAgain is how often an index that is written behind the rows goes through the last day again, for rows that
// arrived late.
const IndexAgain = time.Hour

// StepRows is how many rows a step reads together where each row is opened.
const StepRows = 25

// ForgetAtOnce is how many rows one removal takes: few, so that posts hardly wait for SQLite's single writer.
const ForgetAtOnce = 50

// AfterAll sorts after every other id.
const AfterAll = "ffffffff-ffff-ffff-ffff-ffffffffffff"
