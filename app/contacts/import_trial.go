package contacts

import (
	"context"
	"iter"
	"strings"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/ports"
)

// ImportTrial is what an import would do.
type ImportTrial struct {
	// Total counts all rows, Wrong those that make no contact, Repeated those that share the e-mail address, the phone or
	// a document with an earlier row.
	Total, Wrong, Repeated int
	// First are the first rows, Problems the first of the wrong ones.
	First, Problems []TriedRow
}

// TriedRow is what a row would become.
type TriedRow struct {
	Line    int
	Cells   []string
	Contact crm.ContactView
	// Wrong says why it makes no contact; empty if it makes one.
	Wrong string
	// Remarks say what could not be read and would go to the note.
	Remarks []string
	// Like is the existing contact that it resembles, with what they share in By; its id is empty for none.
	Like AlikeContact
	// RepeatOf is the earlier line with the same address, phone or document; zero for none.
	RepeatOf int
}

// importShown is how many rows of a trial are shown.
const importShown = 20

// TryImport says what an import that has not begun would do with the stored choices. Faults: NotFound, InvalidRequest,
// ServiceUnavailable.
func (b *Bulks) TryImport(ctx context.Context, by app.Caller, id string) (ImportView, ImportTrial, error) {
	view, err := b.ShowImport(ctx, by, id)
	if err != nil {
		return view, ImportTrial{}, err
	}
	trial, err := b.tried(ctx, view.OrgID, view.Import, func(yield func(crm.ImportRow, error) bool) {
		for row, err := range b.rowsOf(ctx, id) {
			if row.Result == rowErased { // there is no person any more
				continue
			}
			if !yield(row.Row, err) {
				return
			}
		}
	})
	return view, trial, err
}

// RehearseImport says what an import of a table would do, and stores nothing. Faults: NotFound, InvalidRequest,
// ServiceUnavailable.
func (b *Bulks) RehearseImport(
	ctx context.Context, by app.Caller, n NewImport, choices func(crm.Import) (ImportChoices, error),
) (crm.Import, ImportTrial, error) {
	if _, err := b.contacts.actor(ctx, by); err != nil {
		return crm.Import{}, ImportTrial{}, err
	}
	plan, rows, err := planOf(by, n)
	if err != nil {
		return plan, ImportTrial{}, err
	}
	if plan.StageID, err = entryStage(ctx, b.store.Repos(), by.OrgID()); err != nil {
		return plan, ImportTrial{}, err
	}
	chosen, err := choices(plan)
	if err == nil {
		err = b.choose(ctx, by, &plan, chosen)
	}
	if err != nil {
		return plan, ImportTrial{}, err
	}
	trial, err := b.tried(ctx, by.OrgID(), plan, func(yield func(crm.ImportRow, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
	return plan, trial, err
}

func (b *Bulks) tried(
	ctx context.Context, orgID string, plan crm.Import, rows iter.Seq2[crm.ImportRow, error],
) (trial ImportTrial, err error) {
	r := b.store.Repos()
	n, err := r.Names.All(ctx, orgID, app.ContactKinds...)
	if err != nil {
		return trial, err
	}
	seen := map[string]int{}
	for row, err := range rows {
		if err != nil {
			return trial, err
		}
		trial.Total++
		c, remarks, err := contactOfRow(orgID, plan, n, row)
		one := TriedRow{Line: row.Line, Cells: row.Cells, Remarks: remarks}
		if f := app.FaultOf(err); f != nil {
			one.Wrong = f.Message
			if trial.Wrong++; len(trial.Problems) < importShown {
				trial.Problems = append(trial.Problems, one)
			}
		} else if err != nil {
			return trial, err
		} else if one.RepeatOf = repeated(seen, c, row.Line); one.RepeatOf > 0 {
			trial.Repeated++
		}
		one.Contact = n.View(c)
		if trial.Total > importShown {
			continue
		}
		if one.Wrong == "" {
			if one.Like, err = alikeTo(ctx, r, n, c); err != nil {
				return trial, err
			}
		}
		trial.First = append(trial.First, one)
	}
	return trial, nil
}

// repeated returns the earlier line with the address, the phone or a document of a contact; zero for none.
func repeated(seen map[string]int, c crm.Contact, line int) (before int) {
	traits := []string{"@" + strings.ToLower(c.Email)}
	if c.PhoneE164 != "" {
		traits = append(traits, c.PhoneE164)
	}
	for _, d := range c.Documents {
		traits = append(traits, "d"+d.Value())
	}
	for _, trait := range traits {
		if at := seen[trait]; at > 0 && before == 0 {
			before = at
		} else if at == 0 {
			seen[trait] = line
		}
	}
	return before
}

func alikeTo(ctx context.Context, r ports.Repos, n crm.Names, c crm.Contact) (AlikeContact, error) {
	c.ID = app.NewID()
	other, known, err := existing(ctx, r, c)
	if err != nil || !known {
		return AlikeContact{}, err
	}
	return AlikeContact{ContactView: n.View(other), By: inCommon(c, other)}, nil
}

// existing returns the contact that a row is about: the newest with its e-mail, or else with its phone or a document,
// which several people of a house or a company may share.
func existing(ctx context.Context, r ports.Repos, c crm.Contact) (other crm.Contact, known bool, err error) {
	for _, like := range []crm.Contact{{ID: c.ID, OrgID: c.OrgID, Email: c.Email}, c} {
		alike, err := r.ContactSearch.Alike(ctx, like, 1)
		if err != nil {
			return crm.Contact{}, false, err
		}
		if len(alike) > 0 {
			return alike[0], true, nil
		}
	}
	return crm.Contact{}, false, nil
}
