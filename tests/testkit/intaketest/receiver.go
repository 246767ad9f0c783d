package intaketest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Call is a call from an http automation.
type Call struct {
	// ID is the webhook-id: the same in each attempt of a run.
	ID string
	// Contact is the id of the contact concerned.
	Contact string
	Path    string
	Header  http.Header
	Body    []byte
	At      time.Time
}

// Verify checks the signature as Standard Webhooks specifies, without the library that made it.
func (c Call) Verify(secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") || len(key) < 24 {
		return errors.New("the secret is no secret of Standard Webhooks")
	}
	sent := c.Header.Get("webhook-timestamp")
	unix, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || time.Since(time.Unix(unix, 0)).Abs() > time.Minute {
		return errors.New("the timestamp is not now")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", c.Header.Get("webhook-id"), sent, c.Body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); c.Header.Get("webhook-signature") != want {
		return errors.New("the signature does not hold")
	}
	return nil
}

// Receiver is a server that automations call. It keeps every call.
type Receiver struct {
	*httptest.Server

	mu     sync.Mutex
	ledger []Call
}

// StartReceiver starts a receiver. answer gets each call with its attempt number, from 1, for its webhook-id; nil
// answers 204 to all.
func StartReceiver(tb testing.TB, answer func(w http.ResponseWriter, r *http.Request, c Call, try int)) *Receiver {
	tb.Helper()
	v := &Receiver{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller was killed while sending
		}
		var event struct{ Data struct{ ID string } }
		_ = json.Unmarshal(body, &event) // a call without a contact is kept as such
		c := Call{
			ID: r.Header.Get("webhook-id"), Contact: event.Data.ID, Path: r.URL.Path, Header: r.Header, Body: body,
			At: time.Now(),
		}
		v.mu.Lock()
		v.ledger = append(v.ledger, c)
		try := 0
		for _, other := range v.ledger {
			if other.ID == c.ID {
				try++
			}
		}
		v.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, r, c, try)
	}))
	tb.Cleanup(func() {
		v.CloseClientConnections()
		v.Close()
	})
	return v
}

// Calls are all calls so far, in order of arrival.
func (v *Receiver) Calls() []Call {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Call(nil), v.ledger...)
}

// About returns the calls about a contact.
func (v *Receiver) About(contact string) (calls []Call) {
	for _, c := range v.Calls() {
		if c.Contact == contact {
			calls = append(calls, c)
		}
	}
	return calls
}
