package world_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"

	gormengine "fichario/adapters/gormstore/engine"
	"fichario/app"
	privacyapp "fichario/app/privacy"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/privacy"
	"fichario/ports"
)

// calm reports whether nothing is under way. An item may be about to be asked, though its batch is paused.
func (w *world) calm() bool {
	return w.numbers("SELECT count(*) FROM lookups WHERE org_id = '%s' AND status = 'em_andamento'") == 0 &&
		w.numbers("SELECT count(*) FROM later_answers a JOIN lookups l ON l.id = a.id WHERE l.org_id = '%s'") == 0 &&
		w.numbers("SELECT count(*) FROM batches WHERE org_id = '%s' AND status IN ('em_andamento', 'preparando')") == 0 &&
		w.numbers("SELECT count(*) FROM batch_items i JOIN batches b ON b.id = i.batch_id WHERE b.org_id = '%s' "+
			"AND i.state = 'em_andamento'") == 0 && !w.resuming() &&
		w.numbers("SELECT count(*) FROM erasures WHERE org_id = '%s' AND state = 'em_andamento'") == 0 &&
		w.numbers("SELECT count(*) FROM bulk_actions WHERE org_id = '%s' AND status NOT IN ('concluida', 'desfeita', 'rascunho')") == 0
}

// resuming reports whether a paused batch, or a job, goes on by itself within seconds: what it asks then must end, too.
func (w *world) resuming() bool {
	due := "SELECT resume_at FROM batches WHERE org_id = '%[1]s' AND status = 'pausado' AND resume_at IS NOT NULL"
	if w.plan.fires {
		due += " UNION ALL SELECT run_at FROM jobs WHERE org_id = '%[1]s' AND state = 'ready'"
	}
	return slices.ContainsFunc(w.rows(fmt.Sprintf(due, w.orgID)), func(row []string) bool {
		at, err := time.Parse(time.RFC3339, row[0])
		if err != nil {
			w.fail("judge", "%v", err)
		}
		return time.Until(at) < 5*time.Second
	})
}

// idle reports whether no job is left to do, now or later.
func (w *world) idle() bool {
	return !w.plan.fires ||
		w.numbers("SELECT count(*) FROM jobs WHERE org_id = '%s' AND state NOT IN ('done', 'dead')") == 0
}

func (w *world) numbers(statement string) int64 { return w.number(fmt.Sprintf(statement, w.orgID)) }

// did reports whether anything with one of these verbs was done.
func (w *world) did(verbs ...string) bool {
	return slices.ContainsFunc(w.happened, func(h happening) bool { return slices.Contains(verbs, h.op.verb) })
}

// crashed reports whether an instance died or lost a connection, so that a charge may stand for a call not made.
func (w *world) crashed() bool {
	return w.did("kill") || w.plan.faults.lost > 0 || w.plan.faults.unheard > 0
}

// verdicts are all judges.
func (w *world) verdicts() {
	ctx := context.Background()
	w.judgeDoctor(ctx)
	w.judgeLedger()
	w.judgeComparisons()
	w.judgeReplies()
	w.judgeLimits()
	w.judgeItems()
	w.judgeErrors()
	w.judgeAnswers()
	w.judgeContacts()
	w.judgeLeads()
	w.judgeTold()
	w.judgeSeveral()
	w.judgeStages(ctx)
	w.judgeAgents()
	w.judgeErasures(ctx)
	w.judgeEvents(ctx)
	w.judgeAudit(ctx)
}

// judgeDoctor: the product's own invariants hold.
func (w *world) judgeDoctor(ctx context.Context) {
	found, err := w.judge.store.Check(ctx, time.Now())
	if err != nil {
		w.fail("doctor", "%v", err)
	}
	sealed, err := w.judge.store.CheckSealed(ctx)
	if err != nil {
		w.fail("doctor", "%v", err)
	}
	for _, f := range append(found, sealed...) {
		// A database that many worlds use also has what earlier ones left.
		of := slices.DeleteFunc(slices.Clone(f.IDs), func(id string) bool { return w.known[f.Name+id] })
		for _, id := range of {
			w.known[f.Name+id] = true
		}
		if len(of) > 0 {
			w.fail("doctor", "%s: %v%s", f.Name, of, w.shown(f.Name, of))
		}
	}
}

// shown is what there is of batches, or in the history of contacts, that break an invariant.
func (w *world) shown(name string, ids []string) string {
	list := "'" + strings.Join(ids, "', '") + "'"
	if strings.Contains(name, "contact's history") {
		return fmt.Sprint("\n", w.rows("SELECT contact_id, kind, at FROM contact_events WHERE contact_id IN ("+list+") ORDER BY id"))
	}
	if !strings.Contains(name, "batch") {
		return ""
	}
	return fmt.Sprint(
		"\n", w.rows("SELECT status, reason, total, valid, repeated, invalid, ended, charged, free, failed FROM "+
			"batches WHERE id IN ("+list+")"),
		"\n", w.rows("SELECT line, state, code, lookup_id, owner, lease_until FROM batch_items "+
			"WHERE batch_id IN ("+list+") ORDER BY line"))
}

// judgeLedger: every call that reached the bureau is charged once; where nothing crashed, nothing else is.
func (w *world) judgeLedger() {
	reached := int64(len(w.bureau.ledger))
	count := w.numbers("SELECT count(*) FROM lookups WHERE org_id = '%s' AND charged")
	amount := w.numbers("SELECT coalesce(sum(amount), 0) FROM lookups WHERE org_id = '%s' AND charged")
	// PostgreSQL commits what was kept for longer than its client waits, and nobody hears of it.
	late := w.server != nil &&
		(w.plan.faults.frozen > 0 || w.plan.pins.most > 4*time.Second || w.plan.holds.aimed > time.Second)
	switch {
	case count < reached:
		w.fail("ledger", "%d calls reached the bureau, %d are charged%s", reached, count, w.calls())
	case count > reached && !w.crashed() && !late:
		w.fail("ledger", "%d are charged, %d calls reached the bureau%s", count, reached, w.calls())
	}
	if amount != count*int64(price) {
		w.fail("ledger", "%d calls are charged with %d", count, amount)
	}
	// After a call that may have been charged, nobody else is asked, unless a missing record is worth it.
	after := "SELECT count(*) FROM lookups WHERE org_id = '%s' AND followed_id IS NOT NULL AND charged AND NOT compared"
	if n := w.numbers(after); n > 0 && !w.plan.more {
		w.fail("chain", "after %d charged calls the next bureau was asked", n)
	}
	if open := w.numbers("SELECT count(*) FROM lookups WHERE org_id = '%s' AND status = 'em_andamento'"); open > 0 {
		w.fail("unsettled", "%d calls have no outcome in the end: %v", open, w.rows(fmt.Sprintf(
			"SELECT id, at, settle_at, status, charged FROM lookups WHERE org_id = '%s' AND status = 'em_andamento'", w.orgID)))
	}
}

// judgeComparisons: what was only compared is the organisation's alone, is about a question that another bureau has
// answered, once, and has not cost more than it may in a month.
func (w *world) judgeComparisons() {
	for _, row := range w.rows(fmt.Sprintf(`SELECT c.id, c.status, q.status, q.bureau FROM lookups c
		LEFT JOIN lookups q ON q.id = c.followed_id
		WHERE c.org_id = '%s' AND c.compared AND (c.record_id IS NOT NULL OR c.cache OR c.key_id IS NOT NULL
			OR c.member_id IS NOT NULL OR c.batch_id IS NOT NULL OR c.automation_id IS NOT NULL
			OR q.id IS NULL OR q.compared OR q.cache OR q.bureau = c.bureau
			OR q.status <> 'concluida' AND q.settle_at IS NULL)`, w.orgID)) {
		w.fail("compared", "the comparison %q is of no answer of another bureau, or somebody's", row)
	}
	for _, row := range w.rows(fmt.Sprintf(`SELECT followed_id, count(*) FROM lookups WHERE org_id = '%s' AND compared
		GROUP BY followed_id HAVING count(*) > 1`, w.orgID)) {
		w.fail("compared", "the question %s was compared %s times", row[0], row[1])
	}
	for _, row := range w.rows(fmt.Sprintf(`SELECT followed_id FROM lookups WHERE org_id = '%s' AND bureau = '%s'
		AND followed_id IS NOT NULL AND charged GROUP BY followed_id HAVING count(*) > 1`, w.orgID, w.plan.with)) {
		w.fail("compared", "the question %s was bought twice of %s", row[0], w.plan.with)
	}
	spent := w.numbers("SELECT sum(amount) FROM lookups WHERE org_id = '%s' AND compared AND month = '" +
		w.calendar.Month(w.begun) + "'")
	if most := int64(w.plan.compares) * int64(price); spent > most {
		w.fail("compared", "comparisons cost %d, above %d", spent, most)
	}
}

// calls shows both sides of the ledger.
func (w *world) calls() string {
	var b strings.Builder
	for _, one := range w.bureau.ledger {
		fmt.Fprintf(&b, "\nreached %s at %s from %s", one.by, one.at.Format("15:04:05.000"), one.from)
	}
	for _, row := range w.rows(fmt.Sprintf("SELECT id, followed_id, bureau, status, charged, amount, settle_at FROM lookups "+
		"WHERE org_id = '%s' ORDER BY id", w.orgID)) {
		fmt.Fprintf(&b, "\nentry %q", row)
	}
	return b.String()
}

// judgeLimits: once a limit was changed, nothing is charged above it but what was charged before.
func (w *world) judgeLimits() {
	byAccount := map[string][]happening{}
	columns := map[string]string{
		"caps": "key_id", "revoke": "key_id", "budget": "member_id", "role": "member_id", "batch": "batch_id",
		"resume": "batch_id", "retire": "purpose", "ceiling": "batch_id", "confirm": "batch_id", "retry": "batch_id", "rule": "automation_id",
		"toggle": "automation_id",
	}
	none := catalog.Money(0)
	for _, h := range w.happened {
		column := columns[h.op.verb]
		if column == "" || h.id == "" {
			continue
		}
		switch h.op.verb {
		case "revoke":
			h.limit = &none
		case "role":
			if h.op.c%2 != 0 {
				h.limit = &none
			}
		case "toggle":
			if h.op.b%2 != 0 {
				h.limit = &none
			}
		}
		byAccount[column+" "+h.id] = append(byAccount[column+" "+h.id], h)
	}
	for account, changes := range byAccount {
		var column, id string
		_, _ = fmt.Sscan(account, &column, &id)
		if column == "batch_id" {
			w.judgePayers(id, changes)
		} else if w.calendar.Day(w.begun) != w.calendar.Day(time.Now()) {
			continue // another day or month
		}
		total := catalog.Money(w.number(charged(column, id)))
		for _, h := range changes {
			if h.err != nil || h.limit == nil {
				continue
			}
			// Any change that overlaps it, or came later, may have been the last.
			most := catalog.Money(-1)
			for _, other := range changes {
				switch {
				case other.ended.Before(h.begun):
				case other.err != nil && !unknown(other.err):
				case other.limit == nil:
					most = 1 << 40
				default:
					most = max(most, *other.limit, other.spent)
				}
			}
			if total > most {
				w.fail("limit", "%s of %s is %d, above %d, which it was set to by %q while %d were spent", h.op.verb, account,
					total, most,
					h.op, h.spent)
			}
		}
	}
}

// judgePayers: once somebody pays for a batch, nobody else does; and a ceiling is not below what was spent.
func (w *world) judgePayers(batch string, changes []happening) {
	for n, h := range changes {
		if h.err != nil || h.limit == nil {
			continue
		}
		alone, last := true, true
		for m, other := range changes {
			if m == n || other.err != nil && !unknown(other.err) || other.ended.Before(h.begun) {
				continue
			}
			alone = alone && other.begun.After(h.ended)
			last = last && (other.payer == h.payer || other.payer == "")
		}
		if alone && *h.limit < h.spent && !w.plan.more { // what was reserved then may have been given back since
			w.fail("limit", "%q set a ceiling of %d when %d were spent", h.op, *h.limit, h.spent)
		}
		if h.payer == "" || !last {
			continue
		}
		if now := catalog.Money(w.number(othersPay(batch, h.payer))); now > h.others {
			w.fail("payer", "after %q others paid %d for the batch, and %d before", h.op, now, h.others)
		}
	}
}

// judgeItems: each item of a batch is charged once, unless somebody wants those that failed again.
func (w *world) judgeItems() {
	if slices.ContainsFunc(w.happened, func(h happening) bool {
		return h.op.verb == "retry" || h.op.verb == "resume" && h.op.a%2 == 0
	}) {
		return
	}
	for _, row := range w.rows(fmt.Sprintf(`SELECT b.id, b.valid, count(*) FROM batches b JOIN lookups l ON l.batch_id = b.id
		WHERE b.org_id = '%s' AND l.charged AND l.followed_id IS NULL
		GROUP BY b.id, b.valid HAVING count(*) > b.valid`, w.orgID)) {
		w.fail("items", "the batch %s has %s items and %s charges", row[0], row[1], row[2])
	}
}

// judgeErrors: nobody hears of an error of ours.
func (w *world) judgeErrors() {
	calm := !w.crashed() && w.plan.faults.frozen == 0 && w.plan.holds == (holds{}) && w.plan.pins == (pins{})
	// An answer that is not written soon enough is none for those who wait for it.
	quick := !w.crashed() && w.plan.faults.frozen == 0 && w.plan.holds.some == 0 && w.plan.pins == (pins{}) &&
		w.plan.holds.aimed < time.Second/2
	for _, h := range w.happened {
		if quick && w.bureau.mute[h.document] == 0 && fault.CodeOf(h.err) == fault.BureauNoAnswer {
			w.fail("answer", "%q got no answer, and the bureau gave one each time", h.op)
		}
		if h.err == nil || app.FaultOf(h.err) != nil || errors.Is(h.err, errAway) ||
			errors.Is(h.err, context.DeadlineExceeded) {
			continue
		}
		if calm || errors.Is(h.err, ports.ErrNotFound) || errors.Is(h.err, ports.ErrExists) {
			w.fail("internal", "%q: %v", h.op, h.err)
		}
	}
}

// judgeAnswers: an answer is the bureau's about that document, and one idempotency key brings one of them.
func (w *world) judgeAnswers() {
	once, ids := map[string]happening{}, map[string]happening{}
	for _, h := range w.happened {
		if h.said != "" {
			var n int
			if _, err := fmt.Sscanf(h.said, `{"nome":"Resposta %d"}`, &n); err == nil {
				if n >= len(w.bureau.ledger) || w.bureau.ledger[n].document != h.document {
					w.fail("answer", "%q got an answer about somebody else", h.op)
				}
			}
		}
		if h.err != nil || h.id == "" {
			continue
		}
		switch h.op.verb {
		case "once":
			key := fmt.Sprint(h.op.b%2, h.key)
			if first, again := once[key]; again && h.begun.Sub(first.begun) < 24*time.Hour &&
				(first.id != h.id || first.said != h.said && !first.taken && !h.taken) && !w.did("erase") {
				w.fail("once", "%q and %q have the same idempotency key and other answers", first.op, h.op)
			}
			once[key] = h
		case "lookup", "fresh":
			if h.taken {
				continue
			}
			if first, again := ids[h.id]; again {
				w.fail("answer", "%q and %q have the same entry", first.op, h.op)
			}
			ids[h.id] = h
			if w.number(fmt.Sprintf("SELECT count(*) FROM lookups WHERE id = '%s' AND status = 'concluida'", h.id)) != 1 &&
				!w.did("kill", "erase") {
				w.fail("answer", "%q was answered, and the statement does not say so", h.op)
			}
		}
	}
	w.judgeShared()
	// An idempotency key is charged once, whatever became of its requests.
	for _, row := range w.rows(fmt.Sprintf(`SELECT r.lookup_id, count(*) FROM lookup_requests r JOIN keys k ON k.id = r.key_id
		WHERE k.org_id = '%s' GROUP BY r.lookup_id HAVING count(*) > 1`, w.orgID)) {
		w.fail("once", "the lookup %s stands for several idempotency keys", row[0])
	}
}

// judgeShared: what history has, or somebody is asking, is not bought again, unless somebody wants it fresh.
func (w *world) judgeShared() {
	// An answer that takes long to be written is given to its client, and another one may be bought once its lease ended.
	slow := w.plan.faults.frozen > 0 || w.plan.pins.whole || w.plan.holds.aimed > time.Second
	if w.crashed() || slow || w.did("erase", "purpose", "clock") {
		return
	}
	bought := map[string]happening{}
	for _, h := range w.happened {
		if h.op.verb != "lookup" || h.err != nil || h.cached || h.said == "" || h.ended.Sub(h.begun) > timeout+5*time.Second {
			continue // one that took so long had lost its lease
		}
		if first, again := bought[h.document]; again {
			w.fail("shared", "%q bought what %q had", h.op, first.op)
		}
		bought[h.document] = h
	}
}

// judgeContacts: each accepted post has its contact, once.
func (w *world) judgeContacts() {
	byKey, byID := map[string]string{}, map[string]string{}
	tried, unsure := map[string]bool{}, false
	for _, h := range w.happened {
		if h.op.verb != "post" && h.op.verb != "again" {
			continue
		}
		tried[h.key] = true
		unsure = unsure || h.err != nil
		if h.err != nil {
			continue
		}
		// A post that is repeated is answered with the contact that its contact was merged into.
		if id := byKey[h.key]; id != "" && id != h.id && !w.did("erase", "merge") {
			w.fail("contact", "the same post made the contacts %s and %s", id, h.id)
		}
		if key := byID[h.id]; key != "" && key != h.key && !w.did("merge") {
			w.fail("contact", "the posts %s and %s made one contact", key, h.key)
		}
		byKey[h.key], byID[h.id] = h.id, h.key
	}
	if w.did("erase", "delete", "undelete", "merge", "replay", "say", "people", "sweep") {
		return
	}
	there := w.numbers("SELECT count(*) FROM contacts WHERE org_id = '%s' AND webhook_id IS NOT NULL AND webhook_id <> '" +
		cmp.Or(w.adHook, gormengine.NoID) + "'")
	if int(there) < len(byID) || int(there) > len(tried) || !unsure && int(there) != len(byID) {
		w.fail("contact", "%d posts were accepted, %d tried, and there are %d contacts", len(byID), len(tried), there)
	}
}

// about reports whether a happening may bring a person's data in, or ask about the person.
func (h happening) about(person, most int) bool {
	switch h.op.verb {
	case "lookup", "fresh", "once", "later", "page", "post", "again", "create", "edit", "import", "say", "hear", "agent":
		return h.op.a == person
	case "batch", "quote":
		return h.op.a <= person && person <= h.op.a+h.op.c%most
	case "replay", "merge", "undelete", "part", "people", "undo":
		return true
	}
	return false
}

// bought reports whether a happening may have bought something.
func (h happening) bought() bool {
	if h.err == nil {
		return !h.cached
	}
	return unknown(h.err) || slices.Contains([]fault.Code{fault.BureauFailed, fault.BureauNoAnswer}, fault.CodeOf(h.err))
}

// judgeErasures: what began before an erasure ends with it.
func (w *world) judgeErasures(ctx context.Context) {
	for _, e := range w.happened {
		if e.op.verb != "erase" || e.err != nil {
			continue
		}
		if e.op.c%2 == 0 && !w.did("unblock") && !slices.ContainsFunc(w.happened,
			func(h happening) bool { // nobody may ask any more
				return h.op.verb == "erase" && h.op.a == e.op.a && h != e
			}) {
			for _, call := range w.bureau.ledger {
				if call.document == e.document && call.at.After(e.ended) {
					w.fail("blocked", "person %d was bought by %s in spite of the block of %q", e.op.a, call.by, e.op)
				}
			}
		}
		later, most := false, 0
		for _, h := range w.happened {
			// What is stored by one transaction is of the time of that: an erasure looks for it when it has erased the rest.
			stored := slices.Contains([]string{"post", "again", "create", "edit", "replay", "say", "hear", "people", "part", "undo"}, h.op.verb) &&
				!h.ended.Before(w.lookedFrom(e))
			if h.about(e.op.a, w.plan.most) && (stored || !h.begun.Before(e.begun)) {
				if later = true; h.bought() {
					most++
				}
				if slices.Contains([]string{"batch", "replay", "post", "again", "create", "import", "say", "people"}, h.op.verb) {
					most += 100 // what follows from it may ask several times
				}
			}
		}
		again := 0
		for _, call := range w.bureau.ledger {
			if call.document == e.document && call.at.After(e.ended) {
				again++
			}
		}
		held, err := w.judge.subjects.Count(ctx, app.Operator(), privacyapp.SubjectQuery{OrgID: w.orgID,
			Document: e.document}, 0)
		if err != nil {
			w.fail("erased", "%v", err)
			continue
		}
		w.judgeOlder(ctx, e, held)
		asked := 1
		if w.plan.more { // a question may be bought of each bureau
			asked = w.plan.bureaus
		}
		if w.plan.compares > 0 {
			asked++
		}
		most *= asked
		if again > most {
			w.fail("erased", "person %d was bought again after the receipt of %q: %d times, and asked for %d times", e.op.a,
				e.op, again, most)
		}
		if later {
			continue
		}
		for kind, n := range held.Counts {
			if n > 0 {
				w.fail("erased", "of person %d there are %d %s after the receipt of %q, %s to %s: %s", e.op.a, n, kind, e.op,
					e.begun.Format(stamp), e.ended.Format(stamp), w.items(ctx, e.document))
			}
		}
	}
	if running := w.numbers("SELECT count(*) FROM erasures WHERE org_id = '%s' AND state = 'em_andamento'"); running > 0 {
		w.fail("unfinished", "%d erasures never end", running)
	}
}

// lookedFrom is when an erasure last looks for contacts, or before that.
func (w *world) lookedFrom(e happening) (at time.Time) {
	at = e.begun
	for _, other := range w.happened {
		if other.op.verb == "erase" && other != e && !other.ended.Before(e.begun) && !other.begun.After(e.ended) {
			return at // the steps may be that one's
		}
	}
	for _, step := range w.sched.erased {
		if step.After(at) && !step.After(e.ended) {
			at = step
		}
	}
	return at
}

// judgeOlder: what there is of a person has been made since the last erasure began. What has another's document is only
// there because a contact of that person was merged with one of this person since.
func (w *world) judgeOlder(ctx context.Context, e happening, held privacyapp.Held) {
	x, err := w.judge.subjects.Export(ctx, app.Operator(), privacyapp.SubjectQuery{OrgID: w.orgID, Document: e.document})
	if err != nil || w.did("clock") {
		return
	}
	older := func(what, id string) {
		if at := time.Unix(uuid.MustParse(id).Time().UnixTime()); at.Before(e.begun.Truncate(time.Millisecond)) {
			w.fail("erased", "after the receipt of %q, %s to %s, there is %s of person %d of %s", e.op, e.begun.Format(stamp),
				e.ended.Format(stamp), what, e.op.a, at.UTC().Format(stamp))
		}
	}
	items := 0
	for l, err := range x.Held(ctx, privacy.Lookups) {
		if entry, ok := l.(privacyapp.SubjectLookup); err == nil && ok && entry.Document.Value() == e.document {
			older("a lookup", entry.ID)
		}
	}
	for item, err := range x.Held(ctx, privacy.Items) {
		if item, ok := item.(privacyapp.SubjectItem); err == nil && ok {
			if items++; item.Document.Value() == e.document {
				older("an item of a batch", item.BatchID)
			}
		}
	}
	// A batch that was given up may have been indexed at that moment: the next erasure takes care of it.
	givenUp := slices.ContainsFunc(w.happened, func(h happening) bool {
		return h.err != nil &&
			(h.op.verb == "batch" || h.op.verb == "quote")
	})
	if held.Counts[privacy.Items] > items && !givenUp {
		w.fail("erased", "after the receipt of %q the index has items of person %d that there are not", e.op, e.op.a)
	}
	for row, err := range x.Held(ctx, privacy.Rows) {
		if item, ok := row.(crm.BulkItem); err == nil && ok && strings.Contains(string(item.Content), e.document) {
			older("a row of a file", item.BulkID)
		}
	}
}

// items lists the items of batches about a person.
func (w *world) items(ctx context.Context, document string) (all []string) {
	x, err := w.judge.subjects.Export(ctx, app.Operator(), privacyapp.SubjectQuery{OrgID: w.orgID, Document: document})
	if err != nil {
		return []string{err.Error()}
	}
	for item, err := range x.Held(ctx, privacy.Items) {
		if err != nil {
			return append(all, err.Error())
		}
		all = append(all,
			fmt.Sprint(w.rows("SELECT b.status, i.line, i.state, i.code, b.id, i.id FROM batch_items i JOIN batches b ON "+
				"b.id = i.batch_id WHERE i.id = '"+item.(privacyapp.SubjectItem).ID+"'")))
	}
	return all
}

// move is a contact's move, as its history has it.
type move struct {
	at time.Time
	to string
}

// judgeEvents: each event is told once, in order, and as it was.
func (w *world) judgeEvents(ctx context.Context) {
	if w.did("merge", "delete", "undelete", "erase", "sweep", "stage", "drop") {
		return
	}
	moves, notes := map[string][]move{}, map[string]int{}
	for _, row := range w.rows(fmt.Sprintf("SELECT id FROM contacts WHERE org_id = '%s'", w.orgID)) {
		_, history, err := w.judge.contacts.Show(ctx, app.Operator(), row[0])
		if err != nil {
			w.fail("events", "%v", err)
			return
		}
		sort.Slice(history, func(i, j int) bool { return history[i].ID < history[j].ID })
		for _, e := range history {
			switch e.Kind {
			case crm.StageMoved:
				moves[row[0]] = append(moves[row[0]], move{e.At, e.Subject})
			case crm.NoteAdded:
				notes[e.Subject]++
			}
		}
	}
	type told struct {
		at    time.Time
		event automation.Event
	}
	heard := map[string][]told{} // by automation's address and contact
	seen := map[string]time.Time{}
	for n, c := range w.heard.heard {
		if before := seen[c.ID]; !before.IsZero() {
			// An end that was not written makes the next one try again when the lease is over.
			if w.heard.times[n].Sub(before) < 15*time.Second && !w.crashed() && w.plan.faults.frozen == 0 && !w.did("clock") {
				w.fail("events", "%s was delivered twice", c.Event.Name)
			}
			continue
		}
		seen[c.ID] = w.heard.times[n]
		key := c.URL + " " + c.Event.Contact.ID
		heard[key] = append(heard[key], told{w.heard.times[n], c.Event})
	}
	edges := map[string][][2]string{} // the moves that were told of a contact
	for _, key := range slices.Sorted(maps.Keys(heard)) {
		var before time.Time
		for _, one := range heard[key] {
			if one.event.At.Before(before) && !w.did("clock") {
				w.fail("events", "an event of %s came after a later one", key)
			}
			before = one.event.At
			if one.event.Name != automation.ContactMoved {
				continue
			}
			history := moves[one.event.Contact.ID]
			if !slices.ContainsFunc(history, func(m move) bool {
				return m.at.Equal(one.event.At) && m.to == one.event.Contact.Stage
			}) {
				w.fail("events", "a move to %s at %s was told that the history does not have: %v", one.event.Contact.Stage,
					one.event.At, history)
			}
			if told, ok := strings.CutPrefix(key, "https://x.example/a "); ok {
				edges[told] = append(edges[told], [2]string{one.event.From, one.event.Contact.Stage})
			}
		}
	}
	w.judgeMoves(moves, notes)
	w.judgeNew()
	w.judgeUndone(moves)
	for _, contact := range slices.Sorted(maps.Keys(edges)) {
		if len(edges[contact]) == len(moves[contact]) {
			w.judgeTrail(contact, edges[contact])
		}
	}
}

// judgeUndone: only what was still as a bulk action had left it was put back.
func (w *world) judgeUndone(moves map[string][]move) {
	names := map[string]string{}
	for _, s := range w.stages {
		names[s.ID] = s.Name
	}
	for _, row := range w.rows(fmt.Sprintf(`SELECT i.contact_id, b.target_id, i.before_id FROM bulk_items i
		JOIN bulk_actions b ON b.id = i.bulk_id WHERE b.org_id = '%s' AND b.kind = '%s' AND i.state = 'desfeito'`, w.orgID,
		crm.BulkMove)) {
		from, to, stage, found := names[row[1]], names[row[2]], w.stages[0].Name, false
		for _, m := range moves[row[0]] {
			found = found || stage == from && m.to == to
			stage = m.to
		}
		if !found {
			w.fail("undone", "a contact was put back from %s to %s, and its moves are %v", from, to, moves[row[0]])
		}
	}
}

// judgeTrail: the moves of a contact lead from the entry stage to where it is. Two of one moment may be in any order.
func (w *world) judgeTrail(contact string, edges [][2]string) {
	balance := map[string]int{w.stages[0].Name: -1}
	for _, e := range edges {
		balance[e[0]]++
		balance[e[1]]--
	}
	view, err := w.judge.contacts.View(context.Background(), app.Operator(), contact)
	if err != nil {
		w.fail("events", "%v", err)
		return
	}
	balance[view.Stage]++
	for stage, n := range balance {
		if n != 0 {
			w.fail("events", "the moves that were told, %v, do not lead from %s to %s (%s)", edges, w.stages[0].Name, view.Stage,
				stage)
			return
		}
	}
}

// judgeMoves: what every move triggers happened as often as there were moves.
func (w *world) judgeMoves(moves map[string][]move, notes map[string]int) {
	count := map[string]int{}
	all := 0
	for contact, of := range moves {
		stage := w.stages[0].Name
		for _, m := range of {
			if stage == m.to {
				w.fail("moves", "the contact %s was moved to %s, where it was: %v", contact, stage, of)
			}
			stage = m.to
			count[m.to]++
			all++
		}
	}
	over := w.idle() && !w.did("toggle")
	for n, text := range []string{"foi para um", "foi para dois"} {
		is, should := notes[text], count[w.stages[1+n].Name]
		if w.plan.rules[2+n] && (is > should || over && is < should) && all < 30 {
			w.fail("moves", "%d moves to %s, and %d notes %q", count[w.stages[1+n].Name], w.stages[1+n].Name, notes[text], text)
		}
	}
	if !over || !w.plan.rules[0] || w.plan.deaf > 0 {
		return
	}
	told := map[string]bool{}
	for _, c := range w.heard.heard {
		if c.Event.Name == automation.ContactMoved {
			told[c.ID] = true
		}
	}
	if len(told) != all && all < 30 {
		w.fail("moves", "%d moves, and %d were told", all, len(told))
	}
}

// judgeNew: a rule that was there first heard of every new contact.
func (w *world) judgeNew() {
	if !w.idle() || !w.plan.rules[1] || w.plan.deaf > 0 ||
		w.did("toggle", "import", "into") { // an import may be told not to tell
		return
	}
	told := map[string]bool{}
	for _, c := range w.heard.heard {
		if c.Event.Name == automation.ContactCreated {
			told[c.Event.Contact.ID] = true
		}
	}
	for _, row := range w.rows(fmt.Sprintf("SELECT id FROM contacts WHERE org_id = '%s'", w.orgID)) {
		if !told[row[0]] {
			w.fail("events", "the rule for new contacts did not hear of %s", row[0])
		}
	}
}

// judgeAudit: the chain verifies, and does not while a line of it is another one, or somewhere else.
func (w *world) judgeAudit(ctx context.Context) {
	said := ""
	verify := func() bool {
		found, err := w.judge.audit.Verify(ctx, app.Operator(), w.orgID, [32]byte{})
		if err != nil {
			w.fail("audit", "%v", err)
		} else if found.Finding != nil {
			said = found.Finding.Message()
		}
		return err == nil && found.Finding == nil
	}
	if !verify() {
		w.fail("audit", "%s", said)
		return
	}
	if w.chance(8, "whether to tamper") > 0 { // it says little about orders
		return
	}
	lines := int(w.numbers("SELECT count(*) FROM audit_lines WHERE org_id = '%s'"))
	at := 1 + w.chance(lines, "tampering")
	for _, change := range []string{"action = 'key.revoked'||action", "number = number + 1000000",
		"actor = 'operador '||actor"} {
		column, _, _ := strings.Cut(change, " ")
		line := fmt.Sprintf("org_id = '%s' AND number = %d", w.orgID, at)
		before := w.rows("SELECT " + column + " FROM audit_lines WHERE " + line)
		if len(before) != 1 {
			w.fail("audit", "there is no line %d of %d", at, lines)
			return
		}
		w.tamper("UPDATE audit_lines SET " + change + " WHERE " + line)
		if verify() {
			w.fail("audit", "line %d of %d verifies with %s", at, lines, change)
		}
		if column == "number" {
			line = fmt.Sprintf("org_id = '%s' AND number = %d", w.orgID, at+1_000_000)
		}
		w.tamper("UPDATE audit_lines SET " + column + " = '" + before[0][0] + "' WHERE " + line)
	}
}

// tamper changes a database behind the program's back.
func (w *world) tamper(statement string) {
	db := w.look
	if w.server == nil {
		db = w.file.open("?_time_format=sqlite")
		defer func() { _ = db.Close() }()
	}
	if _, err := db.Exec(statement); err != nil {
		w.fail("judge", "%s: %v", statement, err)
	}
}
