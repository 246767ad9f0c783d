package lookups

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

// bundleLine is a bundle that suits a document, with its cost.
type bundleLine struct {
	catalog.Bundle
	// Choices are its products for the document, Free how many of them the history answers, Price the sum of the others.
	Choices []choiceLine
	Free    int
	Price   catalog.Money
}

// bundlesFor returns the bundles of the caller's organisation that have products among choices.
func (s pages) bundlesFor(c *web.Call, choices []choiceLine) (out []bundleLine, err error) {
	all, err := s.Bundles.List(c.Ctx(), c.By, c.By.OrgID())
	for _, b := range all {
		line := bundleLine{Bundle: b}
		for _, id := range b.Products {
			i := slices.IndexFunc(choices, func(l choiceLine) bool { return l.Product.ID == id })
			if i < 0 || choices[i].Lacks() { // it has to be asked by itself
				continue
			}
			line.Choices = append(line.Choices, choices[i])
			if choices[i].Fresh {
				line.Free++
			} else {
				line.Price += choices[i].Product.Price
			}
		}
		if len(line.Choices) > 1 {
			out = append(out, line)
		}
	}
	return out, err
}

// bundleAsk looks a document up in every product of a bundle; what the history answers is free.
func (s pages) bundleAsk(c *web.Call, f struct {
	Document web.AsTyped `form:"documento"`
	Bundle   string      `form:"pacote"`
	Contact  string      `form:"contato"`
	Purpose  string      `form:"finalidade"`
	Price    string      `form:"preco"`
}) error {
	asked := LookupFields{Document: f.Document, ContactID: f.Contact, Purpose: f.Purpose}
	p, err := s.Recognise(c, asked, false)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.Bundles, func(l bundleLine) bool { return l.ID == f.Bundle })
	switch {
	case p.Problem != "":
	case i < 0:
		p.Alert = "Este pacote mudou ou foi tirado. Nada foi cobrado."
	case p.Bundles[i].Price.String() != f.Price:
		p.Alert = "O preço do pacote mudou desde que a página foi aberta, porque o histórico mudou. Nada foi cobrado."
	}
	if p.Problem != "" || p.Alert != "" {
		return s.searchPage(c, http.StatusUnprocessableEntity, asked, p)
	}
	if p.unsaid(f.Purpose) {
		return s.searchPage(c, http.StatusOK, asked, p)
	}
	var ids []string
	var ends []<-chan struct{}
	var refused string
	for _, one := range p.Bundles[i].Choices {
		id, done, err := s.Asker.Start(c.Ctx(), c.By, lookups.Request{
			Product: one.Product.ID, Document: p.Found.Document.Value(), ContactID: f.Contact, Free: one.Fresh,
			Inputs:  one.Inputs,
			Purpose: p.Purposes.OrSaid(f.Purpose),
		})
		switch why := Refusal(err); {
		case err == nil:
			ids, ends = append(ids, id), append(ends, done)
		case why != "":
			refused = one.Product.Name + ": " + why
		case len(ids) == 0:
			return err
		default: // show what was answered; why the rest was not concerns whoever runs the service
			s.Log.WarnContext(c.Ctx(), "a product of a bundle was not looked up", "product", one.Product.ID, "error", err)
			refused = one.Product.Name + " não pôde ser consultado."
		}
	}
	if len(ids) == 0 {
		p.Alert = refused
		return s.searchPage(c, http.StatusUnprocessableEntity, asked, p)
	}
	patient := time.After(patience)
	for _, done := range ends {
		select {
		case <-done:
		case <-patient:
			return c.DoneExcept("/consultas/"+ids[0], "", refused)
		case <-c.Ctx().Done():
			return c.DoneExcept("/consultas/"+ids[0], "", refused)
		}
	}
	return s.bundleDone(c, ids, refused)
}

// bundleDone redirects to the first sheet of a bundle, with a note of the total cost.
func (s pages) bundleDone(c *web.Call, ids []string, refused string) error {
	var sum lookup.Spent
	kept := true // whether the history answered everything
	for _, id := range ids {
		v, err := s.Sheet.Show(c.Ctx(), c.By, id)
		if err != nil {
			return c.Redirect("/consultas/" + ids[0])
		}
		kept = kept && v.Entry.Cache
		if paid := v.PaidBy(c.By); paid > 0 {
			sum.Add(lookup.Spent{Count: 1, Amount: paid})
		}
	}
	notice := "Nada foi cobrado."
	switch {
	case kept:
		notice = "Nada foi cobrado: tudo veio do histórico."
	case sum.Count > 0:
		notice = "Cobrado: " + sum.Amount.Exact() + " por " + web.Plural(sum.Count, "consulta", "consultas") + ". " +
			"As abas acima da ficha abrem as outras."
	}
	return c.DoneExcept("/consultas/"+ids[0], notice, refused)
}

// bundlesPage is the page where an organisation defines its bundles.
type bundlesPage struct {
	Bundles  []catalog.Bundle
	Products catalog.Catalog
	// Part is the id of the bundle whose form is shown again, newBundle for that of a new one; Open of the one whose form
	// is shown.
	Part, Open string
	Chosen     []string
	web.Form
}

// FormOf is the form of a part of the page: as it was sent, where it comes back.
func (p bundlesPage) FormOf(part string) web.Form {
	if p.Part != part {
		return web.Form{}
	}
	return p.Form
}

// Has reports whether a product is chosen in the form of a bundle.
func (p bundlesPage) Has(b catalog.Bundle, product string) bool {
	if p.Part == b.ID {
		return slices.Contains(p.Chosen, product)
	}
	return slices.Contains(b.Products, product)
}

// Names are the names of a bundle's products, with their ids where the bureau offers them no more.
func (p bundlesPage) Names(b catalog.Bundle) []string {
	names := slices.Clone(b.Products)
	for i, id := range names {
		if product, ok := p.Products.Find(id); ok {
			names[i] = product.Name
		}
	}
	return names
}

// VersionOf is that of what the form of a bundle shows.
func (p bundlesPage) VersionOf(b catalog.Bundle) string { return bundleVersion(b) }

func bundleVersion(b catalog.Bundle) string { return web.VersionOf([]any{b.Name, b.Products}) }

// New reports whether a product is chosen in the form of a new bundle.
func (p bundlesPage) New(product string) bool {
	return p.Part == newBundle && slices.Contains(p.Chosen, product)
}

// newBundle stands for the id in the form of a new bundle.
const newBundle = "novo"

func (s pages) bundleList(c *web.Call) error { return s.bundlesPage(c, http.StatusOK, bundlesPage{}) }

func (s pages) bundlesPage(c *web.Call, status int, p bundlesPage) (err error) {
	if err := c.Manager(); err != nil {
		return err
	}
	p.Products, p.Open = s.Terms.Catalog, cmp.Or(p.Part, web.Editing(c))
	if p.Bundles, err = s.Bundles.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return err
	}
	return c.RenderStatus(status, "pacotes", web.Page{
		Title: "Pacotes", Nav: "configuracoes", Setting: "pacotes", Data: p,
	})
}

// bundleFields are the fields of a bundle's form.
type bundleFields struct {
	Name     string   `form:"nome" app:"name"`
	Products []string `form:"produtos" app:"products"`
}

func (s pages) bundleAdd(c *web.Call, f bundleFields) error {
	_, err := s.Bundles.Add(c.Ctx(), c.By, c.By.OrgID(), f.Name, f.Products)
	return s.bundleSaved(c, newBundle, f, err, "Pacote criado.")
}

func (s pages) bundleChange(c *web.Call, f bundleFields) error {
	id := c.PathValue("id")
	changed := catalog.Bundle{ID: id, OrgID: c.By.OrgID(), Name: f.Name, Products: f.Products}
	err := s.Bundles.Change(c.Ctx(), c.By, changed, web.Still(c, bundleVersion))
	return s.bundleSaved(c, id, f, err, "Pacote guardado.")
}

func (s pages) bundleRemove(c *web.Call) error {
	if err := s.Bundles.Remove(c.Ctx(), c.By, c.By.OrgID(), c.PathValue("id")); err != nil {
		return err
	}
	return c.Done("/pacotes", "Pacote tirado. As consultas feitas com ele ficam.")
}

func (s pages) bundleSaved(c *web.Call, part string, f bundleFields, err error, notice string) error {
	if shown, ok := c.Again(&f, err); ok {
		return s.bundlesPage(c, http.StatusUnprocessableEntity, bundlesPage{
			Part: part, Chosen: f.Products, Form: shown,
		})
	}
	if err != nil {
		return err
	}
	return c.Done("/pacotes#pacote-"+part, notice)
}
