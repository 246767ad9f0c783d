package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/app"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
)

// parentLook is how often an ephemeral service checks that its parent process is alive.
const parentLook = 250 * time.Millisecond

// forgetful are the settings of an ephemeral service: whatever is configured, it touches no file and no other database,
// and may send events to a test on its own machine.
func forgetful(s command.Settings) command.Settings {
	s.DatabaseURL = "sqlite://" + engine.InMemory
	s.DataKey, s.MigrateURL, s.ReadURL, s.ErasureJournal, s.AuditWitness, s.PublicURL = "", "", "", "", "", ""
	s.OIDC, s.MetricsListen, s.Proxies, s.DrainDelay = command.OIDC{}, "", "", 0
	s.AllowPrivate = true
	return s
}

// withParent is a context that also ends with the parent process. A process without a parent, such as the first in a
// container, has none to end with.
func withParent(ctx context.Context) context.Context {
	parent := os.Getppid()
	if parent <= 1 {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		look := time.NewTicker(parentLook)
		defer look.Stop()
		for os.Getppid() == parent {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
		}
	}()
	return ctx
}

// ephemeral makes an organisation with everything a test suite needs, and prints one line of JSON that says how to use
// it.
func ephemeral(ctx context.Context, e *command.Environment, s *service) error {
	org, err := s.team.organisations.Create(ctx, "Testes")
	if err != nil {
		return err
	}
	_, secret, err := s.lookups.keys.Create(ctx, app.Operator(), lookups.NewKey{
		OrgID: org.ID, Name: "Testes", Scopes: append(document.Types(), access.BureauScope),
		Limits: access.Limits{PerMinute: 1_000_000, PerDay: 1_000_000, PerMonth: 1_000_000},
	})
	if err != nil {
		return err
	}
	_, token, err := s.intake.webhooks.Create(ctx, app.Operator(), intakeapp.NewWebhook{
		OrgID: org.ID, Name: "Testes", Options: intake.Options{Kind: intake.Generic},
	})
	if err != nil {
		return err
	}
	owner := team.NewMember{
		OrgID: org.ID, Name: "Teste", Email: "teste@fichario.example", Role: crm.Owner, Password: rand.Text(),
	}
	if _, err := s.team.members.Add(ctx, app.Operator(), owner); err != nil {
		return err
	}
	type login struct {
		Email    string `json:"email"`
		Password string `json:"senha"`
	}
	addr := s.listener.Addr().String()
	return json.NewEncoder(e.Out).Encode(struct {
		URL     string `json:"url"`
		OrgID   string `json:"organizacao"`
		Key     string `json:"chave"`
		Webhook string `json:"webhook"`
		Login   login  `json:"login"`
	}{e.PublicURL(addr), org.ID, secret.Reveal(), command.WebhookURL(e, token, addr), login{owner.Email, owner.Password}})
}
