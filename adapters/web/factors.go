package web

import (
	"net/http"

	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/crm"
)

// sessionText is the cookie of the current session, which only its own browser sends.
func sessionText(c *call) string {
	cookie, err := c.Cookie(c.sessionCookie())
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (s *server) sessionList(c *call) error {
	all, err := s.Sessions.List(c.ctx(), c.by, sessionText(c))
	if err != nil {
		return err
	}
	return c.render("acessos", page{Title: "Seus acessos", Nav: "conta", Data: all})
}

func (s *server) sessionEnd(c *call) error {
	if err := s.Sessions.End(c.ctx(), c.by, c.PathValue("id")); err != nil {
		return err
	}
	return c.done("/conta/acessos", "Acesso encerrado.")
}

func (s *server) sessionsEnd(c *call) error {
	if err := s.Sessions.EndOthers(c.ctx(), c.by, sessionText(c)); err != nil {
		return err
	}
	return c.done("/conta/acessos", "Os outros acessos foram encerrados.")
}

// factorData is the page of the second factor.
type factorData struct {
	team.FactorView
	Form
	// Picture is the QR code of the secret for an authenticator app, Spaced the same secret for typing.
	Picture, Spaced string
	// Owner says that the member may require second factors; Needed that the member must have one, and has none.
	Owner, Needed bool
	// Device is a suggested name for a passkey of this device.
	Device string
}

func (s *server) factorShow(c *call) error { return s.factorPage(c, http.StatusOK, Form{}) }

func (s *server) factorPage(c *call, status int, shown Form) (err error) {
	data := factorData{
		Form: shown, Owner: c.member.Role == crm.Owner, Needed: c.member.NeedsFactor,
		Device: access.Device(c.UserAgent()),
	}
	if data.FactorView, err = s.Factors.View(c.ctx(), c.by); err != nil {
		return err
	}
	if data.Secret != "" {
		if data.Picture, err = s.CodePicture(data.Secret, c.member.Email); err != nil {
			return err
		}
		for i := 0; i < len(data.Secret); i += 4 {
			data.Spaced += data.Secret[i:min(i+4, len(data.Secret))] + " "
		}
	}
	return c.renderStatus(status, "segundo-fator", page{Title: "Segundo fator", Nav: "conta", Data: data})
}

// factorDone answers a form of the page: with recovery codes, a notice, or a fault.
func (s *server) factorDone(c *call, f any, err error, recovery []string, notice string) error {
	if err == nil && recovery != nil {
		return c.render("codigos", page{Title: "Códigos de recuperação", Nav: "conta", Data: recovery})
	}
	if err == nil {
		return c.done(factorPath, notice)
	}
	if why := app.FaultOf(err); why != nil && app.IsRefusal(err) {
		retryAfter(c, why)
		shown, _ := c.again(f, err)
		return s.factorPage(c, http.StatusUnprocessableEntity, shown)
	}
	return err
}

func (s *server) codesBegin(c *call) error {
	if err := s.Factors.BeginCodes(c.ctx(), c.by); err != nil {
		return err
	}
	return c.redirect(factorPath + "#codigos")
}

// ownCode is a form that asks for a code.
type ownCode struct {
	Code string `form:"codigo" app:"code"`
}

func (s *server) codesConfirm(c *call, f struct {
	Code  string  `form:"codigo" app:"code"`
	Proof asTyped `form:"atual" app:"proof"`
}) error {
	recovery, err := s.Factors.ConfirmCodes(c.ctx(), c.by, f.Code, string(f.Proof))
	return s.factorDone(c, &f, err, recovery, "Códigos ligados.")
}

func (s *server) factorOff(c *call, f ownCode) error {
	return s.factorDone(c, &f, s.Factors.Off(c.ctx(), c.by, f.Code), nil, "Segundo fator desligado.")
}

func (s *server) recoveryRenew(c *call, f ownCode) error {
	recovery, err := s.Factors.Renew(c.ctx(), c.by, f.Code)
	return s.factorDone(c, &f, err, recovery, "")
}

func (s *server) factorRequire(c *call, f struct {
	Required bool `form:"exigido" app:"required"`
}) error {
	notice := "O segundo fator deixou de ser exigido."
	if f.Required {
		notice = "O segundo fator é exigido de todos a partir de agora."
	}
	return s.factorDone(c, &f, s.Factors.Require(c.ctx(), c.by, f.Required), nil, notice)
}

func (s *server) passkeyNew(c *call) error {
	challenge, err := s.Factors.BeginPasskey(c.ctx(), c.by)
	if err != nil {
		return err
	}
	return offer(c, challenge)
}

func (s *server) passkeyAdd(c *call, f struct {
	Name   string  `form:"nome" app:"name"`
	Ticket string  `form:"bilhete"`
	Answer asTyped `form:"resposta" app:"passkey"`
	Proof  asTyped `form:"atual" app:"proof"`
}) error {
	recovery, err := s.Factors.AddPasskey(c.ctx(), c.by, f.Ticket, f.Name, []byte(f.Answer), string(f.Proof))
	return s.factorDone(c, &f, err, recovery, "Chave de acesso criada.")
}

func (s *server) passkeyRemove(c *call, f ownCode) error {
	err := s.Factors.RemovePasskey(c.ctx(), c.by, c.PathValue("id"), f.Code)
	return s.factorDone(c, &f, err, nil, "Chave de acesso removida.")
}
