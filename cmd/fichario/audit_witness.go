package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/domain/audit"
	"fichario/ports"
)

// witnessFile is the file that signed heads of the audit are added to. It is opened for each write, so that it may be
// rotated.
type witnessFile string

// Take is durable on return.
func (path witnessFile) Take(_ context.Context, lines []byte) error {
	file, err := path.open()
	if err != nil {
		return err
	}
	// The leading newline keeps a line that a crash cut off separate.
	_, err = file.Write(append([]byte{'\n'}, lines...))
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

func (path witnessFile) open() (*os.File, error) {
	return os.OpenFile(string(path), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

// Fresh reports whether the file was rotated away, so that each file begins with the head of every organisation.
func (path witnessFile) Fresh() bool {
	info, err := os.Stat(string(path))
	return err != nil || info.Size() == 0
}

// witnessAddress is FICHARIO_AUDIT_WITNESS where that is an address and no file.
func (e *environment) witnessAddress() (string, bool) {
	to := e.settings.AuditWitness
	return to, strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://")
}

// auditWitness returns where heads of the audit go; nil for nowhere. A file must be writable from the beginning; http
// without encryption needs FICHARIO_ALLOW_PRIVATE_TARGETS, for tests.
func (e *environment) auditWitness(d *automation.Dispatcher) (ports.Witness, error) {
	to, is := e.witnessAddress()
	switch {
	case to == "":
		return nil, nil //nolint:nilnil // no witness is a configuration like any other
	case is && strings.HasPrefix(to, "http://") && !e.settings.AllowPrivate:
		return nil, errors.New("FICHARIO_AUDIT_WITNESS: an address begins with https://")
	case is:
		return automation.Witness{Dispatcher: d, Address: to}, nil
	}
	file, err := witnessFile(to).open()
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("FICHARIO_AUDIT_WITNESS: the file cannot be written: %w", err)
	}
	return witnessFile(to), nil
}

// witness wires the chore that sends heads of the audit; nil for none.
func (e *environment) witness(s *service, log *slog.Logger) (*app.Witness, error) {
	out, err := e.auditWitness(s.dispatcher)
	if err != nil || out == nil {
		return nil, err
	}
	return app.NewWitness(s.store, out, now, log), nil
}

// readWitness reads the heads in a witness file, and how many of its lines are none, such as those that a crash cut off.
func (e *environment) readWitness(path string) (heads []audit.Witnessed, unread int64, err error) {
	var text []byte
	if path == "-" {
		text, err = io.ReadAll(e.in)
	} else {
		text, err = os.ReadFile(path)
	}
	for line := range bytes.Lines(text) {
		var w audit.Witnessed
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
		case json.Unmarshal(line, &w) == nil && w.OrgID != "":
			heads = append(heads, w)
		default:
			unread++
		}
	}
	return heads, unread, err
}

// witnessLate is how old a head may be that has not left yet, before the doctor says so.
const witnessLate = 5 * time.Minute

// checkWitness finds organisations whose newest head is not in the witness file. What arrived at an address is not known
// here; false for that, and for no witness.
func (e *environment) checkWitness(store *gormstore.Store) (f gormstore.Finding, is bool, err error) {
	f = gormstore.Finding{Name: "every head of the audit is in the witness file within minutes"}
	to, address := e.witnessAddress()
	if to == "" || address {
		return f, false, nil
	}
	heads, _, err := e.readWitness(to)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return f, false, err
	}
	r := store.Repos()
	key, err := r.Audit.WitnessKey(e.ctx)
	if err != nil {
		return f, false, err
	}
	there := map[string]bool{}
	for _, w := range heads {
		if w.SignedBy(key.Public().(ed25519.PublicKey)) {
			there[w.OrgID+w.Hash] = true
		}
	}
	for after := ""; ; {
		page, err := r.Audit.Heads(e.ctx, after, 500)
		if err != nil || len(page) == 0 {
			return f, err == nil, err
		}
		for _, h := range page {
			if after = h.OrgID; h.Number > 0 && !there[h.OrgID+h.Hash.String()] && time.Since(h.At) > witnessLate {
				f.Violations++
				f.IDs = append(f.IDs, h.OrgID)
			}
		}
	}
}
