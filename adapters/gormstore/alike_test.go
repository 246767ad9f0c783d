package gormstore

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
)

// TestSlowAlikeContactsAreFoundByTheirIndexes: neither for one contact nor for several is the whole table read.
func TestSlowAlikeContactsAreFoundByTheirIndexes(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 20_000, fmt.Sprintf(`INSERT INTO contacts
			(id, org_id, name, email, phone, phone_e164, company, amount, note, stage_id, created_at, search)
			SELECT @id, '%[1]s'@uuid, 'Ana', 'a' || (i %% 9000) || '@example.com', '', CASE WHEN i %% 3 = 0 THEN '' ELSE
			'+5511' || (i %% 8000) END, '', 0, '', '%[1]s'@uuid, @moment, 'ana' FROM numbers`, planOrg))
		var first, some []string
		if err := s.Reader.Model(&contacts.ContactRow{}).Order("id").Limit(1).Pluck("id", &first).Error; err != nil {
			t.Fatal(err)
		}
		if err := s.Reader.Model(&contacts.ContactRow{}).Order("id DESC").Limit(30).Pluck("id", &some).Error; err != nil {
			t.Fatal(err)
		}
		alike := planned(t, s, func(cn engine.Conn) error {
			one := crm.Contact{ID: first[0], OrgID: planOrg, Email: "a1@example.com", PhoneE164: "+55111"}
			found, err := s.repos(cn).ContactSearch.Alike(t.Context(), one, 20)
			if len(found) != 3 {
				t.Errorf("%s: %d alike", s.Writer.Name(), len(found))
			}
			return err
		})
		of := planned(t, s, func(cn engine.Conn) error {
			found, err := s.repos(cn).ContactSearch.AlikeBefore(t.Context(), planOrg, some, 100)
			if len(found) != 30 {
				t.Errorf("%s: %d have somebody alike", s.Writer.Name(), len(found))
			}
			return err
		})
		for what, plans := range map[string][]string{"one": alike, "some": of} {
			all := strings.Join(plans, "\n")
			all = regexp.MustCompile(`.*contact_documents_(contact|pkey).*|Bitmap Heap Scan on contact_documents`).
				ReplaceAllString(all, "")
			if everything.MatchString(all) ||
				!strings.Contains(all, "contacts_email") || !strings.Contains(all, "contacts_phone") {
				t.Errorf("%s: what is alike to %s is found by\n%s", s.Writer.Name(), what, all)
			}
		}
	}
}
