package app_test

import (
	"context"
	"sync"
	"testing"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/automations"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/patience"
	"fichario/tests/testkit/postgres"
)

// crossed calls do after a transaction has read stages and origins, before it writes a contact with them.
type crossed struct {
	ports.Store
	do func()
}

func (c crossed) InTx(ctx context.Context, f ports.Tx) error {
	return c.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		r.ContactHistory, r.Contacts = crossedHistory{r.ContactHistory, c.do}, crossedContacts{r.Contacts, c.do}
		r.Removals = crossedRemovals{r.Removals, c.do}
		return f(ctx, r)
	})
}

type crossedHistory struct {
	ports.ContactHistory
	do func()
}

func (c crossedHistory) SetStage(ctx context.Context, stageID string, e crm.Event) error {
	c.do()
	return c.ContactHistory.SetStage(ctx, stageID, e)
}

type crossedContacts struct {
	ports.Contacts
	do func()
}

func (c crossedContacts) Create(ctx context.Context, k crm.Contact, e crm.Event) error {
	c.do()
	return c.Contacts.Create(ctx, k, e)
}

func (c crossedContacts) Edit(ctx context.Context, k crm.Contact, e crm.Event) error {
	c.do()
	return c.Contacts.Edit(ctx, k, e)
}

type crossedRemovals struct {
	ports.Removals
	do func()
}

func (c crossedRemovals) Restore(ctx context.Context, k crm.Contact, e crm.Event) error {
	c.do()
	return c.Removals.Restore(ctx, k, e)
}

// TestAStageThatIsRemovedBeforeItIsWritten: whoever named it is told so, and what belongs nowhere else goes to where
// new contacts enter. Only PostgreSQL lets another transaction in between.
func TestAStageThatIsRemovedBeforeItIsWritten(t *testing.T) {
	t.Parallel()
	store := open(t, postgres.New(t, migrate))
	const noStage = "nao_encontrado stage"
	for what, c := range map[string]struct {
		do    func(s *setting, owner app.Caller, by ports.Store, c crm.Contact, stage string) (string, error)
		said  string
		stage string // of the contact
	}{
		"a move": {func(s *setting, owner app.Caller, by ports.Store, c crm.Contact, stage string) (string, error) {
			_, err := contacts.New(by, s.now).Move(s.t.Context(), owner, c.ID, stage)
			return c.ID, err
		}, noStage, "Novo"},
		"a new contact": {func(s *setting, owner app.Caller, by ports.Store, _ crm.Contact, stage string) (string, error) {
			form := bia()
			form.StageID = stage
			_, err := contacts.New(by, s.now).Create(s.t.Context(), owner, form)
			return "", err
		}, noStage, ""},
		"a restored contact": {func(s *setting, owner app.Caller, by ports.Store, c crm.Contact, stage string) (string, error) {
			must(s.contacts.Move(s.t.Context(), owner, c.ID, stage))
			done(s.contacts.Delete(s.t.Context(), owner, c.ID))
			return c.ID, contacts.New(by, s.now).Undelete(s.t.Context(), owner, c.ID)
		}, "", "Novo"},
		"many at once": {func(s *setting, owner app.Caller, by ports.Store, c crm.Contact, stage string) (string, error) {
			made, err := contacts.NewBulks(by, s.now).Start(s.t.Context(), owner, contacts.NewBulk{
				Kind: crm.BulkMove, TargetID: stage, Of: contacts.Selection{IDs: []string{c.ID}},
			})
			equal(s.t, "ended, and left", line(made.Status, made.Skipped), line(crm.BulkDone, 1))
			return c.ID, err
		}, "", "Novo"},
		"an automation": {func(s *setting, _ app.Caller, by ports.Store, c crm.Contact, _ string) (string, error) {
			rule := s.rule(automations.NewAutomation{Name: "Anda", Action: automation.MoveStage, Stage: "Negociação"})
			job, w := s.ready(rule, c.ID), s.worker()
			ctx, stop := context.WithCancel(s.t.Context())
			defer stop()
			w.Store, w.Observe = by, func(automation.JobKind, automation.JobState) { stop() }
			automations.NewJobs(w).Run(ctx)
			ended := s.job(job.ID)
			equal(s.t, "run", line(ended.State, ended.Result), "dead a etapa não existe mais")
			return c.ID, nil
		}, "", "Novo"},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSetting(t, store, now)
			owner := s.add("dona", crm.Owner)
			funnel, k := s.funnel(owner), must(s.contacts.Create(t.Context(), owner, bia()))
			forgetNew(s)
			stage := funnel.Stages[3].ID
			once := sync.OnceFunc(func() { done(s.funnels.RemoveStage(t.Context(), owner, funnel.ID, stage)) })
			id, err := c.do(s, owner, crossed{store, once}, k, stage)
			equal(t, "answer", said(err), c.said)
			if id != "" {
				equal(t, "stage", must(s.contacts.View(t.Context(), owner, id)).Stage, c.stage)
			}
		})
	}
}

// TestAnOriginThatIsRemovedBeforeItIsWritten: no contact keeps it, whoever named it is told so, and what merely had it
// is left without. Only PostgreSQL lets another transaction in between.
func TestAnOriginThatIsRemovedBeforeItIsWritten(t *testing.T) {
	t.Parallel()
	store := open(t, postgres.New(t, migrate))
	const noOrigin = "nao_encontrado origin"
	for what, c := range map[string]struct {
		do   func(s *setting, owner app.Caller, by ports.Store, form contacts.ContactForm) error
		said string
		left int // contacts
	}{
		"a new contact": {func(s *setting, owner app.Caller, by ports.Store, form contacts.ContactForm) error {
			_, err := contacts.New(by, s.now).Create(s.t.Context(), owner, form)
			return err
		}, noOrigin, 0},
		"an edit": {func(s *setting, owner app.Caller, by ports.Store, form contacts.ContactForm) error {
			made := must(s.contacts.Create(s.t.Context(), owner, bia()))
			return contacts.New(by, s.now).Edit(s.t.Context(), owner, made.ID, form)
		}, noOrigin, 1},
		"a restored contact": {func(s *setting, owner app.Caller, by ports.Store, form contacts.ContactForm) error {
			made := must(s.contacts.Create(s.t.Context(), owner, form))
			done(s.contacts.Delete(s.t.Context(), owner, made.ID))
			return contacts.New(by, s.now).Undelete(s.t.Context(), owner, made.ID)
		}, "", 1},
		"an import": {func(s *setting, owner app.Caller, by ports.Store, _ contacts.ContactForm) error {
			made := must(s.bulks.PrepareImport(s.t.Context(), owner, tableOf("E-mail|Origem", "bia@x.example|Rádio")))
			_, err := contacts.NewBulks(by, s.now).StartImport(s.t.Context(), owner, made.ID,
				contacts.ImportChoices{Duplicates: crm.SkipDuplicates})
			equal(s.t, "the row", results(s, owner, made.ID),
				"feito A origem não é nenhuma das que há em Origens e foi para a nota.")
			return err
		}, "", 1},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSetting(t, store, now)
			owner, form := s.add("dona", crm.Owner), bia()
			origin := must(s.origins.Add(t.Context(), owner, s.orgID, "Rádio"))
			form.OriginID = origin.ID
			once := sync.OnceFunc(func() { done(s.origins.Remove(t.Context(), owner, origin.ID)) })
			equal(t, "answer", said(c.do(s, owner, crossed{store, once}, form)), c.said)
			left := must(s.contacts.List(t.Context(), owner, s.orgID, 9))
			equal(t, "contacts", len(left), c.left)
			for _, k := range left {
				equal(t, "origin of "+k.Name, k.OriginID, "")
			}
		})
	}
}

// crossedHooks calls do after a transaction has read what a webhook names, before it writes the webhook.
type crossedHooks struct {
	ports.Store
	do func()
}

func (c crossedHooks) InTx(ctx context.Context, f ports.Tx) error {
	return c.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		r.Webhooks = crossedCreate{r.Webhooks, c.do}
		return f(ctx, r)
	})
}

type crossedCreate struct {
	ports.Webhooks
	do func()
}

func (c crossedCreate) Create(ctx context.Context, w webhook.Webhook, token webhook.Token) error {
	c.do()
	return c.Webhooks.Create(ctx, w, token)
}

// TestAnOriginIsNotRemovedWhileSomethingIsMadeWithIt: whoever removes it waits, and is then told why it stays.
func TestAnOriginIsNotRemovedWhileSomethingIsMadeWithIt(t *testing.T) {
	t.Parallel()
	store := open(t, postgres.New(t, migrate))
	for what, made := range map[string]func(s *setting, owner app.Caller, origin crm.Origin, meanwhile func()) error{
		"a webhook": func(s *setting, owner app.Caller, origin crm.Origin, meanwhile func()) error {
			hooks := intakeapp.NewWebhooks(crossedHooks{store, meanwhile}, now)
			_, _, err := hooks.Create(t.Context(), owner, intakeapp.NewWebhook{
				OrgID: s.orgID, Name: "Site", Options: s.hook(webhook.Signature{}).Options, Origin: origin.Name,
			})
			return err
		},
		"a contact": func(s *setting, owner app.Caller, origin crm.Origin, meanwhile func()) error {
			form := bia()
			form.OriginID = origin.ID
			_, err := contacts.New(madeThen{store, meanwhile}, now).Create(t.Context(), owner, form)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSetting(t, store, now)
			owner := s.add("dona", crm.Owner)
			origin, removed := must(s.origins.Add(t.Context(), owner, s.orgID, "Rádio")), make(chan error, 1)
			err := made(s, owner, origin, func() {
				go func() { removed <- s.origins.Remove(t.Context(), owner, origin.ID) }()
				const waits = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity " +
					"WHERE datname = current_database() AND wait_event_type = 'Lock')"
				patience.Until(t, "the removal waits, or has ended", func() (waiting bool) {
					done(store.Reader.Raw(waits).Scan(&waiting).Error)
					return waiting || len(removed) > 0
				})
			})
			equal(t, what, said(err), "")
			equal(t, "the removal", said(<-removed), "requisicao_invalida name")
		})
	}
}

// contactsThen calls do after a transaction has made a contact, before it ends.
type contactsThen struct {
	ports.Contacts
	do func()
}

func (c contactsThen) Create(ctx context.Context, k crm.Contact, e crm.Event) error {
	defer c.do()
	return c.Contacts.Create(ctx, k, e)
}

// madeThen calls do after a transaction has made a contact, before it ends.
type madeThen crossed

func (c madeThen) InTx(ctx context.Context, f ports.Tx) error {
	return c.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		r.Contacts = contactsThen{r.Contacts, c.do}
		return f(ctx, r)
	})
}

// TestAMergeLeavesAnOriginThatIsNoMore: a post that comes while its origin is
// removed may have one.
func TestAMergeLeavesAnOriginThatIsNoMore(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, form := s.add("dona", crm.Owner), bia()
	into := must(s.contacts.Create(t.Context(), owner, form))
	form.OriginID = must(s.origins.Add(t.Context(), owner, s.orgID, "Rádio")).ID
	from := must(s.contacts.Create(t.Context(), owner, form))
	done(s.store.(*gormstore.Store).Writer.Exec("DELETE FROM origins WHERE id = ?", form.OriginID).Error)
	equal(t, "answer", said(s.contacts.Merge(t.Context(), owner, into.ID, from.ID)), "")
	equal(t, "origin", s.contact(into.ID).OriginID, "")
}

// onlyInside is a store that is not read outside transactions.
type onlyInside struct{ ports.Store }

func (onlyInside) Repos() ports.Repos { return ports.Repos{} }

// TestAContactIsMadeOfWhatItsTransactionReads, and of nothing that was read before.
func TestAContactIsMadeOfWhatItsTransactionReads(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	_, err := contacts.New(onlyInside{s.store}, s.now).Create(t.Context(), s.add("dona", crm.Owner), bia())
	equal(t, "answer", said(err), "")
}

// TestTheEntryStageIsReadWhereItIsWritten: a contact made by hand does not go to where new ones entered before.
func TestTheEntryStageIsReadWhereItIsWritten(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	funnel := s.funnel(owner)
	store := meanwhile{s.store, sync.OnceFunc(func() {
		done(s.funnels.PlaceStage(t.Context(), owner, funnel.ID, funnel.Stages[1].ID, 0))
		done(s.funnels.RemoveStage(t.Context(), owner, funnel.ID, funnel.Stages[0].ID))
	})}
	made, err := contacts.New(store, s.now).Create(t.Context(), owner, bia())
	equal(t, "answer", said(err), "")
	equal(t, "stage", made.StageID, funnel.Stages[1].ID)
}
