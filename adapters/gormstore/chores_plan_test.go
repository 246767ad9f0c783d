package gormstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/privacy"
)

// TestChoresReadWhatTheyChange among all entries: the first runs every ten seconds, with SQLite's only writer.
func TestChoresReadWhatTheyChange(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 20_000, fmt.Sprintf(`INSERT INTO lookups
			(id, org_id, product, doc_type, document, at, cache, charged, amount, status, day, month)
			SELECT @id, '%s'@uuid, 'cpf', 'cpf', '', @moment, false, false, 0, 'concluida', '', '' FROM numbers`, planOrg))
		var first, last string
		err := s.Reader.Raw("SELECT CAST(MIN(CAST(id AS text)) AS text), CAST(MAX(CAST(id AS text)) AS text) FROM lookups").
			Row().Scan(&first, &last)
		if err != nil {
			t.Fatal(err)
		}
		p := privacy.Person{OrgID: planOrg}
		for what, run := range map[string]func(engine.Conn) error{
			"settling": func(c engine.Conn) error {
				_, err := s.repos(c).LookupEnds.Settle(t.Context(), time.Now())
				return err
			},
			"erasing a first and a last entry": func(c engine.Conn) error {
				return c.Writer.Transaction(func(tx *gorm.DB) error {
					c.Reader, c.Writer, c.Tx = tx, tx, true
					_, err := s.repos(c).SubjectTraces.Erase(t.Context(), &p, privacy.Lookups, []string{first, last})
					return err
				})
			},
		} {
			plans := strings.Join(planned(t, s, run), "\n")
			whole := strings.Contains(plans, "SCAN lookups") || strings.Contains(plans, "Seq Scan on lookups") ||
				strings.Contains(plans, "id>? AND id<?")
			if !strings.Contains(plans, "lookups") || whole {
				t.Errorf("%s: %s reads entries by:\n%s", s.Writer.Name(), what, plans)
			}
		}
	}
}
