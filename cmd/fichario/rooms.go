package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"fichario/adapters/automation"
	"fichario/adapters/bureau"
	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/adapters/httpapi"
	"fichario/app"
	agentsapp "fichario/app/agents"
	"fichario/app/automations"
	"fichario/app/batches"
	"fichario/app/contacts"
	"fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/app/team"
	automationcommands "fichario/cmd/fichario/automations"
	batchcommands "fichario/cmd/fichario/batches"
	"fichario/cmd/fichario/command"
	intakecommands "fichario/cmd/fichario/intake"
	privacycommands "fichario/cmd/fichario/privacy"
	"fichario/domain/access"
	"fichario/domain/webhook"
	"fichario/ports"
)

// ground is what the use cases stand on.
type ground struct {
	*command.Environment
	log        *slog.Logger
	calendar   access.Calendar
	metrics    *httpapi.Metrics
	store      *gormstore.Store
	bureau     *bureau.Bureaus
	dispatcher *automation.Dispatcher
	mailer     ports.Mailer // nil where e-mail is not configured
	publicURL  string
}

// rooms are the use cases of the service, each made once.
type rooms struct {
	lookups     lookupRoom
	batches     *batches.Batches
	agents      *agentsapp.Sessions
	contacts    contactRoom
	intake      intakeRoom
	automations automationRoom
	team        teamRoom
	privacy     privacyRoom
}

func roomsOn(g ground) (r rooms, err error) {
	pace := batches.NewPace()
	r.lookups = lookupsOn(g, pace.Single)
	config := batchcommands.Config(g.Environment, g.store, g.bureau, g.calendar, g.log)
	config.Asker, config.Pace = r.lookups.asker, pace
	r.batches = batches.New(config)
	r.agents = agentsapp.NewSessions(r.lookups.asker, g.store, command.Now, g.log)
	r.contacts, r.intake = contactsOn(g), intakeOn(g)
	g.metrics.Leads(r.intake.leads.Figures)
	r.automations = automationsOn(g, r.lookups)
	if r.team, err = teamOn(g); err != nil {
		return r, err
	}
	r.privacy, err = privacyOn(g)
	return r, err
}

// run does jobs, and fetches leads, until ctx ends.
func (r rooms) run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { r.automations.jobs.Run(ctx) })
	both.Go(func() { r.intake.leads.Run(ctx) })
	both.Wait()
}

// chores are the periodic tasks of all rooms.
func (r rooms) chores() []app.Chore {
	return slices.Concat(r.lookups.chores(), r.contacts.chores(), r.privacy.chores(), []app.Chore{
		{Name: "forget quotes", Every: time.Minute, Do: r.batches.Forget},
		{Name: "forget sessions of agents", Every: time.Hour, Do: r.agents.Forget},
		{Name: "count leads that wait", Every: 2 * time.Second, Do: r.intake.leads.Look},
		{Name: "forget jobs", Every: time.Hour, Do: r.automations.jobs.Forget},
		{Name: "forget sessions", Every: time.Hour, Do: r.team.sessions.Forget},
	})
}

type lookupRoom struct {
	config    lookups.LedgerConfig // for the demonstration, which has a clock of its own
	terms     *lookups.Terms
	bureaus   *lookups.Bureaus
	ledger    *lookups.Ledger
	asker     *lookups.Asker
	sheet     *lookups.Sheet
	statement *lookups.Statement
	keys      *lookups.Keys
	bundles   *lookups.Bundles
	dashboard *lookups.Dashboard
}

func lookupsOn(g ground, single func()) (r lookupRoom) {
	offered := g.bureau.Catalog()
	r.terms = lookups.NewTerms(offered, g.bureau.Timeout(), g.Settings.HistoryFresh, g.calendar)
	r.bureaus = lookups.NewBureaus(g.bureau.Chains(), g.store, g.calendar, command.Now, g.log)
	r.config = lookups.LedgerConfig{
		Store: g.store, Bureaus: r.bureaus, Terms: r.terms, Clock: command.Now, Log: g.log, Observe: g.metrics.Lookup,
		Callbacks: g.publicURL + httpapi.CallbackPath,
	}
	r.ledger = lookups.NewLedger(r.config)
	g.metrics.Unwritten(r.ledger.Unwritten)
	g.metrics.Awaited(r.ledger.Awaited)
	r.asker, r.sheet = lookups.NewAsker(r.ledger, single), lookups.NewSheet(g.store, r.terms, command.Now)
	r.statement = lookups.NewStatement(g.store, g.calendar, command.Now)
	r.keys, r.bundles = lookups.NewKeys(g.store, command.Now), lookups.NewBundles(g.store, offered)
	r.dashboard = lookups.NewDashboard(g.store, offered, g.calendar, command.Now)
	return r
}

func (r lookupRoom) chores() []app.Chore {
	return []app.Chore{
		{Name: "read orders of bureaus", Every: time.Second, Do: r.bureaus.Refresh},
		{Name: "settle lookups", Every: 3 * time.Second, Do: r.ledger.Settle},
		{Name: "fetch answers that come later", Every: time.Second, Do: r.ledger.FetchLater},
		{Name: "count answers that come later", Every: 2 * time.Second, Do: r.ledger.CountLater},
		{Name: "save use of keys", Every: 3 * time.Second, Do: r.keys.SaveUse, AtEnd: true},
		{Name: "save refusals of keys", Every: time.Minute, AtEnd: true, Do: func(ctx context.Context) error {
			return r.keys.SaveRefusals(ctx, r.terms.Calendar)
		}},
		{Name: "forget idempotency keys of lookups", Every: time.Hour, Do: r.asker.ForgetRequests},
	}
}

type contactRoom struct {
	contacts  *contacts.Contacts
	bulks     *contacts.Bulks
	funnels   *contacts.Funnels
	origins   *contacts.Origins
	rotations *contacts.Rotations
	changes   *contacts.Changes
}

func contactsOn(g ground) contactRoom {
	return contactRoom{
		contacts.New(g.store, command.Now), contacts.NewBulks(g.store, command.Now),
		contacts.NewFunnels(g.store, command.Now),
		contacts.NewOrigins(g.store), contacts.NewRotations(g.store, command.Now),
		contacts.NewChanges(g.store, command.Now, g.log),
	}
}

func (r contactRoom) chores() []app.Chore {
	return []app.Chore{
		{Name: "change many contacts", Every: time.Second, Do: r.bulks.Work},
		{Name: "forget changes of many contacts", Every: time.Hour, Do: r.bulks.Forget},
		{Name: "forget removed contacts", Every: time.Minute, Do: r.contacts.ForgetRemoved},
		{Name: "put contacts of removed stages back", Every: time.Minute, Do: r.funnels.Rescue},
	}
}

type intakeRoom struct {
	intake   *intake.Intake
	webhooks *intake.Webhooks
	leads    *intake.Leads
}

func intakeOn(g ground) intakeRoom {
	in := intake.New(g.store, command.Now).Mailing(g.mailer != nil)
	return intakeRoom{in, intake.NewWebhooks(g.store, command.Now), intake.NewLeads(intake.LeadsConfig{
		Store: g.store, Platforms: intakecommands.Platforms(g.Settings), Clock: command.Now,
		ReadBack: g.Settings.MetaReadBack, Mails: g.mailer != nil, Log: g.log,
		AddressOf: func(t webhook.Token) string { return command.WebhookAt(g.publicURL, t) },
	}, in)}
}

type automationRoom struct {
	automations *automations.Automations
	jobs        *automations.Jobs
}

func automationsOn(g ground, of lookupRoom) automationRoom {
	jobs := automations.NewJobs(automations.JobsConfig{
		Store: g.store, Clock: command.Now, Dispatcher: g.dispatcher, Conditions: automation.NewConditions(),
		Destinations: automation.Destinations{Meta: g.Settings.MetaURL},
		Asker:        of.asker, Terms: of.terms, LookupsOff: !g.Settings.Lookup, Mailer: g.mailer,
		PublicURL: g.publicURL, Log: g.log, Observe: g.metrics.Job,
	})
	g.store.OnJobs(jobs.Wake)
	return automationRoom{automationcommands.UseCase(g.Environment, g.store, g.bureau.Catalog()), jobs}
}

type teamRoom struct {
	sessions      *team.Sessions
	organisations *team.Organisations
	members       *team.Members
	notifications *team.Notifications
	preferences   *team.Preferences
	links         *team.Links
	factors       *team.Factors
	provider      *team.OIDC // nil where none is configured
}

func teamOn(g ground) (r teamRoom, err error) {
	r.sessions = team.NewSessions(g.store, command.Now, command.Passwords)
	r.organisations, r.members = team.NewOrganisations(g.store, command.Now), command.Members(g.store)
	r.notifications, r.preferences = team.NewNotifications(g.store), team.NewPreferences(g.store)
	r.links = command.Links(g.store, r.sessions, g.mailer, g.publicURL, g.log)
	passkeys, err := factors.NewPasskeys(g.publicURL)
	if err != nil {
		return r, fmt.Errorf("FICHARIO_PUBLIC_URL: %w", err)
	}
	r.factors = team.NewFactors(g.store, command.Now, r.sessions, command.OneTimeCodes, passkeys)
	r.provider, err = providerOf(g, r.sessions)
	return r, err
}

type privacyRoom struct {
	purposes  *privacy.Purposes
	record    *privacy.Record
	subjects  *privacy.Subjects
	audit     *privacy.Audit
	retention *privacy.Retention
	witness   *privacy.Witness // nil for none
}

func privacyOn(g ground) (r privacyRoom, err error) {
	r.purposes, r.audit = privacy.NewPurposes(g.store, command.Now), privacy.NewAudit(g.store, command.Now)
	r.record = privacycommands.RecordOf(g.Environment, g.store, g.bureau)
	r.subjects = privacycommands.SubjectsOf(g.Environment, g.store)
	r.retention = privacy.NewRetention(g.store, g.Keeping(), command.Now)
	r.witness, err = privacycommands.WitnessOf(g.Environment, g.store, g.dispatcher, g.log)
	return r, err
}

func (r privacyRoom) chores() []app.Chore {
	chores := []app.Chore{
		{Name: "erase persons", Every: time.Second, Do: r.subjects.Work},
		{Name: "forget answers", Every: time.Hour, Do: r.retention.ForgetAnswers},
		{Name: "forget deliveries", Every: time.Hour, Do: r.retention.ForgetDeliveries},
		{Name: "forget audit", Every: time.Hour, Do: r.retention.ForgetAudit},
		{Name: "forget contacts", Every: time.Hour, Do: r.retention.ForgetContacts},
	}
	if r.witness != nil {
		chores = append(chores, app.Chore{Name: "witness the audit", Every: time.Minute, Do: r.witness.Work, AtEnd: true})
	}
	return chores
}
