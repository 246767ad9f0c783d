package privacy

import "fichario/adapters/web"

// recordShow is the record of operations, for owners to print (LGPD, art. 37).
func (s pages) recordShow(c *web.Call) error {
	o, err := s.Record.Of(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	return c.Render("registro", web.Page{Title: "Registro das operações", Nav: "privacidade", Data: o})
}
