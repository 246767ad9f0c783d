package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// Jobs does what is done after the answer: it finds out what a new contact sets
// going, runs automations and sends e-mail. Every job is done at least once, on
// whichever instance leases it first; a lease that its owner did not end, because
// the process died, is free again after its time.
type Jobs struct {
	JobsConfig
	lease string
	wakes map[automation.JobKind]chan struct{}
}

// JobsConfig is what Jobs needs.
type JobsConfig struct {
	Store      ports.Store
	Clock      Clock
	Dispatcher ports.Dispatcher
	// Mailer is nil where e-mail is not configured.
	Mailer ports.Mailer
	// PublicURL is where links in e-mails lead, without a slash at its end.
	PublicURL string
	Log       *slog.Logger
	// Observe is told how each attempt of a job ended.
	Observe func(automation.JobKind, automation.JobState)
}

// NewJobs returns the use case.
func NewJobs(c JobsConfig) *Jobs {
	j := &Jobs{JobsConfig: c, lease: newID(), wakes: map[automation.JobKind]chan struct{}{}}
	for _, kind := range []automation.JobKind{automation.FanOut, automation.RunAutomation, automation.MailMember} {
		j.wakes[kind] = make(chan struct{}, 1)
	}
	return j
}

// Wake says that a contact was made. It never blocks.
func (j *Jobs) Wake() { j.wake(automation.FanOut) }

func (j *Jobs) wake(kind automation.JobKind) {
	select {
	case j.wakes[kind] <- struct{}{}:
	default:
	}
}

const (
	// pollEvery is how soon jobs are found that nobody in this process made: retries
	// that are due, and those of other instances.
	pollEvery = time.Second
	// drainJobs bounds how long a stopping service waits for jobs that run.
	drainJobs = 25 * time.Second

	// gatherFor is how long new contacts are gathered, so that a burst of them is
	// fanned out in few transactions.
	gatherFor = 50 * time.Millisecond

	runLease       = 30 * time.Second
	fanOutAtOnce   = 500
	fanOutJobs     = 500 // after so many, the other contacts of a time wait for the next transaction
	runsAtOnce     = 32
	runsOfOneRule  = 8 // so that one receiver that hangs does not hold up the others
	mailsAtOnce    = 4
	attemptAtMost  = 25 * time.Second // less than its lease
	reasonInternal = "erro interno"
)

// Run works until ctx ends, and then finishes what it has begun.
func (j *Jobs) Run(ctx context.Context) {
	// Jobs outlive ctx for as long as they are waited for.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var loops sync.WaitGroup
	loops.Go(func() { j.loop(ctx, automation.FanOut, gatherFor, func() bool { return j.fanOut(work) }) })
	runs, mails := newPool(runsAtOnce), newPool(mailsAtOnce)
	loops.Go(func() {
		j.loop(ctx, automation.RunAutomation, 0, func() bool { return j.start(work, automation.RunAutomation, runs) })
	})
	loops.Go(func() {
		j.loop(ctx, automation.MailMember, 0, func() bool { return j.start(work, automation.MailMember, mails) })
	})
	loops.Wait()
	patience := time.AfterFunc(drainJobs, stop)
	defer patience.Stop()
	runs.running.Wait()
	mails.running.Wait()
}

// loop calls step until it reports that nothing is left, then waits to be woken and
// for that long.
func (j *Jobs) loop(ctx context.Context, kind automation.JobKind, gather time.Duration, step func() (more bool)) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if step() {
			continue
		}
		select {
		case <-ticker.C:
		case <-j.wakes[kind]:
			select {
			case <-time.After(gather):
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}
}

// fanOut makes the jobs that new contacts set going, many contacts at once in one
// transaction, and reports whether there may be more.
func (j *Jobs) fanOut(ctx context.Context) (more bool) {
	made := 0
	err := j.Store.InTx(ctx, func(r ports.Repos) error {
		batch, err := r.Jobs.Lock(ctx, automation.FanOut, j.Clock(), fanOutAtOnce)
		if err != nil || len(batch) == 0 {
			return err
		}
		next, n, err := j.next(ctx, r, batch)
		if err != nil {
			return err
		}
		more, made = n < len(batch) || n == fanOutAtOnce, len(next)
		return errors.Join(r.Jobs.Add(ctx, next...), r.Jobs.Remove(ctx, batch[:n]...))
	})
	if err != nil {
		j.Log.WarnContext(ctx, "background work failed; it will be tried again", "work", "fire automations", "error", err)
		return false
	}
	if made > 0 {
		j.wake(automation.RunAutomation)
		j.wake(automation.MailMember)
	}
	return more
}

// next returns the jobs that the first n of some contacts set going: one for each
// automation whose conditions hold, and one e-mail for each active member where e-mail
// is configured. It leaves contacts for the next time when that are many.
func (j *Jobs) next(ctx context.Context, r ports.Repos, batch []automation.Job) (next []automation.Job, n int, err error) {
	rules, people := map[string][]automation.Automation{}, map[string][]crm.Member{}
	for i, b := range batch {
		if len(next) >= fanOutJobs {
			return next, i, nil
		}
		if _, known := rules[b.OrgID]; !known {
			all, err := r.Automations.List(ctx, b.OrgID)
			if err != nil {
				return nil, 0, err
			}
			rules[b.OrgID] = all
			if j.Mailer != nil {
				if people[b.OrgID], err = r.Members.List(ctx, b.OrgID); err != nil {
					return nil, 0, err
				}
			}
		}
		made := automation.Job{OrgID: b.OrgID, ContactID: b.ContactID, State: automation.Ready, RunAt: j.Clock(), CreatedAt: j.Clock()}
		var contact crm.Contact
		for _, a := range rules[b.OrgID] {
			if !a.Enabled {
				continue
			}
			if a.Conditions != (automation.Conditions{}) && contact.ID == "" {
				var err error
				if contact, err = r.Contacts.Find(ctx, b.ContactID); err != nil && !errors.Is(err, ports.ErrNotFound) {
					return nil, 0, err
				}
			}
			if a.Conditions.Hold(contact) {
				made.ID, made.Kind, made.AutomationID, made.MemberID = newID(), automation.RunAutomation, a.ID, ""
				next = append(next, made)
			}
		}
		for _, m := range people[b.OrgID] {
			if m.Active {
				made.ID, made.Kind, made.AutomationID, made.MemberID = newID(), automation.MailMember, "", m.ID
				next = append(next, made)
			}
		}
	}
	return next, len(batch), nil
}

// pool bounds how many jobs run at once, and how many of one automation.
type pool struct {
	running sync.WaitGroup
	mu      sync.Mutex
	free    int
	of      map[string]int // by automation
}

func newPool(size int) *pool { return &pool{free: size, of: map[string]int{}} }

// room returns how many more may run, and the automations of which none may.
func (p *pool) room() (free int, full []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, n := range p.of {
		if n >= runsOfOneRule {
			full = append(full, id)
		}
	}
	return p.free, full
}

func (p *pool) add(automationID string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free -= n
	if automationID != "" {
		if p.of[automationID] += n; p.of[automationID] == 0 {
			delete(p.of, automationID)
		}
	}
}

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
	body, err := eventBody(view)
	if err != nil {
		return err
	}
	status, err := j.Dispatcher.Post(ctx, ports.Call{ID: job.ID, URL: a.URL, Secret: a.Secret, At: j.Clock(), Body: body})
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

// Forget removes jobs that were done more than 30 days ago.
func (j *Jobs) Forget(ctx context.Context) error {
	return forget(ctx, func(ctx context.Context) (int, error) {
		return j.Store.Repos().Jobs.Forget(ctx, j.Clock().Add(-keepFor))
	})
}
