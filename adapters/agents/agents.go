// Package agents serves agents over the Model Context Protocol: tools over the use cases, with their prices, under a
// ceiling for each session.
package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fichario/app"
	"fichario/app/agents"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/app/privacy"
)

// Config is what Handler needs.
type Config struct {
	Terms     *lookups.Terms
	Sessions  *agents.Sessions
	Statement *lookups.Statement
	Purposes  *privacy.Purposes
	Contacts  *contacts.Contacts
	// Keys counts what tools refuse.
	Keys *lookups.Keys
	Log  *slog.Logger
	// Version is the program's.
	Version string
}

// Handler serves agents over streamable HTTP. It keeps no state between messages, so that any instance can answer any
// of them: a session is only an id, and its spending is in the database.
type Handler struct {
	Config
	transport *mcp.StreamableHTTPHandler
}

// versions are the protocol versions with sessions, which a ceiling needs. Clients of a later version fall back to the
// latest of these when told.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// New returns the handler.
func New(c Config) *Handler {
	return &Handler{c, mcp.NewStreamableHTTPHandler(serverOf, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true,
		// A local address with a foreign Host is what a local proxy sends, and without a key no page gets this far.
		DisableLocalhostProtection: true,
	})}
}

type serverKey struct{}

func serverOf(r *http.Request) *mcp.Server {
	server, _ := r.Context().Value(serverKey{}).(*mcp.Server)
	return server
}

const sessionHeader = "Mcp-Session-Id"

// Asking is who sends a message, and how.
type Asking struct {
	By  app.Caller // a key
	Via app.Via
	// Session has the ceiling that came with the message; Serve sets its id.
	Session agents.Session
}

// Serve answers one message. The answer to the message that begins a session carries its id, which every lookup needs.
// Fault: ServiceUnavailable.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, a Asking) error {
	a.Session.ID = r.Header.Get(sessionHeader)
	if a.Session.ID != "" || r.Method == http.MethodDelete {
		open, err := h.Sessions.Open(r.Context(), a.By, a.Session, time.Now())
		if err != nil {
			return err
		}
		if !open {
			http.Error(w, "session not found", http.StatusNotFound) // on 404 clients begin another session
			return nil
		}
	}
	if r.Method == http.MethodDelete {
		if err := h.Sessions.End(r.Context(), a.By, a.Session); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(body, &message) == nil && message.Method == "initialize" && a.Session.ID == "" {
		a.Session.ID = agents.NewSessionID()
		w.Header().Set(sessionHeader, a.Session.ID)
	}
	purposes, err := h.Purposes.Allowed(r.Context(), a.By)
	if err != nil {
		return err
	}
	s := &session{Config: h.Config, Asking: a, purposes: purposes}
	h.transport.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, s.server())))
	return nil
}
