package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/audit"
	"fichario/ports"
)

func (r auditLines) Page(ctx context.Context, orgID string, q ports.AuditQuery) ([]audit.Line, error) {
	return findAll(ctx, r.list, "audit.page", r.vault.line, auditPage(orgID, q)...)
}

// auditPage walks the lines by number. Times follow the numbers, so the bounds of a period become numbers and the walk
// never leaves it.
func auditPage(orgID string, q ports.AuditQuery) []scope {
	scopes := []scope{where("org_id = ?", orgID)}
	if q.Actor != "" {
		scopes = append(scopes, where("actor = ?", string(q.Actor)))
	}
	if q.Action != "" {
		scopes = append(scopes, where("action = ?", string(q.Action)))
	}
	if !q.Since.IsZero() {
		scopes = append(scopes, where(`number >= (SELECT COALESCE((SELECT number FROM audit_lines
			WHERE org_id = ? AND at >= ? ORDER BY at, number LIMIT 1), 9223372036854775807))`, orgID, stamp(q.Since)))
	}
	if !q.Until.IsZero() {
		scopes = append(scopes, where(`number <= (SELECT COALESCE((SELECT number FROM audit_lines
			WHERE org_id = ? AND at < ? ORDER BY at DESC, number DESC LIMIT 1), 0))`, orgID, stamp(q.Until)))
	}
	by := "number DESC"
	switch {
	case q.Ascending:
		by = "number"
		scopes = append(scopes, where("number > ?", q.After))
	case q.After > 0:
		scopes = append(scopes, where("number < ?", q.After))
	}
	return append(scopes, order(by), func(db *gorm.DB) *gorm.DB { return db.Limit(q.Limit) })
}

func (r auditLines) Find(ctx context.Context, orgID, id string) (audit.Line, error) {
	return findOne(ctx, r.query, "audit.find", r.vault.line, byID(id), where("org_id = ?", orgID))
}

func (r auditLines) Blank(
	ctx context.Context, orgID, erasure string, of ports.AuditTraces, limit int,
) (n int, err error) {
	err = r.inside(ctx, "audit.blank", func(db *gorm.DB) error {
		found := db.Model(&lineRow{}).Select("id").Where("org_id = ? AND id <> ? AND detail IS NOT NULL", orgID, erasure).
			Where("action <> ?", string(audit.SubjectErased))
		switch subjects := blobs(of.Subjects); {
		case len(subjects) > 0 && len(of.Objects) > 0:
			found = found.Where("subject IN ? OR object IN ?", subjects, of.Objects)
		case len(subjects) > 0:
			found = found.Where("subject IN ?", subjects)
		case len(of.Objects) > 0:
			found = found.Where("object IN ?", of.Objects)
		default:
			return nil
		}
		done := db.Model(&lineRow{}).Where("id IN (?)", found.Limit(limit)).
			Updates(map[string]any{"detail": nil, "subject": nil, "erased_by": erasure})
		n = int(done.RowsAffected)
		return done.Error
	})
	return n, err
}

func blobs(all [][]byte) []blob { return mapped(all, func(b []byte) blob { return b }) }

func (r auditLines) Forget(ctx context.Context, before time.Time) (n int, err error) {
	err = r.whole(ctx, "audit.forget", func(db *gorm.DB) error {
		var old lineRow
		err := db.Select("org_id").Where("at < ?", stamp(before)).Order("at").Limit(1).Find(&old).Error
		if err != nil || old.OrgID == "" {
			return err
		}
		head, proven, err := r.vault.lockedHead(db, string(old.OrgID))
		if err != nil {
			return err
		}
		var gone []lineRow
		err = db.Select("number", "hash").Where("org_id = ? AND at < ?", old.OrgID, stamp(before)).
			Order("number").Limit(forgetAtOnce).Find(&gone).Error
		if err != nil || len(gone) == 0 {
			return err
		}
		last := gone[len(gone)-1]
		head.RemovedNumber = last.Number
		copy(head.RemovedHash[:], last.Hash)
		removed := db.Delete(&lineRow{}, "org_id = ? AND number <= ?", old.OrgID, last.Number)
		if n = int(removed.RowsAffected); removed.Error != nil {
			return removed.Error
		}
		return r.vault.saveHead(db, head, proven)
	})
	return n, err
}
