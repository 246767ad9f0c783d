package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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

// The maximum lengths of a contact's fields, in characters. Contacts from webhooks have the reader's limits instead.
const (
	contactLineMax  = 200
	contactEmailMax = 320
	contactPhoneMax = 60
	contactNoteMax  = 20_000
	// contactDocumentsMax is also the store's.
	contactDocumentsMax = 10
	// contactAmountMax is a thousand million reais.
	contactAmountMax = 1_000_000_000 * catalog.Real
)

// Create makes a contact by hand, in the entry stage of the default funnel unless the form names another, assigned to
// the caller; automations fire as for one that came in. Faults: InvalidRequest with the field at fault, NotFound for a
// lookup that the caller may not see, ServiceUnavailable.
func (c *Contacts) Create(ctx context.Context, by Caller, f ContactForm) (crm.Contact, error) {
	actor, err := c.actor(ctx, by)
	if err != nil {
		return crm.Contact{}, err
	}
	r := c.store.Repos()
	n, err := loadNames(ctx, r, by.orgID)
	if err != nil {
		return crm.Contact{}, err
	}
	made := crm.Contact{ID: newID(), OrgID: by.orgID, AssigneeID: by.memberID, CreatedAt: c.clock()}
	if err := f.apply(&made, n); err != nil {
		return crm.Contact{}, err
	}
	made.StageID = f.StageID
	if made.StageID == "" {
		if made.StageID, err = entryStage(ctx, r, by.orgID); err != nil {
			return crm.Contact{}, err
		}
	}
	if n.stages[made.StageID].ID == "" {
		return crm.Contact{}, missing("stage", "Não há etapa com este id.")
	}
	event := crm.Event{
		ID: newID(), OrgID: by.orgID, ContactID: made.ID, Kind: crm.ContactAdded, Actor: actor, At: made.CreatedAt,
	}
	fires := automation.Job{
		ID: newID(), OrgID: by.orgID, Kind: automation.FanOut, ContactID: made.ID, MemberID: by.memberID,
		Facts: automation.FactsOf(made), State: automation.Ready, RunAt: made.CreatedAt, CreatedAt: made.CreatedAt,
	}
	return made, c.store.InTx(ctx, func(r ports.Repos) error {
		if err := errors.Join(r.Contacts.Create(ctx, made, event), r.Jobs.Add(ctx, fires)); err != nil {
			return err
		}
		if f.LookupID == "" {
			return nil
		}
		return tie(ctx, r, by, f.LookupID, made)
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
func (f ContactForm) apply(c *crm.Contact, n names) error {
	name, email := strings.TrimSpace(f.Name), strings.TrimSpace(f.Email)
	phone, company := strings.TrimSpace(f.Phone), strings.TrimSpace(f.Company)
	switch {
	case name == "", name != c.Name && !line(name, contactLineMax):
		return invalid("name", fmt.Sprintf("O nome tem de 1 a %d caracteres, em uma linha.", contactLineMax))
	case email == "", email != c.Email && !looksLikeEmail(email):
		return invalid("email", "O e-mail tem um @ entre o nome e o domínio, como ana@empresa.com.br.")
	case phone != c.Phone && !line(phone, contactPhoneMax):
		return invalid("phone", fmt.Sprintf("O telefone pode ter até %d caracteres, em uma linha.", contactPhoneMax))
	case company != c.Company && !line(company, contactLineMax):
		return invalid("company", fmt.Sprintf("A empresa pode ter até %d caracteres, em uma linha.", contactLineMax))
	case f.OriginID != "" && n.origins[f.OriginID] == "":
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
	return invalid("amount", "O valor é um número em reais, de 0 a 1 bilhão, como 1.234,56.")
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
		known := document.Recognise(typed)
		if known.Document.IsZero() || known.Type != document.CPF && known.Type != document.CNPJ {
			return nil, invalid("documents", "Informe CPFs ou CNPJs com os dígitos certos, separados por vírgula.")
		}
		if !slices.Contains(out, known.Document) {
			out = append(out, known.Document)
		}
	}
	if len(out) > contactDocumentsMax {
		return nil, invalid("documents", fmt.Sprintf("Um contato pode ter até %d documentos.", contactDocumentsMax))
	}
	return out, nil
}

// note reads the entered note. Browsers end lines with two characters.
func (f ContactForm) note(before crm.Contact) (string, error) {
	note, was := unixLines(f.Note), unixLines(before.Note)
	if note == was {
		return before.Note, nil
	}
	if before.Unreadable {
		return "", invalid("note", "A nota guardada deste contato está ilegível e não pode ser mudada. Deixe-a vazia e salve o resto; quem cuida do serviço a encontra com fichario doctor --deep.")
	}
	if utf8.RuneCountInString(note) > max(contactNoteMax, utf8.RuneCountInString(was)) {
		return "", invalid("note", fmt.Sprintf("A nota pode ter até %d caracteres.", contactNoteMax))
	}
	return storable(note), nil
}

func unixLines(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// looksLikeEmail is lenient: what came by a webhook was checked even less.
func looksLikeEmail(s string) bool {
	inner := strings.Trim(s, "@")
	return line(s, contactEmailMax) && len(s) > 2 && strings.Contains(inner, "@") && !strings.ContainsAny(s, " \t")
}

// line reports whether a text is one line of at most so many characters.
func line(s string, most int) bool {
	n := 0
	for _, r := range s {
		if n++; r < ' ' || r == 0x7f || r == utf8.RuneError {
			return false
		}
	}
	return n <= most
}

// storable removes what a database cannot store in a text.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// Edit changes the fields of a contact, and writes which ones into its history; when nothing differs, nothing is
// written. One transaction. Faults: InvalidRequest with the field at fault ("version" when it has changed since the
// form was shown), NotFound, ServiceUnavailable.
func (c *Contacts) Edit(ctx context.Context, by Caller, id string, f ContactForm) error {
	return c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, before crm.Contact, e crm.Event) error {
		if f.Version != "" && f.Version != before.Version() {
			return invalid("version",
				"Este contato mudou enquanto você o editava. Confira os dados atuais e repita a sua alteração.")
		}
		n, err := loadNames(ctx, r, by.orgID)
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
		return errors.Join(r.Contacts.Edit(ctx, after, e), emitChange(ctx, r, e, change{was: before, is: after}))
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
func (c *Contacts) Note(ctx context.Context, by Caller, id, text string) error {
	text = storable(unixLines(text))
	return c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, k crm.Contact, e crm.Event) error {
		if text == "" || utf8.RuneCountInString(text) > textMax {
			return invalid("note", fmt.Sprintf("A nota tem de 1 a %d caracteres.", textMax))
		}
		e.Kind, e.Subject = crm.NoteAdded, text
		return errors.Join(r.Contacts.Answer(ctx, k, by.memberID, e.At), r.Contacts.AddNote(ctx, e),
			emitChange(ctx, r, e, change{was: k, is: k}))
	})
}

// Assign gives a contact to an active member; if it is already theirs, nothing is written. Faults: InvalidRequest,
// NotFound, ServiceUnavailable.
func (c *Contacts) Assign(ctx context.Context, by Caller, id, memberID string) error {
	return c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, k crm.Contact, e crm.Event) error {
		m, err := memberOf(ctx, r, k.OrgID, memberID)
		switch {
		case err != nil:
			return err
		case !m.Active:
			return invalid("member", "Esta pessoa não está mais ativa. Escolha outra.")
		case m.ID == k.AssigneeID:
			return nil
		}
		e.Kind, e.Subject = crm.Assigned, m.Name
		return assign(ctx, r, k, m.ID, e, "")
	})
}

// Move puts a contact into a stage; if it is already there, nothing is written. It returns the stage. Faults: NotFound,
// ServiceUnavailable.
func (c *Contacts) Move(ctx context.Context, by Caller, id, stageID string) (crm.Stage, error) {
	var stage crm.Stage
	err := c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, k crm.Contact, e crm.Event) error {
		n, err := loadNames(ctx, r, k.OrgID)
		if err != nil {
			return err
		}
		if n.stages[stageID].ID == "" {
			return missing("stage", "Não há etapa com este id.")
		}
		stage = n.stages[stageID]
		if k.StageID == stageID {
			return nil
		}
		e.Kind, e.Subject = crm.StageMoved, stage.Name
		return errors.Join(r.Contacts.Answer(ctx, k, by.memberID, e.At), move(ctx, r, k, stageID, e, ""))
	})
	return stage, err
}

// assign gives a locked contact to a member, or to nobody, and emits the event.
func assign(
	ctx context.Context, r ports.Repos, k crm.Contact, memberID string, e crm.Event, trail automation.Trail,
) error {
	after := k
	after.AssigneeID = memberID
	return errors.Join(r.Contacts.SetAssignee(ctx, memberID, e), emitChange(ctx, r, e, change{k, after, trail}))
}

// move puts a locked contact into a stage, and emits the event.
func move(
	ctx context.Context, r ports.Repos, k crm.Contact, stageID string, e crm.Event, trail automation.Trail,
) error {
	after := k
	after.StageID = stageID
	return errors.Join(r.Contacts.SetStage(ctx, stageID, e), emitChange(ctx, r, e, change{k, after, trail}))
}

// change runs f on a locked contact of the caller's organisation, in one transaction, with an event that names the
// member.
func (c *Contacts) change(
	ctx context.Context, by Caller, id string, f func(context.Context, ports.Repos, crm.Contact, crm.Event) error,
) error {
	actor, err := c.actor(ctx, by)
	if err != nil {
		return err
	}
	return c.store.InTx(ctx, func(r ports.Repos) error {
		contact, err := lockedContactKind.visible(ctx, r, by, id)
		if err != nil {
			return err
		}
		// Whoever waited for the lock changes it after those who had it.
		event := crm.Event{ID: newID(), OrgID: by.orgID, ContactID: id, Actor: actor, At: c.clock()}
		return f(ctx, r, contact, event)
	})
}

// actor is the caller's name in the history. Only members change contacts by hand.
func (c *Contacts) actor(ctx context.Context, by Caller) (string, error) {
	m, err := memberOf(ctx, c.store.Repos(), by.orgID, by.memberID)
	return m.Name, err
}
