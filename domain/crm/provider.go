package crm

import (
	"fmt"
	"strings"
)

// ProviderRules says whom an OpenID Connect provider may sign in, and with which role.
type ProviderRules struct {
	// OrgID is the only organisation that people may enter, and that unknown ones join as members. If empty, members enter
	// their own, and nobody joins.
	OrgID string
	// Domains are the domains of the e-mail addresses that may sign in, in lower case.
	Domains []string
	// Claim is the claim whose values Roles maps to roles; both are empty where roles are managed in Fichário only.
	Claim string
	Roles map[string]Role
}

// AnyValue is the key in Roles for everybody whom no other value matches.
const AnyValue = "*"

// Admits reports whether somebody with an e-mail address in lower case may sign in. A domain does not include its
// subdomains.
func (r ProviderRules) Admits(email string) bool {
	at := strings.LastIndexByte(email, '@')
	for _, d := range r.Domains {
		if at >= 0 && email[at+1:] == d {
			return true
		}
	}
	return false
}

// RoleOf returns the role for the values of the claim, the most powerful one of several; empty where the provider does
// not manage roles. It reports whether a person with these values may sign in.
func (r ProviderRules) RoleOf(values []string) (role Role, ok bool) {
	if len(r.Roles) == 0 {
		return "", true
	}
	has := map[Role]bool{}
	for _, v := range values {
		if v != AnyValue {
			has[r.Roles[v]] = true
		}
	}
	for _, role := range []Role{Owner, Admin, Common} {
		if has[role] {
			return role, true
		}
	}
	role, ok = r.Roles[AnyValue]
	return role, ok
}

// ParseDomains reads domains, separated by commas.
func ParseDomains(text string) (all []string, err error) {
	for part := range strings.SplitSeq(text, ",") {
		d := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(part), "@"))
		if d == "" {
			continue
		}
		if !strings.Contains(d, ".") || strings.ContainsAny(d, "@*/: ") || d[0] == '.' || d[len(d)-1] == '.' {
			return nil, fmt.Errorf("%q is no domain, such as example.com", part)
		}
		all = append(all, d)
	}
	return all, nil
}

// ParseRoles reads which values of a claim give which role: groups:boss=owner,desk=member. The claim ends at the last
// colon before the first equals sign, because its name may be a URL.
func ParseRoles(text string) (claim string, roles map[string]Role, err error) {
	if strings.TrimSpace(text) == "" {
		return "", nil, nil
	}
	first, _, _ := strings.Cut(text, "=")
	colon := strings.LastIndexByte(first, ':')
	if colon < 0 {
		return "", nil, fmt.Errorf("%q has no claim, such as groups:boss=owner,desk=member", text)
	}
	claim, roles = strings.TrimSpace(text[:colon]), map[string]Role{}
	for part := range strings.SplitSeq(text[colon+1:], ",") {
		equals := strings.LastIndexByte(part, '=')
		if equals < 0 {
			return "", nil, fmt.Errorf("%q has no role, such as boss=owner", part)
		}
		value, role := strings.TrimSpace(part[:equals]), Role(strings.TrimSpace(part[equals+1:]))
		switch _, twice := roles[value]; {
		case claim == "" || value == "":
			return "", nil, fmt.Errorf("%q names no value of a claim", part)
		case !role.Valid():
			return "", nil, fmt.Errorf("%q is no role: owner, admin or member", role)
		case twice:
			return "", nil, fmt.Errorf("%q is there twice", value)
		}
		roles[value] = role
	}
	return claim, roles, nil
}
