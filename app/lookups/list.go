package lookups

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"fichario/app"
	"fichario/domain/lookup"
	"fichario/domain/text"
)

// List holds lookups of an organisation, newest first.
type List struct {
	Lookups []View
	// Next is the cursor of the next page; empty at the end.
	Next string
	// Looked is how many lookups a search has examined, and Cut whether there are older ones.
	Looked int
	Cut    bool
}

// List returns a page of the lookups of the caller's organisation, or only of the caller's own, without calls that were
// only compared. Faults: InvalidRequest, NotFound, ServiceUnavailable.
func (s *Sheet) List(ctx context.Context, by app.Caller, own bool, cursor string, limit int) (List, error) {
	var out List
	asker, err := askerOf(by, own)
	if err != nil {
		return out, err
	}
	after, err := PageCursor(cursor)
	if err != nil {
		return out, err
	}
	entries, err := s.store.Repos().Statement.Page(ctx, asker, lookup.Filter{}, after, limit+1)
	if err != nil {
		return out, err
	}
	if len(entries) > limit {
		entries = entries[:limit]
		out.Next = base64.RawURLEncoding.EncodeToString([]byte(entries[limit-1].ID))
	}
	out.Lookups, err = s.views(ctx, by, slices.DeleteFunc(entries, compared))
	return out, err
}

func compared(e lookup.Entry) bool { return e.Compared }

const (
	// searchedMost is how many lookups Search examines: documents and names are encrypted, so each must be opened for it.
	searchedMost = 2000
	searchedStep = 200
)

// Search returns those lookups of List whose document contains the text, with or without mask, or whose name contains
// all its words. It examines only the newest ones. Faults: InvalidRequest, NotFound, ServiceUnavailable.
func (s *Sheet) Search(
	ctx context.Context, by app.Caller, own bool, typed string, limit int,
) (out List, err error) {
	asker, err := askerOf(by, own)
	if err != nil {
		return out, err
	}
	wanted, after := matching(typed), ""
	for out.Looked < searchedMost {
		entries, err := s.store.Repos().Statement.Page(ctx, asker, lookup.Filter{}, after, searchedStep)
		if err != nil {
			return out, err
		}
		found, err := s.views(ctx, by, slices.DeleteFunc(slices.Clone(entries), compared))
		if err != nil {
			return out, err
		}
		for _, v := range found {
			if out.Looked++; wanted(v) {
				out.Lookups = append(out.Lookups, v)
			}
			if len(out.Lookups) == limit {
				out.Cut = true
				return out, nil
			}
		}
		if len(entries) < searchedStep {
			return out, nil
		}
		after = entries[len(entries)-1].ID
	}
	out.Cut = true
	return out, nil
}

// askerOf selects whose lookups are listed: the organisation's, or the caller's own.
func askerOf(c app.Caller, own bool) (lookup.Asker, error) {
	orgID, err := c.Org()
	asker := lookup.Asker{OrgID: orgID}
	if own {
		asker.MemberID = c.MemberID()
	}
	return asker, err
}

// matching returns a predicate for the lookups that a text asks for.
func matching(typed string) func(View) bool {
	bare := strings.ToUpper(strings.NewReplacer(".", "", "-", "", "/", "", " ", "", "(", "", ")", "").Replace(typed))
	words := strings.Fields(text.Fold(typed))
	return func(v View) bool {
		if bare == "" || strings.Contains(strings.ToUpper(v.Entry.Document.Value()), bare) {
			return true
		}
		name := text.Fold(Subject(v.Record))
		for _, word := range words {
			if !strings.Contains(name, word) {
				return false
			}
		}
		return len(words) > 0
	}
}
