package bureau

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"fichario/adapters/yamlfile"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

// Plan is a file that says which bureaus an instance asks, and in which order for each product.
type Plan struct {
	// Bureaus are the names that the file gives them, in order, and Refs the bureau files: a shipped one's name, or a path
	// beside the plan.
	Bureaus, Refs []string
	// Products are the chains of products, by id; the others go through all bureaus that offer them, in order.
	Products map[string]PlannedChain
}

// PlannedChain is how a plan orders a product's bureaus.
type PlannedChain struct {
	Chain      []string
	OnNoRecord bool
	Need       []string
	// When are other ways, for some questions: the first that fits.
	When []ports.Route
	// Compare has the answers compared with those of a bureau; nil for none.
	Compare *PlannedComparison
}

// PlannedComparison is a ports.Comparison with a bureau as the plan names it.
type PlannedComparison struct {
	Bureau  string
	Share   float64
	Monthly catalog.Money
}

// IsPlan reports whether a text is meant as a plan, and not as a bureau file.
func IsPlan(src []byte) bool {
	var top struct {
		Bureaus yaml.Node `yaml:"bureaus"`
	}
	return yaml.Load(src, &top) == nil && top.Bureaus.Kind == yaml.MappingNode
}

// ParsePlan reads a plan. The error is always Problems.
func ParsePlan(src []byte) (Plan, error) {
	p := &planParser{plan: Plan{Products: map[string]PlannedChain{}}}
	if root, ok := p.Load(src, "the file must be a mapping with bureaus and products"); ok {
		top := yamlfile.At{Node: root, Line: root.Line}
		keys := p.Known(top, "bureaus", "products")
		p.Required(top, keys, "bureaus")
		if v, ok := keys["bureaus"]; ok {
			for _, pair := range p.Pairs(v) {
				p.plan.Bureaus = append(p.plan.Bureaus, pair.Key)
				p.plan.Refs = append(p.plan.Refs, p.Text(pair.At))
			}
			if len(p.plan.Bureaus) == 0 {
				p.Fault(v, "must name at least one bureau")
			}
		}
		if v, ok := keys["products"]; ok {
			for _, pair := range p.Pairs(v) {
				if !catalog.ValidID(pair.Key) {
					p.Fault(pair.At, "is not a product's id")
					continue
				}
				p.plan.Products[pair.Key] = p.chain(pair.At)
			}
		}
	}
	if len(p.Problems) > 0 {
		return Plan{}, p.Problems.Sorted()
	}
	return p.plan, nil
}

type planParser struct {
	yamlfile.Reader
	plan Plan
}

func (p *planParser) chain(v yamlfile.At) (c PlannedChain) {
	if v.Node.Kind == yaml.SequenceNode {
		c.Chain = p.names(v)
		return c
	}
	keys := p.Known(v, "chain", "on_no_record", "need", "when", "compare")
	p.Required(v, keys, "chain")
	if k, ok := keys["chain"]; ok {
		c.Chain = p.names(k)
	}
	if k, ok := keys["on_no_record"]; ok {
		if c.OnNoRecord = p.Text(k) == "next"; !c.OnNoRecord {
			p.Fault(k, `must be "next", or be left out`)
		}
	}
	if k, ok := keys["need"]; ok {
		for _, item := range p.List(k) {
			c.Need = append(c.Need, p.Text(item))
		}
	}
	if k, ok := keys["when"]; ok {
		for _, item := range p.List(k) {
			c.When = append(c.When, p.route(item))
		}
	}
	if k, ok := keys["compare"]; ok {
		c.Compare = p.comparison(k)
	}
	return c
}

// route reads the way of some questions.
func (p *planParser) route(v yamlfile.At) (r ports.Route) {
	keys := p.Known(v, "purpose", "document", "chain")
	p.Required(v, keys, "chain")
	if k, ok := keys["chain"]; ok {
		r.Asked = p.names(k)
	}
	if k, ok := keys["purpose"]; ok {
		r.Purposes = p.oneOrMore(k)
	}
	if k, ok := keys["document"]; ok {
		for _, one := range p.oneOrMore(k) {
			if r.Documents = append(r.Documents, document.Type(one)); !slices.Contains(document.Types(), document.Type(one)) {
				p.Fault(k, "must be one of cpf, cnpj, placa, email")
			}
		}
	}
	if len(keys) > 0 && len(r.Purposes)+len(r.Documents) == 0 {
		p.Fault(v, "needs a purpose or a document")
	}
	return r
}

// oneOrMore reads a text, or a list of texts.
func (p *planParser) oneOrMore(v yamlfile.At) (texts []string) {
	if v.Node.Kind != yaml.SequenceNode {
		return []string{p.Text(v)}
	}
	for _, item := range p.List(v) {
		texts = append(texts, p.Text(item))
	}
	return texts
}

func (p *planParser) comparison(v yamlfile.At) *PlannedComparison {
	var c PlannedComparison
	keys := p.Known(v, "bureau", "share", "monthly")
	p.Required(v, keys, "bureau", "share", "monthly")
	if k, ok := keys["bureau"]; ok {
		if c.Bureau = p.Text(k); c.Bureau != "" && !slices.Contains(p.plan.Bureaus, c.Bureau) {
			p.Fault(k, "is not among the bureaus: %s", strings.Join(p.plan.Bureaus, ", "))
		}
	}
	if k, ok := keys["share"]; ok {
		share, err := strconv.ParseFloat(k.Node.Value, 64)
		if c.Share = share; err != nil || !(share > 0 && share <= 1) {
			p.Fault(k, "must be a number above 0 and at most 1: 0.02 compares two questions of a hundred")
		}
	}
	if k, ok := keys["monthly"]; ok {
		monthly, err := catalog.ParseMoney(k.Node.Value)
		if c.Monthly = monthly; err != nil || monthly <= 0 {
			p.Fault(k, `must be the most that comparisons may cost in a month, in reais, such as "50.00"`)
		}
	}
	return &c
}

// names reads a list of bureaus.
func (p *planParser) names(v yamlfile.At) (names []string) {
	for _, item := range p.List(v) {
		name := p.Text(item)
		switch {
		case name == "":
		case !slices.Contains(p.plan.Bureaus, name):
			p.Fault(item, "is not among the bureaus: %s", strings.Join(p.plan.Bureaus, ", "))
		case slices.Contains(names, name):
			p.Fault(item, "is repeated")
		default:
			names = append(names, name)
		}
	}
	if len(names) == 0 && v.Node.Kind == yaml.SequenceNode {
		p.Fault(v, "must name at least one bureau")
	}
	return names
}
