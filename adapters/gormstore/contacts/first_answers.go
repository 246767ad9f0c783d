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

// answeredRow counts the contacts that got their first answer in an hour, and the seconds that they had waited; the
// last seven are crm.AnsweredWithin.
type answeredRow struct {
	OrgID    engine.UID `gorm:"primaryKey"`
	Hour     time.Time  `gorm:"primaryKey"`
	MemberID engine.UID `gorm:"primaryKey"`
	OriginID engine.UID `gorm:"primaryKey"` // NoID without one
	Answers  int64      `gorm:"not null"`
	Seconds  int64      `gorm:"not null"`

	Within5m  int64 `gorm:"column:within_5m;not null;default:0"`
	Within15m int64 `gorm:"column:within_15m;not null;default:0"`
	Within1h  int64 `gorm:"column:within_1h;not null;default:0"`
	Within4h  int64 `gorm:"column:within_4h;not null;default:0"`
	Within1d  int64 `gorm:"column:within_1d;not null;default:0"`
	Within3d  int64 `gorm:"column:within_3d;not null;default:0"`
	Longer    int64 `gorm:"not null;default:0"`
}

// within are the fields of crm.AnsweredWithin, in its order.
func (r *answeredRow) within() [len(crm.AnsweredWithin{})]*int64 {
	return [...]*int64{&r.Within5m, &r.Within15m, &r.Within1h, &r.Within4h, &r.Within1d, &r.Within3d, &r.Longer}
}

func (answeredRow) TableName() string { return "first_answers" }

var answerTally = engine.TallyOf(answeredRow{})

func (r contacts) Answer(ctx context.Context, c crm.Contact, memberID string, at time.Time) error {
	return r.answered(ctx, "contacts.answer", c, memberID, at, 1)
}

func (r contacts) Unanswer(ctx context.Context, c crm.Contact, memberID string, at time.Time) error {
	return r.answered(ctx, "contacts.unanswer", c, memberID, at, -1)
}

// answered counts a first answer, or takes it back, and ends or resumes the contact's waiting.
func (r contacts) answered(
	ctx context.Context, op string, c crm.Contact, memberID string, at time.Time, n int64,
) error {
	return r.Inside(ctx, op, func(db *gorm.DB) error {
		of := engine.Routed(c.OrgID)
		changed := of(db.Model(&ContactRow{})).Where("id = ? AND waiting = ?", c.ID, n > 0).Update("waiting", n < 0)
		if changed.Error != nil || changed.RowsAffected == 0 {
			return changed.Error
		}
		var merged []RemovedRow
		if err := mergedInto(c.OrgID, c.ID)(db.Session(&gorm.Session{NewDB: true})).Find(&merged).Error; err != nil {
			return err
		}
		with := engine.Mapped(merged, func(row RemovedRow) crm.Removal { return RemovalOf(r.vault, row) })
		waited := max(0, at.Sub(c.WaitsSince(with)))
		row := answeredRow{
			OrgID: engine.UID(c.OrgID), Hour: engine.HourOf(at), MemberID: engine.UID(memberID),
			OriginID: engine.OrNoID(engine.Optional(c.OriginID)), Answers: n, Seconds: n * int64(waited/time.Second),
		}
		*row.within()[crm.Bound(waited)] = n
		return engine.Through(db)(answerTally, &row)
	})
}

func (r contacts) FirstAnswers(ctx context.Context, orgID string, since time.Time) ([]ports.FirstAnswer, error) {
	sums := func(db *gorm.DB) *gorm.DB {
		sums := engine.Mapped(answerTally.Counts, func(c string) string { return "CAST(SUM(" + c + ") AS bigint) AS " + c })
		return db.Select("member_id, origin_id, "+strings.Join(sums, ", ")).
			Where("org_id = ? AND hour >= ?", orgID,
				engine.HourOf(since)).Group("member_id, origin_id").Having("SUM(answers) > 0"). // some were taken back
			Order("member_id, origin_id")
	}
	return engine.FindAll(ctx, r.QueryList, "contacts.firstAnswers", func(row answeredRow) ports.FirstAnswer {
		a := ports.FirstAnswer{
			MemberID: string(row.MemberID), OriginID: row.OriginID.Known(), Answers: int(row.Answers),
			Waited: time.Duration(row.Seconds) * time.Second,
		}
		for i, n := range row.within() { // an answer from before they were counted may be taken back
			a.Within[i] = int(max(0, *n))
		}
		return a
	}, sums)
}

func (r contacts) Log(ctx context.Context, e crm.Event) error {
	event := EventRowOf(r.vault, e)
	return r.Inside(ctx, "contacts.log", func(db *gorm.DB) error {
		var there int
		err := db.Raw("SELECT COUNT(*) FROM contacts WHERE id = ? AND org_id = ?", e.ContactID, e.OrgID).Scan(&there).Error
		if err != nil {
			return err
		}
		if there == 0 {
			return ports.ErrNotFound
		}
		return db.Create(&event).Error
	})
}
