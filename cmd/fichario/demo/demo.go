// Package demo fills an empty database with invented data.
package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/adapters/sandbox"
	"fichario/app"
	"fichario/app/batches"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/ports"
)

// demoOrg is the id of the demonstration's organisation, which identifies a database that is only a demonstration.
const demoOrg = "01980000-0000-7000-8000-000000000de0"

// demoPassword is public: the demonstration holds only invented data.
const demoPassword = "fichario-demo" //nolint:gosec // it is printed at every start

// Use is what the demonstration is made with.
type Use struct {
	Store   *gormstore.Store
	Keys    *lookups.Keys
	Config  lookups.LedgerConfig
	Batches *batches.Batches
	Leads   *intakeapp.Leads
	// Meta is the stand-in for Meta; nil for none.
	Meta *Meta
	// Addr is where the service listens.
	Addr string
}

// Fill fills an empty database with invented data and prints lines to paste. On later starts the demonstration's key
// gets a new secret, because only hashes of secrets are stored; the previous one works for another day. A database with
// other data is left alone.
func Fill(ctx context.Context, e *command.Environment, u Use) error {
	key, secret, fresh, err := demoKey(ctx, u.Store, u.Keys)
	if err != nil {
		return err
	}
	if key == nil && fresh {
		fmt.Fprintln(e.ErrOut, unfinished)
		return nil
	}
	if key == nil {
		fmt.Fprintln(e.ErrOut, "The database already has organisations; no demonstration data was created.\n"+
			"Create a key with `fichario key create`, or give the demonstration its own database:\n"+
			"  FICHARIO_DATABASE_URL=sqlite://demo.db make run")
		return nil
	}
	hook, err := demoWebhook(ctx, e, u.Store, u.Addr)
	if err != nil {
		return err
	}
	if fresh {
		contacts, err := demoContacts(ctx, u.Store)
		if err != nil {
			return err
		}
		if invented(e.Settings.Bureau) && e.Settings.Lookup {
			if err := demoWork(ctx, u.Store, *key, u.Config, u.Batches, contacts); err != nil {
				return err
			}
			if err := demoErasure(ctx, e, u.Store); err != nil {
				return err
			}
		}
	}
	if !fresh {
		if err := sayUnfinished(ctx, e, u.Store); err != nil {
			return err
		}
	}
	if u.Meta != nil {
		if err := connectMeta(ctx, e, u, fresh); err != nil {
			return err
		}
	}
	return say(e, u, secret, hook)
}

// unfinished is what a start says that finds a part of the demonstration.
const unfinished = "The demonstration's data is incomplete: its first start was interrupted, or had another bureau.\n" +
	"For all of it, stop the service and start with another database:\n" +
	"  FICHARIO_DATABASE_URL=sqlite://demo.db make run"

// sayUnfinished says so where the demonstration lacks what it makes last.
func sayUnfinished(ctx context.Context, e *command.Environment, store *gormstore.Store) error {
	if !invented(e.Settings.Bureau) || !e.Settings.Lookup {
		return nil
	}
	erasures, err := store.Repos().Erasures.Erasures(ctx, demoOrg, "", 1)
	if err == nil && len(erasures) == 0 {
		fmt.Fprintln(e.ErrOut, unfinished)
	}
	return err
}

// say prints the lines to paste.
func say(e *command.Environment, u Use, secret access.Secret, hook string) error {
	url := e.PublicURL(u.Addr)
	values := map[string]string{
		"url": url, "key": secret.Reveal(), "webhook": hook, "email": "helena@demo.example", "password": demoPassword,
	}
	ads := ""
	if u.Meta != nil {
		values["meta"] = u.Meta.URL
		ads = `
  # a lead of Meta's instant form: a stand-in for Meta announces it, and Fichário fetches its answers
  curl -s -d '{"count":1}' ` + u.Meta.URL + `/_/leads
`
	}
	return e.Print(values, `
Fichário is running. Paste these lines into another terminal:

  # a person's record (more documents to try: %[1]s/docs/sandbox)
  curl -s -H 'Authorization: Bearer %[2]s' %[1]s/api/v1/cpf/52998224725

  # any product, with the document in the body
  curl -s -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' \
    -d '{"produto":"score","documento":"11222333000181"}' %[1]s/api/v1/consultas

  # what it has cost
  curl -s -H 'Authorization: Bearer %[2]s' %[1]s/api/v1/consultas

  # a contact, as a form would send it (add ?simular=true to see it and create nothing)
  curl -s -d 'nome=Bia Rocha' -d email=bia@example.com -d 'telefone=(11) 98765-4321' -d 'valor=R$ 1.500' \
    %[3]s
%[5]s
Reference of the API: %[1]s/docs
The interface: %[1]s/ (sign in as helena@demo.example with %[4]s)
`, url, secret.Reveal(), hook, demoPassword, ads)
}

// demoWork is the history of the demonstration's people.
func demoWork(
	ctx context.Context, store *gormstore.Store, key access.Key, config lookups.LedgerConfig, batches *batches.Batches,
	contacts []demoContact,
) error {
	if err := demoLookups(ctx, store, key, config, contacts); err != nil {
		return err
	}
	pj := []string{catalog.CNPJ, catalog.ScoreID, "protestos"}
	bundles := lookups.NewBundles(store, config.Terms.Catalog)
	if _, err := bundles.Add(ctx, app.Operator(), demoOrg, "Crédito PJ", pj); err != nil {
		return err
	}
	if err := demoChain(ctx, store, config.Terms.Catalog); err != nil {
		return err
	}
	if err := demoBatches(ctx, store, batches); err != nil {
		return err
	}
	return demoAudit(ctx, store, config, contacts)
}

// demoWebhook returns the address of the demonstration's webhook, making it when there is none.
func demoWebhook(ctx context.Context, e *command.Environment, store *gormstore.Store, addr string) (string, error) {
	hooks := intakeapp.NewWebhooks(store, command.Now)
	known, err := hooks.List(ctx, app.Operator(), demoOrg)
	if err != nil {
		return "", err
	}
	if len(known) > 0 {
		w, err := hooks.Show(ctx, app.Operator(), known[0].ID)
		return command.WebhookURL(e, w.Token, addr), err
	}
	for _, name := range []string{"Instagram", "Google", "Indicação"} {
		if _, err := contacts.NewOrigins(store).Add(ctx, app.Operator(), demoOrg, name); err != nil {
			return "", err
		}
	}
	_, token, err := hooks.Create(ctx, app.Operator(), intakeapp.NewWebhook{
		OrgID: demoOrg, Name: "Formulário do site", Options: intake.Options{Kind: intake.Generic},
	})
	return command.WebhookURL(e, token, addr), err
}

// demoKey returns the demonstration's key with a working secret, and whether it is new; no key when the database has
// other data, or a new demonstration that has not got as far.
func demoKey(
	ctx context.Context, store *gormstore.Store, keys *lookups.Keys) (*access.Key, access.Secret, bool, error,
) {
	none := access.Secret{}
	made, empty, err := whose(ctx, store)
	if err == nil && made {
		old, err := keys.List(ctx, app.Operator(), demoOrg)
		if err != nil || len(old) == 0 {
			return nil, none, true, err
		}
		key, secret, err := keys.Rotate(ctx, app.Operator(), old[0].ID, 24*time.Hour)
		return &key, secret, false, err
	}
	if err != nil || !empty {
		return nil, none, false, err
	}
	people, before := command.Members(store),
		func() time.Time { return command.Now().AddDate(0, -2, 0) } // before all the rest
	if _, err := team.NewOrganisations(store, before).CreateWithID(ctx, demoOrg, "Agência Demonstração"); err != nil {
		return nil, none, false, err
	}
	for _, m := range []team.NewMember{
		{Name: "Helena Duarte", Email: "helena@demo.example", Role: crm.Owner},
		{Name: "Caio Nogueira", Email: "caio@demo.example", Role: crm.Common},
	} {
		m.OrgID, m.Password = demoOrg, demoPassword
		if _, err := people.Add(ctx, app.Operator(), m); err != nil {
			return nil, none, false, err
		}
	}
	for _, p := range demoPurposes {
		p.OrgID = demoOrg
		if _, err := privacy.NewPurposes(store, before).Add(ctx, app.Operator(), p); err != nil {
			return nil, none, false, err
		}
	}
	// With a single purpose, the lines to paste need not name it.
	key, secret, err := lookups.NewKeys(store, before).Create(ctx, app.Operator(), lookups.NewKey{
		OrgID: demoOrg, Name: "Demonstração", Scopes: document.Types(), Purposes: []string{"credito"},
		Limits: access.Limits{PerMinute: 600, PerDay: 1000, PerMonth: 10000},
	})
	return &key, secret, true, err
}

// whose reports whether the demonstration is in the database, and whether nothing is.
func whose(ctx context.Context, store *gormstore.Store) (made, empty bool, err error) {
	orgs := store.Repos().Orgs
	if _, err := orgs.Find(ctx, demoOrg); !errors.Is(err, ports.ErrNotFound) {
		return err == nil, false, err
	}
	all, err := orgs.List(ctx)
	return false, len(all) == 0, err
}

// demoPurposes are the demonstration's purposes.
var demoPurposes = []crm.Purpose{
	{Code: "credito", Name: "Análise de crédito", Basis: "protecao_do_credito"},
	{Code: "cadastro", Name: "Atualização de cadastro", Basis: "execucao_de_contrato"},
	{Code: "cobranca", Name: "Cobrança", Basis: "legitimo_interesse", Roles: []crm.Role{crm.Owner, crm.Admin}},
}

// demoPurpose is the purpose for a product; empty for a key, which has only one.
func demoPurpose(by app.Caller, product string) string {
	switch {
	case by.Key() != nil:
		return ""
	case product == catalog.ScoreID || product == "protestos" || product == "participacao_societaria":
		return "credito"
	case product == "veiculo" && by.MayManage():
		return "cobranca"
	}
	return "cadastro"
}

// demoDocuments are those that the demonstration has looked up; without those in the lines to paste, whose first answer
// comes fresh from the bureau.
var demoDocuments = map[document.Type][]string{
	document.CPF:   {"11144477735", "34771278202", "16197306930", "42393849904", "69893557275"},
	document.CNPJ:  {"12ABC34501DE35", "09722233000172", "RT4K9M2P000117", "71924865000192"},
	document.Plate: {"ABC1D23", "BRA2E19", "SEM0A00"},
	document.Email: {"ana.lima@exemplo.com.br", "compras@serraria.example", "helio@sampaio.example"},
}

// demoHours are how many hours ago that was, the oldest first: one longer than the history answers for, the others over
// two weeks.
var demoHours = []int{
	800, 333, 331, 309, 307, 305, 286, 262, 261, 259, 240, 238, 217, 214, 213, 191, 190, 168, 166, 165, 164, 145, 143, 121,
	119, 118, 96, 94,
	72, 71, 70, 69, 49, 47, 46, 28, 27, 25, 23, 6, 5, 3, 2,
}

// demoLookups looks up every product, by the key and by both members, and every second one again a while later, which
// the history answers. Members' lookups of companies are linked to contacts.
func demoLookups(
	ctx context.Context, store *gormstore.Store, key access.Key, config lookups.LedgerConfig, contacts []demoContact,
) error {
	askers := []app.Caller{app.ByKey(&key)}
	for _, email := range []string{"helena@demo.example", "caio@demo.example"} {
		member, err := demoMember(ctx, store, email)
		if err != nil {
			return err
		}
		askers = append(askers, member)
	}
	type ask struct {
		hours int
		by    app.Caller
		lookups.Request
	}
	var all []ask
	for i, hours := range demoHours {
		p := config.Terms.Catalog[i%len(config.Terms.Catalog)]
		turn := i / len(config.Terms.Catalog)
		of := p.Documents[turn%len(p.Documents)]
		a := ask{
			hours, askers[(i+turn)%len(askers)],
			lookups.Request{Product: p.ID, Document: demoDocuments[of][turn%len(demoDocuments[of])]},
		}
		a.Purpose = demoPurpose(a.by, p.ID)
		// A contact can only be looked up after it has arrived.
		there := slices.IndexFunc(contacts, func(c demoContact) bool { return c.hours <= hours })
		if there < 0 {
			there = len(contacts)
		}
		if of == document.CNPJ && a.by.MemberID() != "" && there > 0 {
			a.ContactID = contacts[i%there].id
		}
		all = append(all, a)
		if later := hours - 20; i%2 == 1 && later > 0 {
			a.hours, a.by, a.ContactID = later, askers[(i+turn+1)%len(askers)], ""
			a.Purpose = demoPurpose(a.by, p.ID)
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b ask) int { return b.hours - a.hours })
	used := map[string]time.Time{}
	for _, a := range all {
		at := command.Now().Add(-time.Duration(a.hours) * time.Hour)
		config.Clock = func() time.Time { return at }
		ledger := lookups.NewLedger(config)
		if _, err := lookups.NewAsker(ledger, nil).Do(ctx, a.by, a.Request); err != nil {
			return fmt.Errorf("demonstration lookup of %s: %w", a.Product, err)
		}
		ledger.Close()
		if a.by.Key() != nil {
			used[key.ID] = at
		}
	}
	return store.Repos().Keys.Touch(ctx, used)
}

// invented reports whether all bureaus are the sandbox's, so that questions cost nothing.
func invented(bureaus string) bool {
	for name := range strings.SplitSeq(bureaus, ",") {
		if !sandbox.Is(strings.TrimSpace(name)) {
			return false
		}
	}
	return true
}
