package gormstore

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

type contactRow struct {
	ID          uid `gorm:"primaryKey"`
	OrgID       uid `gorm:"not null"`
	WebhookID   *uid
	Name        string `gorm:"not null"`
	Email       string `gorm:"not null"`
	Phone       string `gorm:"not null"`
	PhoneE164   string `gorm:"column:phone_e164;not null"`
	Company     string `gorm:"not null"`
	Amount      int64  `gorm:"not null"`
	Note        []byte `gorm:"not null" stored:"sealed"`
	OriginID    *uid
	Attribution []byte `stored:"sealed"`
	StageID     uid    `gorm:"not null"`
	AssigneeID  *uid
	CreatedAt   time.Time `gorm:"not null"`
	Search      string
	Waiting     bool `gorm:"not null;default:false"`
	// Documents are sealed; DocIndex concatenates the keyed hash of each, from which triggers make rows of
	// contact_documents.
	Documents []byte `stored:"sealed"`
	DocIndex  []byte
}

func (contactRow) TableName() string { return "contacts" }

func (v *vault) contactRow(c crm.Contact) contactRow {
	row := contactRow{
		ID: uid(c.ID), OrgID: uid(c.OrgID), WebhookID: optional(c.WebhookID), Name: c.Name, Email: c.Email, Phone: c.Phone,
		PhoneE164: c.PhoneE164, Company: c.Company, Amount: int64(c.Amount), Note: v.sealNote(c),
		OriginID: optional(c.OriginID), StageID: uid(c.StageID), AssigneeID: optional(c.AssigneeID),
		CreatedAt: stamp(c.CreatedAt), Search: searchText(c), Waiting: c.Waiting,
	}
	row.Documents, row.DocIndex = v.sealDocuments(c)
	if len(c.Attribution) > 0 {
		row.Attribution = v.sealJSON(c.Attribution, "contacts|attribution|"+c.ID)
	}
	return row
}

func (v *vault) sealNote(c crm.Contact) []byte { return v.seal([]byte(c.Note), "contacts|note|"+c.ID) }

func (v *vault) contact(row contactRow) crm.Contact {
	c := row.brief()
	note, ok := v.shown(row.Note, "contacts|note|"+c.ID)
	c.Note = string(note)
	if row.Attribution != nil {
		attribution, opened := v.shown(row.Attribution, "contacts|attribution|"+c.ID)
		ok = ok && opened && json.Unmarshal(attribution, &c.Attribution) == nil
	}
	ok = v.openDocuments(&c, row.Documents) && ok
	c.Unreadable = !ok
	return c
}

// brief is a contact without its encrypted parts.
func (row contactRow) brief() crm.Contact {
	return crm.Contact{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: row.WebhookID.text(), Name: row.Name, Email: row.Email,
		Phone: row.Phone, PhoneE164: row.PhoneE164, Company: row.Company, Amount: catalog.Money(row.Amount),
		OriginID: row.OriginID.text(), StageID: string(row.StageID), AssigneeID: row.AssigneeID.text(),
		CreatedAt: row.CreatedAt.UTC(), Waiting: row.Waiting,
	}
}

type eventRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	ContactID uid       `gorm:"not null"`
	Kind      string    `gorm:"not null"`
	Actor     string    `gorm:"not null"`
	Subject   []byte    `stored:"sealed"`
	At        time.Time `gorm:"not null"`
}

func (eventRow) TableName() string { return "contact_events" }

func (v *vault) eventRow(e crm.Event) eventRow {
	row := eventRow{
		ID: uid(e.ID), OrgID: uid(e.OrgID), ContactID: uid(e.ContactID), Kind: string(e.Kind), Actor: e.Actor,
		At: stamp(e.At),
	}
	if e.Subject != "" {
		row.Subject = v.seal([]byte(e.Subject), "contact_events|subject|"+e.ID)
	}
	return row
}

func (v *vault) event(row eventRow) crm.Event {
	e := crm.Event{
		ID: string(row.ID), OrgID: string(row.OrgID), ContactID: string(row.ContactID), Kind: crm.EventKind(row.Kind),
		Actor: row.Actor, At: row.At.UTC(),
	}
	if row.Subject != nil {
		subject, ok := v.shown(row.Subject, "contact_events|subject|"+e.ID)
		e.Subject, e.Unreadable = string(subject), !ok
	}
	return e
}

type contacts struct {
	conn
	vault *vault
}

func (r contacts) Find(ctx context.Context, id string) (crm.Contact, error) {
	return findOne(ctx, r.query, "contacts.find", r.vault.contact, byID(id))
}

func (r contacts) Changed(ctx context.Context, since time.Time) (map[string]ports.ContactChanges, error) {
	type row struct {
		OrgID, Newest string
		Events        int
	}
	out := map[string]ports.ContactChanges{}
	err := r.query(ctx, "contacts.changed", func(db *gorm.DB) error {
		var rows []row
		err := db.Raw(`SELECT CAST(c.org_id AS text) AS org_id, max(CAST(e.id AS text)) AS newest,
			COUNT(*) AS events FROM contact_events e JOIN contacts c ON c.id = e.contact_id WHERE e.id >= ? GROUP BY c.org_id`,
			firstID(since)).Scan(&rows).Error
		for _, changed := range rows {
			out[changed.OrgID] = ports.ContactChanges{Newest: changed.Newest, Events: changed.Events}
		}
		return err
	})
	return out, err
}

func (r contacts) Brief(ctx context.Context, ids []string) (map[string]crm.Contact, error) {
	found, err := findAll(ctx, r.list, "contacts.brief", contactRow.brief, where("id IN ?", given(ids)), withoutNote)
	out := make(map[string]crm.Contact, len(found))
	for _, c := range found {
		out[c.ID] = c
	}
	return out, err
}

// withoutNote omits the encrypted columns.
func withoutNote(db *gorm.DB) *gorm.DB {
	return db.Omit("note", "attribution", "documents", "doc_index")
}

func (r contacts) Page(ctx context.Context, orgID, after string, limit int) ([]crm.Contact, error) {
	return findAll(ctx, r.list, "contacts.page", r.vault.contact, where("org_id = ?", orgID), newest(after, limit))
}

func (r contacts) Lock(ctx context.Context, id string) (crm.Contact, error) {
	return findOne(ctx, r.inside, "contacts.lock", r.vault.contact, locked("UPDATE", ""), byID(id))
}

func (r contacts) Create(ctx context.Context, c crm.Contact, e crm.Event) error {
	row, event := r.vault.contactRow(c), r.vault.eventRow(e)
	return r.inside(ctx, "contacts.create", func(db *gorm.DB) error { return write(db, &row, &event) })
}

// write writes a new contact with its figures and its event.
func write(db *gorm.DB, row *contactRow, event *eventRow) error {
	if err := hold(db, string(row.StageID)); err != nil {
		return err
	}
	if err := db.Create(row).Error; err != nil {
		return err
	}
	figures := newContactFigures(someSlot())
	figures.add(row, 1)
	if err := figures.count(db); err != nil {
		return err
	}
	return db.Create(event).Error
}

func (r contacts) Edit(ctx context.Context, c crm.Contact, e crm.Event) error {
	columns := []string{"name", "email", "phone", "phone_e164", "company", "amount", "origin_id", "search"}
	if !c.Unreadable { // what could not be opened stays, in case its data key is found again
		columns = append(columns, "note", "documents", "doc_index", "attribution")
	}
	const op = "contacts.edit"
	after := r.vault.contactRow(c)
	err := r.recount(ctx, op, e.ContactID, func(row *contactRow) {
		row.OriginID, row.Amount = after.OriginID, after.Amount
	})
	if err != nil {
		return err
	}
	return r.change(ctx, op, e, after, columns...)
}

func (r contacts) SetStage(ctx context.Context, stageID string, e crm.Event) error {
	const op = "contacts.setStage"
	if err := r.inside(ctx, op, func(db *gorm.DB) error { return hold(db, stageID) }); err != nil {
		return err
	}
	if err := r.recount(ctx, op, e.ContactID, func(row *contactRow) { row.StageID = uid(stageID) }); err != nil {
		return err
	}
	return r.change(ctx, op, e, contactRow{StageID: uid(stageID)}, "stage_id")
}

func (r contacts) SetAssignee(ctx context.Context, memberID string, e crm.Event) error {
	return r.change(ctx, "contacts.setAssignee", e, contactRow{AssigneeID: optional(memberID)}, "assignee_id")
}

func (r contacts) AddNote(ctx context.Context, e crm.Event) error {
	const op = "contacts.addNote"
	c, err := findOne(ctx, r.inside, op, r.vault.contact, locked("UPDATE", ""), byID(e.ContactID))
	if err != nil {
		return err
	}
	if c.Unreadable {
		return r.inside(ctx, op, func(db *gorm.DB) error { // the history gets it, and the note stays as it is
			event := r.vault.eventRow(e)
			return db.Create(&event).Error
		})
	}
	if c.Note != "" {
		c.Note += "\n\n"
	}
	c.Note += e.Subject
	return r.change(ctx, op, e, contactRow{Note: r.vault.sealNote(c)}, "note")
}

// change writes some columns of a contact, and the event of the change.
func (r contacts) change(ctx context.Context, op string, e crm.Event, row contactRow, columns ...string) error {
	event := r.vault.eventRow(e)
	return r.inside(ctx, op, func(db *gorm.DB) error {
		err := orNotFound(db.Model(&contactRow{}).Where("id = ?", e.ContactID).Select(columns).Updates(&row))
		if err != nil {
			return err
		}
		return db.Create(&event).Error
	})
}

func (r contacts) InStage(ctx context.Context, stageID string) (bool, error) {
	var ids []uid
	err := r.query(ctx, "contacts.inStage", func(db *gorm.DB) error {
		return db.Model(&contactRow{}).Where("stage_id = ?", stageID).Limit(1).Pluck("id", &ids).Error
	})
	return len(ids) > 0, err
}

func (r contacts) Events(ctx context.Context, contactID string) ([]crm.Event, error) {
	return findAll(ctx, r.query, "contacts.events", r.vault.event, ofContact(contactID), order("id"))
}
