package team

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fichario/adapters/shape"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/fault"
)

// cameBy is the network of the request's client.
func cameBy(c *web.Call) string { return shape.ClientNetwork(c.Request, c.Server.TrustedProxies) }

// entryCookie holds the ticket of a sign-in that awaits its second factor.
const entryCookie = "entrada"

func waiting(c *web.Call) string {
	cookie, err := c.Cookie(entryCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// entered gives the browser a new session, and redirects to the page that was asked for. The browser's previous session
// ends: nobody would notice that it lives on.
func entered(c *web.Call, token access.SessionToken, after string) error {
	if err := endPresent(c); err != nil {
		return err
	}
	c.SetCookie(entryCookie, "", -time.Second)
	c.SetCookie(c.SessionCookie(), token.Reveal(), access.SessionMax)
	return c.Redirect(web.Local(after))
}

// toFactor redirects to the second factor, after a correct password.
func toFactor(c *web.Call, need *team.FactorNeeded, after string) error {
	c.SetCookie(entryCookie, need.Ticket.Reveal(), access.FactorFor)
	return c.Redirect("/entrar/codigo?" + url.Values{"depois": {web.Local(after)}}.Encode())
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

func (s pages) codePage(c *web.Call, f codeFields) error {
	return s.codeForm(c, http.StatusOK, codePageData{After: f.After})
}

func (s pages) codeForm(c *web.Call, status int, data codePageData) (err error) {
	if data.Codes, data.Passkeys, err = s.Factors.Waiting(c.Ctx(), waiting(c)); err != nil {
		return s.entryOver(c, err, data.After)
	}
	return c.RenderStatus(status, "codigo", web.Page{Title: "Segundo fator", Data: data})
}

// entryOver redirects to the password where the sign-in is no longer pending.
func (s pages) entryOver(c *web.Call, err error, after string) error {
	if f := app.FaultOf(err); f == nil || f.Field != "ticket" {
		return err
	}
	c.SetCookie(entryCookie, "", -time.Second)
	return c.RenderStatus(http.StatusUnauthorized, "entrar", web.Page{Title: "Entrar", Data: web.SignInPage{
		After: after, Problem: app.FaultOf(err).Message, What: "A entrada não terminou.",
	}})
}

func (s pages) codeShown(c *web.Call, f codeFields) error {
	token, err := s.Factors.Prove(c.Ctx(), cameBy(c), waiting(c), f.Code)
	return s.shown(c, token, err, f.After)
}

// shown answers a form of the second factor.
func (s pages) shown(c *web.Call, token access.SessionToken, err error, after string) error {
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
func retryAfter(c *web.Call, why *fault.Error) {
	if why.RetryAfter > 0 {
		c.Writer.Header().Set("Retry-After", strconv.Itoa(int((why.RetryAfter+time.Second-1)/time.Second)))
	}
}

// passkeyFields are what the browser returns for a passkey.
type passkeyFields struct {
	Ticket string      `form:"bilhete"`
	Answer web.AsTyped `form:"resposta"`
	After  string      `form:"depois"`
	// Alone says that the passkey replaces the password.
	Alone bool `form:"so"`
}

// waitingFor is the pending sign-in that a passkey completes; empty where the passkey replaces the password.
func waitingFor(c *web.Call, alone bool) string {
	if alone {
		return ""
	}
	return waiting(c)
}

// passkeyBegin sends the challenge to script.
func (s pages) passkeyBegin(c *web.Call, f passkeyFields) error {
	if !f.Alone && waiting(c) == "" {
		return web.ErrNowhere
	}
	challenge, err := s.Factors.BeginPasskeyUse(c.Ctx(), cameBy(c), waitingFor(c, f.Alone))
	if err != nil {
		if why := app.FaultOf(err); why != nil {
			retryAfter(c, why)
		}
		return err
	}
	return offer(c, challenge)
}

// offer writes a challenge as JSON.
func offer(c *web.Call, challenge team.Challenge) error {
	c.Writer.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(c.Writer).Encode(map[string]any{
		"bilhete": challenge.Ticket.Reveal(), "opcoes": json.RawMessage(challenge.Options),
	})
}

func (s pages) passkeyUsed(c *web.Call, f passkeyFields) error {
	if !f.Alone && waiting(c) == "" {
		return web.ErrNowhere
	}
	token, err := s.Factors.UsePasskey(c.Ctx(), cameBy(c), waitingFor(c, f.Alone), f.Ticket, []byte(f.Answer))
	if why := app.FaultOf(err); f.Alone && why != nil && app.IsRefusal(err) {
		retryAfter(c, why)
		return c.RenderStatus(http.StatusUnauthorized, "entrar", web.Page{Title: "Entrar", Data: web.SignInPage{
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

func (s pages) forgotPage(c *web.Call) error {
	return c.Render("esqueci", web.Page{Title: "Esqueci a senha", Data: forgotData{}})
}

func (s pages) forgot(c *web.Call, f struct {
	Email string `form:"email"`
}) error {
	err := s.Links.Forgot(c.Ctx(), cameBy(c), f.Email)
	if why := app.FaultOf(err); why != nil && app.IsRefusal(err) {
		retryAfter(c, why)
		return c.RenderStatus(http.StatusUnauthorized, "esqueci", web.Page{Title: "Esqueci a senha", Data: forgotData{
			Email: f.Email, Problem: why.Message,
		}})
	}
	if err != nil {
		return err
	}
	return c.Render("esqueci", web.Page{Title: "Esqueci a senha", Data: forgotData{Sent: true}})
}

// linkData is the page behind a link sent by e-mail.
type linkData struct {
	team.LinkView
	web.Form
	// Over says why the link is not valid.
	Over string
}

func (s pages) linkPage(c *web.Call) error { return s.linkForm(c, http.StatusOK, web.Form{}) }

func (s pages) linkForm(c *web.Call, status int, shown web.Form) error {
	view, err := s.Links.Open(c.Ctx(), cameBy(c), c.PathValue("token"))
	if why := app.FaultOf(err); why != nil && web.IsUnauthenticated(err) {
		retryAfter(c, why)
		return c.RenderStatus(http.StatusUnauthorized, "link", web.Page{Title: "Escolher a senha", Data: linkData{
			Over: why.Message,
		}})
	}
	if err != nil {
		return err
	}
	return c.RenderStatus(status, "link", web.Page{Title: "Escolher a senha", Data: linkData{LinkView: view, Form: shown}})
}

type linkFields struct {
	Password web.AsTyped `form:"senha" app:"password"`
}

func (s pages) linkUsed(c *web.Call, f linkFields) error {
	err := s.Links.Use(c.Ctx(), cameBy(c), c.PathValue("token"), string(f.Password))
	if shown, ok := c.Again(&f, err); ok {
		return s.linkForm(c, http.StatusUnprocessableEntity, shown)
	}
	if web.IsUnauthenticated(err) {
		return s.linkForm(c, http.StatusUnauthorized, web.Form{})
	}
	if err != nil {
		return err
	}
	return c.Done("/entrar", "Senha guardada. Entre com ela.")
}

// factorNeeded returns the second factor that a sign-in awaits; nil where it awaits none.
func factorNeeded(err error) *team.FactorNeeded {
	var need *team.FactorNeeded
	_ = errors.As(err, &need)
	return need
}
