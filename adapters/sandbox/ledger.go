package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// Doors returns the bureau's control endpoints below /_/: its ledger and its script. From now on it records calls.
func (b *Bureau) Doors() http.Handler {
	b.mu.Lock()
	b.remembers = true
	b.mu.Unlock()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_/calls", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		calls := make([]Call, len(b.calls))
		for i, c := range b.calls {
			calls[i] = *c
		}
		b.mu.Unlock()
		say(w, http.StatusOK, calls)
	})
	mux.HandleFunc("DELETE /_/calls", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		b.calls = nil
		b.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("PUT /_/script", func(w http.ResponseWriter, r *http.Request) {
		src, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2<<20))
		if err != nil {
			say(w, http.StatusBadRequest, map[string]any{"ok": false, "message": "the script could not be read"})
			return
		}
		var problems Problems
		if errors.As(b.Script(src, nil), &problems) { // no files: clients of this endpoint must not read any here
			say(w, http.StatusUnprocessableEntity, map[string]any{"ok": false, "problems": problems})
			return
		}
		say(w, http.StatusOK, map[string]any{"ok": true})
	})
	return mux
}

func say(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
