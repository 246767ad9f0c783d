package bureau

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

// Chained is a bureau that can be in a chain: a Client, or one that is asked in another way than by HTTP.
type Chained interface {
	ports.Bureau
	// Name is the bureau's, which chains, the statement and settings use. It has no comma.
	Name() string
	// Catalog is what it offers, with its prices.
	Catalog() catalog.Catalog
	// Timeout is the longest that a call may take.
	Timeout() time.Duration
	// Rate is how many calls per second it allows batches; zero where that is not known.
	Rate() float64
	// Close frees what it holds. Calls in flight are left to finish.
	Close()
}

// Bureaus are the bureaus of an instance.
type Bureaus struct {
	clients []Chained
	chains  ports.Chains
	offered catalog.Catalog
}

// Join makes the chain of every product of some bureaus, of which at least one is given: in the order in which they are
// given, or as plan says, whose names are those of names. The error says what does not fit together.
func Join(clients []Chained, names []string, plan Plan) (*Bureaus, error) {
	b := &Bureaus{clients: clients, chains: ports.Chains{}}
	var problems []string
	for i, c := range clients {
		if slices.ContainsFunc(clients[:i], func(o Chained) bool { return o.Name() == c.Name() }) {
			problems = append(problems, fmt.Sprintf("two bureau files have the name %q", c.Name()))
		}
		if strings.Contains(c.Name(), ",") {
			problems = append(problems, fmt.Sprintf("the name %q has a comma, which separates the names of bureaus", c.Name()))
		}
	}
	for _, id := range productIDs(clients) {
		order := plan.Products[id]
		if len(order.Chain) == 0 {
			order.Chain = names
		}
		chain, missing := linked(id, order, func(name string) Chained { return clients[slices.Index(names, name)] })
		if len(plan.Products[id].Chain) > 0 {
			problems = append(problems, missing...)
		}
		if len(chain.Links) == 0 {
			continue
		}
		product, err := offer(id, chain)
		if err == nil && order.Compare != nil {
			chain.Compare, err = compared(product, *order.Compare, clients[slices.Index(names, order.Compare.Bureau)])
		}
		if err != nil {
			problems = append(problems, err.Error())
		}
		b.chains[id], b.offered = chain, append(b.offered, product)
	}
	for id := range plan.Products {
		if _, ok := b.chains[id]; !ok {
			problems = append(problems, fmt.Sprintf("products.%s: no bureau offers it", id))
		}
	}
	if len(problems) > 0 {
		slices.Sort(problems)
		return nil, fmt.Errorf("the bureaus do not fit together:\n%s", strings.Join(problems, "\n"))
	}
	return b, nil
}

// linked is the chain of a product: the bureaus of its order first, then those that only some questions go to. missing
// says which of them do not offer it.
func linked(id string, order PlannedChain, client func(string) Chained) (chain ports.Chain, missing []string) {
	chain.OnNoRecord, chain.Need = order.OnNoRecord, order.Need
	link := func(names []string) (own []string) {
		for _, name := range names {
			c := client(name)
			p, ok := c.Catalog().Find(id)
			switch {
			case !ok:
				missing = append(missing, fmt.Sprintf("products.%s: the bureau %s does not offer it", id, name))
				continue
			case !slices.Contains(chain.Names(), c.Name()):
				chain.Links = append(chain.Links, ports.Link{Name: c.Name(), Product: p, Timeout: c.Timeout(), Bureau: c})
			}
			own = append(own, c.Name())
		}
		return own
	}
	asked := link(order.Chain)
	for _, route := range order.When {
		route.Asked = link(route.Asked)
		chain.Routes = append(chain.Routes, route)
	}
	if len(asked) < len(chain.Links) {
		chain.Asked = asked
	}
	return chain, missing
}

// productIDs are the products of some bureaus: those of the contract in its order, then the others.
func productIDs(clients []Chained) (ids []string) {
	var others []string
	for _, c := range clients {
		for _, p := range c.Catalog() {
			others = append(others, p.ID)
		}
	}
	for _, p := range catalog.Standard() {
		if slices.Contains(others, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	for _, id := range others {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// offer is a product as a chain offers it: for every document that one of its bureaus takes, with the inputs that any
// of them needs, and at the most that a question may cost.
func offer(id string, c ports.Chain) (catalog.Product, error) {
	p := c.Links[0].Product
	p.Documents = nil
	for _, t := range document.Types() {
		if slices.ContainsFunc(c.Links, func(l ports.Link) bool { return l.Product.Takes(t) }) {
			p.Documents = append(p.Documents, t)
		}
	}
	p.Price, _ = c.Most()
	p.UpTo = slices.ContainsFunc(c.Links, func(l ports.Link) bool { return l.Product.UpTo || l.Product.Price != p.Price })
	for _, l := range c.Links[1:] {
		if l.Product.Schema() != p.Schema() {
			return p, fmt.Errorf("products.%s: %s and %s give it other fields", id, c.Links[0].Name, l.Name)
		}
		for _, in := range l.Product.Inputs {
			i := slices.IndexFunc(p.Inputs, func(other catalog.Input) bool { return other.Name == in.Name })
			switch {
			case i < 0:
				p.Inputs = append(slices.Clip(p.Inputs), in)
			case p.Inputs[i].Type != in.Type:
				return p, fmt.Errorf("products.%s.inputs.%s: %s and another bureau give it other types", id, in.Name, l.Name)
			case in.Required && !p.Inputs[i].Required:
				p.Inputs = slices.Clone(p.Inputs)
				p.Inputs[i].Required = true
			}
		}
	}
	for _, name := range c.Need {
		if _, ok := p.Field(name); !ok {
			return p, fmt.Errorf("products.%s.need: the product has no field %q", id, name)
		}
	}
	return p, nil
}

// compared is the comparison of a product as its chain offers it.
func compared(product catalog.Product, plan PlannedComparison, with Chained) (*ports.Comparison, error) {
	wrong := func(format string, values ...any) (*ports.Comparison, error) {
		return nil, fmt.Errorf("products.%s.compare: "+format, append([]any{product.ID}, values...)...)
	}
	p, ok := with.Catalog().Find(product.ID)
	switch {
	case !ok:
		return wrong("the bureau %s does not offer it; add the product to its file, or compare with another bureau",
			with.Name())
	case p.Schema() != product.Schema():
		return wrong("%s gives it other fields; bureaus that are compared need the same fields", with.Name())
	}
	for _, in := range p.Inputs {
		i := slices.IndexFunc(product.Inputs, func(other catalog.Input) bool { return other.Name == in.Name })
		if in.Required && i < 0 || i >= 0 && product.Inputs[i].Type != in.Type {
			return wrong("%s needs the input %s, which the bureaus of the chain do not take so", with.Name(), in.Name)
		}
	}
	return &ports.Comparison{
		Link: ports.Link{Name: with.Name(), Product: p, Timeout: with.Timeout(), Bureau: with}, Share: plan.Share,
		Monthly: plan.Monthly,
	}, nil
}

// Chains returns the bureaus to ask about each product.
func (b *Bureaus) Chains() ports.Chains { return b.chains }

// Catalog returns the products that the bureaus offer, at the most that a question may cost: those of the contract in
// its order, then the others.
func (b *Bureaus) Catalog() catalog.Catalog { return b.offered }

// Name returns the names of the bureaus, separated by commas.
func (b *Bureaus) Name() string {
	names := make([]string, len(b.clients))
	for i, c := range b.clients {
		names[i] = c.Name()
	}
	return strings.Join(names, ", ")
}

// Timeout returns how long the question that may take longest can take.
func (b *Bureaus) Timeout() (most time.Duration) {
	for _, c := range b.chains {
		if most = max(most, c.Timeout()); c.Compare != nil {
			most = max(most, c.Compare.Link.Timeout)
		}
	}
	return most
}

// Rate returns how many calls per second every bureau allows; zero where no file says.
func (b *Bureaus) Rate() (least float64) {
	for _, c := range b.clients {
		if r := c.Rate(); r > 0 && (least == 0 || r < least) {
			least = r
		}
	}
	return least
}

// Close closes all of them.
func (b *Bureaus) Close() {
	for _, c := range b.clients {
		c.Close()
	}
}
