package contracttest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Witness stands between a client and the service, checks each answer against the contract, and records the operations
// that the client called.
type Witness struct {
	*httptest.Server

	mu                       sync.Mutex
	answered, refused, files map[string]bool
	unlike                   []string
}

// StartWitness starts a witness in front of the service; end it with Close.
func StartWitness(service string) (*Witness, error) {
	target, err := url.Parse(service)
	if err != nil {
		return nil, err
	}
	w := &Witness{answered: map[string]bool{}, refused: map[string]bool{}, files: map[string]bool{}}
	w.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, ModifyResponse: w.see,
	})
	return w, nil
}

func (w *Witness) see(r *http.Response) error {
	operation, err := hold(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		w.unlike = append(w.unlike, err.Error())
	case operation == "" && strings.HasPrefix(r.Request.URL.Path, "/api/"):
		w.unlike = append(w.unlike, fmt.Sprint(r.Request.Method, " answers ", r.StatusCode, " where there is no operation"))
	case r.StatusCode < http.StatusBadRequest:
		w.answered[operation] = true
		w.files[operation] = w.files[operation] || strings.HasPrefix(r.Header.Get("Content-Type"), "text/csv")
	default:
		w.refused[operation] = true
	}
	return nil
}

// Unlike lists the answers that break the contract, one line each.
func (w *Witness) Unlike() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.unlike)
}

// LeftOut lists the operations that were never answered, never refused although the contract has refusals, or never
// answered with a CSV where it has one, one line each.
func (w *Witness) LeftOut() ([]string, error) {
	doc, err := Contract()
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			name := operation.OperationID
			if !w.answered[name] && name != "receiveAnswer" { // no client has an address that a bureau got
				out = append(out, name+" was never answered")
			}
			for status, response := range operation.Responses.Map() {
				if status[0] == '4' && status != "431" && !w.refused[name] { // 431 is sent before there is an operation
					out = append(out, name+" was never refused")
				}
				if response.Value.Content["text/csv"] != nil && !w.files[name] {
					out = append(out, name+" was never answered with a CSV")
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
