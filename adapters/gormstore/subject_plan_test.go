package gormstore

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/privacy"
	"fichario/ports"
)

// TestSlowPersonsAreFoundByIndexes: in tables that grow, what is held of a person is found through an index, not by a
// scan.
func TestSlowPersonsAreFoundByIndexes(t *testing.T) {
	t.Parallel()
	const org = "01980000-0000-7000-8000-00000000000a"
	for _, s := range each(t) {
		fill(t, s, 20000, `INSERT INTO contacts (id, org_id, name, email, phone, phone_e164, company, amount, note, stage_id,
			created_at, search) SELECT @id, '`+org+`'@uuid, 'n', 'a' || i || '@x.example', '', '+55119' || (10000000 + i), '', 0,
			CAST('x' AS `+blobOf(s)+`), '`+org+`'@uuid, @moment, 'n' FROM numbers`)
		fill(t, s, 20000, `INSERT INTO subject_traces (subject, kind, row_id)
			SELECT CAST('s' || (i % 5000) AS `+blobOf(s)+`), 'consultas', @id FROM numbers`)
		everything := regexp.MustCompile(`Seq Scan on|SCAN (contacts|subject_traces)( USING|$)|SCAN subject_traces`)
		p := &privacy.Person{OrgID: org, Identities: []privacy.Identity{{Type: privacy.Email, Value: "a77@x.example"}}}
		for what, run := range map[string]func(context.Context, ports.Repos) error{
			"lookups": func(_ context.Context, r ports.Repos) error {
				_, _, err := r.SubjectTraces.Traces(t.Context(), p, privacy.Lookups, "", 100)
				return err
			},
			"contacts by address": func(_ context.Context, r ports.Repos) error {
				_, err := r.Subjects.Contacts(t.Context(), org, p.Identities[0], "", 100)
				return err
			},
			"contacts by phone": func(_ context.Context, r ports.Repos) error {
				phone := privacy.Identity{Type: privacy.Phone, Value: "+5511910000077"}
				_, err := r.Subjects.Contacts(t.Context(), org, phone, "", 100)
				return err
			},
			"contacts by document": func(_ context.Context, r ports.Repos) error {
				cpf := privacy.Identity{Type: privacy.CPF, Value: "52998224725"}
				_, err := r.Subjects.Contacts(t.Context(), org, cpf, "", 100)
				return err
			},
		} {
			for _, plan := range planned(t, s, func(c engine.Conn) error { return run(t.Context(), s.repos(c)) }) {
				if everything.MatchString(plan) {
					t.Errorf("%s: %s:\n%s", s.Writer.Name(), what, plan)
				}
				if strings.HasPrefix(what, "contacts by a") && !strings.Contains(plan, "contacts_email") ||
					strings.HasPrefix(what, "contacts by p") && !strings.Contains(plan, "contacts_phone") {
					t.Errorf("%s: %s does not use its index:\n%s", s.Writer.Name(), what, plan)
				}
			}
		}
	}
}

func blobOf(s *Store) string {
	if s.Writer.Name() == "sqlite" {
		return "blob"
	}
	return "bytea"
}
