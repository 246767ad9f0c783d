package privacy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/app/privacy"
	"fichario/cmd/fichario/command"
	"fichario/domain/audit"
	"fichario/ports"
)

// witnessFile is the file that signed heads of the audit are added to. It is opened for each write, so that it may be
// rotated.
type witnessFile string

// Take is durable on return.
func (path witnessFile) Take(_ context.Context, lines []byte) error {
	file, err := path.open(os.O_CREATE)
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

func (path witnessFile) open(how int) (*os.File, error) {
	// Opening a pipe waits for whoever reads it, and a device keeps nothing.
	if info, err := os.Stat(string(path)); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", string(path))
	}
	return os.OpenFile(string(path), os.O_WRONLY|os.O_APPEND|how, 0o600)
}

// Check creates no file: it would belong to whoever runs the command.
func (path witnessFile) Check(context.Context) error {
	file, err := path.open(0)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(string(path)))
		return err
	}
	if err == nil {
		err = file.Close()
	}
	return err
}

// Fresh reports whether the file was rotated away, so that each file begins with the head of every organisation.
func (path witnessFile) Fresh() bool {
	info, err := os.Stat(string(path))
	return err != nil || info.Size() == 0
}

// witnessAddress is FICHARIO_AUDIT_WITNESS where that is an address and no file.
func witnessAddress(e *command.Environment) (string, bool) {
	to := e.Settings.AuditWitness
	return to, strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://")
}

// auditWitnessOf returns where heads of the audit go; nil for nowhere. A file that cannot be written keeps no service
// from starting. http without encryption needs FICHARIO_ALLOW_PRIVATE_TARGETS, for tests.
func auditWitnessOf(e *command.Environment, d *automation.Dispatcher) (ports.Witness, error) {
	to, is := witnessAddress(e)
	switch {
	case to == "":
		return nil, nil //nolint:nilnil // no witness is a configuration like any other
	case !is && strings.Contains(to, "://"), strings.HasPrefix(to, "http://") && !e.Settings.AllowPrivate:
		return nil, errors.New("FICHARIO_AUDIT_WITNESS: must be the path of a file, or an address that begins with https://")
	case is:
		return automation.Witness{Dispatcher: d, Address: to}, nil
	}
	return witnessFile(to), nil
}

// WitnessOf wires the chore that sends heads of the audit; nil for none.
func WitnessOf(
	e *command.Environment, store *gormstore.Store, d *automation.Dispatcher, log *slog.Logger,
) (*privacy.Witness, error) {
	out, err := auditWitnessOf(e, d)
	if err != nil || out == nil {
		return nil, err
	}
	return privacy.NewWitness(store, out, command.Now, log), nil
}

// readWitness gives the heads in a witness file to each, and returns how many of its lines are none, such as those that
// a crash cut off.
func readWitness(e *command.Environment, path string, each func(audit.Witnessed)) (unread int64, err error) {
	in := e.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var w privacy.WitnessLine
		switch line := bytes.TrimSpace(lines.Bytes()); {
		case len(line) == 0:
		case json.Unmarshal(line, &w) == nil && w.OrgID != "":
			each(audit.Witnessed(w))
		default:
			unread++
		}
	}
	return unread, lines.Err()
}

// witnessLate is how old a head may be that has not left yet, before the doctor says so.
const witnessLate = 5 * time.Minute

// CheckWitness finds a witness that takes no heads, and organisations whose newest head is not in a witness file; what
// arrived at an address is not known here. It finds nothing where there is no witness.
func CheckWitness(e *command.Environment, store *gormstore.Store) ([]gormstore.Finding, error) {
	dispatcher := automation.New(e.Settings.AllowPrivate)
	defer dispatcher.Close()
	out, err := auditWitnessOf(e, dispatcher)
	if err != nil || out == nil {
		return nil, err
	}
	takes := gormstore.Finding{Name: "the witness of the audit takes heads", Served: true}
	if err := out.Check(e.Ctx); err != nil {
		takes.Violations, takes.IDs = 1, []string{err.Error()}
		return []gormstore.Finding{takes}, nil
	}
	if _, address := witnessAddress(e); address {
		return []gormstore.Finding{takes}, nil
	}
	left, err := missingHeads(e, store)
	return []gormstore.Finding{takes, left}, err
}

// missingHeads compares the witness file with the heads in the database.
func missingHeads(e *command.Environment, store *gormstore.Store) (f gormstore.Finding, err error) {
	f.Name, f.Served = "every head of the audit is in the witness file within minutes", true
	r := store.Repos()
	key, err := r.Audit.WitnessKey(e.Ctx)
	if err != nil {
		return f, err
	}
	newest := map[string]audit.Witnessed{} // by organisation; the last one in the file
	_, err = readWitness(e, e.Settings.AuditWitness, func(w audit.Witnessed) { newest[w.OrgID] = w })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	for after := ""; ; {
		page, err := r.Audit.Heads(e.Ctx, after, 500)
		if err != nil || len(page) == 0 {
			return f, err
		}
		for _, h := range page {
			after = h.OrgID
			w := newest[h.OrgID]
			there := w.Hash == h.Hash.String() && w.SignedBy(key.Public().(ed25519.PublicKey))
			if h.Number > 0 && !there && time.Since(h.At) > witnessLate {
				f.Violations++
				f.IDs = append(f.IDs, h.OrgID)
			}
		}
	}
}
