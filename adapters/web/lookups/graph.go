package lookups

import (
	"cmp"
	"slices"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// graph is how the subject of an answer hangs together with people and companies: those that the answer names, and, for
// those whose companies are in the history, these too.
type graph struct {
	Nodes []*graphNode
	// More is how many others only the table has.
	More int
}

// graphNode is somebody or a company that an answer names.
type graphNode struct {
	Name, Role, Doc string
	// Hidden says that the bureau masks the document, None that it gives none.
	Hidden, None bool
	// Hops are the lookups that lead on.
	Hops []hop
	// Of are the companies that the history has, Since when it was answered.
	Of    []*graphNode
	Since lookup.Entry

	doc document.Document
}

// hop is a lookup of a node's document: open without a charge, where Kept has an id, or to be asked for.
type hop struct {
	Kept lookup.Entry
	Ask  choiceLine
}

// The most that is drawn, so that the page stays light: nodes of an answer, and companies of each.
const (
	nodesMost     = 30
	companiesMost = 6
	// companiesFor is for how many of them the companies are offered, and read.
	companiesFor = 8
)

// graphOf draws an answer's graph; nil where it names nobody. Nothing is looked up for it: it has what the answer says
// and what the organisation's history has.
func (s pages) graphOf(c *web.Call, p ResultPage, answer *drawing) (*graph, error) {
	g := &graph{}
	g.add(p.Sections, answer, nodesMost)
	if len(g.Nodes) == 0 {
		return nil, nil
	}
	if err := s.hops(c, g.Nodes, p.purpose, p.Entry.Document.Type() == document.CNPJ); err != nil {
		return nil, err
	}
	var entries []lookup.Entry
	for _, n := range g.Nodes {
		for _, h := range n.Hops {
			if h.Kept.ID != "" && h.Kept.Product == catalog.Shares && len(entries) < companiesFor {
				entries = append(entries, h.Kept)
			}
		}
	}
	views, err := s.Sheet.OpenKept(c.Ctx(), c.By, entries)
	if err != nil {
		return nil, err
	}
	var all []*graphNode
	for _, v := range views {
		i := slices.IndexFunc(g.Nodes, func(n *graphNode) bool { return n.doc == v.Entry.Document })
		if i < 0 || v.Record == nil {
			continue
		}
		theirs, inner := s.drawingOf(c, v.Entry), &graph{}
		inner.add(theirs.sections(v.Product, catalog.Values(v.Record.Fields)), theirs, companiesMost)
		inner.Nodes = slices.DeleteFunc(inner.Nodes, func(n *graphNode) bool { return n.doc == p.Entry.Document })
		g.Nodes[i].Of, g.Nodes[i].Since = inner.Nodes, v.Entry
		all = append(all, inner.Nodes...)
	}
	return g, s.hops(c, all, p.purpose, false)
}

// add adds the people and companies of an answer's tables.
func (g *graph) add(sections []section, answer *drawing, most int) {
	for _, of := range sections {
		if of.Table == nil || of.identity < 0 || of.named < 0 {
			continue
		}
		before := len(g.Nodes)
		for i, row := range of.Table.Rows {
			if len(g.Nodes) == most {
				break
			}
			doc := row[of.identity]
			n := &graphNode{Name: row[of.named].Text, Doc: doc.Text, None: doc.Kind == "none"}
			if of.role >= 0 && row[of.role].Kind != "none" {
				n.Role = row[of.role].Text
			}
			if ask := of.asks[i]; ask != nil {
				n.doc = answer.named[ask.Nth-1]
				n.Hops = []hop{{Ask: *ask}}
			}
			n.Hidden = !n.None && n.doc.IsZero()
			n.Name = cmp.Or(n.Name, "sem nome na resposta")
			g.Nodes = append(g.Nodes, n)
		}
		g.More += max(of.Page.Total, len(of.Table.Rows)) + of.More - (len(g.Nodes) - before)
	}
}

// hops completes the lookups that lead on from nodes, and finds those that history answers; shares adds the companies
// of each.
func (s pages) hops(c *web.Call, nodes []*graphNode, purpose string, shares bool) error {
	var docs []document.Document
	for _, n := range nodes {
		if !n.doc.IsZero() {
			docs = append(docs, n.doc)
		}
	}
	kept, err := s.Sheet.Kept(c.Ctx(), c.By, docs, purpose, catalog.CPF, catalog.CNPJ, catalog.Shares)
	if err != nil {
		return err
	}
	companies, offered := s.Terms.Catalog.Find(catalog.Shares)
	for i, n := range nodes {
		if len(n.Hops) == 0 {
			continue
		}
		first := n.Hops[0]
		first.Ask.Purpose = purpose
		n.Hops = []hop{{kept[n.doc][first.Ask.Product.ID], first.Ask}}
		if shares && i < companiesFor && offered && len(companies.Inputs) == 0 && companies.Takes(n.doc.Type()) {
			more := first.Ask
			more.ProductChoice = lookups.ProductChoice{Product: companies}
			n.Hops = append(n.Hops, hop{kept[n.doc][catalog.Shares], more})
		}
	}
	return nil
}
