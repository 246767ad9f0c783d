package lookups

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

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
	if err != nil || e.SettleAt.IsZero() || e.Document.IsZero() {
		return err
	}
	a, err := l.taken(ctx, e)
	if err != nil || a.ID == "" {
		return err
	}
	chain, here := l.bureaus.resumed(e, a)
	if !here { // another instance may have its file
		return fault.New(fault.ServiceUnavailable, "Esta instância não conhece o bureau. Envie de novo.").After(time.Minute)
	}
	a.Reply = &ports.Reply{Header: header, Body: body}
	if said := l.ask(ctx, chain.Links[0], e, a); said.answer.Later != nil {
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
