package crm_test

import (
	"fmt"
	"strings"
	"testing"

	"fichario/domain/crm"
)

func TestWhoAProviderLetsIn(t *testing.T) {
	t.Parallel()
	domains, err := crm.ParseDomains(" Exemplo.com.br , @filial.example,")
	if err != nil || fmt.Sprint(domains) != "[exemplo.com.br filial.example]" {
		t.Fatalf("%v, %v", domains, err)
	}
	r := crm.ProviderRules{Domains: domains}
	for email, want := range map[string]bool{
		"ana@exemplo.com.br": true, "ana@filial.example": true, "ana@sub.exemplo.com.br": false,
		"ana@mauexemplo.com.br": false, "ana@exemplo.com.br.mau.example": false, "exemplo.com.br": false, "": false,
		`"a@exemplo.com.br"@mau.example`: false,
	} {
		if got := r.Admits(email); got != want {
			t.Errorf("%s: %v", email, got)
		}
	}
	for _, bad := range []string{"exemplo", "*.exemplo.com", "a@exemplo.com", "https://exemplo.com", ".com", "a b.com"} {
		if all, err := crm.ParseDomains(bad); err == nil {
			t.Errorf("%s: %v", bad, all)
		}
	}
}

func TestRolesOfAProvider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, values, want string
	}{
		{"", "", " true"},
		{"", "fic-owner", " true"},
		{"groups:fic-admin=admin, fic-owner=owner", "", " false"},
		{"groups:fic-admin=admin, fic-owner=owner", "other", " false"},
		{"groups:fic-admin=admin, fic-owner=owner", "fic-admin other", "admin true"},
		{"groups:fic-admin=admin, fic-owner=owner", "fic-admin fic-owner", "owner true"},
		{"groups:fic-admin=admin, fic-owner=owner", "FIC-OWNER", " false"},
		{"groups:a=admin,*=member", "", "member true"},
		{"groups:a=admin,*=member", "x", "member true"},
		{"groups:a=admin,*=member", "a", "admin true"},
		{"groups:*=owner,a=member", "a", "member true"},
		{"groups:a=admin", "*", " false"},
		{"groups:a=admin,*=member", "*", "member true"},
		{"https://f.example/roles:a=b=owner", "a=b", "owner true"},
	} {
		claim, roles, err := crm.ParseRoles(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		role, ok := crm.ProviderRules{Claim: claim, Roles: roles}.RoleOf(strings.Fields(c.values))
		if got := fmt.Sprint(role, " ", ok); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.values, c.text, got, c.want)
		}
	}
	if claim, _, _ := crm.ParseRoles("https://f.example/roles:a=owner"); claim != "https://f.example/roles" {
		t.Error(claim)
	}
	for _, bad := range []string{"a=owner", "groups:a", "groups:a=boss", "groups:=owner", ":a=owner", "g:a=owner,a=admin", "g:"} {
		if claim, roles, err := crm.ParseRoles(bad); err == nil {
			t.Errorf("%s: %s %v", bad, claim, roles)
		}
	}
}
