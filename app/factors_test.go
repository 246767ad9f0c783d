package app_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
)

// enrolled enables one-time codes, and returns their secret and the recovery codes.
func (s *setting) enrolled(who app.Caller) (secret string, recovery []string) {
	s.t.Helper()
	ctx := s.t.Context()
	done(s.factors.BeginCodes(ctx, who))
	secret = must(s.factors.View(ctx, who)).Secret
	return secret, must(s.factors.ConfirmCodes(ctx, who, must(totp.GenerateCode(secret, s.now())),
		team.Proof{Code: s.passwordOf(who)}))
}

// passwordOf returns the password that add gave a member.
func (s *setting) passwordOf(who app.Caller) string {
	s.t.Helper()
	return "senha-de-" + must(s.store.Repos().Members.Find(s.t.Context(), ports.AnyOrg, who.MemberID())).Name
}

// waits signs a member in by password, and returns the ticket for the second factor.
func (s *setting) waits(name string) string {
	s.t.Helper()
	_, err := s.sessions.SignIn(s.t.Context(), "", s.email(name), "senha-de-"+name)
	var need *team.FactorNeeded
	if !errors.As(err, &need) {
		s.t.Fatalf("a second factor is not asked for: %v", err)
	}
	return need.Ticket.Reveal()
}

// TestASecondFactorByCodes: the password alone is not enough; a code counts once, and so does a recovery code.
func TestASecondFactorByCodes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, ana := t.Context(), s.add("ana", crm.Common)
		secret, recovery := s.enrolled(ana)
		equal(t, "recovery codes", len(recovery), access.RecoveryCodes)
		code := func() string { return must(totp.GenerateCode(secret, s.now())) }
		ticket := s.waits("ana")
		equal(t, "what waits lets nobody in", s.inside(ticket), out)
		_, err := s.factors.Prove(ctx, "", ticket, code())
		equal(t, "the code that turned it on", said(err), out+" code")
		time.Sleep(30 * time.Second)
		_, err = s.factors.Prove(ctx, "", ticket, "000000")
		equal(t, "another code", said(err), out+" code")
		token := must(s.factors.Prove(ctx, "", ticket, code()))
		equal(t, "with the code", s.inside(token.Reveal()), "ana")
		_, err = s.factors.Prove(ctx, "", ticket, recovery[0])
		equal(t, "the same sign-in again", said(err), out+" ticket")

		ticket = s.waits("ana")
		_, err = s.factors.Prove(ctx, "", ticket, code())
		equal(t, "the same code again", said(err), out+" code")
		must(s.factors.Prove(ctx, "", ticket, strings.ToUpper(strings.ReplaceAll(recovery[0], "-", " "))))
		_, err = s.factors.Prove(ctx, "", s.waits("ana"), recovery[0])
		equal(t, "the same recovery code again", said(err), out+" code")
		equal(t, "codes that are left", must(s.factors.View(ctx, ana)).Recovery, access.RecoveryCodes-1)

		ticket = s.waits("ana")
		time.Sleep(access.FactorFor)
		_, err = s.factors.Prove(ctx, "", ticket, code())
		equal(t, "a sign-in of ten minutes ago", said(err), out+" ticket")
		equal(t, "turned off without a code", said(s.factors.Off(ctx, ana, team.Proof{})), out+" code")
		done(s.factors.Off(ctx, ana, team.Proof{Code: code()}))
		equal(t, "without a second factor", s.inside(s.signIn("ana", "senha-de-ana")), "ana")
		_, err = s.factors.Prove(ctx, "", ticket, recovery[1])
		equal(t, "a recovery code of before", said(err), out+" ticket")

		all := actions(s.lines(0))
		for _, want := range []audit.Action{
			audit.FactorOn, audit.FactorRefused, audit.RecoveryUsed, audit.SignedIn, audit.FactorOff,
		} {
			if !strings.Contains(all, string(want)) {
				t.Errorf("the audit has no %s", want)
			}
		}
	})
}

// TestACodeAsAppsShowIt, with a space in its middle, is accepted both when codes are confirmed and at sign-in.
func TestACodeAsAppsShowIt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, ana := t.Context(), s.add("ana", crm.Common)
		done(s.factors.BeginCodes(ctx, ana))
		secret := must(s.factors.View(ctx, ana)).Secret
		shown := func() string {
			code := must(totp.GenerateCode(secret, s.now()))
			return " " + code[:3] + " " + code[3:]
		}
		_, err := s.factors.ConfirmCodes(ctx, ana, shown(), team.Proof{Code: "senha-de-ana"})
		equal(t, "turned on", said(err), "")
		time.Sleep(time.Minute)
		_, err = s.factors.Prove(ctx, "", s.waits("ana"), shown())
		equal(t, "at the door", said(err), "")
	})
}

// TestCodesThatWaitEndWithThePassword: an intruder with an earlier session may have seen their secret. Confirmed codes
// stay.
func TestCodesThatWaitEndWithThePassword(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ctx, owner, ana := t.Context(), s.add("dona", crm.Owner), s.add("ana", crm.Common)
	for _, c := range []struct {
		what string
		do   func()
	}{
		{"she chose another", func() {
			done(s.sessions.ChangeOwnPassword(ctx, ana, "senha-de-ana", "vento sul forte", s.members))
		}},
		{"she used a link", func() {
			address, _, err := s.links.Link(ctx, app.Operator(), ana.MemberID())
			done(err)
			_, link, _ := strings.Cut(address, "/entrar/link/")
			done(s.links.Use(ctx, "", link, "vento norte forte"))
		}},
		{"her access ended, and came back", func() {
			done(s.members.Update(ctx, owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
			done(s.members.Update(ctx, owner, ana.MemberID(), team.MemberChange{Active: at(true)}))
		}},
	} {
		done(s.factors.BeginCodes(ctx, ana))
		equal(t, "whether there is a secret", must(s.factors.View(ctx, ana)).Secret != "", true)
		c.do()
		equal(t, "the secret after "+c.what, must(s.factors.View(ctx, ana)).Secret, "")
	}
	done(s.members.SetPassword(ctx, owner, ana.MemberID(), "senha-de-ana"))
	s.enrolled(ana)
	done(s.members.SetPassword(ctx, owner, ana.MemberID(), "vento leste forte"))
	equal(t, "codes that were confirmed", must(s.factors.View(ctx, ana)).Codes, true)
}

// TestWrongCodesSlowDown, as passwords do: even a right one must wait, and one that comes with another sign-in.
func TestWrongCodesSlowDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		secret, _ := s.enrolled(s.add("ana", crm.Common))
		time.Sleep(time.Minute)
		ticket := s.waits("ana")
		for range 5 {
			_, err := s.factors.Prove(t.Context(), "", ticket, "000000")
			equal(t, "a wrong code", line(said(err), app.FaultOf(err).RetryAfter), out+" code 0s")
		}
		before := len(s.lines(0))
		_, err := s.factors.Prove(t.Context(), "", s.waits("ana"), must(totp.GenerateCode(secret, s.now())))
		equal(t, "the right one too early", line(said(err), app.FaultOf(err).RetryAfter), out+" 30s")
		equal(t, "lines of who waits", len(s.lines(0)), before)
		time.Sleep(30 * time.Second)
		must(s.factors.Prove(t.Context(), "", s.waits("ana"), must(totp.GenerateCode(secret, s.now()))))
	})
}

// TestOneCodeLetsOneIn, of several concurrent uses.
func TestOneCodeLetsOneIn(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ana := s.add("ana", crm.Common)
		_, recovery := s.enrolled(ana)
		tickets := []string{s.waits("ana"), s.waits("ana"), s.waits("ana"), s.waits("ana")}
		var several sync.WaitGroup
		var in atomic.Int32
		for _, ticket := range tickets {
			several.Go(func() {
				if _, err := s.factors.Prove(t.Context(), "", ticket, recovery[3]); err == nil {
					in.Add(1)
				}
			})
		}
		several.Wait()
		equal(t, "let in", in.Load(), 1)
	})
}

// TestASecondFactorForAll: a member without one is led to it on the next page; no owner can require what they lack.
func TestASecondFactorForAll(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ctx, owner, ana := t.Context(), s.add("dona", crm.Owner), s.add("ana", crm.Common)
	equal(t, "by an owner without", said(s.factors.Require(ctx, owner, true)), "requisicao_invalida required")
	_, recovery := s.enrolled(owner)
	before := s.signIn("ana", "senha-de-ana")
	needs := func() bool {
		_, m, err := s.sessions.Resume(ctx, before)
		done(err)
		return m.NeedsFactor
	}
	equal(t, "before", needs(), false)
	done(s.factors.Require(ctx, owner, true))
	equal(t, "afterwards", needs(), true)
	s.enrolled(ana)
	equal(t, "with one", needs(), false)
	for range recovery {
		_, _ = s.store.Repos().Recovery.UseRecovery(ctx, owner.MemberID(), must2(access.RecoveryHash(recovery[0])))
		recovery = recovery[1:]
	}
	equal(t, "without recovery codes", said(s.factors.Require(ctx, owner, true)), "requisicao_invalida required")
}

// TestOnlyTheOperatorMay hand a link over and remove a second factor, which ends the sessions.
func TestOnlyTheOperatorMay(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ctx, owner, ana := t.Context(), s.add("dona", crm.Owner), s.add("ana", crm.Common)
	token := s.signIn("ana", "senha-de-ana")
	s.enrolled(ana)
	_, _, err := s.links.Link(ctx, owner, ana.MemberID())
	equal(t, "a link for an owner", said(err), forbidden)
	equal(t, "a reset by an owner", said(s.factors.Reset(ctx, owner, ana.MemberID())), forbidden)
	equal(t, "an end of a link to a provider", said(s.members.Unlink(ctx, owner, ana.MemberID())), forbidden)
	done(s.factors.Reset(ctx, app.Operator(), ana.MemberID()))
	equal(t, "her session", s.inside(token), out)
	equal(t, "without a second factor", s.inside(s.signIn("ana", "senha-de-ana")), "ana")
	address, _, err := s.links.Link(ctx, app.Operator(), ana.MemberID())
	done(err)
	done(s.links.Use(ctx, "", address[len("https://f.example/entrar/link/"):], "vento sul forte"))
	equal(t, "with the password of the link", s.inside(s.signIn("ana", "vento sul forte")), "ana")
	equal(t, "the audit of it", strings.Contains(actions(s.lines(0)), "segundo_fator.retirado"), true)
}

// TestASessionAloneAddsNoWayIn: before a passkey is added, or codes are enabled, a member with a second factor shows
// it, and one without gives the password, unless there is none because a provider signs them in. A refusal uses nothing
// up.
func TestASessionAloneAddsNoWayIn(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ctx, ana := t.Context(), s.add("ana", crm.Common)
	passkey := func(who app.Caller, credential, proof string) ([]string, error) {
		begun, err := s.factors.BeginPasskey(ctx, who, "iPhone", team.Proof{Code: proof})
		if err != nil {
			return nil, err
		}
		return s.factors.AddPasskey(ctx, who, begun.Ticket.Reveal(), "iPhone", []byte(credential))
	}
	codes := func(who app.Caller, proof string) error {
		done(s.factors.BeginCodes(ctx, who))
		code := must(totp.GenerateCode(must(s.factors.View(ctx, who)).Secret, s.now()))
		_, err := s.factors.ConfirmCodes(ctx, who, code, team.Proof{Code: proof})
		return err
	}
	has := func(who app.Caller) string {
		v := must(s.factors.View(ctx, who))
		return line(v.Codes, len(v.Passkeys), v.Recovery)
	}
	equal(t, "whether a password is asked for", must(s.factors.View(ctx, ana)).Password, true)
	_, err := passkey(ana, "one", "")
	equal(t, "a passkey without her password", said(err), out+" proof")
	equal(t, "codes without her password", said(codes(ana, "errada")), out+" proof")
	equal(t, "what she has", has(ana), "false 0 0")
	recovery := must(passkey(ana, "one", "senha-de-ana"))
	_, err = passkey(ana, "two", "")
	equal(t, "another passkey without anything", said(err), out+" proof")
	_, err = passkey(ana, "two", "senha-de-ana")
	equal(t, "another passkey with her password alone", said(err), out+" proof")
	equal(t, "codes with her password alone", said(codes(ana, "senha-de-ana")), out+" proof")
	right := s.now
	s.now = func() time.Time { return right().Add(time.Hour) }
	equal(t, "a first code that is wrong", said(codes(ana, recovery[0])), out+" code")
	equal(t, "what she has", has(ana), "false 1 10")
	s.now = right

	bia := s.add("bia", crm.Common)
	recovery = must(passkey(bia, "bia's", "senha-de-bia"))
	equal(t, "codes with a recovery code", said(codes(bia, recovery[0])), "")
	_, err = passkey(bia, "bia's other", recovery[0])
	equal(t, "the same recovery code again", said(err), out+" proof")
	_, err = passkey(bia, "bia's other", recovery[1])
	equal(t, "another one", said(err), "")
	equal(t, "what she has", has(bia), "true 2 8")

	rui := app.ByMember(must(s.members.Add(ctx, app.Operator(), team.NewMember{
		OrgID: s.orgID, Name: "rui", Email: s.email("rui"), Role: crm.Common,
	})))
	equal(t, "whether he is asked for a password", must(s.factors.View(ctx, rui)).Password, false)
	_, err = passkey(rui, "rui's", "")
	equal(t, "a passkey of who has no password", said(err), "")
}

// withPasskey gives a member without a second factor a passkey, and returns the recovery codes.
func (s *setting) withPasskey(who app.Caller, credential string) (recovery []string) {
	s.t.Helper()
	begun := must(s.factors.BeginPasskey(s.t.Context(), who, "iPhone", team.Proof{Code: s.passwordOf(who)}))
	return must(s.factors.AddPasskey(s.t.Context(), who, begun.Ticket.Reveal(), "iPhone", []byte(credential)))
}

// answers is the proof by a passkey that a member's browser gives.
func (s *setting) answers(who app.Caller, credential string) team.Proof {
	s.t.Helper()
	begun := must(s.factors.BeginProof(s.t.Context(), who))
	return team.Proof{Ticket: begun.Ticket.Reveal(), Answer: []byte(credential)}
}

// TestAPasskeyProvesWhoChangesFactors, so that whoever has no codes of an app spends no recovery code: once, within
// five minutes, for the member who began it, and only for that.
func TestAPasskeyProvesWhoChangesFactors(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, ana, rui := t.Context(), s.add("ana", crm.Common), s.add("rui", crm.Common)
		_, err := s.factors.BeginProof(ctx, ana)
		equal(t, "of who has none", said(err), "requisicao_invalida passkey")
		s.withPasskey(ana, "ana's")
		s.withPasskey(rui, "rui's")
		last := must(s.store.Repos().Audit.Last(ctx, s.orgID))

		begun := must(s.factors.BeginPasskey(ctx, ana, "iPad", s.answers(ana, "ana's")))
		must(s.factors.AddPasskey(ctx, ana, begun.Ticket.Reveal(), "iPad", []byte("other")))
		key := must(s.factors.View(ctx, ana)).Passkeys[1]
		done(s.factors.RemovePasskey(ctx, ana, key.ID, s.answers(ana, "other")))
		done(s.factors.BeginCodes(ctx, ana))
		code := must(totp.GenerateCode(must(s.factors.View(ctx, ana)).Secret, s.now()))
		must(s.factors.ConfirmCodes(ctx, ana, code, s.answers(ana, "ana's")))
		equal(t, "recovery codes", must(s.factors.View(ctx, ana)).Recovery, access.RecoveryCodes)
		must(s.factors.Renew(ctx, ana, s.answers(ana, "ana's")))
		equal(t, "when it was used", must(s.factors.View(ctx, ana)).Passkeys[0].UsedAt.IsZero(), false)
		equal(t, "the audit", actions(s.lines(last)), "chave_de_acesso.criada chave_de_acesso.removida "+
			"segundo_fator.ligado codigos.refeitos")

		last = must(s.store.Repos().Audit.Last(ctx, s.orgID))
		proof := s.answers(ana, "ana's")
		must(s.factors.Renew(ctx, ana, proof))
		late, his := s.answers(ana, "ana's"), s.answers(rui, "ana's")
		in := must(s.factors.BeginPasskeyUse(ctx, "", "")).Ticket.Reveal()
		for _, c := range []struct {
			what  string
			proof team.Proof
		}{
			{"the same answer again", proof}, {"somebody else's passkey", s.answers(ana, "rui's")},
			{"somebody else's challenge", his}, {"the challenge of a sign-in", team.Proof{Ticket: in, Answer: []byte("ana's")}},
			{"no challenge", team.Proof{Answer: []byte("ana's")}},
		} {
			_, err := s.factors.Renew(ctx, ana, c.proof)
			equal(t, c.what, said(err), out+" passkey")
		}
		_, err = s.factors.Renew(ctx, ana, s.answers(ana, "ana's"))
		equal(t, "a right one too early", line(said(err), app.FaultOf(err).RetryAfter), out+" 30s")
		time.Sleep(access.ChallengeFor)
		_, err = s.factors.BeginPasskey(ctx, ana, "iPad", late)
		equal(t, "one of five minutes ago", said(err), out+" proof")
		equal(t, "the audit of them", actions(s.lines(last)), "codigos.refeitos"+strings.Repeat(" segundo_fator.recusado", 6))
		_, err = s.factors.UsePasskey(ctx, "", "", s.answers(ana, "ana's").Ticket, []byte(ana.MemberID()+" ana's"))
		equal(t, "a sign-in with the challenge of a proof", said(err), out+" passkey")

		time.Sleep(time.Hour)
		proof = s.answers(ana, "ana's")
		done(s.factors.RemovePasskey(ctx, ana, must(s.factors.View(ctx, ana)).Passkeys[0].ID, s.answers(ana, "ana's")))
		equal(t, "one that is gone", said(s.factors.Off(ctx, ana, proof)), out+" passkey")
	})
}

// TestADeviceMakesNoKeyThatIsRefused: the proof comes before it, and what was begun with one ends with a change of what
// would have to be shown.
func TestADeviceMakesNoKeyThatIsRefused(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ctx, owner, ana := t.Context(), s.add("dona", crm.Owner), s.add("ana", crm.Common)
	begin := func(proof team.Proof) string {
		t.Helper()
		return must(s.factors.BeginPasskey(ctx, ana, "iPhone", proof)).Ticket.Reveal()
	}
	_, err := s.factors.BeginPasskey(ctx, ana, "iPhone", team.Proof{Code: "errada"})
	equal(t, "with another password", said(err), out+" proof")
	for _, c := range []struct {
		what string
		do   func()
	}{
		{"another password", func() {
			done(s.members.SetPassword(ctx, owner, ana.MemberID(), "vento sul forte"))
			done(s.members.SetPassword(ctx, owner, ana.MemberID(), "senha-de-ana"))
		}},
		{"the end of her access", func() {
			done(s.members.Update(ctx, owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
			done(s.members.Update(ctx, owner, ana.MemberID(), team.MemberChange{Active: at(true)}))
		}},
		{"a second factor", func() { s.withPasskey(ana, "ana's") }},
	} {
		begun := begin(team.Proof{Code: "senha-de-ana"})
		c.do()
		_, err = s.factors.AddPasskey(ctx, ana, begun, "iPhone", []byte("later"))
		equal(t, "begun before "+c.what, said(err), out+" passkey")
	}
	begun := begin(s.answers(ana, "ana's"))
	must(s.factors.Renew(ctx, ana, s.answers(ana, "ana's")))
	_, err = s.factors.AddPasskey(ctx, ana, begun, "iPhone", []byte("later"))
	equal(t, "begun before the codes were renewed", said(err), out+" passkey")
	begun = begin(s.answers(ana, "ana's"))
	done(s.factors.Off(ctx, ana, s.answers(ana, "ana's")))
	_, err = s.factors.AddPasskey(ctx, ana, begun, "iPhone", []byte("later"))
	equal(t, "begun with a factor that is off", said(err), out+" passkey")
	s.withPasskey(ana, "ana's")
	begun = begin(s.answers(ana, "ana's"))
	done(s.factors.Reset(ctx, app.Operator(), ana.MemberID()))
	_, err = s.factors.AddPasskey(ctx, ana, begun, "iPhone", []byte("later"))
	equal(t, "begun with a factor that was removed", said(err), out+" passkey")
}

// TestPasskeysLetIn: as the second factor and alone, each answer once, and not those of a former member.
func TestPasskeysLetIn(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ctx, owner, ana, rui := t.Context(), s.add("dona", crm.Owner), s.add("ana", crm.Common), s.add("rui", crm.Common)
	_, err := s.factors.BeginPasskey(ctx, ana, " ", team.Proof{Code: "senha-de-ana"})
	equal(t, "without a name", said(err), "requisicao_invalida name")
	challenge := must(s.factors.BeginPasskey(ctx, ana, "iPhone", team.Proof{Code: "senha-de-ana"})).Ticket.Reveal()
	_, err = s.factors.AddPasskey(ctx, rui, challenge, "iPhone", []byte("ana's"))
	equal(t, "somebody else's challenge", said(err), out+" passkey")
	recovery := must(s.factors.AddPasskey(ctx, ana, challenge, "iPhone", []byte("ana's")))
	_, err = s.factors.AddPasskey(ctx, ana, challenge, "iPhone", []byte("more"))
	equal(t, "a challenge again", said(err), out+" passkey")
	equal(t, "recovery codes", len(recovery), access.RecoveryCodes)

	waiting := s.waits("ana")
	_, can, err := s.factors.Waiting(ctx, waiting)
	equal(t, "what she may show", line(can, said(err)), "true ")
	use := func(text, answer string) (string, error) {
		c, err := s.factors.BeginPasskeyUse(ctx, "", text)
		done(err)
		token, err := s.factors.UsePasskey(ctx, "", text, c.Ticket.Reveal(), []byte(answer))
		return token.Reveal(), err
	}
	_, err = use(waiting, "rui's")
	equal(t, "another passkey", said(err), out+" passkey")
	token, err := use(waiting, "ana's")
	equal(t, "with hers", line(s.inside(token), said(err)), "ana ")
	alone, err := use("", ana.MemberID()+" ana's")
	equal(t, "by it alone", line(s.inside(alone), said(err)), "ana ")
	for _, answer := range []string{rui.MemberID() + " ana's", "x ana's", lookups.NewKeyID() + " ana's", ""} {
		_, err = use("", answer)
		equal(t, "an answer that is nobody's", said(err), out+" passkey")
	}
	err = s.factors.RemovePasskey(ctx, ana, lookups.NewKeyID(), team.Proof{})
	equal(t, "removed without a code", said(err), out+" code")
	key := must(s.factors.View(ctx, ana)).Passkeys[0]
	equal(t, "when it was used", key.UsedAt.IsZero(), false)
	done(s.members.Update(ctx, owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
	_, err = use("", ana.MemberID()+" ana's")
	equal(t, "of who is gone", said(err), out+" passkey")
	done(s.members.Update(ctx, owner, ana.MemberID(), team.MemberChange{Active: at(true)}))
	done(s.factors.RemovePasskey(ctx, ana, key.ID, team.Proof{Code: recovery[0]}))
	equal(t, "the last one gone", must(s.factors.View(ctx, ana)).On(), false)
	equal(t, "recovery codes too", must(s.factors.View(ctx, ana)).Recovery, 0)
	equal(t, "and the password suffices", s.inside(s.signIn("ana", "senha-de-ana")), "ana")
	_, err = team.NewFactors(s.store, s.now, s.sessions, team.Codes{}, ports.Passkeys(nil)).BeginPasskeyUse(ctx, "", "")
	equal(t, "where there are none", said(err), "requisicao_invalida passkey")
}

// TestWhoBeginsSignInsAndEndsNoneWaits: anybody can make us store a ticket; completed sign-ins do not count.
func TestWhoBeginsSignInsAndEndsNoneWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		const here = "203.0.113.7"
		ctx, ana := t.Context(), s.add("ana", crm.Common)
		s.add("rui", crm.Common)
		s.withPasskey(ana, "ana's")
		p, o := s.oidc("")
		enter := func() {
			c := must(s.factors.BeginPasskeyUse(ctx, here, ""))
			answer := []byte(ana.MemberID() + " ana's")
			must(s.factors.UsePasskey(ctx, here, "", c.Ticket.Reveal(), answer))
		}
		byProvider := func() error {
			p.claims = s.claims("7", "bia")
			p.claims.Issuer = p.Issuer()
			_, secret, err := o.Begin(ctx, here, "/")
			if err == nil {
				_, _, err = o.End(ctx, here, team.Back{Secret: secret.Reveal(), State: p.secrets.State, Code: "code"})
			}
			return err
		}
		for range 120 {
			enter()
			done(byProvider())
		}
		for range 50 {
			must(s.factors.BeginPasskeyUse(ctx, here, ""))
			_, _, err := o.Begin(ctx, here, "/")
			done(err)
		}
		_, err := s.factors.BeginPasskeyUse(ctx, here, "")
		equal(t, "one more", line(said(err), app.FaultOf(err).RetryAfter), out+" 30s")
		equal(t, "by the provider", said(byProvider()), out)
		_, err = s.factors.BeginPasskeyUse(ctx, "203.0.113.8", "")
		equal(t, "from elsewhere", said(err), "")
		token := must(s.sessions.SignIn(ctx, here, s.email("rui"), "senha-de-rui"))
		equal(t, "by a password from there", s.inside(token.Reveal()), "rui")
		time.Sleep(30 * time.Second)
		enter()
	})
}
