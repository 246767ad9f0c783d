package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// batchItems is the maximum size of a batch, and batchCalls how many of its items are looked up at once.
	batchItems, batchCalls = 50_000, 8
	// singles is how many connections make single lookups beside a batch.
	singles = 4
)

// batches measures a batch: its speed compared with single lookups at its concurrency, its effect on single lookups,
// and the memory for downloading its results.
func batches(ctx context.Context, s settings, db string, seeded seeded, env []string) error {
	program, err := start(ctx, s.binary, env, "serve")
	if err != nil {
		return err
	}
	defer program.end()
	one := s
	one.connections = singles
	id, err := program.quote(ctx, seeded.key)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name    string
		request func(i int) string
	}{
		{"cached lookup beside a batch / without", func(i int) string { return get("/api/v1/cpf/"+cpf(i), seeded.key) }},
		{"charged lookup beside a batch / without", func(int) string { return get("/api/v1/cpf/"+nextCPF(), seeded.key) }},
	} {
		var beside, alone []result
		for range s.rounds {
			r, err := program.under(ctx, one, c.request, 200)
			if err != nil {
				return err
			}
			alone = append(alone, r)
			if id, err = program.run(ctx, seeded.key, id); err != nil {
				return err
			}
			r, err = program.under(ctx, one, c.request, 200)
			if err != nil {
				return err
			}
			beside = append(beside, r)
			// One that has ended cannot be paused; another then takes its place.
			_, _ = program.ask(ctx, http.MethodPost, "/api/v1/lotes/"+id+"/pausar", seeded.key, "", "")
		}
		report(db, c.name, beside, alone, program.memoryMB())
	}
	if id, err = program.quote(ctx, seeded.key); err != nil {
		return err
	}
	if err := program.race(ctx, s, db, seeded.key, id); err != nil {
		return err
	}
	for _, accept := range []string{
		"text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/x-ndjson",
	} {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", program.cmd.Process.Pid), []byte("5"), 0o600) // resets VmHWM
		before, began := program.memoryMB(), time.Now()
		body, err := program.ask(ctx, http.MethodGet, "/api/v1/lotes/"+id+"/resultados", seeded.key, accept, "")
		if err != nil {
			return err
		}
		_, kind, _ := strings.Cut(accept, "/")
		fmt.Printf("| %s | results of %d items, %.20s, %d MB: %.1f s, at most %d MB of memory, %d before | | | | | | | | | | |\n",
			db, batchItems, kind, len(body)>>20, time.Since(began).Seconds(), program.memoryMB(), before)
	}
	return nil
}

// race compares a batch with single charged lookups at its concurrency.
func (s *server) race(ctx context.Context, of settings, db, key, id string) error {
	of.connections = batchCalls
	alone, err := s.under(ctx, of, func(int) string { return get("/api/v1/cpf/"+nextCPF(), key) }, 200)
	if err != nil {
		return err
	}
	before, _, _ := timeOf(s.cmd.Process.Pid)
	began := time.Now()
	if _, err := s.run(ctx, key, id); err != nil {
		return err
	}
	for n := 0; n < batchItems; {
		time.Sleep(200 * time.Millisecond)
		if n, err = s.ended(ctx, key, id); err != nil {
			return err
		}
	}
	took := time.Since(began)
	after, _, _ := timeOf(s.cmd.Process.Pid)
	r := result{
		perSecond: batchItems / took.Seconds(), cpu: float64((after - before).Microseconds()) / batchItems,
	}
	report(db, "items of a batch / single charged lookups, "+strconv.Itoa(batchCalls)+" at once", []result{r},
		[]result{alone}, s.memoryMB())
	return nil
}

// quote makes a batch of documents that nobody has looked up.
func (s *server) quote(ctx context.Context, key string) (id string, err error) {
	documents := make([]string, batchItems)
	for i := range documents {
		documents[i] = nextCPF()
	}
	body, err := json.Marshal(map[string]any{"produto": "cpf", "documentos": documents})
	if err != nil {
		return "", err
	}
	answer, err := s.ask(ctx, http.MethodPost, "/api/v1/lotes", key, "", string(body))
	var made struct{ ID string }
	return made.ID, errors.Join(err, json.Unmarshal(answer, &made))
}

// run starts or resumes a batch, or starts another where it has ended. It returns the running one.
func (s *server) run(ctx context.Context, key, id string) (string, error) {
	for _, how := range []string{"retomar", "confirmar"} {
		if _, err := s.ask(ctx, http.MethodPost, "/api/v1/lotes/"+id+"/"+how, key, "", ""); err == nil {
			return id, nil
		}
	}
	id, err := s.quote(ctx, key)
	if err == nil {
		_, err = s.ask(ctx, http.MethodPost, "/api/v1/lotes/"+id+"/confirmar", key, "", "")
	}
	return id, err
}

// ended is how many items of a batch have an outcome.
func (s *server) ended(ctx context.Context, key, id string) (int, error) {
	answer, err := s.ask(ctx, http.MethodGet, "/api/v1/lotes/"+id, key, "", "")
	var b struct{ Progresso struct{ Feitos int } }
	return b.Progresso.Feitos, errors.Join(err, json.Unmarshal(answer, &b))
}

// ask makes one request and returns the answer, or an error for a problem.
func (s *server) ask(ctx context.Context, method, path, key, accept, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Accept", accept)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, bytes.TrimSpace(answer[:min(len(answer), 200)]))
	}
	return answer, err
}
