package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v5"

	"fichario/app/lookups"
	"fichario/domain/lookup"
	"fichario/domain/text"
)

// result writes a lookup's answer: the stored named fields and the bureau's bytes are spliced in unchanged, never
// decoded and encoded again (specification, 2.1.3).
type result struct{ lookups.Result }

// VisitLookupCpfResponse writes the answer.
func (r *result) VisitLookupCpfResponse(w http.ResponseWriter) error { return r.write(w) }

// VisitLookupCnpjResponse writes the answer.
func (r *result) VisitLookupCnpjResponse(w http.ResponseWriter) error { return r.write(w) }

// VisitLookupResponse writes the answer.
func (r *result) VisitLookupResponse(w http.ResponseWriter) error { return r.write(w) }

// VisitLookupOpenResponse writes the answer.
func (r *result) VisitLookupOpenResponse(w http.ResponseWriter) error { return r.write(w) }

// VisitGetLookupOpenResponse writes the answer.
func (r *result) VisitGetLookupOpenResponse(w http.ResponseWriter) error { return r.write(w) }

// VisitGetLookupResponse writes the answer.
func (r *result) VisitGetLookupResponse(w http.ResponseWriter) error { return r.write(w) }

func (r *result) write(w http.ResponseWriter) error {
	fields, raw := r.Record.Fields, r.Record.Raw
	buf := buffers.Get().(*[]byte)                     //nolint:forcetypeassert // only these are put
	b := append((*buf)[:0], fields[:len(fields)-1]...) // without its closing brace; a product has at least one field
	b = append(append(b, `,"produto":"`...), r.Record.Product...)
	b = append(b, `","documento":"`...)
	b = append(b, r.Record.Document.Value()...) // no document has a character that JSON escapes
	b = strconv.AppendBool(append(b, `","cache":`...), r.Entry.Cache)
	b = append(append(b, `,"consultaId":"`...), r.Entry.ID...)
	b = append(b, `","consultadoEm":"`...)
	b = r.Record.AnsweredAt.UTC().Truncate(time.Microsecond).AppendFormat(b, time.RFC3339Nano)
	b = append(append(b, `","valorCobrado":`...), r.Entry.Cost().String()...)
	b = appendSources(b, r.Record)
	b = append(append(b, `,"bruto":`...), raw...)
	b = append(b, '}')
	setReplayed(w.Header(), r.Replayed)
	w.Header().Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	w.Header().Set(echo.HeaderContentLength, strconv.Itoa(len(b)))
	_, err := w.Write(b)
	if cap(b) <= bufferKept {
		*buf = b
		buffers.Put(buf)
	}
	return err
}

// appendSources adds the bureau that answered, and where fields of others are from.
func appendSources(b []byte, rec lookup.Record) []byte {
	name, err := json.Marshal(text.OrNil(rec.Bureau))
	if err != nil {
		panic(err) // a text
	}
	b = append(append(b, `,"bureau":`...), name...)
	if len(rec.Sources) == 0 {
		return b
	}
	type source struct {
		Bureau string    `json:"bureau"`
		At     time.Time `json:"em"`
	}
	sources := map[string]source{}
	for field, s := range rec.Sources {
		sources[field] = source{s.Bureau, s.At.UTC().Truncate(time.Microsecond)}
	}
	all, err := json.Marshal(sources)
	if err != nil {
		panic(err) // names and times
	}
	return append(append(b, `,"fontes":`...), all...)
}

// setReplayed marks the outcome of an earlier request with the same idempotency key.
func setReplayed(h http.Header, is bool) {
	if is {
		h.Set(replayedHeader, "true")
	}
}

// bufferKept is the largest buffer that is reused, so that a single large answer does not pin its memory.
const bufferKept = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}
