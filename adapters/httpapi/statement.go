package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v5"

	"fichario/adapters/download"
	"fichario/adapters/shape"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/audit"
	"fichario/domain/text"
)

const csvType = "text/csv"

// wanted is the file type that an Accept header prefers, the first among equals; empty where JSON is preferred, or none
// of them is named.
func wanted(accept string, files ...string) string {
	weights := weightsOf(accept)
	best, most := "", 0.0
	for _, json := range []string{echo.MIMEApplicationJSON, "application/*", "*/*"} {
		if q, named := weights[json]; named {
			most = q
			break
		}
	}
	for _, file := range files {
		if q := weights[file]; q > most || q > 0 && q == most && best == "" {
			best, most = file, q
		}
	}
	return best
}

// weightsOf returns the types in an Accept header with their weights (RFC 9110, section 12.5.1).
func weightsOf(accept string) map[string]float64 {
	weights := map[string]float64{}
	for part := range strings.SplitSeq(accept, ",") {
		kind, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := 1.0
		for p := range strings.SplitSeq(params, ";") {
			if v, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(p)), "q="); ok {
				if f, err := strconv.ParseFloat(v, 64); err == nil {
					q = f
				}
			}
		}
		weights[strings.ToLower(strings.TrimSpace(kind))] = q
	}
	return weights
}

// looking marks requests for people to look at, so that lookups need not wait for them.
func looking(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		c.SetRequest(c.Request().WithContext(app.ForPage(c.Request().Context())))
		return next(c)
	}
}

// through notes how a request came, for the audit; posts are not audited.
func (s *server) through(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		via := app.Via{
			Door: audit.API, Address: shape.ClientNetwork(c.Request(), s.TrustedProxies),
			RequestID: c.Response().Header().Get(echo.HeaderXRequestID),
		}
		c.SetRequest(c.Request().WithContext(app.Through(c.Request().Context(), via)))
		return next(c)
	}
}

// GetStatement serves GET /api/v1/consultas (specification, 4.4).
func (h handlers) GetStatement(ctx context.Context, r GetStatementRequestObject) (GetStatementResponseObject, error) {
	p, c := r.Params, callOf(ctx)
	q := statementQuery(GetStatementFileParams{
		De: p.De, Ate: p.Ate, Produto: p.Produto, Finalidade: p.Finalidade, Cache: p.Cache,
	})
	q.Cursor = orEmpty(p.Cursor)
	q.Limit, _ = strconv.Atoi(orEmpty(p.Limite)) // its shape has been checked
	ctx = app.ForList(ctx)
	form := download.Form(orEmpty(p.Formato))
	if form == download.Excel || wanted(c.accept, csvType) != "" {
		lines, err := h.Statement.Lines(ctx, c.caller, q)
		return file{download.Statement(lines), form}, err
	}
	page, err := h.Statement.Page(ctx, c.caller, q)
	return body{statementPage(page)}, err
}

// GetStatementFile serves GET /api/v1/extrato/arquivo.
func (h handlers) GetStatementFile(
	ctx context.Context, r GetStatementFileRequestObject,
) (GetStatementFileResponseObject, error) {
	form := download.Plain
	if orEmpty(r.Params.Formato) == string(download.Excel) {
		form = download.Excel
	}
	lines, err := h.Statement.Lines(app.ForList(ctx), callOf(ctx).caller, statementQuery(r.Params))
	return file{download.Statement(lines), form}, err
}

// statementQuery reads the filters, whose shape was checked.
func statementQuery(p GetStatementFileParams) lookups.StatementQuery {
	q := lookups.StatementQuery{
		From: orEmpty(p.De), Until: orEmpty(p.Ate), Product: orEmpty(p.Produto), Purpose: orEmpty(p.Finalidade),
	}
	if p.Cache != nil {
		cached := *p.Cache == "true"
		q.Cache = &cached
	}
	return q
}

func statementPage(page lookups.StatementPage) StatementPage {
	out := StatementPage{Consultas: make([]StatementEntry, len(page.Entries))}
	key, limits := page.Key, page.Key.Limits
	out.Chave.Id, out.Chave.Nome, out.Chave.Prefixo, out.Chave.Escopos = key.ID, key.Name, key.Prefix, types(key.Scopes)
	out.Gasto.Hoje, out.Gasto.Mes = amount(page.Today.Amount), amount(page.Month.Amount)
	out.Gasto.Total = amount(page.Ever.Amount)
	out.Cobradas.Hoje, out.Cobradas.Mes, out.Cobradas.Total = page.Today.Count, page.Month.Count, page.Ever.Count
	out.Limites.Minuto, out.Limites.Dia, out.Limites.Mes = limits.PerMinute, limits.PerDay, limits.PerMonth
	for i, e := range page.Entries {
		out.Consultas[i] = StatementEntry{
			Id: e.ID, Produto: e.Product, Documento: e.Document.Value(), Em: e.At, Cache: e.Cache, Cobrada: e.Charged,
			Valor: amount(e.Amount), Situacao: string(e.Status), Finalidade: text.OrNil(e.Purpose),
			Automacao: text.OrNil(e.AutomationID), Bureau: text.OrNil(e.Bureau), Seguida: text.OrNil(e.FollowedID),
			Comparacao: e.Compared,
		}
	}
	if page.Next != "" {
		out.Proxima = &page.Next
	}
	return out
}

// file is a table as a response, written while it is read.
type file struct {
	table download.Table
	form  download.Form
}

// VisitGetStatementFileResponse writes the file.
func (f file) VisitGetStatementFileResponse(w http.ResponseWriter) error {
	return f.VisitGetStatementResponse(w)
}

// VisitGetStatementResponse writes the file.
func (f file) VisitGetStatementResponse(w http.ResponseWriter) error {
	_, err := download.CSV(w, f.table, f.form)
	return err
}
