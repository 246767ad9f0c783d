package automations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

const (
	fanOutAtOnce = 500
	// fanOutJobs is after how many jobs the remaining events wait for the next transaction.
	fanOutJobs = 500
)

// fanOut makes the jobs that events trigger, for many events in one transaction, and reports whether there may be more.
func (j *Jobs) fanOut(ctx context.Context) (more bool, err error) {
	made := 0
	err = j.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		arrived, err := r.JobQueue.Lock(ctx, automation.FanOut, fanOutAtOnce)
		if err != nil || len(arrived) == 0 {
			return err
		}
		now, err := r.Clock.Now(ctx, j.Clock())
		if err != nil {
			return err
		}
		f := fan{jobs: j, r: r, now: now, orgs: map[string]listeners{}, answers: map[string]int{}}
		done := 0
		for ; done < len(arrived) && len(f.made) < fanOutJobs; done++ {
			if err := f.contact(ctx, arrived[done]); err != nil {
				return err
			}
		}
		more, made = done < len(arrived) || done == fanOutAtOnce, len(f.made)
		return errors.Join(r.Jobs.Add(ctx, f.made...), r.JobQueue.Remove(ctx, arrived[:done]...))
	})
	if err == nil && made > 0 {
		j.Wake(automation.RunAutomation)
		j.Wake(automation.MailMember)
	}
	return more, err
}

// fan gathers the jobs that events trigger.
type fan struct {
	jobs *Jobs
	r    ports.Repos
	now  time.Time
	orgs map[string]listeners // read once for all events of an organisation
	// answers counts, by contact, the runs of the last hour that followed from other runs.
	answers map[string]int
	made    []automation.Job
}

// listeners are the automations and members concerned by an organisation's events.
type listeners struct {
	rules  []automation.Automation
	mailed []crm.Member // empty where e-mail is not configured
}

// contact adds the jobs of one event: a run of each automation that listens and whose conditions hold, and for a new
// contact an e-mail to each active member, unless a member made it by hand.
func (f *fan) contact(ctx context.Context, arrived automation.Job) error {
	to, err := f.listeners(ctx, arrived.OrgID)
	if err != nil {
		return err
	}
	var contact crm.Contact // read when a condition needs it
	for _, a := range to.rules {
		if !a.Enabled || a.Event != cmp.Or(arrived.Event, automation.ContactCreated) {
			continue
		}
		linked := a.Conditions
		linked.When = "" // the run evaluates it
		if linked != (automation.Conditions{}) && contact.ID == "" && arrived.ContactID != "" {
			if contact, err = f.asItWas(ctx, arrived); err != nil {
				return err
			}
		}
		if a.Conditions.Hold(contact) {
			if err := f.run(ctx, arrived, a.ID); err != nil {
				return err
			}
		}
	}
	for _, m := range to.mailed {
		if arrived.Event == "" && m.Active && arrived.MemberID == "" { // a contact that a member made needs no announcement
			f.add(arrived, automation.Job{Kind: automation.MailMember, MemberID: m.ID})
		}
	}
	return nil
}

// asItWas returns the contact of an event with what conditions look at, as it was when the event happened. Where that
// is not known it is the contact, or the one that it was merged into, as it is now; if it was deleted, its former
// content, since it may be restored, for as long as that is kept.
func (f *fan) asItWas(ctx context.Context, arrived automation.Job) (crm.Contact, error) {
	then := crm.Contact{ID: arrived.ContactID}
	if arrived.Facts.Apply(&then) {
		return then, nil
	}
	c, err := app.SurvivingContact(ctx, f.r, arrived.OrgID, arrived.ContactID)
	if !errors.Is(err, ports.ErrNotFound) {
		return c, err
	}
	removed, err := f.r.Removals.Find(ctx, arrived.OrgID, arrived.ContactID)
	if errors.Is(err, ports.ErrNotFound) {
		return crm.Contact{}, nil
	}
	return removed.Contact, err
}

// run adds a run of an automation, or records where a chain is cut off: an automation does not trigger itself, a chain
// has at most automation.MaxSteps, and a contact at most automation.MaxAnswers in an hour.
func (f *fan) run(ctx context.Context, arrived automation.Job, automationID string) error {
	many, err := f.tooMany(ctx, arrived)
	if err != nil {
		return err
	}
	job := automation.Job{
		Kind: automation.RunAutomation, AutomationID: automationID, Trail: arrived.Trail.With(automationID),
		State: automation.Ready,
	}
	switch {
	case arrived.Trail.Has(automationID):
		job.State, job.EndedAt = automation.Done, f.now
		job.Result = automation.ChainCut + "o evento vem de uma mudança desta mesma automação"
	case arrived.Trail.Steps() >= automation.MaxSteps:
		job.State, job.EndedAt = automation.Done, f.now
		job.Result = fmt.Sprintf(automation.ChainCut+"ela já tem %d passos", automation.MaxSteps)
	case many:
		job.State, job.EndedAt = automation.Done, f.now
		job.Result = fmt.Sprintf(
			automation.ChainCut+"neste contato, as automações já responderam umas às outras %d vezes em uma hora",
			automation.MaxAnswers)
		err = f.tellMany(ctx, arrived)
	case arrived.Trail != "":
		f.answers[arrived.ContactID]++
	}
	f.add(arrived, job)
	return err
}

// tooMany reports whether a contact has had so many runs because of other automations that it gets no more for now.
func (f *fan) tooMany(ctx context.Context, arrived automation.Job) (bool, error) {
	if arrived.Trail == "" || arrived.ContactID == "" {
		return false, nil
	}
	if _, has := f.answers[arrived.ContactID]; !has {
		n, err := f.r.Jobs.Answers(ctx, arrived.OrgID, arrived.ContactID, f.now.Add(-time.Hour), automation.MaxAnswers)
		if err != nil {
			return false, err
		}
		f.answers[arrived.ContactID] = n
	}
	return f.answers[arrived.ContactID] >= automation.MaxAnswers, nil
}

// tellMany notifies the team, once a day: what answers each other is the automations, not the contact.
func (f *fan) tellMany(ctx context.Context, arrived automation.Job) error {
	_, err := f.r.Notifications.CreateOnce(ctx, crm.Notification{
		ID: app.NewID(), OrgID: arrived.OrgID, Kind: crm.ChainCut, ContactID: arrived.ContactID, At: f.now,
		Subject: fmt.Sprintf("Em um contato, as automações responderam umas às outras %d vezes em uma hora, e as seguintes "+
			"foram cortadas. Confira o que cada uma muda e que evento as outras esperam.", automation.MaxAnswers),
	}, arrived.OrgID, "cadeia:"+f.now.UTC().Format(time.DateOnly))
	return err
}

func (f *fan) add(arrived, job automation.Job) {
	job.ID, job.OrgID, job.ContactID = app.NewID(), arrived.OrgID, arrived.ContactID
	job.Event, job.SubjectID, job.Detail = arrived.Event, arrived.SubjectID, arrived.Detail
	job.Facts, job.Place = arrived.Facts, arrived.Place
	if job.State == "" {
		job.State = automation.Ready
	}
	job.RunAt, job.CreatedAt = f.now, f.now
	if arrived.Event != "" {
		job.CreatedAt = arrived.CreatedAt // when the event happened
	}
	f.made = append(f.made, job)
}

func (f *fan) listeners(ctx context.Context, orgID string) (to listeners, err error) {
	if known, ok := f.orgs[orgID]; ok {
		return known, nil
	}
	if to.rules, err = f.r.Automations.List(ctx, orgID); err != nil {
		return to, err
	}
	if f.jobs.Mailer != nil {
		if to.mailed, err = f.r.Members.List(ctx, orgID); err != nil {
			return to, err
		}
	}
	f.orgs[orgID] = to
	return to, nil
}
