package privacy

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/audit"
	"fichario/ports"
)

func (r auditLines) Page(ctx context.Context, orgID string, q ports.AuditQuery) ([]audit.Line, error) {
	return engine.FindAll(ctx, r.QueryList, "audit.page", engine.With(r.vault, lineOf), auditPage(orgID, q)...)
}

// auditPage walks the lines by number. Times follow the numbers, so the bounds of a period become numbers and the walk
// never leaves it.
func auditPage(orgID string, q ports.AuditQuery) []engine.Scope {
	scopes := []engine.Scope{engine.Where("org_id = ?", orgID)}
	if q.Actor != "" {
		scopes = append(scopes, engine.Where("actor = ?", string(q.Actor)))
	}
	if q.Action != "" {
		scopes = append(scopes, engine.Where("action = ?", string(q.Action)))
	}
	if !q.Since.IsZero() {
		scopes = append(scopes, engine.Where(`number >= (SELECT COALESCE((SELECT number FROM audit_lines
			WHERE org_id = ? AND at >= ? ORDER BY at, number LIMIT 1), 9223372036854775807))`, orgID, engine.Stamp(q.Since)))
	}
	if !q.Until.IsZero() {
		scopes = append(scopes, engine.Where(`number <= (SELECT COALESCE((SELECT number FROM audit_lines
			WHERE org_id = ? AND at < ? ORDER BY at DESC, number DESC LIMIT 1), 0))`, orgID, engine.Stamp(q.Until)))
	}
	by := "number DESC"
	switch {
	case q.Ascending:
		by = "number"
		scopes = append(scopes, engine.Where("number > ?", q.After))
	case q.After > 0:
		scopes = append(scopes, engine.Where("number < ?", q.After))
	}
	return append(scopes, engine.Order(by), func(db *gorm.DB) *gorm.DB { return db.Limit(q.Limit) })
}

func (r auditLines) Find(ctx context.Context, orgID, id string) (audit.Line, error) {
	return engine.FindOne(ctx, r.Query, "audit.find", engine.With(r.vault, lineOf), engine.ByID(id),
		engine.Where("org_id = ?", orgID))
}

func (r auditLines) Blank(
	ctx context.Context, orgID, erasure string, of ports.AuditTraces, limit int,
) (numbers []int64, err error) {
	err = r.Inside(ctx, "audit.blank", func(db *gorm.DB) error {
		numbers = nil
		blank := func(about string, values ...any) error {
			found := db.Model(&lineRow{}).Select("id").Where("org_id = ? AND id <> ? AND detail IS NOT NULL", orgID, erasure).
				Where("action <> ?", string(audit.SubjectErased)).Where(about, values...)
			var rows []lineRow
			done := engine.Routed(orgID)(db.Model(&rows)).
				Clauses(clause.Returning{Columns: []clause.Column{{Name: "number"}}}).
				Where("id IN (?)", found.Limit(limit-len(numbers))).
				Updates(map[string]any{"detail": nil, "subject": nil, "erased_by": erasure})
			for _, row := range rows {
				numbers = append(numbers, row.Number)
			}
			return done.Error
		}
		if len(of.Objects) > 0 {
			if err := blank("object IN ?", of.Objects); err != nil {
				return err
			}
		}
		for some := range slices.Chunk(blobs(of.Subjects), HashesAtOnce) {
			if len(numbers) == limit {
				break
			}
			if err := blank("subject IN ? AND action IN ?", some, audit.AboutPersons); err != nil {
				return err
			}
		}
		return nil
	})
	return numbers, err
}

// HashesAtOnce is how many hashes of a person one statement has: a person has as many addresses as came with a phone
// and a name, perhaps of a machine that tries a form, and statements have a most of parameters.
const HashesAtOnce = 1000

func blobs(all [][]byte) []engine.Blob {
	return engine.Mapped(all, func(b []byte) engine.Blob { return b })
}

// old finds the chains whose first line is older than a time.
const old = `SELECT h.id FROM audit_heads h JOIN audit_lines l ON l.org_id = h.id AND l.number = h.removed_number + 1
	WHERE l.at < ? ORDER BY h.id`

func (r auditLines) Forget(ctx context.Context, before time.Time) (n int, err error) {
	var chains []string
	err = r.Query(ctx, "audit.forget", func(db *gorm.DB) error {
		return db.Raw(old,
			engine.Stamp(before)).Scan(&chains).Error
	})
	for _, orgID := range chains {
		if err != nil || n >= engine.ForgetAtOnce { // a chain that does not hold gives none
			break
		}
		var some int
		err = r.Whole(ctx, "audit.forget", func(db *gorm.DB) (err error) {
			some, err = r.forgetIn(db, orgID, before)
			return err
		})
		n += some
	}
	return n, err
}

// forgetIn removes the lines of one chain that are older than a time, as far as each follows from the one before.
func (r auditLines) forgetIn(db *gorm.DB, orgID string, before time.Time) (n int, err error) {
	head, proven, err := lockedHead(r.vault, db, orgID)
	if err != nil || !proven {
		return 0, err
	}
	var rows []lineRow
	err = db.Where("org_id = ? AND number > ? AND number <= ?", orgID, head.RemovedNumber, head.Number).Order("number").
		Limit(engine.ForgetAtOnce).Find(&rows).Error
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		l := lineOf(r.vault, row)
		if l.Number != head.RemovedNumber+1 || l.After(head.RemovedHash) != l.Hash || !l.At.Before(before) {
			break
		}
		head.RemovedNumber, head.RemovedHash = l.Number, l.Hash
		n++
	}
	if n == 0 {
		return 0, nil
	}
	gone := db.Delete(&lineRow{}, "org_id = ? AND number <= ?", orgID, head.RemovedNumber)
	if gone.Error != nil {
		return 0, gone.Error
	}
	return n, saveHead(r.vault, db, head, proven)
}
