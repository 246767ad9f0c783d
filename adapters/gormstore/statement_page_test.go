package gormstore

import (
	"fmt"
	"strings"
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/lookup"
)

const (
	planOrg = "01980000-0000-7000-8000-000000000001"
	planKey = "01980000-0000-7000-8000-000000000002"
	planMan = "01980000-0000-7000-8000-000000000003"
)

// TestSlowAStatementWalksAnIndex: whatever the filter, the cost of a page depends on what it shows, and an empty one
// costs nothing.
func TestSlowAStatementWalksAnIndex(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		inPartitions(t, s, "lookups", 30)
		fill(t, s, 60_000, fmt.Sprintf(`INSERT INTO lookups
			(id, org_id, key_id, product, doc_type, document, at, cache, charged, amount, status, day, month, member_id, purpose,
			contact_id)
			SELECT @id, CASE WHEN i %% 5 = 0 THEN '%s'@uuid ELSE @id END, CASE WHEN i %% 7 > 0 THEN '%s'@uuid END,
			CASE WHEN i %% 3 > 0 THEN 'cpf' ELSE 'cnpj' END, 'cpf', '', @moment, i %% 2 = 0, i %% 2 > 0, 0, 'concluida', '', '',
			CASE WHEN i %% 7 = 0 THEN '%s'@uuid END, CASE WHEN i %% 4 > 0 THEN 'credito' ELSE '' END,
			CASE WHEN i %% 110 = 0 THEN '%s'@uuid END FROM numbers`, planOrg, planKey, planMan, planKey))
		walks(t, s, "a contact's", func(c engine.Conn) error {
			found, err := s.repos(c).LookupContacts.OfContact(t.Context(), planOrg, planKey, 20)
			if len(found) != 20 {
				t.Errorf("%s: a contact has %d lookups", s.Writer.Name(), len(found))
			}
			return err
		}, "lookups_contact")
		spent := strings.Join(planned(t, s, func(c engine.Conn) error {
			_, err := s.repos(c).Statement.Spend(t.Context(), lookup.Asker{OrgID: planOrg, MemberID: planMan},
				"2026-02-01", "2026-02-28")
			return err
		}), "\n")
		if strings.Contains(spent, "lookups") || strings.Contains(spent, "Seq Scan") || strings.Contains(spent, "SCAN ") {
			t.Errorf("what a member spent is read by:\n%s", spent)
		}
		yes := true
		months := lookup.Filter{From: filledFrom.AddDate(0, 1, 0), Until: filledFrom.AddDate(0, 11, 0)}
		for who, index := range map[lookup.Asker]string{
			{OrgID: planOrg}:                    "lookups_org",
			{OrgID: planOrg, KeyID: planKey}:    "lookups_key",
			{OrgID: planOrg, Members: true}:     "lookups_members",
			{OrgID: planOrg, MemberID: planMan}: "lookups_member",
		} {
			for what, f := range map[string]lookup.Filter{
				"": {}, "months": months, "a product": {Product: "cnpj"}, "a product of none": {Product: "placa"},
				"cached": {Cache: &yes}, "a product, cached": {Product: "cpf", Cache: &yes},
				"a purpose": {Purpose: "credito"}, "a rare purpose, a product": {Purpose: "cobranca", Product: "cpf"},
				"a purpose, months": {Purpose: "credito", Cache: &yes, From: months.From, Until: months.Until},
				"all at once":       {Product: "cpf", Cache: &yes, From: months.From, Until: months.Until},
			} {
				want := index
				if f.Purpose != "" {
					if want = index + "_purpose"; who.Members {
						want = "lookups_org_purpose"
					}
				} else if f.Product != "" || f.Cache != nil {
					want += "_product"
				}
				if who.Members && f.Product == "placa" {
					continue // PostgreSQL's statistics say that there are none: any index will do
				}
				for _, after := range []string{"", engine.FirstID(filledFrom.AddDate(0, 0, 101))} {
					walks(t, s, fmt.Sprintf("%+v, %s", who, what), func(c engine.Conn) error {
						_, err := s.repos(c).Statement.Page(t.Context(), who, f, after, 51)
						return err
					}, want)
				}
			}
		}
	}
}
