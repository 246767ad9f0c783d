package portstest

import (
	"context"
	"encoding/json"
	"sync"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

// FakeBureau is a ports.Bureau for tests of its callers. Its zero value knows everybody, by the name of Ana:
//
//	bureau := &portstest.FakeBureau{}
//	bureau.Knows("52998224725", map[string]any{"nome": "Bia", "situacaoCadastral": "REGULAR"})
//	chains := ports.Single("teste", bureau, catalog.Standard(), time.Second)
//	ledger := lookups.NewLedger(lookups.LedgerConfig{Bureaus: lookups.NewBureaus(chains, …), …})
//
// It is safe for concurrent use, except for Script, which is set while nobody asks.
type FakeBureau struct {
	// Script answers instead of what the bureau knows: Fails, Holds, or a test's own.
	Script func(context.Context) (ports.Answer, error)

	mu    sync.Mutex
	known map[string]map[string]any
	asked []document.Document
}

var _ ports.Bureau = (*FakeBureau)(nil)

// Knows makes the bureau answer about a document, given by its bare characters, with these named fields, the others
// null. Without fields it has no record.
func (b *FakeBureau) Knows(d string, fields map[string]any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		b.known = map[string]map[string]any{}
	}
	b.known[d] = fields
}

// Asked returns the documents of all calls, in order.
func (b *FakeBureau) Asked() []document.Document {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]document.Document(nil), b.asked...)
}

// Ask answers as Script says, or with what the bureau knows.
func (b *FakeBureau) Ask(
	ctx context.Context, q ports.Question,
) (ports.Answer, error) {
	p, d := q.Product, q.Document
	b.mu.Lock()
	b.asked = append(b.asked, d)
	fields, told := b.known[d.Value()]
	b.mu.Unlock()
	switch {
	case b.Script != nil:
		return b.Script(ctx)
	case !told:
		return Found(p, map[string]any{"nome": "Ana"}), nil
	}
	return Found(p, fields), nil
}

// Found returns an answer with these fields of a product; without any, that there is no record.
func Found(p catalog.Product, fields map[string]any) ports.Answer {
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err) // a mistake in the test
	}
	projected, dropped := p.Project(fields)
	return ports.Answer{Found: len(fields) > 0, Raw: raw, Fields: projected, Dropped: dropped}
}

// Fails is the script of a bureau that brings no answer.
func Fails(outcome ports.BureauOutcome) func(context.Context) (ports.Answer, error) {
	return func(context.Context) (ports.Answer, error) {
		return ports.Answer{}, &ports.BureauError{Outcome: outcome, Reason: "as told"}
	}
}

// Holds is the script of a bureau that answers only when it is released.
func Holds(release <-chan struct{}) func(context.Context) (ports.Answer, error) {
	return func(ctx context.Context) (ports.Answer, error) {
		select {
		case <-release:
			cpf, _ := catalog.Standard().Find(catalog.CPF)
			return Found(cpf, map[string]any{"nome": "Ana"}), nil
		case <-ctx.Done():
			return ports.Answer{}, &ports.BureauError{Outcome: ports.NoAnswer, Reason: "time is over"}
		}
	}
}
