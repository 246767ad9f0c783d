package lookuptest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Batch is a batch as the API shows it.
type Batch struct {
	ID, Nome, Situacao, Motivo, Mensagem string
	ChavePagadora, MembroPagador         *string
	RetomaEm                             *time.Time
	Itens                                struct{ Total, Validos, Repetidos, Invalidos int }
	Invalidos                            []struct {
		Linha    int
		Mensagem string
	}
	Aba                            *string
	OutrasAbas                     []string
	DoHistorico, AConsultar        int
	CustoMaximo, CustoFalhas, Teto json.Number
	Progresso                      struct {
		Feitos, Cobrados, Gratis, Falhas int
		Consultando                      int
		Gasto, Restante                  json.Number
	}
}

// String is a summary in one line.
func (b Batch) String() string {
	p := b.Progresso
	return fmt.Sprintf("%s %s: %d done, %d charged, %d free, %d failed, %s spent", b.Situacao, b.Motivo, p.Feitos, p.Cobrados,
		p.Gratis, p.Falhas, p.Gasto)
}

// BatchResult is an item as the API shows it.
type BatchResult struct {
	Linha                     int
	Documento, Situacao, Code string
	ConsultaID                string
	Cache                     bool
	Valor                     json.Number
	Campos                    map[string]any
}

// SendTable posts a table to POST /api/v1/lotes; query has its parameters.
func (s *Service) SendTable(key, query, kind, table string) Answer {
	s.tb.Helper()
	return s.must(s.Do(context.Background(), http.MethodPost, "/api/v1/lotes?"+query, key,
		map[string]string{"Content-Type": kind}, table))
}

// Quote posts a JSON body to POST /api/v1/lotes.
func (s *Service) Quote(key, body string, header ...string) Answer {
	s.tb.Helper()
	headers := map[string]string{"Content-Type": "application/json"}
	for i := 0; i < len(header); i += 2 {
		headers[header[i]] = header[i+1]
	}
	return s.must(s.Do(context.Background(), http.MethodPost, "/api/v1/lotes", key, headers, body))
}

// Move changes the state of a batch, for instance with "confirmar"; body may be empty.
func (s *Service) Move(key, id, what, body string) Answer {
	s.tb.Helper()
	header := map[string]string{}
	if body != "" {
		header["Content-Type"] = "application/json"
	}
	return s.must(s.Do(context.Background(), http.MethodPost, "/api/v1/lotes/"+id+"/"+what, key, header, body))
}

// BatchOf decodes an answer that is a batch; the test fails when it is something else.
func (s *Service) BatchOf(a Answer) (b Batch) {
	s.tb.Helper()
	if a.Status >= http.StatusBadRequest {
		s.tb.Fatalf("the answer is %s: %s", a, a.Body)
	}
	if err := json.Unmarshal(a.Body, &b); err != nil {
		s.tb.Fatal(err)
	}
	return b
}

// Batch returns a batch.
func (s *Service) Batch(key, id string) Batch {
	s.tb.Helper()
	return s.BatchOf(s.Get("/api/v1/lotes/"+id, key))
}

// AwaitBatch waits until a batch satisfies is.
func (s *Service) AwaitBatch(key, id, what string, is func(Batch) bool) (b Batch) {
	s.tb.Helper()
	defer func() {
		if s.tb.Failed() {
			s.tb.Log(b)
		}
	}()
	Eventually(s.tb, what, func() bool {
		a, err := s.Do(context.Background(), http.MethodGet, "/api/v1/lotes/"+id, key, nil, "")
		if err != nil || a.Status != http.StatusOK {
			return false // the service may be starting
		}
		b = s.BatchOf(a)
		return is(b)
	})
	return b
}

// BatchResults returns all results of a batch, page by page.
func (s *Service) BatchResults(key, id string) (all []BatchResult) {
	s.tb.Helper()
	for cursor := ""; ; {
		a := s.Get("/api/v1/lotes/"+id+"/resultados?limite=200&cursor="+cursor, key)
		var page struct {
			Resultados []BatchResult
			Proxima    string
		}
		if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != http.StatusOK {
			s.tb.Fatalf("results are %s, %v", a, err)
		}
		all = append(all, page.Resultados...)
		if cursor = page.Proxima; cursor == "" {
			return all
		}
	}
}

// List is a JSON list of texts.
func List(texts []string) string {
	return `["` + strings.Join(texts, `","`) + `"]`
}
