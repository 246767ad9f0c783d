package contacts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/ports"
)

// importStep makes contacts from some rows of an import.
type importStep struct {
	r     ports.Repos
	orgID string
	plan  crm.Import
	names crm.Names
	// actor is the name of the member who imports.
	actor, memberID string
	now             time.Time
	clock           app.Clock
	// gone says what was chosen for new contacts and is no more, with what they get instead.
	gone []string
}

// importRows makes contacts from some rows of an import, records the outcome in the rows, and notifies the team when
// the import ends.
func (b *Bulks) importRows(
	ctx context.Context, r ports.Repos, action *crm.Bulk, items []crm.BulkItem, now time.Time,
) error {
	n, err := r.Names.All(ctx, action.OrgID, app.ContactKinds...)
	if err != nil {
		return err
	}
	plan, lost := planIn(*action)
	s := importStep{
		r: r, orgID: action.OrgID, plan: plan, names: n, actor: n.Member(action.MemberID).Name, memberID: action.MemberID,
		now: now, clock: b.clock,
	}
	if err := s.replaceGone(ctx); err != nil {
		return err
	}
	for i := range items {
		item := &items[i]
		row, err := StoredRow(item.Content)
		if lost != nil || item.Unreadable || err != nil {
			item.State, item.Result = crm.ItemWrong, "O que está gravado desta linha não pode ser lido."
		} else if err := s.do(ctx, item, row); err != nil {
			return err
		}
		switch item.State {
		case crm.ItemDone:
			s.plan.Made++
		case crm.ItemFilled:
			s.plan.Filled++
		case crm.ItemWrong:
			s.plan.Wrong++
		}
	}
	if lost != nil {
		return nil
	}
	s.plan.StageID, s.plan.AssigneeID = plan.StageID, plan.AssigneeID // the next step says too what is gone of it
	if action.Settings, err = json.Marshal(storedImport(s.plan)); err != nil || action.Open() {
		return err
	}
	return r.Notifications.Create(ctx, crm.Notification{
		ID: app.NewID(), OrgID: s.orgID, Kind: crm.ImportEnded, Subject: s.ended(action.Total), At: now,
	})
}

// replaceGone finds another stage or member for new contacts where the one that was chosen has gone since.
func (s *importStep) replaceGone(ctx context.Context) (err error) {
	if !s.names.Has(crm.NamedStage, s.plan.StageID) {
		if s.plan.StageID, err = entryStage(ctx, s.r, s.orgID); err != nil {
			return err
		}
		s.gone = append(s.gone, "A etapa escolhida não existe mais; no lugar dela, "+s.names.Stage(s.plan.StageID).Name+".")
	}
	if !s.names.Member(s.plan.AssigneeID).Active {
		members, err := s.r.Members.List(ctx, s.orgID)
		if err != nil {
			return err
		}
		first, _ := crm.FirstAssignee(members)
		s.plan.AssigneeID = first.ID
		s.gone = append(s.gone, "A pessoa escolhida não está mais ativa; no lugar dela, "+cmp.Or(first.Name, "ninguém")+".")
	}
	return nil
}

// ended describes in Portuguese how an import ended.
func (s importStep) ended(total int) string {
	counts := fmt.Sprintf("%s importou %s: linhas: %s, contatos novos: %s, completados: %s, pulados: %s, com erro: %s.",
		s.actor, cmp.Or(s.plan.File, "contatos colados"), catalog.Count(total), catalog.Count(s.plan.Made),
		catalog.Count(s.plan.Filled), catalog.Count(total-s.plan.Made-s.plan.Filled-s.plan.Wrong),
		catalog.Count(s.plan.Wrong))
	return strings.Join(append([]string{counts}, s.gone...), " ")
}

// do makes a contact from a row, or applies the rule for duplicates.
func (s importStep) do(ctx context.Context, item *crm.BulkItem, row crm.ImportRow) error {
	c, remarks, err := contactOfRow(s.orgID, s.plan, s.names, row)
	if f := app.FaultOf(err); f != nil {
		item.State, item.Result = crm.ItemWrong, f.Message
		return nil
	}
	if err != nil {
		return err
	}
	c.ID, c.CreatedAt = app.NewID(), s.now
	if s.plan.Duplicates != crm.CreateDuplicates {
		other, known, err := existing(ctx, s.r, c)
		if err != nil {
			return err
		}
		if known {
			return s.known(ctx, item, c, other, remarks)
		}
	}
	item.State, item.ContactID, item.Result = crm.ItemDone, c.ID, strings.Join(append(remarks, s.gone...), " ")
	return add(ctx, s.r, c, s.event(c.ID, crm.ContactAdded, ""), s.memberID, s.plan.Fires)
}

func (s importStep) event(contactID string, kind crm.EventKind, subject string) crm.Event {
	return crm.Event{
		ID: app.NewID(), OrgID: s.orgID, ContactID: contactID, Kind: kind, Actor: s.actor, Subject: subject, At: s.now,
	}
}

// known handles a row whose contact already exists; remarks are of what went to the row's note.
func (s importStep) known(ctx context.Context, item *crm.BulkItem, c, other crm.Contact, remarks []string) error {
	item.State, item.ContactID = crm.ItemSkipped, other.ID
	item.Result = "Já existe: " + strings.Join(inCommon(c, other), ", ") + "."
	if s.plan.Duplicates != crm.FillDuplicates {
		return nil
	}
	before, err := s.r.Contacts.Lock(ctx, other.OrgID, other.ID)
	switch {
	case errors.Is(err, ports.ErrNotFound):
		item.Result = "O contato não existe mais."
		return nil
	case err != nil:
		return err
	case before.Unreadable:
		item.Result = "O que está gravado do contato não pode ser lido."
		return nil
	}
	if len(c.Documents) > 0 && len(before.Documents) == 0 && !strings.EqualFold(c.Email, before.Email) {
		// People share a phone, and what is asked about a document is charged and kept.
		c.Documents = nil
		item.Result += " O documento da linha não foi posto, porque o e-mail é outro."
	}
	after := crm.Fill(before, c)
	switch {
	case c.Note == "", c.Note == before.Note:
	case after.Note == c.Note && len(remarks) > 0:
		item.Result += " " + strings.Join(remarks, " ")
	case after.Note == before.Note:
		item.Result += " A nota da linha não foi posta, porque o contato já tem uma."
	}
	changed := changedFields(before, after)
	if len(changed) == 0 {
		item.Result += " Nada a completar."
		return nil
	}
	item.State = crm.ItemFilled
	item.Result += " Completado: " + strings.Join(changed, ", ") + "."
	event := s.event(other.ID, crm.ContactEdited, strings.Join(changed, ", "))
	event.At = s.clock() // the contact was locked after the step began
	if err := s.r.Contacts.Edit(ctx, after, event); err != nil || !s.plan.Fires {
		return err
	}
	return app.EmitChange(ctx, s.r, event, app.Change{Was: before, Is: after})
}

// contactOfRow returns the contact that a row makes, and what could not be read of it. Fault: InvalidRequest that says
// why it makes none.
func contactOfRow(orgID string, plan crm.Import, n crm.Names, row crm.ImportRow) (crm.Contact, []string, error) {
	record := intake.ReadRecord(plan.Columns, plan.Fields, row.Cells)
	c := crm.Contact{
		OrgID: orgID, StageID: plan.StageID, AssigneeID: plan.AssigneeID, Documents: record.Documents,
		Amount: catalog.Money(record.Amount),
	}
	switch {
	case record.Email == "":
		return c, nil, app.Invalid("email", "Falta o e-mail.")
	case c.Amount > contactAmountMax:
		return c, nil, badAmount()
	}
	f := ContactForm{
		Name: record.DisplayName(), Email: record.Email, Phone: record.Phone, Company: record.Company,
		OriginID: originMeant(record.Origin, n),
	}
	if record.Origin != "" && f.OriginID == "" {
		record.Leftover = append(record.Leftover, intake.Pair{Key: "Origem informada", Value: record.Origin})
		record.Remarks = append(record.Remarks, "A origem não é nenhuma das que há em Origens e foi para a nota.")
	}
	f.Note, f.Amount = record.Note(), c.AmountText()
	var documents []string
	for _, d := range record.Documents {
		documents = append(documents, d.Value())
	}
	f.Documents = strings.Join(documents, ",")
	return c, record.Remarks, f.apply(&c, n)
}

// originMeant returns the origin that a text most likely means; empty for none.
func originMeant(said string, n crm.Names) (id string) {
	best := fields.Unlike
	for origin, name := range n.Of(crm.NamedOrigin) {
		like := fields.OriginLikeness(said, name)
		if like > best || like == best && like > fields.Unlike && origin < id {
			id, best = origin, like
		}
	}
	return id
}
