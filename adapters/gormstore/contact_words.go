package gormstore

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// contactIndexRow says up to which contact the index of the search has been written. What came later is looked through.
type contactIndexRow struct {
	ID   int64 `gorm:"primaryKey;autoIncrement:false"`
	UpTo uid   `gorm:"not null"`
}

func (contactIndexRow) TableName() string { return "contact_index" }

const (
	// indexAtOnce is how many contacts are written to the index in one transaction, of which SQLite has one at a time.
	indexAtOnce = 250
	// indexRest is for how many times as long as that took nothing is written, so that posts hardly notice.
	indexRest = 12
	// indexAfter is how long contacts are looked through before they are written to the index: until all that have a
	// smaller id are there, on instances whose clocks differ by less.
	indexAfter = time.Minute
	// indexAgain is how often those of the last day are gone through again, for those that came later than that.
	indexAgain = time.Hour
)

// IndexContacts writes contacts to the index of the search until it has all that came before the last minute, at a pace
// that leaves posts theirs. The search finds those that it does not have by looking at each. It is for one caller.
func (s *Store) IndexContacts(ctx context.Context) error {
	if !s.trigrams.Load() {
		return nil
	}
	now := time.Now()
	if err := s.indexAll(ctx, "", firstID(now.Add(-indexAfter))); err != nil || now.Sub(s.indexedAgain) < indexAgain {
		return err
	}
	s.indexedAgain = now
	return s.indexAll(ctx, idsSince(now.Add(-24*time.Hour)), firstID(now.Add(-indexAfter)))
}

// indexAll is indexSome until there are no more.
func (s *Store) indexAll(ctx context.Context, after, until string) error {
	for {
		began := time.Now()
		last, more, err := s.indexSome(ctx, after, until)
		if err != nil || !more {
			return named("store.indexContacts", classify(err))
		}
		if after != "" {
			after = last
		}
		select {
		case <-time.After(indexRest * time.Since(began)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// indexSome writes the next contacts with ids between two, both exclusive, and returns the last one and whether there
// may be more. Without after they are those that follow in the index.
func (s *Store) indexSome(ctx context.Context, after, until string) (last string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, opTimeout)
	defer cancel()
	err = s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var at []contactIndexRow
		// Where another instance is at it, it is not waited for.
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Find(&at).Error; err != nil {
			return err
		}
		if len(at) == 0 {
			return nil
		}
		var ids []string
		from := after
		if after == "" {
			from = string(at[0].UpTo)
		}
		next := inside(tx).Where("id > ? AND id < ?", from, until).Order("id").Limit(indexAtOnce)
		if err := next.Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
			return err
		}
		var there []string
		if err := tx.Table("contact_words").Where("contact_id IN ?", ids).Pluck("contact_id", &there).Error; err != nil {
			return err
		}
		last, more = ids[len(ids)-1], len(ids) == indexAtOnce
		missing := slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(there, id) })
		if err := index(tx, missing); err != nil || after != "" {
			return err
		}
		return tx.Model(&at[0]).Update("up_to", last).Error
	})
	return last, more, err
}

// index writes contacts that the index does not have.
func index(tx *gorm.DB, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if tx.Name() == "postgres" {
		// A contact that is being removed is waited for; one that is being changed brings its words itself.
		return tx.Exec(`INSERT INTO contact_words (contact_id, org_id, words)
			SELECT id, org_id, COALESCE(search, '') FROM contacts WHERE id IN ? FOR KEY SHARE
			ON CONFLICT DO NOTHING`, ids).Error
	}
	places := make([]any, 0, 2*len(ids))
	for _, id := range ids {
		places = append(places, placeOf(id), id)
	}
	marks := strings.TrimSuffix(strings.Repeat("(?, ?), ", len(ids)), ", ")
	put := tx.Exec("INSERT OR IGNORE INTO contact_words (place, contact_id) VALUES "+marks, places...)
	if put.Error != nil {
		return put.Error
	}
	if int(put.RowsAffected) < len(ids) {
		if err := displace(tx, ids); err != nil {
			return err
		}
	}
	return tx.Exec(`INSERT INTO contact_trigrams (rowid, words) SELECT t.place, t.words
		FROM contact_words w JOIN contact_texts t ON t.place = w.place WHERE w.contact_id IN ?`, ids).Error
}

// placeOf is the place of a contact in the index on SQLite: the beginning of its id, which is its time and the order
// within that. One whose place is taken has one of those that follow.
func placeOf(id string) int64 {
	n, err := strconv.ParseUint(strings.ReplaceAll(id, "-", "")[:16], 16, 64)
	if err != nil {
		return 0
	}
	return int64(n >> 1)
}

// displace gives the contacts that have no place yet one of the next.
func displace(tx *gorm.DB, ids []string) error {
	for _, id := range ids {
		place, there := placeOf(id), int64(0)
		for ; there == 0; place++ {
			put := tx.Exec(`INSERT OR IGNORE INTO contact_words (place, contact_id) VALUES (?, ?)`, place, id)
			if put.Error != nil {
				return put.Error
			}
			if err := tx.Table("contact_words").Where("contact_id = ?", id).Count(&there).Error; err != nil {
				return err
			}
		}
	}
	return nil
}
