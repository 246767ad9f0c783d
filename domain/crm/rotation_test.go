package crm_test

import (
	"strings"
	"testing"
	"time"

	"fichario/domain/crm"
)

func TestWhoseTurnItIs(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	active := []crm.Member{{ID: "a", Active: true}, {ID: "b", Active: true}, {ID: "c", Active: true}, {ID: "d"}}
	for want, members := range map[string][]crm.RotationMember{
		"":        nil,
		"a":       {{MemberID: "a", Weight: 1}},
		"ab":      {{MemberID: "a", Weight: 1}, {MemberID: "b", Weight: 1}, {MemberID: "d", Weight: 1}, {MemberID: "z", Weight: 1}},
		"aba":     {{MemberID: "a", Weight: 2}, {MemberID: "b", Weight: 1}},
		"aabacaa": {{MemberID: "a", Weight: 5}, {MemberID: "b", Weight: 1}, {MemberID: "c", Weight: 1}},
		"bc":      {{MemberID: "a", Weight: 2, AwayUntil: at.Add(1)}, {MemberID: "b", Weight: 1, AwayUntil: at}, {MemberID: "c", Weight: 1}},
	} {
		if got := strings.Join(crm.Rotation{Members: members}.Sequence(active, at), ""); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
