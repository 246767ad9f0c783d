package lookups

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// statementParts: what was charged, by two parts, whoever asked, and whether the figures of days know the parts or not.
func statementParts(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	org, key, member, automation, batch := kit.ID(), kit.ID(), kit.ID(), kit.ID(), kit.ID()
	day := time.Now().UTC().Format(time.DateOnly)
	before := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	for _, c := range []struct {
		by, product, purpose, bureau, day string
		charged                           bool
	}{
		{"key", "cpf", "credito", "a", day, true}, {"key", "cpf", "credito", "b", before, true},
		{"key", "cnpj", "", "a", day, true}, {"member", "cpf", "credito", "a", day, true},
		{"batch", "cpf", "cobranca", "a", day, true}, {"automation", "cpf", "cobranca", "a", day, true},
		{"member", "cpf", "credito", "a", day, false},
	} {
		e := kit.Running(t, "")
		switch e.OrgID = org; c.by {
		case "key":
			e.KeyID = key
		case "batch":
			e.KeyID, e.BatchID = key, batch
		case "automation":
			e.AutomationID = automation
		default:
			e.MemberID = member
		}
		e.Product, e.Purpose, e.Bureau, e.Day, e.SettleAt = c.product, c.purpose, c.bureau, c.day, time.Time{}
		if e.Status = lookup.Done; !c.charged {
			e.Charged, e.Amount, e.Status = false, 0, lookup.NotSent
		}
		kit.Must(t, repos.Statement.Add(ctx, e))
	}
	other := kit.Running(t, key)
	other.Day = day
	kit.Must(t, repos.Statement.Add(ctx, other)) // another organisation's

	sum := func(a, b string, n int) lookup.PartSpent {
		return lookup.PartSpent{Of: [2]string{a, b}, Spent: lookup.Spent{Count: n, Amount: catalog.Money(4500 * n)}}
	}
	all := lookup.Asker{OrgID: org}
	for _, c := range []struct {
		what string
		by   lookup.Asker
		f    lookup.Filter
		from string
		a, b lookup.Part
		want []lookup.PartSpent
	}{
		{"keys and products, from the figures", all, lookup.Filter{}, before, lookup.ByKey, lookup.ByProduct,
			[]lookup.PartSpent{sum("", "cpf", 2), sum(key, "cnpj", 1), sum(key, "cpf", 3)}},
		{"of today", all, lookup.Filter{}, day, lookup.ByKey, "", []lookup.PartSpent{sum("", "", 2), sum(key, "", 3)}},
		{"keys and purposes", all, lookup.Filter{}, before, lookup.ByKey, lookup.ByPurpose, []lookup.PartSpent{
			sum("", "cobranca", 1), sum("", "credito", 1), sum(key, "", 1), sum(key, "cobranca", 1), sum(key, "credito", 2),
		}},
		{"of a purpose", all, lookup.Filter{Purpose: "credito"}, before, lookup.ByDay, lookup.ByProduct,
			[]lookup.PartSpent{sum(before, "cpf", 1), sum(day, "cpf", 2)}},
		{"of a product", all, lookup.Filter{Product: "cnpj"}, before, lookup.ByBureau, lookup.ByPerson,
			[]lookup.PartSpent{sum("a", "", 1)}},
		{"of a product, from the figures", all, lookup.Filter{Product: "cnpj"}, before, lookup.ByProduct, "",
			[]lookup.PartSpent{sum("cnpj", "", 1)}},
		{"persons", all, lookup.Filter{}, before, lookup.ByPerson, "",
			[]lookup.PartSpent{sum("", "", 5), sum(member, "", 1)}},
		{"automations and batches", all, lookup.Filter{}, before, lookup.ByAutomation, lookup.ByBatch,
			[]lookup.PartSpent{sum("", "", 4), sum("", batch, 1), sum(automation, "", 1)}},
		{"a key's", lookup.Asker{OrgID: org, KeyID: key}, lookup.Filter{}, before, lookup.ByPurpose, lookup.ByProduct,
			[]lookup.PartSpent{sum("", "cnpj", 1), sum("cobranca", "cpf", 1), sum("credito", "cpf", 2)}},
		{"a key's of a purpose", lookup.Asker{OrgID: org, KeyID: key}, lookup.Filter{Purpose: "credito"}, before,
			lookup.ByBureau, "", []lookup.PartSpent{sum("a", "", 1), sum("b", "", 1)}},
		{"a member's", lookup.Asker{OrgID: org, MemberID: member}, lookup.Filter{}, before, lookup.ByProduct, lookup.ByKey,
			[]lookup.PartSpent{sum("cpf", "", 1)}},
		{"a member's, from the figures", lookup.Asker{OrgID: org, MemberID: member}, lookup.Filter{}, before,
			lookup.ByDay, lookup.ByProduct, []lookup.PartSpent{sum(day, "cpf", 1)}},
		{"members'", lookup.Asker{OrgID: org, Members: true}, lookup.Filter{}, before, lookup.ByPurpose, "",
			[]lookup.PartSpent{sum("cobranca", "", 1), sum("credito", "", 1)}},
		{"members' of a purpose", lookup.Asker{OrgID: org, Members: true}, lookup.Filter{Purpose: "credito"}, before,
			lookup.ByKey, "", []lookup.PartSpent{sum("", "", 1)}},
		{"before all of it", all, lookup.Filter{}, "2020-01-01", lookup.ByBureau, "", []lookup.PartSpent{}},
	} {
		until := day
		if c.from < "2026" {
			until = c.from
		}
		got, err := repos.Statement.SpendBy(ctx, c.by, c.f, c.from, until, [2]lookup.Part{c.a, c.b})
		kit.Must(t, err)
		slices.SortFunc(got, func(a, b lookup.PartSpent) int {
			return cmp.Or(cmp.Compare(a.Of[0], b.Of[0]), cmp.Compare(a.Of[1], b.Of[1]))
		})
		kit.Same(t, c.what, got, c.want)
	}
}
