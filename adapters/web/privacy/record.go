package privacy

import (
	"cmp"
	"slices"

	"fichario/adapters/web"
	"fichario/domain/catalog"
)

// recordShow is the record of operations, for owners to print (LGPD, art. 37).
func (s pages) recordShow(c *web.Call) error {
	o, err := s.Record.Of(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	for i := range o.Sources {
		o.Sources[i].Fields = s.fieldsCalled(o.Sources[i].Product, o.Sources[i].Fields)
	}
	titles := s.destinationTitles()
	for i := range o.Recipients {
		o.Recipients[i].Target = cmp.Or(titles[o.Recipients[i].Target], o.Recipients[i].Target)
	}
	return c.Render("registro", web.Page{Title: "Registro das operações", Nav: "privacidade", Data: o})
}

// fieldsCalled is what people call the fields of a product, both by their names.
func (s pages) fieldsCalled(product string, names []string) []string {
	at := slices.IndexFunc(s.Catalog, func(p catalog.Product) bool { return p.Name == product })
	if at < 0 {
		return names
	}
	called := map[string]string{}
	for _, f := range s.Catalog[at].Fields {
		if called[f.Name] = f.Called(); f.Format == catalog.Activity {
			f.Label = "" // that of an activity only says which of them, below a title
			called[f.Name] = f.Called()
		}
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = cmp.Or(called[name], name)
	}
	return out
}

// destinationTitles are the titles of destinations, by their names.
func (s pages) destinationTitles() map[string]string {
	titles := map[string]string{}
	for _, d := range s.Automations.Destinations() {
		titles[d.Name] = d.Title
	}
	return titles
}
