package privacy

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"fichario/domain/audit"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

type values = []any

// write appends lines in one transaction.
func write(t *testing.T, s ports.Store, lines ...audit.Line) {
	t.Helper()
	kit.Must(t, s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
		for _, l := range lines {
			if err := r.Audit.Append(t.Context(), l); err != nil {
				return err
			}
		}
		return nil
	}))
}

func auditLine(orgID string, after time.Duration, a audit.Action) audit.Line {
	return audit.Line{
		ID: kit.ID(), OrgID: orgID, At: kit.At.Add(after), Actor: audit.ByMember(kit.ID()), Door: audit.Interface, Action: a,
		Object: kit.ID(), RequestID: kit.ID(), Address: "203.0.113.7", Detail: audit.Detail{"nome": "Ana"},
	}
}

// chain returns all lines of an organisation, which must follow each other up to the head.
func chain(t *testing.T, s ports.Store, orgID string, emptied ...int64) []audit.Line {
	t.Helper()
	r := s.Repos().Audit
	head, err := r.Head(t.Context(), orgID)
	kit.Must(t, err)
	all, err := r.Page(t.Context(), orgID, ports.AuditQuery{Ascending: true, Limit: 1000})
	kit.Must(t, err)
	walk := audit.NewWalk(head)
	for _, l := range all {
		if f := walk.Next(l); f != nil {
			t.Fatal(f.Message())
		}
	}
	f, err := walk.End(func(string) (audit.Erasure, error) { return audit.Erasure{Running: true, Emptied: emptied}, nil })
	kit.Must(t, err)
	if f != nil {
		t.Fatal(f.Message())
	}
	return all
}

func auditChain(t *testing.T, s ports.Store) {
	ctx, r, o, other := t.Context(), s.Repos().Audit, kit.Org(t, s), kit.Org(t, s)
	_, err := r.Head(ctx, kit.ID())
	kit.WantErr(t, "the head of nobody", err, ports.ErrNotFound)
	head, err := r.Head(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "a head before the first line", values{head.Number, head.Hash}, values{int64(0), audit.Hash{}})
	first, second := auditLine(o.ID, time.Hour, audit.KeyCreated), auditLine(o.ID, 0, audit.KeyRevoked)
	second.Address, second.Detail, second.Subject = "", nil, []byte{1, 2}
	write(t, s, first, auditLine(other.ID, 0, audit.SignedIn), second)
	all := chain(t, s, o.ID)
	for i, want := range []audit.Line{first, second} {
		got := all[i]
		want.Number, want.At = int64(i+1), first.At // never earlier than the line before
		want.AddressSum, want.DetailSum, want.Hash = got.AddressSum, got.DetailSum, got.Hash
		kit.Same(t, "a line", got, want)
	}
	kit.Same(t, "sums of nothing", []bool{all[1].AddressSum == nil, all[1].DetailSum == nil}, []bool{true, true})
	stop := errors.New("stop")
	kit.WantErr(t, "a transaction that is given up", s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		kit.Must(t, r.Audit.Append(ctx, auditLine(o.ID, 0, audit.SignedOut)))
		return stop
	}), stop)
	last, err := r.Last(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "lines afterwards", last, 2)
	kit.Same(t, "lines of the other one", len(chain(t, s, other.ID)), 1)
	found, err := r.Find(ctx, o.ID, first.ID)
	kit.Must(t, err)
	kit.Same(t, "a line by its id", found.Number, 1)
	_, err = r.Find(ctx, other.ID, first.ID)
	kit.WantErr(t, "another organisation's line", err, ports.ErrNotFound)

	var several sync.WaitGroup
	for range 8 {
		several.Go(func() {
			for range 5 {
				write(t, s, auditLine(o.ID, 0, audit.SignedIn), auditLine(other.ID, 0, audit.SignedIn))
			}
		})
	}
	several.Wait()
	kit.Same(t, "lines of several at once", len(chain(t, s, o.ID))+len(chain(t, s, other.ID)), 42+41)
}

func auditPages(t *testing.T, s ports.Store) {
	ctx, o := t.Context(), kit.Org(t, s)
	ana := audit.ByMember(kit.ID())
	for i := range 6 {
		l := auditLine(o.ID, time.Duration(i)*time.Hour, audit.SignedIn)
		if i%2 == 0 {
			l.Actor = ana
		}
		if i > 2 {
			l.Action = audit.SignedOut
		}
		write(t, s, l)
	}
	for what, c := range map[string]struct {
		q    ports.AuditQuery
		want []int64
	}{
		"newest first":       {ports.AuditQuery{Limit: 2}, []int64{6, 5}},
		"behind one":         {ports.AuditQuery{Limit: 2, After: 5}, []int64{4, 3}},
		"oldest first":       {ports.AuditQuery{Limit: 2, Ascending: true, After: 2}, []int64{3, 4}},
		"by one":             {ports.AuditQuery{Limit: 9, Actor: ana}, []int64{5, 3, 1}},
		"of one action":      {ports.AuditQuery{Limit: 9, Action: audit.SignedIn}, []int64{3, 2, 1}},
		"by one, one action": {ports.AuditQuery{Limit: 9, Actor: ana, Action: audit.SignedOut}, []int64{5}},
		"since a time":       {ports.AuditQuery{Limit: 9, Since: kit.At.Add(4 * time.Hour)}, []int64{6, 5}},
		"until a time":       {ports.AuditQuery{Limit: 9, Until: kit.At.Add(time.Hour)}, []int64{1}},
		"of a period": {
			ports.AuditQuery{Limit: 9, Since: kit.At.Add(time.Hour), Until: kit.At.Add(3 * time.Hour)}, []int64{3, 2},
		},
		"since a later time":    {ports.AuditQuery{Limit: 9, Since: kit.At.Add(9 * time.Hour)}, nil},
		"until an earlier time": {ports.AuditQuery{Limit: 9, Until: kit.At}, nil},
	} {
		found, err := s.Repos().Audit.Page(ctx, o.ID, c.q)
		kit.Must(t, err)
		var got []int64
		for _, l := range found {
			got = append(got, l.Number)
		}
		kit.Same(t, what, got, c.want)
	}
}

// auditErasures blanks details: the chain says which erasure did so, and a detail missing without one is detected.
func auditErasures(t *testing.T, s ports.Store) {
	ctx, o, somebody := t.Context(), kit.Org(t, s), []byte("somebody")
	of := auditLine(o.ID, 0, audit.SheetOpened)
	of.Subject = somebody
	contact, another := auditLine(o.ID, 0, audit.ContactOpened), auditLine(o.ID, 0, audit.SheetOpened)
	write(t, s, of, contact, another)
	erasure := auditLine(o.ID, 0, audit.SubjectErased)
	erasure.Subject = somebody
	traces := ports.AuditTraces{Subjects: [][]byte{somebody}, Objects: []string{contact.Object}}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		kit.Must(t, r.Audit.Append(ctx, erasure))
		var emptied []int64
		for _, want := range []int{1, 1, 0} {
			numbers, err := r.AuditRemovals.Blank(ctx, o.ID, erasure.ID, traces, 1)
			kit.Must(t, err)
			kit.Same(t, "lines that lose their detail", len(numbers), want)
			emptied = append(emptied, numbers...)
		}
		slices.Sort(emptied)
		kit.Same(t, "the emptied lines", emptied, []int64{1, 2})
		numbers, err := r.AuditRemovals.Blank(ctx, o.ID, erasure.ID, ports.AuditTraces{}, 9)
		kit.Same(t, "lines about nobody", len(numbers), 0)
		return err
	}))
	all := chain(t, s, o.ID, 1, 2)
	for _, l := range all[:2] {
		kit.Same(t, "an emptied line", values{l.Detail == nil, l.Subject == nil, l.ErasedBy, l.Address},
			values{true, true, erasure.ID, "203.0.113.7"})
	}
	kit.Same(t, "another line", all[2].Detail["nome"], "Ana")
	kit.Same(t, "the line of the erasure",
		values{all[3].Detail["nome"], bytes.Equal(all[3].Subject, somebody)}, values{"Ana", true})

	head, err := s.Repos().Audit.Head(ctx, o.ID)
	kit.Must(t, err)
	walk := audit.NewWalk(head)
	for _, l := range all {
		if l.Action == audit.SubjectErased {
			l.ID = kit.ID() // and thus another hash
			continue
		}
		if f := walk.Next(l); f != nil {
			t.Fatal(f.Message())
		}
	}
	f, err := walk.End(func(string) (audit.Erasure, error) { return audit.Erasure{}, nil })
	kit.Must(t, err)
	kit.Same(t, "without the erasure", *f, audit.Finding{Number: 4, Problem: audit.Removed})
}

// auditForgotten removes old lines from the beginning of each chain; the rest stays valid.
func auditForgotten(t *testing.T, s ports.Store) {
	ctx, o, other := t.Context(), kit.Org(t, s), kit.Org(t, s)
	for i := range 250 {
		write(t, s, auditLine(o.ID, time.Duration(i)*time.Minute, audit.SignedIn))
	}
	write(t, s, auditLine(other.ID, time.Hour, audit.SignedIn))
	gone := 0
	for {
		n, err := s.Repos().AuditRemovals.Forget(ctx, kit.At.Add(4*time.Hour))
		kit.Must(t, err)
		if gone += n; n == 0 {
			break
		}
		chain(t, s, o.ID)
	}
	kit.Same(t, "lines that are gone", gone, 241)
	all := chain(t, s, o.ID)
	kit.Same(t, "lines that are left", values{len(all), all[0].Number}, values{10, int64(241)})
	kit.Same(t, "lines of the other one", len(chain(t, s, other.ID)), 0)
	write(t, s, auditLine(other.ID, 0, audit.SignedIn))
	kit.Same(t, "the next line of the other one", chain(t, s, other.ID)[0].Number, 2)
}
