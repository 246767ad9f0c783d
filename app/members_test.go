package app_test

import (
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/crm"
	"fichario/ports"
)

// TestNewMembersAreHeldToTheirForm: a form with one fault is refused at that field.
func TestNewMembersAreHeldToTheirForm(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.add("ana", crm.Common)
	for _, c := range []struct {
		change func(*team.NewMember)
		want   string
	}{
		{func(*team.NewMember) {}, ""},
		{func(n *team.NewMember) { n.Name = " " }, "requisicao_invalida name"},
		{func(n *team.NewMember) { n.Name = strings.Repeat("é", crm.NameMax+1) }, "requisicao_invalida name"},
		{func(n *team.NewMember) { n.Email = "sem arroba" }, "requisicao_invalida email"},
		{func(n *team.NewMember) { n.Email = strings.ToUpper(s.email("ana")) }, "requisicao_invalida email"},
		{func(n *team.NewMember) { n.Role = "dono" }, "requisicao_invalida role"},
		{func(n *team.NewMember) { n.Password = "1234567" }, "requisicao_invalida password"},
		{func(n *team.NewMember) { n.Password = strings.Repeat("x", 73) }, "requisicao_invalida password"},
		{func(n *team.NewMember) { n.Password = strings.Repeat(" ", 8) }, "requisicao_invalida password"},
		{func(n *team.NewMember) { n.Password = "Senha123" }, "requisicao_invalida password"},
		{func(n *team.NewMember) { n.Password = "rui@x.example" }, "requisicao_invalida password"},
		{func(n *team.NewMember) { n.OrgID = lookups.NewKeyID() }, "nao_encontrado org"},
		{func(n *team.NewMember) { n.OrgID = "x" }, "nao_encontrado org"},
	} {
		n := team.NewMember{
			OrgID: s.orgID, Name: "Rui", Email: "Rui@X.example", Role: crm.Common, Password: "vento sul",
		}
		c.change(&n)
		m, err := s.members.Add(t.Context(), app.Operator(), n)
		equal(t, n.Name+" "+n.Email, said(err), c.want)
		if err == nil && (m.Email != "rui@x.example" || !m.Active) {
			t.Errorf("he is kept as %+v", m)
		}
	}
	equal(t, "members", len(must(s.members.List(t.Context(), app.Operator(), s.orgID))), 2)
}

// TestAdministratorsAndOwners: an administrator makes no owner, changes none, and does not become one.
func TestAdministratorsAndOwners(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, admin, member := s.add("dona", crm.Owner), s.add("adm", crm.Admin), s.add("ana", crm.Common)
	change := func(by, who app.Caller, c team.MemberChange) error {
		return s.members.Update(t.Context(), by, who.MemberID(), c)
	}
	_, made := s.members.Add(t.Context(), admin, team.NewMember{
		OrgID: s.orgID, Name: "eu", Email: "eu@x.example", Role: crm.Owner, Password: "vento sul",
	})
	for _, c := range []struct {
		what string
		err  error
		want string
	}{
		{"an administrator makes an owner", made, "nao_permitido role"},
		{"he becomes one", change(admin, admin, team.MemberChange{Role: at(crm.Owner)}), "nao_permitido role"},
		{"he makes another one", change(admin, member, team.MemberChange{Role: at(crm.Owner)}), "nao_permitido role"},
		{"he ends an owner's access", change(admin, owner, team.MemberChange{Active: at(false)}), "nao_permitido role"},
		{
			"he sets an owner's password", s.members.SetPassword(t.Context(), admin, owner.MemberID(), "sequestrada"),
			"nao_permitido role",
		},
		{"a member's password", s.members.SetPassword(t.Context(), admin, member.MemberID(), "outra-senha"), ""},
		{"a member's name", change(admin, member, team.MemberChange{Name: at("Ana Lima")}), ""},
		{"the last owner's role", change(owner, owner, team.MemberChange{Role: at(crm.Admin)}), "requisicao_invalida role"},
		{"his own access", change(owner, owner, team.MemberChange{Active: at(false)}), "requisicao_invalida active"},
		{"no role", change(owner, member, team.MemberChange{Role: at(crm.Role("x"))}), "requisicao_invalida role"},
		{"no name", change(owner, member, team.MemberChange{Name: at("")}), "requisicao_invalida name"},
		{"a member changes another", change(member, admin, team.MemberChange{Name: at("x")}), "nao_permitido"},
		{
			"a member sets another's password", s.members.SetPassword(t.Context(), member, admin.MemberID(), "vento sul"),
			"nao_permitido",
		},
		{"and his own", s.members.SetPassword(t.Context(), member, member.MemberID(), "vento sul"), forbidden},
		{"too short", s.members.SetPassword(t.Context(), admin, member.MemberID(), "123"), "requisicao_invalida password"},
	} {
		equal(t, c.what, said(c.err), c.want)
	}
	for _, m := range must(s.members.List(t.Context(), owner, s.orgID)) {
		want := map[string]crm.Role{"dona": crm.Owner, "adm": crm.Admin, "Ana Lima": crm.Common}[m.Name]
		if m.Role != want || !m.Active {
			t.Errorf("in the end %s is %s, active %t", m.Name, m.Role, m.Active)
		}
	}
}

// TestAPasswordIsAllThatItChanges: what changes about a member while a password is hashed stays.
func TestAPasswordIsAllThatItChanges(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, adm := s.add("dona", crm.Owner), s.add("ze", crm.Admin)
		slow := team.NewMembers(s.store, s.now, func(p string) (string, error) {
			change := team.MemberChange{Active: at(false), Role: at(crm.Common)}
			done(s.members.Update(t.Context(), owner, adm.MemberID(), change))
			return hashed(p)
		})
		_ = slow.SetPassword(t.Context(), owner, adm.MemberID(), "nova-senha")
		m := must(s.store.Repos().Members.Find(t.Context(), ports.AnyOrg, adm.MemberID()))
		if m.Active || m.Role == crm.Admin {
			t.Errorf("active %t, %s", m.Active, m.Role)
		}
	})
}

// TestTwoOwnersWhoTurnEachOtherOut: one of them remains.
func TestTwoOwnersWhoTurnEachOtherOut(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for range meetings {
			s := s.another()
			owners := []app.Caller{s.add("a", crm.Owner), s.add("b", crm.Owner)}
			both(func(i int) {
				change := team.MemberChange{Role: at(crm.Common)}
				_ = s.members.Update(t.Context(), owners[i], owners[1-i].MemberID(), change)
			})
			left := 0
			for _, m := range must(s.store.Repos().Members.List(t.Context(), s.orgID)) {
				if m.LeadsActively() {
					left++
				}
			}
			if left == 0 {
				t.Error("nobody owns the organisation any more")
			}
		}
	})
}

// TestAnAddressOfAnotherOrganisation signs in there, and here only once: who adds it hears that it cannot be used, and
// not whose it is.
func TestAnAddressOfAnotherOrganisation(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	other := s.another()
	ana, rui := s.add("ana", crm.Owner), other.add("rui", crm.Owner)
	add := func(by app.Caller, name string) string {
		_, err := s.members.Add(t.Context(), by, team.NewMember{
			OrgID: by.OrgID(), Name: "Bia", Email: must(s.store.Repos().Members.Find(t.Context(), ports.AnyOrg, name)).Email,
			Role: crm.Common,
		})
		return app.FaultOf(err).Message
	}
	const own, taken = "Já há um membro com este e-mail.", "Este e-mail não pode ser usado aqui. Escolha outro endereço."
	equal(t, "one's own", add(ana, ana.MemberID()), own)
	equal(t, "another's", add(ana, rui.MemberID()), taken)
	equal(t, "and the reverse", add(rui, ana.MemberID()), taken)
}
