package web

import (
	"fichario/app/contacts"
	"fichario/domain/intake/fields"
)

// RotationChoices are the rotations as options, with a prefix before their ids.
func RotationChoices(c *Call, of *contacts.Rotations, prefix string) ([]contacts.Choice, error) {
	all, err := of.List(c.Ctx(), c.By, c.By.OrgID())
	var out []contacts.Choice
	for _, r := range all {
		out = append(out, contacts.Choice{ID: prefix + r.ID, Name: r.Name})
	}
	return out, err
}

// ContactWords are the names, for people, of the fields of a contact.
var ContactWords = map[string]string{
	"email": "E-mail", "nome": "Nome", "telefone": "Telefone", "empresa": "Empresa", "valor": "Valor",
	"documentos": "CPF ou CNPJ", "origem": "Origem", "nota": "Nota", "funil": "Funil", "etapa": "Etapa",
	"responsavel": "Responsável",
}

// BandNames are what the ranges in a webhook's posts become as values, for people, by their codes.
var BandNames = map[string]string{
	string(fields.BandZero): "ficam em zero", string(fields.BandLower): "valem o menor",
	string(fields.BandMiddle): "valem o meio", string(fields.BandUpper): "valem o maior",
}
