package contacts

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/ports"
)

type rotationRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	Name      string     `gorm:"not null"`
	CreatedAt time.Time  `gorm:"not null"`
}

func (rotationRow) TableName() string { return "rotations" }

type rotationMemberRow struct {
	RotationID engine.UID `gorm:"primaryKey"`
	MemberID   engine.UID `gorm:"primaryKey"`
	Weight     int        `gorm:"not null"`
	AwayUntil  *time.Time
}

func (rotationMemberRow) TableName() string { return "rotation_members" }

// turnRow counts the turns taken of a rotation.
type turnRow struct {
	RotationID engine.UID `gorm:"primaryKey"`
	Turn       int64      `gorm:"not null"`
	OrgID      *engine.UID
}

func (turnRow) TableName() string { return "rotation_turns" }

// givenRow counts the contacts that a rotation gave to a member.
type givenRow struct {
	RotationID engine.UID `gorm:"primaryKey"`
	MemberID   engine.UID `gorm:"primaryKey"`
	Contacts   int64      `gorm:"not null"`
	OrgID      *engine.UID
}

func (givenRow) TableName() string { return "rotation_counts" }

// TurnTally counts the turns of each rotation, GivenTally the contacts that each member got by them.
var (
	TurnTally  = engine.TallyOf(turnRow{})
	GivenTally = engine.TallyOf(givenRow{})
)

// readTurn reads on SQLite what Take reads through GORM.
const readTurn = "SELECT turn FROM rotation_turns WHERE rotation_id = ?"

// Turns is the order of a rotation as the bulk statement of posts takes it: concatenated ids.
type Turns struct {
	Org, Rotation engine.UID
	Sequence      string
}

// TurnsOf are the turns of a newcomer's webhook; nil where it has no rotation.
func TurnsOf(n ports.Newcomer) *Turns {
	if n.RotationID == "" || len(n.Sequence) == 0 {
		return nil
	}
	return &Turns{engine.UID(n.Contact.OrgID), engine.UID(n.RotationID), strings.Join(n.Sequence, "")}
}

// IDLength is the length of an id in a sequence.
const IDLength = 36

// Of is the member of the n-th turn, counted from 1.
func (t Turns) Of(n int64) string {
	at := (n - 1) % int64(len(t.Sequence)/IDLength) * IDLength
	return t.Sequence[at : at+IDLength]
}

// Take takes the next turn inside a transaction, and returns whose it is.
func (t Turns) Take(tx *gorm.DB) (string, error) {
	if err := engine.Through(tx)(TurnTally, &turnRow{t.Rotation, 1, &t.Org}); err != nil {
		return "", err
	}
	var n int64
	turn := engine.Routed(string(t.Org))(tx.Model(&turnRow{})).Where("rotation_id = ?", t.Rotation).Select("turn")
	if err := turn.Scan(&n).Error; err != nil {
		return "", err
	}
	member := t.Of(n)
	return member, engine.Through(tx)(GivenTally, &givenRow{t.Rotation, engine.UID(member), 1, &t.Org})
}

// TakeOn is Take on SQLite, where posts of a moment share a transaction; it keeps the error.
func (t Turns) TakeOn(w *engine.SQLiteTx) (member string) {
	var n int64
	_ = w.Counting(TurnTally, &turnRow{t.Rotation, 1, &t.Org})
	if w.Row(readTurn, []any{t.Rotation}, &n) {
		member = t.Of(n)
		_ = w.Counting(GivenTally, &givenRow{t.Rotation, engine.UID(member), 1, &t.Org})
	}
	return member
}

type rotations struct{ engine.Conn }

func (r rotations) Create(ctx context.Context, made crm.Rotation) error {
	row := rotationRow{ID: engine.UID(made.ID), OrgID: engine.UID(made.OrgID), Name: made.Name,
		CreatedAt: engine.Stamp(made.CreatedAt)}
	return r.ExecPosts(ctx, "rotations.create", made.OrgID, func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return writeRotationMembers(db, made)
	})
}

func writeRotationMembers(db *gorm.DB, r crm.Rotation) error {
	if len(r.Members) == 0 {
		return nil
	}
	rows := engine.Mapped(r.Members, func(m crm.RotationMember) rotationMemberRow {
		return rotationMemberRow{engine.UID(r.ID), engine.UID(m.MemberID), m.Weight, engine.OptionalTime(m.AwayUntil)}
	})
	return db.Create(&rows).Error
}

func (r rotations) Update(ctx context.Context, changed crm.Rotation) error {
	return r.ExecPosts(ctx, "rotations.update", changed.OrgID, func(db *gorm.DB) error {
		err := engine.OrNotFound(db.Model(&rotationRow{}).Where("id = ? AND org_id = ?", changed.ID, changed.OrgID).
			Update("name", changed.Name))
		if err != nil {
			return err
		}
		if err := db.Delete(&rotationMemberRow{}, "rotation_id = ?", changed.ID).Error; err != nil {
			return err
		}
		return writeRotationMembers(db, changed)
	})
}

func (r rotations) Remove(ctx context.Context, gone crm.Rotation) error {
	return r.ExecPosts(ctx, "rotations.remove", gone.OrgID, func(db *gorm.DB) error {
		if err := engine.OrNotFound(db.Delete(&rotationRow{}, "id = ? AND org_id = ?", gone.ID, gone.OrgID)); err != nil {
			return err
		}
		for _, of := range []any{&turnRow{}, &givenRow{}} {
			if err := engine.Routed(gone.OrgID)(db).Delete(of, "rotation_id = ?", gone.ID).Error; err != nil {
				return err
			}
		}
		return db.Delete(&rotationMemberRow{}, "rotation_id = ?", gone.ID).Error
	})
}

func (r rotations) Find(ctx context.Context, orgID, id string) (out crm.Rotation, err error) {
	err = r.Query(ctx, "rotations.find", func(db *gorm.DB) error {
		all, err := ReadRotations(db, engine.Of(orgID, id))
		if err == nil && len(all) == 0 {
			err = ports.ErrNotFound
		}
		if err == nil {
			out = all[0]
		}
		return err
	})
	return out, err
}

func (r rotations) List(ctx context.Context, orgID string) (out []crm.Rotation, err error) {
	err = r.Query(ctx, "rotations.list", func(db *gorm.DB) error {
		out, err = ReadRotations(db, engine.Where("org_id = ?", orgID))
		return err
	})
	return out, err
}

// ReadRotations reads rotations with their members and the contacts given to each.
func ReadRotations(db *gorm.DB, wanted engine.Scope) ([]crm.Rotation, error) {
	var rows []rotationRow
	if err := wanted(db).Order("id").Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	ids := engine.Mapped(rows, func(row rotationRow) engine.UID { return row.ID })
	var members []rotationMemberRow
	if err := db.Order("member_id").Find(&members, "rotation_id IN ?", ids).Error; err != nil {
		return nil, err
	}
	var given []givenRow
	orgs := engine.Distinct(rows, func(row rotationRow) engine.UID { return row.OrgID })
	if err := engine.RoutedAny(orgs)(db).Find(&given, "rotation_id IN ?", ids).Error; err != nil {
		return nil, err
	}
	return engine.Mapped(rows, func(row rotationRow) crm.Rotation {
		out := crm.Rotation{
			ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, CreatedAt: row.CreatedAt.UTC(),
		}
		for _, m := range members {
			if m.RotationID != row.ID {
				continue
			}
			one := crm.RotationMember{MemberID: string(m.MemberID), Weight: m.Weight, AwayUntil: engine.TimeOf(m.AwayUntil)}
			for _, g := range given {
				if g.RotationID == row.ID && g.MemberID == m.MemberID {
					one.Given = int(g.Contacts)
				}
			}
			out.Members = append(out.Members, one)
		}
		return out
	}), nil
}

func (r rotations) Turn(ctx context.Context, orgID, id string, sequence []string) (member string, err error) {
	err = r.Inside(ctx, "rotations.turn", func(db *gorm.DB) error {
		member, err = Turns{engine.UID(orgID), engine.UID(id), strings.Join(sequence, "")}.Take(db)
		return err
	})
	return member, err
}
