package crm

import (
	"slices"
	"time"
)

// Rotation gives contacts to members in turn.
type Rotation struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	Name  string
	// Members are in the order of their ids.
	Members   []RotationMember
	CreatedAt time.Time
}

// RotationMember is somebody's place in a rotation.
type RotationMember struct {
	MemberID string
	// Weight is how many contacts the member gets for each one that a member of weight 1 gets; see RotationWeightMax.
	Weight int
	// AwayUntil is the end of an absence, in which the member gets none; zero for no absence.
	AwayUntil time.Time
	// Given is how many the member has got.
	Given int
}

// Settings is what somebody has set of a rotation: its name and its members, without what these have got, which grows
// with every contact.
func (r Rotation) Settings() (name string, members []RotationMember) {
	members = slices.Clone(r.Members)
	for i := range members {
		members[i].Given = 0
	}
	return r.Name, members
}

const (
	// RotationWeightMax is the greatest weight; the smallest is 1.
	RotationWeightMax = 10
	// RotationMembersMax is how many members a rotation has at most.
	RotationMembersMax = 30
)

// Sequence returns the member ids of one round of turns, which then repeats: those who are active and not away at a
// time, each as often as their weight, spread as evenly as possible. It is empty when nobody is available.
func (r Rotation) Sequence(active []Member, at time.Time) []string {
	type place struct {
		id            string
		weight, shift int
	}
	var there []place
	total := 0
	for _, m := range r.Members {
		is := func(known Member) bool { return known.ID == m.MemberID && known.Active }
		if m.Weight > 0 && !m.AwayUntil.After(at) && slices.ContainsFunc(active, is) {
			there, total = append(there, place{id: m.MemberID, weight: m.Weight}), total+m.Weight
		}
	}
	out := make([]string, 0, total)
	for range total {
		next := 0
		for i := range there {
			if there[i].shift += there[i].weight; there[i].shift > there[next].shift {
				next = i
			}
		}
		there[next].shift -= total
		out = append(out, there[next].id)
	}
	return out
}
