package privacy

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/audit"
	"fichario/domain/privacy"
)

// SealAudit brings the audits of an earlier version to this one's rules, once: heads to which no line was ever appended
// had no seal, and erasures that are done had no last line. It takes both as they are now.
func SealAudit(ctx context.Context, e *engine.Engine, tx *sql.Tx) error {
	db := e.Writer.Session(&gorm.Session{NewDB: true, Context: ctx})
	db.Statement.ConnPool = tx
	one := func() *gorm.DB { return db.Session(&gorm.Session{NewDB: true}) }
	var heads []auditHeadRow
	err := one().Where("sealed IS NULL AND number = 0 AND removed_number = 0").
		Where("NOT EXISTS (SELECT 1 FROM audit_lines WHERE org_id = audit_heads.id)").Find(&heads).Error
	if err != nil {
		return err
	}
	var lines []audit.Line
	now := time.Now()
	line := func(orgID string, action audit.Action, object string, detail audit.Detail) {
		lines = append(lines, audit.Line{
			ID: lineID(now), OrgID: orgID, At: now, Actor: audit.Service, Door: audit.Own, Action: action, Object: object,
			Detail: detail,
		})
	}
	for _, head := range heads {
		first := HeadRowOf(e.Vault, FirstHead(string(head.ID)))
		if err := one().Model(&auditHeadRow{}).Where("id = ?", head.ID).Update("sealed", first.Sealed).Error; err != nil {
			return err
		}
		line(string(head.ID), audit.ChainSealed, string(head.ID), nil)
	}
	var done []struct{ ID, OrgID engine.UID }
	err = one().Raw("SELECT e.id, e.org_id FROM erasures e JOIN audit_lines l ON l.id = e.id WHERE e.state = " +
		engine.Literal(privacy.Done) + " ORDER BY e.id").Scan(&done).Error
	if err != nil {
		return err
	}
	for _, e := range done {
		var numbers []int64
		err := one().Model(&lineRow{}).Where("org_id = ? AND erased_by = ?", e.OrgID, e.ID).Order("number").
			Pluck("number", &numbers).Error
		if err != nil {
			return err
		}
		line(string(e.OrgID), audit.SubjectEmptied, string(e.ID), audit.EmptiedLines(numbers))
	}
	return AppendLines(e.Vault, one(), lines)
}

// lineID returns a UUIDv7.
func lineID(at time.Time) string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the program instead
	text := hex.EncodeToString(random[:])
	return engine.FirstID(at)[:15] + text[:3] + "-8" + text[3:6] + "-" + text[4:16]
}
