package lookuptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
)

// Answer is an answer of the service.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// JSON is the decoded body, where it is an object.
	JSON map[string]any
}

// Code is the code of a problem, "" for other answers.
func (a Answer) Code() string { code, _ := a.JSON["code"].(string); return code }

// String is the status and the code, for comparisons.
func (a Answer) String() string { return strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Code())) }

// Raw is the text of `bruto` exactly as in the body.
func (a Answer) Raw(tb testing.TB) string {
	tb.Helper()
	var out struct{ Bruto json.RawMessage }
	if err := json.Unmarshal(a.Body, &out); err != nil {
		tb.Fatal(err)
	}
	return string(out.Bruto)
}

var client = testkit.NewClient(&http.Transport{MaxIdleConnsPerHost: 128})

// Do sends a request with the key ("" for none) and checks the answer against the contract.
func (s *Service) Do(
	ctx context.Context, method, path, key string, header map[string]string, body string,
) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	if body == "" {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Body: content}
	if strings.HasSuffix(resp.Header.Get("Content-Type"), "json") {
		dec := json.NewDecoder(bytes.NewReader(content))
		dec.UseNumber()
		if err := dec.Decode(&a.JSON); err != nil {
			return a, fmt.Errorf("the answer is not JSON: %w", err)
		}
	}
	_, err = contracttest.Conforms(method, path, a.Status, a.Header, a.Body)
	return a, err
}

// Get sends a GET; the test fails when there is no answer, or one that breaks the contract.
func (s *Service) Get(path, key string) Answer {
	s.tb.Helper()
	return s.must(s.Do(context.Background(), http.MethodGet, path, key, nil, ""))
}

// Post sends a JSON body to POST /api/v1/consultas.
func (s *Service) Post(key, body string) Answer {
	s.tb.Helper()
	return s.must(s.Do(context.Background(), http.MethodPost, "/api/v1/consultas", key,
		map[string]string{"Content-Type": "application/json"}, body))
}

func (s *Service) must(a Answer, err error) Answer {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
	return a
}

// CPF looks a person up, and records the document as one that no log may contain.
func (s *Service) CPF(key, document string) Answer {
	s.tb.Helper()
	s.Hide(document)
	return s.Get("/api/v1/cpf/"+document, key)
}
