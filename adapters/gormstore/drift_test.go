package gormstore

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// rows are all tables except those of the search index, which differ per database; new tables belong here too.
var rows = []any{
	&orgRow{}, &memberRow{}, &keyRow{}, &secretRow{}, &usageRow{}, &limitChangeRow{}, &lookupRequestRow{},
	&lookupRow{}, &lookupHourRow{}, &spendDayRow{},
	&memberDayRow{}, &recordRow{}, &leaseRow{}, &dataKeyRow{}, &funnelRow{}, &stageRow{}, &stageTotalRow{}, &originRow{},
	&webhookRow{},
	&tokenRow{}, &counterRow{}, &contactRow{}, &contactHourRow{}, &eventRow{}, &notificationRow{}, &markRow{},
	&deliveryRow{}, &deliveryContactRow{}, &deliveryHourRow{}, &receiptRow{}, &automationRow{}, &jobRow{}, &sessionRow{},
	&failureRow{}, &contactIndexRow{}, &batchRow{}, &batchItemRow{}, &paceRow{}, &removedRow{},
	&bulkRow{}, &bulkItemRow{},
	&rotationRow{}, &rotationMemberRow{}, &turnRow{}, &givenRow{}, &answeredRow{},
	&lineRow{}, &auditHeadRow{}, &ticketRow{}, &codesRow{}, &recoveryRow{}, &passkeyRow{},
	&subjectKeyRow{}, &traceRow{}, &privacyMarkRow{}, &blockRow{}, &erasureRow{},
	&identityRow{},
}

// TestRowsHaveNotDrifted asks GORM what it would change to make PostgreSQL's migrated schema fit the rows: nothing.
// SQLite, for which there is no GORM migrator here, must have the same columns.
func TestRowsHaveNotDrifted(t *testing.T) {
	t.Parallel()
	stores := each(t)
	for _, row := range rows {
		parsed := &gorm.Statement{DB: stores[0].write}
		if err := parsed.Parse(row); err != nil {
			t.Fatal(err)
		}
		var there []string
		err := stores[0].read.Raw("SELECT name FROM pragma_table_info(?)", parsed.Table).Scan(&there).Error
		slices.Sort(there)
		wanted := slices.Sorted(slices.Values(parsed.Schema.DBNames))
		if err != nil || !slices.Equal(there, wanted) {
			t.Errorf("%s on SQLite has %s, the row has %s (%v)", parsed.Table, there, wanted, err)
		}
	}
	log := &capture{}
	undo := errors.New("undo")
	err := stores[1].write.Session(&gorm.Session{Logger: log}).Transaction(func(tx *gorm.DB) error {
		if err := tx.AutoMigrate(rows...); err != nil {
			return err
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Fatal(err)
	}
	for _, change := range log.changes {
		t.Errorf("GORM would run %s", change)
	}
	if log.seen == 0 {
		t.Error("nothing was captured")
	}
}

type capture struct {
	mu      sync.Mutex
	changes []string
	seen    int
}

func (c *capture) LogMode(logger.LogLevel) logger.Interface      { return c }
func (c *capture) Info(context.Context, string, ...interface{})  {}
func (c *capture) Warn(context.Context, string, ...interface{})  {}
func (c *capture) Error(context.Context, string, ...interface{}) {}

var change = regexp.MustCompile(`(?i)^\s*(create|alter|drop)\b`)

func (c *capture) Trace(_ context.Context, _ time.Time, f func() (string, int64), _ error) {
	sql, _ := f()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen++
	if change.MatchString(sql) {
		c.changes = append(c.changes, sql)
	}
}
