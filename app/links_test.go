package app_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/ports"
)

// mailed returns the link in the last e-mail, and its recipient.
func (s *setting) mailed() (to, link string) {
	s.t.Helper()
	all := s.mailer.list()
	last := all[len(all)-1]
	_, link, found := strings.Cut(last.Text, "https://f.example/entrar/link/")
	if !found {
		s.t.Fatal("the e-mail has no link")
	}
	return last.To, strings.Fields(link)[0]
}

// TestAnInvitation lets a new member choose a first password, once.
func TestAnInvitation(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, owner := t.Context(), s.add("dona", crm.Owner)
		nova := must(s.members.Add(ctx, owner, team.NewMember{
			OrgID: s.orgID, Name: "Nova", Email: "nova@x.example", Role: crm.Common,
		}))
		for _, password := range []string{"", "x"} {
			_, err := s.sessions.SignIn(ctx, "", nova.Email, password)
			equal(t, "before she has a password", said(err), out)
		}
		done(s.links.Invite(ctx, owner, nova.ID))
		_, first := s.mailed()
		done(s.links.Invite(ctx, owner, nova.ID))
		to, link := s.mailed()
		equal(t, "whom it went to", to, nova.Email)
		view := must(s.links.Open(ctx, "", link))
		equal(t, "what it is for", view, team.LinkView{Email: nova.Email, Invited: true})
		refused := map[string]bool{}
		for _, wrong := range []string{first, link + "x", "", "x", access.NewSessionToken().Reveal()} {
			refused[app.FaultOf(s.links.Use(ctx, "", wrong, "vento sul forte")).Message] = true
		}
		equal(t, "a weak password", said(s.links.Use(ctx, "", link, "12345678")), "requisicao_invalida password")
		done(s.links.Use(ctx, "", link, "vento sul forte"))
		refused[app.FaultOf(s.links.Use(ctx, "", link, "outra senha longa")).Message] = true
		equal(t, "her way in", s.inside(must(s.sessions.SignIn(ctx, "", nova.Email, "vento sul forte")).Reveal()), "Nova")

		done(s.links.Invite(ctx, owner, nova.ID))
		_, late := s.mailed()
		time.Sleep(access.LinkFor)
		_, err := s.links.Open(ctx, "", late)
		refused[app.FaultOf(err).Message] = true
		equal(t, "what is said of links that do not count", len(refused), 1)
		if n := len(must(s.store.Repos().Members.List(ctx, s.orgID))); n != 2 {
			t.Errorf("%d members", n)
		}
		done(s.sessions.Forget(ctx))
	})
}

// TestAForgottenPassword: the answer does not reveal whether anybody has the address; the link ends all sessions.
func TestAForgottenPassword(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx := t.Context()
		s.add("ana", crm.Common)
		s.enrolled(s.add("bia", crm.Common))
		before := s.signIn("ana", "senha-de-ana")
		for _, email := range []string{"ninguem@x.example", "x", "", s.email("ana")} {
			began := time.Now()
			equal(t, "what is said", said(s.links.Forgot(ctx, "203.0.113.7", email)), "")
			equal(t, "how long it takes", time.Since(began), 0)
		}
		s.links.Wait(ctx) // as a stopping service does
		equal(t, "e-mails", len(s.mailer.list()), 1)
		to, link := s.mailed()
		equal(t, "whom it went to", to, s.email("ana"))
		equal(t, "her session meanwhile", s.inside(before), "ana")
		done(s.links.Use(ctx, "", link, "vento sul forte"))
		equal(t, "her session afterwards", s.inside(before), out)
		equal(t, "with the new one", s.inside(s.signIn("ana", "vento sul forte")), "ana")

		done(s.links.Forgot(ctx, "", s.email("bia")))
		synctest.Wait()
		waiting := s.waits("bia")
		_, link = s.mailed()
		done(s.links.Use(ctx, "", link, "vento sul forte"))
		_, _, err := s.factors.Waiting(ctx, waiting)
		equal(t, "a sign-in that waited", said(err), out+" ticket")
		_, err = s.sessions.SignIn(ctx, "", s.email("bia"), "vento sul forte")
		equal(t, "the second factor stays", err.Error(), "a second factor is needed")

		for _, email := range []string{s.email("ana"), "ninguem@x.example"} {
			var waits []string
			for range 5 {
				err := s.links.Forgot(ctx, "", email)
				wait := time.Duration(0)
				if f := app.FaultOf(err); f != nil {
					wait = f.RetryAfter
				}
				waits = append(waits, wait.String())
			}
			equal(t, "links asked for again and again", strings.Join(waits, " "), "0s 0s 30s 30s 30s")
		}
		synctest.Wait()
	})
}

// TestANewPasswordEndsLinks, and so does the end of an access: an old e-mail cannot be used to choose another one.
func TestANewPasswordEndsLinks(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, owner, ana := t.Context(), s.add("dona", crm.Owner), s.add("ana", crm.Common)
		for _, c := range []struct {
			what string
			do   func()
		}{
			{"she chose another", func() {
				done(s.sessions.ChangeOwnPassword(ctx, ana, "senha-de-ana", "vento sul forte", s.members))
			}},
			{"an owner gave her another", func() {
				done(s.members.SetPassword(ctx, owner, ana.MemberID(), "vento norte forte"))
			}},
			{"her access ended, and came back", func() {
				done(s.members.Update(ctx, owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
				done(s.members.Update(ctx, owner, ana.MemberID(), team.MemberChange{Active: at(true)}))
			}},
		} {
			done(s.links.Forgot(ctx, "", s.email("ana")))
			synctest.Wait()
			_, forgotten := s.mailed()
			done(s.links.Invite(ctx, owner, ana.MemberID()))
			_, invited := s.mailed()
			c.do()
			for _, link := range []string{forgotten, invited} {
				equal(t, "a link after "+c.what, said(s.links.Use(ctx, "", link, "senha de um estranho")), out)
			}
		}
	})
}

// TestALinkOfWhoseAccessEnds while the new password is hashed does not count.
func TestALinkOfWhoseAccessEnds(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ctx, ana := t.Context(), s.add("ana", crm.Common)
	address, _, err := s.links.Link(ctx, app.Operator(), ana.MemberID())
	done(err)
	slow := team.NewLinks(team.LinksConfig{
		Store: s.store, Clock: s.now, Sessions: s.sessions, Hash: func(p string) (string, error) {
			m := must(s.store.Repos().Members.Find(ctx, ports.AnyOrg, ana.MemberID()))
			m.Active = false
			done(s.store.Repos().Members.Update(ctx, m))
			return hashed(p)
		},
	})
	_, link, _ := strings.Cut(address, "/entrar/link/")
	equal(t, "the link", said(slow.Use(ctx, "", link, "vento sul forte")), out)
	found := must(s.store.Repos().Members.Find(ctx, ports.AnyOrg, ana.MemberID()))
	equal(t, "her password", found.PasswordHash, "h:senha-de-ana")
}

// TestWhoTriesLinksWaits, whatever the links.
func TestWhoTriesLinksWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		for range 20 {
			_, err := s.links.Open(t.Context(), "203.0.113.7", access.NewSessionToken().Reveal())
			equal(t, "a wrong link", app.FaultOf(err).RetryAfter, 0)
		}
		_, err := s.links.Open(t.Context(), "203.0.113.7", access.NewSessionToken().Reveal())
		equal(t, "one more", app.FaultOf(err).RetryAfter > 0, true)
	})
}

// TestOwnSessions: members see their own with device and network, and end them.
func TestOwnSessions(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ana, bia := s.add("ana", crm.Common), s.add("bia", crm.Common)
		enter := func(name, device, address string) string {
			ctx := app.Through(t.Context(), app.Via{Door: "interface", Device: device, Address: address})
			return must(s.sessions.SignIn(ctx, "", s.email(name), "senha-de-"+name)).Reveal()
		}
		phone, laptop := enter("ana", "Safari em iPhone", "203.0.113.7"), enter("ana", "Firefox em Linux", "203.0.113.8")
		other := enter("bia", "Chrome em Windows", "203.0.113.9")
		time.Sleep(2 * time.Minute)
		moved := app.Through(t.Context(), app.Via{Address: "203.0.113.99"})
		_, _, err := s.sessions.Resume(moved, phone)
		done(err)
		all := must(s.sessions.List(t.Context(), ana, laptop))
		var got []string
		for _, one := range all {
			got = append(got, line(one.Device, one.Address, one.Present))
		}
		equal(t, "her sessions", strings.Join(got, "; "),
			"Safari em iPhone 203.0.113.99 false; Firefox em Linux 203.0.113.8 true")
		theirs := must(s.sessions.List(t.Context(), bia, other))[0].ID
		equal(t, "another's", said(s.sessions.End(t.Context(), ana, theirs)), missing+" session")
		done(s.sessions.End(t.Context(), ana, all[0].ID))
		equal(t, "the one that was ended", s.inside(phone), out)
		equal(t, "the others", line(s.inside(laptop), s.inside(other)), "ana bia")
		phone = enter("ana", "", "")
		done(s.sessions.EndOthers(t.Context(), ana, phone))
		equal(t, "all but one", line(s.inside(phone), s.inside(laptop), s.inside(other)), "ana "+out+" bia")
	})
}
