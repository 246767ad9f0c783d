package persons

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/privacy"
)

const (
	// traceAtOnce is how many rows one transaction adds to the index of people.
	traceAtOnce = 250
	// traceRest is the pause after each transaction, in multiples of its duration: a twentieth of the time goes to the
	// index.
	traceRest = 20
	// traceAfter is how old rows are when they are indexed; see indexAfter. A batch takes longer to write.
	traceAfter = 2 * time.Minute
)

// IndexSubjects writes the index that finds a person's lookups and batch items, at a pace that leaves room for lookups:
// requests never write it, it is filled beside them. It is for one caller at a time.
func (s *Index) IndexSubjects(ctx context.Context) error {
	now, err := engine.Clock{Conn: s.Conn()}.Now(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, kept := range traced() {
		if err := s.traceAll(ctx, kept, "", engine.FirstID(now.Add(-traceAfter)), traceRest); err != nil {
			return err
		}
	}
	if now.Sub(s.tracedAgain) < engine.IndexAgain {
		return nil
	}
	s.tracedAgain = now
	for _, kept := range traced() {
		err := s.traceAll(ctx, kept, engine.IDsSince(now.Add(-24*time.Hour)), engine.FirstID(now.Add(-traceAfter)),
			traceRest)
		if err != nil {
			return err
		}
	}
	return nil
}

// CatchUp brings the index of people up to date, and returns when it is: after an upgrade, about a minute for a million
// lookups.
func (s *Index) CatchUp(ctx context.Context) error {
	now, err := engine.Clock{Conn: s.Conn()}.Now(ctx, time.Now())
	if err != nil {
		return err
	}
	until := engine.FirstID(now.Add(-traceAfter))
	for _, kept := range traced() {
		if err := s.traceAll(ctx, kept, "", until, 1); err != nil {
			return err
		}
		var mark privacyrows.MarkRow
		err := s.Conn().Query(ctx, "store.catchUp", func(db *gorm.DB) error {
			return db.Take(&mark, "name = ?", kept.table).Error
		})
		if err == nil {
			// Rows by instances with other clocks, and of long transactions, may lie before the mark.
			err = s.traceAll(ctx, kept, min(string(mark.UpTo), engine.IDsSince(now.Add(-10*time.Minute))),
				engine.AfterAll, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Indexed reports whether the index is complete but for the last minutes.
func (s *Index) Indexed(ctx context.Context) (yes bool, err error) {
	yes = true
	for _, kept := range traced() {
		var mark privacyrows.MarkRow
		var left []string
		err := s.Conn().Query(ctx, "store.indexed", func(db *gorm.DB) error {
			if err := db.Take(&mark, "name = ?", kept.table).Error; err != nil {
				return err
			}
			return db.Session(&gorm.Session{NewDB: true}).Table(kept.table).
				Where("id > ? AND id < ?", mark.UpTo, engine.FirstID(time.Now().Add(-10*traceAfter))).
				Order("id").Limit(1).Pluck("id", &left).Error
		})
		if err != nil {
			return false, err
		}
		yes = yes && len(left) == 0
	}
	return yes, nil
}

// traceAll repeats traceSome until nothing is left. Without after it continues from the mark, and moves it.
func (s *Index) traceAll(ctx context.Context, kept keeper, after, until string, rest int) error {
	secret, err := s.SubjectSecret(ctx)
	if err != nil {
		return engine.Named("store.indexSubjects", engine.Classify(err))
	}
	for {
		began := time.Now()
		last, more, err := s.traceSome(ctx, secret, kept, after, until)
		if err != nil || !more {
			return engine.Named("store.indexSubjects", engine.Classify(err))
		}
		if after != "" {
			after = last
		}
		if err := engine.Pause(ctx, time.Duration(rest)*time.Since(began)); err != nil {
			return err
		}
	}
}

// traceSome indexes the people in the next rows, and returns the last row and whether there may be more.
func (s *Index) traceSome(
	ctx context.Context, secret []byte, kept keeper, after, until string,
) (last string, more bool, err error) {
	if after != "" {
		return s.traceAgain(ctx, secret, kept, after, until)
	}
	ctx, cancel := context.WithTimeout(ctx, engine.Timeout())
	defer cancel()
	err = s.Writer.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var mark privacyrows.MarkRow
		// Where another instance is at work, skip instead of waiting.
		held := engine.Locked("UPDATE", "SKIP LOCKED")(tx).Limit(1).Find(&mark, "name = ?", kept.table)
		if held.Error != nil || held.RowsAffected == 0 {
			return held.Error
		}
		ids, traces, err := s.traces(secret, kept, between(tx, string(mark.UpTo), until))
		if err != nil || len(ids) == 0 {
			return err
		}
		last, more = ids[len(ids)-1], len(ids) == traceAtOnce
		if err := addTraces(tx, traces); err != nil {
			return err
		}
		return tx.Model(&mark).Where("name = ?", kept.table).Update("up_to", last).Error
	})
	return last, more, err
}

// traceAgain is traceSome for rows that are indexed but for a few: nothing that is written waits while these are found.
func (s *Index) traceAgain(
	ctx context.Context, secret []byte, kept keeper, after, until string,
) (last string, more bool, err error) {
	within, cancel := context.WithTimeout(ctx, engine.Timeout())
	defer cancel()
	var lost []engine.UID
	err = s.Conn().Query(within, "store.untraced", func(db *gorm.DB) error {
		ids, traces, err := s.traces(secret, kept, between(db, after, until))
		if err != nil || len(ids) == 0 {
			return err
		}
		last, more = ids[len(ids)-1], len(ids) == traceAtOnce
		lost, err = untraced(db, kept, traces, after, last)
		return err
	})
	if err != nil || len(lost) == 0 {
		return last, more, err
	}
	began := time.Now()
	// They are read again: somebody in them may have been erased since.
	err = s.Writer.WithContext(within).Transaction(func(tx *gorm.DB) error {
		_, traces, err := s.traces(secret, kept, between(tx, after, until).Where("id IN ?", lost))
		if err != nil {
			return err
		}
		return addTraces(tx, traces)
	})
	if err != nil {
		return "", false, err
	}
	// With SQLite, whoever writes at once again is always the first.
	return last, more, engine.Pause(ctx, time.Since(began))
}

// between selects the next rows after one, in their order.
func between(db *gorm.DB, after, until string) *gorm.DB {
	return db.Session(&gorm.Session{NewDB: true}).Where("id > ? AND id < ?", after, until).Order("id").Limit(traceAtOnce)
}

// traces returns the ids of some rows, and what the index has of the people in them.
func (s *Index) traces(
	secret []byte, kept keeper, some *gorm.DB,
) (ids []string, traces []privacyrows.TraceRow, err error) {
	err = kept.names(s.Vault, some, func(id, orgID engine.UID, who []privacy.Identity) {
		ids = append(ids, string(id))
		for _, i := range who {
			traces = append(traces, privacyrows.TraceRow{
				Subject: engine.SubjectHash(secret, string(orgID), i), Kind: string(kept.kind), RowID: id,
			})
		}
	})
	return ids, traces, err
}

// untraced returns the rows, after one and up to another, of which the index lacks somebody.
func untraced(
	db *gorm.DB, kept keeper, traces []privacyrows.TraceRow, after, last string,
) (lost []engine.UID, err error) {
	for some := range slices.Chunk(traces, 1000) {
		var who [][]byte
		for _, t := range some {
			who = append(who, t.Subject)
		}
		var known []privacyrows.TraceRow
		err := db.Session(&gorm.Session{NewDB: true}).
			Find(&known, "subject IN ? AND kind = ? AND row_id > ? AND row_id <= ?", who, kept.kind, after, last).Error
		if err != nil {
			return nil, err
		}
		there := make(map[string]bool, len(known))
		for _, t := range known {
			there[string(t.Subject)+string(t.RowID)] = true
		}
		for _, t := range some {
			if n := len(lost); !there[string(t.Subject)+string(t.RowID)] && (n == 0 || lost[n-1] != t.RowID) {
				lost = append(lost, t.RowID)
			}
		}
	}
	return lost, nil
}

func addTraces(tx *gorm.DB, traces []privacyrows.TraceRow) error {
	if len(traces) == 0 {
		return nil
	}
	return tx.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&traces, 1000).Error
}
