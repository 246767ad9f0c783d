package lookups

import (
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// keyForm is the form of a new key, or of what can be changed of one.
type keyForm struct {
	web.Form
	// ID is the key's id, so that a form sent twice makes one key.
	ID string
	// Name is that of an existing key.
	Name   string
	Scopes []scopeBox
	Today  string
	// Dearest are the most expensive products, by document type.
	Dearest []dearest
	// Purposes are those that the key can be bound to.
	Purposes []purposeBox
}

type purposeBox struct {
	crm.Purpose
	Checked bool
}

type scopeBox struct {
	Type    document.Type
	Label   string
	Checked bool
}

type dearest struct {
	Label string
	Name  string
	Price catalog.Money
}

// keyFields are what the form asks for.
type keyFields struct {
	ID        string          `form:"id" app:"-"`
	Name      string          `form:"nome" app:"name"`
	Scopes    []document.Type `form:"pode" app:"scopes"`
	Purposes  []string        `form:"finalidades" app:"purposes"`
	From      string          `form:"redes" app:"from"`
	Contacts  bool            `form:"contatos" app:"-"`
	PerMinute *int            `form:"minuto" app:"perMinute" validate:"required,min=0,max=1000000000" says:"Escreva um número, como 60 ou 2.000."`
	PerDay    *int            `form:"dia" app:"perDay" validate:"required,min=0,max=1000000000" says:"Escreva um número, como 60 ou 2.000."`
	PerMonth  *int            `form:"mes" app:"perMonth" validate:"required,min=0,max=1000000000" says:"Escreva um número, como 60 ou 2.000."`
	LastDay   string          `form:"vence" app:"expires" validate:"omitempty,day" says:"Escreva uma data até 9998, como 31/12/2026, ou deixe vazio."`
}

func (s pages) keyNew(c *web.Call) error {
	if err := c.Manager(); err != nil {
		return err
	}
	usual := keyFields{
		ID: lookups.NewKeyID(), Scopes: []document.Type{document.CPF}, PerMinute: new(60), PerDay: new(200),
		PerMonth: new(2000),
	}
	data, err := s.keyForm(c, usual, web.Filled(usual))
	if err != nil {
		return err
	}
	return c.Render("chave-form", web.Page{Title: "Nova chave", Nav: "chaves", Data: data})
}

func (s pages) keyForm(c *web.Call, f keyFields, shown web.Form) (keyForm, error) {
	out := keyForm{Form: shown, ID: f.ID, Today: s.Clock().In(s.Calendar.Location).Format(time.DateOnly)}
	var err error
	out.Purposes, err = s.purposeBoxes(c, f.Purposes)
	for _, t := range document.Types() {
		label := t.Label()
		out.Scopes = append(out.Scopes, scopeBox{
			t, strings.ToUpper(label[:1]) + label[1:], slices.Contains(f.Scopes, t),
		})
		d := dearest{Label: label}
		for _, p := range s.Terms.Catalog {
			if p.Takes(t) && p.Price > d.Price {
				d.Name, d.Price = p.Name, p.Price
			}
		}
		if d.Name != "" {
			out.Dearest = append(out.Dearest, d)
		}
	}
	if s.Bureaus.Several() {
		out.Scopes = append(out.Scopes, scopeBox{
			access.BureauScope, "Escolher o bureau", slices.Contains(f.Scopes, access.BureauScope),
		})
	}
	return out, err
}

// purposeBoxes returns the purposes in force, and chosen ones that have been retired since.
func (s pages) purposeBoxes(c *web.Call, chosen []string) (out []purposeBox, err error) {
	all, err := s.Purposes.List(c.Ctx(), c.By, c.By.OrgID())
	for _, p := range all {
		if is := slices.Contains(chosen, p.Code); is || p.InForce() {
			out = append(out, purposeBox{p, is})
		}
	}
	return out, err
}

func (s pages) newKey(c *web.Call, f keyFields) lookups.NewKey {
	n := lookups.NewKey{
		ID: f.ID, OrgID: c.By.OrgID(), Name: f.Name, Scopes: f.Scopes,
		Limits:   access.Limits{PerMinute: *f.PerMinute, PerDay: *f.PerDay, PerMonth: *f.PerMonth},
		Purposes: f.Purposes, From: networks(f.From), Contacts: f.Contacts,
	}
	if last, err := s.Calendar.StartOf(f.LastDay); err == nil { // without a date it never expires
		n.ExpiresAt = s.Calendar.NextDay(last)
	}
	return n
}

// networks splits a text at commas, semicolons and white space.
func networks(typed string) []string {
	return strings.FieldsFunc(typed, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
}

func (s pages) keyFormAgain(c *web.Call, f keyFields, why error) error {
	shown, ok := c.Again(&f, why)
	if !ok {
		return why
	}
	data, err := s.keyForm(c, f, shown)
	if err != nil {
		return err
	}
	return c.RenderStatus(http.StatusUnprocessableEntity, "chave-form", web.Page{
		Title: "Nova chave", Nav: "chaves", Data: data,
	})
}

// boundFields are what can be changed of a key.
type boundFields struct {
	Purposes  []string `form:"finalidades" app:"purposes"`
	From      string   `form:"redes" app:"from"`
	PerMinute *int     `form:"minuto" app:"perMinute" validate:"omitempty,min=0,max=1000000000" says:"Escreva um número, como 60 ou 2.000."`
	PerDay    *int     `form:"dia" app:"perDay" validate:"omitempty,min=0,max=1000000000" says:"Escreva um número, como 60 ou 2.000."`
	PerMonth  *int     `form:"mes" app:"perMonth" validate:"omitempty,min=0,max=1000000000" says:"Escreva um número, como 60 ou 2.000."`
}

func (s pages) keyEdit(c *web.Call) error {
	key, err := s.Keys.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	now := boundsOf(key)
	shown := web.Filled(now)
	shown.Version = boundsVersion(key)
	return s.boundForm(c, http.StatusOK, key, now, shown)
}

func boundsVersion(key access.Key) string { return web.VersionOf(boundsOf(key)) }

func boundsOf(key access.Key) boundFields {
	return boundFields{
		Purposes: key.Purposes, From: strings.Join(networkTexts(key.From), ", "),
		PerMinute: &key.Limits.PerMinute, PerDay: &key.Limits.PerDay, PerMonth: &key.Limits.PerMonth,
	}
}

func (s pages) boundForm(c *web.Call, status int, key access.Key, f boundFields, shown web.Form) error {
	purposes, err := s.purposeBoxes(c, f.Purposes)
	if err != nil {
		return err
	}
	data := keyForm{Form: shown, ID: key.ID, Name: key.Name, Purposes: purposes}
	return c.RenderStatus(status, "chave-alterar", web.Page{
		Title: "Alterar " + web.Shorten(web.TitleMax, key.Name), Nav: "chaves", Data: data,
	})
}

func (s pages) keyChange(c *web.Call) error {
	key, err := s.Keys.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	var f boundFields
	if err = c.Decode(&f); err == nil {
		from := networks(f.From)
		_, err = s.Keys.Change(c.Ctx(), c.By, key.ID, lookups.KeyChange{
			Purposes: &f.Purposes, From: &from, PerMinute: f.PerMinute, PerDay: f.PerDay, PerMonth: f.PerMonth,
			Still: web.Still(c, boundsVersion),
		})
	}
	if err == nil {
		return c.Done("/chaves/"+key.ID, "Chave alterada. Já vale em todas as instâncias.")
	}
	shown, ok := c.Again(&f, err)
	if !ok {
		return err
	}
	return s.boundForm(c, http.StatusUnprocessableEntity, key, f, shown)
}
