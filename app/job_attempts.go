package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// start leases jobs and runs each beside the others. It reports whether there may be
// more that could start now.
func (j *Jobs) start(ctx context.Context, kind automation.JobKind, p *pool) bool {
	free, full := p.room()
	if free == 0 {
		return false // one that ends wakes the loop
	}
	limit := min(free, runsOfOneRule)
	now := j.Clock()
	batch, err := j.Store.Repos().Jobs.Claim(ctx, kind, j.lease, now, now.Add(runLease), full, limit)
	if err != nil {
		j.Log.WarnContext(ctx, "background work failed; it will be tried again", "work", string(kind), "error", err)
		return false
	}
	for _, job := range batch {
		p.add(job.AutomationID, 1)
		p.running.Go(func() {
			j.run(ctx, job)
			p.add(job.AutomationID, -1)
			j.wake(kind)
		})
	}
	return len(batch) == limit
}

// errLeaseLost says that somebody else has a job now: what this one did is not
// written down.
var errLeaseLost = errors.New("a lease was lost")

// run makes one attempt of a job and writes down how it ended.
func (j *Jobs) run(ctx context.Context, job automation.Job) {
	attempt, cancel := context.WithTimeout(ctx, attemptAtMost)
	defer cancel()
	end := func(result string) error {
		job.State, job.Result = automation.Done, result
		return nil
	}
	apply, err := j.guarded(attempt, job, end)
	job.EndedAt = j.Clock()
	var failed *ports.SendError
	switch {
	case err == nil:
	case errors.As(err, &failed):
		j.fail(&job, failed)
	default:
		// The database was away, or a fault of ours: the reason is for the log.
		j.Log.WarnContext(ctx, "a job failed; it will be tried again", "job", job.ID, "kind", string(job.Kind), "error", err)
		j.fail(&job, &ports.SendError{Reason: reasonInternal})
	}
	// Its time may be over, but what has been done must be written down.
	write, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	err = j.Store.InTx(write, func(r ports.Repos) error {
		n, err := r.Jobs.Finish(write, job)
		if err != nil {
			return err
		}
		if n == 0 {
			return errLeaseLost
		}
		if apply != nil && job.State == automation.Done {
			if err := apply(write, r); err != nil {
				return err
			}
		}
		if job.State == automation.Dead {
			return j.tell(write, r, job)
		}
		return nil
	})
	if err != nil {
		j.Log.WarnContext(ctx, "the end of a job was not written; it will run again", "job", job.ID, "kind", string(job.Kind), "error", err)
		return
	}
	if j.Observe != nil {
		j.Observe(job.Kind, job.State)
	}
}

// fail plans the next attempt, or gives the job up.
func (j *Jobs) fail(job *automation.Job, why *ports.SendError) {
	delay, more := automation.Next(job.Attempts)
	job.State, job.Result = automation.Dead, why.Reason
	if more && !why.Permanent {
		job.State, job.RunAt = automation.Ready, job.EndedAt.Add(max(delay, why.RetryAfter))
	}
}

// tell notifies the team of a job that was given up.
func (j *Jobs) tell(ctx context.Context, r ports.Repos, job automation.Job) error {
	subject := "O e-mail de aviso"
	if job.AutomationID != "" {
		a, err := r.Automations.Find(ctx, job.AutomationID)
		if err != nil {
			return err
		}
		subject = "A automação " + a.Name
	}
	return r.Notifications.Create(ctx, crm.Notification{
		ID: newID(), OrgID: job.OrgID, Kind: crm.JobDead, ContactID: job.ContactID, Subject: subject, At: job.EndedAt,
	})
}

// effect is what a job changes in our own data: it happens in the transaction that
// ends the job, and so exactly once.
type effect func(context.Context, ports.Repos) error

// guarded is attempt for which a panic is a failure like others, so that one job does
// not end the others, and the program.
func (j *Jobs) guarded(ctx context.Context, job automation.Job, end func(result string) error) (apply effect, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The value may hold what somebody sent.
			apply, err = nil, fmt.Errorf("panic (%T)", r)
		}
	}()
	return j.attempt(ctx, job, end)
}

// attempt does what a job is for, or returns the effect that does. end notes how it
// ended well.
func (j *Jobs) attempt(ctx context.Context, job automation.Job, end func(result string) error) (effect, error) {
	r := j.Store.Repos()
	view, err := viewContact(ctx, r, job.ContactID)
	if errors.Is(err, ports.ErrNotFound) {
		return nil, end("o contato não existe mais")
	}
	if err != nil {
		return nil, err
	}
	if job.Kind == automation.MailMember {
		return nil, j.mailMember(ctx, r, job, view, end)
	}
	a, err := r.Automations.Find(ctx, job.AutomationID)
	if err != nil {
		return nil, err
	}
	if !a.Enabled {
		return nil, end("a automação está desabilitada")
	}
	event := crm.Event{ID: newID(), OrgID: job.OrgID, ContactID: job.ContactID, Actor: a.Name, At: j.Clock()}
	switch a.Action.Kind {
	case automation.HTTP:
		return nil, j.post(ctx, job, a.Action, view, end)
	case automation.Email:
		return nil, j.mail(ctx, job, a.Action, view, end)
	case automation.MoveStage:
		n, err := loadNames(ctx, r, job.OrgID)
		if err != nil {
			return nil, err
		}
		if n.stages[a.Action.StageID] == "" {
			return nil, &ports.SendError{Reason: "a etapa não existe mais", Permanent: true}
		}
		event.Kind, event.Subject = crm.StageMoved, n.stages[a.Action.StageID]
		return func(ctx context.Context, r ports.Repos) error {
			return r.Contacts.SetStage(ctx, a.Action.StageID, event)
		}, end("movido")
	case automation.Assign:
		m, err := r.Members.Find(ctx, a.Action.MemberID)
		if errors.Is(err, ports.ErrNotFound) || err == nil && !m.Active {
			return nil, &ports.SendError{Reason: "o membro não existe mais ou não está ativo", Permanent: true}
		}
		if err != nil {
			return nil, err
		}
		event.Kind, event.Subject = crm.Assigned, m.Name
		return func(ctx context.Context, r ports.Repos) error { return r.Contacts.SetAssignee(ctx, m.ID, event) }, end("atribuído")
	case automation.AddNote:
		event.Kind, event.Subject = crm.NoteAdded, automation.Fill(a.Action.Text, view.Contact)
		return func(ctx context.Context, r ports.Repos) error { return r.Contacts.AddNote(ctx, event) }, end("nota adicionada")
	}
	return nil, fmt.Errorf("unknown action %q", a.Action.Kind)
}

func (j *Jobs) post(ctx context.Context, job automation.Job, a automation.Action, view ContactView, end func(string) error) error {
	status, err := j.Dispatcher.Post(ctx, ports.Call{
		ID: job.ID, URL: a.URL, Secret: a.Secret, At: j.Clock(),
		Event: automation.Event{Name: automation.ContactCreated, At: view.CreatedAt, Contact: view},
	})
	if err != nil {
		return err
	}
	return end(fmt.Sprintf("status %d", status))
}

func (j *Jobs) mail(ctx context.Context, job automation.Job, a automation.Action, view ContactView, end func(string) error) error {
	to := a.To
	switch to {
	case automation.ToContact:
		to = view.Email
	case automation.ToAssignee:
		if to = view.Assignee.Email; to == "" {
			return end("o contato não tem responsável")
		}
	}
	return j.send(ctx, ports.Mail{
		ID: job.ID, To: to, Subject: automation.Fill(a.Subject, view.Contact), Text: automation.Fill(a.Text, view.Contact),
	}, end)
}

func (j *Jobs) mailMember(ctx context.Context, r ports.Repos, job automation.Job, view ContactView, end func(string) error) error {
	m, err := r.Members.Find(ctx, job.MemberID)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !m.Active {
		return end("o membro não existe mais ou não está ativo")
	}
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s chegou pelo webhook %s.\n\n", view.Name, view.Webhook)
	for _, line := range [][2]string{
		{"E-mail", view.Email}, {"Telefone", view.Phone}, {"Empresa", view.Company}, {"Origem", view.Origin}, {"Responsável", view.Assignee.Name},
	} {
		if line[1] != "" {
			text += line[0] + ": " + line[1] + "\n"
		}
	}
	if view.Note != "" {
		text += "\n" + view.Note + "\n"
	}
	return j.send(ctx, ports.Mail{
		ID: job.ID, To: m.Email, Subject: "Novo contato: " + view.Name, Text: text + "\n" + j.PublicURL + "/contatos/" + view.ID + "\n",
	}, end)
}

func (j *Jobs) send(ctx context.Context, m ports.Mail, end func(string) error) error {
	if j.Mailer == nil {
		return &ports.SendError{Reason: "o envio de e-mail não está configurado (FICHARIO_SMTP_URL)", Permanent: true}
	}
	if err := j.Mailer.Send(ctx, m); err != nil {
		return err
	}
	return end("enviado")
}
