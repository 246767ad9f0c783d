package faults

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// checkLeads holds the contacts of a round to what was sent in it: each that was acknowledged is there once, and each
// that is there, acknowledged or not, has all that belongs to it.
func (s *soak) checkLeads(began time.Time, w *shift) {
	t, db := s.t, openDatabase(s.t, s.env)
	defer func() { _ = db.Close() }()
	// Ids begin with their time.
	ms := began.UnixMilli()
	bound := fmt.Sprintf("%08x-%04x-7000-8000-000000000000", ms>>16, ms&0xffff)
	read := func(query string, take func(id, text string)) {
		rows, err := db.QueryContext(t.Context(), query, bound)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id, text string
			if err := rows.Scan(&id, &text); err != nil {
				t.Fatal(err)
			}
			take(id, text)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	parts := map[string]string{}
	read("SELECT id, email FROM contacts WHERE id > $1", func(id, email string) {
		parts[id] = ""
		if before, there := s.people[email]; there && before != id {
			s.doubled++
			t.Error("somebody is two contacts")
		}
		s.people[email] = id
	})
	for _, query := range []string{
		"SELECT contact_id, 'event ' FROM contact_events WHERE id > $1 AND kind = 'criado' AND actor = 'Sob carga'",
		"SELECT contact_id, 'notification ' FROM notifications WHERE id > $1 AND kind = 'contato'",
		"SELECT contact_id, 'delivery ' FROM deliveries WHERE id > $1 AND outcome = 'accepted'",
	} {
		read(query, func(id, part string) { parts[id] += part })
	}
	for _, has := range parts {
		if has != "event notification delivery " {
			t.Errorf("a contact of the round has %q", has)
		}
	}
	var received int
	const counted = "SELECT COALESCE(SUM(received), 0) FROM webhook_counters WHERE webhook_id = $1"
	if err := db.QueryRowContext(t.Context(), counted, s.hook.ID).Scan(&received); err != nil {
		t.Fatal(err)
	}
	expect(t, "the webhook's counter", received, len(s.people))
	for _, p := range w.posts {
		id, there := s.people[intaketest.Email(p.name)]
		switch {
		case p.a.Status == http.StatusOK:
			s.leads++
			if !there || id != p.a.LeadID() {
				s.lost++
				t.Errorf("an acknowledged lead is not there, or as another contact (there: %t)", there)
			}
		case p.a.Status != 0 && p.a.Status != http.StatusServiceUnavailable:
			t.Errorf("a post is answered with %s", p.a)
		case p.keyed:
			s.again = append(s.again, p)
		}
	}
}

// checkLookups holds the entries of a round to what was asked in it and to the bureau's ledger.
func (s *soak) checkLookups(w *shift) {
	t, ledger := s.t, s.bureau.Ledger()
	entries := map[string]lookuptest.Entry{}
	newest := s.newest
	for path, more := "/api/v1/consultas?limite=200", true; more; {
		page := s.product.Lookups.StatementAt(path, s.key)
		more = page.Proxima != nil
		for _, e := range page.Consultas {
			if e.ID <= s.newest {
				more = false
				break
			}
			newest = max(newest, e.ID)
			entries[e.ID] = e
			if !e.Cobrada {
				continue
			}
			s.charged[e.Documento]++
			if e.Situacao != "concluida" {
				s.inDoubt++
			} else if ledger[e.Documento] == 0 {
				t.Error("an answer is of no call")
			}
			s.hold(e.Documento, ledger[e.Documento])
		}
		if more {
			path = "/api/v1/consultas?limite=200&cursor=" + *page.Proxima
		}
	}
	s.newest = newest
	unseen := 0
	for _, l := range w.lookups {
		if l.a.Status != http.StatusOK {
			if l.a.Status != 0 && !strings.HasPrefix(l.a.Code(), "bureau_") && l.a.Status != http.StatusServiceUnavailable {
				t.Errorf("a lookup is answered with %s", l.a)
			}
			if s.charged[l.document] > ledger[l.document] {
				unseen++
			}
			continue
		}
		s.lookups++
		e, there := entries[fmt.Sprint(l.a.JSON["consultaId"])]
		if !there || e.Documento != l.document || e.Cobrada == l.known || e.Situacao != "concluida" {
			s.lost++
			t.Errorf("an acknowledged lookup has no such entry (there: %t)", there)
		}
		if l.a.JSON["cache"] != any(l.known) {
			t.Errorf("history had an answer: %t, and it came from there: %v", l.known, l.a.JSON["cache"])
		}
		if !l.known && len(s.answered) < 1000 {
			s.answered = append(s.answered, l.document)
		}
	}
	if unseen > len(w.lookups) || unseen > 16 {
		t.Errorf("%d charges without a call, by 16 clients", unseen)
	}
}

// hold holds what a document was charged to how often the bureau was asked about it.
func (s *soak) hold(document string, calls int) {
	switch charged := s.charged[document]; {
	case calls > 1 || charged > 1:
		s.doubled++
		s.t.Errorf("one lookup is %d calls and charged %d times", calls, charged)
	case charged < calls:
		s.uncharged++
		s.t.Error("a call is not charged")
	}
}
