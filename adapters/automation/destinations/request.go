package destinations

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fichario/adapters/jq"
	"fichario/domain/automation"
)

// Event is the input of a request.
type Event struct {
	// ID is the id of the run, the same in every attempt.
	ID   string
	Name automation.EventName
	// Data is the event's data as decoded JSON, with numbers as json.Number.
	Data any
	// Whole is the event as sent by default.
	Whole []byte
	// HappenedID is the event's own id, At when it happened.
	HappenedID string
	At         time.Time
	// Access is what ${access} stands for, see Filled.Access.
	Access string
}

// Request is an HTTP request to be sent.
type Request struct {
	Method, Address string
	Header          http.Header
	// Body is nil where there is none.
	Body []byte
}

// These are shown to the organisation.
var (
	errBody  = errors.New("o corpo do pedido não pôde ser calculado deste evento")
	errQuery = errors.New("o endereço do pedido não pôde ser calculado deste evento")
)

// Mask replaces a secret in what is shown.
const Mask = "••••"

const (
	// jqTime bounds all the jq of a request, and separately that of an answer.
	jqTime = time.Second
	// maxBody bounds the body of a request.
	maxBody = 1 << 20
)

// Request makes the request for an event, and the search that precedes it, nil without one. Both are nil where the body
// is null: then there is nothing to send. An error is a sentence for the organisation, and quotes nothing.
func (f *Filled) Request(ctx context.Context, e Event) (request, search *Request, err error) {
	return f.requests(ctx, e, false)
}

// Show is Request with the secrets masked. jq gets the mask in place of the secret.
func (f *Filled) Show(ctx context.Context, e Event) (automation.ShownRequest, error) {
	r, search, err := f.requests(ctx, e, true)
	if err != nil || r == nil {
		return automation.ShownRequest{}, err
	}
	shown := show(r)
	if search != nil {
		before := show(search)
		shown.Search = &before
	}
	return shown, nil
}

func show(r *Request) automation.ShownRequest {
	s := automation.ShownRequest{Method: r.Method, Address: r.Address, Body: string(r.Body)}
	for name, list := range r.Header {
		s.Headers = append(s.Headers, automation.Header{Name: name, Value: strings.Join(list, ", ")})
	}
	slices.SortFunc(s.Headers, func(a, b automation.Header) int { return strings.Compare(a.Name, b.Name) })
	return s
}

func (f *Filled) requests(ctx context.Context, e Event, masked bool) (r, search *Request, err error) {
	ctx, cancel := context.WithTimeout(ctx, jqTime)
	defer cancel()
	var body []byte
	switch {
	case f.main.body != nil:
		v, err := f.run(ctx, f.main.body, e.Data, e, masked)
		if err != nil {
			return nil, nil, errBody
		}
		if v == nil {
			return nil, nil, nil
		}
		if body, err = jq.Encode(v); err != nil || len(body) > maxBody {
			return nil, nil, errBody
		}
	case f.signed && takesBody(f.main.method):
		body = e.Whole
	}
	if r, err = f.make(ctx, f.main, body, e, masked); err != nil || f.search == nil {
		return r, nil, err
	}
	if body = nil; f.search.body != nil {
		v, err := f.run(ctx, f.search.body, e.Data, e, masked)
		if err != nil {
			return nil, nil, errBody
		}
		if body, err = jq.Encode(v); err != nil {
			return nil, nil, errBody
		}
	}
	search, err = f.make(ctx, *f.search, body, e, masked)
	return r, search, err
}

// make fills in the template of a request.
func (f *Filled) make(ctx context.Context, form request, body []byte, e Event, masked bool) (*Request, error) {
	value := func(p part) string {
		switch {
		case p.field == idField:
			return p.escape(e.ID)
		case p.field == accessField && f.access != nil && masked:
			return Mask
		case p.field == accessField && f.access != nil:
			return e.Access
		}
		v := f.value(p.field, masked)
		if masked && v == Mask {
			return v
		}
		return p.escape(v)
	}
	r := &Request{Method: form.method, Address: form.address.expand(value), Header: http.Header{}, Body: body}
	if form.query != nil {
		query, err := f.query(ctx, form.query, e, masked)
		if err != nil {
			return nil, err
		}
		separator := "?"
		if strings.Contains(r.Address, "?") {
			separator = "&"
		}
		if query != "" {
			r.Address += separator + query
		}
	}
	if !masked && !goodAddress(r.Address) {
		return nil, errQuery
	}
	r.Header.Set("User-Agent", "Fichario")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range form.headers {
		text := h.value.expand(value)
		if masked && h.hidden {
			text = Mask
		}
		r.Header.Set(h.name, text)
	}
	return r, nil
}

// Access makes the request for the token of a file that gets one; nil for others.
func (f *Filled) Access(ctx context.Context, e Event) (*Request, error) {
	if f.access == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, jqTime)
	defer cancel()
	form, err := f.query(ctx, f.access.form, e, false)
	if err != nil {
		return nil, errBody
	}
	r, err := f.make(ctx, request{method: http.MethodPost, address: f.access.address}, []byte(form), e, false)
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r, err
}

// Token finds the token in the answer to Access; "" where it has none that can stand in a header.
func (f *Filled) Token(ctx context.Context, e Event, a Answer) string {
	ctx, cancel := context.WithTimeout(ctx, jqTime)
	defer cancel()
	v, err := f.run(ctx, f.access.token, a.input(), e, false)
	token, _ := v.(string)
	if err != nil || a.Status != http.StatusOK || (part{place: inHeader}).refuses(token) != "" {
		return ""
	}
	return token
}

// query runs the jq of a query, whose result is an object; its null members are left out.
func (f *Filled) query(ctx context.Context, program *jq.Program, e Event, masked bool) (string, error) {
	v, err := f.run(ctx, program, e.Data, e, masked)
	object, is := v.(map[string]any)
	if err != nil || !is {
		return "", errQuery
	}
	query := url.Values{}
	for name, v := range object {
		switch v := v.(type) {
		case nil:
		case string:
			query.Set(name, v)
		default:
			text, err := jq.Encode(v)
			if err != nil {
				return "", errQuery
			}
			query.Set(name, string(text))
		}
	}
	encoded := query.Encode()
	if masked {
		encoded = strings.ReplaceAll(encoded, url.QueryEscape(Mask), Mask)
	}
	return encoded, nil
}

// run runs a program of the file with its variables.
func (f *Filled) run(ctx context.Context, p *jq.Program, input any, e Event, masked bool) (any, error) {
	fields := map[string]any{}
	for name := range f.values {
		fields[name] = f.value(name, masked)
	}
	happened := map[string]any{"id": e.HappenedID, "at": int(e.At.Unix())}
	return p.Run(ctx, input, fields, e.ID, string(e.Name), contactOf(e.Data), summaryOf(e.Data), happened)
}

// value is the value of a field, or the mask.
func (f *Filled) value(name string, masked bool) string {
	field, _ := f.field(name)
	if masked && field.Secret && f.values[name] != "" {
		return Mask
	}
	return f.values[name]
}

// contactOf returns the contact of an event: its data, or the contact inside a lookup's data; nil where it has none.
func contactOf(data any) any {
	object, _ := data.(map[string]any)
	if contact, is := object["contato"].(map[string]any); is {
		return contact
	}
	if email, _ := object["email"].(string); email != "" {
		return object
	}
	return nil
}

// jsonText formats a value for people.
func jsonText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return map[bool]string{true: "sim", false: "não"}[v]
	}
	text, _ := jq.Encode(v)
	return string(text)
}
