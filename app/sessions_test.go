package app_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/crm"
)

// signIn signs a member in and returns the token.
func (s *setting) signIn(name, password string) string {
	s.t.Helper()
	return must(s.sessions.SignIn(s.t.Context(), "", s.email(name), password)).Reveal()
}

// inside returns the name of the member whom a token signs in, or the fault.
func (s *setting) inside(token string) string {
	s.t.Helper()
	by, m, err := s.sessions.Resume(s.t.Context(), token)
	if err != nil {
		return said(err)
	}
	equal(s.t, "the caller", by, app.ByMember(m))
	return m.Name
}

const out = "nao_autenticado"

// TestSessionsEndWithTheirReason: with a new password and with the end of an access.
func TestSessionsEndWithTheirReason(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
	before := s.signIn("ana", "senha-de-ana")
	equal(t, "at first", s.inside(before), "ana")
	done(s.members.SetPassword(t.Context(), owner, ana.MemberID(), "nova-senha"))
	equal(t, "after a new password", s.inside(before), out)
	before = s.signIn("ana", "nova-senha")
	done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Name: at("Ana"), Role: at(crm.Admin)}))
	equal(t, "after another name and role", s.inside(before), "Ana")
	done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
	equal(t, "after the end of the access", s.inside(before), out)
	_, err := s.sessions.SignIn(t.Context(), "", s.email("ana"), "nova-senha")
	equal(t, "a new one", said(err), out)
	done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Active: at(true)}))
	equal(t, "it does not come back with the access", s.inside(before), out)

	one, other := s.signIn("ana", "nova-senha"), s.signIn("ana", "nova-senha")
	done(s.sessions.SignOut(t.Context(), one))
	equal(t, "signed out", s.inside(one), out)
	equal(t, "the other one", s.inside(other), "Ana")
	done(s.sessions.SignOutEverywhere(t.Context(), ana))
	equal(t, "signed out everywhere", s.inside(other), out)
	equal(t, "signing out without a session", said(s.sessions.SignOut(t.Context(), "x")), "")
	equal(t, "a token that cannot be one", s.inside("x"), out)
}

// TestSessionsEndInTime: twelve hours after the last activity, and after a week in any case.
func TestSessionsEndInTime(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.add("ana", crm.Common)
		idle := s.signIn("ana", "senha-de-ana")
		for range 2 {
			time.Sleep(access.SessionIdle - time.Second)
			equal(t, "just before its time", s.inside(idle), "ana")
		}
		time.Sleep(access.SessionIdle)
		equal(t, "in its time", s.inside(idle), out)

		busy, began := s.signIn("ana", "senha-de-ana"), s.now()
		for s.inside(busy) == "ana" {
			time.Sleep(time.Hour)
		}
		equal(t, "one that is used lasts", s.now().Sub(began), access.SessionMax)
	})
}

// TestAnOpenPageIsNoVisit: a page's own requests are answered, but the session ends as if the page were closed.
func TestAnOpenPageIsNoVisit(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.add("ana", crm.Common)
		left, began := s.signIn("ana", "senha-de-ana"), s.now()
		byItself := app.Through(t.Context(), app.Via{Door: "interface", Unattended: true})
		for {
			if _, _, err := s.sessions.Resume(byItself, left); err != nil {
				equal(t, "what is said", said(err), out)
				break
			}
			time.Sleep(time.Hour)
		}
		equal(t, "how long it lasts", s.now().Sub(began), access.SessionIdle)
		equal(t, "whoever comes back", s.inside(left), out)
	})
}

// TestSigningInTellsNobodyApart: no account, no access and a wrong password give the same fault.
func TestSigningInTellsNobodyApart(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ze := s.add("dona", crm.Owner), s.add("ze", crm.Common)
	done(s.members.Update(t.Context(), owner, ze.MemberID(), team.MemberChange{Active: at(false)}))
	var compared []string
	door := team.NewSessions(s.store, s.now, passwords(func(hash, password string) bool {
		compared = append(compared, hash)
		return fits(hash, password)
	}))
	messages := map[string]bool{}
	for _, c := range []struct{ email, password, hash string }{
		{s.email("dona"), "errada", "h:senha-de-dona"}, {s.email("ze"), "senha-de-ze", "h:senha-de-ze"},
		{"ninguem@x.example", "x", "nobody's"}, {"sem arroba", "x", ""}, {"", "x", ""}, {"a\x00b@x.example", "x", ""},
		{"a\xff@x.example", "x", ""},
	} {
		compared = nil
		_, err := door.SignIn(t.Context(), "", c.email, c.password)
		equal(t, c.email, said(err), out)
		messages[app.FaultOf(err).Message] = true
		equal(t, "what was compared for "+c.email, strings.Join(compared, " "), c.hash)
	}
	equal(t, "different messages", len(messages), 1)
}

// TestGuessersWait: after five wrong passwords, longer each time, even with the right one; success resets the count.
func TestGuessersWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.add("ana", crm.Common)
		try := func(password string) (string, time.Duration) {
			_, err := s.sessions.SignIn(t.Context(), "", s.email("ana"), password)
			if err == nil {
				return "", 0
			}
			return said(err), app.FaultOf(err).RetryAfter
		}
		for range 5 {
			what, wait := try("errada")
			equal(t, what, wait, 0)
		}
		for wait := 30 * time.Second; wait < 8*time.Minute; wait *= 2 {
			time.Sleep(wait - time.Second)
			_, left := try("senha-de-ana")
			equal(t, "one second before its time", left, time.Second)
			time.Sleep(time.Second)
			what, left := try("errada")
			equal(t, what, left, 0)
		}
		time.Sleep(8 * time.Minute)
		what, _ := try("senha-de-ana")
		equal(t, "the right one in its time", what, "")
		what, left := try("errada")
		equal(t, "and counting begins again: "+what, left, 0)
	})
}

// TestHowLongGuessersWaitIsSaid with singular and plural.
func TestHowLongGuessersWaitIsSaid(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.add("ana", crm.Common)
		try := func() string {
			_, err := s.sessions.SignIn(t.Context(), "", s.email("ana"), "errada")
			return app.FaultOf(err).Message
		}
		says := func(failed int, wait string) {
			t.Helper()
			equal(t, "what is said", try(), fmt.Sprintf("Foram %d tentativas. Espere %s antes da próxima.", failed, wait))
		}
		for range 5 {
			try()
		}
		says(5, "30 segundos")
		time.Sleep(29 * time.Second)
		says(5, "1 segundo")
		time.Sleep(time.Second)
		try()
		says(6, "1 minuto")
		time.Sleep(time.Minute)
		try()
		says(7, "2 minutos")
	})
}

// TestAStaleHashIsReplaced by a sign-in with the right password, which ends no session; a wrong one leaves it.
func TestAStaleHashIsReplaced(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		s.add("dona", crm.Owner)
		first := must(s.sessions.SignIn(t.Context(), "", s.email("dona"), "senha-de-dona"))
		stored := func() string { return must(s.store.Repos().Members.ByEmail(t.Context(), s.email("dona"))).PasswordHash }
		m := must(s.store.Repos().Members.ByEmail(t.Context(), s.email("dona")))
		m.PasswordHash = "old:senha-de-dona"
		done(s.store.Repos().Members.Update(t.Context(), m))
		_, err := s.sessions.SignIn(t.Context(), "", s.email("dona"), "errada-de-dona")
		equal(t, "a wrong password", said(err), out)
		equal(t, "what is stored after it", stored(), "old:senha-de-dona")
		must(s.sessions.SignIn(t.Context(), "", s.email("dona"), "senha-de-dona"))
		equal(t, "what is stored after the right one", stored(), "h:senha-de-dona")
		_, _, err = s.store.Repos().Sessions.Find(t.Context(), first)
		equal(t, "the session from before", err, nil)
	})
}

// TestGuessesAreCounted, concurrent ones too.
func TestGuessesAreCounted(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		s.add("dona", crm.Owner)
		var compared atomic.Int32
		door := team.NewSessions(s.store, s.now, passwords(func(hash, password string) bool {
			compared.Add(1)
			return fits(hash, password)
		}))
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() { _, _ = door.SignIn(t.Context(), "", s.email("dona"), fmt.Sprint("palpite ", i)) })
		}
		wg.Wait()
		if n := compared.Load(); n < 1 || n > 5 {
			t.Errorf("%d passwords were compared", n)
		}
		_, err := door.SignIn(t.Context(), "", s.email("dona"), "senha-de-dona")
		if said(err) != out || app.FaultOf(err).RetryAfter == 0 {
			t.Errorf("the right one right after: %v", err)
		}
	})
}

// TestPasswordsLeaveProcessorsFree: at most one comparison at a time for each two processors, whoever asks; one that
// waits too long is told to come back.
func TestPasswordsLeaveProcessorsFree(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		var now, most, compared, late atomic.Int32
		door := team.NewSessions(s.store, s.now, passwords(func(string, string) bool {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			compared.Add(1)
			time.Sleep(time.Second)
			return false
		}))
		limit := int32(min(4, max(1, runtime.GOMAXPROCS(0)/2)))
		var wg sync.WaitGroup
		for i := range 10 * limit {
			wg.Go(func() {
				_, err := door.SignIn(t.Context(), "", fmt.Sprintf("p%d@x.example", i), "x")
				if app.FaultOf(err).RetryAfter > 0 {
					late.Add(1)
				}
			})
		}
		wg.Wait()
		equal(t, "at once", most.Load(), limit)
		equal(t, "each was compared or told to come back", compared.Load()+late.Load(), 10*limit)
		if n := compared.Load() / limit; n != 5 && n != 6 {
			t.Errorf("within five seconds %d passwords are compared that take one", compared.Load())
		}
	})
}

// TestAPasswordThatIsNotComparedIsNoGuess, neither of the account nor of the network that it came from.
func TestAPasswordThatIsNotComparedIsNoGuess(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, ana, here := t.Context(), s.add("ana", crm.Common), "203.0.113.7"
		full := make(chan struct{})
		door := team.NewSessions(s.store, s.now, passwords(func(hash, password string) bool {
			if password == "demora" {
				<-full
			}
			return fits(hash, password)
		}))
		var wg sync.WaitGroup
		for i := range min(4, max(1, runtime.GOMAXPROCS(0)/2)) {
			wg.Go(func() { _, _ = door.SignIn(ctx, "", fmt.Sprintf("p%d@x.example", i), "demora") })
		}
		synctest.Wait()
		for range 25 {
			_, err := door.SignIn(ctx, here, s.email("ana"), "senha-de-ana")
			equal(t, "nobody's turn", line(said(err), app.FaultOf(err).RetryAfter), "servico_indisponivel turn 5s")
			err = door.ChangeOwnPassword(ctx, ana, "senha-de-ana", "nova-senha", s.members)
			equal(t, "one's own", line(said(err), app.FaultOf(err).RetryAfter), "servico_indisponivel turn 5s")
		}
		for range 25 {
			gone, leave := context.WithTimeout(ctx, time.Second)
			_, err := door.SignIn(gone, here, s.email("ana"), "senha-de-ana")
			equal(t, "who did not wait for it", said(err), "servico_indisponivel turn")
			leave()
		}
		close(full)
		wg.Wait()
		for range 4 {
			_, err := door.SignIn(ctx, here, s.email("ana"), "errada")
			equal(t, "a wrong one afterwards", line(said(err), app.FaultOf(err).RetryAfter), out+" 0s")
		}
		must(door.SignIn(ctx, here, s.email("ana"), "senha-de-ana"))
	})
}

// TestOwnPassword: members who change their own must know the present one, and there is no way around that.
func TestOwnPassword(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ana := s.add("ana", crm.Common)
	token := s.signIn("ana", "senha-de-ana")
	for _, c := range []struct{ present, password, want string }{
		{"errada", "nova-senha", "nao_autenticado password"}, {"senha-de-ana", "curta", "requisicao_invalida password"},
	} {
		err := s.sessions.ChangeOwnPassword(t.Context(), ana, c.present, c.password, s.members)
		equal(t, c.present+" "+c.password, said(err), c.want)
		equal(t, "the session goes on", s.inside(token), "ana")
	}
	for _, by := range []app.Caller{ana, s.add("dona", crm.Owner)} {
		equal(t, "as of any member", said(s.members.SetPassword(t.Context(), by, by.MemberID(), "nova-senha")), forbidden)
	}
	done(s.sessions.ChangeOwnPassword(t.Context(), ana, "senha-de-ana", "nova-senha", s.members))
	equal(t, "it ends all sessions", s.inside(token), out)
	equal(t, "the new one", s.inside(s.signIn("ana", "nova-senha")), "ana")
}

// TestWhoHasNoPasswordChangesNone: the fault says so, however often, and it does not count as a guess.
func TestWhoHasNoPasswordChangesNone(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	nova := must(s.members.Add(t.Context(), owner, team.NewMember{
		OrgID: s.orgID, Name: "Nova", Email: s.email("nova"), Role: crm.Common,
	}))
	for range 10 {
		err := s.sessions.ChangeOwnPassword(t.Context(), app.ByMember(nova), "x", "nova-senha", s.members)
		equal(t, "what is said", said(err), "requisicao_invalida password")
	}
	done(s.members.SetPassword(t.Context(), owner, nova.ID, "senha-de-nova"))
	equal(t, "with one", s.inside(s.signIn("nova", "senha-de-nova")), "Nova")
}

// TestAPasswordThatWasResetMeanwhileStays: knowing the previous one is not enough to replace it.
func TestAPasswordThatWasResetMeanwhileStays(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
	var meanwhile func()
	door := team.NewSessions(s.store, s.now, passwords(func(hash, password string) bool {
		meanwhile()
		return fits(hash, password)
	}))
	meanwhile = func() { done(s.members.SetPassword(t.Context(), owner, ana.MemberID(), "outra-de-ana")) }
	err := door.ChangeOwnPassword(t.Context(), ana, "senha-de-ana", "nova-senha", s.members)
	equal(t, "what is said", said(err), out+" password")
	equal(t, "the one that she was given", s.inside(s.signIn("ana", "outra-de-ana")), "ana")

	meanwhile = func() {
		done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
	}
	err = door.ChangeOwnPassword(t.Context(), ana, "outra-de-ana", "nova-senha", s.members)
	equal(t, "of whose access ended meanwhile", said(err), out+" password")
	done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Active: at(true)}))
	equal(t, "once it is back", s.inside(s.signIn("ana", "outra-de-ana")), "ana")
}

// TestGuessersOfManyAccountsWait: failures are counted by network, for any accounts; a successful sign-in takes back
// only its own attempt, and after an hour without failures they are forgotten.
func TestGuessersOfManyAccountsWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.add("ana", crm.Common)
		const here, elsewhere = "203.0.113.7", "2001:db8::/64"
		try := func(from, email, password string) string {
			_, err := s.sessions.SignIn(t.Context(), from, email, password)
			if err == nil {
				return "in"
			}
			return line(said(err), app.FaultOf(err).RetryAfter)
		}
		guess := func(i int) string { return try(here, fmt.Sprintf("p%d@x.example", i), "palpite") }
		for i := range 19 {
			equal(t, "a failure", guess(i), out+" 0s")
		}
		for range 3 {
			equal(t, "somebody else who is right", try(here, s.email("ana"), "senha-de-ana"), "in")
		}
		equal(t, "the twentieth", guess(19), out+" 0s")
		equal(t, "one more", guess(20), out+" 30s")
		equal(t, "the right one too", try(here, s.email("ana"), "senha-de-ana"), out+" 30s")
		equal(t, "from elsewhere", try(elsewhere, s.email("ana"), "senha-de-ana"), "in")
		time.Sleep(30 * time.Second)
		equal(t, "in its time", guess(21), out+" 0s")
		equal(t, "and then twice as long", guess(22), out+" 1m0s")
		time.Sleep(access.NetworkMemory + time.Microsecond)
		for i := range 20 {
			equal(t, "after an hour", guess(30+i), out+" 0s")
		}
	})
}

// TestGuessesFromOneNetworkAreCounted, concurrent ones too, on two instances.
func TestGuessesFromOneNetworkAreCounted(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		var compared atomic.Int32
		doors := make([]*team.Sessions, 2)
		for i := range doors {
			doors[i] = team.NewSessions(s.store, s.now, passwords(func(string, string) bool { compared.Add(1); return false }))
		}
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() { _, _ = doors[i%2].SignIn(t.Context(), "203.0.113.7", fmt.Sprintf("p%d@x.example", i), "x") })
		}
		wg.Wait()
		if n := compared.Load(); n < 1 || n > 20 {
			t.Errorf("%d passwords were compared", n)
		}
	})
}
