package automations

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/text"
	"fichario/ports"
)

// describe checks the description of an automation by a caller who may manage its organisation, which the transaction
// has locked.
func (a *Automations) describe(
	ctx context.Context, r ports.Repos, by app.Caller, n NewAutomation,
) (automation.Automation, error) {
	if n.Event == "" {
		if n.Event = automation.ContactCreated; n.Ground != (automation.Ground{}) {
			n.Event = automation.ContactMoved
		}
	}
	name, ok := crm.CleanName(n.Name)
	switch {
	case !ok:
		return automation.Automation{}, app.Invalid("name", fmt.Sprintf(
			"O nome da automação tem de 1 a %d caracteres.", crm.NameMax))
	case !n.Event.Valid():
		return automation.Automation{}, app.Invalid("event", "Os eventos são "+eventNames()+".")
	case !n.Action.Valid():
		return automation.Automation{},
			app.Invalid("action", "A ação deve ser http, email, move_stage, assign, add_note ou lookup.")
	case n.MinAmount < 0:
		return automation.Automation{}, app.Invalid("minValue", "O valor mínimo não pode ser negativo.")
	}
	var action automation.Action
	if !n.KeepAction {
		var err error
		if action, err = a.action(ctx, r, n); err != nil {
			return automation.Automation{}, err
		}
	}
	conditions, err := a.conditions(ctx, r, by, n)
	return automation.Automation{OrgID: n.OrgID, Name: name, Event: n.Event, Conditions: conditions, Action: action}, err
}

func eventNames() string {
	var names []string
	for _, e := range automation.Events() {
		names = append(names, string(e))
	}
	return strings.Join(names, ", ")
}

func (a *Automations) conditions(
	ctx context.Context, r ports.Repos, by app.Caller, n NewAutomation,
) (automation.Conditions, error) {
	c := automation.Conditions{WebhookID: n.WebhookID, MinAmount: n.MinAmount, When: strings.TrimSpace(n.When)}
	if n.When != "" { // blanks alone would be no condition, which nobody means who writes one
		if err := a.means.Conditions.Check(n.When); err != nil {
			return c, app.Invalid("when", "Confira a condição: "+err.Error()+".")
		}
	}
	if !n.Event.OfContact() {
		for _, given := range []struct {
			field string
			is    bool
		}{{"origin", n.Origin != ""}, {"webhook", n.WebhookID != ""}, {"minValue", n.MinAmount != 0}} {
			if given.is {
				return c, app.Invalid(given.field,
					"Este evento não tem contato, e a condição nunca seria atendida: remova-a, ou escolha outro evento.")
			}
		}
	}
	var err error
	if c.OriginID, err = contacts.OriginNamed(ctx, r, n.OrgID, n.Origin); err != nil {
		return c, err
	}
	if n.WebhookID != "" {
		hook, err := app.HookKind.Managed(ctx, r, by, n.WebhookID)
		if err == nil && hook.OrgID != n.OrgID {
			err = app.Missing("webhook", "Não há webhook com este id.")
		}
		return c, err
	}
	return c, nil
}

// actionFields are the fields that each kind of action needs.
var actionFields = map[automation.ActionKind][]string{
	automation.HTTP: {"url"}, automation.Email: {"to", "subject", "text"}, automation.MoveStage: {"stage"},
	automation.Assign: {"member"}, automation.AddNote: {"text"}, automation.Lookup: {"product"},
}

// action checks that an action has what it needs, and nothing else.
func (a *Automations) action(ctx context.Context, r ports.Repos, n NewAutomation) (automation.Action, error) {
	if err := onlyItsFields(n); err != nil {
		return automation.Action{}, err
	}
	if max(utf8.RuneCountInString(n.Text), utf8.RuneCountInString(n.Subject)) > crm.TextMax {
		return automation.Action{}, app.Invalid("text", fmt.Sprintf("O texto pode ter até %d caracteres.", crm.TextMax))
	}
	made := automation.Action{Kind: n.Action, URL: n.URL, To: n.To, Subject: n.Subject, Text: n.Text}
	var err error
	switch n.Action {
	case automation.HTTP:
		made, err = a.request(ctx, r, made, n)
	case automation.Email:
		if !a.means.Mails {
			return made,
				app.Invalid("action", app.NoMailer+" Configure FICHARIO_SMTP_URL, no serviço e nos comandos, e tente de novo.")
		}
		made.To, err = recipient(n.To)
	case automation.MoveStage:
		made.StageID, err = stageNamed(ctx, r, n.OrgID, n.Stage)
	case automation.Assign:
		if rotation, ok := strings.CutPrefix(n.Member, RotationPrefix); ok {
			made.RotationID, err = contacts.RotationNamed(ctx, r, n.OrgID, rotation)
		} else {
			made.MemberID, err = memberNamed(ctx, r, n.OrgID, n.Member)
		}
	case automation.AddNote:
	case automation.Lookup:
		made.Product, made.MaxAge, made.Ceiling = n.Product, n.MaxAge, n.Ceiling
		if err = a.checkLookup(n); err == nil {
			made.Purpose, err = actionPurpose(ctx, r, n.OrgID, n.Purpose)
		}
	}
	if err == nil && !n.Event.OfContact() && needsContact(made) {
		err = app.Invalid("event",
			"Este evento não tem contato, e esta ação precisa de um: escolha outro evento, ou outra ação.")
	}
	return made, err
}

// maxAgeMost is the greatest maximum age that a lookup action may set, in days.
const maxAgeMost = 30

func (a *Automations) checkLookup(n NewAutomation) error {
	product, ok := a.means.Catalog.Find(n.Product)
	switch {
	case !ok:
		return app.Invalid("product", "Este produto não é oferecido pelo bureau.")
	case !product.Takes(document.CPF) && !product.Takes(document.CNPJ):
		return app.Invalid("product", "Este produto não consulta CPF nem CNPJ.")
	case needs(product) != "":
		return app.Invalid("product", "Este produto precisa de "+needs(product)+", que uma automação não tem.")
	case n.Ceiling <= 0:
		return app.Invalid("monthlyCeiling", "A ação lookup precisa de um teto mensal em reais, maior que zero.")
	case n.MaxAge != nil && (*n.MaxAge < 0 || *n.MaxAge > maxAgeMost):
		return app.Invalid("maxAge", fmt.Sprintf("A idade máxima vai de 0 a %d dias.", maxAgeMost))
	case !n.Event.OfContact():
		return app.Invalid("event", "Este evento não tem contato cujos documentos possam ser consultados.")
	}
	return nil
}

// needs is what people call the first input that a product cannot do without; empty if it needs the document alone.
// Automations have no inputs to send.
func needs(product catalog.Product) string {
	for _, in := range product.Inputs {
		if in.Required {
			return in.Called()
		}
	}
	return ""
}

func onlyItsFields(n NewAutomation) error {
	if err := n.misplaced(); err != nil {
		return err
	}
	needed := actionFields[n.Action]
	if n.Destination != "" {
		needed = nil
	}
	for _, given := range []struct{ field, text string }{
		{"url", n.URL}, {"to", n.To}, {"subject", n.Subject}, {"text", n.Text}, {"stage", n.Stage}, {"member", n.Member},
		{"product", n.Product},
	} {
		switch isNeeded := slices.Contains(needed, given.field); {
		case isNeeded && strings.TrimSpace(given.text) == "":
			message := fmt.Sprintf("A ação %s precisa de %s.", n.Action, strings.Join(needed, ", "))
			return app.Invalid(given.field, message)
		case !isNeeded && given.text != "":
			return app.Invalid(given.field, fmt.Sprintf("A ação %s não usa %s.", n.Action, given.field))
		}
	}
	if n.Action != automation.Lookup && n.Purpose != "" {
		return app.Invalid("purpose", fmt.Sprintf("A ação %s não usa finalidade.", n.Action))
	}
	if n.Action != automation.Lookup && (n.Ceiling != 0 || n.MaxAge != nil) {
		return app.Invalid("monthlyCeiling", fmt.Sprintf("A ação %s não usa teto nem idade máxima.", n.Action))
	}
	return nil
}

// newSigningSecret makes a secret for Standard Webhooks.
func newSigningSecret() string {
	key := make([]byte, 24)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}

// checkTarget refuses an address that cannot be called. Whether the address behind the name is allowed is checked at
// each call, because names change.
func checkTarget(target string) error {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		len(target) > 2000 {
		return app.Invalid("url", "O endereço deve ser um http:// ou https:// completo, sem usuário e senha.")
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
		return "",
			app.Invalid("to", "O destinatário deve ser um endereço de e-mail, contact (o contato) ou assignee (o responsável).")
	}
	return address.Value(), nil
}

func stageNamed(ctx context.Context, r ports.Repos, orgID, name string) (string, error) {
	funnels, err := r.Funnels.List(ctx, orgID)
	if err != nil {
		return "", err
	}
	var names []string
	for _, f := range funnels {
		for _, s := range f.Stages {
			if s.ID == name || text.Fold(s.Name) == text.Fold(name) {
				return s.ID, nil
			}
			names = append(names, s.Name)
		}
	}
	return "", app.Invalid("stage", "Não há etapa com este nome. As etapas são: "+strings.Join(names, ", ")+".")
}

// RotationPrefix marks the name or id of a rotation in place of a member of assign.
const RotationPrefix = "rodizio:"

func memberNamed(ctx context.Context, r ports.Repos, orgID, text string) (string, error) {
	if app.ValidID(text) {
		m, err := app.MemberOf(ctx, r, orgID, text)
		return m.ID, err
	}
	m, err := r.Members.ByEmail(ctx, strings.ToLower(strings.TrimSpace(text)))
	if errors.Is(err, ports.ErrNotFound) || err == nil && m.OrgID != orgID {
		return "", app.Invalid("member", "Não há membro com este id ou e-mail nesta organização.")
	}
	return m.ID, err
}
