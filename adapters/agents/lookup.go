package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

type object = map[string]any

// lookupArgs are the fields of POST /api/v1/consultas, and whether to show documents unmasked.
type lookupArgs struct {
	Product     string `json:"produto"`
	Document    string `json:"documento"`
	Purpose     string `json:"finalidade"`
	Refresh     bool   `json:"atualizar"`
	MaxAge      *int   `json:"maxIdade"`
	HistoryOnly bool   `json:"somenteHistorico"`
	// Inputs are an object of texts and numbers, read by lookups.ReadInputs.
	Inputs json.RawMessage `json:"entradas"`
	// Once is the header Idempotency-Key of the API.
	Once     *string `json:"chaveIdempotencia"`
	Unmasked bool    `json:"semMascara"`
}

var unmaskedArg = object{"type": "boolean", "description": "Show documents in full. By default they are masked."}

func (s *session) lookupTool() *mcp.Tool {
	offers := s.Terms.Offers(s.By)
	ids, prices, inputs := []string{}, make([]string, len(offers)), []string{}
	for i, o := range offers {
		ids = append(ids, o.Product.ID)
		if takes := inputsOf(o.Product); takes != "" {
			inputs = append(inputs, takes)
		}
		prices[i] = fmt.Sprintf("%s (%s, by %s) %s", o.Product.ID, o.Product.Name, words(o.Scopes), reais(o.Product.Price))
	}
	properties := object{
		"produto":          object{"type": "string", "enum": ids, "description": "What to ask for."},
		"documento":        object{"type": "string", "description": "CPF, CNPJ, plate or e-mail address, with or without punctuation."},
		"atualizar":        object{"type": "boolean", "description": "Ask the bureau even if history has an answer; always charged."},
		"maxIdade":         object{"type": "integer", "minimum": 0, "maximum": 30, "description": "Oldest acceptable answer from history, in days."},
		"somenteHistorico": object{"type": "boolean", "description": "Never ask the bureau; free of charge."},
		"chaveIdempotencia": object{
			"type": "string", "minLength": 1, "maxLength": 255,
			"description": "Your name for this question, as a UUID. Sent again with it within 24 hours, because the answer was " +
				"lost, the same question has the same answer or failure and costs nothing more, even with atualizar.",
		},
		"semMascara": unmaskedArg,
	}
	if len(inputs) > 0 {
		properties["entradas"] = object{
			"type": "object", "additionalProperties": object{"type": []string{"string", "number"}},
			"description": "What a product needs beside the document. " + strings.Join(inputs, "; ") + ".",
		}
	}
	required := []string{"produto", "documento"}
	if len(s.purposes) > 0 {
		names := make([]string, len(s.purposes))
		for i, p := range s.purposes {
			names[i] = p.Code + ": " + p.Name
		}
		properties["finalidade"] = object{
			"type": "string", "enum": s.codes(), "description": "What the lookup is for. " + strings.Join(names, "; ") + ".",
		}
		required = append(required, "finalidade")
	}
	return tool("lookup", "Consultar", "Looks up a CPF, CNPJ, plate or e-mail address at the data bureau. Calls that reach the "+
		"bureau cost money, even if it has no record or fails: "+strings.Join(prices, "; ")+". The same question again "+
		"within "+days(s.Terms.Fresh)+" is answered from history, free. "+s.ceiling(), required, properties,
		mcp.ToolAnnotations{DestructiveHint: new(bool)})
}

// inputsOf are the inputs of a product; empty if it has none.
func inputsOf(p catalog.Product) string {
	each := make([]string, len(p.Inputs))
	for i, in := range p.Inputs {
		each[i] = in.Name + " (" + string(in.Type)
		if in.Required {
			each[i] += ", required"
		}
		each[i] += ")"
	}
	if len(each) == 0 {
		return ""
	}
	return p.ID + ": " + strings.Join(each, ", ")
}

// codes are the codes of the purposes that the key may use.
func (s *session) codes() []string {
	codes := make([]string, len(s.purposes))
	for i, p := range s.purposes {
		codes[i] = p.Code
	}
	return codes
}

func days(d time.Duration) string { return fmt.Sprintf("%d days", int(d.Hours()/24)) }

func words(types []document.Type) string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = string(t)
	}
	return strings.Join(out, " or ")
}

// tool defines a tool that takes an object with these properties and no others.
func tool(
	name, title, description string, required []string, properties object, hints mcp.ToolAnnotations,
) *mcp.Tool {
	if required == nil {
		required = []string{}
	}
	return &mcp.Tool{
		Name: name, Title: title, Description: description, Annotations: &hints,
		InputSchema: object{
			"type": "object", "properties": properties, "required": required, "additionalProperties": false,
		},
	}
}

// lookup makes a lookup within what the session may spend. The purpose must be stated wherever the key may use one,
// even if it is the only one: an agent that states it knows it.
func (s *session) lookup(ctx context.Context, args lookupArgs) (any, error) {
	req, err := s.request(args)
	if err != nil {
		return nil, err
	}
	result, spent, err := s.Sessions.DoWithin(ctx, s.By, req, s.Session)
	if err != nil {
		return nil, err
	}
	if result.Entry.Status == lookup.Running {
		return s.pending(result, spent), nil
	}
	return s.result(result, spent, args.Unmasked), nil
}

// pending says that the bureau answers later, and how that answer is had.
func (s *session) pending(r lookups.Result, spent *catalog.Money) object {
	return object{
		"consultaId": r.Entry.ID, "situacao": lookup.Running,
		"orientacao": "O bureau responde mais tarde. Repita o pedido em alguns instantes, sem atualizar e com " +
			"somenteHistorico: quando a resposta chegar, ela virá do histórico, e nada é cobrado de novo.",
		"sessao": s.account(spent),
	}
}

func (s *session) request(args lookupArgs) (lookups.Request, error) {
	req := lookups.Request{
		Product: args.Product, Document: s.bare(args.Product, args.Document), Purpose: args.Purpose,
		Refresh: args.Refresh, Free: args.HistoryOnly,
	}
	var err error
	if req.Inputs, err = lookups.ReadInputs(args.Inputs); err != nil {
		return req, err
	}
	if req.RequestKey, err = lookups.RequestKeyOf("chaveIdempotencia", args.Once); err != nil {
		return req, err
	}
	if args.Refresh && (args.HistoryOnly || args.MaxAge != nil) {
		return req, fault.New(fault.InvalidRequest,
			"atualizar não pode ser usado com maxIdade nem com somenteHistorico: envie só um deles.")
	}
	if args.MaxAge != nil {
		if *args.MaxAge < 0 || *args.MaxAge > 30 {
			return req, fault.New(fault.InvalidRequest, "maxIdade vai de 0 a 30 dias.")
		}
		age := time.Duration(*args.MaxAge) * 24 * time.Hour
		req.MaxAge = &age
	}
	if len(s.purposes) > 0 && args.Purpose == "" {
		return req, fault.New(fault.MissingPurpose, "Informe o motivo da consulta em finalidade: "+
			strings.Join(s.codes(), ", ")+". Nada foi consultado nem cobrado.")
	}
	return req, nil
}

// bare is a document without its punctuation, where the product takes documents of its type.
func (s *session) bare(product, typed string) string {
	p, _ := s.Terms.Catalog.Find(product)
	for _, t := range p.Documents {
		if d, err := document.Normalize(t, typed); err == nil {
			return d.Value()
		}
	}
	return typed
}

// result is an answer as in the API, but without the bureau's bytes, which repeat the document, and with what is left
// of the session's ceiling where that is known.
func (s *session) result(r lookups.Result, spent *catalog.Money, unmasked bool) json.RawMessage {
	fields, shown := r.Record.Fields, r.Record.Document.Value()
	if !unmasked {
		fields, shown = masked(fields, r.Record.Document), r.Record.Document.Masked()
	}
	sources := object{}
	for name, from := range r.Record.Sources {
		sources[name] = object{"bureau": from.Bureau, "em": from.At.UTC().Truncate(time.Microsecond)}
	}
	rest, err := json.Marshal(struct {
		Product    string      `json:"produto"`
		Document   string      `json:"documento"`
		Cache      bool        `json:"cache"`
		ID         string      `json:"consultaId"`
		AnsweredAt time.Time   `json:"consultadoEm"`
		Charged    json.Number `json:"valorCobrado"`
		Bureau     string      `json:"bureau,omitempty"`
		Sources    object      `json:"fontes,omitempty"`
		Session    object      `json:"sessao"`
	}{
		r.Record.Product, shown, r.Entry.Cache, r.Entry.ID, r.Record.AnsweredAt.UTC().Truncate(time.Microsecond),
		amount(r.Entry.Cost()), r.Record.Bureau, sources, s.account(spent),
	})
	if err != nil {
		panic(err) // these values always marshal
	}
	return append(append(fields[:len(fields)-1:len(fields)-1], ','), rest[1:]...) // a product has at least one field
}

// account is the session's ceiling, and what is left of it where that is known.
func (s *session) account(spent *catalog.Money) object {
	ceiling := *s.Session.Ceiling
	account := object{"teto": amount(ceiling)}
	if spent != nil {
		account["gasto"], account["restante"] = amount(*spent), amount(max(0, ceiling-*spent))
	}
	return account
}

func amount(m catalog.Money) json.Number { return json.Number(m.String()) }
