package crm

import (
	"fmt"
	"strings"
)

// ProviderRules say whom a provider of OpenID Connect lets in, and as what.
type ProviderRules struct {
	// OrgID is the only organisation that people come to, and that unknown ones become members of; empty for that of each
	// member, and nobody becomes one.
	OrgID string
	// Domains are those of the e-mail addresses that may come in, in lower case.
	Domains []string
	// Claim is where Roles look; both are empty where roles are given in Fichário only.
	Claim string
	Roles map[string]Role
}

// AnyValue is what stands, in Roles, for everybody whom no other value fits.
const AnyValue = "*"

// Admits reports whether somebody with an e-mail address in lower case may come in. A domain stands for itself, not for
// those below it.
func (r ProviderRules) Admits(email string) bool {
	at := strings.LastIndexByte(email, '@')
	for _, d := range r.Domains {
		if at >= 0 && email[at+1:] == d {
			return true
		}
	}
	return false
}

// RoleOf returns the role that fits the values of the claim, of several the one that may most; empty where roles are
// not the provider's matter. It reports whether one who has these values may come in.
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

// ParseRoles reads which values of a claim make which role: groups:boss=owner,desk=member. The claim ends with the last
// colon before the first equals sign, because its name may be an address.
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
