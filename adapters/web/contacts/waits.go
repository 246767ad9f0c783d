package contacts

import (
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/contacts"
)

// waitsPage is how long contacts waited for their first answer.
type waitsPage struct {
	contacts.Waits
	Period string
	Many   bool
}

func (s pages) waits(c *web.Call, f struct {
	Period string `form:"periodo"`
}) error {
	days, data := map[string]int{"7": 7, "90": 90}[f.Period], waitsPage{Period: f.Period}
	if days == 0 {
		days, data.Period = 30, "30"
	}
	var err error
	if data.Waits, err = s.Contacts.Waits(c.Ctx(), c.By, days); err != nil {
		return err
	}
	data.Many, data.Waiting = data.Waiting > app.CountMax, min(data.Waiting, app.CountMax)
	return c.Render("retorno", web.Page{Title: "Retorno", Nav: "contatos", Data: data, Wide: true})
}

func (s pages) contactCalled(c *web.Call) error { return s.called(c, c.PathValue("id")) }

// called notes that somebody spoke to a contact, from its page or from its row in the list.
func (s pages) called(c *web.Call, id string) error {
	if err := s.Contacts.Called(c.Ctx(), c.By, id); err != nil {
		return err
	}
	return c.Done(c.CameFrom("/contatos/"+id), "Conversa anotada.")
}
