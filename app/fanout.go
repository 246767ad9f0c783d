package app

import (
	"context"
	"errors"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

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
