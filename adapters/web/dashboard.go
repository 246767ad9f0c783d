package web

// dashboard is the first page: what happened, and what wants attention.
func (s *server) dashboard(c *call) error {
	return c.render("painel", page{Title: "Painel", Nav: "painel"})
}
