package lookups

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

const (
	// fetchesMax bounds how many answers that come later an instance fetches at once.
	fetchesMax = 64
	// acceptAgain is the longest pause before another attempt to store that a bureau has taken a question.
	acceptAgain = 5 * time.Second
	// unreadAgain is the longest pause before another attempt to read what a bureau has posted, and unreadFor is how much
	// longer than the bureau's time it is kept. It was an answer to the instance that took it, and the bureau posts it
	// once: one that cannot read it, as by another bureau file, leaves it to others.
	unreadAgain = time.Minute
	unreadFor   = time.Hour
)

// accept stores that a bureau has taken a question and answers later. It tries until that succeeds, or the bureau's
// time is over: without it nobody fetches the answer, which is paid for. The result is the running entry, also where
// the question has ended meanwhile, of which the store knows more.
func (l *Ledger) accept(
	ctx context.Context, chain ports.Chain, e lookup.Entry, before []made, m made,
) (Result, error) {
	a := ports.Accepted{
		LaterAnswer: ports.LaterAnswer{
			ID: e.ID, Ticket: m.later.Ticket, Trail: e.Trail, Compare: chain.Compare != nil, Shares: chain.Shares,
		},
		Entry: e, Every: m.later.Every, For: m.later.For, Margin: settleMargin,
	}
	for _, link := range chain.Links[1:] {
		a.Rest = append(a.Rest, link.Name)
	}
	for _, one := range before {
		a.Before = append(a.Before, one.entry.ID)
	}
	begun, told := ports.Now(), false
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, acceptAgain) {
		a.At = l.clock()
		err := l.store.Repos().LaterAnswers.Accept(ctx, a)
		switch {
		case err == nil:
			return Result{Entry: e}, nil
		case !told:
			told = true
			l.log.WarnContext(ctx, "a bureau answers later, and that cannot be written; it will be tried again", "lookup", e.ID,
				"error", err)
		}
		select {
		case <-ports.After(pause):
		case <-l.stopping.Done():
		}
		if l.stopping.Err() != nil || ports.Since(begun) > m.later.For {
			if l.left(ctx, e) {
				return Result{Entry: e}, nil
			}
			return l.conclude(ctx, chain, e, before, l.ended(ctx, chain.Links[0], e, noAnswerLater(m.took), m.took), nil)
		}
	}
}

// left reports whether a question is out of this instance's hands, because an attempt to store that its bureau has
// taken it was committed without being heard of: the answer is to be fetched, or another instance has fetched it. So it
// is where the database cannot say: what was not stored is settled without an answer all the same.
func (l *Ledger) left(ctx context.Context, e lookup.Entry) bool {
	repos := l.store.Repos()
	if _, err := repos.LaterAnswers.Find(ctx, e.ID); !errors.Is(err, ports.ErrNotFound) {
		return true
	}
	now, err := repos.Statement.Find(ctx, e.OrgID, e.ID)
	return err != nil || now.SettleAt.IsZero() || now.Bureau != e.Bureau
}

// goneOn reports whether another instance has gone on with a question to another bureau, because this one was slower
// than its turn.
func (l *Ledger) goneOn(ctx context.Context, e lookup.Entry) bool {
	now, err := l.store.Repos().Statement.Find(ctx, e.OrgID, e.ID)
	return err == nil && now.Bureau != e.Bureau
}

// noAnswerLater is how a question ends whose answer did not come within the time that the bureau has, after a last call
// that took so long.
func noAnswerLater(took time.Duration) calledBack {
	return calledBack{
		failure: &ports.BureauError{Outcome: ports.NoAnswer, Reason: "the answer did not come later"}, took: took,
	}
}

// FetchLater begins to fetch the answers that come later and are due. It is a chore, of every instance.
func (l *Ledger) FetchLater(ctx context.Context) error {
	room := fetchesMax - int(l.fetching.Load())
	if room <= 0 || l.stopping.Err() != nil {
		return nil
	}
	repos := l.store.Repos()
	now, err := repos.Clock.Now(ctx, l.clock())
	if err != nil {
		return err
	}
	// As long as a fetch may take.
	due, err := repos.LaterAnswers.Claim(ctx, now, now.Add(l.terms.Timeout+settleMargin), room)
	for _, a := range due {
		l.fetching.Add(1)
		l.calls.Start(func() {
			defer l.fetching.Add(-1)
			ctx := context.WithoutCancel(ctx)
			if err := l.fetch(ctx, a); err != nil {
				// It is due again when this instance's turn is over.
				l.log.WarnContext(ctx, "an answer that comes later was not fetched; it will be tried again", "lookup", a.ID,
					"error", err)
			}
		})
	}
	return err
}

// CountLater reads what Awaited returns. It is a chore.
func (l *Ledger) CountLater(ctx context.Context) error {
	n, err := l.store.Repos().LaterAnswers.Count(ctx)
	if err == nil {
		l.awaited.Store(int64(n))
	}
	return err
}

// Awaited is how many questions bureaus have taken and not answered yet, over all instances, when CountLater ran last.
func (l *Ledger) Awaited() int { return int(l.awaited.Load()) }

// fetch asks once for an answer, and goes on with its question where it is there, or will not come any more.
func (l *Ledger) fetch(ctx context.Context, a ports.LaterAnswer) error {
	if _, kept := l.unwritten.of(a.ID); kept {
		return nil // it is here, and written as soon as that works
	}
	repos := l.store.Repos()
	e, err := repos.Statement.Find(ctx, ports.AnyOrg, a.ID)
	if errors.Is(err, ports.ErrNotFound) || err == nil && e.SettleAt.IsZero() {
		return repos.LaterAnswers.Remove(ctx, a) // it has ended
	}
	if err != nil {
		return err
	}
	e.Trail = a.Trail
	chain, known := l.bureaus.resumed(e, a)
	if !known {
		chain.Links = []ports.Link{{Name: e.Bureau, Product: catalog.Product{Price: e.Amount}}}
	}
	said := calledBack{answer: ports.Answer{Later: &ports.Later{Every: unreadAgain, Unread: true}}}
	if known && a.Ticket != "" && !e.Document.IsZero() {
		if said = l.ask(ctx, chain.Links[0], e, a); said.answer.Later != nil && a.Reply != nil {
			polled := a // what was posted cannot be read here, and perhaps the answer can be fetched
			polled.Reply = nil
			said = l.ask(ctx, chain.Links[0], e, polled)
		}
	}
	if ours, err := l.holds(ctx, &a, &said); err != nil || !ours {
		return err
	}
	before, err := l.earlier(ctx, e.OrgID, a.Before)
	if err != nil {
		return err
	}
	result, err := l.goDown(ctx, chain, e, before, l.ended(ctx, chain.Links[0], e, said, l.clock().Sub(e.At)))
	if _, kept := l.unwritten.of(a.ID); kept || err == nil && result.Entry.Status == lookup.Running {
		return nil // another bureau answers later, or another instance has gone on
	}
	return repos.LaterAnswers.Remove(ctx, a)
}

// holds reports whether the outcome of a fetch is to be written, by this instance: not where the answer is to be
// fetched again, or what was posted is to be read again, and not by whoever was slower than its turn. One that is given
// up has no answer.
func (l *Ledger) holds(ctx context.Context, a *ports.LaterAnswer, said *calledBack) (bool, error) {
	repos := l.store.Repos()
	now, err := repos.Clock.Now(ctx, l.clock())
	if err != nil {
		return false, err
	}
	if later := said.answer.Later; later != nil {
		until, every := a.Until, later.Every
		if a.Reply != nil {
			until, every = until.Add(unreadFor), min(every, unreadAgain)
		}
		if now.Before(until) {
			next := now.Add(every)
			if next.After(until) {
				next = until
			}
			return false, repos.LaterAnswers.Release(ctx, *a, now, next)
		}
	}
	next := now.Add(l.terms.Timeout + settleMargin)
	ours, err := repos.LaterAnswers.Hold(ctx, *a, next)
	if err == nil && !ours { // what was posted meanwhile is the answer
		return false, repos.LaterAnswers.Release(ctx, *a, now, now)
	}
	if a.Due = next; said.answer.Later != nil {
		*said = noAnswerLater(said.took)
	}
	return ours, err
}

// earlier are the earlier calls of a question, by the ids of their entries; those that left none are left out.
func (l *Ledger) earlier(ctx context.Context, orgID string, ids []string) (before []made, err error) {
	entries, err := l.store.Repos().Statement.Entries(ctx, orgID, ids)
	if err != nil {
		return nil, err
	}
	var answers []string
	for _, e := range entries {
		answers = append(answers, e.RecordID)
	}
	records, err := l.store.Repos().History.Records(ctx, orgID, answers)
	for _, id := range ids {
		e, is := entries[id]
		if !is {
			continue
		}
		m := made{entry: e}
		if rec, kept := records[e.RecordID]; kept && !rec.Unreadable {
			m.record = &rec
		} else { // or it had an answer, which was erased since, or is no longer kept
			m.failure = &ports.BureauError{Outcome: ports.NotCharged, Reason: "as it ended then"}
		}
		before = append(before, m)
	}
	return before, err
}

// await waits for the answer to a question that a bureau has taken. Where it takes longer, the result is the running
// entry.
func (k *Asker) await(ctx context.Context, orgID, id string, most time.Duration) (Result, error) {
	e, failure, err := k.ledger.outcome(ctx, orgID, id, max(most, 0))
	switch {
	case err != nil:
		return Result{}, err
	case e.Erased:
		return Result{}, erasedMeanwhile(e)
	case e.Status == lookup.Running:
		return Result{Entry: e}, nil
	case e.Status != lookup.Done:
		if failure == nil {
			failure = &ports.BureauError{Reason: "as it ended then"}
		}
		return Result{}, bureauFault(e.Status, failure)
	}
	result, kept, err := k.keptAnswer(ctx, e)
	if err == nil && !kept {
		err = erasedMeanwhile(e)
	}
	return result, err
}

// stillRunning is the answer to whoever has waited for another's question that a bureau answers later: its running
// entry if that is the caller's too. Fault: BureauUnavailable, of which ErrBusy is the cause.
func stillRunning(req Request, call lookup.Entry) (Result, error) {
	if call.AskedBy() == req.caller.AskedBy() && req.RequestKey == "" {
		return Result{Entry: call}, nil
	}
	return Result{}, fault.New(fault.BureauUnavailable,
		"Um pedido igual já está com o bureau, que responde mais tarde. Nada foi cobrado por este; tente de novo em instantes.",
	).After(5 * time.Second).Because(ErrBusy)
}

// takenWithin is how long a bureau that posts an answer waits where it is not stored yet that it has taken the
// question.
const takenWithin = 5 * time.Second

// callback is the address to which a bureau may post the answer to a question; empty where it cannot. It is a
// question's and a bureau's, and whoever does not know it can post nothing.
func (l *Ledger) callback(ctx context.Context, link ports.Link, e lookup.Entry) string {
	if l.callbacks == "" || e.Compared {
		return ""
	}
	proof, err := l.store.Repos().LaterAnswers.Proof(ctx, link.Name, e.ID)
	if err != nil {
		return "" // its answer is fetched
	}
	return l.callbacks + e.ID + "." + proof
}

// CalledBack takes what a bureau posts to the address of a question, by the token that the address ends with, and
// stores it before it returns: a chore goes on with it (FetchLater). It stores only what has the answer to a question
// that this bureau has taken, once; anything else, also what is repeated or comes after the question has ended, changes
// nothing. Faults: UnknownLookup for a token that is no question's, those of read, ServiceUnavailable where the bureau
// is to post it again.
func (l *Ledger) CalledBack(
	ctx context.Context, token string, read func() (header map[string][]string, body []byte, err error),
) error {
	repos := l.store.Repos()
	id, proof, _ := strings.Cut(token, ".")
	unknown := fault.New(fault.UnknownLookup, "Este endereço não é de nenhuma consulta.")
	if !app.ValidID(id) {
		return unknown
	}
	e, err := repos.Statement.Find(ctx, ports.AnyOrg, id)
	if errors.Is(err, ports.ErrNotFound) {
		return unknown
	}
	if err != nil {
		return err
	}
	known, err := repos.LaterAnswers.Proof(ctx, e.Bureau, id)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(known), []byte(proof)) != 1 {
		return unknown
	}
	header, body, err := read()
	if err != nil || e.SettleAt.IsZero() || e.Erased {
		return err
	}
	a, err := l.taken(ctx, e)
	if err != nil || a.ID == "" {
		return err
	}
	unread := fault.New(fault.ServiceUnavailable,
		"Esta instância não conhece o bureau, ou não sabe ler o que ele responde. Envie de novo.").After(unreadAgain)
	chain, here := l.bureaus.resumed(e, a)
	if !here || a.Ticket == "" || e.Document.IsZero() { // another instance may have its file, or the data key
		return unread
	}
	a.Reply = &ports.Reply{Header: header, Body: body}
	switch later := l.ask(ctx, chain.Links[0], e, a).answer.Later; {
	case later != nil && later.Unread:
		return unread
	case later != nil:
		l.log.InfoContext(ctx, "a bureau has posted what is no answer to its question", "lookup", id, "bureau", e.Bureau)
		return nil
	}
	now, err := repos.Clock.Now(ctx, l.clock())
	if err != nil {
		return err
	}
	return repos.LaterAnswers.Arrive(ctx, id, *a.Reply, now)
}

// taken is a question that its bureau has taken; the zero value if it has ended meanwhile. A bureau may post the answer
// before it is stored that it has taken the question. Fault: ServiceUnavailable.
func (l *Ledger) taken(ctx context.Context, e lookup.Entry) (ports.LaterAnswer, error) {
	begun := ports.Now()
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		a, err := l.store.Repos().LaterAnswers.Find(ctx, e.ID)
		if !errors.Is(err, ports.ErrNotFound) {
			return a, err
		}
		if e, err = l.store.Repos().Statement.Find(ctx, e.OrgID, e.ID); err != nil || e.SettleAt.IsZero() {
			return ports.LaterAnswer{}, err
		}
		if ports.Since(begun) >= takenWithin {
			return a, fault.New(fault.ServiceUnavailable, "A consulta ainda não foi registrada como aceita. Envie de novo.").
				After(5 * time.Second)
		}
		select {
		case <-ports.After(pause):
		case <-ctx.Done():
			return a, app.TimedOut(ctx.Err())
		case <-l.stopping.Done():
			return a, fault.New(fault.ServiceUnavailable, "O serviço está parando. Envie de novo.").After(5 * time.Second)
		}
	}
}
