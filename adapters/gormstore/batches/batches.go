package batches

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/privacy"
)

// BatchRow is a batch.
type BatchRow struct {
	ID          engine.UID `gorm:"primaryKey"`
	OrgID       engine.UID `gorm:"not null"`
	KeyID       *engine.UID
	MemberID    *engine.UID
	Name        string `gorm:"not null"`
	Product     string `gorm:"not null"`
	Refresh     bool   `gorm:"not null"`
	Status      string `gorm:"not null"`
	Reason      string `gorm:"not null"`
	Note        string `gorm:"not null"`
	ResumeAt    *time.Time
	Columns     []byte `gorm:"not null" stored:"sealed"`
	Sheets      []byte `stored:"sealed"`
	Total       int    `gorm:"not null"`
	Valid       int    `gorm:"not null"`
	Repeated    int    `gorm:"not null"`
	Invalid     int    `gorm:"not null"`
	FromHistory int    `gorm:"not null"`
	Price       int64  `gorm:"not null"`
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
	// RequestKey and RequestBody are hashed with the data key, for instances of the version before; RequestHash and
	// BodyHash with one that stays when it is rotated: otherwise a request that is repeated afterwards would buy the
	// batch again.
	RequestKey  string `gorm:"not null"`
	RequestBody []byte
	RequestHash string `gorm:"not null;default:''"`
	BodyHash    []byte
	Purpose     string `gorm:"not null;default:''"`

	PayerKeyID, PayerMemberID *engine.UID
}

// TableName is the table of the row.
func (BatchRow) TableName() string { return "batches" }

// BatchRowOf seals a batch.
func BatchRowOf(v *engine.Vault, b batch.Batch) BatchRow {
	row := BatchRow{
		ID: engine.UID(b.ID), OrgID: engine.UID(b.OrgID), KeyID: engine.Optional(b.KeyID),
		MemberID: engine.Optional(b.MemberID), Name: b.Name,
		Product: b.Product, Refresh: b.Refresh, Status: string(b.Status), Reason: string(b.Reason), Note: b.Note,
		ResumeAt: engine.OptionalTime(b.ResumeAt), Columns: v.SealJSON(b.Columns, "batches|columns|"+b.ID),
		Total: b.Total, Valid: b.Valid, Repeated: b.Repeated, Invalid: b.Invalid, FromHistory: b.FromHistory,
		Price: int64(b.Price), Ended: b.Ended, Charged: b.Charged, Free: b.Free, Failed: b.Failed,
		RunFrom: engine.OptionalTime(b.RunFrom), RunEnded: b.RunEnded, CreatedAt: engine.Stamp(b.CreatedAt),
		ExpiresAt: engine.Stamp(b.ExpiresAt),
		StartedAt: engine.OptionalTime(b.StartedAt), EndedAt: engine.OptionalTime(b.EndedAt), Purpose: b.Purpose,
		PayerKeyID: engine.Optional(b.PayerKeyID), PayerMemberID: engine.Optional(b.PayerMemberID),
	}
	if b.Tab != "" {
		row.Sheets = v.SealJSON(append([]string{b.Tab}, b.OtherTabs...), "batches|sheets|"+b.ID)
	}
	if b.HasCeiling {
		ceiling := int64(b.Ceiling)
		row.Ceiling = &ceiling
	}
	return row
}

// BatchOf opens a batch.
func BatchOf(v *engine.Vault, row BatchRow) batch.Batch {
	b := batch.Batch{
		ID: string(row.ID), OrgID: string(row.OrgID), KeyID: row.KeyID.Text(), MemberID: row.MemberID.Text(), Name: row.Name,
		Product: row.Product, Refresh: row.Refresh, Status: batch.Status(row.Status), Reason: batch.Reason(row.Reason),
		Note: row.Note, ResumeAt: engine.TimeOf(row.ResumeAt),
		Total: row.Total, Valid: row.Valid, Repeated: row.Repeated, Invalid: row.Invalid, FromHistory: row.FromHistory,
		Price: catalog.Money(row.Price), Ended: row.Ended, Charged: row.Charged, Free: row.Free, Failed: row.Failed,
		RunFrom: engine.TimeOf(row.RunFrom), RunEnded: row.RunEnded, CreatedAt: row.CreatedAt.UTC(),
		ExpiresAt: row.ExpiresAt.UTC(),
		StartedAt: engine.TimeOf(row.StartedAt), EndedAt: engine.TimeOf(row.EndedAt), Purpose: row.Purpose,
		PayerKeyID: row.PayerKeyID.Text(), PayerMemberID: row.PayerMemberID.Text(),
	}
	if row.Ceiling != nil {
		b.Ceiling, b.HasCeiling = catalog.Money(*row.Ceiling), true
	}
	if plain, ok := v.Shown(row.Columns, "batches|columns|"+b.ID); ok {
		_ = json.Unmarshal(plain, &b.Columns) // SealJSON wrote it
	}
	if row.Sheets != nil {
		var sheets []string
		if plain, ok := v.Shown(row.Sheets, "batches|sheets|"+b.ID); ok && json.Unmarshal(plain, &sheets) == nil &&
			len(sheets) > 0 {
			b.Tab, b.OtherTabs = sheets[0], sheets[1:]
		}
	}
	return b
}

type batches struct {
	engine.Conn
	vault *engine.Vault
	// secret keys the hashes of people and of requests: it stays when the data key is rotated.
	secret func(context.Context) ([]byte, error)
}

func (r batches) Create(ctx context.Context, b batch.Batch) error {
	row := BatchRowOf(r.vault, b)
	if b.RequestKey != "" {
		secret, err := r.secret(ctx)
		if err != nil {
			return err
		}
		name := requestOf(cmp.Or(b.KeyID, b.MemberID), b.RequestKey)
		body := requestOf(cmp.Or(b.KeyID, b.MemberID), string(b.RequestBody))
		row.RequestHash, row.BodyHash = hex.EncodeToString(requestHash(secret, name)), requestHash(secret, body)
		row.RequestKey, row.RequestBody = hex.EncodeToString(r.vault.Indexes(name)[0]), r.vault.Indexes(body)[0]
	}
	return r.Insert(ctx, "batches.create", &row)
}

func (r batches) Find(ctx context.Context, orgID, id string) (batch.Batch, error) {
	return engine.FindOne(ctx, r.Query, "batches.find", engine.With(r.vault, BatchOf), engine.Of(orgID, id))
}

func (r batches) ByRequest(
	ctx context.Context, orgID, makerID, requestKey string, body []byte,
) (b batch.Batch, same bool, err error) {
	secret, err := r.secret(ctx)
	if err != nil {
		return b, false, err
	}
	const of = "COALESCE(key_id, member_id) = ? AND "
	name, said := requestOf(makerID, requestKey), requestOf(makerID, string(body))
	hash := requestHash(secret, name)
	row, err := engine.FindOne(ctx, r.Query, "batches.byRequest", engine.Same[BatchRow],
		engine.Where(of+"request_hash = ? AND request_hash <> '' OR "+of+"request_key IN ? AND request_key <> ''",
			makerID, hex.EncodeToString(hash),
			makerID, engine.Mapped(append(r.vault.Indexes(name), hash), hex.EncodeToString)),
		engine.Routed(orgID))
	if err != nil {
		return b, false, err
	}
	hash = requestHash(secret, said)
	same = bytes.Equal(row.BodyHash, hash) || slices.ContainsFunc(append(r.vault.Indexes(said), hash),
		func(index []byte) bool { return bytes.Equal(index, row.RequestBody) })
	return BatchOf(r.vault, row), same, nil
}

// requestOf is the text whose keyed hash stands for a request.
func requestOf(makerID, said string) string { return "batch|" + makerID + "|" + said }

// requestHash is the hash of such a text under the secret.
func requestHash(secret []byte, text string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func (r batches) Lock(ctx context.Context, orgID, id string) (batch.Batch, error) {
	return engine.FindOne(ctx, r.Inside, "batches.lock", engine.With(r.vault, BatchOf), engine.Locked("UPDATE", ""),
		engine.Of(orgID, id))
}

func (r batches) Update(ctx context.Context, b batch.Batch) error {
	row := BatchRowOf(r.vault, b)
	return r.Inside(ctx, "batches.update", func(db *gorm.DB) error {
		return engine.OrNotFound(engine.Routed(b.OrgID)(db.Model(&row)).Select(
			"status", "reason", "note", "resume_at", "total", "valid", "repeated", "invalid", "from_history", "ceiling", "ended", "charged", "free", "failed", "run_from", "run_ended",
			"started_at", "ended_at", "expires_at", "payer_key_id", "payer_member_id").Updates(&row))
	})
}

func (r batches) Page(ctx context.Context, orgID, keyID, after string, limit int) ([]batch.Batch, error) {
	scopes := []engine.Scope{engine.Where("status <> " + engine.Literal(batch.Preparing)), engine.Newest(after, limit)}
	if keyID == "" {
		scopes = append(scopes, engine.Where("org_id = ?", orgID))
	} else {
		scopes = append(scopes, func(db *gorm.DB) *gorm.DB {
			return db.Where("key_id = ? AND "+engine.WithOrg(db), keyID, orgID)
		})
	}
	// Never from a replica: whoever makes or ends a batch looks at the list next.
	return engine.FindAll(ctx, r.Query, "batches.page", engine.With(r.vault, BatchOf), scopes...)
}

// openBatch selects batches that run or are paused, due those that run or whose pause is over.
var (
	openBatch = "status IN (" + engine.Literal(batch.Running) + ", " + engine.Literal(batch.Paused) + ")"
	due       = openBatch + " AND (status = " + engine.Literal(batch.Running) + " OR resume_at <= ?)"
)

func (r batches) Open(ctx context.Context, orgID string, limit int) ([]batch.Batch, error) {
	return engine.FindAll(ctx, r.Query, "batches.open", engine.With(r.vault, BatchOf), engine.Where("org_id = ?", orgID),
		engine.Where(openBatch), engine.Order("started_at, id"),
		func(db *gorm.DB) *gorm.DB { return db.Limit(limit) })
}

func (r batches) Busy(ctx context.Context, now time.Time) (ids []string, err error) {
	err = r.Query(ctx, "batches.busy", func(db *gorm.DB) error {
		return db.Raw("SELECT CAST(org_id AS text) FROM batches WHERE "+due+
			" UNION SELECT CAST(org_id AS text) FROM batch_items WHERE state = "+engine.Literal(batch.InFlight)+" AND lease_until <= ?",
			engine.Stamp(now), engine.Stamp(now)).Scan(&ids).Error
	})
	return ids, err
}

func (r batches) Due(ctx context.Context, orgID string, now time.Time) ([]batch.Batch, error) {
	return engine.FindAll(ctx, r.Inside, "batches.due", engine.With(r.vault, BatchOf), engine.Locked("UPDATE", ""),
		engine.Where("org_id = ?", orgID), engine.Where(due, engine.Stamp(now)), engine.Order("started_at, id"))
}

func (r batches) Expire(ctx context.Context, now time.Time) (int, error) {
	return r.ExecCount(ctx, "batches.expire", func(db *gorm.DB) *gorm.DB {
		return db.Model(&BatchRow{}).Where("status = "+engine.Literal(batch.Quoted)+" AND expires_at <= ?",
			engine.Stamp(now)).
			Updates(map[string]any{"status": string(batch.Expired), "ended_at": engine.Stamp(now)})
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
	err = r.Whole(ctx, "batches.forgetQuotes", func(db *gorm.DB) error {
		var to privacyrows.MarkRow
		if err := db.Limit(1).Find(&to, "name = ?", mark).Error; err != nil {
			return err
		}
		var next []BatchRow
		over := db.Session(&gorm.Session{NewDB: true}).Model(&BatchRow{}).
			Where("started_at IS NULL AND status IN ?", []string{string(batch.Expired), string(batch.Cancelled)}).
			Where("id > ? AND id < ?", cmp.Or(to.UpTo, engine.BeforeAll), engine.FirstID(before)).Order("id").Session(&gorm.Session{})
		err := engine.EachOrg(over, func(of engine.Scope) (bool, error) {
			err := of(engine.Locked("UPDATE", "")(over)).Limit(1).Find(&next).Error
			return len(next) > 0, err
		})
		if err != nil {
			return err
		}
		if n = len(next); n == 0 {
			return privacyrows.MoveMark(db, mark, engine.FirstID(before))
		}
		var items []BatchItemRow
		of := engine.Routed(string(next[0].OrgID))
		err = of(db).Order("line").Limit(engine.ForgetAtOnce).Find(&items, "batch_id = ?", next[0].ID).Error
		if err != nil {
			return err
		}
		if len(items) > 0 {
			return r.forgetItems(db, secret, items)
		}
		none := BatchRowOf(r.vault, batch.Batch{ID: string(next[0].ID)}).Columns
		gone := map[string]any{"columns": engine.Blob(none), "sheets": nil}
		if err := of(db.Model(&BatchRow{})).Where("id = ?", next[0].ID).Updates(gone).Error; err != nil {
			return err
		}
		return privacyrows.MoveMark(db, mark, string(next[0].ID))
	})
	return n, err
}

// forgetItems removes items and their entries in the index of people.
func (r batches) forgetItems(db *gorm.DB, secret []byte, items []BatchItemRow) error {
	var hashes [][]byte
	for _, item := range items {
		for _, i := range IdentitiesOf(r.vault, item) {
			hashes = append(hashes, engine.SubjectHash(secret, string(item.OrgID), i))
		}
	}
	ids := engine.Mapped(items, func(item BatchItemRow) engine.UID { return item.ID })
	err := db.Delete(&privacyrows.TraceRow{}, "subject IN ? AND kind = ? AND row_id IN ?", hashes, string(privacy.Items),
		ids).Error
	if err != nil {
		return err
	}
	orgs := engine.Distinct(items, func(item BatchItemRow) engine.UID { return item.OrgID })
	return engine.RoutedAny(orgs)(db).Delete(&BatchItemRow{}, "id IN ?", ids).Error
}

func (r batches) Forget(ctx context.Context, before time.Time) (int, error) {
	return r.discard(ctx, "batches.forget", engine.Where("id < ?", engine.FirstID(before)))
}

func (r batches) Discard(ctx context.Context, id string) (int, error) {
	return r.discard(ctx, "batches.discard", engine.ByID(id))
}

// discard removes batches that are still being prepared, their items first. It locks them, because one may be quoted at
// this moment: its maker was not told of the commit, and gives it up.
func (r batches) discard(ctx context.Context, op string, which engine.Scope) (n int, err error) {
	secret, err := r.secret(ctx)
	if err != nil {
		return 0, err
	}
	err = r.Whole(ctx, op, func(db *gorm.DB) error {
		var rows []BatchRow
		old := which(db.Session(&gorm.Session{NewDB: true}).Model(&BatchRow{})).
			Where("status = " + engine.Literal(batch.Preparing)).Order("id").Session(&gorm.Session{})
		err := engine.EachOrg(old, func(of engine.Scope) (bool, error) {
			err := of(engine.Locked("UPDATE", "")(old)).Limit(engine.ForgetAtOnce).Select("id, org_id").Find(&rows).Error
			return len(rows) > 0, err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		ids := engine.Mapped(rows, func(b BatchRow) engine.UID { return b.ID })
		of := engine.RoutedAny(engine.Distinct(rows, func(b BatchRow) engine.UID { return b.OrgID }))
		var items []BatchItemRow
		if err := of(db).Limit(engine.ForgetAtOnce).Find(&items, "batch_id IN ?", ids).Error; err != nil {
			return err
		}
		if n = len(items); n > 0 {
			return r.forgetItems(db, secret, items)
		}
		gone := of(db).Delete(&BatchRow{}, "id IN ?", ids)
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
	now = engine.Stamp(now)
	err = r.Inside(ctx, "batches.pace", func(db *gorm.DB) error {
		row := paceRow{bureau, now}
		made := db.Exec("INSERT INTO bureau_pace (bureau, next_at) VALUES (?, ?) ON CONFLICT DO NOTHING", bureau, now)
		if made.Error != nil {
			return made.Error
		}
		if err := engine.Locked("UPDATE", "")(db).Take(&row, "bureau = ?", bureau).Error; err != nil {
			return err
		}
		next := row.NextAt.UTC()
		each := time.Duration(float64(time.Second) / perSecond)
		if earliest := now.Add(-batch.Burst); next.Before(earliest) {
			next = earliest
		}
		// No call is granted for a time beyond. Whoever read the clock before it waited for the row may find it a little
		// later, and what is later still is of a clock that has stepped back.
		if latest := now.Add(each); next.After(latest.Add(engine.LongestTransaction())) {
			next = latest
		}
		for granted < n && !next.After(now) {
			next = next.Add(each)
			granted++
		}
		return db.Model(&row).Update("next_at", engine.Stamp(next)).Error
	})
	return granted, err
}
