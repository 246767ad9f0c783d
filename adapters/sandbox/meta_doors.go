package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// MetaDoors serves what a person or a test does to a Meta: under /_/ it makes leads, ends and renews tokens, refuses
// calls and sends notifications; everything else is the Graph API. Bodies and answers are JSON.
//
//	POST   /_/leads    {"leads": [{"fields": {"email": …}, "ticked": […]}]} or {"count": 10}  → {"ids": […]}
//	DELETE /_/leads/ID
//	POST   /_/app      {"url": …, "verify": …}: asks the address for its challenge, and announces each new lead there
//	POST   /_/pages    a page with its forms, as GET /_/state shows it
//	POST   /_/token    {"kill": true} or {"token": …, "expiresAt": seconds}
//	POST   /_/missing  {"permissions": ["leads_retrieval"]}
//	POST   /_/limit    {"calls": 3, "code": 80005, "minutes": 1}
//	POST   /_/notify   {"url": …, "ids": […], "drop": 20, "double": 20, "late": "5s"}: percent of the notifications; no
//	                   ids are all leads that were not announced yet → {"sent": 8}
//	GET    /_/state    pages with their tokens, calls by kind, conversions
func (m *Meta) MetaDoors() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /_/leads", jsonDoor(func(_ context.Context, in struct {
		Leads []MetaLead
		Count int
	}) (any, error) {
		for i := range in.Count {
			in.Leads = append(in.Leads, MetaLead{Fields: map[string]string{
				"full_name": fmt.Sprintf("Pessoa %d de Teste", i+1), "email": fmt.Sprintf("pessoa%d.%d@example.com", i+1, time.Now().UnixNano()),
				"phone_number": "+5511900000000",
			}})
		}
		return map[string]any{"ids": m.AddLeads(in.Leads...)}, nil
	}))
	mux.HandleFunc("DELETE /_/leads/{id}", func(w http.ResponseWriter, r *http.Request) {
		m.RemoveLead(r.PathValue("id"))
		answerJSON(w, map[string]any{})
	})
	mux.HandleFunc("POST /_/app", jsonDoor(func(ctx context.Context, in struct{ URL, Verify string }) (any, error) {
		return map[string]any{}, m.Callback(ctx, in.URL, in.Verify)
	}))
	mux.HandleFunc("POST /_/pages", jsonDoor(func(_ context.Context, p MetaPage) (any, error) {
		m.AddPage(p)
		return map[string]any{}, nil
	}))
	mux.HandleFunc("POST /_/token", jsonDoor(func(_ context.Context, in struct {
		Kill      bool
		Token     string
		ExpiresAt int64
	}) (any, error) {
		if in.Kill {
			m.KillToken()
		}
		if in.Token != "" {
			m.RenewToken(in.Token, in.ExpiresAt)
		}
		return map[string]any{}, nil
	}))
	mux.HandleFunc("POST /_/missing", jsonDoor(func(_ context.Context, in struct{ Permissions []string }) (any, error) {
		m.Forbid(in.Permissions...)
		return map[string]any{}, nil
	}))
	mux.HandleFunc("POST /_/limit", jsonDoor(func(_ context.Context, in struct{ Calls, Code, Minutes int }) (any, error) {
		m.Limit(in.Calls, in.Code, in.Minutes)
		return map[string]any{}, nil
	}))
	mux.HandleFunc("POST /_/notify", jsonDoor(func(ctx context.Context, in MetaSending) (any, error) {
		sent, err := m.Notify(ctx, in)
		return map[string]any{"sent": sent}, err
	}))
	mux.HandleFunc("GET /_/state", func(w http.ResponseWriter, _ *http.Request) {
		calls, events := m.Calls(""), m.Events()
		m.mu.Lock()
		defer m.mu.Unlock()
		answerJSON(w, map[string]any{"pages": m.pages, "secret": m.secret, "calls": calls, "events": events, "leads": len(m.leads)})
	})
	mux.Handle("/", m)
	return mux
}

// Callback does what the app's dashboard does with a callback URL: it asks the address for its challenge, with the text
// to verify, and from then on announces there each new lead of a subscribed page. It replaces the address of before.
// The error says that the challenge did not come back.
func (m *Meta) Callback(ctx context.Context, address, verify string) error {
	const challenge = "1158201444"
	query := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {challenge}, "hub.verify_token": {verify}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK || string(text) != challenge {
		return fmt.Errorf("the callback URL could not be validated: status %d", answer.StatusCode)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.callback = address
	return nil
}

// jsonDoor is a door that reads and answers JSON.
func jsonDoor[In any](do func(context.Context, In) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		out, err := any(nil), json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&in)
		if err == nil {
			out, err = do(r.Context(), in)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answerJSON(w, out)
	}
}

// MetaSending is what Notify sends, and what goes wrong with it.
type MetaSending struct {
	URL string `json:"url"`
	// IDs are the leads; none for all that were not announced yet.
	IDs []string `json:"ids"`
	// Drop is how many in a hundred notifications get lost, Double how many come twice.
	Drop   int `json:"drop"`
	Double int `json:"double"`
	// Late is how long to wait first, such as 5s; the newest leads are announced first then.
	Late string `json:"late"`
}

// Notify sends a signed notification for each lead, and returns how many were accepted. Which get lost and which come
// twice follows from the order alone, so that a run can be repeated.
func (m *Meta) Notify(ctx context.Context, s MetaSending) (sent int, err error) {
	ids := s.IDs
	if ids == nil {
		ids = m.unannounced()
	}
	if s.Late != "" {
		late, err := time.ParseDuration(s.Late)
		if err != nil {
			return 0, err
		}
		select {
		case <-time.After(late):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		slices.Reverse(ids)
	}
	for i, id := range ids {
		body := m.Notification(id)
		place, times := i*37%100, 1
		switch {
		case place < s.Drop:
			times = 0
		case place < s.Drop+s.Double:
			times = 2
		}
		for range times {
			if err := m.post(ctx, s.URL, body); err != nil {
				return sent, err
			}
			sent++
		}
	}
	return sent, nil
}

// unannounced are the leads that no notification has named, in the order of their ids.
func (m *Meta) unannounced() (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, l := range m.leads {
		if !l.told {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (m *Meta) post(ctx context.Context, address string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Hub-Signature-256", m.Sign(body))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", answer.StatusCode, strings.TrimSpace(string(text)))
	}
	return nil
}
