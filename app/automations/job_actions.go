package automations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// attempt does the work of a job. Failures of other systems are *ports.SendError.
func (j *Jobs) attempt(ctx context.Context, job automation.Job) (outcome, error) {
	r, since := j.Store.Repos(), ports.Now()
	if job.Kind == automation.MailMember && job.ContactID == "" {
		return j.mailNews(ctx, r, job)
	}
	event, err := app.EventOf(ctx, r, job)
	if errors.Is(err, app.ErrEventGone) {
		if job.ContactID == "" || event.Contact.ID != "" {
			return outcome{result: "os dados do evento não estão mais guardados"}, nil
		}
		removed, err := r.Removals.Find(ctx, job.OrgID, job.ContactID)
		if err == nil && removed.IntoID == "" && !removed.Unreadable {
			return outcome{}, &ports.SendError{
				Reason: "o contato foi excluído, o que ainda pode ser desfeito", RetryAfter: time.Minute,
			}
		}
		return outcome{result: "o contato não existe mais"}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	if job.Kind == automation.MailMember {
		return j.mailMember(ctx, r, job, event.Contact)
	}
	a, err := r.Automations.Find(ctx, job.OrgID, job.AutomationID)
	if err != nil {
		return outcome{}, err
	}
	if !a.Enabled {
		return outcome{result: "a automação foi desabilitada antes; habilite-a e repita a execução", off: true}, nil
	}
	if a.Unreadable {
		return outcome{}, &ports.SendError{
			Reason: "a ação guardada está ilegível; descreva a automação de novo e repita a execução", Permanent: true,
		}
	}
	act, ok := actions[a.Action.Kind]
	if !ok {
		return outcome{}, fmt.Errorf("unknown action %q", a.Action.Kind)
	}
	if a.Conditions.When != "" {
		switch holds, err := j.Conditions.Holds(ctx, a.Conditions.When, event); {
		case err != nil:
			return outcome{}, &ports.SendError{Reason: "a condição falhou: " + err.Error(), Permanent: true}
		case !holds:
			return outcome{result: automation.NotHeld}, nil
		}
	}
	if event.Contact.ID == "" && needsContact(a.Action) {
		return outcome{result: "o evento não tem contato"}, nil
	}
	return act(j, ctx, r, run{job, a, event.Contact, event, since})
}

// needsContact reports whether an action does nothing without a contact.
func needsContact(a automation.Action) bool {
	return a.Kind != automation.HTTP &&
		(a.Kind != automation.Email || a.To == automation.ToContact || a.To == automation.ToAssignee)
}

// run is one attempt of an automation for one event.
type run struct {
	job     automation.Job
	rule    automation.Automation
	contact crm.ContactView
	about   automation.Event
	// since precedes the reading of the contact.
	since time.Time
}

// event is the entry that the run adds to the history of the contact, which is locked.
func (u run) event(clock app.Clock, kind crm.EventKind, subject string) crm.Event {
	return crm.Event{
		ID: app.NewID(), OrgID: u.job.OrgID, ContactID: u.contact.ID, Kind: kind, Actor: u.rule.Name, Subject: subject,
		At: clock(),
	}
}

// actions implements the kinds of actions.
var actions = map[automation.ActionKind]func(*Jobs, context.Context, ports.Repos, run) (outcome, error){
	automation.HTTP:      (*Jobs).post,
	automation.Email:     (*Jobs).mail,
	automation.MoveStage: (*Jobs).moveStage,
	automation.Assign:    (*Jobs).assign,
	automation.AddNote:   (*Jobs).addNote,
	automation.Lookup:    (*Jobs).lookup,
}

func (j *Jobs) post(ctx context.Context, _ ports.Repos, u run) (outcome, error) {
	if u.contact.Unreadable {
		return outcome{}, &ports.SendError{Reason: "a nota guardada do contato está ilegível", Permanent: true}
	}
	call := ports.Call{
		ID: u.job.ID, URL: u.rule.Action.URL, Secret: u.rule.Action.Secret, At: j.Clock(), Action: u.rule.Action,
		Event: u.about,
	}
	if call.Action.Ground != (automation.Ground{}) {
		return j.tellStage(ctx, u, call)
	}
	if call.Action.HasForm() {
		result, err := j.Dispatcher.Send(ctx, call)
		return outcome{result: result}, err
	}
	status, err := j.Dispatcher.Post(ctx, call)
	return outcome{result: fmt.Sprintf("status %d", status)}, err
}

// formerAssignee says why nothing is sent to whoever has left.
const formerAssignee = "o responsável não tem mais acesso, e nada é enviado a ele"

func (j *Jobs) mail(ctx context.Context, _ ports.Repos, u run) (outcome, error) {
	action := u.rule.Action
	to := action.To
	switch to {
	case automation.ToContact:
		to = u.contact.Email
	case automation.ToAssignee:
		if to = u.contact.Assignee.Email; to == "" {
			return outcome{result: "o contato não tem responsável"}, nil
		}
		if !u.contact.Assignee.Active {
			return outcome{result: formerAssignee}, nil
		}
	}
	return j.send(ctx, ports.Mail{
		ID: u.job.ID, To: to, Subject: automation.Fill(action.Subject, u.contact.Contact),
		Text: automation.Fill(action.Text, u.contact.Contact),
	})
}

func (j *Jobs) moveStage(_ context.Context, _ ports.Repos, u run) (outcome, error) {
	stageID := u.rule.Action.StageID
	return outcome{result: "movido", change: func(ctx context.Context, r ports.Repos) error {
		n, err := app.NamesOf(ctx, r, u.job.OrgID, stageID)
		if err != nil {
			return err
		}
		if !n.Has(crm.NamedStage, stageID) {
			return &ports.SendError{Reason: "a etapa não existe mais", Permanent: true}
		}
		k, err := r.Contacts.Lock(ctx, u.job.OrgID, u.contact.ID)
		if err != nil || k.StageID == stageID {
			return err // it is there already, and nothing happens
		}
		return contacts.Move(ctx, r, k, stageID, u.event(j.Clock, crm.StageMoved, n.Stage(stageID).Name), u.job.Trail)
	}}, nil
}

func (j *Jobs) assign(ctx context.Context, r ports.Repos, u run) (outcome, error) {
	if id := u.rule.Action.RotationID; id != "" {
		return outcome{result: "atribuído pelo rodízio", change: func(ctx context.Context, r ports.Repos) error {
			k, err := r.Contacts.Lock(ctx, u.job.OrgID, u.contact.ID)
			if err != nil {
				return err
			}
			m, err := contacts.Turn(ctx, r, u.job.OrgID, id, j.Clock())
			if err != nil {
				return err
			}
			return contacts.Assign(ctx, r, k, m.ID, u.event(j.Clock, crm.Assigned, m.Name), u.job.Trail)
		}}, nil
	}
	m, err := r.Members.Find(ctx, u.job.OrgID, u.rule.Action.MemberID)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !m.Active {
		return outcome{}, &ports.SendError{Reason: "o membro não existe mais ou não está ativo", Permanent: true}
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{result: "atribuído", change: func(ctx context.Context, r ports.Repos) error {
		k, err := r.Contacts.Lock(ctx, u.job.OrgID, u.contact.ID)
		if err != nil {
			return err
		}
		return contacts.Assign(ctx, r, k, m.ID, u.event(j.Clock, crm.Assigned, m.Name), u.job.Trail)
	}}, nil
}

func (j *Jobs) addNote(_ context.Context, _ ports.Repos, u run) (outcome, error) {
	return outcome{result: "nota adicionada", change: func(ctx context.Context, r ports.Repos) error {
		k, err := r.Contacts.Lock(ctx, u.job.OrgID, u.contact.ID)
		if err != nil {
			return err
		}
		event := u.event(j.Clock, crm.NoteAdded, automation.Fill(u.rule.Action.Text, u.contact.Contact))
		return errors.Join(r.ContactHistory.AddNote(ctx, event),
			app.EmitChange(ctx, r, event, app.Change{Was: k, Is: k, Trail: u.job.Trail}))
	}}, nil
}

// mailMember notifies one member of a new contact by e-mail.
func (j *Jobs) mailMember(ctx context.Context, r ports.Repos, job automation.Job, c crm.ContactView) (outcome, error) {
	m, err := r.Members.Find(ctx, job.OrgID, job.MemberID)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !m.Active {
		return outcome{result: "o membro não existe mais ou não está ativo"}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	text := fmt.Sprintf("%s chegou pelo webhook %s.\n", c.Name, c.Webhook)
	before, err := contacts.BeforeThis(ctx, r, c.OrgID, []string{c.ID})
	if err != nil {
		return outcome{}, err
	}
	text += before[c.ID].Text() + "\n"
	value := ""
	if c.Amount != 0 {
		value = c.Amount.Reais()
	}
	for _, field := range [][2]string{
		{"E-mail", c.Email}, {"Telefone", c.Phone}, {"Empresa", c.Company}, {"Valor", value}, {"Origem", c.Origin},
		{"Responsável", c.Assignee.Name},
	} {
		if field[1] != "" {
			text += field[0] + ": " + field[1] + "\n"
		}
	}
	if c.Note != "" {
		text += "\n" + c.Note + "\n"
	}
	return j.send(ctx, ports.Mail{
		ID: job.ID, To: m.Email, Subject: "Novo contato: " + c.Name,
		Text: text + "\n" + j.PublicURL + "/contatos/" + c.ID + "\n",
	})
}

// mailNews tells a member what a notification without a contact says.
func (j *Jobs) mailNews(ctx context.Context, r ports.Repos, job automation.Job) (outcome, error) {
	m, err := r.Members.Find(ctx, job.OrgID, job.MemberID)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !m.Active {
		return outcome{result: "o membro não existe mais ou não está ativo"}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	return j.send(ctx, ports.Mail{
		ID: job.ID, To: m.Email, Subject: "Leads de anúncios", Text: job.Detail + "\n\n" + j.PublicURL + "/webhooks\n",
	})
}

func (j *Jobs) send(ctx context.Context, m ports.Mail) (outcome, error) {
	if j.Mailer == nil {
		const reason = "o envio de e-mail não está configurado: peça a quem administra o servidor"
		return outcome{}, &ports.SendError{Reason: reason} // another may have it
	}
	return outcome{result: "enviado"}, j.Mailer.Send(ctx, m)
}
