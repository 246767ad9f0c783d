package team

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/privacy"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

type orgRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	Name      string     `gorm:"not null"`
	CreatedAt time.Time  `gorm:"not null"`
	Epoch     int64      `gorm:"not null;default:0"`
	// MemberBatchLimit is null where no limit was set.
	MemberBatchLimit *int64
	OwnHistory       bool `gorm:"not null;default:false"`
	SecondFactor     bool `gorm:"not null;default:false"`
}

func (orgRow) TableName() string { return "organisations" }

func (r orgRow) org() crm.Organisation {
	o := crm.Organisation{
		ID: string(r.ID), Name: r.Name, CreatedAt: r.CreatedAt.UTC(), MemberBatchLimit: crm.DefaultMemberBatchLimit,
		OwnHistory: r.OwnHistory, SecondFactor: r.SecondFactor,
	}
	if r.MemberBatchLimit != nil {
		o.MemberBatchLimit = catalog.Money(*r.MemberBatchLimit)
	}
	return o
}

type orgs struct {
	engine.Conn
	vault *engine.Vault
}

func (r orgs) Create(ctx context.Context, o crm.Organisation) error {
	row, head := orgRow{ID: engine.UID(o.ID), Name: o.Name, CreatedAt: engine.Stamp(o.CreatedAt)},
		privacy.HeadRowOf(r.vault, privacy.FirstHead(o.ID))
	return r.Whole(ctx, "orgs.create", func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&head).Error
	})
}

func (r orgs) SetMemberBatchLimit(ctx context.Context, id string, limit catalog.Money) error {
	return r.Exec(ctx, "orgs.setMemberBatchLimit", func(db *gorm.DB) error {
		return engine.OrNotFound(db.Model(&orgRow{}).Where("id = ?", id).Update("member_batch_limit", int64(limit)))
	})
}

func (r orgs) SetShareHistory(ctx context.Context, id string, share bool) error {
	return r.Exec(ctx, "orgs.setShareHistory", func(db *gorm.DB) error {
		return engine.OrNotFound(db.Model(&orgRow{}).Where("id = ?", id).Update("own_history", !share))
	})
}

func (r orgs) SetSecondFactor(ctx context.Context, id string, required bool) error {
	return r.Exec(ctx, "orgs.setSecondFactor", func(db *gorm.DB) error {
		return engine.OrNotFound(db.Model(&orgRow{}).Where("id = ?", id).Update("second_factor", required))
	})
}

func (r orgs) Find(ctx context.Context, id string) (crm.Organisation, error) {
	return engine.FindOne(ctx, r.Query, "orgs.find", orgRow.org, engine.ByID(id))
}

func (r orgs) List(ctx context.Context) ([]crm.Organisation, error) {
	return engine.FindAll(ctx, r.Query, "orgs.list", orgRow.org, engine.Order("created_at, id"))
}

func (r orgs) Only(ctx context.Context) (crm.Organisation, error) {
	two := func(db *gorm.DB) *gorm.DB { return db.Limit(2) }
	some, err := engine.FindAll(ctx, r.Query, "orgs.only", orgRow.org, two)
	if err == nil && len(some) != 1 {
		err = ports.ErrNotFound
	}
	if err != nil {
		return crm.Organisation{}, err
	}
	return some[0], nil
}

func (r orgs) Lock(ctx context.Context, id string) error {
	_, err := engine.FindOne(ctx, r.Inside, "orgs.lock", orgRow.org, engine.Locked("UPDATE", ""), engine.ByID(id))
	return err
}

// ChargesLock is the number of the advisory lock of an organisation's charges on PostgreSQL.
func ChargesLock(orgID engine.UID) int64 { return engine.LockNumber("charges", orgID) }

func (r orgs) HoldCharges(ctx context.Context, id string) error {
	return r.Inside(ctx, "orgs.holdCharges", func(db *gorm.DB) error {
		if db.Name() != "postgres" {
			return nil
		}
		return db.Exec("SELECT pg_advisory_xact_lock(?)", ChargesLock(engine.UID(id))).Error
	})
}
