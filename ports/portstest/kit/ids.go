package kit

import (
	"context"
	"testing"

	"fichario/domain/document"
	"fichario/ports"
)

// NoID tries that references to something that is gone, or never was, hold an empty id, which must find nothing.
func NoID(t *testing.T, s ports.Store) {
	ctx, repos, orgID := t.Context(), s.Repos(), Org(t, s).ID
	for what, find := range map[string]func() error{
		"organisation": func() error { _, err := repos.Orgs.Find(ctx, ""); return err },
		"member":       func() error { _, err := repos.Members.Find(ctx, ""); return err },
		"codes":        func() error { _, err := repos.Factors.Codes(ctx, ""); return err },
		"key":          func() error { _, err := repos.Keys.Find(ctx, ""); return err },
		"entry":        func() error { _, err := repos.Statement.Find(ctx, ""); return err },
		"batch":        func() error { _, err := repos.Batches.Find(ctx, ""); return err },
		"contact":      func() error { _, err := repos.Contacts.Find(ctx, ""); return err },
		"removal":      func() error { _, err := repos.Removals.Find(ctx, ""); return err },
		"survivor":     func() error { _, err := repos.Removals.Survivor(ctx, ""); return err },
		"bulk action":  func() error { _, err := repos.Bulks.Find(ctx, ""); return err },
		"rotation":     func() error { _, err := repos.Rotations.Find(ctx, ""); return err },
		"webhook":      func() error { _, _, err := repos.Webhooks.Find(ctx, ""); return err },
		"open webhook": func() error { _, err := repos.Webhooks.HookOf(ctx, ""); return err },
		"delivery":     func() error { _, err := repos.Deliveries.Find(ctx, ""); return err },
		"automation":   func() error { _, err := repos.Automations.Find(ctx, ""); return err },
		"job":          func() error { _, err := repos.JobRuns.Find(ctx, ""); return err },
		"erasure":      func() error { _, err := repos.Erasures.FindErasure(ctx, ""); return err },
		"audit":        func() error { _, err := repos.Audit.Find(ctx, orgID, ""); return err },
	} {
		WantErr(t, what, find(), ports.ErrNotFound)
	}
	for what, lock := range map[string]func(context.Context, ports.Repos) error{
		"organisation": func(ctx context.Context, r ports.Repos) error { return r.Orgs.Lock(ctx, "") },
		"contact":      func(ctx context.Context, r ports.Repos) error { _, err := r.Contacts.Lock(ctx, ""); return err },
		"batch":        func(ctx context.Context, r ports.Repos) error { _, err := r.Batches.Lock(ctx, ""); return err },
		"bulk action":  func(ctx context.Context, r ports.Repos) error { _, err := r.Bulks.Lock(ctx, ""); return err },
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
			all, err := repos.History.Records(ctx, []string{"", rec.ID})
			return len(all), err
		},
		"entries": func() (int, error) {
			all, err := repos.Statement.Entries(ctx, []string{"", e.ID})
			return len(all), err
		},
	} {
		n, err := found()
		Must(t, err)
		Same(t, what+" beside none", n, 1)
	}
	for what, found := range map[string]func() (int, error){
		"records":  func() (int, error) { all, err := repos.History.Records(ctx, []string{""}); return len(all), err },
		"entries":  func() (int, error) { all, err := repos.Statement.Entries(ctx, []string{""}); return len(all), err },
		"asked":    func() (int, error) { all, err := repos.Statement.Asked(ctx, []string{""}); return len(all), err },
		"answers":  func() (int, error) { all, err := repos.SubjectTraces.Answers(ctx, []string{""}); return len(all), err },
		"contacts": func() (int, error) { all, err := repos.Contacts.Brief(ctx, []string{""}); return len(all), err },
		"history":  func() (int, error) { all, err := repos.ContactHistory.Events(ctx, ""); return len(all), err },
		"merged":   func() (int, error) { all, err := repos.Removals.Into(ctx, ""); return len(all), err },
	} {
		n, err := found()
		Must(t, err)
		Same(t, what+" of none", n, 0)
	}
}
