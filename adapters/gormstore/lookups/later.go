package lookups

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/lookup"
	"fichario/ports"
)

// laterAnswerRow is a question that a bureau answers later. Whoever makes it due later has it until then.
type laterAnswerRow struct {
	ID      engine.UID `gorm:"primaryKey"` // of its entry
	Content []byte     `gorm:"not null" stored:"sealed"`
	Due     time.Time  `gorm:"not null"`
	Until   time.Time  `gorm:"not null"`
	Reply   []byte     `stored:"sealed"`
	Turn    bool       `gorm:"not null;default:false"`
}

func (laterAnswerRow) TableName() string { return "later_answers" }

// laterContent is the content of a laterAnswerRow.
type laterContent struct {
	Ticket  string      `json:"ticket"`
	Trail   string      `json:"trail,omitempty"`
	Compare bool        `json:"compare,omitempty"`
	Rest    []string    `json:"rest,omitempty"`
	Before  []string    `json:"before,omitempty"`
	Shares  *ports.Only `json:"shares,omitempty"`
}

type laterAnswers struct {
	engine.Conn
	vault *engine.Vault
	// secret keys the proofs: it stays when the data key is rotated.
	secret func(context.Context) ([]byte, error)
}

func (r laterAnswers) Accept(ctx context.Context, a ports.Accepted) error {
	const op = "laterAnswers.accept"
	if err := r.Outside(op); err != nil {
		return err
	}
	now, err := engine.Clock{Conn: r.Conn}.Now(ctx, a.At)
	if err != nil {
		return err
	}
	content := laterContent{a.Ticket, a.Trail, a.Compare, a.Rest, a.Before, a.Shares}
	row := laterAnswerRow{
		ID: engine.UID(a.ID), Due: engine.Stamp(now.Add(a.Every)), Until: engine.Stamp(now.Add(a.For)),
		Content: r.vault.SealJSON(content, "later_answers|content|"+a.ID),
	}
	settles := row.Until.Add(a.Margin)
	err = r.Whole(ctx, op, func(db *gorm.DB) error {
		if err := r.leased(db, a, settles); err != nil {
			return err
		}
		was, err := lockedEntry(db, a.Entry)
		open := was.SettleAt != nil && was.Bureau == a.Entry.Bureau &&
			slices.Contains([]string{string(lookup.Running), string(lookup.NoAnswer)}, was.Status)
		if err != nil || !open {
			return cmp.Or(err, errEnded)
		}
		sum := newCharges(engine.Distributed(db))
		if was.SpareCalls == settledCalls { // it goes on, and is counted when it ends
			sum.settled(was, -1)
		}
		return cmp.Or(
			db.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error,
			db.Model(&LookupRow{}).Where("id = ? AND org_id = ?", row.ID, was.OrgID).Updates(map[string]any{
				"settle_at": settles, "status": string(lookup.Running), "spare_calls": max(was.SpareCalls, 0),
			}).Error,
			sum.through(db),
		)
	})
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// leased puts off when the leases of a question end, or takes them again where they are free since it was settled.
func (r laterAnswers) leased(db *gorm.DB, a ports.Accepted, until time.Time) error {
	done := engine.Routed(a.Entry.OrgID)(db.Model(&leaseRow{})).Where("call_id = ?", a.ID).Update("expires_at", until)
	if done.Error != nil || done.RowsAffected > 0 || a.Shares == nil {
		return done.Error
	}
	_, leases := sharedBy(r.vault, a.Entry, *a.Shares)
	rows := engine.Mapped(leases, func(lease []byte) leaseRow {
		return leaseRow{lease, engine.UID(a.ID), until, engine.Optional(a.Entry.OrgID)}
	})
	slices.SortFunc(rows, func(a, b leaseRow) int { return bytes.Compare(a.DocIndex, b.DocIndex) })
	return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error
}

// errEnded rolls a transaction back.
var errEnded = errors.New("the lookup has ended")

func (r laterAnswers) Claim(
	ctx context.Context, now, until time.Time, limit int,
) (out []ports.LaterAnswer, err error) {
	var rows []laterAnswerRow
	err = r.Exec(ctx, "laterAnswers.claim", func(db *gorm.DB) error {
		due := engine.Locked("UPDATE", "SKIP LOCKED")(db.Model(&laterAnswerRow{}).Select("id")).
			Where("due <= ?", engine.Stamp(now)).Order("due").Limit(limit)
		return db.Raw("UPDATE later_answers SET due = ?, turn = ? WHERE id IN (?) RETURNING id, content, due, until, reply",
			engine.Stamp(until), true, due).Scan(&rows).Error
	})
	for _, row := range rows {
		out = append(out, r.answer(row))
	}
	return out, err
}

func (r laterAnswers) answer(row laterAnswerRow) ports.LaterAnswer {
	a := ports.LaterAnswer{ID: string(row.ID), Due: row.Due.UTC(), Until: row.Until.UTC()}
	var content laterContent
	if plain, ok := r.vault.Shown(row.Content, "later_answers|content|"+a.ID); ok {
		_ = json.Unmarshal(plain, &content) // Accept wrote it
	}
	a.Ticket, a.Trail, a.Compare = content.Ticket, content.Trail, content.Compare
	a.Rest, a.Before, a.Shares = content.Rest, content.Before, content.Shares
	if len(row.Reply) > 0 {
		a.Reply = &ports.Reply{}
		if plain, ok := r.vault.Shown(row.Reply, "later_answers|reply|"+a.ID); ok {
			_ = json.Unmarshal(plain, a.Reply) // Arrive wrote it
		}
	}
	return a
}

func (r laterAnswers) Find(ctx context.Context, id string) (ports.LaterAnswer, error) {
	return engine.FindOne(ctx, r.Query, "laterAnswers.find", r.answer, engine.ByID(id))
}

func (r laterAnswers) Arrive(ctx context.Context, id string, reply ports.Reply, now time.Time) error {
	sealed := r.vault.SealJSON(reply, "later_answers|reply|"+id)
	return r.Exec(ctx, "laterAnswers.arrive", func(db *gorm.DB) error {
		return db.Exec("UPDATE later_answers SET reply = ?, due = CASE WHEN turn THEN due ELSE ? END WHERE id = ? AND reply IS NULL",
			engine.Blob(sealed), engine.Stamp(now), engine.UID(id)).Error
	})
}

func (r laterAnswers) Release(ctx context.Context, a ports.LaterAnswer, now, until time.Time) error {
	return r.Exec(ctx, "laterAnswers.release", func(db *gorm.DB) error {
		mine := func() *gorm.DB {
			return db.Model(&laterAnswerRow{}).Where("id = ? AND due = ?", a.ID, engine.Stamp(a.Due))
		}
		done := mine().Where("reply IS NULL OR ?", a.Reply != nil).
			Updates(map[string]any{"due": engine.Stamp(until), "turn": false})
		if done.Error != nil || done.RowsAffected > 0 {
			return done.Error
		}
		return mine().Updates(map[string]any{"due": engine.Stamp(now), "turn": false}).Error
	})
}

func (r laterAnswers) Count(ctx context.Context) (int, error) {
	var n int64
	err := r.Query(ctx, "laterAnswers.count", func(db *gorm.DB) error {
		return db.Model(&laterAnswerRow{}).Count(&n).Error
	})
	return int(n), err
}

func (r laterAnswers) Proof(ctx context.Context, bureau, id string) (string, error) {
	secret, err := r.secret(ctx)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(requestHash(secret, id, "callback", bureau)), nil
}

func (r laterAnswers) Hold(ctx context.Context, a ports.LaterAnswer, until time.Time) (bool, error) {
	n, err := r.ExecCount(ctx, "laterAnswers.hold", func(db *gorm.DB) *gorm.DB {
		return db.Model(&laterAnswerRow{}).
			Where("id = ? AND due = ? AND (reply IS NULL OR ?)", a.ID, engine.Stamp(a.Due), a.Reply != nil).
			Update("due", engine.Stamp(until))
	})
	return n > 0, err
}

func (r laterAnswers) Remove(ctx context.Context, a ports.LaterAnswer) error {
	return r.Exec(ctx, "laterAnswers.remove", func(db *gorm.DB) error {
		return db.Delete(&laterAnswerRow{}, "id = ? AND due = ?", a.ID, engine.Stamp(a.Due)).Error
	})
}
