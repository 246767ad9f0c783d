package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

// keyForm is the form of a new key.
type keyForm struct {
	Form
	// ID is the key's, so that a form that is sent twice makes one key.
	ID     string
	Scopes []scopeBox
	Today  string
	// Dearest are the products that cost most, by document type.
	Dearest []dearest
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

var keyFields = []string{"nome", "vence", "minuto", "dia", "mes"}

func (s *server) keyNew(c *call) error {
	if err := c.manager(); err != nil {
		return err
	}
	usual := Form{Values: map[string]string{"minuto": "60", "dia": "200", "mes": "2000"}}
	data := s.keyForm(app.NewKeyID(), usual, []string{string(document.CPF)})
	return c.render("chave-form", page{Title: "Nova chave", Nav: "chaves", Data: data})
}

func (s *server) keyForm(id string, f Form, scopes []string) keyForm {
	out := keyForm{Form: f, ID: id, Today: s.Clock().In(s.Calendar.Location).Format(time.DateOnly)}
	for _, t := range document.Types() {
		label := t.Label()
		out.Scopes = append(out.Scopes, scopeBox{
			t, strings.ToUpper(label[:1]) + label[1:], slices.Contains(scopes, string(t)),
		})
		d := dearest{Label: label}
		for _, p := range s.Lookups.Products() {
			if p.Takes(t) && p.Price > d.Price {
				d.Name, d.Price = p.Name, p.Price
			}
		}
		if d.Name != "" {
			out.Dearest = append(out.Dearest, d)
		}
	}
	return out
}

// newKey reads the form; the fault names the field of the use case.
func (s *server) newKey(c *call) (app.NewKey, error) {
	n := app.NewKey{ID: c.PostFormValue("id"), OrgID: c.by.OrgID(), Name: c.text("nome")}
	for _, t := range c.PostForm["pode"] {
		n.Scopes = append(n.Scopes, document.Type(t))
	}
	for _, limit := range []struct {
		field, name string
		to          *int
	}{
		{"minuto", "perMinute", &n.Limits.PerMinute}, {"dia", "perDay", &n.Limits.PerDay},
		{"mes", "perMonth", &n.Limits.PerMonth},
	} {
		v, err := strconv.Atoi(strings.ReplaceAll(c.text(limit.field), ".", ""))
		if err != nil || v < 0 || v > 1_000_000_000 {
			return n, formFault(limit.name, "Escreva um número, como 60 ou 2.000.")
		}
		*limit.to = v
	}
	if day := c.text("vence"); day != "" {
		start, err := s.Calendar.StartOf(day)
		if err != nil {
			return n, formFault("expires", "Escreva uma data até 9998, como 31/12/2026, ou deixe vazio.")
		}
		n.ExpiresAt = s.Calendar.NextDay(start)
	}
	return n, nil
}

func (s *server) keyFormAgain(c *call, why error) error {
	f, ok := c.formOf(why, keyFields...)
	if !ok {
		return why
	}
	field := map[string]string{
		"name": "nome", "scopes": "pode", "perMinute": "minuto", "perDay": "dia", "perMonth": "mes", "expires": "vence",
	}[f.Field]
	if field == "" {
		return why
	}
	f.Field = field
	return c.renderStatus(http.StatusUnprocessableEntity, "chave-form", page{
		Title: "Nova chave", Nav: "chaves", Data: s.keyForm(c.PostFormValue("id"), f, c.PostForm["pode"]),
	})
}
