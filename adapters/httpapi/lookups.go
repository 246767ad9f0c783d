package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// LookupCpf serves GET /api/v1/cpf/{documento} (specification, 4.1).
func (h handlers) LookupCpf(ctx context.Context, r LookupCpfRequestObject) (LookupCpfResponseObject, error) {
	p := r.Params
	return h.lookup(ctx, app.LookupRequest{Product: catalog.CPF, Document: r.Documento, Purpose: orEmpty(p.Purpose)},
		conditionsOf(p.Refresh, p.MaxAge, p.HistoryOnly, p.Prefer), p.IdempotencyKey)
}

// LookupCnpj serves GET /api/v1/cnpj/{documento} (specification, 4.1).
func (h handlers) LookupCnpj(ctx context.Context, r LookupCnpjRequestObject) (LookupCnpjResponseObject, error) {
	p := r.Params
	return h.lookup(ctx, app.LookupRequest{Product: catalog.CNPJ, Document: r.Documento, Purpose: orEmpty(p.Purpose)},
		conditionsOf(p.Refresh, p.MaxAge, p.HistoryOnly, p.Prefer), p.IdempotencyKey)
}

// wholeRoute refuses an address that continues beyond the route's last parameter, which the router takes as part of the
// parameter. The slash of a masked CNPJ is inside it.
func wholeRoute(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		for i, name := range c.ParamNames() {
			first, _, more := strings.Cut(c.ParamValues()[i], "/")
			if first, err := url.PathUnescape(first); more && (err != nil || name != "documento" || isDocument(first)) {
				return noSuchRoute()
			}
		}
		return next(c)
	}
}

func isDocument(text string) bool {
	_, noCPF := document.Parse(document.CPF, text)
	_, noCNPJ := document.Parse(document.CNPJ, text)
	return noCPF == nil || noCNPJ == nil
}

// Lookup serves POST /api/v1/consultas (specification, 4.2).
func (h handlers) Lookup(ctx context.Context, r LookupRequestObject) (LookupResponseObject, error) {
	answer, err := h.inBody(ctx, r)
	return answer, err
}

// LookupOpen serves POST /api/v1/consultas-abertas: the contract gives its answer another schema.
func (h handlers) LookupOpen(ctx context.Context, r LookupOpenRequestObject) (LookupOpenResponseObject, error) {
	answer, err := h.inBody(ctx, LookupRequestObject{Params: LookupParams(r.Params), Body: r.Body})
	if later, is := answer.(pending); is {
		later.open = true
		return later, err
	}
	return answer, err
}

// inBody makes the lookup that a body describes.
func (h handlers) inBody(ctx context.Context, r LookupRequestObject) (lookupAnswer, error) {
	b := r.Body
	purpose, err := onePurpose(orEmpty(r.Params.Purpose), orEmpty(b.Purpose))
	if err != nil {
		return nil, err
	}
	return h.lookup(ctx, app.LookupRequest{Product: b.Product, Document: b.Document, Purpose: purpose},
		conditions{
			refresh: b.Refresh != nil && *b.Refresh, maxAge: b.MaxAge, historyOnly: b.HistoryOnly != nil && *b.HistoryOnly,
			prefer: r.Params.Prefer,
		}, r.Params.IdempotencyKey)
}

// conditions say when the history may answer, and how the answer is wanted.
type conditions struct {
	refresh     bool
	maxAge      *int // in days
	historyOnly bool
	prefer      *string
	// empty names a parameter that came without a value: whether the lookup may cost something would be a guess.
	empty string
}

// conditionsOf reads parameters whose shape was checked, except that a value may be empty.
func conditionsOf(refresh, maxAge, historyOnly, prefer *string) conditions {
	c := conditions{refresh: orEmpty(refresh) == "true", historyOnly: orEmpty(historyOnly) == "true", prefer: prefer}
	if maxAge != nil {
		days, err := strconv.Atoi(*maxAge)
		if c.maxAge = &days; err != nil {
			c.empty = "maxIdade"
		}
	}
	if historyOnly != nil && *historyOnly == "" {
		c.empty = "somenteHistorico"
	}
	return c
}

// lookupAnswer is the answer of every lookup operation.
type lookupAnswer interface {
	LookupCpfResponseObject
	LookupCnpjResponseObject
	LookupResponseObject
	LookupOpenResponseObject
	GetLookupResponseObject
	GetLookupOpenResponseObject
}

func (h handlers) lookup(
	ctx context.Context, req app.LookupRequest, c conditions, requestKey *string,
) (_ lookupAnswer, err error) {
	if req.RequestKey, err = app.RequestKeyOf(requestKeyHeader, requestKey); err != nil {
		return nil, err
	}
	switch {
	case c.empty != "":
		return nil, fault.New(fault.InvalidRequest, "O parâmetro "+c.empty+" veio sem valor.").At(c.empty)
	case c.refresh && c.maxAge != nil:
		return nil, contradiction("maxIdade")
	case c.refresh && c.historyOnly:
		return nil, contradiction("somenteHistorico")
	}
	req.Refresh, req.Free = c.refresh, c.historyOnly
	if c.maxAge != nil {
		age := time.Duration(*c.maxAge) * 24 * time.Hour
		req.MaxAge = &age
	}
	if !prefersLater(orEmpty(c.prefer)) {
		answer, err := h.Lookups.Do(ctx, callOf(ctx).caller, req)
		if err != nil {
			return nil, err
		}
		return &result{answer}, nil
	}
	answer, id, err := h.Lookups.DoLater(ctx, callOf(ctx).caller, req)
	switch {
	case err != nil:
		return nil, err
	case id != "":
		return pending{id: id, begun: true, replayed: answer.Replayed}, nil
	}
	return &result{answer}, nil
}

// onePurpose merges the purposes of the header and the body. Fault: InvalidRequest where they differ.
func onePurpose(header, field string) (string, error) {
	if header != "" && field != "" && header != field {
		return "", fault.New(fault.InvalidRequest,
			"X-Finalidade e finalidade são diferentes. Envie uma das duas, ou a mesma.").At("finalidade")
	}
	return cmp.Or(field, header), nil
}

func contradiction(field string) error {
	return fault.New(fault.InvalidRequest,
		field+" e atualizar não podem vir juntos: atualizar consulta o bureau em qualquer caso. Envie um dos dois.").At(field)
}

// prefersLater reads a Prefer header (RFC 7240): comma-separated preferences, each with parameters after semicolons.
func prefersLater(header string) bool {
	for preference := range strings.SplitSeq(quotedText.ReplaceAllLiteralString(header, `""`), ",") {
		token, _, _ := strings.Cut(preference, ";")
		if strings.EqualFold(strings.TrimSpace(token), respondAsync) {
			return true
		}
	}
	return false
}

const (
	respondAsync = "respond-async"
	preferHeader = "Prefer"
	// replayedHeader marks the outcome of an earlier request with the same idempotency key.
	replayedHeader = "Idempotency-Replayed"
)

// quotedText is a quoted text, even an unterminated one; separators inside it do not count.
var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*(?:"|$)`)

// GetLookup serves GET /api/v1/consultas/{id} (design, section 12).
func (h handlers) GetLookup(ctx context.Context, r GetLookupRequestObject) (GetLookupResponseObject, error) {
	answer, err := h.again(ctx, r.Id)
	return answer, err
}

// GetLookupOpen serves GET /api/v1/consultas-abertas/{id}.
func (h handlers) GetLookupOpen(
	ctx context.Context, r GetLookupOpenRequestObject,
) (GetLookupOpenResponseObject, error) {
	answer, err := h.again(ctx, r.Id)
	return answer, err
}

func (h handlers) again(ctx context.Context, id string) (lookupAnswer, error) {
	answer, running, err := h.Lookups.Again(ctx, callOf(ctx).caller, id)
	switch {
	case err != nil:
		return nil, err
	case running:
		return pending{id: answer.Entry.ID}, nil
	}
	return &result{answer}, nil
}

// pending is a lookup whose answer the bureau still owes.
type pending struct {
	id string
	// begun says that this request started it, replayed that an earlier one with the same idempotency key did.
	begun, replayed bool
	// open says that the answer will be read with the open schema.
	open bool
}

// VisitLookupCpfResponse writes the answer.
func (p pending) VisitLookupCpfResponse(w http.ResponseWriter) error { return p.write(w) }

// VisitLookupCnpjResponse writes the answer.
func (p pending) VisitLookupCnpjResponse(w http.ResponseWriter) error { return p.write(w) }

// VisitLookupResponse writes the answer.
func (p pending) VisitLookupResponse(w http.ResponseWriter) error { return p.write(w) }

// VisitLookupOpenResponse writes the answer.
func (p pending) VisitLookupOpenResponse(w http.ResponseWriter) error { return p.write(w) }

// VisitGetLookupOpenResponse writes the answer.
func (p pending) VisitGetLookupOpenResponse(w http.ResponseWriter) error { return p.write(w) }

// VisitGetLookupResponse writes the answer.
func (p pending) VisitGetLookupResponse(w http.ResponseWriter) error { return p.write(w) }

func (p pending) write(w http.ResponseWriter) error {
	h := w.Header()
	h.Set("Retry-After", "1")
	setReplayed(h, p.replayed)
	if p.begun {
		place := "/api/v1/consultas/"
		if p.open {
			place = "/api/v1/consultas-abertas/"
		}
		h.Set(echo.HeaderLocation, place+p.id)
		h.Set("Preference-Applied", respondAsync)
	}
	h.Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	w.WriteHeader(http.StatusAccepted)
	return json.NewEncoder(w).Encode(PendingLookup{
		ConsultaId: p.id, Situacao: ConsultaEmAndamentoSituacao(lookup.Running),
	})
}
