package contacts

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/text"
)

// rotationsPage shows who gets contacts in turn.
type rotationsPage struct {
	Rotations []rotationCard
	// New is the form of a new one; Problem is why one was not removed.
	New     web.Form
	Problem string
}

// rotationCard is a rotation. The form of one is open, with a row for every member who may be in it: that is asked for,
// or shown again.
type rotationCard struct {
	contacts.RotationView
	Form web.Form
	Rows []rotationRow
	Open bool
}

// Version is that of what the form of a rotation shows.
func (r rotationCard) Version() string { return rotationVersion(r.Rotation) }

func rotationVersion(r crm.Rotation) string {
	name, members := r.Settings()
	return web.VersionOf([]any{name, members})
}

// rotationRow is a member in the form of a rotation.
type rotationRow struct {
	crm.RotationMember
	Member crm.Member
	In     bool
	// Share is the member's weight, and Away the last day of absence, as typed in the fields.
	Share, Away string
}

// typed puts what was sent into the form unchanged.
func (r *rotationCard) typed(form url.Values) {
	for i := range r.Rows {
		row := &r.Rows[i]
		row.In = slices.Contains(form["membro"], row.Member.ID)
		row.Share, row.Away = form.Get("peso-"+row.Member.ID), form.Get("fora-"+row.Member.ID)
	}
}

func (s pages) rotationList(c *web.Call) error { return s.rotations(c, http.StatusOK, web.Form{}) }

// rotations shows the page, with the form that comes back.
func (s pages) rotations(c *web.Call, status int, shown web.Form) error {
	all, err := s.Rotations.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	members, err := s.Members.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	data, back := rotationsPage{}, len(shown.Values) > 0 // the form that removes a rotation has no fields
	switch {
	case !back:
		data.Problem = shown.Problem
	case c.PathValue("id") == "":
		data.New = shown
	}
	for _, r := range all {
		card := rotationCard{RotationView: r}
		again := back && c.PathValue("id") == r.ID
		if card.Open = again || web.Editing(c) == r.ID; card.Open {
			card.Rows = s.rotationRows(r, members)
		}
		if again {
			card.Form = shown
			card.typed(c.PostForm)
		}
		data.Rotations = append(data.Rotations, card)
	}
	return c.RenderStatus(status, "rodizios", web.Page{
		Title: "Rodízios", Nav: "configuracoes", Setting: "rodizios", Data: data,
	})
}

// rotationRows are the members who may be in a rotation: those who have access, and those who are in it.
func (s pages) rotationRows(r contacts.RotationView, members []crm.Member) (rows []rotationRow) {
	for _, m := range members {
		row := rotationRow{Member: m, RotationMember: crm.RotationMember{MemberID: m.ID, Weight: 1}}
		for _, p := range r.Places {
			if p.MemberID == m.ID {
				row.RotationMember, row.In = p.RotationMember, true
			}
		}
		row.Share = strconv.Itoa(row.Weight)
		if row.AwayUntil.After(s.Clock()) {
			row.Away = row.AwayUntil.Add(-time.Second).In(s.Calendar.Location).Format(time.DateOnly)
		}
		if m.Active || row.In {
			rows = append(rows, row)
		}
	}
	return rows
}

func (s pages) rotationAdd(c *web.Call, f struct {
	Name string `form:"nome" app:"name"`
}) error {
	made, err := s.Rotations.Add(c.Ctx(), c.By, c.By.OrgID(), f.Name, nil)
	return s.rotationDone(c, &f, err, "?editar="+made.ID, "Rodízio criado. Marque quem participa.")
}

// rotationChange reads a row of fields for each member: a member takes part where the box is ticked.
func (s pages) rotationChange(c *web.Call, f struct {
	Name string   `form:"nome" app:"name"`
	In   []string `form:"membro"`
}) error {
	id := c.PathValue("id")
	members, err := s.inTurn(c, f.In)
	if err == nil {
		err = s.Rotations.Change(c.Ctx(), c.By, id, f.Name, members, web.Still(c, rotationVersion))
	}
	return s.rotationDone(c, &f, err, "#r-"+id, "Rodízio guardado. O próximo contato já segue o que mudou.")
}

// inTurn reads the fields of the members who take part.
func (s pages) inTurn(c *web.Call, in []string) (members []crm.RotationMember, err error) {
	for _, id := range in {
		m := crm.RotationMember{MemberID: id}
		m.Weight, _ = text.Whole(c.PostForm.Get("peso-" + id)) // zero is refused later
		if day := c.PostForm.Get("fora-" + id); day != "" {
			until, err := s.Calendar.StartOf(day)
			if err != nil {
				return nil, app.Invalid("away", "Escreva a data como 31/12/2026.")
			}
			m.AwayUntil = s.Calendar.NextDay(until)
		}
		members = append(members, m)
	}
	return members, nil
}

func (s pages) rotationRemove(c *web.Call) error {
	err := s.Rotations.Remove(c.Ctx(), c.By, c.PathValue("id"))
	return s.rotationDone(c, &struct{}{}, err, "", "Rodízio tirado.")
}

// rotationDone shows a place of the page with what was done, or again the form that was refused.
func (s pages) rotationDone(c *web.Call, f any, err error, at, notice string) error {
	if app.IsRefusal(err) {
		shown, _ := c.Again(f, err)
		return s.rotations(c, http.StatusUnprocessableEntity, shown)
	}
	if err != nil {
		return err
	}
	return c.Done("/rodizios"+at, notice)
}
