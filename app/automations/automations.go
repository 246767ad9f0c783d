// Package automations runs what an organisation wants done when something happens: rules, jobs and their runs.
package automations

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

// Automations makes automations and shows what became of them.
type Automations struct {
	store ports.Store
	clock app.Clock
	means Means
}

// Means are the facilities that automations act with.
type Means struct {
	// Mails is whether e-mail is configured.
	Mails bool
	// Conditions evaluates expressions.
	Conditions ports.Conditions
	// Catalog holds the products that can be looked up.
	Catalog catalog.Catalog
	// Destinations knows the requests that http actions can make.
	Destinations ports.Destinations
}

// New returns the use case.
func New(store ports.Store, clock app.Clock, means Means) *Automations {
	return &Automations{store: store, clock: clock, means: means}
}

var automationKind = app.Kind[automation.Automation]{
	Field: "automation", Missing: "Não há automação com este id.",
	Find: func(r ports.Repos) func(context.Context, string, string) (automation.Automation, error) {
		return r.Automations.Find
	},
	OrgOf: func(a automation.Automation) string { return a.OrgID },
}

// NewAutomation describes an automation, with names where people know names.
type NewAutomation struct {
	OrgID, Name string
	// Event is by default contact.created, or contact.moved for a destination with Consent.
	Event  automation.EventName
	Action automation.ActionKind
	// URL belongs to an http action without a destination.
	URL string
	RequestForm
	// KeepAction keeps the action of an automation that is edited.
	KeepAction bool
	// To, Subject and Text belong to an email action; Text is also the note of add_note.
	To, Subject, Text string
	// Stage is the name of the stage of move_stage, of any funnel, the default one's
	// first.
	Stage string
	// Member is the id or e-mail address of the member of assign, or RotationPrefix followed by a rotation.
	Member string
	// Origin is the name of the only origin it runs for; empty for all.
	Origin string
	// WebhookID is the only webhook it runs for; empty for all.
	WebhookID string
	// MinAmount is the least value it runs for, in ten-thousandths of a real.
	MinAmount catalog.Money
	// When is a jq expression over the event's data that must give true; empty for none.
	When string
	// Product, MaxAge (in days) and Ceiling (in ten-thousandths of a real per month) belong to a lookup action.
	Product string
	MaxAge  *int
	Ceiling catalog.Money
	// Purpose is the code of a lookup action's purpose; empty for the organisation's only one.
	Purpose string
	// Still refuses to describe an automation anew that is no longer as the caller saw it.
	Still app.Still[automation.Automation]
}

// Add makes an enabled automation; an http action gets a new secret. Faults: InvalidRequest with the field at fault,
// MissingPurpose, PurposeRefused, NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) Add(ctx context.Context, by app.Caller, n NewAutomation) (made automation.Automation, err error) {
	n.KeepAction = false // there is none to keep
	err = a.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := app.MayManageOrg(ctx, r, by, n.OrgID); err != nil {
			return err
		}
		if err := r.Orgs.Lock(ctx, n.OrgID); err != nil {
			return err
		}
		if made, err = a.describe(ctx, r, by, n); err != nil {
			return err
		}
		made.ID, made.Enabled, made.CreatedAt = app.NewID(), true, a.clock()
		if err := r.Automations.Create(ctx, made); err != nil {
			return err
		}
		detail := automationDetail(made)
		detail["preenchido"] = filledIn(nil, made.Action.Values)
		return app.Record(ctx, r, by, audit.Line{
			OrgID: made.OrgID, Action: audit.AutomationCreated, Object: made.ID, Detail: detail,
		})
	})
	return made, err
}

// Edit describes an automation anew, effective from its next run; an http action keeps its secret. Faults: those of
// Add.
func (a *Automations) Edit(ctx context.Context, by app.Caller, id string, n NewAutomation) error {
	return a.change(ctx, by, id, func(
		ctx context.Context, r ports.Repos, old automation.Automation,
	) (automation.Automation, audit.Detail, error) {
		return a.edited(ctx, r, by, old, n)
	})
}

// edited returns an automation described anew, and the detail for the audit.
func (a *Automations) edited(
	ctx context.Context, r ports.Repos, by app.Caller, old automation.Automation, n NewAutomation,
) (automation.Automation, audit.Detail, error) {
	if err := n.Still.Check(old); err != nil {
		return old, nil, err
	}
	n.OrgID = old.OrgID
	n = a.kept(n, old.Action)
	// An unreadable action cannot be kept, and what is stored of it must not be overwritten.
	if n.KeepAction = n.KeepAction && !old.Unreadable; n.KeepAction {
		n.Action = old.Action.Kind
	}
	changed, err := a.describe(ctx, r, by, n)
	if err != nil {
		return changed, nil, err
	}
	if n.KeepAction {
		changed.Action = old.Action
		if old.Action.Ground != (automation.Ground{}) && !changed.Event.OfStage() {
			return changed, nil, errNotOfStage()
		}
	}
	if changed.ID = old.ID; old.Action.Secret != "" && changed.Action.Secret != "" {
		changed.Action.Secret = old.Action.Secret
	}
	detail := app.Differing(automationDetail(old), automationDetail(changed))
	if names := filledIn(old.Action.Values, changed.Action.Values); names != "" {
		detail["preenchido"] = names
	}
	if names := filledIn(textsOf(old.Action), textsOf(changed.Action)); names != "" {
		detail["textos"] = names
	}
	return changed, detail, nil
}

// change changes an automation by f, which gets it locked, because all of it is written; f returns it changed, with the
// detail for the audit.
func (a *Automations) change(
	ctx context.Context, by app.Caller, id string,
	f func(context.Context, ports.Repos, automation.Automation) (automation.Automation, audit.Detail, error),
) error {
	return a.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		old, err := automationKind.Locked(ctx, r, by, id)
		if err != nil {
			return err
		}
		changed, detail, err := f(ctx, r, old)
		if err != nil || same(old, changed) {
			return err
		}
		if err := r.Orgs.HoldCharges(ctx, old.OrgID); err != nil {
			return err
		}
		if old.Action.Ceiling != changed.Action.Ceiling {
			if err := r.Usage.LimitChanged(ctx, old.OrgID, id); err != nil {
				return err
			}
		}
		if err := r.Automations.Update(ctx, changed); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: old.OrgID, Action: audit.AutomationChanged, Object: id, Detail: detail,
		})
	})
}

// same reports whether an automation described anew is as it was.
func same(old, changed automation.Automation) bool {
	changed.OrgID, changed.Enabled, changed.CreatedAt = old.OrgID, old.Enabled, old.CreatedAt // these are not described
	return reflect.DeepEqual(old, changed)
}

// automationDetail is what the audit says of an automation, without its secret and its texts.
func automationDetail(a automation.Automation) audit.Detail {
	age := ""
	if a.Action.MaxAge != nil {
		age = strconv.Itoa(*a.Action.MaxAge)
	}
	return audit.Detail{
		"origem": a.Conditions.OriginID, "webhook": a.Conditions.WebhookID, "valor_minimo": a.Conditions.MinAmount.String(),
		"etapa": a.Action.StageID, "membro": a.Action.MemberID, "rodizio": a.Action.RotationID, "idade_maxima": age,
		"nome": a.Name, "evento": string(a.Event), "acao": string(a.Action.Kind), "endereco": a.Action.URL,
		"para": a.Action.To, "condicao": a.Conditions.When, "produto": a.Action.Product, "teto": a.Action.Ceiling.String(),
		"finalidade": a.Action.Purpose, "destino": a.Action.Destination, "metodo": a.Action.Method,
		"consentimento": a.Action.Ground.Consent, "base": a.Action.Ground.Basis,
	}
}

// textsOf returns the texts of an action; the audit names only those that changed.
func textsOf(a automation.Action) map[string]string {
	headers := make([]string, len(a.Headers))
	for i, h := range a.Headers {
		headers[i] = h.Name + ": " + h.Value
	}
	return map[string]string{
		"assunto": a.Subject, "texto": a.Text, "corpo": a.Body, "feito": a.Done, "cabecalhos": strings.Join(headers, "\n"),
	}
}

// filledIn names the fields of a request whose values changed.
func filledIn(before, after map[string]string) string {
	all := maps.Clone(before)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, after)
	maps.DeleteFunc(all, func(name, _ string) bool { return before[name] == after[name] })
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}

// List returns the automations of an organisation, oldest first. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) List(ctx context.Context, by app.Caller, orgID string) ([]automation.Automation, error) {
	if err := app.MayManageOrg(ctx, a.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return a.store.Repos().Automations.List(ctx, orgID)
}

// SetEnabled switches an automation on or off. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) SetEnabled(ctx context.Context, by app.Caller, id string, enabled bool) error {
	found, err := a.Find(ctx, by, id)
	if err != nil {
		return err
	}
	line := audit.Line{OrgID: found.OrgID, Action: audit.AutomationDisabled, Object: id, Detail: app.NameOf(found.Name)}
	if enabled {
		line.Action = audit.AutomationEnabled
	}
	return app.Recorded(ctx, a.store, by, line, func(ctx context.Context, r ports.Repos) error {
		now, err := automationKind.Locked(ctx, r, by, id)
		if err == nil && now.Enabled == enabled {
			err = app.ErrUnchanged
		}
		if err != nil {
			return err
		}
		if err := r.Orgs.HoldCharges(ctx, found.OrgID); err != nil {
			return err
		}
		return r.Automations.SetEnabled(ctx, found.OrgID, id, enabled)
	})
}

// SetPurpose changes the purpose of a lookup action. Faults: MissingPurpose, PurposeRefused, InvalidRequest, NotFound,
// Forbidden, ServiceUnavailable.
func (a *Automations) SetPurpose(ctx context.Context, by app.Caller, id, code string) error {
	return a.change(ctx, by, id, func(
		ctx context.Context, r ports.Repos, rule automation.Automation,
	) (_ automation.Automation, _ audit.Detail, err error) {
		if rule.Unreadable || rule.Action.Kind != automation.Lookup {
			return rule, nil, app.Invalid("purpose", "Só a ação lookup tem finalidade.")
		}
		rule.Action.Purpose, err = actionPurpose(ctx, r, rule.OrgID, code)
		return rule, automationDetail(rule), err
	})
}

// actionPurpose returns the purpose of a lookup action. It is stored even if it is the only one, so that it stays when
// others are added.
func actionPurpose(ctx context.Context, r ports.Repos, orgID, said string) (string, error) {
	rules, err := privacy.ReadPurposeRules(ctx, r, orgID)
	if err != nil {
		return "", err
	}
	return rules.Choose(app.OfOrg(orgID), said)
}

// Find returns one automation. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) Find(ctx context.Context, by app.Caller, id string) (automation.Automation, error) {
	return automationKind.Managed(ctx, a.store.Repos(), by, id)
}

// View is an automation with the names behind its ids.
type View struct {
	automation.Automation
	// Origin and Webhook name the only ones it runs for; empty for all.
	Origin, Webhook string
	// Stage and Member name what its action uses.
	Stage, Member string
	// Destination describes where its http action sends to, or only the fields of a request of its own; the zero value for
	// the signed default.
	Destination automation.Destination
	// Last is its newest run; the zero value when it never ran.
	Last automation.Job
}

// Views returns the automations of an organisation, oldest first. Faults: NotFound,
// Forbidden, ServiceUnavailable.
func (a *Automations) Views(ctx context.Context, by app.Caller, orgID string) ([]View, error) {
	all, err := a.List(ctx, by, orgID)
	if err != nil {
		return nil, err
	}
	r := a.store.Repos()
	n, err := r.Names.All(ctx, orgID, append(slices.Clone(app.ContactKinds), crm.NamedRotation)...)
	out := make([]View, len(all))
	for i, rule := range all {
		out[i] = a.described(viewOf(n, rule))
		last, err := r.JobRuns.Page(ctx, orgID, automation.JobFilter{AutomationID: rule.ID}, "", 1)
		if err != nil {
			return nil, err
		}
		if len(last) > 0 {
			out[i].Last = last[0]
		}
	}
	return out, err
}

// View returns one automation, without its last run. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) View(ctx context.Context, by app.Caller, id string) (View, error) {
	found, err := a.Find(ctx, by, id)
	if err != nil {
		return View{}, err
	}
	n, err := app.NamesOf(ctx, a.store.Repos(), found.OrgID, idsIn(found)...)
	return a.described(viewOf(n, found)), err
}

// idsIn are the ids in an automation that stand for something else.
func idsIn(a automation.Automation) []string {
	return []string{
		a.Conditions.OriginID, a.Conditions.WebhookID, a.Action.StageID, a.Action.MemberID, a.Action.RotationID,
	}
}

func viewOf(n crm.Names, a automation.Automation) View {
	return View{
		Automation: a, Origin: n.Name(crm.NamedOrigin, a.Conditions.OriginID),
		Webhook: n.Name(crm.NamedWebhook, a.Conditions.WebhookID),
		Stage:   n.Stage(a.Action.StageID).Name, Member: assignedTo(n, a.Action),
	}
}

// assignedTo names the member or rotation that an automation gives contacts to.
func assignedTo(n crm.Names, a automation.Action) string {
	if a.RotationID != "" {
		return "o rodízio " + n.Name(crm.NamedRotation, a.RotationID)
	}
	return n.Member(a.MemberID).Name
}
