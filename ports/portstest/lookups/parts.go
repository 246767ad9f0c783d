package lookups

import (
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// partsOfAnswers: an answer may be one about several products; all of it is written with the entry's outcome.
func partsOfAnswers(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	call := ports.Charge{Entry: kit.Running(t, kit.ID()), Takes: time.Minute, Caps: access.Limits{PerDay: 9, PerMonth: 9}}
	kit.Same(t, "begun", kit.Begins(t, s, call), ports.Begun{})
	e := call.Entry
	record := lookup.Record{
		ID: kit.ID(), OrgID: e.OrgID, Product: e.Product, Document: e.Document, AnsweredAt: kit.At, Found: true,
		Fields: []byte("{}"), Raw: []byte("{}"),
	}
	part := record
	part.ID, part.OfID, part.Product = kit.ID(), record.ID, "outro"
	e.Status, e.RecordID = lookup.Done, record.ID
	open, err := repos.Calls.End(ctx, ports.Outcome{
		Entry: e, Price: e.Amount, Record: &record, Parts: []lookup.Record{part},
	})
	kit.Must(t, err)
	kit.Same(t, "ended", open, true)
	parts, err := repos.History.Parts(ctx, record.OrgID, []string{record.ID, kit.ID()})
	kit.Must(t, err)
	kit.Same(t, "parts", []any{len(parts), len(parts[record.ID]), parts[record.ID][0].ID, parts[record.ID][0].OfID},
		[]any{1, 1, part.ID, record.ID})
	latest, err := repos.History.Latest(ctx, e.OrgID, "outro", e.Document)
	kit.Must(t, err)
	kit.Same(t, "in history", latest.ID, part.ID)
	asked, err := repos.Statement.Asked(ctx, record.OrgID, []string{record.ID, part.ID})
	kit.Must(t, err)
	kit.Same(t, "who brought them", []any{asked[record.ID].ID, asked[part.ID].ID}, []any{e.ID, e.ID})
}
