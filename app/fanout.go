package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

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
func (j *Jobs) fanOut(ctx context.Context) (more bool) {
	made := 0
	err := j.Store.InTx(ctx, func(r ports.Repos) error {
		arrived, err := r.Jobs.Lock(ctx, automation.FanOut, fanOutAtOnce)
		if err != nil || len(arrived) == 0 {
			return err
		}
		now, err := r.Clock.Now(ctx, j.Clock())
		if err != nil {
			return err
		}
		f := fan{jobs: j, r: r, now: now, orgs: map[string]listeners{}}
		done := 0
		for ; done < len(arrived) && len(f.made) < fanOutJobs; done++ {
			if err := f.contact(ctx, arrived[done]); err != nil {
				return err
			}
		}
		more, made = done < len(arrived) || done == fanOutAtOnce, len(f.made)
		return errors.Join(r.Jobs.Add(ctx, f.made...), r.Jobs.Remove(ctx, arrived[:done]...))
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

// fan gathers the jobs that events trigger.
type fan struct {
	jobs *Jobs
	r    ports.Repos
	now  time.Time
	orgs map[string]listeners // read once for all events of an organisation
	made []automation.Job
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
			if contact, err = f.asItWas(ctx, arrived.ContactID); err != nil {
				return err
			}
		}
		if a.Conditions.Hold(contact) {
			f.run(arrived, a.ID)
		}
	}
	for _, m := range to.mailed {
		if arrived.Event == "" && m.Active && arrived.MemberID == "" { // a contact that a member made needs no announcement
			f.add(arrived, automation.Job{Kind: automation.MailMember, MemberID: m.ID})
		}
	}
	return nil
}

// asItWas returns a contact, or the one that it was merged into; if it was deleted, its former content, since it may be
// restored, for as long as that is kept.
func (f *fan) asItWas(ctx context.Context, id string) (crm.Contact, error) {
	view, err := survivingContact(ctx, f.r, id)
	if !errors.Is(err, ports.ErrNotFound) {
		return view.Contact, err
	}
	removed, err := f.r.Removals.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) {
		return crm.Contact{}, nil
	}
	return removed.Contact, err
}

// run adds a run of an automation, or records where a chain is cut off: an automation does not trigger itself, and a
// chain has at most automation.MaxSteps.
func (f *fan) run(arrived automation.Job, automationID string) {
	job := automation.Job{
		Kind: automation.RunAutomation, AutomationID: automationID, Trail: arrived.Trail.With(automationID),
		State: automation.Ready,
	}
	switch {
	case arrived.Trail.Has(automationID):
		job.State, job.EndedAt = automation.Done, f.now
		job.Result = "cadeia interrompida: o evento vem de uma mudança desta mesma automação"
	case arrived.Trail.Steps() >= automation.MaxSteps:
		job.State, job.EndedAt = automation.Done, f.now
		job.Result = fmt.Sprintf("cadeia interrompida: ela já tem %d passos", automation.MaxSteps)
	}
	f.add(arrived, job)
}

func (f *fan) add(arrived, job automation.Job) {
	job.ID, job.OrgID, job.ContactID = newID(), arrived.OrgID, arrived.ContactID
	job.Event, job.SubjectID, job.Detail = arrived.Event, arrived.SubjectID, arrived.Detail
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
