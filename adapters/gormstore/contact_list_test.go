package gormstore

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/ports"
)

// TestSlowAListOfContactsWalksAnIndex: whatever the order and the filter.
func TestSlowAListOfContactsWalksAnIndex(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 20_000, fmt.Sprintf(`INSERT INTO contacts
			(id, org_id, webhook_id, name, email, phone, phone_e164, company, amount, note, origin_id, stage_id, assignee_id,
			created_at, search, waiting)
			SELECT @id, CASE WHEN i %% 5 > 0 THEN '%[1]s'@uuid ELSE @id END,
			CASE WHEN i %% 1000 = 1 THEN '%[2]s'@uuid ELSE '%[1]s'@uuid END, '', '', '', '', '', i %% 97, '',
			CASE WHEN i %% 7 > 0 THEN '%[1]s'@uuid END, '%[1]s'@uuid, CASE WHEN i < 5000 THEN '%[1]s'@uuid END, @moment,
			'ana ' || i, i %% 3 = 0 FROM numbers`, planOrg, planKey))
		var some contacts.ContactRow
		if err := s.Reader.Order("id").Offset(9_000).Take(&some, "org_id = ?", planOrg).Error; err != nil {
			t.Fatal(err)
		}
		for _, o := range []crm.ContactOrder{crm.ByName, crm.ByAmount} {
			few := ports.ContactQuery{ContactFilter: ports.ContactFilter{WebhookID: planKey}, Order: o, Limit: 51}
			plans := planned(t, s, func(cn engine.Conn) error {
				found, err := s.repos(cn).ContactSearch.Select(t.Context(), planOrg, few)
				if len(found) != 20 {
					t.Errorf("%s: %d of few", s.Writer.Name(), len(found))
				}
				return err
			})
			all := strings.Join(plans, "\n")
			if strings.Contains(all, "contacts_name") || strings.Contains(all, "contacts_amount") ||
				strings.Contains(all, "Seq Scan") || !strings.Contains(all, "contacts_of_webhook") {
				t.Errorf("%s: few in order are not read by their filter:\n%s", s.Writer.Name(), all)
			}
		}
		for _, o := range []crm.ContactOrder{crm.ByArrival, crm.ByName, crm.ByAmount} {
			rich := ports.ContactQuery{ContactFilter: ports.ContactFilter{MinAmount: 93}, Order: o, Limit: 51}
			all := strings.Join(planned(t, s, func(cn engine.Conn) error {
				found, err := s.repos(cn).ContactSearch.Select(t.Context(), planOrg, rich)
				if len(found) != 51 {
					t.Errorf("%s: %d with an amount", s.Writer.Name(), len(found))
				}
				if err == nil {
					_, err = s.repos(cn).ContactSearch.Count(t.Context(), planOrg, rich.ContactFilter, 1001)
				}
				return err
			}), "\n")
			elsewhere := regexp.MustCompile(`contacts_name|Seq Scan|contacts_org \(org_id=\?( AND id[<>]|\))`)
			if elsewhere.MatchString(all) || !strings.Contains(all, "contacts_amount") {
				t.Errorf("%s: few with an amount are not read by it:\n%s", s.Writer.Name(), all)
			}
		}
		for what, c := range map[string]struct {
			filter ports.ContactFilter
			index  string
		}{
			"all":     {ports.ContactFilter{}, "contacts_org"},
			"since":   {ports.ContactFilter{Since: some.CreatedAt}, "contacts_org"},
			"a stage": {ports.ContactFilter{StageID: planOrg}, "contacts_stage"},
			"a stage and origin": {ports.ContactFilter{StageID: planOrg, OriginID: planOrg},
				"contacts_of_origin contacts_stage"},
		} {
			walks(t, s, "count of "+what, func(cn engine.Conn) error {
				_, err := s.repos(cn).ContactSearch.Count(t.Context(), planOrg, c.filter, 1001)
				return err
			}, strings.Fields(c.index)...)
		}
		walks(t, s, "what the team is told", func(cn engine.Conn) error {
			_, err := s.repos(cn).Notifications.List(t.Context(), planOrg, planKey, 50)
			return err
		}, "contacts_came", map[string]string{"sqlite": "contacts_org", "postgres": "contacts_pkey"}[s.Writer.Name()])
		walks(t, s, "what a member has not read", func(cn engine.Conn) error {
			_, err := s.repos(cn).Notifications.Unread(t.Context(), planOrg, planKey)
			return err
		}, "contacts_came")
		totals := func(f ports.ContactFilter) func(engine.Conn) error {
			return func(cn engine.Conn) error {
				_, err := s.repos(cn).ContactSearch.Totals(t.Context(), planOrg, f, 1000)
				return err
			}
		}
		reads := regexp.MustCompile(`(on|SCAN|SEARCH) contacts`)
		for _, f := range []ports.ContactFilter{{}, {Stages: []string{planOrg}}} {
			if all := strings.Join(planned(t, s, totals(f)), "\n"); reads.MatchString(all) {
				t.Errorf("%s: contacts are read for what is kept of stages:\n%s", s.Writer.Name(), all)
			}
		}
		walks(t, s, "totals of an assignee", totals(ports.ContactFilter{Stages: []string{planOrg}, AssigneeID: planOrg}),
			"contacts_of_assignee_in")
		if s.IsPostgres() { // which else reads the rows, because any may be too new to be seen
			if err := s.Writer.Exec("VACUUM contacts").Error; err != nil {
				t.Fatal(err)
			}
		}
		sums := strings.Join(planned(t, s, totals(ports.ContactFilter{Waiting: true, Stages: []string{planOrg}})), "\n")
		if !regexp.MustCompile(`COVERING INDEX contacts_waiting_in|Index Only Scan using contacts_waiting_in`).MatchString(sums) {
			t.Errorf("%s: who waits is not summed inside an index:\n%s", s.Writer.Name(), sums)
		}
		ofOrigin := strings.Join(planned(t, s, func(cn engine.Conn) error {
			_, err := s.repos(cn).Figures.Stages(t.Context(), planOrg, []string{planOrg}, some.CreatedAt, 500)
			return err
		}), "\n")
		inside := regexp.MustCompile(`COVERING INDEX contacts_of_origin|Index (Only )?Scan using contacts_of_origin`)
		if !inside.MatchString(ofOrigin) {
			t.Errorf("%s: stages of an origin:\n%s", s.Writer.Name(), ofOrigin)
		}
		for _, c := range []struct {
			order  crm.ContactOrder
			filter ports.ContactFilter
			index  string
		}{
			{crm.ByArrival, ports.ContactFilter{}, "contacts_org"},
			{crm.ByArrival, ports.ContactFilter{Since: some.CreatedAt}, "contacts_org"},
			{crm.ByArrival, ports.ContactFilter{StageID: planOrg}, "contacts_stage"},
			{crm.ByArrival, ports.ContactFilter{OriginID: planOrg}, "contacts_of_origin"},
			{crm.ByArrival, ports.ContactFilter{WebhookID: planOrg}, "contacts_of_webhook"},
			{crm.ByArrival, ports.ContactFilter{AssigneeID: planOrg, Since: some.CreatedAt}, "contacts_of_assignee"},
			{crm.ByArrival, ports.ContactFilter{OriginID: planKey}, "contacts_of_origin"},
			{crm.ByArrival, ports.ContactFilter{StageID: planOrg, AssigneeID: planOrg}, "contacts_of_assignee_in"},
			{crm.ByAmount, ports.ContactFilter{StageID: planOrg, AssigneeID: planOrg},
				"contacts_amount contacts_of_assignee_in"},
			{crm.ByArrival, ports.ContactFilter{Waiting: true}, "contacts_who_wait"},
			{crm.ByArrival, ports.ContactFilter{Waiting: true, StageID: planOrg}, "contacts_waiting_in"},
			{crm.ByArrival, ports.ContactFilter{Waiting: true, OriginID: planOrg}, "contacts_of_origin contacts_who_wait"},
			{crm.ByName, ports.ContactFilter{}, "contacts_name"},
			{crm.ByAmount, ports.ContactFilter{}, "contacts_amount"},
			{crm.ByAmount, ports.ContactFilter{WebhookID: planOrg}, "contacts_amount contacts_of_webhook"},
			{crm.ByName, ports.ContactFilter{OriginID: planOrg, StageID: planOrg},
				"contacts_name contacts_of_origin contacts_stage"},
		} {
			for _, ascending := range []bool{false, true} {
				for _, after := range []string{"", string(some.ID)} {
					q := ports.ContactQuery{
						ContactFilter: c.filter, Order: c.order, Ascending: ascending, After: after, Limit: 51,
					}
					want := strings.Fields(c.index)
					if after != "" && c.order != crm.ByArrival {
						want = append(want, "contacts_pkey")
					}
					walks(t, s, fmt.Sprintf("%+v", q), func(cn engine.Conn) error {
						_, err := s.repos(cn).ContactSearch.Select(t.Context(), planOrg, q)
						return err
					}, want...)
				}
			}
		}
	}
}
