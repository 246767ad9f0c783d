package gormstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/privacy"
)

type batchRow struct {
	ID          uid `gorm:"primaryKey"`
	OrgID       uid `gorm:"not null"`
	KeyID       *uid
	MemberID    *uid
	Name        string `gorm:"not null"`
	Product     string `gorm:"not null"`
	Refresh     bool   `gorm:"not null"`
	Status      string `gorm:"not null"`
	Reason      string `gorm:"not null"`
	Note        string `gorm:"not null"`
	ResumeAt    *time.Time
	Columns     []byte `gorm:"not null"`
	Sheets      []byte
	Total       int   `gorm:"not null"`
	Valid       int   `gorm:"not null"`
	Repeated    int   `gorm:"not null"`
	Invalid     int   `gorm:"not null"`
	FromHistory int   `gorm:"not null"`
	Price       int64 `gorm:"not null"`
	Ceiling     *int64
	Ended       int `gorm:"not null"`
	Charged     int `gorm:"not null"`
	Free        int `gorm:"not null"`
	Failed      int `gorm:"not null"`
	RunFrom     *time.Time
	RunEnded    int       `gorm:"not null"`
	CreatedAt   time.Time `gorm:"not null"`
	ExpiresAt   time.Time `gorm:"not null"`
	StartedAt   *time.Time
	EndedAt     *time.Time
	RequestKey  string `gorm:"not null"`
	RequestBody []byte
	Purpose     string `gorm:"not null;default:''"`

	PayerKeyID, PayerMemberID *uid
}

func (batchRow) TableName() string { return "batches" }

func (v *vault) batchRow(b batch.Batch) batchRow {
	row := batchRow{
		ID: uid(b.ID), OrgID: uid(b.OrgID), KeyID: optional(b.KeyID), MemberID: optional(b.MemberID), Name: b.Name,
		Product: b.Product, Refresh: b.Refresh, Status: string(b.Status), Reason: string(b.Reason), Note: b.Note,
		ResumeAt: optionalTime(b.ResumeAt), Columns: v.sealJSON(b.Columns, "batches|columns|"+b.ID),
		Total: b.Total, Valid: b.Valid, Repeated: b.Repeated, Invalid: b.Invalid, FromHistory: b.FromHistory,
		Price: int64(b.Price), Ended: b.Ended, Charged: b.Charged, Free: b.Free, Failed: b.Failed,
		RunFrom: optionalTime(b.RunFrom), RunEnded: b.RunEnded, CreatedAt: stamp(b.CreatedAt), ExpiresAt: stamp(b.ExpiresAt),
		StartedAt: optionalTime(b.StartedAt), EndedAt: optionalTime(b.EndedAt), Purpose: b.Purpose,
		PayerKeyID: optional(b.PayerKeyID), PayerMemberID: optional(b.PayerMemberID),
	}
	if b.Tab != "" {
		row.Sheets = v.sealJSON(append([]string{b.Tab}, b.OtherTabs...), "batches|sheets|"+b.ID)
	}
	if b.RequestKey != "" {
		maker := cmp.Or(b.KeyID, b.MemberID)
		row.RequestKey = hex.EncodeToString(v.indexes(requestOf(maker, b.RequestKey))[0])
		row.RequestBody = v.indexes(requestOf(maker, string(b.RequestBody)))[0]
	}
	if b.HasCeiling {
		ceiling := int64(b.Ceiling)
		row.Ceiling = &ceiling
	}
	return row
}

func (v *vault) batch(row batchRow) batch.Batch {
	b := batch.Batch{
		ID: string(row.ID), OrgID: string(row.OrgID), KeyID: row.KeyID.text(), MemberID: row.MemberID.text(), Name: row.Name,
		Product: row.Product, Refresh: row.Refresh, Status: batch.Status(row.Status), Reason: batch.Reason(row.Reason),
		Note: row.Note, ResumeAt: timeOf(row.ResumeAt),
		Total: row.Total, Valid: row.Valid, Repeated: row.Repeated, Invalid: row.Invalid, FromHistory: row.FromHistory,
		Price: catalog.Money(row.Price), Ended: row.Ended, Charged: row.Charged, Free: row.Free, Failed: row.Failed,
		RunFrom: timeOf(row.RunFrom), RunEnded: row.RunEnded, CreatedAt: row.CreatedAt.UTC(), ExpiresAt: row.ExpiresAt.UTC(),
		StartedAt: timeOf(row.StartedAt), EndedAt: timeOf(row.EndedAt), Purpose: row.Purpose,
		PayerKeyID: row.PayerKeyID.text(), PayerMemberID: row.PayerMemberID.text(),
	}
	if row.Ceiling != nil {
		b.Ceiling, b.HasCeiling = catalog.Money(*row.Ceiling), true
	}
	if plain, ok := v.shown(row.Columns, "batches|columns|"+b.ID); ok {
		_ = json.Unmarshal(plain, &b.Columns) // sealJSON wrote it
	}
	if row.Sheets != nil {
		var sheets []string
		if plain, ok := v.shown(row.Sheets, "batches|sheets|"+b.ID); ok && json.Unmarshal(plain, &sheets) == nil && len(sheets) > 0 {
			b.Tab, b.OtherTabs = sheets[0], sheets[1:]
		}
	}
	return b
}

type batches struct {
	conn
	vault *vault
	// secret is the key of the hashes by which people are found.
	secret func(context.Context) ([]byte, error)
}

func (r batches) Create(ctx context.Context, b batch.Batch) error {
	row := r.vault.batchRow(b)
	return r.create(ctx, "batches.create", &row)
}

func (r batches) Find(ctx context.Context, id string) (batch.Batch, error) {
	return findOne(ctx, r.query, "batches.find", r.vault.batch, byID(id))
}

func (r batches) ByRequest(
	ctx context.Context, makerID, requestKey string, body []byte,
) (b batch.Batch, same bool, err error) {
	keys := mapped(r.vault.indexes(requestOf(makerID, requestKey)), hex.EncodeToString)
	row, err := findOne(ctx, r.query, "batches.byRequest", func(row batchRow) batchRow { return row },
		where("COALESCE(key_id, member_id) = ? AND request_key IN ? AND request_key <> ''", makerID, keys))
	if err != nil {
		return b, false, err
	}
	same = slices.ContainsFunc(r.vault.indexes(requestOf(makerID, string(body))),
		func(index []byte) bool { return bytes.Equal(index, row.RequestBody) })
	return r.vault.batch(row), same, nil
}

// requestOf is the text whose keyed hash stands for a request.
func requestOf(makerID, said string) string { return "batch|" + makerID + "|" + said }

func (r batches) Lock(ctx context.Context, id string) (batch.Batch, error) {
	return findOne(ctx, r.inside, "batches.lock", r.vault.batch, locked("UPDATE", ""), byID(id))
}

func (r batches) Update(ctx context.Context, b batch.Batch) error {
	row := r.vault.batchRow(b)
	return r.inside(ctx, "batches.update", func(db *gorm.DB) error {
		return orNotFound(db.Model(&row).Select("status", "reason", "note", "resume_at", "total", "valid", "repeated",
			"invalid", "from_history", "ceiling", "ended", "charged", "free", "failed", "run_from", "run_ended",
			"started_at", "ended_at", "expires_at", "payer_key_id", "payer_member_id").Updates(&row))
	})
}

func (r batches) Page(ctx context.Context, orgID, keyID, after string, limit int) ([]batch.Batch, error) {
	scopes := []scope{where("status <> " + literal(batch.Preparing)), newest(after, limit)}
	if keyID == "" {
		scopes = append(scopes, where("org_id = ?", orgID))
	} else {
		scopes = append(scopes, where("key_id = ? AND CAST(org_id AS text) = ?", keyID, orgID))
	}
	// Never from a replica: whoever makes or ends a batch looks at the list next.
	return findAll(ctx, r.query, "batches.page", r.vault.batch, scopes...)
}

// openBatch selects batches that run or are paused, due those that run or whose pause is over.
var (
	openBatch = "status IN (" + literal(batch.Running) + ", " + literal(batch.Paused) + ")"
	due       = openBatch + " AND (status = " + literal(batch.Running) + " OR resume_at <= ?)"
)

func (r batches) Open(ctx context.Context, orgID string, limit int) ([]batch.Batch, error) {
	return findAll(ctx, r.query, "batches.open", r.vault.batch, where("org_id = ?", orgID), where(openBatch), order("started_at, id"),
		func(db *gorm.DB) *gorm.DB { return db.Limit(limit) })
}

func (r batches) Busy(ctx context.Context, now time.Time) (ids []string, err error) {
	err = r.query(ctx, "batches.busy", func(db *gorm.DB) error {
		return db.Raw("SELECT CAST(org_id AS text) FROM batches WHERE "+due+
			" UNION SELECT CAST(org_id AS text) FROM batch_items WHERE state = "+literal(batch.InFlight)+" AND lease_until <= ?",
			stamp(now), stamp(now)).Scan(&ids).Error
	})
	return ids, err
}

func (r batches) Due(ctx context.Context, orgID string, now time.Time) ([]batch.Batch, error) {
	return findAll(ctx, r.inside, "batches.due", r.vault.batch, locked("UPDATE", ""),
		where("org_id = ?", orgID), where(due, stamp(now)), order("started_at, id"))
}

func (r batches) Expire(ctx context.Context, now time.Time) (int, error) {
	return r.changed(ctx, "batches.expire", func(db *gorm.DB) *gorm.DB {
		return db.Model(&batchRow{}).Where("status = "+literal(batch.Quoted)+" AND expires_at <= ?", stamp(now)).
			Updates(map[string]any{"status": string(batch.Expired), "ended_at": stamp(now)})
	})
}

// ForgetQuotes walks the batches by id, which begins with the time, and notes how far it came, so that it visits each
// batch once.
func (r batches) ForgetQuotes(ctx context.Context, before time.Time) (n int, err error) {
	const mark = "quotes"
	secret, err := r.secret(ctx)
	if err != nil {
		return 0, err
	}
	err = r.whole(ctx, "batches.forgetQuotes", func(db *gorm.DB) error {
		var to privacyMarkRow
		if err := db.Limit(1).Find(&to, "name = ?", mark).Error; err != nil {
			return err
		}
		var next []batchRow
		over := db.Where("started_at IS NULL AND status IN ?", []string{string(batch.Expired), string(batch.Cancelled)}).
			Where("id > ? AND id < ?", cmp.Or(to.UpTo, beforeAll), firstID(before)).Order("id").Limit(1)
		if err := locked("UPDATE", "")(over).Find(&next).Error; err != nil {
			return err
		}
		if n = len(next); n == 0 {
			return moveMark(db, mark, firstID(before))
		}
		var items []batchItemRow
		err := db.Order("line").Limit(forgetAtOnce).Find(&items, "batch_id = ?", next[0].ID).Error
		if err != nil {
			return err
		}
		if len(items) > 0 {
			return r.forgetItems(db, secret, items)
		}
		none := r.vault.batchRow(batch.Batch{ID: string(next[0].ID)}).Columns
		gone := map[string]any{"columns": blob(none), "sheets": nil}
		if err := db.Model(&batchRow{}).Where("id = ?", next[0].ID).Updates(gone).Error; err != nil {
			return err
		}
		return moveMark(db, mark, string(next[0].ID))
	})
	return n, err
}

// forgetItems removes items and their entries in the index of people.
func (r batches) forgetItems(db *gorm.DB, secret []byte, items []batchItemRow) error {
	var hashes [][]byte
	for _, item := range items {
		for _, i := range r.vault.identitiesOf(item) {
			hashes = append(hashes, subjectHash(secret, string(item.OrgID), i))
		}
	}
	ids := mapped(items, func(item batchItemRow) uid { return item.ID })
	err := db.Delete(&traceRow{}, "subject IN ? AND kind = ? AND row_id IN ?", hashes, string(privacy.Items), ids).Error
	if err != nil {
		return err
	}
	return db.Delete(&batchItemRow{}, "id IN ?", ids).Error
}

func (r batches) Forget(ctx context.Context, before time.Time) (int, error) {
	return r.discard(ctx, "batches.forget", where("id < ?", firstID(before)))
}

func (r batches) Discard(ctx context.Context, id string) (int, error) {
	return r.discard(ctx, "batches.discard", byID(id))
}

// discard removes batches that are still being prepared, their items first. It locks them, because one may be quoted at
// this moment: its maker was not told of the commit, and gives it up.
func (r batches) discard(ctx context.Context, op string, which scope) (n int, err error) {
	secret, err := r.secret(ctx)
	if err != nil {
		return 0, err
	}
	err = r.whole(ctx, op, func(db *gorm.DB) error {
		var ids []uid
		old := locked("UPDATE", "")(which(db.Model(&batchRow{}))).Where("status = " + literal(batch.Preparing))
		if err := old.Order("id").Limit(forgetAtOnce).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
			return err
		}
		var items []batchItemRow
		if err := db.Limit(forgetAtOnce).Find(&items, "batch_id IN ?", ids).Error; err != nil {
			return err
		}
		if n = len(items); n > 0 {
			return r.forgetItems(db, secret, items)
		}
		gone := db.Delete(&batchRow{}, "id IN ?", ids)
		n = int(gone.RowsAffected)
		return gone.Error
	})
	return n, err
}

type paceRow struct {
	Bureau string    `gorm:"primaryKey"`
	NextAt time.Time `gorm:"not null"`
}

func (paceRow) TableName() string { return "bureau_pace" }

func (r batches) Pace(
	ctx context.Context, bureau string, perSecond float64, n int, now time.Time,
) (granted int, err error) {
	now = stamp(now)
	err = r.inside(ctx, "batches.pace", func(db *gorm.DB) error {
		row := paceRow{bureau, now}
		made := db.Exec("INSERT INTO bureau_pace (bureau, next_at) VALUES (?, ?) ON CONFLICT DO NOTHING", bureau, now)
		if made.Error != nil {
			return made.Error
		}
		if err := locked("UPDATE", "")(db).Take(&row, "bureau = ?", bureau).Error; err != nil {
			return err
		}
		next := row.NextAt.UTC()
		if earliest := now.Add(-batch.Burst); next.Before(earliest) {
			next = earliest
		}
		each := time.Duration(float64(time.Second) / perSecond)
		for granted < n && !next.After(now) {
			next = next.Add(each)
			granted++
		}
		return db.Model(&row).Update("next_at", stamp(next)).Error
	})
	return granted, err
}
