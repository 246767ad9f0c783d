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

	"github.com/labstack/echo/v5"

	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// LookupCpf serves GET /api/v1/cpf/{documento} (specification, 4.1).
func (h handlers) LookupCpf(ctx context.Context, r LookupCpfRequestObject) (LookupCpfResponseObject, error) {
	req, err := inAddress(catalog.CPF, r.Documento, r.Params)
	if err != nil {
		return nil, err
	}
	answer, err := h.Asker.Do(ctx, callOf(ctx).caller, req)
	return answerOf(answer, err, lookupsPath, req.Later)
}

// LookupCnpj serves GET /api/v1/cnpj/{documento} (specification, 4.1).
func (h handlers) LookupCnpj(ctx context.Context, r LookupCnpjRequestObject) (LookupCnpjResponseObject, error) {
	req, err := inAddress(catalog.CNPJ, r.Documento, LookupCpfParams(r.Params))
	if err != nil {
		return nil, err
	}
	answer, err := h.Asker.Do(ctx, callOf(ctx).caller, req)
	return answerOf(answer, err, lookupsPath, req.Later)
}

// wholeRoute refuses an address that continues beyond the route's last parameter, which the router takes as part of the
// parameter. The slash of a masked CNPJ is inside it.
func wholeRoute(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		for _, p := range c.PathValues() {
			first, _, more := strings.Cut(p.Value, "/")
			if first, err := url.PathUnescape(first); more && (err != nil || p.Name != "documento" || isDocument(first)) {
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
	req, err := inBody(r.Body, r.Params)
	if err != nil {
		return nil, err
	}
	answer, err := h.Asker.Do(ctx, callOf(ctx).caller, req)
	return answerOf(answer, err, lookupsPath, req.Later)
}

// LookupOpen serves POST /api/v1/consultas-abertas: the contract gives its answer another schema.
func (h handlers) LookupOpen(ctx context.Context, r LookupOpenRequestObject) (LookupOpenResponseObject, error) {
	req, err := inBody(r.Body, LookupParams(r.Params))
	if err != nil {
		return nil, err
	}
	answer, err := h.Asker.Do(ctx, callOf(ctx).caller, req)
	return answerOf(answer, err, openLookupsPath, req.Later)
}

const (
	lookupsPath     = "/api/v1/consultas/"
	openLookupsPath = "/api/v1/consultas-abertas/"
)

// inAddress reads the lookup that an address describes. Its parameters' shape was checked.
func inAddress(product, doc string, p LookupCpfParams) (lookups.Request, error) {
	req := lookups.Request{
		Product: product, Document: doc, Purpose: orEmpty(p.Purpose), Bureau: orEmpty(p.Bureau),
		Refresh: orEmpty(p.Refresh) == "true", Free: orEmpty(p.HistoryOnly) == "true",
	}
	var days *int
	if p.MaxAge != nil {
		n, _ := strconv.Atoi(*p.MaxAge) // its shape has been checked
		days = &n
	}
	return requestOf(req, days, p.Prefer, p.IdempotencyKey)
}

// inBody reads the lookup that a body describes.
func inBody(b *LookupRequest, p LookupParams) (lookups.Request, error) {
	purpose, err := onePurpose(orEmpty(p.Purpose), orEmpty(b.Purpose))
	if err != nil {
		return lookups.Request{}, err
	}
	return requestOf(lookups.Request{
		Inputs: b.Entradas, Product: b.Product, Document: b.Document, Purpose: purpose, Bureau: orEmpty(b.Bureau),
		Refresh: b.Refresh != nil && *b.Refresh, Free: b.HistoryOnly != nil && *b.HistoryOnly,
	}, b.MaxAge, p.Prefer, p.IdempotencyKey)
}

// inputs are what a product needs beside the document.
type inputs map[string]string

// UnmarshalJSON reads them as an agent's are read.
func (in *inputs) UnmarshalJSON(sent []byte) (err error) {
	*in, err = lookups.ReadInputs(sent)
	return err
}

// requestOf completes a lookup by how old an answer may be, in days, how it is wanted, and the request's idempotency
// key.
func requestOf(req lookups.Request, days *int, prefer, key *string) (_ lookups.Request, err error) {
	if req.RequestKey, err = lookups.RequestKeyOf(requestKeyHeader, key); err != nil {
		return req, err
	}
	switch {
	case req.Refresh && days != nil:
		return req, contradiction("maxIdade")
	case req.Refresh && req.Free:
		return req, contradiction("somenteHistorico")
	}
	if days != nil {
		age := time.Duration(*days) * 24 * time.Hour
		req.MaxAge = &age
	}
	req.Later = prefersLater(orEmpty(prefer))
	return req, nil
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

// answerOf is how an operation ends. Place is where the answer of a lookup that the request began will be read; empty
// for whoever already knows. Preferred is whether the client prefers not to wait for it.
func answerOf(answer lookups.Result, err error, place string, preferred bool) (lookupAnswer, error) {
	switch {
	case err != nil:
		return nil, err
	case answer.Entry.Status == lookup.Running:
		return pending{answer, place, preferred}, nil
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
	answer, err := h.Asker.Again(ctx, callOf(ctx).caller, r.Id)
	return answerOf(answer, err, "", false)
}

// GetLookupOpen serves GET /api/v1/consultas-abertas/{id}.
func (h handlers) GetLookupOpen(
	ctx context.Context, r GetLookupOpenRequestObject,
) (GetLookupOpenResponseObject, error) {
	answer, err := h.Asker.Again(ctx, callOf(ctx).caller, r.Id)
	return answerOf(answer, err, "", false)
}

// pending is a lookup whose answer the bureau still owes, with the place where it will be read, and whether the client
// prefers not to wait.
type pending struct {
	lookups.Result
	place     string
	preferred bool
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
	setReplayed(h, p.Replayed)
	if p.place != "" {
		h.Set(echo.HeaderLocation, p.place+p.Entry.ID)
	}
	if p.preferred {
		h.Set("Preference-Applied", respondAsync)
	}
	h.Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	w.WriteHeader(http.StatusAccepted)
	return json.NewEncoder(w).Encode(PendingLookup{
		ConsultaId: p.Entry.ID, Situacao: ConsultaEmAndamentoSituacao(lookup.Running),
	})
}
