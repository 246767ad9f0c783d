package web_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

// testPrice is the price of every product but renda_presumida, and testFresh how long the history answers.
const (
	testPrice = 4500
	testFresh = 720 * time.Hour
)

func testCatalog() catalog.Catalog {
	c := append(catalog.Standard(), catalog.Product{
		ID: "renda_presumida", Name: "Renda presumida", Description: "Quanto a pessoa deve ganhar.",
		Documents: []document.Type{document.CPF},
		Fields: []catalog.Field{
			{Name: "renda", Kind: catalog.Number, Description: "Renda mensal presumida."},
			{Name: "faixaDeRenda", Kind: catalog.String},
			{Name: "fontes", Kind: catalog.List}, {Name: "extra", Kind: catalog.Object},
		},
	})
	for i := range c {
		c[i].Price = testPrice
	}
	c[len(c)-1].Price = 2_0750 // not in whole cents
	return append(c, catalog.Product{
		ID: "eleitoral", Name: "Situação eleitoral", Description: "Título e zona.", Price: testPrice,
		Documents: []document.Type{document.CPF}, Fields: []catalog.Field{{Name: "zona", Kind: catalog.String}},
		Inputs: []catalog.Input{
			{Name: "nascimento", Type: catalog.InputDate, Required: true, Label: "Data de nascimento"},
			{Name: "uf", Type: catalog.InputState}, {Name: "mae", Type: catalog.InputText, Label: "Nome da mãe"},
		},
	})
}

// fakeBureau answers as scripted, by document.
type fakeBureau struct {
	mu      sync.Mutex
	answers map[string]func(context.Context, catalog.Product) (ports.Answer, error)
	calls   atomic.Int64
	resting atomic.Int64 // for so long, a time.Duration
}

// Rests implements ports.Rester.
func (b *fakeBureau) Rests() time.Duration {
	return time.Duration(b.resting.Load())
}

func (b *fakeBureau) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	p, d := q.Product, q.Document
	b.calls.Add(1)
	b.mu.Lock()
	answer := b.answers[d.Value()]
	b.mu.Unlock()
	if answer == nil {
		return answerOf(p, `{"nome":"Ana Souza"}`), nil
	}
	return answer(ctx, p)
}

func (b *fakeBureau) on(doc string, answer func(context.Context, catalog.Product) (ports.Answer, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[doc] = answer
}

// says sets a document's answer to a JSON text whose keys are the named fields.
func (b *fakeBureau) says(doc, raw string) {
	b.on(doc, func(_ context.Context, p catalog.Product) (ports.Answer, error) { return answerOf(p, raw), nil })
}

func (b *fakeBureau) fails(doc string, o ports.BureauOutcome) {
	b.on(doc, func(context.Context, catalog.Product) (ports.Answer, error) {
		return ports.Answer{}, &ports.BureauError{Outcome: o, Reason: "test"}
	})
}

func answerOf(p catalog.Product, raw string) ports.Answer {
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	values := map[string]any{}
	_ = dec.Decode(&values)
	fields, dropped := p.Project(values)
	return ports.Answer{Found: true, Raw: []byte(raw), Fields: fields, Dropped: dropped}
}
