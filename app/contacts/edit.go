package contacts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake/fields"
	"fichario/ports"
)

// ContactForm is what a member entered about a contact.
type ContactForm struct {
	Name, Email, Phone, Company string
	// Documents are CPFs and CNPJs as people write them, separated by commas, semicolons or lines.
	Documents string
	// Amount is as people in Brazil write it: 1.234,56.
	Amount string
	// OriginID is empty for no origin.
	OriginID string
	Note     string
	// StageID is where a new contact enters; empty for the entry stage of the default
	// funnel. It is not used when a contact is edited.
	StageID string
	// LookupID is the lookup from whose answer a new contact is made, and which is tied to it; empty for none. It is not
	// used when a contact is edited.
	LookupID string
	// Version is crm.Contact.Version of what the form showed. If it is given, a contact that has changed since is not
	// overwritten.
	Version string
}

// contactAmountMax is a thousand million reais.
const contactAmountMax = 1_000_000_000 * catalog.Real

// Create makes a contact by hand, in the entry stage of the default funnel unless the form names another, assigned to
// the caller; automations fire as for one that came in. One transaction. Faults: InvalidRequest with the field at
// fault, NotFound for a lookup that the caller may not see, ServiceUnavailable.
func (c *Contacts) Create(ctx context.Context, by app.Caller, f ContactForm) (made crm.Contact, err error) {
	err = c.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		actor, err := app.MemberOf(ctx, r, by.OrgID(), by.MemberID())
		if err != nil {
			return err
		}
		if made, err = f.made(ctx, r, by, c.clock()); err != nil {
			return err
		}
		event := crm.Event{
			ID: app.NewID(), OrgID: by.OrgID(), ContactID: made.ID, Kind: crm.ContactAdded, Actor: actor.Name,
			At: made.CreatedAt,
		}
		if err := add(ctx, r, made, event, by.MemberID(), true); err != nil || f.LookupID == "" {
			return err
		}
		return app.Tie(ctx, r, by, f.LookupID, made)
	})
	return made, err
}

// made is the contact that a form makes. It is read in the transaction that writes it: the stage may be removed before.
func (f ContactForm) made(ctx context.Context, r ports.Repos, by app.Caller, at time.Time) (crm.Contact, error) {
	c := crm.Contact{ID: app.NewID(), OrgID: by.OrgID(), AssigneeID: by.MemberID(), StageID: f.StageID, CreatedAt: at}
	n, err := app.NamesOf(ctx, r, by.OrgID(), f.OriginID, f.StageID)
	if err != nil {
		return c, err
	}
	if err := f.apply(&c, n); err != nil {
		return c, err
	}
	switch {
	case c.StageID == "":
		c.StageID, err = entryStage(ctx, r, by.OrgID())
	case !n.Has(crm.NamedStage, c.StageID):
		err = app.Missing("stage", "Não há etapa com este id.")
	}
	return c, err
}

// add writes a new contact with the event of its making and, where it fires, the job of the automations that listen.
func add(ctx context.Context, r ports.Repos, c crm.Contact, event crm.Event, memberID string, fires bool) error {
	if err := r.Contacts.Create(ctx, c, event); err != nil || !fires {
		return err
	}
	return r.Jobs.Add(ctx, automation.Job{
		ID: app.NewID(), OrgID: c.OrgID, Kind: automation.FanOut, ContactID: c.ID, MemberID: memberID,
		Facts: automation.FactsOf(c), State: automation.Ready, RunAt: c.CreatedAt, CreatedAt: c.CreatedAt,
	})
}

// entryStage returns the entry stage of the default funnel.
func entryStage(ctx context.Context, r ports.Repos, orgID string) (string, error) {
	funnels, err := r.Funnels.List(ctx, orgID)
	if err != nil || len(funnels) == 0 {
		return "", errors.Join(err, errNoFunnel)
	}
	return funnels[0].Entry().ID, nil
}

// errNoFunnel reports a broken database: an organisation is created with its funnel.
var errNoFunnel = errors.New("the organisation has no funnel")

// apply copies a form into a contact. An unchanged field is not checked again: what came by a webhook may be longer.
func (f ContactForm) apply(c *crm.Contact, n crm.Names) error {
	name, email := strings.TrimSpace(f.Name), strings.TrimSpace(f.Email)
	phone, company := strings.TrimSpace(f.Phone), strings.TrimSpace(f.Company)
	for _, field := range [...]struct{ name, typed, was string }{
		{"name", name, c.Name}, {"email", email, c.Email}, {"phone", phone, c.Phone}, {"company", company, c.Company},
	} {
		if field.typed == "" || field.typed != field.was {
			if err := app.CheckTyped(field.name, field.typed); err != nil {
				return err
			}
		}
	}
	if f.OriginID != "" && !n.Has(crm.NamedOrigin, f.OriginID) {
		return noOrigin()
	}
	documents, err := f.documents(*c)
	if err != nil {
		return err
	}
	amount, err := f.amount(*c)
	if err != nil {
		return err
	}
	note, err := f.note(*c)
	if err != nil {
		return err
	}
	if phone != c.Phone {
		c.PhoneE164 = fields.E164(phone)
	}
	c.Name, c.Email, c.Phone, c.Company = name, email, phone, company
	c.Documents, c.Amount, c.OriginID, c.Note = documents, amount, f.OriginID, note
	return nil
}

// amount reads the entered value; empty is zero.
func (f ContactForm) amount(before crm.Contact) (catalog.Money, error) {
	switch typed := strings.TrimSpace(f.Amount); typed {
	case "":
		return 0, nil
	case before.AmountText():
		return before.Amount, nil
	default:
		read, ok := fields.ParseAmount(typed)
		if amount := catalog.Money(read); ok && amount >= 0 && amount <= contactAmountMax {
			return amount, nil
		}
	}
	return 0, badAmount()
}

func badAmount() error {
	return app.Invalid("amount", "O valor é um número em reais, de 0 a 1 bilhão, como 1.234,56.")
}

// documents reads the entered documents, each once.
func (f ContactForm) documents(before crm.Contact) ([]document.Document, error) {
	if before.Unreadable {
		return before.Documents, nil
	}
	var out []document.Document
	for typed := range strings.FieldsFuncSeq(f.Documents, func(r rune) bool { return strings.ContainsRune(",;\r\n", r) }) {
		if strings.TrimSpace(typed) == "" {
			continue
		}
		recognised := document.Recognise(typed)
		if recognised.Document.IsZero() || recognised.Type != document.CPF && recognised.Type != document.CNPJ {
			return nil, app.Invalid("documents", "Informe CPFs ou CNPJs com os dígitos certos, separados por vírgula.")
		}
		if !slices.Contains(out, recognised.Document) {
			out = append(out, recognised.Document)
		}
	}
	if len(out) > crm.DocumentsMax {
		return nil, app.Invalid("documents", fmt.Sprintf("Um contato pode ter até %d documentos.", crm.DocumentsMax))
	}
	return out, nil
}

// note reads the entered note.
func (f ContactForm) note(before crm.Contact) (string, error) {
	note, was := app.UnixLines(f.Note), app.UnixLines(before.Note)
	if note == was {
		return before.Note, nil
	}
	if before.Unreadable {
		return "", app.Invalid("note", "A nota guardada deste contato está ilegível e não pode ser mudada. Deixe-a vazia e salve o resto; quem cuida do serviço a encontra com fichario doctor --deep.")
	}
	return app.TypedNote(note, was)
}

// Edit changes the fields of a contact, and writes which ones into its history; when nothing differs, nothing is
// written. One transaction. Faults: InvalidRequest with the field at fault ("version" when it has changed since the
// form was shown), NotFound, ServiceUnavailable.
func (c *Contacts) Edit(ctx context.Context, by app.Caller, id string, f ContactForm) error {
	return c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, before crm.Contact, e crm.Event) error {
		if f.Version != "" && f.Version != before.Version() {
			return app.Invalid("version",
				"Este contato mudou enquanto você o editava. Confira os dados atuais e repita a sua alteração.")
		}
		n, err := app.NamesOf(ctx, r, by.OrgID(), f.OriginID)
		if err != nil {
			return err
		}
		after := before
		if err := f.apply(&after, n); err != nil {
			return err
		}
		changed := changedFields(before, after)
		if len(changed) == 0 {
			return nil
		}
		e.Kind, e.Subject = crm.ContactEdited, strings.Join(changed, ", ")
		return errors.Join(r.Contacts.Edit(ctx, after, e), app.EmitChange(ctx, r, e, app.Change{Was: before, Is: after}))
	})
}

func changedFields(a, b crm.Contact) []string {
	var changed []string
	for _, field := range []struct {
		name    string
		differs bool
	}{
		{"nome", a.Name != b.Name}, {"e-mail", a.Email != b.Email}, {"telefone", a.Phone != b.Phone},
		{"empresa", a.Company != b.Company}, {"documentos", !slices.Equal(a.Documents, b.Documents)},
		{"valor", a.Amount != b.Amount}, {"origem", a.OriginID != b.OriginID}, {"nota", a.Note != b.Note},
	} {
		if field.differs {
			changed = append(changed, field.name)
		}
	}
	return changed
}

// Note adds a text to the note of a contact. Faults: InvalidRequest with the field at fault, NotFound,
// ServiceUnavailable.
func (c *Contacts) Note(ctx context.Context, by app.Caller, id, text string) error {
	text = app.Storable(app.UnixLines(text))
	return c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, k crm.Contact, e crm.Event) error {
		if text == "" || utf8.RuneCountInString(text) > crm.TextMax {
			return app.Invalid("note", fmt.Sprintf("A nota tem de 1 a %d caracteres.", crm.TextMax))
		}
		e.Kind, e.Subject = crm.NoteAdded, text
		return errors.Join(r.ContactAnswers.Answer(ctx, k, by.MemberID(), e.At), r.ContactHistory.AddNote(ctx, e),
			app.EmitChange(ctx, r, e, app.Change{Was: k, Is: k}))
	})
}

// Assign gives a contact to an active member; if it is already theirs, nothing is written. Faults: InvalidRequest,
// NotFound, ServiceUnavailable.
func (c *Contacts) Assign(ctx context.Context, by app.Caller, id, memberID string) error {
	return c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, k crm.Contact, e crm.Event) error {
		m, err := app.MemberOf(ctx, r, k.OrgID, memberID)
		switch {
		case err != nil:
			return err
		case !m.Active:
			return app.Invalid("member", "Esta pessoa não está mais ativa. Escolha outra.")
		}
		e.Kind, e.Subject = crm.Assigned, m.Name
		return Assign(ctx, r, k, m.ID, e, "")
	})
}

// Move puts a contact into a stage; if it is already there, nothing is written. It returns the stage. Faults: NotFound,
// ServiceUnavailable.
func (c *Contacts) Move(ctx context.Context, by app.Caller, id, stageID string) (crm.Stage, error) {
	var stage crm.Stage
	err := c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, k crm.Contact, e crm.Event) error {
		n, err := app.NamesOf(ctx, r, k.OrgID, stageID)
		if err != nil {
			return err
		}
		if !n.Has(crm.NamedStage, stageID) {
			return app.Missing("stage", "Não há etapa com este id.")
		}
		stage = n.Stage(stageID)
		if k.StageID == stageID {
			return nil
		}
		e.Kind, e.Subject = crm.StageMoved, stage.Name
		return errors.Join(r.ContactAnswers.Answer(ctx, k, by.MemberID(), e.At), Move(ctx, r, k, stageID, e, ""))
	})
	return stage, err
}

// Assign gives a locked contact to a member, or to nobody, and emits the event; nothing happens if it is theirs
// already.
func Assign(
	ctx context.Context, r ports.Repos, k crm.Contact, memberID string, e crm.Event, trail automation.Trail,
) error {
	if k.AssigneeID == memberID {
		return nil
	}
	after := k
	after.AssigneeID = memberID
	return errors.Join(r.ContactHistory.SetAssignee(ctx, memberID, e),
		app.EmitChange(ctx, r, e, app.Change{Was: k, Is: after, Trail: trail}))
}

// Move puts a locked contact into a stage, and emits the event.
func Move(
	ctx context.Context, r ports.Repos, k crm.Contact, stageID string, e crm.Event, trail automation.Trail,
) error {
	after := k
	after.StageID = stageID
	return errors.Join(r.ContactHistory.SetStage(ctx, stageID, e),
		app.EmitChange(ctx, r, e, app.Change{Was: k, Is: after, Trail: trail}))
}

// change runs f on a locked contact of the caller's organisation, in one transaction, with an event that names the
// member.
func (c *Contacts) change(
	ctx context.Context, by app.Caller, id string, f func(context.Context, ports.Repos, crm.Contact, crm.Event) error,
) error {
	return c.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		actor, err := app.MemberOf(ctx, r, by.OrgID(), by.MemberID()) // only members change contacts by hand
		if err != nil {
			return err
		}
		contact, err := lockedContactKind.Visible(ctx, r, by, id)
		if err != nil {
			return err
		}
		// Whoever waited for the lock changes it after those who had it.
		event := crm.Event{
			ID: app.NewID(), OrgID: by.OrgID(), ContactID: id, Actor: actor.Name, MemberID: actor.ID, At: c.clock(),
		}
		return f(ctx, r, contact, event)
	})
}

// actor is the caller's name in the history. Only members change contacts by hand.
func (c *Contacts) actor(ctx context.Context, by app.Caller) (string, error) {
	m, err := app.MemberOf(ctx, c.store.Repos(), by.OrgID(), by.MemberID())
	return m.Name, err
}
