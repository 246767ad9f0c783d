package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"fichario/adapters/download"
	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
)

// handlers implements the generated strict server.
type handlers struct{ *server }

var _ StrictServerInterface = handlers{}

// LookupCpf serves GET /api/v1/cpf/{documento} (specification, 4.1).
func (h handlers) LookupCpf(ctx context.Context, r LookupCpfRequestObject) (LookupCpfResponseObject, error) {
	return h.dedicated(ctx, catalog.CPF, r.Documento, r.Params.Refresh)
}

// LookupCnpj serves GET /api/v1/cnpj/{documento} (specification, 4.1).
func (h handlers) LookupCnpj(ctx context.Context, r LookupCnpjRequestObject) (LookupCnpjResponseObject, error) {
	return h.dedicated(ctx, catalog.CNPJ, r.Documento, r.Params.Refresh)
}

func (h handlers) dedicated(ctx context.Context, product, document string, refresh *string) (*result, error) {
	req := app.LookupRequest{Product: product, Document: document}
	switch text := orEmpty(refresh); {
	case refresh == nil, text == "false":
	case text == "true":
		req.Refresh = true
	default:
		return nil, fault.New(fault.InvalidRequest, "O parâmetro atualizar é true ou false.").At("atualizar")
	}
	return h.lookup(ctx, req)
}

// Lookup serves POST /api/v1/consultas (specification, 4.2).
func (h handlers) Lookup(ctx context.Context, r LookupRequestObject) (LookupResponseObject, error) {
	for _, field := range []struct{ name, value string }{{"produto", r.Body.Product}, {"documento", r.Body.Document}} {
		if field.value == "" {
			return nil, fault.New(fault.InvalidRequest, "Falta o campo "+field.name+".").At(field.name)
		}
	}
	return h.lookup(ctx, app.LookupRequest{
		Product: r.Body.Product, Document: r.Body.Document, Refresh: r.Body.Refresh != nil && *r.Body.Refresh,
	})
}

func (h handlers) lookup(ctx context.Context, req app.LookupRequest) (*result, error) {
	answer, err := h.Lookups.Do(ctx, callOf(ctx).caller, req)
	if err != nil {
		return nil, err
	}
	return &result{answer}, nil
}

// result writes a lookup's answer: the stored named fields and the bureau's bytes
// are spliced in as they are, never decoded and encoded again (specification,
// 2.1.3).
type result struct{ app.LookupResult }

// VisitLookupCpfResponse writes the answer.
func (r *result) VisitLookupCpfResponse(w http.ResponseWriter) error { return r.write(w) }

// VisitLookupCnpjResponse writes the answer.
func (r *result) VisitLookupCnpjResponse(w http.ResponseWriter) error { return r.write(w) }

// VisitLookupResponse writes the answer.
func (r *result) VisitLookupResponse(w http.ResponseWriter) error { return r.write(w) }

func (r *result) write(w http.ResponseWriter) error {
	fields, raw := r.Record.Fields, r.Record.Raw
	buf := buffers.Get().(*[]byte)                     //nolint:forcetypeassert // only these are put
	b := append((*buf)[:0], fields[:len(fields)-1]...) // without its closing brace; a product has at least one field
	b = append(append(b, `,"produto":"`...), r.Record.Product...)
	b = append(b, `","documento":"`...)
	b = append(b, r.Record.Document.Value()...) // no type of document holds a character that JSON escapes
	b = strconv.AppendBool(append(b, `","cache":`...), r.Entry.Cache)
	b = append(append(b, `,"consultaId":"`...), r.Entry.ID...)
	b = append(b, `","consultadoEm":"`...)
	b = r.Record.AnsweredAt.UTC().Truncate(time.Microsecond).AppendFormat(b, time.RFC3339Nano)
	b = append(append(b, `","valorCobrado":`...), r.Entry.Amount.String()...)
	b = append(append(b, `,"bruto":`...), raw...)
	b = append(b, '}')
	w.Header().Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	w.Header().Set(echo.HeaderContentLength, strconv.Itoa(len(b)))
	_, err := w.Write(b)
	if cap(b) <= bufferKept {
		*buf = b
		buffers.Put(buf)
	}
	return err
}

// bufferKept is the largest buffer that is used again, so that one large answer
// does not hold its memory for good.
const bufferKept = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// ListProducts serves GET /api/v1/produtos (specification, 4.3).
func (h handlers) ListProducts(ctx context.Context, _ ListProductsRequestObject) (ListProductsResponseObject, error) {
	list := ProductList{Produtos: []ProductEntry{}}
	for _, o := range h.Lookups.Offers(callOf(ctx).caller) {
		p := ProductEntry{
			Id: o.Product.ID, Nome: o.Product.Name, Descricao: o.Product.Description, Preco: amount(o.Product.Price),
			Documentos: types(o.Product.Documents), Escopos: types(o.Scopes), Rota: "/api/v1/consultas",
		}
		if p.Id == catalog.CPF || p.Id == catalog.CNPJ {
			p.Rota = "/api/v1/" + p.Id + "/{documento}"
		}
		for _, f := range o.Product.Fields {
			p.Campos = append(p.Campos, struct {
				Descricao string            `json:"descricao"`
				Nome      string            `json:"nome"`
				Tipo      ProdutoCamposTipo `json:"tipo"`
			}{f.Description, f.Name, ProdutoCamposTipo(f.Kind)})
		}
		list.Produtos = append(list.Produtos, p)
	}
	return body{list}, nil
}

// GetStatement serves GET /api/v1/consultas (specification, 4.4).
func (h handlers) GetStatement(ctx context.Context, r GetStatementRequestObject) (GetStatementResponseObject, error) {
	p := r.Params
	q := app.StatementQuery{
		Limit: orEmpty(p.Limite), Cursor: orEmpty(p.Cursor), From: orEmpty(p.De), Until: orEmpty(p.Ate),
		Product: orEmpty(p.Produto), Cache: orEmpty(p.Cache),
	}
	c := callOf(ctx)
	if prefersCSV(c.accept) {
		lines, err := h.Statement.Lines(ctx, c.caller, q)
		return file(download.Statement(lines)), err
	}
	page, err := h.Statement.Page(ctx, c.caller, q)
	if err != nil {
		return nil, err
	}
	out := StatementPage{Consultas: make([]StatementEntry, len(page.Entries))}
	out.Chave.Id, out.Chave.Nome = page.Key.ID, page.Key.Name
	out.Chave.Prefixo, out.Chave.Escopos = page.Key.Prefix, types(page.Key.Scopes)
	out.Gasto.Hoje, out.Gasto.Mes = amount(page.Today.Amount), amount(page.Month.Amount)
	out.Gasto.Total = amount(page.Ever.Amount)
	out.Cobradas.Hoje, out.Cobradas.Mes, out.Cobradas.Total = page.Today.Count, page.Month.Count, page.Ever.Count
	limits := page.Key.Limits
	out.Limites.Minuto, out.Limites.Dia, out.Limites.Mes = limits.PerMinute, limits.PerDay, limits.PerMonth
	for i, e := range page.Entries {
		out.Consultas[i] = StatementEntry{
			Id: e.ID, Produto: e.Product, Documento: e.Document.Value(), Em: e.At, Cache: e.Cache, Cobrada: e.Charged,
			Valor: amount(e.Amount), Situacao: string(e.Status),
		}
	}
	if page.Next != "" {
		out.Proxima = &page.Next
	}
	return body{out}, nil
}

// body is any value as a JSON answer.
type body struct{ value any }

// VisitListProductsResponse writes the answer.
func (b body) VisitListProductsResponse(w http.ResponseWriter) error { return b.write(w) }

// VisitGetStatementResponse writes the answer.
func (b body) VisitGetStatementResponse(w http.ResponseWriter) error { return b.write(w) }

func (b body) write(w http.ResponseWriter) error {
	return writeJSON(w, http.StatusOK, echo.MIMEApplicationJSON, b.value)
}

// file is a table as an answer, which is written while it is read.
type file download.Table

// VisitGetStatementResponse writes the file.
func (f file) VisitGetStatementResponse(w http.ResponseWriter) error {
	_, err := download.CSV(w, download.Table(f))
	return err
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func amount(m catalog.Money) json.Number { return json.Number(m.String()) }

func types(in []document.Type) []DocumentType {
	out := make([]DocumentType, len(in))
	for i, t := range in {
		out[i] = DocumentType(t)
	}
	return out
}
