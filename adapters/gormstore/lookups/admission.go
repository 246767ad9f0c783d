package lookups

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/batches"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/privacy"
	"fichario/adapters/gormstore/team"
	"fichario/domain/catalog"
	"fichario/ports"
)

// What admits a charge is read in the transaction that writes it, under a lock that every change of it takes: charges
// share the lock of their organisation, a change has it alone (HoldCharges). So a limit, a right or a purpose that was
// changed counts for every charge that commits after the change. SQLite has one writer, which is that lock.

// admission is what the store has, when calls are charged, of those who ask and of what they ask for.
type admission struct {
	keys        map[engine.UID]keyRow
	members     map[engine.UID]team.MemberRow
	batches     map[engine.UID]batchAdmits
	items       map[engine.UID]bool // in flight, by the lookup that they were handed out for
	automations map[engine.UID]automations.AutomationRow
	purposes    map[statedPurpose]privacy.PurposeRow
	blocked     map[string]bool // by subject
	// erased are the positions of calls that began before an erasure of their person has ended.
	erased map[int]bool
	// overtaken are the positions of calls whose idempotency key another request has by now.
	overtaken map[int]bool
}

// batchAdmits is what admits the items of a batch: its ceiling, and who pays.
type batchAdmits struct {
	id      engine.UID
	ceiling *int64
	payer   engine.UID
}

// statedPurpose is the code of a purpose, which an organisation has once.
type statedPurpose struct {
	org  engine.UID
	code string
}

func newAdmission() admission {
	return admission{
		keys: map[engine.UID]keyRow{}, members: map[engine.UID]team.MemberRow{}, batches: map[engine.UID]batchAdmits{},
		items:       map[engine.UID]bool{},
		automations: map[engine.UID]automations.AutomationRow{}, purposes: map[statedPurpose]privacy.PurposeRow{},
		blocked: map[string]bool{},
		erased:  map[int]bool{}, overtaken: map[int]bool{},
	}
}

// purposeOf is the purpose that must be in force when a call is charged; none for an item of a batch, whose purpose was
// chosen when the batch was made.
func purposeOf(b beginning) (p statedPurpose, states bool) {
	return statedPurpose{b.entry.OrgID, b.entry.Purpose}, b.entry.Purpose != "" && b.entry.BatchID == nil
}

// apply gives the call at a position the limits that are stored, and returns the error of one that may not be made
// whatever it costs: ports.ErrBlocked, ErrErased, ErrOvertaken, ErrEnded, ErrPurpose.
func (s admission) apply(v *engine.Vault, at int, b *beginning, now time.Time) error {
	switch {
	case s.blocked[string(b.subject)]:
		return ports.ErrBlocked
	case s.erased[at]:
		return ports.ErrErased
	case s.overtaken[at]:
		return ports.ErrOvertaken
	case !s.asks(v, b, now):
		return ports.ErrEnded
	case !s.mayState(*b):
		return ports.ErrPurpose
	}
	return nil
}

// mayState reports whether whoever makes a call may state its purpose.
func (s admission) mayState(b beginning) bool {
	purpose, states := purposeOf(b)
	if !states {
		return true
	}
	if row, known := s.purposes[purpose]; known && !row.Purpose().InForce() {
		return false
	}
	if row, known := s.keys[engine.OrNoID(b.entry.KeyID)]; known && !row.key().MayState(purpose.code) {
		return false
	}
	row, known := s.members[engine.OrNoID(b.entry.MemberID)]
	return !known || s.purposes[purpose].Purpose().For(row.Member().Role)
}

// asks gives a call the limits of whoever makes it, and reports whether they still may make any.
func (s admission) asks(v *engine.Vault, b *beginning, now time.Time) bool {
	if row, known := s.keys[engine.OrNoID(b.entry.KeyID)]; known {
		key := row.key()
		if b.Caps = key.Limits; !key.UsableAt(now) {
			return false
		}
	}
	if row, known := s.members[engine.OrNoID(b.entry.MemberID)]; known {
		member := row.Member()
		if b.Budget = member.Budget; !member.Active {
			return false
		}
	}
	if of, known := s.batches[engine.OrNoID(b.entry.BatchID)]; known {
		if of.ceiling != nil {
			b.Ceiling = catalog.Money(*of.ceiling)
		}
		if of.payer != engine.OrNoID(b.entry.KeyID) && of.payer != engine.OrNoID(b.entry.MemberID) {
			return false // the item was handed out before somebody else resumed the batch
		}
		if !s.items[b.entry.ID] {
			return false // the item's lease has expired, and it was handed out for another lookup
		}
	}
	if row, known := s.automations[engine.OrNoID(b.entry.AutomationID)]; known {
		rule := automations.AutomationOf(v, row)
		if b.Ceiling = rule.Action.Ceiling; !rule.Enabled || rule.Unreadable {
			return false
		}
	}
	return true
}

// limitChangeRow is what an account held when its limit was last changed. A limit may be lowered below it, and then the
// account stays above its limit without any charge having passed it.
type limitChangeRow struct {
	KeyID  engine.UID `gorm:"primaryKey"`
	Bucket string     `gorm:"primaryKey"`
	Count  int64      `gorm:"not null"`
	Amount int64      `gorm:"not null"`
	OrgID  *engine.UID
}

func (limitChangeRow) TableName() string { return "limit_changes" }

func (r usage) LimitChanged(ctx context.Context, orgID, accountID string) error {
	return r.Inside(ctx, "usage.limitChanged", func(db *gorm.DB) error {
		held := engine.Routed(orgID)(db.Model(&usageRow{})).Select("key_id, bucket, count, amount, org_id").
			Where("key_id = ?", engine.UID(accountID))
		return db.Exec("INSERT INTO limit_changes (key_id, bucket, count, amount, org_id) ?"+
			engine.OnKey(db, "limit_changes", "key_id, bucket")+"count = excluded.count, amount = excluded.amount", held).Error
	})
}

// The statements that read an admission; on SQLite for one call each.
const (
	askKey     = "SELECT " + keyAdmits + " FROM keys WHERE id = ?"
	askMember  = "SELECT " + memberAdmits + " FROM members WHERE id = ?"
	askRule    = "SELECT " + ruleAdmits + " FROM automations WHERE id = ?"
	askPurpose = "SELECT " + purposeAdmits + " FROM purposes WHERE org_id = ? AND code = ?"
	askBatch   = "SELECT " + batchColumns + " FROM batches WHERE id = ?"

	keyAdmits     = "id, per_day, per_month, expires_at, revoked_at, purposes"
	memberAdmits  = "id, role, active, budget"
	ruleAdmits    = "id, enabled, action"
	purposeAdmits = "org_id, code, roles, retired_at"
	batchColumns  = "id, ceiling, CAST(COALESCE(payer_key_id, payer_member_id, key_id, member_id) AS text)"

	shareCharges = "SELECT pg_advisory_xact_lock_shared(number) FROM unnest($1::bigint[]) AS a (number) ORDER BY number"
)

// These read the same for many calls on PostgreSQL.
var (
	askItem  = "SELECT 1 FROM batch_items WHERE org_id = ? AND lookup_id = ? AND " + batches.IsInFlight // on SQLite
	askItems = "SELECT lookup_id::text FROM batch_items WHERE org_id = ANY ($1::text[]::uuid[]) " +
		"AND lookup_id = ANY ($2::text[]::uuid[]) AND " + batches.IsInFlight

	askBlockeds = `SELECT b.subject FROM subject_blocks b JOIN unnest($1::text[], $2::bytea[]) AS a (org_id, subject)
		ON b.org_id = a.org_id::uuid AND b.subject = a.subject WHERE ` + engine.OfOrgs("b", 3)

	askKeys     = manyIDs(askKey)
	askMembers  = manyIDs(askMember)
	askRules    = manyIDs(askRule)
	askBatches  = manyIDs(askBatch) + " AND " + engine.OfOrgs("batches", 2)
	askPurposes = strings.NewReplacer("SELECT org_id", "SELECT org_id::text", "org_id = ? AND code = ?",
		"(org_id, code) IN (SELECT org_id::uuid, code FROM unnest($1::text[], $2::text[]) AS a (org_id, code))",
	).Replace(askPurpose)
)

func manyIDs(statement string) string {
	return strings.NewReplacer("SELECT id", "SELECT id::text", "id = ?",
		"id = ANY ($1::text[]::uuid[])").Replace(statement)
}

// What each statement reads a row into.
func keyFields(r *keyRow) []any {
	return []any{(*string)(&r.ID), &r.PerDay, &r.PerMonth, &r.ExpiresAt, &r.RevokedAt, &r.Purposes}
}
func memberFields(r *team.MemberRow) []any {
	return []any{(*string)(&r.ID), &r.Role, &r.Active, &r.Budget}
}
func ruleFields(r *automations.AutomationRow) []any {
	return []any{(*string)(&r.ID), &r.Enabled, &r.Action}
}
func batchFields(r *batchAdmits) []any {
	return []any{(*string)(&r.id), &r.ceiling, (*string)(&r.payer)}
}
func purposeFields(r *privacy.PurposeRow) []any {
	return []any{(*string)(&r.OrgID), &r.Code, &r.Roles, &r.RetiredAt}
}

// readAdmission reads on SQLite what a call needs and sum has not read yet.
func readAdmission(w *engine.SQLiteTx, s admission, at int, b beginning) {
	var blocked bool
	blocked, s.erased[at] = barred(w, b)
	if blocked {
		s.blocked[string(b.subject)] = true
	}
	s.overtaken[at] = b.request != nil && !w.Row(askRequest, []any{b.entry.KeyID, b.request, b.entry.ID}, new(int))
	readOne(w, s.keys, b.entry.KeyID, askKey, keyFields)
	readOne(w, s.members, b.entry.MemberID, askMember, memberFields)
	readOne(w, s.automations, b.entry.AutomationID, askRule, ruleFields)
	readOne(w, s.batches, b.entry.BatchID, askBatch, batchFields)
	if b.entry.BatchID != nil {
		s.items[b.entry.ID] = w.Row(askItem, []any{b.entry.OrgID, b.entry.ID}, new(int))
	}
	purpose, states := purposeOf(b)
	if _, known := s.purposes[purpose]; states && !known {
		var row privacy.PurposeRow
		if w.Row(askPurpose, []any{purpose.org, purpose.code}, purposeFields(&row)...) {
			s.purposes[purpose] = row
		}
	}
}

// readOne reads the row with an id, unless it was read already or there is none.
func readOne[Row any](w *engine.SQLiteTx, rows map[engine.UID]Row, id *engine.UID, statement string,
	columns func(*Row) []any) {
	if id == nil {
		return
	}
	if _, known := rows[*id]; known {
		return
	}
	var row Row
	if w.Row(statement, []any{*id}, columns(&row)...) {
		rows[*id] = row
	}
}

// queue queues on PostgreSQL what calls need.
func (s admission) queue(batch *pgx.Batch, in []beginning) {
	keys, members, batches, rules := map[engine.UID]bool{}, map[engine.UID]bool{}, map[engine.UID]bool{},
		map[engine.UID]bool{}
	purposes := map[statedPurpose]bool{}
	var itemsOf, items []string
	for _, b := range in {
		if b.entry.BatchID != nil {
			itemsOf, items = append(itemsOf, string(b.entry.OrgID)), append(items, string(b.entry.ID))
		}
		keys[engine.OrNoID(b.entry.KeyID)], members[engine.OrNoID(b.entry.MemberID)] = true, true
		batches[engine.OrNoID(b.entry.BatchID)], rules[engine.OrNoID(b.entry.AutomationID)] = true, true
		if purpose, states := purposeOf(b); states {
			purposes[purpose] = true
		}
	}
	queueIDs(batch, askKeys, keys, keyFields, func(r keyRow) { s.keys[r.ID] = r })
	queueIDs(batch, askMembers, members, memberFields, func(r team.MemberRow) { s.members[r.ID] = r })
	queueIDs(batch, askRules, rules, ruleFields, func(r automations.AutomationRow) { s.automations[r.ID] = r })
	if len(items) > 0 {
		batch.Queue(askItems, itemsOf, items).Query(func(rows pgx.Rows) error {
			var id string
			_, err := pgx.ForEachRow(rows, []any{&id}, func() error { s.items[engine.UID(id)] = true; return nil })
			return err
		})
	}
	queueIDs(batch, askBatches, batches, batchFields, func(r batchAdmits) { s.batches[r.id] = r }, organisationsOf(in))
	if len(purposes) > 0 {
		stated := slices.Collect(maps.Keys(purposes))
		queueRead(batch.Queue(askPurposes, engine.Mapped(stated, func(p statedPurpose) string { return string(p.org) }),
			engine.Mapped(stated, func(p statedPurpose) string { return p.code })), purposeFields,
			func(r privacy.PurposeRow) { s.purposes[statedPurpose{r.OrgID, r.Code}] = r })
	}
	batch.Queue(askBlockeds, engine.Mapped(in, func(b beginning) string { return string(b.entry.OrgID) }),
		engine.Mapped(in, func(b beginning) []byte { return b.subject }), organisationsOf(in),
	).Query(func(rows pgx.Rows) error {
		var subject []byte
		_, err := pgx.ForEachRow(rows, []any{&subject}, func() error { s.blocked[string(subject)] = true; return nil })
		return err
	})
}

// queueIDs queues a statement for ids, unless there are none.
func queueIDs[Row any](
	batch *pgx.Batch, statement string, ids map[engine.UID]bool, columns func(*Row) []any, keep func(Row),
	more ...any,
) {
	delete(ids, engine.NoID)
	if len(ids) > 0 {
		sought := engine.Mapped(slices.Collect(maps.Keys(ids)), func(id engine.UID) string { return string(id) })
		queueRead(batch.Queue(statement, append([]any{sought}, more...)...), columns, keep)
	}
}

func queueRead[Row any](query *pgx.QueuedQuery, columns func(*Row) []any, keep func(Row)) {
	query.Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var row Row
			if err := rows.Scan(columns(&row)...); err != nil {
				return err
			}
			keep(row)
		}
		return rows.Err()
	})
}

// queueShared queues the locks that let calls be charged together, and no limit change meanwhile.
func queueShared(batch *pgx.Batch, in []beginning) {
	locks := map[int64]bool{}
	for _, b := range in {
		locks[team.ChargesLock(b.entry.OrgID)] = true
	}
	batch.Queue(shareCharges, slices.Sorted(maps.Keys(locks)))
}
