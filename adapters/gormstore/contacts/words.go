package contacts

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
)

// contactIndexRow says up to which contact the search index has been written. Later ones are scanned.
type contactIndexRow struct {
	ID   int64      `gorm:"primaryKey;autoIncrement:false"`
	UpTo engine.UID `gorm:"not null"`
}

func (contactIndexRow) TableName() string { return "contact_index" }

const (
	// indexAtOnce is how many contacts one transaction writes to the index; SQLite has one transaction at a time.
	indexAtOnce = 250
	// indexRest is the pause after each transaction, in multiples of its duration, so that posts hardly notice.
	indexRest = 12
	// indexAfter is how long contacts are scanned before they are indexed: until all with a smaller id have arrived, from
	// instances whose clocks are behind the database's by less than that.
	indexAfter = 2 * time.Minute
)

// IndexContacts writes contacts to the search index until it has all that are older than two minutes, at a pace that
// leaves room for posts. Until then the search scans them. It is for one caller at a time.
func (s *Index) IndexContacts(ctx context.Context) error {
	if !s.trigrams.Load() {
		return nil
	}
	now, err := engine.Clock{Conn: s.Conn()}.Now(ctx, time.Now())
	if err != nil {
		return err
	}
	if err := s.indexAll(ctx, "", engine.FirstID(now.Add(-indexAfter))); err != nil ||
		now.Sub(s.indexedAgain) < engine.IndexAgain {
		return err
	}
	s.indexedAgain = now
	return s.indexAll(ctx, engine.IDsSince(now.Add(-24*time.Hour)), engine.FirstID(now.Add(-indexAfter)))
}

// indexAll repeats indexSome until nothing is left.
func (s *Index) indexAll(ctx context.Context, after, until string) error {
	for {
		began := time.Now()
		last, more, err := s.indexSome(ctx, after, until)
		if err != nil || !more {
			return engine.Named("store.indexContacts", engine.Classify(err))
		}
		if after != "" {
			after = last
		}
		if err := engine.Pause(ctx, indexRest*time.Since(began)); err != nil {
			return err
		}
	}
}

// indexSome indexes the next contacts with ids between two, both exclusive, and returns the last one and whether there
// may be more. Without after it continues where the index ends.
func (s *Index) indexSome(ctx context.Context, after, until string) (last string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, engine.Timeout())
	defer cancel()
	err = s.Writer.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var at []contactIndexRow
		// Where another instance is at work, skip instead of waiting.
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
		next := Inside(tx).Where("id > ? AND id < ?", from, until).Order("id").Limit(indexAtOnce)
		if err := next.Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
			return err
		}
		var there []string
		if err := tx.Table("contact_words").Where("contact_id IN ?", ids).Pluck("contact_id", &there).Error; err != nil {
			return err
		}
		last, more = ids[len(ids)-1], len(ids) == indexAtOnce
		missing := slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(there, id) })
		if err := s.indexApart(tx, missing); err != nil || after != "" {
			return err
		}
		return tx.Model(&at[0]).Update("up_to", last).Error
	})
	return last, more, err
}

// indexApart is index for contacts of any organisation.
func (s *Index) indexApart(tx *gorm.DB, ids []string) error {
	if !s.Distributed.Load() || len(ids) == 0 {
		return index(tx, "", ids)
	}
	var rows []ContactRow
	if err := tx.Select("id", "org_id").Find(&rows, "id IN ?", ids).Error; err != nil {
		return err
	}
	of := map[engine.UID][]string{}
	for _, row := range rows {
		of[row.OrgID] = append(of[row.OrgID], string(row.ID))
	}
	for org, some := range of {
		if err := index(tx, string(org), some); err != nil {
			return err
		}
	}
	return nil
}

// index writes contacts of an organisation, or of any where it is empty, that are missing from the index.
func index(tx *gorm.DB, orgID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if tx.Name() == "postgres" {
		// A contact being removed is waited for; one being changed writes its words itself.
		which, values := "id IN ?", []any{ids}
		if orgID != "" {
			which, values = which+" AND org_id = ?", append(values, orgID)
		}
		return tx.Exec("INSERT INTO contact_words (contact_id, org_id, words) SELECT id, org_id, COALESCE(search, '') "+
			"FROM contacts WHERE "+which+" FOR KEY SHARE ON CONFLICT DO NOTHING", values...).Error
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

// placeOf is a contact's rowid in SQLite's index: the beginning of its id, which is the time and the order within it.
// Where that rowid is taken, the contact has one of the next.
func placeOf(id string) int64 {
	n, err := strconv.ParseUint(strings.ReplaceAll(id, "-", "")[:16], 16, 64)
	if err != nil {
		return 0
	}
	return int64(n >> 1)
}

// displace gives contacts without a place the next free one.
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
