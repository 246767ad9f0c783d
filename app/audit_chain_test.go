package app_test

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL for who edits the tables behind the store's back

	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/tests/testkit/postgres"
)

// behind runs a test on both databases, with access to their tables behind the store's back.
func behind(t *testing.T, test func(t *testing.T, s *setting, url string, edit func(query string, args ...any))) {
	t.Helper()
	for driver, url := range map[string]func(*testing.T) string{
		"sqlite": func(t *testing.T) string { t.Helper(); return template.New(t) },
		"pgx": func(t *testing.T) string {
			t.Helper()
			return postgres.New(t, migrate)
		},
	} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			url := url(t)
			s := newSetting(t, open(t, url), now)
			db := must(sql.Open(driver, strings.TrimPrefix(url, "sqlite://")))
			t.Cleanup(func() { _ = db.Close() })
			test(t, s, url, func(query string, args ...any) {
				must(db.ExecContext(t.Context(), query, args...))
			})
		})
	}
}

// TestWhatIsDoneToTheAuditIsFound edits the tables like somebody who has the database and wants to get rid of a line.
func TestWhatIsDoneToTheAuditIsFound(t *testing.T) {
	t.Parallel()
	const of = " WHERE org_id = @org AND number = "
	shift := func(from int, by string) string { // two steps, because the numbers are unique
		return fmt.Sprintf("UPDATE audit_lines SET number = -number WHERE org_id = @org AND number >= %d;"+
			"UPDATE audit_lines SET number = -number %s WHERE org_id = @org AND number < 0", from, by)
	}
	copied := "INSERT INTO audit_lines (id, org_id, number, at, actor, door, action, object, request_id, hash) " +
		"SELECT @id, org_id, %s, at, actor, door, action, object, request_id, hash " +
		"FROM audit_lines" + of + "4"
	cases := map[string]struct{ edits, want string }{
		"nothing":                {"", ""},
		"another action":         {"UPDATE audit_lines SET action = 'entrada.aceita'" + of + "3", "3 alterada"},
		"another actor":          {"UPDATE audit_lines SET actor = 'operador'" + of + "5", "5 alterada"},
		"another object":         {"UPDATE audit_lines SET object = ''" + of + "2", "2 alterada"},
		"another time":           {"UPDATE audit_lines SET at = '2020-01-01 00:00:00+00:00'" + of + "2", "2 alterada"},
		"another hash":           {"UPDATE audit_lines SET hash = (SELECT hash FROM audit_lines" + of + "4)" + of + "3", "3 alterada"},
		"another detail":         {"UPDATE audit_lines SET detail = (SELECT detail FROM audit_lines" + of + "3)" + of + "4", "4 alterada"},
		"no detail":              {"UPDATE audit_lines SET detail = NULL" + of + "3", "3 esvaziada"},
		"no detail, and no sum":  {"UPDATE audit_lines SET detail = NULL, detail_sum = NULL" + of + "3", "3 alterada"},
		"an erasure that is not": {"UPDATE audit_lines SET detail = NULL, erased_by = id" + of + "3", "3 esvaziada"},
		"said to be erased":      {"UPDATE audit_lines SET erased_by = id" + of + "3", "3 alterada"},
		"the first line gone":    {"DELETE FROM audit_lines" + of + "1", "1 removida"},
		"a line gone":            {"DELETE FROM audit_lines" + of + "4", "4 removida"},
		"the last line gone":     {"DELETE FROM audit_lines" + of + "8", "8 removida"},
		"all lines gone":         {"DELETE FROM audit_lines WHERE org_id = @org", "1 removida"},
		"a line gone, the others moved up": {
			"DELETE FROM audit_lines" + of + "4;" + shift(5, "- 1"), "4 alterada",
		},
		"two lines exchanged": {
			"UPDATE audit_lines SET number = 0" + of + "3;UPDATE audit_lines SET number = 3" + of + "6;" +
				"UPDATE audit_lines SET number = 6" + of + "0", "3 fora_de_ordem 6",
		},
		"neighbours exchanged": {
			"UPDATE audit_lines SET number = 0" + of + "3;UPDATE audit_lines SET number = 3" + of + "4;" +
				"UPDATE audit_lines SET number = 4" + of + "0", "3 fora_de_ordem 4",
		},
		"a line between":    {shift(5, "+ 1") + ";" + fmt.Sprintf(copied, "5"), "5 alterada"},
		"a line at the end": {fmt.Sprintf(copied, "9"), "9 acrescentada"},
		"the end gone, and the head told so": {
			"DELETE FROM audit_lines" + of + "8;UPDATE audit_heads SET number = 7, hash = " +
				"(SELECT hash FROM audit_lines" + of + "7) WHERE id = @org", "7 cabeca",
		},
		"the beginning gone, and the head told so": {
			"UPDATE audit_heads SET removed_number = 1, removed_hash = (SELECT hash FROM audit_lines" + of +
				"1) WHERE id = @org;DELETE FROM audit_lines" + of + "1", "8 cabeca",
		},
		"all lines gone, and the head reset": {
			"DELETE FROM audit_lines WHERE org_id = @org;UPDATE audit_heads SET number = 0, hash = removed_hash, sealed = NULL " +
				"WHERE id = @org", "0 cabeca",
		},
		"all lines and the head gone": {
			"DELETE FROM audit_lines WHERE org_id = @org;DELETE FROM audit_heads WHERE id = @org", "0 cabeca",
		},
		"no head":                {"DELETE FROM audit_heads WHERE id = @org", "0 cabeca"},
		"a head that was undone": {"UPDATE audit_heads SET number = 0, sealed = NULL WHERE id = @org", "0 cabeca"},
	}
	behind(t, func(t *testing.T, s *setting, _ string, edit func(string, ...any)) {
		for what, c := range cases {
			s := s.another()
			owner := s.add("dona", crm.Owner)
			for i := range 6 {
				must(s.origins.Add(t.Context(), owner, s.orgID, fmt.Sprint("Origem ", i)))
			}
			for query := range strings.SplitSeq(c.edits, ";") {
				if query != "" {
					edit(strings.ReplaceAll(strings.ReplaceAll(query, "@org", "'"+s.orgID+"'"), "@id", "'"+lookups.NewKeyID()+"'"))
				}
			}
			found := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{}))
			got := ""
			if f := found.Finding; f != nil {
				if got = line(f.Number, f.Problem); f.Moved > 0 {
					got = line(got, f.Moved)
				}
				if f.Message() == "" {
					t.Error("it is not said in words")
				}
			}
			equal(t, "what is found with "+what, got, c.want)
			must(s.origins.Add(t.Context(), owner, s.orgID, "Depois")) // people go on working
			found = must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{}))
			equal(t, "whether something is found afterwards with "+what, found.Finding != nil, c.want != "")
		}
	})
}

// TestAHeadThatWasKeptElsewhere is recognised as long as the chain continues from it; a rebuilt chain lacks it.
func TestAHeadThatWasKeptElsewhere(t *testing.T) {
	t.Parallel()
	behind(t, func(t *testing.T, s *setting, _ string, _ func(string, ...any)) {
		owner := s.add("dona", crm.Owner)
		kept := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{})).Head
		must(s.origins.Add(t.Context(), owner, s.orgID, "Feira"))
		equal(t, "seen", must(s.audit.Verify(t.Context(), owner, s.orgID, kept)).Seen, true)
		equal(t, "never seen", must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{1})).Seen, false)
		read, ok := audit.ParseHash(kept.String())
		equal(t, "as it is printed", read == kept && ok, true)
	})
}

// TestTwoInstancesWriteOneChain: their concurrent changes, in several organisations, leave every chain intact.
func TestTwoInstancesWriteOneChain(t *testing.T) {
	t.Parallel()
	behind(t, func(t *testing.T, s *setting, url string, _ func(string, ...any)) {
		owner, rival := s.add("dona", crm.Owner), s.another()
		stores := []ports.Store{s.store, open(t, url)}
		var several sync.WaitGroup
		const each = 25
		for i := range 4 {
			origins := contacts.NewOrigins(stores[i%2])
			several.Go(func() {
				for n := range each {
					must(origins.Add(t.Context(), app.Operator(), s.orgID, fmt.Sprint("O ", i, " ", n)))
					must(origins.Add(t.Context(), app.Operator(), rival.orgID, fmt.Sprint("O ", i, " ", n)))
				}
			})
		}
		several.Wait()
		found := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{}))
		equal(t, "lines", line(found.Finding == nil, found.Lines), line(true, 2+4*each))
		found = must(s.audit.Verify(t.Context(), app.Operator(), rival.orgID, audit.Hash{}))
		equal(t, "lines of the other one", line(found.Finding == nil, found.Lines), line(true, 1+4*each))
	})
}

// TestOtherLinesDoNotPassForErased: whoever empties lines in the name of an erasure that there was is found, also where
// its own lines have been removed for their age.
func TestOtherLinesDoNotPassForErased(t *testing.T) {
	t.Parallel()
	behind(t, func(t *testing.T, s *setting, _ string, edit func(string, ...any)) {
		owner, who := s.add("dona", crm.Owner), privacy.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		sheet := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
		done(s.lookups.Opened(t.Context(), owner, must(s.lookups.Show(t.Context(), owner, sheet.ID))))
		e := must(s.subjects.Erase(t.Context(), owner, who, false))
		verify := func() (what string) {
			if f := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{})).Finding; f != nil {
				what = line(f.Number, f.Problem)
			}
			return what
		}
		equal(t, "while it runs", verify(), "")
		done(s.subjects.Finish(t.Context(), e.ID))
		equal(t, "when it is done", verify(), "")
		must(s.origins.Add(t.Context(), owner, s.orgID, "Feira"))
		lines := s.lines(0)
		at := lines[len(lines)-1].Number
		const empty = "UPDATE audit_lines SET detail = NULL, erased_by = '%s' WHERE org_id = '%s' AND number = %d"
		edit(fmt.Sprintf(empty, e.ID, s.orgID, 2))
		equal(t, "an earlier line", verify(), "2 esvaziada")
		edit(fmt.Sprintf(empty, e.ID, s.orgID, at))
		equal(t, "both", verify(), "2 esvaziada")
	})
}

// TestAnErasureThatRunsIsNoCover: what is emptied in the name of an erasure that is kept running, or that is begun
// again
// behind the service's back, was not emptied by it.
func TestAnErasureThatRunsIsNoCover(t *testing.T) {
	t.Parallel()
	behind(t, func(t *testing.T, s *setting, _ string, edit func(string, ...any)) {
		owner, who := s.add("dona", crm.Owner), privacy.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		sheet := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
		done(s.lookups.Opened(t.Context(), owner, must(s.lookups.Show(t.Context(), owner, sheet.ID))))
		must(s.origins.Add(t.Context(), owner, s.orgID, "Feira"))
		verify := func() (what string) {
			if f := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{})).Finding; f != nil {
				what = line(f.Number, f.Problem)
			}
			return what
		}
		const empty, back = "UPDATE audit_lines SET detail = NULL, erased_by = '%s' WHERE org_id = '%s' AND number = %d",
			"UPDATE audit_lines SET detail = k.detail, erased_by = NULL FROM kept k WHERE audit_lines.number = 2 AND audit_lines.id = k.id"
		edit("CREATE TABLE kept AS SELECT id, detail FROM audit_lines")
		e := must(s.subjects.Erase(t.Context(), owner, who, false))
		edit("CREATE TABLE running AS SELECT id, content FROM erasures")
		edit(fmt.Sprintf(empty, e.ID, s.orgID, 2))
		equal(t, "while it runs", verify(), "2 esvaziada")
		edit(back)
		equal(t, "put back", verify(), "")
		edit(fmt.Sprintf(empty, e.ID, s.orgID, 2))
		done(s.subjects.Finish(t.Context(), e.ID))
		equal(t, "when it is done", verify(), "2 esvaziada")
		edit(back)
		equal(t, "put back again", verify(), "")
		edit(fmt.Sprintf(empty, e.ID, s.orgID, 2))
		edit("UPDATE erasures SET state = 'em_andamento', lease = '', lease_until = NULL, content = r.content FROM running r " +
			"WHERE erasures.id = r.id")
		equal(t, "begun again", verify(), "2 esvaziada")
		done(s.subjects.Finish(t.Context(), e.ID))
		equal(t, "and done again", verify(), "2 esvaziada")
	})
}

// TestRetentionFollowsTheChain: a line whose time was changed takes none with it, and a chain that does not hold
// keeps no other from being shortened.
func TestRetentionFollowsTheChain(t *testing.T) {
	t.Parallel()
	behind(t, func(t *testing.T, s *setting, _ string, edit func(string, ...any)) {
		owner, other := s.add("dona", crm.Owner), s.another()
		for i := range 6 {
			must(s.origins.Add(t.Context(), owner, s.orgID, fmt.Sprint("Origem ", i)))
		}
		edit("UPDATE audit_lines SET at = '2001-01-01 00:00:00+00:00' WHERE org_id = '" + s.orgID + "' AND number = 7")
		keep := privacy.NewRetention(s.store, privacy.Keeping{Audit: 365 * day}, s.now)
		done(keep.ForgetAudit(t.Context()))
		equal(t, "lines", len(s.lines(0)), 8)
		f := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{})).Finding
		equal(t, "found", line(f.Number, f.Problem), "7 alterada")

		edit("UPDATE audit_lines SET at = '2001-01-01 00:00:00+00:00' WHERE org_id = '" + s.orgID + "'")
		later := func() time.Time { return s.now().Add(time.Hour) }
		done(privacy.NewRetention(s.store, privacy.Keeping{}, later).ForgetAudit(t.Context()))
		equal(t, "lines that no longer hold", len(s.lines(0)), 8)
		if left := len(other.lines(0)); left > 1 {
			t.Errorf("%d lines of another chain", left)
		}
	})
}
