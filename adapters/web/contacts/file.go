package contacts

import (
	"iter"
	"time"

	"fichario/adapters/download"
	"fichario/adapters/web"
	"fichario/domain/crm"
)

// contactsFile sends every contact that matches the filter in the address.
func (s pages) contactsFile(c *web.Call, f struct {
	contactFilter
	Form download.Form `form:"formato" validate:"omitempty,oneof=excel" says:"O formato deve ser excel, ou nenhum."`
}) error {
	found := s.Contacts.All(c.Ctx(), c.By, s.contactSearch(f.contactFilter))
	return s.Download(c, contactTable(found, s.Calendar.Location), f.Form)
}

// contactTable is a file of contacts.
func contactTable(found iter.Seq2[crm.ContactView, error], zone *time.Location) download.Table {
	return download.Table{
		Name: "contatos.csv",
		Columns: []string{
			"id", "nome", "email", "telefone", "empresa", "valor", "origem", "funil", "etapa", "responsavel", "webhook",
			"nota", "criadoEm",
		},
		Rows: func(yield func([]any, error) bool) {
			for v, err := range found {
				if !yield(contactCells(v), err) {
					return
				}
			}
		},
		Zone: zone,
	}
}

// contactCells are the cells of a contact, in the order of contactTable's columns.
func contactCells(v crm.ContactView) []any {
	return []any{
		v.ID, v.Name, v.Email, web.PhoneText(v.PhoneE164, v.Phone), v.Company, v.Amount, v.Origin, v.Funnel, v.Stage,
		v.Assignee.Name, v.Webhook, v.Note, v.CreatedAt.Truncate(time.Second),
	}
}
