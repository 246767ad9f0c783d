package automations

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/intake/names"
	"fichario/ports"
)

// checkGround refuses a destination that tells a platform of persons without a consent or a basis, or with both, and
// either of them for any other action. Whether the purpose is in force is for checkTold.
func checkGround(n NewAutomation, d automation.Destination) error {
	switch g := n.Ground; {
	case !d.Consent && g != (automation.Ground{}):
		return app.Invalid("consent", "Só um destino que conta etapas a uma plataforma usa consentimento ou base legal; "+
			"este não: tire os dois.")
	case !d.Consent:
	case g.Consent != "" && g.Basis != "":
		return app.Invalid("basis", "Escolha um só: o campo do formulário em que a pessoa consente, ou a finalidade que tem a "+
			"base legal. Tire um dos dois.")
	case g == (automation.Ground{}):
		return app.Invalid("consent", "Este destino recebe dados da pessoa, e precisa do consentimento dela ou de outra base "+
			"legal. Diga com --consent o campo do formulário em que ela consente, como --consent aceite_ofertas, ou com "+
			"--basis o código de uma finalidade, que fica no registro das operações (fichario purpose add faz uma).")
	case g.Consent != "" && names.Of(g.Consent) == "":
		return app.Invalid("consent", "O consentimento é o nome ou o título de um campo do formulário.")
	}
	return nil
}

// checkTold is checkGround, with what else such a destination needs.
func checkTold(ctx context.Context, r ports.Repos, n NewAutomation, d automation.Destination) error {
	if err := checkGround(n, d); err != nil || !d.Consent {
		return err
	}
	if !n.Event.OfStage() {
		return errNotOfStage()
	}
	if n.Ground.Basis == "" {
		return nil
	}
	all, err := r.Purposes.List(ctx, n.OrgID)
	why := notGround(all, n.Ground.Basis)
	switch {
	case err != nil || why == "":
		return err
	case why == byConsent:
		return app.Invalid("basis", "Esta finalidade "+why+": diga com --consent o campo do formulário em que a pessoa consente.")
	}
	var codes []string
	for _, p := range all {
		if notGround(all, p.Code) == "" {
			codes = append(codes, p.Code)
		}
	}
	message := "Não há finalidade em vigor com este código. Um titular faz uma em Privacidade → Finalidades, ou com " +
		"fichario purpose add."
	if len(codes) > 0 {
		message += " As que há são: " + strings.Join(codes, ", ") + "."
	}
	return app.Invalid("basis", message)
}

func errNotOfStage() error {
	return app.Invalid("event", "Este destino conta etapas: o evento é contact.moved, ou contact.created para a primeira.")
}

// notGround says in Portuguese why the purpose with a code does not allow that a platform is told of everybody; empty
// where it does.
func notGround(all []crm.Purpose, code string) string {
	i := slices.IndexFunc(all, func(p crm.Purpose) bool { return p.Code == code && p.InForce() })
	switch {
	case i < 0:
		return "não está em vigor"
	case all[i].Basis == crm.ConsentBasis:
		return byConsent
	}
	return ""
}

const byConsent = "tem como base legal o consentimento de cada pessoa"

// tellStage makes an attempt to tell a platform of a stage, if something allows it. What allows it is read, and what
// is sent is written, before it is sent, with the contact locked: an erasure either finds it, and names the platform
// in its receipt, or keeps it from being sent.
func (j *Jobs) tellStage(ctx context.Context, u run, call ports.Call) (outcome, error) {
	if !u.about.Name.OfStage() {
		return outcome{}, &ports.SendError{
			Reason: "este destino só conta etapas; descreva a automação de novo", Permanent: true,
		}
	}
	shown, err := j.Destinations.Show(ctx, call)
	if err != nil {
		return outcome{}, err
	}
	var why string
	if shown.Method != "" {
		told := automation.Told{
			RunID: u.job.ID, OrgID: u.job.OrgID, ContactID: u.contact.ID, Destination: u.rule.Action.Destination,
			Ground: u.rule.Action.Ground, Body: cmp.Or(shown.Body, shown.Address), At: j.Clock(),
		}
		err = j.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			c, err := r.Contacts.Lock(ctx, told.OrgID, told.ContactID)
			if err != nil {
				return err
			}
			if why, err = withheld(ctx, r, c, told.Ground); err != nil || why != "" {
				return err
			}
			return r.Told.Add(ctx, told)
		})
		if errors.Is(err, ports.ErrNotFound) {
			return outcome{}, &ports.SendError{Reason: "o contato foi excluído ou unido a outro agora"}
		}
		if err != nil || why != "" {
			return outcome{result: why}, err
		}
	}
	result, err := j.Dispatcher.Send(ctx, call)
	return outcome{result: result, change: func(ctx context.Context, r ports.Repos) error {
		return r.Told.Answered(ctx, u.job.OrgID, u.job.ID, j.Clock())
	}}, err
}

// withheld says in Portuguese why a platform is not told of a contact; empty where it may be.
func withheld(ctx context.Context, r ports.Repos, c crm.Contact, g automation.Ground) (string, error) {
	if g.Consent != "" {
		given, err := consents(ctx, r, c, g.Consent)
		if err != nil || given {
			return "", err
		}
		return automation.Withheld + "sem consentimento no campo " + g.Consent, nil
	}
	all, err := r.Purposes.List(ctx, c.OrgID)
	if why := notGround(all, g.Basis); err == nil && why != "" {
		err = &ports.SendError{Reason: automation.Withheld + "a finalidade " + g.Basis + " " + why, Permanent: true}
	}
	return "", err
}

// consents reports whether a contact consents by a field of a form, and its person has not withdrawn that since by
// another one.
func consents(ctx context.Context, r ports.Repos, c crm.Contact, field string) (bool, error) {
	if c.Unreadable {
		return false, errConsents
	}
	own := app.Said([]crm.Contact{c}, field)
	if !own.Given {
		return false, nil
	}
	alike, err := r.ContactSearch.Alike(ctx, c, app.SameMost)
	// Of those beyond the most, none may have come after the consent.
	if err != nil || len(alike) == app.SameMost && alike[app.SameMost-1].CreatedAt.After(own.At) {
		return false, err
	}
	others, err := app.SamePeople(ctx, r, c, alike)
	if err != nil {
		return false, err
	}
	for _, other := range others {
		if other.Unreadable {
			return false, errConsents
		}
	}
	return app.Said(append(others, c), field).Given, nil
}

// errConsents keeps a platform from being told where nobody can tell what was consented.
var errConsents = &ports.SendError{
	Reason: automation.Withheld + "o que a pessoa consentiu está ilegível", Permanent: true,
}
