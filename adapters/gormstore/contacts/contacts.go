package contacts

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

// ContactRow is a contact.
type ContactRow struct {
	ID          engine.UID `gorm:"primaryKey"`
	OrgID       engine.UID `gorm:"not null"`
	WebhookID   *engine.UID
	Name        string `gorm:"not null"`
	Email       string `gorm:"not null"`
	Phone       string `gorm:"not null"`
	PhoneE164   string `gorm:"column:phone_e164;not null"`
	Company     string `gorm:"not null"`
	Amount      int64  `gorm:"not null"`
	Note        []byte `gorm:"not null" stored:"sealed"`
	OriginID    *engine.UID
	Attribution []byte     `stored:"sealed"`
	StageID     engine.UID `gorm:"not null"`
	AssigneeID  *engine.UID
	CreatedAt   time.Time `gorm:"not null"`
	Search      string
	Waiting     bool `gorm:"not null;default:false"`
	// Documents are sealed; DocIndex concatenates the keyed hash of each, from which triggers make rows of
	// contact_documents.
	Documents []byte `stored:"sealed"`
	DocIndex  []byte
	Consents  []byte `stored:"sealed"`
}

// TableName is the table of the row.
func (ContactRow) TableName() string { return "contacts" }

// ContactRowOf seals a contact.
func ContactRowOf(v *engine.Vault, c crm.Contact) ContactRow {
	row := ContactRow{
		ID: engine.UID(c.ID), OrgID: engine.UID(c.OrgID), WebhookID: engine.Optional(c.WebhookID), Name: c.Name,
		Email: c.Email, Phone: c.Phone,
		PhoneE164: c.PhoneE164, Company: c.Company, Amount: int64(c.Amount), Note: SealNote(v, c),
		OriginID: engine.Optional(c.OriginID), StageID: engine.UID(c.StageID), AssigneeID: engine.Optional(c.AssigneeID),
		CreatedAt: engine.Stamp(c.CreatedAt), Search: searchText(c), Waiting: c.Waiting,
	}
	row.Documents, row.DocIndex = SealDocuments(v, c)
	if len(c.Consents) > 0 {
		row.Consents = v.SealJSON(c.Consents, "contacts|consents|"+c.ID)
	}
	if len(c.Attribution) > 0 {
		row.Attribution = v.SealJSON(c.Attribution, "contacts|attribution|"+c.ID)
	}
	return row
}

// SealNote seals the note of a contact.
func SealNote(v *engine.Vault, c crm.Contact) []byte {
	return v.Seal([]byte(c.Note), "contacts|note|"+c.ID)
}

// ContactOf opens a contact.
func ContactOf(v *engine.Vault, row ContactRow) crm.Contact {
	c := row.brief()
	note, ok := v.Shown(row.Note, "contacts|note|"+c.ID)
	c.Note = string(note)
	if row.Attribution != nil {
		attribution, opened := v.Shown(row.Attribution, "contacts|attribution|"+c.ID)
		ok = ok && opened && json.Unmarshal(attribution, &c.Attribution) == nil
	}
	if row.Consents != nil {
		consents, opened := v.Shown(row.Consents, "contacts|consents|"+c.ID)
		ok = ok && opened && json.Unmarshal(consents, &c.Consents) == nil
	}
	ok = openDocuments(v, &c, row.Documents) && ok
	c.Unreadable = !ok
	return c
}

// brief is a contact without its encrypted parts.
func (row ContactRow) brief() crm.Contact {
	return crm.Contact{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: row.WebhookID.Text(), Name: row.Name, Email: row.Email,
		Phone: row.Phone, PhoneE164: row.PhoneE164, Company: row.Company, Amount: catalog.Money(row.Amount),
		OriginID: row.OriginID.Text(), StageID: string(row.StageID), AssigneeID: row.AssigneeID.Text(),
		CreatedAt: row.CreatedAt.UTC(), Waiting: row.Waiting,
	}
}

// EventRow is an entry of a contact's history.
type EventRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	ContactID engine.UID `gorm:"not null"`
	Kind      string     `gorm:"not null"`
	Actor     string     `gorm:"not null"`
	MemberID  *engine.UID
	Subject   []byte    `stored:"sealed"`
	At        time.Time `gorm:"not null"`
}

// TableName is the table of the row.
func (EventRow) TableName() string { return "contact_events" }

// EventRowOf seals an entry of a contact's history.
func EventRowOf(v *engine.Vault, e crm.Event) EventRow {
	row := EventRow{
		ID: engine.UID(e.ID), OrgID: engine.UID(e.OrgID), ContactID: engine.UID(e.ContactID), Kind: string(e.Kind),
		Actor: e.Actor, MemberID: engine.Optional(e.MemberID), At: engine.Stamp(e.At),
	}
	if e.Subject != "" {
		row.Subject = v.Seal([]byte(e.Subject), "contact_events|subject|"+e.ID)
	}
	return row
}

// EventOf opens an entry of a contact's history.
func EventOf(v *engine.Vault, row EventRow) crm.Event {
	e := crm.Event{
		ID: string(row.ID), OrgID: string(row.OrgID), ContactID: string(row.ContactID), Kind: crm.EventKind(row.Kind),
		Actor: row.Actor, MemberID: row.MemberID.Text(), At: row.At.UTC(),
	}
	if row.Subject != nil {
		subject, ok := v.Shown(row.Subject, "contact_events|subject|"+e.ID)
		e.Subject, e.Unreadable = string(subject), !ok
	}
	return e
}

type contacts struct {
	engine.Conn
	vault *engine.Vault
}

func (r contacts) Find(ctx context.Context, orgID, id string) (crm.Contact, error) {
	return engine.FindOne(ctx, r.Query, "contacts.find", engine.With(r.vault, ContactOf), engine.Of(orgID, id))
}

func (r contacts) Changed(ctx context.Context, since time.Time) (map[string]ports.ContactChanges, error) {
	type row struct {
		OrgID, Newest string
		Events        int
	}
	out := map[string]ports.ContactChanges{}
	err := r.Query(ctx, "contacts.changed", func(db *gorm.DB) error {
		var rows []row
		err := db.Raw(`SELECT CAST(org_id AS text) AS org_id, max(CAST(id AS text)) AS newest, COUNT(*) AS events FROM (
				SELECT e.org_id, e.id FROM contact_events e JOIN contacts c ON c.id = e.contact_id AND c.org_id = e.org_id
				WHERE e.id >= ?
				UNION ALL SELECT org_id, id FROM contacts WHERE id >= ? AND webhook_id IS NOT NULL
			) AS happened GROUP BY org_id`,
			engine.FirstID(since), engine.FirstID(since)).Scan(&rows).Error
		if err != nil {
			return err
		}
		for _, changed := range rows {
			out[changed.OrgID] = ports.ContactChanges{Newest: changed.Newest, Events: changed.Events}
		}
		rows = nil
		err = db.Model(&RemovedRow{}).Select("CAST(org_id AS text) AS org_id, COUNT(*) AS events").
			Where("content IS NOT NULL AND at >= ?", engine.Stamp(since)).Group("org_id").Scan(&rows).Error
		for _, removed := range rows {
			changes := out[removed.OrgID]
			changes.Removed = removed.Events
			out[removed.OrgID] = changes
		}
		return err
	})
	return out, err
}

func (r contacts) Brief(ctx context.Context, orgID string, ids []string) (map[string]crm.Contact, error) {
	found, err := engine.FindAll(ctx, r.QueryList, "contacts.brief", ContactRow.brief, engine.In(orgID),
		engine.Where("id IN ?", engine.Given(ids)), withoutNote)
	out := make(map[string]crm.Contact, len(found))
	for _, c := range found {
		out[c.ID] = c
	}
	return out, err
}

// withoutNote omits the encrypted columns.
func withoutNote(db *gorm.DB) *gorm.DB {
	return db.Omit("note", "attribution", "documents", "doc_index", "consents")
}

func (r contacts) Page(ctx context.Context, orgID, after string, limit int) ([]crm.Contact, error) {
	return engine.FindAll(ctx, r.QueryList, "contacts.page", engine.With(r.vault, ContactOf),
		engine.Where("org_id = ?", orgID), engine.Newest(after, limit))
}

func (r contacts) Lock(ctx context.Context, orgID, id string) (crm.Contact, error) {
	return engine.FindOne(ctx, r.Inside, "contacts.lock", engine.With(r.vault, ContactOf), engine.Locked("UPDATE", ""),
		engine.Of(orgID, id))
}

func (r contacts) Create(ctx context.Context, c crm.Contact, e crm.Event) error {
	row, event := ContactRowOf(r.vault, c), EventRowOf(r.vault, e)
	return r.Inside(ctx, "contacts.create", func(db *gorm.DB) error { return insert(db, row, event) })
}

// insert is Insert of one contact, with a stage and an origin that stay meanwhile.
func insert(db *gorm.DB, row ContactRow, event EventRow) error {
	if err := hold(db, string(row.OrgID), &StageRow{}, row.StageID); err != nil {
		return err
	}
	if err := holdOrigin(db, row); err != nil {
		return err
	}
	if err := db.Create(&event).Error; err != nil {
		return err
	}
	return Insert(db, engine.SomeSlot(), []ContactRow{row})
}

func holdOrigin(db *gorm.DB, row ContactRow) error {
	if row.OriginID == nil {
		return nil
	}
	return hold(db, string(row.OrgID), &OriginRow{}, *row.OriginID)
}

// Insert writes new contacts and last, in a slot, their figures, for which others wait. Posts that share a transaction
// write the same rows by statements of their own (takeOnSQLite, takeOnPostgres).
func Insert(db *gorm.DB, slot int64, rows []ContactRow) error {
	if len(rows) == 0 {
		return nil
	}
	figures := NewContactFigures(slot)
	for i := range rows {
		figures.Add(&rows[i], 1)
	}
	if err := db.Create(&rows).Error; err != nil {
		return err
	}
	if db.Name() == "sqlite" {
		var documents []ContactDocumentRow
		for _, row := range rows {
			documents = append(documents, documentsOf(row)...)
		}
		err := db.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(documents, documentsAtOnce).Error
		if err != nil {
			return err
		}
	}
	return figures.Count(engine.Through(db))
}

func (r contacts) Edit(ctx context.Context, c crm.Contact, e crm.Event) error {
	columns := []string{"name", "email", "phone", "phone_e164", "company", "amount", "origin_id", "search", "waiting"}
	if !c.Unreadable { // what could not be opened stays, in case its data key is found again
		columns = append(columns, "note", "documents", "doc_index", "attribution", "consents")
	}
	const op = "contacts.edit"
	after, had := ContactRowOf(r.vault, c), ""
	err := r.recount(ctx, op, e, func(row *ContactRow) {
		had = row.OriginID.Text()
		row.OriginID, row.Amount = after.OriginID, after.Amount
	})
	if err == nil && c.OriginID != had {
		err = r.Inside(ctx, op, func(db *gorm.DB) error { return holdOrigin(db, after) })
	}
	if err != nil {
		return err
	}
	return r.change(ctx, op, e, after, columns...)
}

func (r contacts) SetStage(ctx context.Context, stageID string, e crm.Event) error {
	const op = "contacts.setStage"
	stage := engine.UID(stageID)
	err := r.Inside(ctx, op, func(db *gorm.DB) error { return hold(db, e.OrgID, &StageRow{}, stage) })
	if err != nil {
		return err
	}
	if err := r.recount(ctx, op, e, func(row *ContactRow) { row.StageID = stage }); err != nil {
		return err
	}
	return r.change(ctx, op, e, ContactRow{StageID: stage}, "stage_id")
}

func (r contacts) SetAssignee(ctx context.Context, memberID string, e crm.Event) error {
	return r.change(ctx, "contacts.setAssignee", e, ContactRow{AssigneeID: engine.Optional(memberID)}, "assignee_id")
}

func (r contacts) AddNote(ctx context.Context, e crm.Event) error {
	const op = "contacts.addNote"
	c, err := engine.FindOne(ctx, r.Inside, op, engine.With(r.vault, ContactOf), engine.Locked("UPDATE", ""),
		engine.Of(e.OrgID, e.ContactID))
	if err != nil {
		return err
	}
	if c.Unreadable {
		return r.Inside(ctx, op, func(db *gorm.DB) error { // the history gets it, and the note stays as it is
			event := EventRowOf(r.vault, e)
			return db.Create(&event).Error
		})
	}
	if c.Note != "" {
		c.Note += "\n\n"
	}
	c.Note += e.Subject
	return r.change(ctx, op, e, ContactRow{Note: SealNote(r.vault, c)}, "note")
}

// change writes some columns of a contact, and the event of the change.
func (r contacts) change(ctx context.Context, op string, e crm.Event, row ContactRow, columns ...string) error {
	event := EventRowOf(r.vault, e)
	return r.Inside(ctx, op, func(db *gorm.DB) error {
		err := engine.OrNotFound(engine.Of(e.OrgID, e.ContactID)(db.Model(&ContactRow{})).Select(columns).Updates(&row))
		if err != nil {
			return err
		}
		return db.Create(&event).Error
	})
}

func (r contacts) InStage(ctx context.Context, orgID, stageID string) (bool, error) {
	var ids []engine.UID
	err := r.Query(ctx, "contacts.inStage", func(db *gorm.DB) error {
		return engine.Routed(orgID)(db.Model(&ContactRow{})).Where("stage_id = ?", stageID).Limit(1).Pluck("id", &ids).Error
	})
	return len(ids) > 0, err
}

// Stray finds the stages by their totals, which are far fewer than contacts.
func (r contacts) Stray(ctx context.Context, most int) ([]crm.Contact, error) {
	const op = "contacts.stray"
	var gone []engine.UID
	err := r.Query(ctx, op, func(db *gorm.DB) error {
		return db.Table("stage_totals AS t").Joins("LEFT JOIN stages s ON s.id = t.stage_id").Where("s.id IS NULL").
			Group("t.stage_id").Having("SUM(t.contacts) > 0").Order("t.stage_id").Limit(most).Pluck("t.stage_id", &gone).Error
	})
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	return engine.FindAll(ctx, r.Query, op, ContactRow.brief, withoutNote,
		engine.Where("stage_id IN ?", gone), engine.Order("id"), func(db *gorm.DB) *gorm.DB { return db.Limit(most) })
}
