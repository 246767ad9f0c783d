package web

import "fichario/app/contacts"

// RotationChoices are the rotations as options, with a prefix before their ids.
func (s *Server) RotationChoices(c *Call, prefix string) ([]contacts.Choice, error) {
	all, err := s.Rotations.List(c.Ctx(), c.By, c.By.OrgID())
	var out []contacts.Choice
	for _, r := range all {
		out = append(out, contacts.Choice{ID: prefix + r.ID, Name: r.Name})
	}
	return out, err
}
