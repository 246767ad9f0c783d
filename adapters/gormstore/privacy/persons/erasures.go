package persons

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/privacy"
	"fichario/ports"
)

type blockRow struct {
	OrgID     engine.UID `gorm:"primaryKey"`
	Subject   []byte     `gorm:"primaryKey"`
	ErasureID engine.UID `gorm:"not null"`
	AskedBy   string     `gorm:"not null"`
	At        time.Time  `gorm:"not null"`
}

func (blockRow) TableName() string { return "subject_blocks" }

type erasureRow struct {
	ID         engine.UID `gorm:"primaryKey"`
	OrgID      engine.UID `gorm:"not null"`
	State      string     `gorm:"not null"`
	AskedBy    string     `gorm:"not null"`
	At         time.Time  `gorm:"not null"`
	EndedAt    *time.Time
	Block      bool   `gorm:"not null"`
	KeyID      string `gorm:"not null"`
	Hashes     []byte `gorm:"not null"`
	Counts     string `gorm:"not null"`
	Told       string `gorm:"not null;default:'[]'"`
	Content    []byte `stored:"sealed"`
	Contacts   string `gorm:"not null;default:'{}'"`
	Kind       string `gorm:"not null"`
	After      string `gorm:"not null"`
	Round      int    `gorm:"not null"`
	Journalled bool   `gorm:"not null"`
	ReplayedAt *time.Time
	Lease      string `gorm:"not null"`
	LeaseUntil *time.Time
}

var erasureColumns = engine.ColumnNames(erasureRow{}, "erasures")

func (erasureRow) TableName() string { return "erasures" }

func (row erasureRow) id() engine.UID { return row.ID }

// erasureContacts is the content of erasures.contacts.
type erasureContacts struct {
	Contacts []string `json:"contacts,omitempty"`
	Parts    []string `json:"parts,omitempty"`
}

func erasureRowOf(v *engine.Vault, e privacy.Erasure) erasureRow {
	counts, err := json.Marshal(e.Gone)
	if err != nil {
		panic(err) // numbers alone always marshal
	}
	told, err := json.Marshal(e.Told)
	if err != nil {
		panic(err) // nor do names and times fail
	}
	contacts, err := json.Marshal(erasureContacts{e.Entry().Contacts, e.Entry().Parts})
	if err != nil {
		panic(err) // nor do ids
	}
	row := erasureRow{
		ID: engine.UID(e.ID), OrgID: engine.UID(e.OrgID), State: string(e.State), AskedBy: e.AskedBy, At: engine.Stamp(e.At),
		EndedAt: engine.OptionalTime(e.EndsAt), Block: e.Block, KeyID: e.KeyID, Hashes: bytes.Join(e.Hashes, nil),
		Counts: string(counts), Kind: string(e.Kind), After: e.After, Round: e.Round, Journalled: e.Journalled,
		ReplayedAt: engine.OptionalTime(e.Replayed), Lease: e.Lease, Told: string(told),
		Contacts: string(contacts),
	}
	if row.Hashes == nil {
		row.Hashes = []byte{}
	}
	if e.Person != nil {
		row.Content = v.SealJSON(e.Person, "erasures|content|"+e.ID)
	}
	return row
}

// workOf is erasureOf for who works on it: without its person, it would pass for one that has nothing left to erase.
func workOf(v *engine.Vault, row erasureRow) (privacy.Erasure, error) {
	e := erasureOf(v, row)
	if row.Content != nil && e.Person == nil {
		return e, ports.ErrUnreadable
	}
	return e, nil
}

func erasureOf(v *engine.Vault, row erasureRow) privacy.Erasure {
	e := privacy.Erasure{
		ID: string(row.ID), OrgID: string(row.OrgID), State: privacy.State(row.State), AskedBy: row.AskedBy,
		At: row.At.UTC(), EndsAt: engine.TimeOf(row.EndedAt), Block: row.Block, KeyID: row.KeyID, Gone: privacy.Counts{},
		Hashes: slices.Collect(slices.Chunk(row.Hashes, engine.SubjectSize)), Kind: privacy.Kind(row.Kind), After: row.After,
		Round: row.Round, Journalled: row.Journalled, Replayed: engine.TimeOf(row.ReplayedAt), Lease: row.Lease,
	}
	_ = json.Unmarshal([]byte(row.Counts), &e.Gone) // erasureRow wrote it
	_ = json.Unmarshal([]byte(row.Told), &e.Told)   // as above
	if row.Content == nil {
		var of erasureContacts
		_ = json.Unmarshal([]byte(row.Contacts), &of) // as above
		e.Contacts, e.Parts = of.Contacts, of.Parts
		return e
	}
	if plain, ok := v.Shown(row.Content, "erasures|content|"+e.ID); ok {
		e.Person = &privacy.Person{}
		_ = json.Unmarshal(plain, e.Person)
	}
	return e
}

func (r subjects) AddErasure(ctx context.Context, e privacy.Erasure) error {
	row := erasureRowOf(r.store.Vault, e)
	return r.Inside(ctx, "subjects.addErasure", func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r subjects) SaveErasure(ctx context.Context, e privacy.Erasure) error {
	row := erasureRowOf(r.store.Vault, e)
	columns := []string{
		"state", "ended_at", "hashes", "counts", "told", "content", "kind", "after", "round", "journalled", "replayed_at",
	}
	if e.Person != nil { // otherwise those of the person stay
		columns = append(columns, "contacts")
	}
	return r.Inside(ctx, "subjects.saveErasure", func(db *gorm.DB) error {
		of := engine.Routed(e.OrgID)
		return engine.OrNotFound(of(db.Model(&erasureRow{})).Where("id = ?", e.ID).Select(columns).Updates(&row))
	})
}

// LeaseErasure finds and leases in one statement, so that no two instances work on the same erasure.
func (r subjects) LeaseErasure(
	ctx context.Context, id, lease string, now, until time.Time,
) (e privacy.Erasure, err error) {
	const op = "subjects.leaseErasure"
	if _, err := engine.FindOne(ctx, r.Query, op, erasureRow.id,
		engine.Where("state = "+engine.Literal(privacy.Running))); err != nil {
		return e, err // so that an idle poll does not wait for the writer
	}
	var rows []erasureRow
	err = r.Exec(ctx, op, func(db *gorm.DB) error {
		next := db.Model(&erasureRow{}).Select("id").Where("state = "+engine.Literal(privacy.Running)).
			Where("lease_until IS NULL OR lease_until <= ? OR lease = ?", engine.Stamp(now), lease)
		if id != "" {
			next = next.Where("id = ?", id)
		}
		next = engine.LockedAlone("UPDATE", "SKIP LOCKED")(next).Order("id").Limit(1)
		still := " AND state = " + engine.Literal(privacy.Running) +
			" AND (lease_until IS NULL OR lease_until <= @now OR lease = @lease)" // where it could not be locked
		err := db.Raw("UPDATE erasures SET lease = @lease, lease_until = @until WHERE id IN (@next)"+
			engine.OnCitus(db, still)+" RETURNING "+erasureColumns,
			map[string]any{"lease": lease, "until": engine.Stamp(until), "next": next, "now": engine.Stamp(now)}).Scan(&rows).Error
		if err == nil && len(rows) == 0 {
			err = ports.ErrNotFound
		}
		return err
	})
	if err != nil {
		return e, err
	}
	e, err = workOf(r.store.Vault, rows[0])
	return e, engine.Named(op, err)
}

func (r subjects) LockErasure(ctx context.Context, id, lease string) (privacy.Erasure, error) {
	const op = "subjects.lockErasure"
	row, err := engine.FindOne(ctx, r.Inside, op, engine.Same[erasureRow],
		engine.Locked("UPDATE", ""),
		engine.ByIDAlone(id),
		engine.Where("lease = ? AND state = "+engine.Literal(privacy.Running), lease))
	if err != nil {
		return privacy.Erasure{}, err
	}
	e, err := workOf(r.store.Vault, row)
	return e, engine.Named(op, err)
}

func (r subjects) FindErasure(ctx context.Context, orgID, id string) (privacy.Erasure, error) {
	return engine.FindOne(ctx, r.Query, "subjects.findErasure", engine.With(r.store.Vault, erasureOf),
		engine.Of(orgID, id))
}

func (r subjects) Erasures(ctx context.Context, orgID, before string, limit int) ([]privacy.Erasure, error) {
	return engine.FindAll(ctx, r.Query, "subjects.erasures", engine.With(r.store.Vault, erasureOf),
		engine.Where("org_id = ?", orgID),
		engine.Newest(before, limit))
}

func (r subjects) Block(ctx context.Context, b privacy.Block) error {
	rows := engine.Mapped(b.Hashes, func(hash []byte) blockRow {
		return blockRow{engine.UID(b.OrgID), hash, engine.UID(b.ErasureID), b.AskedBy, engine.Stamp(b.At)}
	})
	return r.Inside(ctx, "subjects.block", func(db *gorm.DB) error {
		if len(rows) == 0 {
			return nil
		}
		return db.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&rows, privacyrows.HashesAtOnce).Error
	})
}

func (r subjects) Unblock(ctx context.Context, orgID string, hashes [][]byte) (bool, error) {
	n, err := r.ExecCount(ctx, "subjects.unblock", func(db *gorm.DB) *gorm.DB {
		return db.Delete(&blockRow{}, "org_id = ? AND subject IN ?", orgID, hashes)
	})
	return n > 0, err
}

func (r subjects) Blocked(ctx context.Context, orgID string, hashes [][]byte) (yes bool, err error) {
	var one []int
	err = r.Query(ctx, "subjects.blocked", func(db *gorm.DB) error {
		return db.Model(&blockRow{}).Where("org_id = ? AND subject IN ?", orgID, hashes).Limit(1).Select("1").Scan(&one).Error
	})
	return len(one) > 0, err
}

func (r subjects) Blocks(ctx context.Context, orgID string, erasureIDs []string) (out []privacy.Block, err error) {
	rows, err := engine.FindAll(ctx, r.Query, "subjects.blocks", engine.Same[blockRow],
		engine.Where("org_id = ? AND erasure_id IN ?", orgID, engine.Given(erasureIDs)),
		engine.Order("erasure_id DESC, subject"))
	for _, row := range rows {
		if n := len(out); n == 0 || out[n-1].ErasureID != string(row.ErasureID) {
			out = append(out, privacy.Block{
				ErasureID: string(row.ErasureID), OrgID: orgID, AskedBy: row.AskedBy, At: row.At.UTC(),
			})
		}
		last := &out[len(out)-1]
		last.Hashes = append(last.Hashes, row.Subject)
	}
	return out, err
}
