package web

import (
	"fichario/adapters/download"
	"fichario/domain/crm"
)

// contactsFile gives every contact that the address asks for as a file.
func (s *server) contactsFile(c *call, f contactFilter) error {
	found := s.Contacts.All(c.ctx(), c.by, s.contactSearch(f))
	return s.download(c, download.Table{
		Name: "contatos.csv",
		Columns: []string{
			"id", "nome", "email", "telefone", "empresa", "valor", "origem", "funil", "etapa", "responsavel", "webhook",
			"nota", "criadoEm",
		},
		Rows: func(yield func([]string, error) bool) {
			for v, err := range found {
				if !yield(contactCells(v), err) {
					return
				}
			}
		},
	})
}

// contactCells are a contact in the columns of contactsFile.
func contactCells(v crm.ContactView) []string {
	cells := []string{
		v.ID, v.Name, v.Email, phoneText(v.PhoneE164, v.Phone), v.Company, v.Amount.String(), v.Origin, v.Funnel, v.Stage,
		v.Assignee.Name, v.Webhook, v.Note, iso(v.CreatedAt),
	}
	for i, typed := range cells {
		if i != contactAmountCell {
			cells[i] = download.Text(typed)
		}
	}
	return cells
}

// contactAmountCell is the one cell that is a number, and may begin with a sign.
const contactAmountCell = 5
