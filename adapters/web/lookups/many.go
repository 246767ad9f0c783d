package lookups

import (
	"net/http"
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/batches"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
)

// manyLine is the documents of one type in a text, with what looking all of them up would cost.
type manyLine struct {
	Type      document.Type
	Documents []document.Document
	Choices   []manyChoice
	Purposes  web.Purposes
	// Request stands for this page's batch, so that a form sent twice makes one.
	Request string
	// Missing says what its form lacked.
	Missing string
}

// manyChoice is a product for them, and the most that it may cost: what the history answers is free.
type manyChoice struct {
	Product catalog.Product
	Most    catalog.Money
	Chosen  bool
}

// manyOf groups the documents of a text, in the order in which their types appear. A type without a product that asks
// for nothing else has no choices.
func (s pages) manyOf(c *web.Call, f LookupFields, p SearchPage) (out []manyLine) {
	for _, d := range p.Found.Several {
		i := slices.IndexFunc(out, func(l manyLine) bool { return l.Type == d.Type() })
		if i < 0 {
			i, out = len(out), append(out, manyLine{Type: d.Type(), Purposes: p.Purposes, Request: app.NewID()})
		}
		out[i].Documents = append(out[i].Documents, d)
	}
	for i := range out {
		chosen := 0
		for _, offer := range s.Terms.Offers(c.By) {
			needs := slices.ContainsFunc(offer.Product.Inputs, func(in catalog.Input) bool { return in.Required })
			if needs || !slices.Contains(offer.Scopes, out[i].Type) {
				continue
			}
			if offer.Product.ID == f.Product {
				chosen = len(out[i].Choices)
			}
			out[i].Choices = append(out[i].Choices, manyChoice{
				Product: offer.Product, Most: offer.Product.Price * catalog.Money(len(out[i].Documents)),
			})
		}
		if len(out[i].Choices) > 0 {
			out[i].Choices[chosen].Chosen = true
		}
	}
	return out
}

// manyAsk makes a batch of the documents of a text and lets it run, within the amount that its button named.
func (s pages) manyAsk(c *web.Call, f struct {
	Documents web.AsTyped `form:"documentos"`
	Product   string      `form:"produto"`
	Purpose   string      `form:"finalidade"`
	Most      string      `form:"ate"`
	Request   string      `form:"pedido"`
}) error {
	asked := LookupFields{Document: f.Documents, Product: f.Product, Purpose: f.Purpose}
	p, err := s.Recognise(c, asked, false)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.Many, func(l manyLine) bool {
		return slices.ContainsFunc(l.Choices, func(choice manyChoice) bool { return choice.Product.ID == f.Product })
	})
	if p.Problem != "" || i < 0 {
		return s.searchPage(c, http.StatusUnprocessableEntity, asked, p)
	}
	if p.Purposes.Missing() && f.Purpose == "" {
		p.Many[i].Missing = "Escolha para que são as consultas. Nada foi consultado nem cobrado."
		return s.searchPage(c, http.StatusOK, asked, p)
	}
	most, err := catalog.ParseMoney(f.Most)
	if err != nil {
		return web.ErrNowhere // no form of ours
	}
	n := batches.NewBatch{
		Product: f.Product, Purpose: p.Purposes.OrSaid(f.Purpose), Ceiling: &most, Confirm: true,
		RequestKey: f.Request, RequestBody: []byte(strings.Join([]string{f.Product, f.Purpose, string(f.Documents)}, "\n")),
	}
	for _, d := range p.Many[i].Documents {
		n.Documents = append(n.Documents, d.Value())
	}
	made, err := s.Batches.Quote(c.Ctx(), c.By, n)
	if refusal := app.FaultOf(err); refusal != nil && (app.IsRefusal(err) || refusal.Code == fault.Forbidden ||
		refusal.Code == fault.MonthlyLimit) {
		p.Many[i].Missing = refusal.Message
		return s.searchPage(c, http.StatusUnprocessableEntity, asked, p)
	}
	if err != nil {
		return err
	}
	return c.Done("/lotes/"+made.ID, "Lote iniciado: "+web.Plural(len(n.Documents), "documento", "documentos")+", até "+
		most.Exact()+".")
}
