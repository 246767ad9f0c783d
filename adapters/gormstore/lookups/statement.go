package lookups

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/privacy"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// LookupRow is a line of the statement.
type LookupRow struct {
	ID       engine.UID `gorm:"primaryKey"`
	OrgID    engine.UID `gorm:"not null"`
	KeyID    *engine.UID
	MemberID *engine.UID
	Product  string    `gorm:"not null"`
	DocType  string    `gorm:"not null"`
	Document []byte    `gorm:"not null" stored:"sealed"`
	At       time.Time `gorm:"not null"`
	Cache    bool      `gorm:"not null"`
	Charged  bool      `gorm:"not null"`
	Amount   int64     `gorm:"not null"`
	Status   string    `gorm:"not null"`
	RecordID *engine.UID
	Day      string `gorm:"not null"`
	Month    string `gorm:"not null"`
	SettleAt *time.Time
	// ContactID is the contact that the lookup is about.
	ContactID *engine.UID
	// BatchID and AutomationID say what asked on behalf of the key or member.
	BatchID, AutomationID *engine.UID
	Purpose               string `gorm:"not null;default:''"`
	// Bureau is that of the call, or of the answer from the history; FollowedID the entry of the call that answered.
	Bureau     string `gorm:"not null;default:''"`
	FollowedID *engine.UID
	Compared   bool `gorm:"not null;default:false"`
	// Inputs are what was asked beside the document; NULL for nothing.
	Inputs []byte `stored:"sealed"`
	Others int64  `gorm:"not null;default:0"`
	// Spare and SpareCalls are reserved while the entry is running, and mean nothing afterwards; but SpareCalls is
	// settledCalls where the call was settled, and so counted, as one without an answer.
	Spare      int64 `gorm:"not null;default:0"`
	SpareCalls int64 `gorm:"not null;default:0"`
}

// TableName is the table of the row.
func (LookupRow) TableName() string { return "lookups" }

func lookupRowOf(v *engine.Vault, e lookup.Entry) LookupRow {
	return LookupRow{
		ID: engine.UID(e.ID), OrgID: engine.UID(e.OrgID), KeyID: engine.Optional(e.KeyID),
		MemberID: engine.Optional(e.MemberID),
		Product:  e.Product, DocType: string(e.Document.Type()),
		Document: v.Seal([]byte(e.Document.Value()), "lookups|document|"+e.ID),
		At:       engine.Stamp(e.At), Cache: e.Cache, Charged: e.Charged, Amount: int64(e.Amount), Status: string(e.Status),
		RecordID: engine.Optional(e.RecordID), Day: e.Day, Month: e.Month, SettleAt: engine.OptionalTime(e.SettleAt),
		ContactID: engine.Optional(e.ContactID), BatchID: engine.Optional(e.BatchID),
		AutomationID: engine.Optional(e.AutomationID),
		Purpose:      e.Purpose,
		Bureau:       e.Bureau, FollowedID: engine.Optional(e.FollowedID), Compared: e.Compared,
		Inputs: sealedInputs(v, e.Inputs, "lookups|inputs|"+e.ID),
		Others: int64(e.Others), Spare: int64(e.Spare.Amount), SpareCalls: int64(e.Spare.Count),
	}
}

func entryOf(v *engine.Vault, row LookupRow) lookup.Entry {
	e := lookup.Entry{
		ID: string(row.ID), OrgID: string(row.OrgID), KeyID: row.KeyID.Text(), MemberID: row.MemberID.Text(),
		Product: row.Product, At: row.At.UTC(), Cache: row.Cache, Charged: row.Charged, Amount: catalog.Money(row.Amount),
		Status: lookup.Status(row.Status), RecordID: row.RecordID.Text(), Day: row.Day, Month: row.Month,
		SettleAt: engine.TimeOf(row.SettleAt), ContactID: row.ContactID.Text(),
		BatchID: row.BatchID.Text(), AutomationID: row.AutomationID.Text(), Purpose: row.Purpose,
		Bureau: row.Bureau, FollowedID: row.FollowedID.Text(), Compared: row.Compared,
		Others: catalog.Money(row.Others),
	}
	if e.Status == lookup.Running {
		e.Spare = lookup.Spent{Count: int(row.SpareCalls), Amount: catalog.Money(row.Spare)}
	}
	openDocument(v, &e, document.Type(row.DocType), row.Document)
	if len(row.Inputs) > 0 {
		inputs, ok := v.Shown(row.Inputs, "lookups|inputs|"+e.ID)
		e.Inputs, e.Unreadable = string(inputs), e.Unreadable || !ok
	}
	return e
}

// openDocument opens the document of an entry.
func openDocument(v *engine.Vault, e *lookup.Entry, docType document.Type, sealed []byte) {
	value, ok := v.Shown(sealed, "lookups|document|"+e.ID)
	e.Unreadable, e.Erased = !ok, ok && len(value) == 0
	if ok && !e.Erased {
		e.Document = document.Restore(docType, string(value))
	}
}

type statement struct {
	engine.Conn
	vault *engine.Vault
	// secret is the key of the hashes by which people are found.
	secret func(context.Context) ([]byte, error)
}

func (r statement) Add(ctx context.Context, e lookup.Entry) error {
	row := lookupRowOf(r.vault, e)
	secret, err := r.secret(ctx)
	if err != nil {
		return err
	}
	subject := engine.DocumentHash(secret, e.OrgID, e.Document)
	queued := false
	err = r.Whole(ctx, "statement.add", func(db *gorm.DB) (err error) {
		barred, err := privacy.Barred(db, e.OrgID, e.Since, engine.Where("subject = ?", engine.Blob(subject)))
		if err != nil || len(barred) > 0 {
			return cmp.Or(err, ports.ErrErased)
		}
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		if queued, err = addCompleted(db, row, automation.Trail(e.Trail)); err != nil {
			return err
		}
		sum := newCharges(engine.Distributed(db))
		sum.inserted(row)
		return sum.through(db)
	})
	if err == nil && queued {
		r.MakeDue(automation.FanOut)
	}
	return err
}

func (r statement) Find(ctx context.Context, orgID, id string) (lookup.Entry, error) {
	return engine.FindOne(ctx, r.Query, "statement.find", engine.With(r.vault, entryOf), engine.Of(orgID, id))
}

func (r statement) Entries(ctx context.Context, orgID string, ids []string) (map[string]lookup.Entry, error) {
	out := map[string]lookup.Entry{}
	if ids = engine.Given(ids); len(ids) == 0 {
		return out, nil
	}
	// The bounds let PostgreSQL prune partitions.
	found, err := engine.FindAll(ctx, r.Query, "statement.entries", engine.With(r.vault, entryOf),
		engine.Where("id IN ?", ids), engine.In(orgID),
		engine.Where("id BETWEEN ? AND ?", slices.Min(ids), slices.Max(ids)))
	for _, e := range found {
		out[e.ID] = e
	}
	return out, err
}

// running selects entries without an outcome, but for those whose answers come later. Where another caller sets the
// outcome, settle_at stays: it marks an entry that its owner may still settle.
func running(condition string, values ...any) engine.Scope {
	return engine.Where("status = "+engine.Literal(lookup.Running)+" AND "+condition+
		" AND lookups.id NOT IN (SELECT a.id FROM later_answers a)", values...)
}

func (r statement) Abandon(ctx context.Context, id string, settles time.Time) (abandoned bool, err error) {
	err = r.Whole(ctx, "statement.abandon", func(db *gorm.DB) error {
		// Locked before it is looked at, because its owner may just be told that the answer comes later.
		var row LookupRow
		found := func(of engine.Scope) (bool, error) {
			err := of(engine.Locked("UPDATE", "")(db)).Select("id").Limit(1).Find(&row, "id = ?", id).Error
			return row.ID != "", err
		}
		if err := engine.EachOrg(db.Model(&LookupRow{}).Where("id = ?", id), found); err != nil {
			return err
		}
		n, err := r.unanswered(db, running("id = ? AND settle_at <= ?", id, engine.Stamp(settles)))
		abandoned = n > 0
		return err
	})
	return abandoned, err
}

// settledCalls is SpareCalls of an entry that was settled.
const settledCalls = -1

// settledAtOnce is the most entries that one statement settles.
const settledAtOnce = 500

// unanswered ends running entries without an answer, gives back what was reserved beside the call that may have been
// made, and counts that call.
func (r statement) unanswered(db *gorm.DB, which engine.Scope) (n int, err error) {
	var rows []LookupRow
	inOrder := "id" // as all transactions lock those of an organisation
	if db.Name() == "sqlite" {
		inOrder = "+id" // else it walks all entries in the order of their ids, instead of those that run
	}
	fresh := func() *gorm.DB { return db.Session(&gorm.Session{NewDB: true}).Model(&LookupRow{}) }
	err = engine.EveryOrg(which(fresh()).Order("settle_at"), func(of engine.Scope) error {
		var some []LookupRow
		err := of(engine.Locked("UPDATE", "")(which(fresh()))).Omit("document", "inputs").Order(inOrder).Find(&some).Error
		rows = append(rows, some...)
		return err
	})
	if err != nil {
		return 0, err
	}
	sum := newCharges(engine.Distributed(db))
	for some := range slices.Chunk(rows, settledAtOnce) {
		ids := engine.Mapped(some, func(row LookupRow) engine.UID { return row.ID })
		of := engine.RoutedAny(engine.Distinct(some, func(row LookupRow) engine.UID { return row.OrgID }))
		ended := of(db.Model(&LookupRow{})).Where("id IN ?", ids).
			Updates(map[string]any{"status": string(lookup.NoAnswer), "spare": 0, "spare_calls": settledCalls})
		if ended.Error != nil {
			return 0, ended.Error
		}
		n += int(ended.RowsAffected)
		for _, row := range some {
			sum.account(row, -row.SpareCalls, -row.Spare)
			sum.settled(row, 1)
		}
	}
	return n, sum.through(db)
}

func (r statement) Settle(ctx context.Context, now time.Time) (n int, err error) {
	err = r.Whole(ctx, "statement.settle", func(db *gorm.DB) error {
		// The leases go first, in the order that all transactions use, so that no two deadlock.
		expired := engine.Where("expires_at <= ? AND call_id NOT IN (SELECT id FROM later_answers)", engine.Stamp(now))
		fresh := func() *gorm.DB { return db.Session(&gorm.Session{NewDB: true}).Model(&leaseRow{}) }
		err := engine.EveryOrg(expired(fresh()).Order("expires_at"), func(of engine.Scope) error {
			over := of(expired(engine.Locked("UPDATE", "")(fresh()))).Select("doc_index").Order("doc_index")
			return of(fresh()).Delete(nil, "doc_index IN (?) AND expires_at <= ?", over, engine.Stamp(now)).Error
		})
		if err != nil {
			return err
		}
		n, err = r.unanswered(db, running("settle_at <= ?", engine.Stamp(now)))
		return err
	})
	return n, err
}

// asker selects rows by who asked.
func asker(by lookup.Asker) engine.Scope {
	switch {
	case by.KeyID != "":
		return func(db *gorm.DB) *gorm.DB {
			return db.Where("key_id = ? AND "+engine.WithOrg(db), by.KeyID, by.OrgID)
		}
	case by.MemberID != "":
		return func(db *gorm.DB) *gorm.DB {
			return db.Where("member_id = ? AND "+engine.WithOrg(db), by.MemberID, by.OrgID)
		}
	case by.Members:
		return engine.Where("org_id = ? AND key_id IS NULL", by.OrgID)
	}
	return engine.Where("org_id = ?", by.OrgID)
}

func (r statement) Asked(ctx context.Context, orgID string, recordIDs []string) (map[string]lookup.Entry, error) {
	out := map[string]lookup.Entry{}
	if recordIDs = engine.Given(recordIDs); len(recordIDs) == 0 {
		return out, nil
	}
	var parts []RecordRow
	err := r.Query(ctx, "statement.asked", func(db *gorm.DB) error {
		return engine.In(orgID)(db).Select("id", "of_id").Find(&parts, "id IN ? AND of_id IS NOT NULL", recordIDs).Error
	})
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		recordIDs = append(recordIDs, part.OfID.Text())
	}
	brought := engine.Where("record_id IN ? AND NOT cache", recordIDs)
	entries, err := engine.FindAll(ctx, r.Query, "statement.asked", engine.With(r.vault, entryOf), brought,
		engine.In(orgID))
	for _, e := range entries {
		out[e.RecordID] = e
	}
	for _, part := range parts {
		if e, is := out[part.OfID.Text()]; is {
			out[string(part.ID)] = e
		}
	}
	return out, err
}

func (r statement) Spend(ctx context.Context, by lookup.Asker, from, until string) ([]lookup.DaySpent, error) {
	type row struct {
		Day, Product string
		Count        int
		Amount       int64
	}
	perDay := func(db *gorm.DB) *gorm.DB {
		return dayTotals(by, from, until)(db).
			Select("day, product, CAST(SUM(charged) AS bigint) AS count, CAST(SUM(amount) AS bigint) AS amount").
			Group("day, product").Having("SUM(charged) <> 0").Order("day, product")
	}
	return engine.FindAll(ctx, r.QueryList, "statement.spend", func(r row) lookup.DaySpent {
		return lookup.DaySpent{
			Day: r.Day, Product: r.Product, Spent: lookup.Spent{Count: r.Count, Amount: catalog.Money(r.Amount)},
		}
	}, perDay)
}

func (r statement) Tie(ctx context.Context, orgID, id, contactID string) error {
	_, err := r.ExecCount(ctx, "statement.tie", func(db *gorm.DB) *gorm.DB {
		return engine.Of(orgID, id)(db.Model(&LookupRow{})).Update("contact_id", contactID)
	})
	return err
}

func (r statement) OfContact(
	ctx context.Context, orgID, contactID string, limit int,
) (out []ports.ContactLookup, err error) {
	err = r.Query(ctx, "statement.ofContact", func(db *gorm.DB) error {
		family, err := contacts.Family(fresh(db), orgID, engine.Given([]string{contactID}))
		if err != nil {
			return err
		}
		var rows []LookupRow
		for _, id := range family {
			var own []LookupRow
			w, ofOrg := engine.WalkOf("lookups_contact", "contact_id", id), ofOrganisation(orgID)
			questions := ofOrg(fresh(db)).Where("followed_id IS NULL")
			err := w.Page(questions, "lookups", engine.BeforeAll, engine.AfterAll, false, limit).Find(&own).Error
			if err != nil {
				return err
			}
			rows = append(rows, own...)
		}
		slices.SortFunc(rows, func(a, b LookupRow) int { return cmp.Compare(b.ID, a.ID) })
		rows = rows[:min(limit, len(rows))]
		answered, err := answeredAt(db, orgID, rows)
		if err != nil {
			return err
		}
		out = make([]ports.ContactLookup, len(rows))
		for i, row := range rows {
			out[i].Entry = entryOf(r.vault, row)
			if row.RecordID != nil {
				out[i].AnsweredAt = answered[*row.RecordID]
			}
		}
		return nil
	})
	return out, err
}

// answeredAt returns when the records of some lookups of an organisation were answered, by record id.
func answeredAt(db *gorm.DB, orgID string, rows []LookupRow) (map[engine.UID]time.Time, error) {
	var ids []engine.UID
	for _, row := range rows {
		if row.RecordID != nil {
			ids = append(ids, *row.RecordID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var records []RecordRow
	err := engine.Routed(orgID)(db).Select("id", "answered_at").Find(&records, "id IN ?", ids).Error
	out := map[engine.UID]time.Time{}
	for _, record := range records {
		out[record.ID] = record.AnsweredAt.UTC()
	}
	return out, err
}
