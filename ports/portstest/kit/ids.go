package kit

import (
	"context"
	"errors"
	"testing"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/ports"
)

// NoID tries that references to something that is gone, or never was, hold an empty id, which must find nothing.
func NoID(t *testing.T, s ports.Store) {
	ctx, repos, orgID := t.Context(), s.Repos(), Org(t, s).ID
	for what, find := range map[string]func() error{
		"organisation": func() error { _, err := repos.Orgs.Find(ctx, ""); return err },
		"member":       func() error { _, err := repos.Members.Find(ctx, orgID, ""); return err },
		"codes":        func() error { _, err := repos.Factors.Codes(ctx, ""); return err },
		"key":          func() error { _, err := repos.Keys.Find(ctx, orgID, ""); return err },
		"entry":        func() error { _, err := repos.Statement.Find(ctx, orgID, ""); return err },
		"batch":        func() error { _, err := repos.Batches.Find(ctx, orgID, ""); return err },
		"contact":      func() error { _, err := repos.Contacts.Find(ctx, orgID, ""); return err },
		"removal":      func() error { _, err := repos.Removals.Find(ctx, orgID, ""); return err },
		"survivor":     func() error { _, err := repos.Removals.Survivor(ctx, ports.AnyOrg, ""); return err },
		"bulk action":  func() error { _, err := repos.Bulks.Find(ctx, orgID, ""); return err },
		"rotation":     func() error { _, err := repos.Rotations.Find(ctx, orgID, ""); return err },
		"webhook":      func() error { _, _, err := repos.Webhooks.Find(ctx, orgID, ""); return err },
		"open webhook": func() error { _, err := repos.Webhooks.HookOf(ctx, orgID, ""); return err },
		"delivery":     func() error { _, err := repos.Deliveries.Find(ctx, orgID, ""); return err },
		"automation":   func() error { _, err := repos.Automations.Find(ctx, orgID, ""); return err },
		"job":          func() error { _, err := repos.JobRuns.Find(ctx, orgID, ""); return err },
		"erasure":      func() error { _, err := repos.Erasures.FindErasure(ctx, orgID, ""); return err },
		"audit":        func() error { _, err := repos.Audit.Find(ctx, orgID, ""); return err },
	} {
		WantErr(t, what, find(), ports.ErrNotFound)
	}
	for what, lock := range map[string]func(context.Context, ports.Repos) error{
		"organisation": func(ctx context.Context, r ports.Repos) error { return r.Orgs.Lock(ctx, "") },
		"contact": func(ctx context.Context, r ports.Repos) error {
			_, err := r.Contacts.Lock(ctx, orgID, "")
			return err
		},
		"batch": func(ctx context.Context, r ports.Repos) error {
			_, err := r.Batches.Lock(ctx, orgID, "")
			return err
		},
		"bulk action": func(ctx context.Context, r ports.Repos) error {
			_, err := r.Bulks.Lock(ctx, orgID, "")
			return err
		},
		"erasure": func(ctx context.Context, r ports.Repos) error {
			_, err := r.Erasures.LockErasure(ctx, "", "lease")
			return err
		},
	} {
		err := s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			WantErr(t, what+", locked", lock(ctx, r), ports.ErrNotFound)
			_, err := r.Orgs.Find(ctx, orgID)
			return err
		})
		Must(t, err) // the transaction can go on
	}
	rec := Kept(t, s, orgID, Doc(t, document.CPF, "52998224725"))
	e := Free(t, ID(), rec)
	Must(t, repos.Statement.Add(ctx, e))
	for what, found := range map[string]func() (int, error){
		"records": func() (int, error) {
			all, err := repos.History.Records(ctx, rec.OrgID, []string{"", rec.ID})
			return len(all), err
		},
		"entries": func() (int, error) {
			all, err := repos.Statement.Entries(ctx, e.OrgID, []string{"", e.ID})
			return len(all), err
		},
	} {
		n, err := found()
		Must(t, err)
		Same(t, what+" beside none", n, 1)
	}
	for what, found := range map[string]func() (int, error){
		"records": func() (int, error) {
			all, err := repos.History.Records(ctx, ports.AnyOrg, []string{""})
			return len(all), err
		},
		"entries": func() (int, error) {
			all, err := repos.Statement.Entries(ctx, ports.AnyOrg, []string{""})
			return len(all), err
		},
		"asked": func() (int, error) {
			all, err := repos.Statement.Asked(ctx, ports.AnyOrg, []string{""})
			return len(all), err
		},
		"answers": func() (int, error) {
			all, err := repos.SubjectTraces.Answers(ctx, ID(), []string{""})
			return len(all), err
		},
		"contacts": func() (int, error) {
			all, err := repos.Contacts.Brief(ctx, ports.AnyOrg, []string{""})
			return len(all), err
		},
		"history": func() (int, error) {
			all, err := repos.ContactHistory.Events(ctx, ports.AnyOrg, "")
			return len(all), err
		},
		"merged": func() (int, error) { all, err := repos.Removals.Into(ctx, ports.AnyOrg, ""); return len(all), err },
	} {
		n, err := found()
		Must(t, err)
		Same(t, what+" of none", n, 0)
	}
}

// AnotherOrg tries that what one organisation has is not found, locked or changed by its id in another one, and not
// without an organisation, but in any.
func AnotherOrg(t *testing.T, s ports.Store) {
	ctx, repos, org, other := t.Context(), s.Repos(), Org(t, s).ID, Org(t, s).ID
	member := Member(t, s, org, crm.Owner, true)
	key := access.Key{ID: ID(), OrgID: org, Name: "key", Prefix: "fch_" + ID()[:8], CreatedAt: At}
	Must(t, repos.Keys.Create(ctx, key))
	record := Kept(t, s, org, Doc(t, document.CPF, "52998224725"))
	entry := Free(t, key.ID, record)
	Must(t, repos.Statement.Add(ctx, entry))
	hook, _ := Hook(t, s, org)
	funnel := FunnelOf(t, s, org, true, "Novo")
	contact := Made(t, s, crm.Contact{OrgID: org, Name: "Ana", Email: "ana@example.com", StageID: funnel.Stages[0].ID})[0]
	rotation := crm.Rotation{ID: ID(), OrgID: org, Name: "turns", CreatedAt: At}
	Must(t, repos.Rotations.Create(ctx, rotation))
	rule := automation.Automation{ID: ID(), OrgID: org, Name: "rule", Event: automation.ContactCreated, CreatedAt: At}
	Must(t, repos.Automations.Create(ctx, rule))
	job := Ready(org, rule.ID, At)
	Must(t, repos.Jobs.Add(ctx, job))
	refused := Refusal(hook)
	_, err := repos.Inbox.Take(ctx, ports.Arrival{Delivery: refused})
	Must(t, err)
	quote := batch.Batch{
		ID: ID(), OrgID: org, KeyID: key.ID, Product: catalog.CPF, Name: "a", Status: batch.Quoted, CreatedAt: At,
		ExpiresAt: At,
	}
	Must(t, repos.Batches.Create(ctx, quote))
	bulk := crm.Bulk{
		ID: ID(), OrgID: org, MemberID: member.ID, Kind: crm.BulkAssign, TargetID: member.ID, Status: crm.BulkRunning, At: At,
	}
	erasure := privacy.Erasure{ID: ID(), OrgID: org, State: privacy.Done, AskedBy: "x", At: At, EndsAt: At, KeyID: "k"}
	gone := Made(t, s, crm.Contact{OrgID: org, Name: "Bia", Email: "bia@example.com", StageID: funnel.Stages[0].ID})[0]
	Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return errors.Join(r.Bulks.Create(ctx, bulk, nil), r.Erasures.AddErasure(ctx, erasure),
			r.Removals.Remove(ctx, crm.Removal{Contact: gone, At: At, By: member.ID}))
	}))
	perDay := ports.KeyChange{Limits: &access.Limits{PerDay: 5, PerMonth: 5}}
	for what, find := range map[string]func(r ports.Repos, orgID string) error{
		"batch": func(r ports.Repos, o string) error { _, err := r.Batches.Find(ctx, o, quote.ID); return err },
		"bulk":  func(r ports.Repos, o string) error { _, err := r.Bulks.Find(ctx, o, bulk.ID); return err },
		"erasure": func(r ports.Repos, o string) error {
			_, err := r.Erasures.FindErasure(ctx, o, erasure.ID)
			return err
		},
		"removal":      func(r ports.Repos, o string) error { _, err := r.Removals.Find(ctx, o, gone.ID); return err },
		"changed key":  func(r ports.Repos, o string) error { return r.Keys.Change(ctx, o, key.ID, perDay) },
		"member":       func(r ports.Repos, o string) error { _, err := r.Members.Find(ctx, o, member.ID); return err },
		"key":          func(r ports.Repos, o string) error { _, err := r.Keys.Find(ctx, o, key.ID); return err },
		"revoked key":  func(r ports.Repos, o string) error { return r.Keys.Revoke(ctx, o, key.ID, At) },
		"entry":        func(r ports.Repos, o string) error { _, err := r.Statement.Find(ctx, o, entry.ID); return err },
		"contact":      func(r ports.Repos, o string) error { _, err := r.Contacts.Find(ctx, o, contact.ID); return err },
		"rotation":     func(r ports.Repos, o string) error { _, err := r.Rotations.Find(ctx, o, rotation.ID); return err },
		"webhook":      func(r ports.Repos, o string) error { _, _, err := r.Webhooks.Find(ctx, o, hook.ID); return err },
		"open webhook": func(r ports.Repos, o string) error { _, err := r.Webhooks.HookOf(ctx, o, hook.ID); return err },
		"delivery":     func(r ports.Repos, o string) error { _, err := r.Deliveries.Find(ctx, o, refused.ID); return err },
		"automation":   func(r ports.Repos, o string) error { _, err := r.Automations.Find(ctx, o, rule.ID); return err },
		"enabled rule": func(r ports.Repos, o string) error { return r.Automations.SetEnabled(ctx, o, rule.ID, true) },
		"job":          func(r ports.Repos, o string) error { _, err := r.JobRuns.Find(ctx, o, job.ID); return err },
	} {
		WantErr(t, what+" of another organisation", find(repos, other), ports.ErrNotFound)
		WantErr(t, what+" of none", find(repos, ""), ports.ErrNotFound)
		WantErr(t, what+" of its own", find(repos, org), nil)
		WantErr(t, what+" of any", find(repos, ports.AnyOrg), nil)
	}
	for what, count := range map[string]func(orgID string) (int, error){
		"entries": func(o string) (int, error) {
			all, err := repos.Statement.Entries(ctx, o, []string{entry.ID})
			return len(all), err
		},
		"records": func(o string) (int, error) {
			all, err := repos.History.Records(ctx, o, []string{record.ID})
			return len(all), err
		},
		"deliveries": func(o string) (int, error) {
			all, err := repos.Deliveries.Page(ctx, o, hook.ID, "", "", 10)
			return len(all), err
		},
		"events": func(o string) (int, error) {
			all, err := repos.ContactHistory.Events(ctx, o, contact.ID)
			return len(all), err
		},
	} {
		theirs, err := count(other)
		Must(t, err)
		own, err := count(org)
		Must(t, err)
		Same(t, what+" of another organisation, and its own", []int{theirs, own}, []int{0, 1})
	}
	Must(t, repos.LookupContacts.Tie(ctx, other, entry.ID, contact.ID))
	tied, err := repos.Statement.Find(ctx, org, entry.ID)
	Must(t, err)
	Same(t, "the contact of another organisation's lookup", tied.ContactID, "")
	Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		for what, lock := range map[string]func(orgID string) error{
			"contact": func(o string) error { _, err := r.Contacts.Lock(ctx, o, contact.ID); return err },
			"batch":   func(o string) error { _, err := r.Batches.Lock(ctx, o, quote.ID); return err },
			"bulk":    func(o string) error { _, err := r.Bulks.Lock(ctx, o, bulk.ID); return err },
		} {
			WantErr(t, "another organisation's "+what+", locked", lock(other), ports.ErrNotFound)
			WantErr(t, "its own "+what+", locked", lock(org), nil)
		}
		return nil
	}))
	dead := Ready(org, rule.ID, At)
	dead.State = automation.Dead
	Must(t, repos.Jobs.Add(ctx, dead))
	for _, try := range []struct {
		orgID string
		want  bool
	}{{other, false}, {"", false}, {org, true}} {
		revived, err := repos.JobRuns.Revive(ctx, try.orgID, dead.ID, At)
		Must(t, err)
		Same(t, "revived", revived, try.want)
	}
}
