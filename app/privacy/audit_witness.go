package privacy

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/ports"
)

// witnessAtOnce is how many heads leave together.
const witnessAtOnce = 200

// Witness sends the heads of the audit out of the house, so that an old state of the database that is put back is found
// (design, section 19). One goroutine at a time.
type Witness struct {
	store ports.Store
	out   ports.Witness
	clock app.Clock
	log   *slog.Logger
	// left are the hashes that this process has sent, by organisation; after a start each head leaves once more.
	left map[string]audit.Hash
	// failing is whether the log already says that heads do not leave.
	failing bool
}

// NewWitness returns the use case.
func NewWitness(store ports.Store, out ports.Witness, clock app.Clock, log *slog.Logger) *Witness {
	return &Witness{store: store, out: out, clock: clock, log: log, left: map[string]audit.Hash{}}
}

// Work sends each head that is new since the last call. What does not get out is due again, in its newest state.
func (w *Witness) Work(ctx context.Context) error {
	if w.out.Fresh() {
		clear(w.left)
	}
	err := w.send(ctx)
	switch {
	case err == nil && w.failing:
		w.failing = false
		w.log.InfoContext(ctx, "heads of the audit leave the house again")
	case err != nil && ctx.Err() == nil:
		if !w.failing {
			w.log.WarnContext(ctx, "heads of the audit do not leave the house; they are tried again every minute", "error", err)
		}
		w.failing, err = true, errors.Join(app.ErrTold, err)
	}
	return err
}

func (w *Witness) send(ctx context.Context) error {
	r := w.store.Repos()
	key, err := r.Audit.WitnessKey(ctx)
	if err != nil {
		return err
	}
	for after := ""; ; {
		heads, err := r.Audit.Heads(ctx, after, witnessAtOnce)
		if err != nil || len(heads) == 0 {
			return err
		}
		after = heads[len(heads)-1].OrgID
		if err := w.take(ctx, heads, key); err != nil {
			return err
		}
	}
}

// take signs those of some heads that are new. One that the store did not write is not signed: a check finds it.
func (w *Witness) take(ctx context.Context, heads []audit.Head, key ed25519.PrivateKey) error {
	var lines []byte
	left := map[string]audit.Hash{}
	for _, h := range heads {
		if h.Number == 0 || w.left[h.OrgID] == h.Hash {
			continue
		}
		line, err := json.Marshal(WitnessLine(audit.Witness(h, w.clock(), key)))
		if err != nil {
			return err
		}
		lines, left[h.OrgID] = append(append(lines, line...), '\n'), h.Hash
	}
	if len(left) == 0 {
		return nil
	}
	if err := w.out.Take(ctx, lines); err != nil {
		return err
	}
	maps.Copy(w.left, left)
	return nil
}

// outsideHeads are the hashes of witnessed heads by their numbers, or the first one whose signature is broken.
type outsideHeads struct {
	heads  map[int64][]string
	broken *audit.Finding
}

func (a *Audit) outside(ctx context.Context, witnessed []audit.Witnessed) (out outsideHeads, err error) {
	if len(witnessed) == 0 {
		return out, nil
	}
	key, err := a.store.Repos().Audit.WitnessKey(ctx)
	if err != nil {
		return out, err
	}
	public, _ := key.Public().(ed25519.PublicKey)
	out.heads = map[int64][]string{}
	for _, w := range witnessed {
		if !w.SignedBy(public) {
			out.broken = &audit.Finding{Number: w.Number, Problem: audit.AtWitness}
			return out, nil
		}
		if !slices.Contains(out.heads[w.Number], w.Hash) {
			out.heads[w.Number] = append(out.heads[w.Number], w.Hash)
		}
	}
	return out, nil
}

// against compares outside heads that the walk has not met as it should with a chain that is valid by itself.
func (f *AuditFound) against(head audit.Head, outside map[int64][]string, met map[int64]audit.Hash) *audit.Finding {
	for _, n := range slices.Sorted(maps.Keys(outside)) {
		if n < head.RemovedNumber {
			f.TooOld++
			continue
		}
		hash, is := met[n]
		if n == head.RemovedNumber {
			hash, is = head.RemovedHash, true
		}
		if !is || len(outside[n]) != 1 || outside[n][0] != hash.String() {
			return &audit.Finding{Number: n, Problem: audit.AtWitness}
		}
		f.Witnessed++
	}
	return nil
}

// WitnessLine is a signed head as a line of JSON (docs/audit.md).
type WitnessLine struct {
	OrgID     string    `json:"organizacao"`
	Number    int64     `json:"numero"`
	Hash      string    `json:"hash"`
	At        time.Time `json:"em"`
	Key       []byte    `json:"chave"`
	Signature []byte    `json:"assinatura"`
}
