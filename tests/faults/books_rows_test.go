package faults

import (
	"fmt"
	"net/http"
	"strings"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// auditLeads checks the contacts of a shift against what was sent in it: each acknowledged one is there once, and each
// one there, acknowledged or not, has all that belongs to it.
func (b *books) auditLeads(w *shift) {
	t, db := b.t, openDatabase(b.t, b.env)
	defer func() { _ = db.Close() }()
	// Ids begin with the time.
	ms := w.began.UnixMilli()
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
		if before, there := b.people[email]; there && before != id {
			b.doubled++
			t.Error("somebody is two contacts")
		}
		b.people[email] = id
	})
	for _, query := range []string{
		"SELECT c.id, 'webhook ' FROM contacts c JOIN webhooks w ON w.id = c.webhook_id WHERE c.id > $1 AND w.name = 'Sob carga'",
		"SELECT contact_id, 'delivery ' FROM deliveries WHERE id > $1 AND outcome = 'accepted'",
	} {
		read(query, func(id, part string) { parts[id] += part })
	}
	for _, has := range parts {
		if has != "webhook delivery " {
			t.Errorf("a contact of the shift has %q", has)
		}
	}
	var received int
	const counted = "SELECT COALESCE(SUM(received), 0) FROM webhook_counters WHERE webhook_id = $1"
	if err := db.QueryRowContext(t.Context(), counted, b.hook.ID).Scan(&received); err != nil {
		t.Fatal(err)
	}
	expect(t, "the webhook's counter", received, len(b.people))
	for _, p := range w.posts {
		id, there := b.people[intaketest.Email(p.name)]
		switch {
		case p.a.Status == http.StatusOK:
			b.leads++
			if !there || id != p.a.LeadID() {
				b.lost++
				t.Errorf("an acknowledged lead is not there, or as another contact (there: %t)", there)
			}
		case p.a.Status != 0 && p.a.Status != http.StatusServiceUnavailable:
			t.Errorf("a post is answered with %s", p.a)
		case p.keyed:
			b.again = append(b.again, p)
		}
	}
}

// auditLookups checks the entries of a shift against its requests and the bureau's ledger.
func (b *books) auditLookups(w *shift) {
	t, ledger := b.t, b.bureau.Ledger()
	entries := map[string]lookuptest.Entry{}
	newest := b.newest
	for path, more := "/api/v1/consultas?limite=200", true; more; {
		page := b.product.Lookups.StatementAt(path, b.key)
		more = page.Proxima != nil
		for _, e := range page.Consultas {
			if e.ID <= b.newest {
				more = false
				break
			}
			newest = max(newest, e.ID)
			entries[e.ID] = e
			if !e.Cobrada {
				continue
			}
			b.charged[e.Documento]++
			if e.Situacao != "concluida" {
				b.inDoubt++
			} else if ledger[e.Documento] == 0 {
				t.Error("an answer is of no call")
			}
			b.hold(e.Documento, ledger[e.Documento])
		}
		if more {
			path = "/api/v1/consultas?limite=200&cursor=" + *page.Proxima
		}
	}
	b.newest = newest
	for _, l := range w.lookups {
		if l.a.Status != http.StatusOK {
			if l.a.Status != 0 && !strings.HasPrefix(l.a.Code(), "bureau_") && l.a.Status != http.StatusServiceUnavailable {
				t.Errorf("a lookup is answered with %s", l.a)
			}
			if b.charged[l.document] > ledger[l.document] {
				b.unasked++
				t.Logf("a charge without a call was answered with %s", l.a)
			}
			continue
		}
		b.lookups++
		e, there := entries[fmt.Sprint(l.a.JSON["consultaId"])]
		if !there || e.Documento != l.document || e.Cobrada == l.known || e.Situacao != "concluida" {
			b.lost++
			t.Errorf("an acknowledged lookup has no such entry (there: %t)", there)
		}
		if l.a.JSON["cache"] != any(l.known) {
			t.Errorf("history had an answer: %t, and it came from there: %v", l.known, l.a.JSON["cache"])
		}
		if !l.known && len(b.answered) < 1000 {
			b.answered = append(b.answered, l.document)
		}
	}
}

// hold checks the charges for a document against the bureau's calls.
func (b *books) hold(document string, calls int) {
	switch charged := b.charged[document]; {
	case calls > 1 || charged > 1:
		b.doubled++
		b.t.Errorf("one lookup is %d calls and charged %d times", calls, charged)
	case charged < calls:
		b.uncharged++
		b.t.Error("a call is not charged")
	}
}
