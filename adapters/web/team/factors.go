package team

import (
	"cmp"
	"net/http"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/crm"
)

// sessionText is the cookie of the current session, which only its own browser sends.
func sessionText(c *web.Call) string {
	cookie, err := c.Cookie(c.SessionCookie())
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (s pages) sessionList(c *web.Call) error {
	all, err := s.Sessions.List(c.Ctx(), c.By, sessionText(c))
	if err != nil {
		return err
	}
	return c.Render("acessos", web.Page{Title: "Seus acessos", Nav: "conta", Data: all})
}

func (s pages) sessionEnd(c *web.Call) error {
	if err := s.Sessions.End(c.Ctx(), c.By, c.PathValue("id")); err != nil {
		return err
	}
	return c.Done("/conta/acessos", "Acesso encerrado.")
}

func (s pages) sessionsEnd(c *web.Call) error {
	if err := s.Sessions.EndOthers(c.Ctx(), c.By, sessionText(c)); err != nil {
		return err
	}
	return c.Done("/conta/acessos", "Os outros acessos foram encerrados.")
}

// factorData is the page of the second factor.
type factorData struct {
	team.FactorView
	web.Form
	// Picture is the QR code of the secret for an authenticator app, Spaced the same secret for typing.
	Picture, Spaced string
	// Owner says that the member may require second factors; Needed that the member must have one, and has none.
	Owner, Needed bool
	// Key is whether the form that comes back is that of a passkey, which says itself what is wrong.
	Key bool
}

func (s pages) factorShow(c *web.Call) error {
	return s.factorPage(c, http.StatusOK, web.Form{Values: map[string]string{}}, "")
}

// factorPage shows the page, or instead its question ask. A problem of no field that it shows is said at its top.
func (s pages) factorPage(c *web.Call, status int, shown web.Form, ask string) (err error) {
	data := factorData{Form: shown, Owner: c.Member.Role == crm.Owner, Needed: c.Member.NeedsFactor}
	if data.FactorView, err = s.Factors.View(c.Ctx(), c.By); err != nil {
		return err
	}
	_, data.Key = data.Values["nome"]
	data.Key = data.Key && s.Factors.TakesPasskeys()
	fields := map[string]bool{"nome": data.Key, "atual": data.Key || data.Secret != "",
		"codigo": ask != "" || data.Secret != ""}
	if !fields[data.Field] {
		data.Field = ""
	}
	if !data.Key {
		data.Values["nome"] = cmp.Or(access.Device(c.UserAgent()), "Este aparelho")
	}
	if data.Secret != "" {
		if data.Picture, err = s.CodePicture(data.Secret, c.Member.Email); err != nil {
			return err
		}
		for i := 0; i < len(data.Secret); i += 4 {
			data.Spaced += data.Secret[i:min(i+4, len(data.Secret))] + " "
		}
	}
	page := web.Page{Title: "Segundo fator", Nav: "conta", Data: data, Ask: ask}
	return c.RenderStatus(status, "segundo-fator", page)
}

// factorDone answers a form of the page, or of its question ask: with recovery codes, a notice, or a fault.
func (s pages) factorDone(c *web.Call, f any, ask string, err error, recovery []string, notice string) error {
	if err == nil && recovery != nil {
		return c.Render("codigos", web.Page{Title: "Códigos de recuperação", Nav: "conta", Data: recovery})
	}
	if err == nil {
		return c.Done(web.FactorPath, notice)
	}
	if why := app.FaultOf(err); why != nil && app.IsRefusal(err) {
		retryAfter(c, why)
		shown, _ := c.Again(f, err)
		return s.factorPage(c, http.StatusUnprocessableEntity, shown, ask)
	}
	return err
}

func (s pages) codesBegin(c *web.Call) error {
	if err := s.Factors.BeginCodes(c.Ctx(), c.By); err != nil {
		return err
	}
	return c.Redirect(web.FactorPath + "#codigos")
}

// proofFields are the answer of a passkey, which script puts into a form that asks for a code.
type proofFields struct {
	Ticket string      `form:"prova-bilhete"`
	Answer web.AsTyped `form:"prova-resposta"`
}

// or is the proof of a form: the answer of a passkey, or else what was typed.
func (f proofFields) or(typed string) team.Proof {
	return team.Proof{Code: typed, Ticket: f.Ticket, Answer: []byte(f.Answer)}
}

// ownCode is a form that asks for a code.
type ownCode struct {
	Code string `form:"codigo" app:"code"`
	proofFields
}

// currentFields are what a form asks for that also has other fields of its own.
type currentFields struct {
	Typed web.AsTyped `form:"atual" app:"proof"`
	proofFields
}

func (f currentFields) proof() team.Proof { return f.or(string(f.Typed)) }

// proofBegin sends the challenge of a proof to script.
func (s pages) proofBegin(c *web.Call) error {
	challenge, err := s.Factors.BeginProof(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	return offer(c, challenge)
}

func (s pages) codesConfirm(c *web.Call, f struct {
	Code string `form:"codigo" app:"code"`
	currentFields
}) error {
	recovery, err := s.Factors.ConfirmCodes(c.Ctx(), c.By, f.Code, f.proof())
	return s.factorDone(c, &f, "", err, recovery, "Códigos ligados.")
}

func (s pages) factorOff(c *web.Call, f ownCode) error {
	return s.factorDone(c, &f, "desligar", s.Factors.Off(c.Ctx(), c.By, f.or(f.Code)), nil, "Segundo fator desligado.")
}

func (s pages) recoveryRenew(c *web.Call, f ownCode) error {
	recovery, err := s.Factors.Renew(c.Ctx(), c.By, f.or(f.Code))
	return s.factorDone(c, &f, "refazer", err, recovery, "")
}

func (s pages) factorRequire(c *web.Call, f struct {
	Required bool `form:"exigido" app:"required"`
}) error {
	notice := "O segundo fator deixou de ser exigido."
	if f.Required {
		notice = "O segundo fator é exigido de todos a partir de agora."
	}
	return s.factorDone(c, &f, "", s.Factors.Require(c.Ctx(), c.By, f.Required), nil, notice)
}

// passkeyNew sends the challenge of a new passkey to script or, where it is refused, the page with the form.
func (s pages) passkeyNew(c *web.Call, f struct {
	Name string `form:"nome" app:"name"`
	currentFields
}) error {
	challenge, err := s.Factors.BeginPasskey(c.Ctx(), c.By, f.Name, f.proof())
	if err != nil {
		return s.factorDone(c, &f, "", err, nil, "")
	}
	return offer(c, challenge)
}

func (s pages) passkeyAdd(c *web.Call, f struct {
	Name   string      `form:"nome" app:"name"`
	Ticket string      `form:"bilhete"`
	Answer web.AsTyped `form:"resposta" app:"passkey"`
}) error {
	recovery, err := s.Factors.AddPasskey(c.Ctx(), c.By, f.Ticket, f.Name, []byte(f.Answer))
	return s.factorDone(c, &f, "", err, recovery, "Chave de acesso criada.")
}

func (s pages) passkeyRemove(c *web.Call, f ownCode) error {
	err := s.Factors.RemovePasskey(c.Ctx(), c.By, c.PathValue("id"), f.or(f.Code))
	return s.factorDone(c, &f, "chave-"+c.PathValue("id"), err, nil, "Chave de acesso removida.")
}
