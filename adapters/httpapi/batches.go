package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/labstack/echo/v5"

	"fichario/adapters/download"
	"fichario/app/batches"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/text"
)

const (
	batchesPerPage = 50
	resultsPerPage = 100
)

// batchAnswer is a batch as an answer.
type batchAnswer struct {
	status int
	view   batches.View
}

// batchMoved is the answer of an operation that changes a batch.
func batchMoved(v batches.View, err error) (batchAnswer, error) {
	return batchAnswer{http.StatusAccepted, v}, err
}

// VisitGetBatchResponse writes the answer.
func (a batchAnswer) VisitGetBatchResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitConfirmBatchResponse writes the answer.
func (a batchAnswer) VisitConfirmBatchResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitPauseBatchResponse writes the answer.
func (a batchAnswer) VisitPauseBatchResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitResumeBatchResponse writes the answer.
func (a batchAnswer) VisitResumeBatchResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitCancelBatchResponse writes the answer.
func (a batchAnswer) VisitCancelBatchResponse(w http.ResponseWriter) error { return a.write(w) }

func (a batchAnswer) write(w http.ResponseWriter) error {
	return writeJSON(w, a.status, echo.MIMEApplicationJSON, BatchEntryOf(a.view))
}

// BatchEntryOf is a batch in the contract's schema, also for the commands.
func BatchEntryOf(v batches.View) BatchEntry {
	out := BatchEntry{
		Id: v.ID, Nome: v.Name, Produto: v.Product, Situacao: string(v.Status), Motivo: text.OrNil(string(v.Reason)),
		Mensagem: text.OrNil(v.Note), RetomaEm: timeOrNull(v.ResumeAt), Atualizar: v.Refresh, DoHistorico: v.FromHistory,
		AConsultar: v.ToAsk(), CustoMaximo: amount(v.MaxCost()), CustoFalhas: amount(v.RetryCost()),
		CriadoEm: v.CreatedAt, ExpiraEm: v.ExpiresAt, ConfirmadoEm: timeOrNull(v.StartedAt),
		TerminadoEm: timeOrNull(v.EndedAt), Finalidade: text.OrNil(v.Purpose),
	}
	if !v.StartedAt.IsZero() {
		key, member := v.Payer()
		out.ChavePagadora, out.MembroPagador = text.OrNil(key), text.OrNil(member)
	}
	out.Itens.Total, out.Itens.Validos, out.Itens.Repetidos, out.Itens.Invalidos = v.Total, v.Valid, v.Repeated, v.Invalid
	out.Invalidos = make([]struct {
		Linha    int    `json:"linha"`
		Mensagem string `json:"mensagem"`
	}, len(v.Invalids))
	for i, item := range v.Invalids {
		out.Invalidos[i].Linha, out.Invalidos[i].Mensagem = item.Line, item.Message
	}
	out.Aba, out.OutrasAbas = text.OrNil(v.Tab), append([]string{}, v.OtherTabs...)
	p := &out.Progresso
	p.Feitos, p.Cobrados, p.Gratis, p.Falhas = v.Ended, v.Charged, v.Free, v.Failed
	p.Consultando = v.InFlight
	p.Gasto = amount(v.Spent.Amount)
	if v.HasCeiling {
		ceiling, left := amount(v.Ceiling), amount(max(0, v.Ceiling-v.Spent.Amount))
		out.Teto, p.Restante = &ceiling, &left
	}
	if rate := v.PerSecond(v.Now); rate > 0 {
		rounded := float64(int(rate*100)) / 100
		p.PorSegundo, p.TerminaEm = &rounded, timeOrNull(v.EndsAt(v.Now).Truncate(time.Second))
	}
	return out
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// number is a JSON number exactly as it was sent. A json.Number would also accept a quoted one.
type number string

// UnmarshalJSON accepts only a number.
func (n *number) UnmarshalJSON(sent []byte) error {
	if sent[0] != '-' && (sent[0] < '0' || sent[0] > '9') {
		return &json.UnmarshalTypeError{Type: reflect.TypeFor[number]()}
	}
	*n = number(sent)
	return nil
}

// ceilingOf reads an amount in reais. Fault: InvalidRequest.
func ceilingOf(sent *number) (*catalog.Money, error) {
	if sent == nil {
		return nil, nil //nolint:nilnil // none was sent
	}
	m, err := catalog.ParseNumber(string(*sent))
	if err != nil {
		return nil, fault.New(fault.InvalidRequest,
			"O teto deve ser um número em reais, com até quatro casas decimais, como 0.45.").At("teto")
	}
	return &m, nil
}

// ListBatches serves GET /api/v1/lotes (design, section 11).
func (h handlers) ListBatches(ctx context.Context, r ListBatchesRequestObject) (ListBatchesResponseObject, error) {
	limit := batchesPerPage
	if sent := orEmpty(r.Params.Limite); sent != "" {
		limit, _ = strconv.Atoi(sent) // its shape has been checked
	}
	page, err := h.Batches.List(ctx, callOf(ctx).caller, orEmpty(r.Params.Cursor), limit)
	out := BatchList{Lotes: make([]BatchEntry, len(page.Batches)), Proxima: text.OrNil(page.Next)}
	for i, v := range page.Batches {
		out.Lotes[i] = BatchEntryOf(v)
	}
	return body{out}, err
}

// VisitListBatchesResponse writes the answer.
func (b body) VisitListBatchesResponse(w http.ResponseWriter) error { return b.write(w) }

// GetBatch serves GET /api/v1/lotes/{id}.
func (h handlers) GetBatch(ctx context.Context, r GetBatchRequestObject) (GetBatchResponseObject, error) {
	v, err := h.Batches.Show(ctx, callOf(ctx).caller, r.Id)
	return batchAnswer{http.StatusOK, v}, err
}

// ConfirmBatch serves POST /api/v1/lotes/{id}/confirmar.
func (h handlers) ConfirmBatch(ctx context.Context, r ConfirmBatchRequestObject) (ConfirmBatchResponseObject, error) {
	var ceiling *catalog.Money
	if r.Body != nil {
		var err error
		if ceiling, err = ceilingOf(r.Body.Ceiling); err != nil {
			return nil, err
		}
	}
	return batchMoved(h.Batches.Confirm(ctx, callOf(ctx).caller, r.Id, ceiling))
}

// PauseBatch serves POST /api/v1/lotes/{id}/pausar.
func (h handlers) PauseBatch(ctx context.Context, r PauseBatchRequestObject) (PauseBatchResponseObject, error) {
	return batchMoved(h.Batches.Pause(ctx, callOf(ctx).caller, r.Id))
}

// ResumeBatch serves POST /api/v1/lotes/{id}/retomar.
func (h handlers) ResumeBatch(ctx context.Context, r ResumeBatchRequestObject) (ResumeBatchResponseObject, error) {
	var ceiling *catalog.Money
	failures := false
	if b := r.Body; b != nil {
		var err error
		if ceiling, err = ceilingOf(b.Ceiling); err != nil {
			return nil, err
		}
		failures = b.Failures != nil && *b.Failures
	}
	return batchMoved(h.Batches.Resume(ctx, callOf(ctx).caller, r.Id, ceiling, failures))
}

// CancelBatch serves POST /api/v1/lotes/{id}/cancelar.
func (h handlers) CancelBatch(ctx context.Context, r CancelBatchRequestObject) (CancelBatchResponseObject, error) {
	return batchMoved(h.Batches.Cancel(ctx, callOf(ctx).caller, r.Id))
}

// CreateBatch is never called: the strict server would lose tables, so server.CreateBatch is routed instead.
func (h handlers) CreateBatch(context.Context, CreateBatchRequestObject) (CreateBatchResponseObject, error) {
	return nil, errors.New("the strict handler of CreateBatch was called")
}

// GetBatchResults serves GET /api/v1/lotes/{id}/resultados.
func (h handlers) GetBatchResults(
	ctx context.Context, r GetBatchResultsRequestObject,
) (GetBatchResultsResponseObject, error) {
	p, c := r.Params, callOf(ctx)
	state, form := batch.State(orEmpty(p.Situacao)), orEmpty(p.Formato)
	if form == "" {
		form = preferred(c.accept)
	}
	if form != "" {
		if _, err := batches.ResultsAfter(orEmpty(p.Cursor)); err != nil {
			return nil, err
		}
		all, err := h.Batches.AllResults(ctx, c.caller, r.Id, state)
		return batchFile{all, form}, err
	}
	limit := resultsPerPage
	if sent := orEmpty(p.Limite); sent != "" {
		limit, _ = strconv.Atoi(sent) // its shape has been checked
	}
	page, err := h.Batches.Results(ctx, c.caller, r.Id, state, orEmpty(p.Cursor), limit)
	lines := make([]download.BatchLine, len(page.Results))
	for i, item := range page.Results {
		lines[i] = download.LineOf(page, item)
	}
	return body{map[string]any{"resultados": lines, "proxima": text.OrNil(page.Next)}}, err
}

// VisitGetBatchResultsResponse writes the answer.
func (b body) VisitGetBatchResultsResponse(w http.ResponseWriter) error { return b.write(w) }

// preferred is the kind of file that an Accept header prefers; empty for JSON.
func preferred(accept string) string {
	switch wanted(accept, csvType, xlsxType, ndjsonType) {
	case csvType:
		return "csv"
	case xlsxType:
		return "xlsx"
	case ndjsonType:
		return "ndjson"
	}
	return ""
}

const (
	xlsxType   = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	ndjsonType = "application/x-ndjson"
)

// batchFile is the results of a batch as a file, written while they are read.
type batchFile struct {
	all  batches.Results
	form string
}

// GetBatchResultsFile serves GET /api/v1/lotes/{id}/resultados/arquivo.
func (h handlers) GetBatchResultsFile(
	ctx context.Context, r GetBatchResultsFileRequestObject,
) (GetBatchResultsFileResponseObject, error) {
	all, err := h.Batches.AllResults(ctx, callOf(ctx).caller, r.Id, batch.State(orEmpty(r.Params.Situacao)))
	return batchFile{all, orEmpty(r.Params.Formato)}, err
}

// VisitGetBatchResultsFileResponse writes the file.
func (f batchFile) VisitGetBatchResultsFileResponse(w http.ResponseWriter) error {
	return f.VisitGetBatchResultsResponse(w)
}

// VisitGetBatchResultsResponse writes the file.
func (f batchFile) VisitGetBatchResultsResponse(w http.ResponseWriter) (err error) {
	table := download.Batch(f.all)
	switch f.form {
	case "xlsx":
		return download.XLSX(w, table)
	case "ndjson":
		return download.NDJSON(w, f.all)
	case "excel":
		_, err = download.CSV(w, table, download.Excel)
	default:
		_, err = download.CSV(w, table, download.Plain)
	}
	return err
}
