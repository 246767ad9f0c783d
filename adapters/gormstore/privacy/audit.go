package privacy

import (
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/audit"
	"fichario/ports"
)

// lineRow is a line of the audit. Sealed values are prefixed with a salt, see audit.Sum.
type lineRow struct {
	ID         engine.UID `gorm:"primaryKey"`
	OrgID      engine.UID `gorm:"not null"`
	Number     int64      `gorm:"not null"`
	At         time.Time  `gorm:"not null"`
	Actor      string     `gorm:"not null"`
	Door       string     `gorm:"not null"`
	Action     string     `gorm:"not null"`
	Object     string     `gorm:"not null"`
	RequestID  string     `gorm:"not null"`
	Address    []byte     `stored:"sealed"`
	AddressSum []byte
	Detail     []byte `stored:"sealed"`
	DetailSum  []byte
	Subject    []byte
	ErasedBy   *engine.UID
	Hash       []byte `gorm:"not null"`
}

func (lineRow) TableName() string { return "audit_lines" }

// sealLine makes a row without number, time and hash.
func sealLine(v *engine.Vault, l audit.Line) lineRow {
	row := lineRow{
		ID: engine.UID(l.ID), OrgID: engine.UID(l.OrgID), Actor: string(l.Actor), Door: string(l.Door),
		Action: string(l.Action),
		Object: l.Object, RequestID: l.RequestID, Subject: l.Subject,
	}
	if l.Address != "" {
		salted := audit.Salted([]byte(l.Address))
		row.AddressSum, row.Address = audit.Sum(salted), v.Seal(salted, "audit_lines|address|"+l.ID)
	}
	if len(l.Detail) > 0 {
		plain, err := json.Marshal(l.Detail)
		if err != nil {
			panic(err) // texts alone always marshal
		}
		salted := audit.Salted(plain)
		row.DetailSum, row.Detail = audit.Sum(salted), v.Seal(salted, "audit_lines|detail|"+l.ID)
	}
	return row
}

func lineOf(v *engine.Vault, row lineRow) audit.Line {
	l := audit.Line{
		ID: string(row.ID), OrgID: string(row.OrgID), Number: row.Number, At: row.At.UTC(), Actor: audit.Actor(row.Actor),
		Door: audit.Door(row.Door), Action: audit.Action(row.Action), Object: row.Object, RequestID: row.RequestID,
		AddressSum: row.AddressSum, DetailSum: row.DetailSum, Subject: row.Subject, ErasedBy: row.ErasedBy.Text(),
	}
	copy(l.Hash[:], row.Hash)
	address, ok := openBound(v, row.Address, row.AddressSum, "audit_lines|address|"+l.ID)
	detail, ok2 := openBound(v, row.Detail, row.DetailSum, "audit_lines|detail|"+l.ID)
	l.Address, l.Unreadable = string(address), !ok || !ok2
	if detail != nil && json.Unmarshal(detail, &l.Detail) != nil {
		l.Unreadable = true
	}
	return l
}

// openBound opens a sealed value and strips its salt; nil where nothing is sealed. It reports false where the value
// cannot
// be opened or does not match its sum.
func openBound(v *engine.Vault, sealed, sum []byte, place string) ([]byte, bool) {
	if sealed == nil {
		return nil, true
	}
	salted, ok := v.Shown(sealed, place)
	if !ok || len(salted) < audit.SaltSize || !slices.Equal(audit.Sum(salted), sum) {
		return nil, false
	}
	return salted[audit.SaltSize:], true
}

// auditHeadRow is the end of a chain. Sealed repeats the whole head, so that nobody without a data key can forge it.
type auditHeadRow struct {
	ID            engine.UID `gorm:"primaryKey"` // the organisation's
	Number        int64      `gorm:"not null"`
	Hash          []byte     `gorm:"not null"`
	At            time.Time  `gorm:"not null"`
	RemovedNumber int64      `gorm:"not null"`
	RemovedHash   []byte     `gorm:"not null"`
	Sealed        []byte     `stored:"sealed"`
}

func (auditHeadRow) TableName() string { return "audit_heads" }

// headJSON is the sealed part of a head.
type headJSON struct {
	Number, RemovedNumber int64
	Hash, RemovedHash     []byte
	At                    time.Time
}

// HeadRowOf seals the head of a chain.
func HeadRowOf(v *engine.Vault, h audit.Head) auditHeadRow {
	return auditHeadRow{
		ID: engine.UID(h.OrgID), Number: h.Number, Hash: h.Hash[:], At: engine.Stamp(h.At), RemovedNumber: h.RemovedNumber,
		RemovedHash: h.RemovedHash[:],
		Sealed: v.SealJSON(headJSON{h.Number, h.RemovedNumber, h.Hash[:], h.RemovedHash[:], engine.Stamp(h.At)},
			"audit_heads|sealed|"+h.OrgID),
	}
}

func (r auditHeadRow) head() audit.Head {
	h := audit.Head{OrgID: string(r.ID), Number: r.Number, At: r.At.UTC(), RemovedNumber: r.RemovedNumber}
	copy(h.Hash[:], r.Hash)
	copy(h.RemovedHash[:], r.RemovedHash)
	return h
}

// FirstHead is the head of a chain without lines.
func FirstHead(orgID string) audit.Head { return audit.Head{OrgID: orgID, At: time.Unix(0, 0).UTC()} }

// sealIsTrue reports whether a row agrees with what is sealed in it.
func sealIsTrue(v *engine.Vault, row auditHeadRow) bool {
	if row.Sealed == nil {
		return false
	}
	plain, ok := v.Shown(row.Sealed, "audit_heads|sealed|"+string(row.ID))
	var said headJSON
	return ok && json.Unmarshal(plain, &said) == nil && said.Number == row.Number && slices.Equal(said.Hash, row.Hash) &&
		said.RemovedNumber == row.RemovedNumber && slices.Equal(said.RemovedHash, row.RemovedHash) &&
		said.At.Equal(row.At)
}

// AppendLines runs last in a transaction: it locks the head of each chain, always in the same order, and nothing after
// that.
func AppendLines(v *engine.Vault, tx *gorm.DB, lines []audit.Line) error {
	chains := map[string][]audit.Line{}
	for _, l := range lines {
		chains[l.OrgID] = append(chains[l.OrgID], l)
	}
	for _, orgID := range slices.Sorted(maps.Keys(chains)) {
		if err := appendTo(v, tx, orgID, chains[orgID]); err != nil {
			return err
		}
	}
	return nil
}

func appendTo(v *engine.Vault, tx *gorm.DB, orgID string, lines []audit.Line) error {
	head, proven, err := lockedHead(v, tx, orgID)
	if err != nil {
		return err
	}
	rows := make([]lineRow, len(lines))
	for i, l := range lines {
		rows[i] = sealLine(v, l)
		if l.At = engine.Stamp(l.At); l.At.Before(head.At) {
			l.At = head.At
		}
		l.Number, l.AddressSum, l.DetailSum = head.Number+1, rows[i].AddressSum, rows[i].DetailSum
		head.Number, head.At, head.Hash = l.Number, l.At, l.After(head.Hash)
		rows[i].Number, rows[i].At, rows[i].Hash = l.Number, l.At, slices.Clone(head.Hash[:])
	}
	if err := tx.Create(&rows).Error; err != nil {
		return err
	}
	return saveHead(v, tx, head, proven)
}

// saveHead seals a head only if the previous one was proven, so that tampering stays detectable.
func saveHead(v *engine.Vault, tx *gorm.DB, head audit.Head, proven bool) error {
	row, but := HeadRowOf(v, head), []string{"id"}
	if !proven {
		but = append(but, "sealed")
	}
	return tx.Model(&auditHeadRow{}).Where("id = ?", row.ID).Select("*").Omit(but...).Updates(&row).Error
}

// lockedHead locks the head of a chain and says whether it agrees with its seal. A head or lines that were tampered
// with still take further lines, because people work on: an organisation is made with its head, so a missing one is
// made without a seal.
func lockedHead(v *engine.Vault, tx *gorm.DB, orgID string) (head audit.Head, proven bool, err error) {
	find := func() (rows []auditHeadRow, err error) {
		err = engine.Locked("UPDATE", "")(tx).Limit(1).Find(&rows, "id = ?", orgID).Error
		return rows, err
	}
	rows, err := find()
	if err == nil && len(rows) == 0 {
		first := HeadRowOf(v, FirstHead(orgID))
		var org []int
		err = tx.Table("organisations").Where("id = ?", orgID).Limit(1).Select("1").Scan(&org).Error
		if err != nil {
			return head, false, err
		}
		if len(org) > 0 {
			first.Sealed = nil
		}
		if err = tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&first).Error; err == nil {
			rows, err = find()
		}
	}
	if err != nil {
		return head, false, err
	}
	head, proven = rows[0].head(), sealIsTrue(v, rows[0])
	var last []lineRow
	err = tx.Select("number", "at", "hash").Where("org_id = ?", orgID).Order("number DESC").Limit(1).Find(&last).Error
	if len(last) > 0 && last[0].Number > head.Number {
		proven, head.Number, head.At = false, last[0].Number, last[0].At.UTC()
		copy(head.Hash[:], last[0].Hash)
	}
	return head, proven, err
}

type auditLines struct {
	engine.Conn
	vault  *engine.Vault
	engine *engine.Engine
}

func (r auditLines) Append(_ context.Context, l audit.Line) error {
	if !r.Tx {
		return engine.Named("audit.append", ports.ErrOutsideTx)
	}
	*r.Lines = append(*r.Lines, l)
	return nil
}

func (r auditLines) Head(ctx context.Context, orgID string) (audit.Head, error) {
	row, err := engine.FindOne(ctx, r.Query, "audit.head", engine.Same[auditHeadRow],
		engine.ByID(orgID))
	if err == nil && !sealIsTrue(r.vault, row) {
		err = engine.Named("audit.head", ports.ErrUnreadable)
	}
	return row.head(), err
}

func (r auditLines) Heads(ctx context.Context, after string, limit int) ([]audit.Head, error) {
	proven := func(row auditHeadRow) audit.Head {
		if !sealIsTrue(r.vault, row) {
			return audit.Head{OrgID: string(row.ID)}
		}
		return row.head()
	}
	scopes := []engine.Scope{engine.Order("id"), func(db *gorm.DB) *gorm.DB { return db.Limit(limit) }}
	if after != "" {
		scopes = append(scopes, engine.Where("id > ?", after))
	}
	return engine.FindAll(ctx, r.Query, "audit.heads", proven, scopes...)
}

func (r auditLines) WitnessKey(ctx context.Context) (ed25519.PrivateKey, error) {
	secret, err := r.engine.SubjectSecret(ctx)
	if err != nil {
		return nil, err
	}
	seed, err := hkdf.Key(sha256.New, secret, nil, "fichario audit witness v1", ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

func (r auditLines) Last(ctx context.Context, orgID string) (n int64, err error) {
	err = r.Query(ctx, "audit.last", func(db *gorm.DB) error {
		return db.Model(&lineRow{}).Where("org_id = ?", orgID).Select("COALESCE(MAX(number), 0)").Scan(&n).Error
	})
	return n, err
}
