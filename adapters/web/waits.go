package web

import (
	"fichario/app"
	"fichario/app/contacts"
)

// waitsPage is how long contacts waited for their first answer.
type waitsPage struct {
	contacts.Waits
	Period string
	Many   bool
}

func (s *server) waits(c *call, f struct {
	Period string `form:"periodo"`
}) error {
	days, data := map[string]int{"7": 7, "90": 90}[f.Period], waitsPage{Period: f.Period}
	if days == 0 {
		days, data.Period = 30, "30"
	}
	var err error
	if data.Waits, err = s.Contacts.Waits(c.ctx(), c.by, days); err != nil {
		return err
	}
	data.Many = data.Waiting >= app.CountMax
	return c.render("retorno", page{Title: "Retorno", Nav: "contatos", Data: data})
}

func (s *server) contactCalled(c *call) error {
	if err := s.Contacts.Called(c.ctx(), c.by, c.PathValue("id")); err != nil {
		return err
	}
	return c.done("/contatos/"+c.PathValue("id"), "Ligação anotada.")
}
