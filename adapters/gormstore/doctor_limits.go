package gormstore

import (
	"gorm.io/gorm"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/lookup"
)

// limitInvariants are the accounts above their limit: by the limit that is in force, and by what the account held when
// that was last changed, since it may have been lowered below it.
var limitInvariants = []engine.Invariant{
	{Name: "no batch is charged above its ceiling", Broken: `
		SELECT b.id FROM batches b JOIN key_usage u ON u.key_id = b.id{ and of b, u}
		AND u.bucket = '` + lookup.BatchBucket + `'
		WHERE u.amount > b.ceiling`},
	{Name: "no key is charged above its caps", Broken: `
		SELECT k.id FROM keys k JOIN key_usage u ON u.key_id = k.id
		LEFT JOIN limit_changes c ON c.key_id = u.key_id AND c.bucket = u.bucket{ and of c, u}
		WHERE u.count > COALESCE(c.count, 0)
		AND (u.bucket LIKE '____-__' AND u.count > k.per_month OR u.bucket LIKE '____-__-__' AND u.count > k.per_day)`},
	{Name: "no member is charged above the budget", Broken: `
		SELECT m.id FROM members m JOIN key_usage u ON u.key_id = m.id
		LEFT JOIN limit_changes c ON c.key_id = u.key_id AND c.bucket = u.bucket{ and of c, u}
		WHERE u.bucket LIKE '____-__' AND u.amount > m.budget AND u.amount > COALESCE(c.amount, 0)`},
}

// checkAutomations looks for automations above their ceiling, which is encrypted with the rest of their action.
func (s *Store) checkAutomations(tx *gorm.DB) (Finding, error) {
	out := Finding{Name: "no automation is charged above its ceiling"}
	var months []struct {
		ID     engine.UID
		Action []byte
		Amount int64
	}
	err := tx.Raw(`SELECT a.id, a.action, u.amount FROM automations a JOIN key_usage u ON u.key_id = a.id
		LEFT JOIN limit_changes c ON c.key_id = u.key_id AND c.bucket = u.bucket` +
		engine.OnCitus(tx, " AND c.org_id = u.org_id") + `
		WHERE u.amount > COALESCE(c.amount, 0)`).Scan(&months).Error
	for _, month := range months {
		rule := automations.AutomationOf(s.Vault, automations.AutomationRow{ID: month.ID, Action: month.Action})
		if rule.Action.Kind != automation.Lookup || month.Amount <= int64(rule.Action.Ceiling) {
			continue
		}
		if out.Violations++; len(out.IDs) < NamedMost {
			out.IDs = append(out.IDs, rule.ID)
		}
	}
	return out, err
}
