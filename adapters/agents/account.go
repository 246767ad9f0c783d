package agents

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

var readOnly = mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}

func productsTool() *mcp.Tool {
	return tool("products", "Produtos", "Lists the products that this key may look up, with their prices in reais, the "+
		"documents they take, what they need beside (entradas) and the fields they answer with. Free (R$ 0,00).",
		nil, object{}, readOnly)
}

// product is a product as GET /api/v1/produtos lists it.
type product struct {
	ID          string          `json:"id"`
	Name        string          `json:"nome"`
	Description string          `json:"descricao"`
	Documents   []document.Type `json:"documentos"`
	Price       json.Number     `json:"preco"`
	Inputs      []input         `json:"entradas"`
	Fields      []field         `json:"campos"`
}

type input struct {
	Name        string `json:"nome"`
	Kind        string `json:"tipo"`
	Required    bool   `json:"obrigatoria"`
	Description string `json:"descricao"`
}

type field struct {
	Name        string `json:"nome"`
	Kind        string `json:"tipo"`
	Description string `json:"descricao"`
}

func (s *session) products(_ context.Context, _ struct{}) (any, error) {
	out := []product{}
	for _, o := range s.Terms.Offers(s.By) {
		p := product{
			ID: o.Product.ID, Name: o.Product.Name, Description: o.Product.Description, Documents: o.Scopes,
			Price: amount(o.Product.Price), Inputs: []input{},
		}
		for _, in := range o.Product.Inputs {
			p.Inputs = append(p.Inputs, input{in.Name, string(in.Type), in.Required, in.Called()})
		}
		for _, f := range o.Product.Fields {
			p.Fields = append(p.Fields, field{f.Name, string(f.Kind), f.Description})
		}
		out = append(out, p)
	}
	return object{"produtos": out}, nil
}

// statementArgs are the parameters of GET /api/v1/consultas.
type statementArgs struct {
	Limit    int    `json:"limite"`
	Cursor   string `json:"cursor"`
	From     string `json:"de"`
	Until    string `json:"ate"`
	Product  string `json:"produto"`
	Purpose  string `json:"finalidade"`
	Cache    *bool  `json:"cache"`
	Unmasked bool   `json:"semMascara"`
}

func statementTool() *mcp.Tool {
	text := func(description string) object { return object{"type": "string", "description": description} }
	return tool("statement", "Extrato", "Shows what this key has spent today, this month and in all, in reais, and its "+
		"lookups, newest first. Free (R$ 0,00).", nil, object{
		"limite":     object{"type": "integer", "minimum": 1, "maximum": 200, "description": "Lookups per page; 50 by default."},
		"cursor":     text("proxima of the previous page."),
		"de":         text("First day, as 2026-11-01."),
		"ate":        text("Last day, as 2026-11-30."),
		"produto":    text("Only lookups of this product."),
		"finalidade": text("Only lookups for this purpose."),
		"cache":      object{"type": "boolean", "description": "true: only answers from history; false: only the others."},
		"semMascara": unmaskedArg,
	}, readOnly)
}

// entry is a line of the statement.
type entry struct {
	ID       string      `json:"id"`
	Product  string      `json:"produto"`
	Document string      `json:"documento"`
	At       time.Time   `json:"em"`
	Cache    bool        `json:"cache"`
	Charged  bool        `json:"cobrada"`
	Amount   json.Number `json:"valor"`
	Status   string      `json:"situacao"`
	Purpose  string      `json:"finalidade,omitempty"`
	Bureau   string      `json:"bureau,omitempty"`
	Followed string      `json:"seguida,omitempty"`
}

func (s *session) statement(ctx context.Context, args statementArgs) (any, error) {
	page, err := s.Statement.Page(app.ForList(app.ForPage(ctx)), s.By, lookups.StatementQuery{
		Limit: args.Limit, Cursor: args.Cursor, From: args.From, Until: args.Until, Product: args.Product,
		Purpose: args.Purpose, Cache: args.Cache,
	})
	if err != nil {
		return nil, err
	}
	entries := make([]entry, len(page.Entries))
	for i, e := range page.Entries {
		entries[i] = entryOf(e, args.Unmasked)
	}
	out := object{
		"gasto":     object{"hoje": amount(page.Today.Amount), "mes": amount(page.Month.Amount), "total": amount(page.Ever.Amount)},
		"cobradas":  object{"hoje": page.Today.Count, "mes": page.Month.Count, "total": page.Ever.Count},
		"consultas": entries,
	}
	if page.Next != "" {
		out["proxima"] = page.Next
	}
	return out, nil
}

func entryOf(e lookup.Entry, unmasked bool) entry {
	shown := e.Document.Value()
	if !unmasked {
		shown = e.Document.Masked()
	}
	return entry{
		e.ID, e.Product, shown, e.At, e.Cache, e.Charged, amount(e.Amount), string(e.Status), e.Purpose,
		e.Bureau, e.FollowedID,
	}
}

const (
	contactsDefault = 20
	contactsMost    = 50
)

type contactsArgs struct {
	Text  string `json:"busca"`
	After string `json:"cursor"`
	Limit int    `json:"limite"`
}

func contactsTool() *mcp.Tool {
	return tool("contacts", "Contatos", "Searches the organisation's contacts, newest first. Free (R$ 0,00); every search is "+
		"in the audit.", []string{"busca"}, object{
		"busca":  object{"type": "string", "description": "Parts of a name, e-mail address, company or phone, or a whole CPF or CNPJ."},
		"limite": object{"type": "integer", "minimum": 1, "maximum": contactsMost, "description": "Contacts per page; 20 by default."},
		"cursor": object{"type": "string", "description": "proxima of the previous page."},
	}, readOnly)
}

// contact is a contact as a list shows it: without its note, history and documents.
type contact struct {
	ID        string      `json:"id"`
	Name      string      `json:"nome"`
	Email     string      `json:"email"`
	Phone     string      `json:"telefone,omitempty"`
	Company   string      `json:"empresa,omitempty"`
	Amount    json.Number `json:"valor"`
	Funnel    string      `json:"funil"`
	Stage     string      `json:"etapa"`
	Assignee  string      `json:"responsavel,omitempty"`
	CreatedAt time.Time   `json:"criadoEm"`
}

// unnumbered is a text without the documents in it: people write their CPF anywhere, and small firms have their owner's
// in their names. A phone has as many digits, and stays.
func unnumbered(text string) string { return hide(text, document.Document{}, false) }

func contactOf(c crm.ContactView) contact {
	return contact{
		c.ID, unnumbered(c.Name), unnumbered(c.Email), c.Phone, unnumbered(c.Company), amount(c.Amount),
		unnumbered(c.Funnel), unnumbered(c.Stage), unnumbered(c.Assignee.Name), c.CreatedAt,
	}
}

func (s *session) contacts(ctx context.Context, args contactsArgs) (any, error) {
	if args.Text == "" {
		return nil, fault.New(fault.InvalidRequest, "Diga em busca quem se procura.")
	}
	if args.Limit == 0 {
		args.Limit = contactsDefault
	}
	if args.Limit < 1 || args.Limit > contactsMost {
		return nil, fault.New(fault.InvalidRequest, "limite vai de 1 a 50.")
	}
	page, err := s.Contacts.HandOut(app.ForPage(ctx), s.By, args.Text, args.After, args.Limit)
	if err != nil {
		return nil, err
	}
	found := []contact{}
	for _, c := range page.Contacts {
		found = append(found, contactOf(c))
	}
	out := object{"contatos": found}
	if page.More {
		out["proxima"] = found[len(found)-1].ID
	}
	return out, nil
}
