package web

import "fichario/app/contacts"

// rotationChoices are the rotations as options, with a prefix before their ids.
func (s *server) rotationChoices(c *call, prefix string) ([]contacts.Choice, error) {
	all, err := s.Rotations.List(c.ctx(), c.by, c.by.OrgID())
	var out []contacts.Choice
	for _, r := range all {
		out = append(out, contacts.Choice{ID: prefix + r.ID, Name: r.Name})
	}
	return out, err
}
