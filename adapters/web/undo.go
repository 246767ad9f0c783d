package web

import (
	"net/url"
	"strings"
	"time"
)

// Undo is a form with one field that reverts a change.
type Undo struct{ Action, Name, Value string }

// undoCookie carries it over the redirect, beside the notice.
const undoCookie = "desfazer"

// DoneWithUndo is done with a button beside the notice.
func (c *Call) DoneWithUndo(target, notice string, u Undo) error {
	all := url.Values{"para": {u.Action}, "nome": {u.Name}, "valor": {u.Value}}
	c.SetCookie(undoCookie, url.QueryEscape(all.Encode()), time.Minute)
	return c.Done(target, notice)
}

func (c *Call) takeUndo() *Undo {
	cookie, err := c.Cookie(undoCookie)
	if err != nil || cookie.Value == "" {
		return nil
	}
	c.SetCookie(undoCookie, "", -time.Second)
	text, _ := url.QueryUnescape(cookie.Value)
	kept, _ := url.ParseQuery(text)
	u := Undo{kept.Get("para"), kept.Get("nome"), kept.Get("valor")}
	if !strings.HasPrefix(u.Action, "/contatos/") && !strings.HasPrefix(u.Action, "/acoes/") || u.Value == "" {
		return nil
	}
	return &u
}
