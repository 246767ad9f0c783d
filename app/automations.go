package app

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/text"
	"fichario/ports"
)

// Automations makes automations and shows what became of them.
type Automations struct {
	store ports.Store
	clock Clock
}

// NewAutomations returns the use case.
func NewAutomations(store ports.Store, clock Clock) *Automations {
	return &Automations{store: store, clock: clock}
}

// NewAutomation describes an automation, with names where people know
// names.
type NewAutomation struct {
	OrgID, Name string
	Event       automation.EventName
	Action      automation.ActionKind
	// URL is of an http action.
	URL string
	// To, Subject and Text are of an email action; Text is also the note of add_note.
	To, Subject, Text string
	// Stage is the name of the stage of move_stage, of any funnel, the default one's
	// first.
	Stage string
	// Member is the id or e-mail address of the member of assign.
	Member string
	// Origin is the name of the only origin it runs for; empty for all.
	Origin string
	// WebhookID is the only webhook it runs for; empty for all.
	WebhookID string
	// MinAmount is the least value it runs for, in ten-thousandths of a real.
	MinAmount catalog.Money
}

const textMax = 10_000

// Add makes an enabled automation; that of an http action has a new secret. Faults:
// InvalidRequest with the field at fault, ServiceUnavailable.
func (a *Automations) Add(ctx context.Context, by Caller, n NewAutomation) (automation.Automation, error) {
	made, err := a.describe(ctx, by, n)
	if err != nil {
		return made, err
	}
	made.ID, made.Enabled, made.CreatedAt = newID(), true, a.clock()
	return made, a.store.Repos().Automations.Create(ctx, made)
}

// Edit describes an automation anew, from its next run on; an http action keeps its
// secret. Faults: those of Add.
func (a *Automations) Edit(ctx context.Context, by Caller, id string, n NewAutomation) error {
	old, err := a.Find(ctx, by, id)
	if err != nil {
		return err
	}
	n.OrgID = old.OrgID
	changed, err := a.describe(ctx, by, n)
	if err != nil {
		return err
	}
	if changed.ID = id; old.Action.Secret != "" && changed.Action.Secret != "" {
		changed.Action.Secret = old.Action.Secret
	}
	return a.store.Repos().Automations.Update(ctx, changed)
}

// describe checks a description.
func (a *Automations) describe(ctx context.Context, by Caller, n NewAutomation) (automation.Automation, error) {
	name, ok := crm.CleanName(n.Name)
	switch {
	case !ok:
		return automation.Automation{}, invalid("name", fmt.Sprintf("O nome da automação tem de 1 a %d caracteres.", crm.NameMax))
	case !n.Event.Valid():
		return automation.Automation{}, invalid("event", "O único evento é contact.created.")
	case !n.Action.Valid():
		return automation.Automation{}, invalid("action", "A ação é http, email, move_stage, assign ou add_note.")
	case n.MinAmount < 0:
		return automation.Automation{}, invalid("min-value", "O valor mínimo não é negativo.")
	}
	if err := mayManage(ctx, a.store, by, n.OrgID); err != nil {
		return automation.Automation{}, err
	}
	action, err := a.action(ctx, n)
	if err != nil {
		return automation.Automation{}, err
	}
	conditions, err := a.conditions(ctx, by, n)
	return automation.Automation{OrgID: n.OrgID, Name: name, Event: n.Event, Conditions: conditions, Action: action}, err
}

func (a *Automations) conditions(ctx context.Context, by Caller, n NewAutomation) (automation.Conditions, error) {
	c := automation.Conditions{WebhookID: n.WebhookID, MinAmount: n.MinAmount}
	var err error
	if c.OriginID, err = originNamed(ctx, a.store.Repos(), n.OrgID, n.Origin); err != nil {
		return c, err
	}
	if n.WebhookID != "" {
		hook, _, err := findWebhook(ctx, a.store.Repos(), by, n.WebhookID)
		if err == nil && hook.OrgID != n.OrgID {
			err = missing("webhook", "Não há webhook com este id.")
		}
		return c, err
	}
	return c, nil
}

// action checks what an action needs, and that it was given nothing else.
func (a *Automations) action(ctx context.Context, n NewAutomation) (automation.Action, error) {
	given := map[string]string{"url": n.URL, "to": n.To, "subject": n.Subject, "text": n.Text, "stage": n.Stage, "member": n.Member}
	needed := map[automation.ActionKind][]string{
		automation.HTTP: {"url"}, automation.Email: {"to", "subject", "text"}, automation.MoveStage: {"stage"}, automation.Assign: {"member"},
		automation.AddNote: {"text"},
	}[n.Action]
	for _, field := range needed {
		if strings.TrimSpace(given[field]) == "" {
			return automation.Action{}, invalid(field, fmt.Sprintf("A ação %s precisa de --%s.", n.Action, strings.Join(needed, " e --")))
		}
		delete(given, field)
	}
	for _, field := range []string{"url", "to", "subject", "text", "stage", "member"} {
		if given[field] != "" {
			return automation.Action{}, invalid(field, fmt.Sprintf("A ação %s não usa --%s.", n.Action, field))
		}
	}
	if len(n.Text) > textMax || len(n.Subject) > textMax {
		return automation.Action{}, invalid("text", fmt.Sprintf("O texto tem até %d caracteres.", textMax))
	}
	made := automation.Action{Kind: n.Action, URL: n.URL, To: n.To, Subject: n.Subject, Text: n.Text}
	var err error
	switch n.Action {
	case automation.HTTP:
		made.Secret, err = newSigningSecret(), checkTarget(n.URL)
	case automation.Email:
		made.To, err = recipient(n.To)
	case automation.MoveStage:
		made.StageID, err = a.stageNamed(ctx, n.OrgID, n.Stage)
	case automation.Assign:
		made.MemberID, err = a.memberNamed(ctx, n.OrgID, n.Member)
	}
	return made, err
}

// newSigningSecret makes a secret of Standard Webhooks.
func newSigningSecret() string {
	key := make([]byte, 24)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}

// checkTarget refuses what cannot be called. Whether the address behind the name is
// allowed is seen at each call, because names change.
func checkTarget(target string) error {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || len(target) > 2000 {
		return invalid("url", "O endereço é um http:// ou https:// completo, sem usuário e senha nele.")
	}
	return nil
}

func recipient(to string) (string, error) {
	to = strings.TrimSpace(to)
	if to == automation.ToContact || to == automation.ToAssignee {
		return to, nil
	}
	address, err := document.Normalize(document.Email, to)
	if err != nil {
		return "", invalid("to", "O destinatário é um endereço de e-mail, contact (o contato) ou assignee (o responsável).")
	}
	return address.Value(), nil
}

func (a *Automations) stageNamed(ctx context.Context, orgID, name string) (string, error) {
	funnels, err := a.store.Repos().Funnels.List(ctx, orgID)
	if err != nil {
		return "", err
	}
	var known []string
	for _, f := range funnels {
		for _, s := range f.Stages {
			if s.ID == name || text.Fold(s.Name) == text.Fold(name) {
				return s.ID, nil
			}
			known = append(known, s.Name)
		}
	}
	return "", invalid("stage", "Não há etapa com este nome. As etapas são: "+strings.Join(known, ", ")+".")
}

func (a *Automations) memberNamed(ctx context.Context, orgID, text string) (string, error) {
	if validID(text) {
		m, err := findMember(ctx, a.store, orgID, text)
		return m.ID, err
	}
	all, err := a.store.Repos().Members.List(ctx, orgID)
	if err != nil {
		return "", err
	}
	for _, m := range all {
		if strings.EqualFold(m.Email, strings.TrimSpace(text)) {
			return m.ID, nil
		}
	}
	return "", invalid("member", "Não há membro com este id ou e-mail nesta organização.")
}

// List returns the automations of an organisation, oldest first. Faults:
// InvalidRequest, ServiceUnavailable.
func (a *Automations) List(ctx context.Context, by Caller, orgID string) ([]automation.Automation, error) {
	if err := mayManage(ctx, a.store, by, orgID); err != nil {
		return nil, err
	}
	return a.store.Repos().Automations.List(ctx, orgID)
}

// SetEnabled switches an automation on or off. Faults: InvalidRequest,
// ServiceUnavailable.
func (a *Automations) SetEnabled(ctx context.Context, by Caller, id string, enabled bool) error {
	if _, err := a.Find(ctx, by, id); err != nil {
		return err
	}
	return a.store.Repos().Automations.SetEnabled(ctx, id, enabled)
}

// Find returns one automation. Faults: InvalidRequest, ServiceUnavailable.
func (a *Automations) Find(ctx context.Context, by Caller, id string) (automation.Automation, error) {
	notFound := missing("automation", "Não há automação com este id.")
	if !validID(id) {
		return automation.Automation{}, notFound
	}
	found, err := a.store.Repos().Automations.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !by.sees(found.OrgID) {
		return automation.Automation{}, notFound
	}
	if err == nil {
		err = by.manages(found.OrgID)
	}
	return found, err
}

// Runs returns the runs of automations and the e-mails of an organisation, newest
// first. Faults: InvalidRequest, ServiceUnavailable.
func (a *Automations) Runs(ctx context.Context, by Caller, orgID string, f ports.JobFilter, after string, limit int) ([]automation.Job, error) {
	if err := checkPage(after, limit); err != nil {
		return nil, err
	}
	if f.AutomationID != "" && !validID(f.AutomationID) || f.ContactID != "" && !validID(f.ContactID) {
		return nil, invalid("automation", "Automação e contato são ids.")
	}
	if err := mayManage(ctx, a.store, by, orgID); err != nil {
		return nil, err
	}
	return a.store.Repos().Jobs.Page(ctx, orgID, f, after, limit)
}

// RunAgain runs an ended run once more: a dead one goes on under its own id, so that
// its receiver knows it again; of one that succeeded a new run is made. It returns
// the id of the run. Faults: InvalidRequest, ServiceUnavailable.
func (a *Automations) RunAgain(ctx context.Context, by Caller, id string) (string, error) {
	notFound := missing("run", "Não há execução com este id; as que deram certo são guardadas por 30 dias.")
	if !validID(id) {
		return "", notFound
	}
	jobs := a.store.Repos().Jobs
	job, err := jobs.Find(ctx, id)
	switch {
	case errors.Is(err, ports.ErrNotFound), err == nil && (job.Kind == automation.FanOut || !by.sees(job.OrgID)):
		return "", notFound
	case err != nil:
		return "", err
	}
	if err := by.manages(job.OrgID); err != nil {
		return "", err
	}
	switch job.State {
	case automation.Ready:
		return "", invalid("run", "Esta execução ainda não terminou: ela será tentada de novo sozinha.")
	case automation.Dead:
		_, err := jobs.Revive(ctx, id, a.clock())
		return id, err
	}
	again := automation.Job{
		ID: newID(), OrgID: job.OrgID, Kind: job.Kind, ContactID: job.ContactID, AutomationID: job.AutomationID, MemberID: job.MemberID,
		State: automation.Ready, RunAt: a.clock(), CreatedAt: a.clock(),
	}
	return again.ID, jobs.Add(ctx, again)
}
