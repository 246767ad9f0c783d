package web

import (
	"net/url"
	"strings"
	"time"
)

// undo is a form with one field that reverts a change.
type undo struct{ Action, Name, Value string }

// undoCookie carries it over the redirect, beside the notice.
const undoCookie = "desfazer"

// doneWithUndo is done with a button beside the notice.
func (c *call) doneWithUndo(target, notice string, u undo) error {
	all := url.Values{"para": {u.Action}, "nome": {u.Name}, "valor": {u.Value}}
	c.setCookie(undoCookie, url.QueryEscape(all.Encode()), time.Minute)
	return c.done(target, notice)
}

func (c *call) takeUndo() *undo {
	cookie, err := c.Cookie(undoCookie)
	if err != nil || cookie.Value == "" {
		return nil
	}
	c.setCookie(undoCookie, "", -time.Second)
	text, _ := url.QueryUnescape(cookie.Value)
	kept, _ := url.ParseQuery(text)
	u := undo{kept.Get("para"), kept.Get("nome"), kept.Get("valor")}
	if !strings.HasPrefix(u.Action, "/contatos/") || u.Value == "" {
		return nil
	}
	return &u
}
