package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fichario/adapters/shape"
	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/fault"
)

// cameBy is the network of the request's client.
func cameBy(c *call) string { return shape.ClientNetwork(c.Request, c.s.TrustedProxies) }

// entryCookie holds the ticket of a sign-in that awaits its second factor.
const entryCookie = "entrada"

func waiting(c *call) string {
	cookie, err := c.Cookie(entryCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// entered gives the browser a new session, and redirects to the page that was asked for. The browser's previous session
// ends: nobody would notice that it lives on.
func entered(c *call, token access.SessionToken, after string) error {
	if err := endPresent(c); err != nil {
		return err
	}
	c.setCookie(entryCookie, "", -time.Second)
	c.setCookie(c.sessionCookie(), token.Reveal(), access.SessionMax)
	return c.redirect(local(after))
}

// toFactor redirects to the second factor, after a correct password.
func toFactor(c *call, need *team.FactorNeeded, after string) error {
	c.setCookie(entryCookie, need.Ticket.Reveal(), access.FactorFor)
	return c.redirect("/entrar/codigo?" + url.Values{"depois": {local(after)}}.Encode())
}

// codePageData is the page of the second factor.
type codePageData struct {
	After           string
	Problem         string
	Codes, Passkeys bool
}

type codeFields struct {
	Code  string `form:"codigo"`
	After string `form:"depois"`
}

func (s *server) codePage(c *call, f codeFields) error {
	return s.codeForm(c, http.StatusOK, codePageData{After: f.After})
}

func (s *server) codeForm(c *call, status int, data codePageData) (err error) {
	if data.Codes, data.Passkeys, err = s.Factors.Waiting(c.ctx(), waiting(c)); err != nil {
		return s.entryOver(c, err, data.After)
	}
	return c.renderStatus(status, "codigo", page{Title: "Segundo fator", Data: data})
}

// entryOver redirects to the password where the sign-in is no longer pending.
func (s *server) entryOver(c *call, err error, after string) error {
	if f := app.FaultOf(err); f == nil || f.Field != "ticket" {
		return err
	}
	c.setCookie(entryCookie, "", -time.Second)
	return c.renderStatus(http.StatusUnauthorized, "entrar", page{Title: "Entrar", Data: signInPage{
		After: after, Problem: app.FaultOf(err).Message, What: "A entrada não terminou.",
	}})
}

func (s *server) codeShown(c *call, f codeFields) error {
	token, err := s.Factors.Prove(c.ctx(), cameBy(c), waiting(c), f.Code)
	return s.shown(c, token, err, f.After)
}

// shown answers a form of the second factor.
func (s *server) shown(c *call, token access.SessionToken, err error, after string) error {
	if err == nil {
		return entered(c, token, after)
	}
	if why := app.FaultOf(err); why != nil && app.IsRefusal(err) && why.Field != "ticket" {
		retryAfter(c, why)
		return s.codeForm(c, http.StatusUnauthorized, codePageData{After: after, Problem: why.Message})
	}
	return s.entryOver(c, err, after)
}

// retryAfter sets the header that says how long to wait.
func retryAfter(c *call, why *fault.Error) {
	if why.RetryAfter > 0 {
		c.w.Header().Set("Retry-After", strconv.Itoa(int((why.RetryAfter+time.Second-1)/time.Second)))
	}
}

// passkeyFields are what the browser returns for a passkey.
type passkeyFields struct {
	Ticket string  `form:"bilhete"`
	Answer asTyped `form:"resposta"`
	After  string  `form:"depois"`
	// Alone says that the passkey replaces the password.
	Alone bool `form:"so"`
}

// waitingFor is the pending sign-in that a passkey completes; empty where the passkey replaces the password.
func waitingFor(c *call, alone bool) string {
	if alone {
		return ""
	}
	return waiting(c)
}

// passkeyBegin sends the challenge to script.
func (s *server) passkeyBegin(c *call, f passkeyFields) error {
	if !f.Alone && waiting(c) == "" {
		return errNowhere
	}
	challenge, err := s.Factors.BeginPasskeyUse(c.ctx(), cameBy(c), waitingFor(c, f.Alone))
	if err != nil {
		if why := app.FaultOf(err); why != nil {
			retryAfter(c, why)
		}
		return err
	}
	return offer(c, challenge)
}

// offer writes a challenge as JSON.
func offer(c *call, challenge team.Challenge) error {
	c.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(c.w).Encode(map[string]any{
		"bilhete": challenge.Ticket.Reveal(), "opcoes": json.RawMessage(challenge.Options),
	})
}

func (s *server) passkeyUsed(c *call, f passkeyFields) error {
	if !f.Alone && waiting(c) == "" {
		return errNowhere
	}
	token, err := s.Factors.UsePasskey(c.ctx(), cameBy(c), waitingFor(c, f.Alone), f.Ticket, []byte(f.Answer))
	if why := app.FaultOf(err); f.Alone && why != nil && app.IsRefusal(err) {
		retryAfter(c, why)
		return c.renderStatus(http.StatusUnauthorized, "entrar", page{Title: "Entrar", Data: signInPage{
			After: f.After, Problem: why.Message, What: "Não deu para entrar.",
		}})
	}
	return s.shown(c, token, err, f.After)
}

// forgotData is the page of a forgotten password.
type forgotData struct {
	Sent           bool
	Email, Problem string
}

func (s *server) forgotPage(c *call) error {
	return c.render("esqueci", page{Title: "Esqueci a senha", Data: forgotData{}})
}

func (s *server) forgot(c *call, f struct {
	Email string `form:"email"`
}) error {
	err := s.Links.Forgot(c.ctx(), cameBy(c), f.Email)
	if why := app.FaultOf(err); why != nil && app.IsRefusal(err) {
		retryAfter(c, why)
		return c.renderStatus(http.StatusUnauthorized, "esqueci", page{Title: "Esqueci a senha", Data: forgotData{
			Email: f.Email, Problem: why.Message,
		}})
	}
	if err != nil {
		return err
	}
	return c.render("esqueci", page{Title: "Esqueci a senha", Data: forgotData{Sent: true}})
}

// linkData is the page behind a link sent by e-mail.
type linkData struct {
	team.LinkView
	Form
	// Over says why the link is not valid.
	Over string
}

func (s *server) linkPage(c *call) error { return s.linkForm(c, http.StatusOK, Form{}) }

func (s *server) linkForm(c *call, status int, shown Form) error {
	view, err := s.Links.Open(c.ctx(), cameBy(c), c.PathValue("token"))
	if why := app.FaultOf(err); why != nil && isUnauthenticated(err) {
		retryAfter(c, why)
		return c.renderStatus(http.StatusUnauthorized, "link", page{Title: "Escolher a senha", Data: linkData{
			Over: why.Message,
		}})
	}
	if err != nil {
		return err
	}
	return c.renderStatus(status, "link", page{Title: "Escolher a senha", Data: linkData{LinkView: view, Form: shown}})
}

type linkFields struct {
	Password asTyped `form:"senha" app:"password"`
}

func (s *server) linkUsed(c *call, f linkFields) error {
	err := s.Links.Use(c.ctx(), cameBy(c), c.PathValue("token"), string(f.Password))
	if shown, ok := c.again(&f, err); ok {
		return s.linkForm(c, http.StatusUnprocessableEntity, shown)
	}
	if isUnauthenticated(err) {
		return s.linkForm(c, http.StatusUnauthorized, Form{})
	}
	if err != nil {
		return err
	}
	return c.done("/entrar", "Senha guardada. Entre com ela.")
}

// factorNeeded returns the second factor that a sign-in awaits; nil where it awaits none.
func factorNeeded(err error) *team.FactorNeeded {
	var need *team.FactorNeeded
	_ = errors.As(err, &need)
	return need
}
