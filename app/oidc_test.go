package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
)

// provider returns the claims that its test sets, to a caller with the right secrets.
type provider struct {
	claims  access.Claims
	err     error
	secrets access.ProviderSecrets
}

func (*provider) Issuer() string { return "https://id.example" }

func (p *provider) Begin(_ context.Context, s access.ProviderSecrets) (string, error) {
	p.secrets = s
	return "https://id.example/authorize", p.err
}

func (p *provider) End(_ context.Context, s access.ProviderSecrets, code string) (access.Claims, error) {
	if p.err != nil {
		return access.Claims{}, p.err
	}
	if s != p.secrets || code != "code" {
		return access.Claims{}, errors.New("the provider does not know the code")
	}
	return p.claims, nil
}

// oidc makes a provider for the people of the organisation, and the use case on it.
func (s *setting) oidc(roles string) (*provider, *team.OIDC) {
	s.t.Helper()
	claim, parsed, err := crm.ParseRoles(roles)
	done(err)
	p := &provider{}
	return p, team.NewOIDC(team.OIDCConfig{
		Store: s.store, Clock: s.now, Sessions: s.sessions, Provider: p, Name: "Aroeira ID", Log: s.log.logger(),
		Rules: crm.ProviderRules{
			OrgID: s.orgID, Domains: []string{"org-" + s.orgID + ".example"}, Claim: claim, Roles: parsed,
		},
	})
}

// comes goes to the provider and back, with these claims.
func (s *setting) comes(p *provider, o *team.OIDC, as access.Claims) (session string, err error) {
	s.t.Helper()
	as.Issuer, p.claims = p.Issuer(), as
	_, secret, err := o.Begin(s.t.Context(), "", "/contatos")
	done(err)
	token, after, err := o.End(s.t.Context(), "", team.Back{
		Secret: secret.Reveal(), State: p.secrets.State, Code: "code", Issuer: p.Issuer(),
	})
	equal(s.t, "where it leads", after, "/contatos")
	return token.Reveal(), err
}

func (s *setting) claims(subject, name string, values ...string) access.Claims {
	return access.Claims{Subject: subject, Email: s.email(name), Verified: true, Name: name, Values: values}
}

func (s *setting) roleOf(name string) crm.Role {
	s.t.Helper()
	return must(s.store.Repos().Members.ByEmail(s.t.Context(), s.email(name))).Role
}

// TestWhoComesByAProvider: found by the linked account, and only the first time by the e-mail address.
func TestWhoComesByAProvider(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.add("dona", crm.Owner)
	ana, p, o := s.add("ana", crm.Common), (*provider)(nil), (*team.OIDC)(nil)
	p, o = s.oidc("")
	in := func(as access.Claims) string {
		session, err := s.comes(p, o, as)
		if err != nil {
			return said(err)
		}
		return s.inside(session)
	}
	const refused = out + " oidc"
	equal(t, "a member", in(s.claims("7", "ana")), "ana")
	equal(t, "with another address", in(s.claims("7", "bia")), "ana")
	equal(t, "with somebody else's address", in(s.claims("7", "dona")), "ana")
	equal(t, "another account with hers", in(s.claims("8", "ana")), refused)
	equal(t, "in capitals", in(access.Claims{Subject: "9", Email: strings.ToUpper(s.email("dona")), Verified: true}), "dona")
	equal(t, "unknown", in(s.claims("10", "rui")), "rui")
	equal(t, "his role", s.roleOf("rui"), crm.Common)
	equal(t, "again", in(s.claims("10", "rui")), "rui")
	unverified := s.claims("7", "ana")
	unverified.Verified = false
	equal(t, "not verified", in(unverified), refused)
	equal(t, "of another domain", in(access.Claims{Subject: "7", Email: "ana@mau.example", Verified: true}), refused)
	equal(t, "without an address", in(access.Claims{Subject: "7", Verified: true}), refused)
	done(s.members.Update(t.Context(), app.Operator(), ana.MemberID(), team.MemberChange{Active: at(false)}))
	equal(t, "who is not active", in(s.claims("7", "ana")), refused)
	done(s.members.Update(t.Context(), app.Operator(), ana.MemberID(), team.MemberChange{Active: at(true)}))
	before := s.signIn("ana", "senha-de-ana")
	done(s.members.Unlink(t.Context(), app.Operator(), ana.MemberID()))
	equal(t, "a session of before the link went", s.inside(before), out)
	equal(t, "without a link to go", said(s.members.Unlink(t.Context(), app.Operator(), ana.MemberID())),
		"requisicao_invalida member")
	equal(t, "the other account with hers then", in(s.claims("8", "ana")), "ana")

	stranger := s.another()
	stranger.add("eva", crm.Owner)
	o.Rules.Domains = append(o.Rules.Domains, "org-"+stranger.orgID+".example")
	equal(t, "a member of another organisation", in(stranger.claims("11", "eva")), refused)
	o.Rules.OrgID = ""
	equal(t, "where each comes to his own", in(stranger.claims("11", "eva")), "eva")
	equal(t, "where nobody becomes a member", in(s.claims("12", "leo")), refused)
}

// TestRolesComeWithEverySignIn, but never demote the last owner.
func TestRolesComeWithEverySignIn(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.add("dona", crm.Owner)
	p, o := s.oidc("groups:chefe=owner,gestor=admin,equipe=member")
	for _, c := range []struct{ subject, name, groups, want string }{
		{"1", "ana", "", "- refused"}, {"1", "ana", "outro", "- refused"},
		{"1", "ana", "equipe gestor", "admin"}, {"1", "ana", "equipe", "member"}, {"1", "ana", "", "member refused"},
		{"2", "dona", "equipe", "owner"}, {"1", "ana", "chefe", "owner"}, {"2", "dona", "equipe", "member"},
		{"1", "ana", "gestor", "owner"},
	} {
		_, err := s.comes(p, o, s.claims(c.subject, c.name, strings.Fields(c.groups)...))
		got := "-"
		if m, err := s.store.Repos().Members.ByEmail(t.Context(), s.email(c.name)); err == nil {
			got = string(m.Role)
		}
		if said(err) == out+" oidc" {
			got += " refused"
		}
		equal(t, c.name+" of "+c.groups, got, c.want)
	}
	all := actions(s.lines(0))
	for _, want := range []audit.Action{
		audit.MemberAdded, audit.IdentityAdded, audit.SignedIn, audit.MemberChanged, audit.SignInRefused,
	} {
		if !strings.Contains(all, string(want)) {
			t.Errorf("the audit has no %s: %s", want, all)
		}
	}
	for _, l := range s.lines(0) {
		if l.Action == audit.SignedIn || l.Action == audit.SignInRefused || l.Action == audit.IdentityAdded {
			equal(t, "how, of "+string(l.Action), l.Detail["por"], "oidc")
		}
	}
}

// TestASecondFactorElsewhere counts as the required one; without it members show their own.
func TestASecondFactorElsewhere(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, owner := t.Context(), s.add("dona", crm.Owner)
		_, recovery := s.enrolled(owner)
		done(s.factors.Require(ctx, owner, true))
		p, o := s.oidc("")
		needs := func(as access.Claims) bool {
			_, m, err := s.sessions.Resume(ctx, must(s.comes(p, o, as)))
			done(err)
			return m.NeedsFactor
		}
		ana := s.claims("1", "ana")
		equal(t, "who has shown none and has none", needs(ana), true)
		ana.Factor = true
		equal(t, "who has shown one there", needs(ana), false)
		dona := s.claims("2", "dona")
		_, err := s.comes(p, o, dona)
		var need *team.FactorNeeded
		equal(t, "who has one here", errors.As(err, &need), true)
		equal(t, "what waits lets nobody in", s.inside(need.Ticket.Reveal()), out)
		token := must(s.factors.Prove(ctx, "", need.Ticket.Reveal(), recovery[0]))
		equal(t, "with it", s.inside(token.Reveal()), "dona")
		lines := s.lines(0)
		equal(t, "by what", lines[len(lines)-1].Detail["por"], "oidc e código de recuperação")
		dona.Factor = true
		equal(t, "who has shown one there and has one here", needs(dona), false)
	})
}

// TestForgedReturnsAreAllAlike: the fault does not tell what was wrong; each counts like a wrong password, and a
// sign-in works once.
func TestForgedReturnsAreAllAlike(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, who := t.Context(), s.claims("1", "ana")
		p, o := s.oidc("")
		who.Issuer = p.Issuer()
		p.claims = who
		begin := func() team.Back {
			_, secret, err := o.Begin(ctx, "", "/")
			done(err)
			return team.Back{Secret: secret.Reveal(), State: p.secrets.State, Code: "code"}
		}
		used := begin()
		_, _, err := o.End(ctx, "203.0.113.7", used)
		done(err)
		late := begin()
		time.Sleep(access.FactorFor)
		ticket := access.NewSessionToken()
		done(s.store.Repos().Tickets.Put(ctx, ticket, access.Ticket{
			Kind: access.PasskeyUse, ExpiresAt: s.now().Add(time.Hour),
		}))
		all := map[string]bool{}
		n := 0
		for name, change := range map[string]func(b *team.Back){
			"again": func(b *team.Back) { *b = used }, "late": func(b *team.Back) { *b = late },
			"no cookie": func(b *team.Back) { b.Secret = "" }, "another's cookie": func(b *team.Back) { b.Secret = begin().Secret },
			"no state": func(b *team.Back) { b.State = "" }, "another state": func(b *team.Back) { b.State = begin().State },
			"no code": func(b *team.Back) { b.Code = "" }, "another code": func(b *team.Back) { b.Code = "x" },
			"another provider": func(b *team.Back) { b.Issuer = "https://mau.example" },
			"another ticket": func(b *team.Back) {
				*b = team.Back{Secret: ticket.Reveal(), State: ticket.ProviderSecrets().State, Code: "code"}
			},
		} {
			b := begin()
			change(&b)
			token, _, err := o.End(ctx, "203.0.113.7", b)
			equal(t, name, line(said(err), s.inside(token.Reveal())), line(out+" oidc", out))
			all[fmt.Sprint(err)] = true
			n++
		}
		equal(t, "what they are told", len(all), 1)
		for range 20 - n {
			_, _, err = o.End(ctx, "203.0.113.7", team.Back{})
		}
		equal(t, "the twentieth", line(said(err), app.FaultOf(err).RetryAfter), out+" oidc 0s")
		_, _, err = o.End(ctx, "203.0.113.7", begin())
		equal(t, "the right one too early", line(said(err), app.FaultOf(err).RetryAfter), out+" 30s")
		_, err = s.sessions.SignIn(ctx, "203.0.113.7", s.email("ana"), "x")
		equal(t, "a password from there too", app.FaultOf(err).RetryAfter, 30*time.Second)
		_, _, err = o.End(ctx, "203.0.113.8", begin())
		equal(t, "from elsewhere", said(err), "")

		p.err = fmt.Errorf("%w: no answer", ports.ErrProviderAway)
		_, _, err = o.Begin(ctx, "", "/")
		equal(t, "a provider that is away", said(err), "servico_indisponivel oidc")
		for range 30 {
			p.err = nil
			b := begin()
			p.err = fmt.Errorf("%w: no answer", ports.ErrProviderAway)
			_, _, err = o.End(ctx, "203.0.113.8", b)
		}
		equal(t, "and nobody is to blame", said(err), "servico_indisponivel oidc")
	})
}
