package web

import "fichario/app/contacts"

// RotationChoices are the rotations as options, with a prefix before their ids.
func RotationChoices(c *Call, of *contacts.Rotations, prefix string) ([]contacts.Choice, error) {
	all, err := of.List(c.Ctx(), c.By, c.By.OrgID())
	var out []contacts.Choice
	for _, r := range all {
		out = append(out, contacts.Choice{ID: prefix + r.ID, Name: r.Name})
	}
	return out, err
}
