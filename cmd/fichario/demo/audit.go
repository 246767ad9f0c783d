package demo

import (
	"context"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/cmd/fichario/command"
	"fichario/domain/audit"
)

// demoAudit opens some sheets and contacts as both members, so that the audit has lines.
func demoAudit(ctx context.Context, store *gormstore.Store, config lookups.LedgerConfig, of []demoContact) error {
	ctx = app.Through(ctx, app.Via{Door: audit.Interface, Address: "203.0.113.20"})
	all := lookups.NewSheet(store, config.Terms, config.Clock)
	people := contacts.New(store, command.Now)
	for i, email := range []string{"helena@demo.example", "caio@demo.example"} {
		by, err := demoMember(ctx, store, email)
		if err != nil {
			return err
		}
		recent, err := all.Recent(ctx, by, 4)
		if err != nil {
			return err
		}
		for _, v := range recent[min(i, len(recent)):] {
			if err := all.Opened(ctx, by, v); err != nil {
				return err
			}
		}
		for _, c := range of[:min(3-i, len(of))] {
			view, err := people.View(ctx, by, c.id)
			if err == nil {
				err = people.Opened(ctx, by, view)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
