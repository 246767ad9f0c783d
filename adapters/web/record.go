package web

// recordShow is the record of operations, for owners to print (LGPD, art. 37).
func (s *server) recordShow(c *call) error {
	o, err := s.Record.Of(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	return c.render("registro", page{Title: "Registro das operações", Nav: "privacidade", Data: o})
}
