package world_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/batches"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
)

// happening is what a client did, and what it was told.
type happening struct {
	op op
	// begun is when it was known who wants it.
	begun, ended time.Time
	err          error
	// said is what the answer was, key what it was asked under, and about whom.
	said, key, document string
	// id is what it made or changed; limit and spent are of an account that it limited.
	id     string
	limit  *catalog.Money
	spent  catalog.Money
	cached bool
	// taken is whether the answer comes later.
	taken bool
	// payer is who pays for a batch from now on, others what it was charged to others before.
	payer  string
	others catalog.Money
}

// rules are the automations that a world may have.
var rules = []func(w *world) automations.NewAutomation{
	func(*world) automations.NewAutomation {
		return automations.NewAutomation{Name: "avisa", Event: automation.ContactMoved, Action: automation.HTTP, URL: "https://x.example/a"}
	},
	func(*world) automations.NewAutomation {
		return automations.NewAutomation{Name: "criado", Event: automation.ContactCreated, Action: automation.HTTP, URL: "https://x.example/b"}
	},
	func(w *world) automations.NewAutomation {
		return automations.NewAutomation{
			Name: "anota um", Event: automation.ContactMoved, Action: automation.AddNote, Text: "foi para um",
			When: fmt.Sprintf(".etapa == %q", w.stages[1].Name),
		}
	},
	func(w *world) automations.NewAutomation {
		return automations.NewAutomation{
			Name: "anota dois", Event: automation.ContactMoved, Action: automation.AddNote, Text: "foi para dois",
			When: fmt.Sprintf(".etapa == %q", w.stages[2].Name),
		}
	},
	func(*world) automations.NewAutomation {
		return automations.NewAutomation{
			Name: "consulta", Event: automation.ContactCreated, Action: automation.Lookup, Product: catalog.CPF, Ceiling: 2 * price,
		}
	},
	func(w *world) automations.NewAutomation {
		return automations.NewAutomation{Name: "anda", Event: automation.ContactCreated, Action: automation.MoveStage, Stage: w.stages[1].Name}
	},
}

// settle makes the organisation.
func (w *world) settle() error {
	ctx, j, by := context.Background(), w.judge, app.Operator()
	org, err := j.orgs.Create(ctx, "Org")
	if err != nil {
		return err
	}
	w.orgID = org.ID
	for n, role := range []crm.Role{crm.Owner, crm.Common, crm.Admin} {
		m, err := j.members.Add(ctx, by, team.NewMember{
			OrgID: org.ID, Name: fmt.Sprintf("Membro %d", n), Email: fmt.Sprintf("m%d@%s.example", n, org.ID[24:]), Role: role,
			Password: "senha-comprida",
		})
		if err != nil {
			return err
		}
		w.members = append(w.members, m.ID)
	}
	w.owner = w.members[0]
	if err := j.members.Update(ctx, by, w.members[1], team.MemberChange{Budget: &w.plan.budget}); err != nil {
		return err
	}
	for n := range 2 {
		limits := access.Limits{PerMinute: 100_000, PerDay: 1000, PerMonth: 1000}
		if n == 0 {
			limits = w.plan.caps
		}
		key, secret, err := j.keys.Create(ctx, by, lookups.NewKey{
			OrgID: org.ID, Name: fmt.Sprintf("Chave %d", n), Scopes: []document.Type{document.CPF}, Limits: limits,
		})
		if err != nil {
			return err
		}
		w.keys = append(w.keys, heldKey{key.ID, secret.Reveal()})
	}
	if w.plan.has("turns") {
		made, err := j.rotations.Add(ctx, by, org.ID, "Rodízio", w.turns(1, 2))
		if err != nil {
			return err
		}
		w.rotation = made.ID
	}
	_, token, err := j.webhooks.Create(ctx, by, intakeapp.NewWebhook{
		OrgID: org.ID, Name: "Formulário", Options: intake.Options{Kind: intake.Generic}, Rotation: w.rotation,
	})
	if err != nil {
		return err
	}
	w.hook = token.Reveal()
	if w.hasAds() {
		if err := w.connectAds(ctx); err != nil {
			return err
		}
	}
	funnels, err := j.funnels.List(ctx, by, org.ID)
	if err != nil {
		return err
	}
	w.stages = funnels[0].Stages
	for n, there := range w.plan.rules {
		if !there {
			continue
		}
		a := rules[n](w)
		a.OrgID = org.ID
		made, err := j.automations.Add(ctx, by, a)
		if err != nil {
			return fmt.Errorf("automation %s: %w", a.Name, err)
		}
		w.rules = append(w.rules, made.ID)
	}
	if aboutAgents(w.plan.seed) {
		if err := w.hire(ctx); err != nil {
			return err
		}
	}
	if aboutConsents(w.plan.seed) {
		_, err = j.automations.Add(ctx, by, tells(w))
	}
	return err
}

// turns are the first members of a rotation, and how many contacts the last one gets.
func (w *world) turns(members, weight int) (all []crm.RotationMember) {
	for _, id := range w.members[:members] {
		all = append(all, crm.RotationMember{MemberID: id, Weight: 1})
	}
	all[len(all)-1].Weight = weight
	return all
}

// member returns the caller for a member, who is read afresh as a session does.
func (i *instance) member(ctx context.Context, id string) (app.Caller, error) {
	m, err := i.store.Repos().Members.Find(ctx, ports.AnyOrg, id)
	if err != nil {
		return app.Caller{}, err
	}
	if !m.Active {
		return app.Caller{}, errAway
	}
	return app.ByMember(m), nil
}

// do does one thing, at an instance, and keeps what came of it. over reports whether nobody else does anything.
func (w *world) do(client int, o op, over func() bool) {
	one := &step{who: fmt.Sprintf("client %d", client), kind: "client", what: o.String()}
	if o.meets {
		one.ready = func() bool { return w.sched.pinned.step != nil || over() }
	}
	defer w.sched.over(o)
	w.sched.awaitWithin(context.Background(), one)
	h := happening{op: o, begun: time.Now()}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	verbs[o.verb](w, ctx, w.at(o.at), &h)
	h.ended = time.Now()
	w.mu.Lock()
	w.happened = append(w.happened, h)
	w.mu.Unlock()
}

func (w *world) batch(n int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.batches) == 0 {
		return ""
	}
	if n%3 > 0 { // mostly the newest
		return w.batches[len(w.batches)-1]
	}
	return w.batches[n%len(w.batches)]
}

// contact returns the newest contact of a person.
func (w *world) contact(n int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.contacts[fmt.Sprint(n)]
}

// ask is a lookup by a key.
func ask(w *world, ctx context.Context, i *instance, h *happening, change func(*lookups.Request)) {
	req := lookups.Request{Product: catalog.CPF, Document: cpf(h.op.a)}
	change(&req)
	h.document, h.key = req.Document, req.RequestKey
	caller, err := i.keys.Authenticate(ctx, w.keys[h.op.b%2].secret, nobody)
	if err != nil {
		h.err = err
		return
	}
	h.begun = time.Now()
	req.Later = h.op.verb == "later"
	result, err := i.asker.Do(ctx, caller, req)
	h.err, h.id, h.said, h.cached = err, result.Entry.ID, string(result.Record.Raw), result.Entry.Cache
	h.taken = result.Entry.Status == lookup.Running
}

// verbs are what clients do. Errors are part of the answer.
var verbs = map[string]func(*world, context.Context, *instance, *happening){
	"wait": func(w *world, _ context.Context, _ *instance, h *happening) {
		d := time.Duration(h.op.c) * time.Millisecond
		if h.op.b == 0 {
			d *= 20
		}
		time.Sleep(d)
	},
	"kill": func(w *world, _ context.Context, _ *instance, h *happening) { w.kill(h.op.at % len(w.instances)) },
	"clock": func(w *world, _ context.Context, i *instance, h *happening) {
		i.offset = time.Duration(h.op.c-500) * 10 * time.Millisecond
	},
	"lookup": func(w *world, ctx context.Context, i *instance, h *happening) {
		ask(w, ctx, i, h, func(*lookups.Request) {})
	},
	"fresh": func(w *world, ctx context.Context, i *instance, h *happening) {
		ask(w, ctx, i, h, func(r *lookups.Request) { r.Refresh = true })
	},
	"once": func(w *world, ctx context.Context, i *instance, h *happening) {
		ask(w, ctx, i, h, func(r *lookups.Request) {
			if r.Refresh = true; slices.Contains([]uint64{0, 3}, w.plan.seed%11) { // so that the worlds of before stay
				r.Refresh = h.op.a%2 == 0 // one key is of one question
			}
			r.RequestKey = fmt.Sprintf("pedido-%d", h.op.a)
		})
	},
	"later": func(w *world, ctx context.Context, i *instance, h *happening) {
		ask(w, ctx, i, h, func(r *lookups.Request) { r.Refresh = h.op.c%2 == 0 })
	},
	"page": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.members[1+h.op.b%2])
		if err != nil {
			h.err = err
			return
		}
		h.begun, h.document = time.Now(), cpf(h.op.a)
		var done <-chan struct{}
		h.id, done, h.err = i.asker.Start(ctx, by, lookups.Request{
			Product: catalog.CPF, Document: h.document, Refresh: h.op.c%2 == 0,
		})
		if h.err == nil {
			select {
			case <-done:
			case <-ctx.Done():
			}
		}
	},
	"caps": func(w *world, ctx context.Context, i *instance, h *happening) {
		n := h.op.c % 12
		h.id = w.keys[0].id // also of a change whose outcome is not known, which may have been the last
		_, h.err = i.keys.Change(ctx, app.Operator(), h.id, lookups.KeyChange{PerDay: &n, PerMonth: &n})
		if h.err == nil {
			limit := catalog.Money(n) * price
			h.limit = &limit
			h.spent = catalog.Money(w.number(charged("key_id", h.id)))
		}
	},
	"restrict": func(w *world, ctx context.Context, i *instance, h *happening) {
		from := []string{"10.0.0.0/8"}
		if h.op.c%2 == 0 {
			from = nil
		}
		_, h.err = i.keys.Change(ctx, app.Operator(), w.keys[1].id, lookups.KeyChange{From: &from})
	},
	"revoke": func(w *world, ctx context.Context, i *instance, h *happening) {
		h.id = w.keys[1].id
		if h.err = i.keys.Revoke(ctx, app.Operator(), h.id); h.err == nil {
			h.spent = catalog.Money(w.number(charged("key_id", h.id)))
		}
	},
	"budget": func(w *world, ctx context.Context, i *instance, h *happening) {
		limit := catalog.Money(h.op.c%8) * price
		h.id = w.members[1]
		if h.err = i.members.Update(ctx, app.Operator(), h.id, team.MemberChange{Budget: &limit}); h.err == nil {
			h.limit, h.spent = &limit, catalog.Money(w.number(charged("member_id", h.id)))
		}
	},
	"role": func(w *world, ctx context.Context, i *instance, h *happening) {
		active := h.op.c%2 == 0
		h.id = w.members[2]
		if h.err = i.members.Update(ctx, app.Operator(), h.id, team.MemberChange{Active: &active}); h.err == nil && !active {
			h.spent = catalog.Money(w.number(charged("member_id", h.id)))
		}
	},
	"purpose": func(w *world, ctx context.Context, i *instance, h *happening) {
		_, h.err = i.purposes.Add(ctx, app.Operator(), crm.Purpose{
			OrgID: w.orgID, Code: fmt.Sprintf("finalidade-%d", h.op.c%2), Name: "Finalidade", Basis: crm.Bases()[0],
		})
	},
	// retire ends a purpose, or brings it back.
	"retire": func(w *world, ctx context.Context, i *instance, h *happening) {
		over := h.op.b%3 > 0
		h.id = fmt.Sprintf("finalidade-%d", h.op.c%2)
		_, h.err = i.purposes.Set(ctx, app.Operator(), w.orgID, h.id, privacyapp.PurposeChange{Retired: &over})
		if none := catalog.Money(0); h.err == nil && over {
			h.limit, h.spent = &none, catalog.Money(w.number(charged("purpose", h.id)))
		}
	},
	"batch": func(w *world, ctx context.Context, i *instance, h *happening) { w.quote(ctx, i, h, true) },
	"quote": func(w *world, ctx context.Context, i *instance, h *happening) { w.quote(ctx, i, h, false) },
	"confirm": func(w *world, ctx context.Context, i *instance, h *happening) {
		ceiling := catalog.Money(1+h.op.c%6) * price
		w.onBatch(ctx, i, h, &ceiling, func(by app.Caller) error {
			_, err := i.batches.Confirm(ctx, by, h.id, &ceiling)
			return err
		})
	},
	"pause": func(w *world, ctx context.Context, i *instance, h *happening) {
		if h.id = w.batch(h.op.c); h.id == "" {
			h.err = errAway
			return
		}
		_, h.err = i.batches.Pause(ctx, app.Operator(), h.id)
	},
	"resume": func(w *world, ctx context.Context, i *instance, h *happening) {
		w.resume(ctx, i, h, catalog.Money(h.op.b)*price, h.op.a%2 == 0)
	},
	"ceiling": func(w *world, ctx context.Context, i *instance, h *happening) {
		// A ceiling below what is spent is refused, so the best lower one is just that.
		if h.id = w.batch(h.op.c); h.id == "" {
			h.err = errAway
			return
		}
		w.resume(ctx, i, h, catalog.Money(w.number(charged("batch_id", h.id)))+catalog.Money(h.op.b%2)*price, false)
	},
	"retry": func(w *world, ctx context.Context, i *instance, h *happening) {
		w.resume(ctx, i, h, 40*price, true)
	},
	"cancel": func(w *world, ctx context.Context, i *instance, h *happening) {
		if h.id = w.batch(h.op.c); h.id == "" {
			h.err = errAway
			return
		}
		_, h.err = i.batches.Cancel(ctx, app.Operator(), h.id)
	},
	"post":  func(w *world, ctx context.Context, i *instance, h *happening) { w.post(ctx, i, h, h.op.c) },
	"again": func(w *world, ctx context.Context, i *instance, h *happening) { w.post(ctx, i, h, h.op.c%3) },
	"replay": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		if err != nil {
			h.err = err
			return
		}
		all := w.rows(fmt.Sprintf("SELECT id FROM deliveries WHERE org_id = '%s' ORDER BY id", w.orgID))
		if len(all) == 0 {
			h.err = errAway
			return
		}
		_, h.err = i.intake.Replay(ctx, by, all[h.op.c%len(all)][0])
	},
	"create": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		if err != nil {
			h.err = err
			return
		}
		made, err := i.contacts.Create(ctx, by, contacts.ContactForm{
			Name: fmt.Sprintf("Pessoa %d", h.op.a), Email: fmt.Sprintf("p%d@x.example", h.op.a), Documents: cpf(h.op.a),
		})
		h.err, h.id = err, made.ID
		w.keep(h.op.a, made.ID, err)
	},
	"move": func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onContact(ctx, i, h, func(by app.Caller, id string) error {
			_, err := i.contacts.Move(ctx, by, id, w.stages[h.op.b%len(w.stages)].ID)
			return err
		})
	},
	"note": func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onContact(ctx, i, h, func(by app.Caller, id string) error {
			return i.contacts.Note(ctx, by, id, fmt.Sprintf("nota %d", h.op.c))
		})
	},
	"edit": func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onContact(ctx, i, h, func(by app.Caller, id string) error {
			return i.contacts.Edit(ctx, by, id, contacts.ContactForm{
				Name: fmt.Sprintf("Pessoa %d", h.op.a), Email: fmt.Sprintf("p%d@x.example", h.op.a), Documents: cpf(h.op.a),
				Company: fmt.Sprintf("Empresa %d", h.op.c),
			})
		})
	},
	"assign": func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onContact(ctx, i, h, func(by app.Caller, id string) error {
			return i.contacts.Assign(ctx, by, id, w.members[h.op.b%len(w.members)])
		})
	},
	"delete": func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onContact(ctx, i, h, func(by app.Caller, id string) error { return i.contacts.Delete(ctx, by, id) })
	},
	"undelete": func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onContact(ctx, i, h, func(by app.Caller, id string) error { return i.contacts.Undelete(ctx, by, id) })
	},
	"merge": func(w *world, ctx context.Context, i *instance, h *happening) {
		all := w.rows(fmt.Sprintf("SELECT id FROM contacts WHERE org_id = '%s' ORDER BY id", w.orgID))
		w.onContact(ctx, i, h, func(by app.Caller, id string) error {
			if len(all) < 2 {
				return errAway
			}
			return i.contacts.Merge(ctx, by, id, all[h.op.c%len(all)][0])
		})
	},
	"bulk": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		if err != nil {
			h.err = err
			return
		}
		all := w.rows(fmt.Sprintf("SELECT id FROM contacts WHERE org_id = '%s' ORDER BY id", w.orgID))
		var ids []string
		for _, row := range all {
			ids = append(ids, row[0])
		}
		if len(ids) == 0 {
			h.err = errAway
			return
		}
		made, err := i.bulks.Start(ctx, by, contacts.NewBulk{
			Kind: crm.BulkMove, TargetID: w.stages[h.op.b%len(w.stages)].ID, Of: contacts.Selection{IDs: ids},
		})
		h.err, h.id = err, made.ID
	},
	"undo": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		all := w.rows(fmt.Sprintf("SELECT id FROM bulk_actions WHERE org_id = '%s' ORDER BY id DESC", w.orgID))
		if err != nil || len(all) == 0 {
			h.err = errAway
			return
		}
		_, h.err = i.bulks.Undo(ctx, by, all[0][0])
	},
	"toggle": func(w *world, ctx context.Context, i *instance, h *happening) {
		if len(w.rules) == 0 {
			h.err = errAway
			return
		}
		h.id = w.rules[h.op.c%len(w.rules)]
		h.err = i.automations.SetEnabled(ctx, app.Operator(), h.id, h.op.b%2 == 0)
		if h.err == nil {
			h.spent = catalog.Money(w.number(charged("automation_id", h.id)))
		}
	},
	"rule": func(w *world, ctx context.Context, i *instance, h *happening) {
		a := rules[4](w)
		a.OrgID, a.Ceiling = w.orgID, catalog.Money(1+h.op.b%4)*price
		for _, id := range w.rules {
			found, err := i.automations.Find(ctx, app.Operator(), id)
			if err != nil || found.Name != a.Name {
				continue
			}
			if h.id, h.err = id, i.automations.Edit(ctx, app.Operator(), id, a); h.err == nil {
				h.limit, h.spent = &a.Ceiling, catalog.Money(w.number(charged("automation_id", id)))
			}
			return
		}
		h.err = errAway
	},
	"erase": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		if err != nil {
			h.err = err
			return
		}
		h.document = cpf(h.op.a)
		e, err := i.subjects.Erase(ctx, by, privacyapp.SubjectQuery{OrgID: w.orgID, Document: h.document}, h.op.c%2 == 0)
		h.id, h.err = e.ID, err
		if err == nil && e.State != privacy.Done {
			e, h.err = i.subjects.Await(ctx, e.ID)
		}
		if h.err == nil && e.State != privacy.Done {
			h.err = errAway
		}
	},
	"unblock": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		if err == nil {
			err = i.subjects.Unblock(ctx, by, privacyapp.SubjectQuery{OrgID: w.orgID, Document: cpf(h.op.a)})
		}
		h.err = err
	},
	"import": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		var made contacts.ImportView
		if h.begun = time.Now(); err == nil {
			person := []string{fmt.Sprintf("Pessoa %d", h.op.a), fmt.Sprintf("p%d@x.example", h.op.a), cpf(h.op.a)}
			made, err = i.bulks.PrepareImport(ctx, by, contacts.NewImport{Tabs: []batch.Tab{{Rows: []batch.Row{
				{Line: 1, Cells: []string{"nome", "email", "cpf"}}, {Line: 2, Cells: person},
				{Line: 3, Cells: []string{"Outra", "outra@x.example", cpf(80 + h.op.b)}},
			}}}})
		}
		if err == nil {
			choices := contacts.ImportChoices{Duplicates: crm.SkipDuplicates, Fires: h.op.c%2 == 0}
			_, err = i.bulks.StartImport(ctx, by, made.ID, choices)
		}
		h.err, h.id = err, made.ID
	},
	// turns changes who gets the posts' contacts, and how many.
	"turns": func(w *world, ctx context.Context, i *instance, h *happening) {
		h.err = i.rotations.Change(ctx, app.Operator(), w.rotation, "Rodízio", w.turns(1+h.op.b%3, 1+h.op.c%2), nil)
	},
	"verify": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		var found privacyapp.AuditFound
		if err == nil {
			found, err = i.audit.Verify(ctx, by, w.orgID, [32]byte{})
		}
		if h.err = err; err == nil && found.Finding != nil {
			w.fail("audit", "beside other work: %s", found.Finding.Message())
		}
	},
	"check": func(w *world, ctx context.Context, _ *instance, _ *happening) {
		if !w.plan.night { // jobs may wait since the evening
			w.judgeDoctor(ctx)
		}
	},
	"export": func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		if err == nil {
			_, err = i.subjects.Export(ctx, by, privacyapp.SubjectQuery{OrgID: w.orgID, Document: cpf(h.op.a)})
		}
		h.err = err
	},
}

// charged is the statement that sums what an account was charged, or has reserved. A batch keeps its purpose, also
// where that is retired.
func charged(column, id string) string {
	if column == "purpose" {
		column = "batch_id IS NULL AND purpose"
	}
	return fmt.Sprintf(`SELECT coalesce(sum(amount + CASE WHEN status = 'em_andamento' THEN spare ELSE 0 END), 0)
		FROM lookups WHERE %s = '%s' AND charged`, column, id)
}

// payer is who makes or confirms a batch: a key, or one of the members.
func (w *world) payer(ctx context.Context, i *instance, n int) (by app.Caller, id string, err error) {
	if n%4 == 0 {
		by, err = i.keys.Authenticate(ctx, w.keys[0].secret, nobody)
		return by, w.keys[0].id, err
	}
	by, err = i.member(ctx, w.members[n%4-1])
	return by, w.members[n%4-1], err
}

// quote makes a batch, and may confirm it at once.
func (w *world) quote(ctx context.Context, i *instance, h *happening, confirm bool) {
	by, payer, err := w.payer(ctx, i, h.op.b)
	if err != nil {
		h.err = err
		return
	}
	h.begun = time.Now()
	var docs []string
	for n := range 1 + h.op.c%w.plan.most {
		docs = append(docs, cpf(h.op.a+n))
	}
	ceiling := catalog.Money(len(docs)) * price
	if h.op.c%3 == 0 {
		ceiling = catalog.Money(h.op.c%5) * price
	}
	made, err := i.batches.Quote(ctx, by, batches.NewBatch{
		Name: "Lote", Product: catalog.CPF, Documents: docs, Ceiling: &ceiling, Confirm: confirm, Refresh: h.op.c%4 != 0,
	})
	if h.err, h.id = err, made.ID; err != nil {
		return
	}
	w.mu.Lock()
	w.batches = append(w.batches, made.ID)
	w.mu.Unlock()
	if confirm {
		h.limit, h.payer = &ceiling, payer
		w.looked(h)
	}
}

// onBatch does something to a batch as somebody who pays for it from then on, or as the operator.
func (w *world) onBatch(
	ctx context.Context, i *instance, h *happening, ceiling *catalog.Money, f func(app.Caller) error,
) {
	if h.id = w.batch(h.op.c); h.id == "" {
		h.err = errAway
		return
	}
	by, payer, err := app.Operator(), "", error(nil) // for whom who paid before goes on paying
	if h.op.verb != "ceiling" || h.op.b > 5 {
		by, payer, err = w.payer(ctx, i, h.op.a+h.op.b)
	}
	if err == nil {
		err = f(by)
	}
	if h.err, h.limit, h.payer = err, ceiling, payer; err == nil {
		w.looked(h)
	}
}

// looked notes what a batch was charged.
func (w *world) looked(h *happening) {
	h.spent = catalog.Money(w.number(charged("batch_id", h.id)))
	if h.payer != "" {
		h.others = catalog.Money(w.number(othersPay(h.id, h.payer)))
	}
}

func othersPay(batch, payer string) string {
	return charged("batch_id", batch) + fmt.Sprintf(" AND coalesce(key_id, member_id) <> '%s'", payer)
}

// resume pauses a batch, and lets it go on within a ceiling.
func (w *world) resume(ctx context.Context, i *instance, h *happening, ceiling catalog.Money, failures bool) {
	w.onBatch(ctx, i, h, &ceiling, func(by app.Caller) error {
		if h.op.verb == "ceiling" || h.op.verb == "resume" && h.op.c%2 == 0 {
			_, _ = i.batches.Pause(ctx, app.Operator(), h.id)
		}
		_, err := i.batches.Resume(ctx, by, h.id, &ceiling, failures)
		return err
	})
}

func (w *world) keep(person int, id string, err error) {
	if err != nil || id == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.contacts[fmt.Sprint(person)] = id
}

// onContact does something to the newest contact of a person, as the owner.
func (w *world) onContact(ctx context.Context, i *instance, h *happening, f func(app.Caller, string) error) {
	if h.id = w.contact(h.op.a); h.id == "" {
		h.err = errAway
		return
	}
	by, err := i.member(ctx, w.owner)
	if err != nil {
		h.err = err
		return
	}
	h.err = f(by, h.id)
}

// personOf is what a person fills in.
func personOf(n int) map[string]string {
	return map[string]string{"nome": fmt.Sprintf("Pessoa %d", n), "email": fmt.Sprintf("p%d@x.example", n), "cpf": cpf(n)}
}

// post sends a lead; the same number is the same idempotency key and body.
func (w *world) post(ctx context.Context, i *instance, h *happening, number int) {
	person := personOf(h.op.a)
	person["mensagem"] = fmt.Sprintf("pedido %d", number)
	h.key = fmt.Sprintf("envio-%d-%d", h.op.a, number)
	accepted, err := w.send(ctx, i, person, h.key)
	h.err, h.id = err, accepted.ContactID
	w.keep(h.op.a, accepted.ContactID, err)
}

// send posts somebody, or several, to the webhook, with an idempotency key unless that is empty.
func (w *world) send(
	ctx context.Context, i *instance, person any, key string,
) (accepted intakeapp.Accepted, err error) {
	body, err := json.Marshal(person)
	if err != nil {
		panic(err)
	}
	hook, err := i.intake.Open(ctx, w.hook)
	if err != nil {
		return accepted, err
	}
	p := intakeapp.Post{Body: body, Signed: body, Headers: []intake.Pair{{Key: "content-type", Value: "application/json"}}}
	if key != "" {
		p.Headers = append(p.Headers, intake.Pair{Key: "idempotency-key", Value: key})
	}
	return i.intake.Receive(ctx, hook, p)
}

// unknown reports whether a client cannot know from the error whether something happened.
func unknown(err error) bool {
	if err == nil {
		return false
	}
	f := app.FaultOf(err)
	return f == nil || slices.Contains([]fault.Code{fault.ServiceUnavailable, fault.Timeout}, f.Code) ||
		errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), errLost.Error())
}
