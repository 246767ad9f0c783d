package gormstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/ports"
)

// contactRows inserts contacts of two organisations; see fill.
var contactRows = fmt.Sprintf(`INSERT INTO contacts
	(id, org_id, webhook_id, name, email, phone, phone_e164, company, amount, note, origin_id, stage_id, assignee_id,
	created_at, search)
	SELECT @id, CASE WHEN i %% 11 > 0 THEN '%[1]s'@uuid ELSE '%[2]s'@uuid END, NULL, '', '', '', '', '',
	(i * 7919) %% 97, '', CASE WHEN i %% 3 > 0 THEN '%[1]s'@uuid ELSE '%[2]s'@uuid END, '%[1]s'@uuid, NULL, @moment,
	CASE WHEN i %% 2 = 0 THEN 'zulmira ' WHEN i %% 3 = 0 THEN 'joao ' ELSE 'ana ' END || CASE WHEN i %% 701 = 5
	THEN 'li ' WHEN i %% 1000 < 3 THEN 'd''avila "100%%_" ' ELSE '' END
	|| 'c' || i || '@example.com ' || CASE WHEN i < 600 THEN 'expo ' ELSE '' END
	|| '+55' || (11 + i %% 80) || '9' || (i * 7919)
	FROM numbers`, planOrg, planKey)

// manyContacts are more than a search scans, most of them in its index.
func manyContacts(t *testing.T, s *Store, n int) {
	t.Helper()
	fill(t, s, n, contactRows+fmt.Sprintf(" WHERE i <= %d", n-40)) // the index ends before the newest
	err := s.Writer.Exec("UPDATE contact_index SET up_to = ?", engine.BeforeAll).Error
	if err := errors.Join(err, s.IndexContacts(t.Context())); err != nil {
		t.Fatal(err)
	}
	fill(t, s, n, contactRows+fmt.Sprintf(" WHERE i > %d", n-40))
	if s.IsPostgres() { // which does so by itself within a minute: until then it may choose a plan for empty tables
		if err := s.Writer.Exec("ANALYZE").Error; err != nil {
			t.Fatal(err)
		}
	}
}

// searches are words that no, few, many and all contacts have, and filters.
var searches = []ports.ContactFilter{
	{Words: []string{"qqqq"}}, {Words: []string{"zulmira"}}, {Words: []string{"joao", "expo"}}, {Words: []string{"expo"}},
	{Words: []string{"example"}}, {Words: []string{`"100%_"`}}, {Words: []string{`d'av`}}, {Words: []string{"a"}},
	{Words: []string{"%"}}, {Words: []string{"zulmira"}, Since: engine.TimeOfID("019bd000-0000-7000-8000-000000000000")},
	{Words: []string{"_", "zul"}},
	{Words: []string{"li"}}, {Words: []string{"x"}}, {Words: []string{"13"}}, {Words: []string{"c7919@"}},
	{Words: []string{"791"}}, {Words: []string{"li", "zulm"}}, {Words: []string{"joao"}, OriginID: planKey},
	{Words: []string{"expo"}, OriginID: planKey, StageID: planOrg}, {Words: []string{"example"}, OriginID: planKey},
}

// TestSlowSearchOfMany: the index finds what scanning each contact finds, in every order, page by page.
func TestSlowSearchOfMany(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		manyContacts(t, s, 13_000)
		if s.Writer.Name() == "sqlite" { // whose places are prefixes of ids
			displaceSome(t, s)
		}
		repo := s.Repos().ContactSearch
		for _, f := range searches {
			for _, order := range []crm.ContactOrder{crm.ByArrival, crm.ByName, crm.ByAmount} {
				q := ports.ContactQuery{ContactFilter: f, Order: order, Ascending: len(f.Words[0])%2 == 0, Limit: 700}
				want, got := scanned(t, s, q), []string(nil)
				for range 6 {
					page, err := repo.Select(t.Context(), planOrg, q)
					if err != nil {
						t.Fatal(err)
					}
					for _, one := range page {
						got = append(got, one.ID)
					}
					if len(page) < q.Limit {
						break
					}
					q.After = got[len(got)-1]
				}
				if want := want[:min(len(want), 6*q.Limit)]; !slices.Equal(got, want) {
					t.Errorf("%s, %+v by %v: found %d, not %d, or in another order", s.Reader.Name(), f, order, len(got), len(want))
				}
				q.After = someContact(t, s)
				for _, plan := range planned(t, s, func(cn engine.Conn) error {
					_, err := s.repos(cn).ContactSearch.Select(t.Context(), planOrg, q)
					return err
				}) {
					if strings.Contains(plan, "w USING INTEGER PRIMARY KEY") && !strings.Contains(plan, "(id=?)") {
						t.Errorf("%+v by %v: what the index found is not read by its id:\n%s", f, order, plan)
					}
				}
				n, err := repo.Count(t.Context(), planOrg, f, 3001)
				if want := min(len(want), 3001); n != want || err != nil {
					t.Errorf("%s, %+v: counted %d, not %d, %v", s.Reader.Name(), f, n, want, err)
				}
			}
		}
	}
}

// TestTheIndexWaitsForAClockThatIsBehind: a contact whose id is smaller than that of one that came before it is indexed
// with it, or after the index, where the search scans.
func TestTheIndexWaitsForAClockThatIsBehind(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 1, contactRows)
		var id string
		for _, ago := range []time.Duration{70 * time.Second, 90 * time.Second} {
			id = engine.FirstID(time.Now().Add(-ago))
			err := s.Writer.Exec(`INSERT INTO contacts
				(id, org_id, name, email, phone, phone_e164, company, amount, note, stage_id, created_at, search)
				SELECT ?, org_id, '', '', '', '', '', 1, '', stage_id, created_at, 'zulmira' FROM contacts LIMIT 1`, id).Error
			if err := errors.Join(err, s.IndexContacts(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		var lost int
		err := s.Reader.Raw(`SELECT count(*) FROM contact_index WHERE up_to >= ?
			AND NOT EXISTS (SELECT 1 FROM contact_words WHERE contact_id = ?)`, id, id).Scan(&lost).Error
		if err != nil || lost != 0 {
			t.Errorf("%s: it is neither in the index nor after it: %v", s.Writer.Name(), err)
		}
	}
}

// displaceSome makes contacts of one moment, of which half are indexed after the others.
func displaceSome(t *testing.T, s *Store) {
	t.Helper()
	for half := range 2 {
		for i := range 20 {
			id := fmt.Sprintf("019c0000-0000-7000-8000-0000000000%02x", 2*i+half)
			err := s.Writer.Exec(`INSERT INTO contacts (id, org_id, name, email, phone, phone_e164, company, amount, note, stage_id,
				created_at, search) SELECT ?, org_id, '', '', '', '', '', 1, '', stage_id, created_at, 'zulmira expo'
				FROM contacts WHERE org_id = ? LIMIT 1`, id, planOrg).Error
			if err != nil {
				t.Fatal(err)
			}
		}
		err := s.Writer.Exec("UPDATE contact_index SET up_to = ?", engine.BeforeAll).Error
		if err := errors.Join(err, s.IndexContacts(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
}

// scannedRow is what a query looks at.
type scannedRow struct {
	ID, Search, OriginID, StageID string
	Amount                        int64
	CreatedAt                     time.Time
}

// scanned are the ids that a query finds among all contacts, in its order.
func scanned(t *testing.T, s *Store, q ports.ContactQuery) (ids []string) {
	t.Helper()
	var all []scannedRow
	err := s.Reader.Table("contacts").Select("id, search, origin_id, stage_id, amount, created_at").
		Where("org_id = ?", planOrg).Find(&all).Error
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b scannedRow) int {
		order := 0
		switch q.Order {
		case crm.ByName:
			order = cmp.Compare(a.Search, b.Search)
		case crm.ByAmount:
			order = cmp.Compare(a.Amount, b.Amount)
		}
		if order = cmp.Or(order, cmp.Compare(a.ID, b.ID)); !q.Ascending {
			order = -order
		}
		return order
	})
	for _, c := range all {
		has := func(word string) bool {
			if len(word) < 3 && word != "%" && word != "_" { // only where a word begins, or as an area code
				return regexp.MustCompile(`(^| |(^| )\+|(^| )\+55)` + regexp.QuoteMeta(word)).MatchString(c.Search)
			}
			return strings.Contains(c.Search, word)
		}
		if (q.OriginID == "" || q.OriginID == c.OriginID) && (q.StageID == "" || q.StageID == c.StageID) &&
			!c.CreatedAt.Before(q.Since) && !slices.ContainsFunc(q.Words, func(word string) bool { return !has(word) }) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// TestWordsGoWithTheirContact: a changed or removed contact leaves nothing in the index.
func TestWordsGoWithTheirContact(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		manyContacts(t, s, 300)
		has := func(trigram string) (n int64) {
			t.Helper()
			counted := s.Reader.Table("contact_words").Where("words LIKE ?", "%"+trigram+"%")
			if s.Reader.Name() == "sqlite" {
				counted = s.Reader.Table("contact_trigrams_data").Where("instr(block, CAST(? AS blob)) > 0", trigram[1:])
			}
			if err := counted.Count(&n).Error; err != nil {
				t.Fatal(err)
			}
			return n
		}
		change := func(statement string) {
			t.Helper()
			if err := s.Writer.Exec(statement, someContact(t, s)).Error; err != nil {
				t.Fatal(err)
			}
		}
		change("UPDATE contacts SET search = 'wvk jxq' WHERE id = ?")
		if has("jxq") == 0 {
			t.Errorf("%s: what a contact is called now is not in the index", s.Reader.Name())
		}
		change("UPDATE contacts SET search = 'somebody' WHERE id = ?")
		if n := has("jxq"); n > 0 {
			t.Errorf("%s: what a contact was called is in the index", s.Reader.Name())
		}
		change("UPDATE contacts SET search = 'wvk jxq' WHERE id = ?")
		change("DELETE FROM contacts WHERE id = ?")
		if n := has("jxq"); n > 0 {
			t.Errorf("%s: a contact that is gone is in the index", s.Reader.Name())
		}
		stray := "INSERT INTO contact_words VALUES (1, '" + planOrg + "')"
		if s.Reader.Name() == "postgres" {
			stray = "INSERT INTO contact_words VALUES ('" + planOrg + "', '" + planOrg + "', '')"
		}
		for _, want := range []int64{0, 1} {
			findings, err := s.Check(t.Context(), time.Now())
			for _, f := range findings {
				if f.Name == "the search index has only contacts that exist" && f.Violations != want || err != nil {
					t.Errorf("%s: %d of %s, not %d, %v", s.Reader.Name(), f.Violations, f.Name, want, err)
				}
			}
			if err := s.Writer.Exec(stray).Error; err != nil && want == 0 {
				t.Fatal(err)
			}
		}
	}
}

// TestSlowAContactThatComesBackIsFound: a restored contact is indexed again, although it precedes the index's mark,
// and its index entry follows changes.
func TestSlowAContactThatComesBackIsFound(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		manyContacts(t, s, 300)
		ctx, repos := t.Context(), s.Repos()
		stages := []crm.Stage{{ID: planOrg, Name: "Novo", Outcome: crm.Open}} // the stage of all of them
		if err := errors.Join(
			repos.Orgs.Create(ctx, crm.Organisation{ID: planOrg, Name: "Org"}),
			repos.Funnels.Create(ctx, crm.Funnel{ID: planKey, OrgID: planOrg, Name: "Vendas", Stages: stages}),
		); err != nil {
			t.Fatal(err)
		}
		id := someContact(t, s)
		err := s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			c, err := r.Contacts.Lock(ctx, ports.AnyOrg, id)
			if err != nil {
				return err
			}
			c.Name, c.OriginID = "Quirino", "" // its origin is made up
			gone := crm.Removal{Contact: c, By: "Ana", At: c.CreatedAt}
			back := crm.Event{ID: planKey, OrgID: c.OrgID, ContactID: id, Kind: crm.Restored, Actor: "Ana", At: c.CreatedAt}
			return errors.Join(r.Removals.Remove(ctx, gone), r.Removals.Restore(ctx, c, back))
		})
		if err != nil {
			t.Fatal(err)
		}
		found := func(word string) {
			t.Helper()
			q := ports.ContactQuery{ContactFilter: ports.ContactFilter{Words: []string{word}}, Limit: 2}
			page, err := repos.ContactSearch.Select(ctx, planOrg, q)
			n, err2 := repos.ContactSearch.Count(ctx, planOrg, q.ContactFilter, 2)
			if err := errors.Join(err, err2); err != nil || len(page) != 1 || page[0].ID != id || n != 1 {
				t.Errorf("%s: by %s %d are found, %d counted, %v", s.Reader.Name(), word, len(page), n, err)
			}
		}
		found("quirino")
		if err := s.Writer.Exec("UPDATE contacts SET search = 'rosalva' WHERE id = ?", id).Error; err != nil {
			t.Fatal(err)
		}
		found("rosalva")
		findings, err := s.Check(ctx, time.Now())
		for _, f := range findings {
			if strings.Contains(f.Name, "search index") && f.Violations > 0 || err != nil {
				t.Errorf("%s: %d of %s, %v", s.Reader.Name(), f.Violations, f.Name, err)
			}
		}
	}
}

func someContact(t *testing.T, s *Store) (id string) {
	t.Helper()
	if err := s.Reader.Raw("SELECT id FROM contacts ORDER BY id LIMIT 1 OFFSET 100").Scan(&id).Error; err != nil {
		t.Fatal(err)
	}
	return id
}
