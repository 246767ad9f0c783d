package contacts

import (
	"context"
	"sync"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func rotations(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	made := crm.Rotation{ID: kit.ID(), OrgID: o.ID, Name: "Vendas", CreatedAt: kit.At, Members: []crm.RotationMember{
		{MemberID: kit.ID(), Weight: 2}, {MemberID: kit.ID(), Weight: 1, AwayUntil: kit.At.Add(time.Hour)},
	}}
	kit.Must(t, repos.Rotations.Create(ctx, made))
	got, err := repos.Rotations.Find(ctx, ports.AnyOrg, made.ID)
	kit.Must(t, err)
	kit.Same(t, "rotation", got, made)
	sequence := []string{made.Members[0].MemberID, made.Members[1].MemberID, made.Members[0].MemberID}
	for i := range 6 {
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			member, err := r.Rotations.Turn(ctx, o.ID, made.ID, sequence)
			kit.Same(t, "whose turn it is", member, sequence[i%3])
			return err
		}))
	}
	made.Members[0].Given, made.Members[1].Given = 4, 2
	made.Name, made.Members[1].AwayUntil, made.Members[0].Weight = "Todos", time.Time{}, 3
	kit.Must(t, repos.Rotations.Update(ctx, made))
	list, err := repos.Rotations.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "changed rotation", list, []crm.Rotation{made})
	made.Members = nil
	kit.Must(t, repos.Rotations.Update(ctx, made))
	got, err = repos.Rotations.Find(ctx, ports.AnyOrg, made.ID)
	kit.Must(t, err)
	kit.Same(t, "rotation of nobody", got, made)
	kit.Must(t, repos.Rotations.Remove(ctx, made))
	kit.WantErr(t, "remove again", repos.Rotations.Remove(ctx, made), ports.ErrNotFound)
	_, err = repos.Rotations.Find(ctx, ports.AnyOrg, made.ID)
	kit.WantErr(t, "removed", err, ports.ErrNotFound)
	_, err = repos.Rotations.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "none", err, ports.ErrNotFound)
	none := crm.Rotation{ID: kit.ID(), OrgID: o.ID, Name: "x"}
	kit.WantErr(t, "change of none", repos.Rotations.Update(ctx, none), ports.ErrNotFound)
}

// takingInTurn: concurrent posts, some repeated, some with several people and some to a webhook without a rotation;
// each member gets exactly the share of their weight.
func takingInTurn(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	made := crm.Rotation{ID: kit.ID(), OrgID: o.ID, Name: "Vendas", CreatedAt: kit.At, Members: []crm.RotationMember{
		{MemberID: kit.ID(), Weight: 2}, {MemberID: kit.ID(), Weight: 1},
	}}
	kit.Must(t, repos.Rotations.Create(ctx, made))
	first, second := made.Members[0].MemberID, made.Members[1].MemberID
	w, token := kit.Hook(t, s, o.ID)
	w.RotationID = made.ID
	kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At))
	found, err := repos.Webhooks.Open(ctx, token, time.Now())
	kit.Must(t, err)
	kit.Same(t, "rotation of the webhook", found.Rotation.Members, made.Members)
	other, _ := kit.Hook(t, s, o.ID)

	stage := kit.ID()
	var mu sync.Mutex
	given := map[string]int{}
	count := func(a ports.Arrival, w webhook.Webhook) {
		if _, err := repos.Inbox.Take(ctx, a); err != nil {
			t.Error(err)
			return
		}
		for _, n := range a.People {
			c, err := repos.Contacts.Find(ctx, ports.AnyOrg, n.Contact.ID)
			if err != nil {
				continue // it was repeated
			}
			mu.Lock()
			if given[c.AssigneeID]++; w.RotationID == "" && c.AssigneeID != n.Contact.AssigneeID {
				t.Errorf("a contact without a rotation is %s's", c.AssigneeID)
			}
			mu.Unlock()
		}
	}
	var all sync.WaitGroup
	for i := range 42 {
		people := 1
		if i%6 == 0 {
			people = 4
		}
		a := kit.ArrivalOf(w, stage, people)
		for j := range a.People {
			a.People[j].RotationID, a.People[j].Sequence = made.ID, []string{first, second, first}
			a.People[j].Key = a.People[j].Contact.ID
		}
		again := a
		again.Delivery.ID, again.People = kit.ID(), append([]ports.Newcomer(nil), a.People...)
		for j := range again.People {
			again.People[j].Contact.ID = kit.ID()
		}
		all.Go(func() { count(a, w); count(again, w) })
		all.Go(func() { count(kit.Arrival(other, stage), other) })
	}
	all.Wait()
	kit.Same(t, "given to the first", given[first], 42)
	kit.Same(t, "given to the second", given[second], 21)
	made, err = repos.Rotations.Find(ctx, ports.AnyOrg, made.ID)
	kit.Must(t, err)
	kit.Same(t, "counted", []int{made.Members[0].Given, made.Members[1].Given}, []int{42, 21})
}
