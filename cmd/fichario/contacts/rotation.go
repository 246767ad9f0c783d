package contacts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/cmd/fichario/command"
	"fichario/domain/crm"
	"fichario/domain/fault"
)

// Rotation holds the commands of rotations.
type Rotation struct {
	Add    rotationAddCmd    `cmd:"" help:"Create a rotation of members who receive contacts in turn."`
	Set    rotationSetCmd    `cmd:"" help:"Change the name and the members of a rotation."`
	Remove rotationRemoveCmd `cmd:"" help:"Remove a rotation that no webhook and no automation uses."`
	List   rotationListCmd   `cmd:"" help:"List the rotations of an organisation with the number of contacts per member."`
}

type rotationAddCmd struct {
	Org    string   `required:"" help:"Id of the organisation."`
	Name   string   `required:"" help:"Name of the rotation."`
	Member []string `help:"E-mail of a member, optionally with =WEIGHT (1 to 10) and @TIME (RFC 3339) until which the member is away, such as ana@example.com=2@2026-12-01T00:00:00Z. May be repeated."`
}

// Run makes a rotation.
func (c *rotationAddCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		places, err := rotationPlaces(e.Ctx, store, c.Org, c.Member)
		if err != nil {
			return err
		}
		made, err := contacts.NewRotations(store, command.Now).Add(e.Ctx, app.Operator(), c.Org, c.Name, places)
		if err != nil {
			return err
		}
		return e.Print(map[string]string{"id": made.ID}, "Rotation %s: %s\n", made.ID, made.Name)
	})
}

type rotationSetCmd struct {
	ID     string   `arg:"" help:"Id of the rotation."`
	Name   *string  `help:"New name."`
	Member []string `help:"All its members, as for rotation add. Default: no change."`
}

// Run changes a rotation.
func (c *rotationSetCmd) Run(e *command.Environment) error {
	if c.Name == nil && len(c.Member) == 0 {
		return errors.New("give --name or --member")
	}
	return e.WithStore(func(store *gormstore.Store) error {
		all := contacts.NewRotations(store, command.Now)
		v, err := all.Show(e.Ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		seen := v.Rotation
		still := func(now crm.Rotation) error { // what is not to change is written too
			if now.Name != seen.Name || !slices.Equal(now.Chosen(), seen.Chosen()) {
				return app.Invalid("rotation", "O rodízio mudou enquanto este comando rodava. Nada foi guardado: repita-o.")
			}
			return nil
		}
		if c.Name != nil {
			v.Name = *c.Name
		}
		if len(c.Member) > 0 {
			if v.Members, err = rotationPlaces(e.Ctx, store, v.OrgID, c.Member); err != nil {
				return err
			}
		}
		if err := all.Change(e.Ctx, app.Operator(), c.ID, v.Name, v.Members, still); err != nil {
			return err
		}
		return e.Print(map[string]string{"id": c.ID}, "Rotation %s: %s\n", c.ID, v.Name)
	})
}

type rotationRemoveCmd struct {
	ID string `arg:"" help:"Id of the rotation."`
}

// Run removes a rotation.
func (c *rotationRemoveCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		if err := contacts.NewRotations(store, command.Now).Remove(e.Ctx, app.Operator(), c.ID); err != nil {
			return err
		}
		return e.Print(map[string]string{"id": c.ID}, "Rotation %s is removed\n", c.ID)
	})
}

// rotationPlaces parses the members of a rotation.
func rotationPlaces(
	ctx context.Context, store *gormstore.Store, orgID string, given []string,
) ([]crm.RotationMember, error) {
	all, err := command.Members(store).List(ctx, app.Operator(), orgID)
	if err != nil {
		return nil, err
	}
	var out []crm.RotationMember
	for _, text := range given {
		place, ok := rotationPlace(all, text)
		if !ok {
			return nil, fault.New(fault.InvalidRequest, "A member of this organisation is given as e-mail, e-mail=weight, "+
				"e-mail@away or e-mail=weight@away, such as ana@example.com=2@2026-12-01T00:00:00Z, not "+text).At("member")
		}
		out = append(out, place)
	}
	return out, nil
}

// rotationPlace parses e-mail=weight@away from its end, because an address has an @ and may contain an =.
func rotationPlace(all []crm.Member, text string) (place crm.RotationMember, ok bool) {
	place.Weight = 1
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		if away, err := time.Parse(time.RFC3339, text[at+1:]); err == nil {
			place.AwayUntil, text = away, text[:at]
		}
	}
	has := func(m crm.Member) bool { return strings.EqualFold(m.Email, text) }
	i := slices.IndexFunc(all, has)
	if at := strings.LastIndexByte(text, '='); i < 0 && at >= 0 {
		var err error
		if place.Weight, err = strconv.Atoi(text[at+1:]); err != nil {
			return place, false
		}
		text = text[:at]
		i = slices.IndexFunc(all, has)
	}
	if i < 0 {
		return place, false
	}
	place.MemberID = all[i].ID
	return place, true
}

type rotationListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// rotationView is a rotation as --json shows it.
type rotationView struct {
	ID       string              `json:"id"`
	Name     string              `json:"name"`
	Members  []rotationPlaceView `json:"members"`
	Webhooks []string            `json:"webhooks"`
}

type rotationPlaceView struct {
	ID        string     `json:"id"`
	Email     string     `json:"email"`
	Weight    int        `json:"weight"`
	AwayUntil *time.Time `json:"awayUntil"`
	Contacts  int        `json:"contacts"`
}

// Run lists the rotations.
func (c *rotationListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := contacts.NewRotations(store, command.Now).List(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		return command.PrintList(e, all, func(r contacts.RotationView) rotationView {
			v := rotationView{
				ID: r.ID, Name: r.Name, Members: []rotationPlaceView{}, Webhooks: append([]string{}, r.Webhooks...),
			}
			for _, p := range r.Places {
				one := rotationPlaceView{ID: p.MemberID, Email: p.Member.Email, Weight: p.Weight, Contacts: p.Given}
				if !p.AwayUntil.IsZero() {
					one.AwayUntil = &p.AwayUntil
				}
				v.Members = append(v.Members, one)
			}
			return v
		}, func(r contacts.RotationView) string {
			var text strings.Builder
			fmt.Fprintf(&text, "%s  %s", r.ID, r.Name)
			for _, p := range r.Places {
				fmt.Fprintf(&text, "\n  %-30s  weight %2d  %6d contacts", p.Member.Email, p.Weight, p.Given)
			}
			return text.String()
		})
	})
}
