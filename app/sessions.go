package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// Sessions lets members in to the interface and out again.
type Sessions struct {
	store     ports.Store
	clock     Clock
	passwords Passwords
	// comparing bounds how many passwords are compared at once, to half of the processors and comparingMax: each takes a
	// processor and 19 MiB for some hundredths of a second, and anybody may ask for it.
	comparing chan struct{}
}

// Passwords makes and compares what is stored of passwords.
type Passwords struct {
	// Hash makes the text that is stored for a password.
	Hash func(password string) (string, error)
	// Fits reports whether a password is the one of a hash.
	Fits func(hash, password string) bool
	// Stale reports whether a hash is of a form that Hash makes no more. It is replaced when its member signs in.
	Stale func(hash string) bool
	// Decoy is a hash of nobody's password, compared for addresses that nobody has, so that the time of an answer does
	// not tell them apart.
	Decoy string
}

// NewSessions returns the use case.
func NewSessions(store ports.Store, clock Clock, passwords Passwords) *Sessions {
	return &Sessions{
		store: store, clock: clock, passwords: passwords,
		comparing: make(chan struct{}, min(comparingMax, max(1, runtime.GOMAXPROCS(0)/2))),
	}
}

const comparingMax = 4

// compareWithin is how long a password waits to be compared.
const compareWithin = 5 * time.Second

// compare compares a password with a hash when its turn comes. Fault: ServiceUnavailable,
// at "turn", with RetryAfter when it does not.
func (s *Sessions) compare(ctx context.Context, hash, password string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, compareWithin)
	defer cancel()
	select {
	case s.comparing <- struct{}{}:
		defer func() { <-s.comparing }()
		return s.passwords.Fits(hash, password), nil
	case <-ctx.Done():
		return false, fault.New(fault.ServiceUnavailable,
			"Muita gente está entrando ao mesmo tempo. Tente de novo em instantes.").At("turn").After(compareWithin)
	}
}

// touchEvery is how often the use of a session is written down.
const touchEvery = time.Minute

// guess counts an attempt for an e-mail address and compares its password; one whose turn
// did not come is no guess, and is taken back. Faults: Unauthenticated with RetryAfter
// where waiting is needed, ServiceUnavailable, as of compare too.
func (s *Sessions) guess(ctx context.Context, email, hash, password string) (bool, error) {
	if err := s.attempt(ctx, email, access.SessionMax, access.SignInPause, "Foram %d tentativas."); err != nil {
		return false, err
	}
	fits, err := s.compare(ctx, hash, password)
	if err != nil {
		// Also where nobody waits for the answer any more.
		err = cmp.Or(s.store.Repos().Sessions.Forgive(context.WithoutCancel(ctx), email), err)
	}
	return fits, err
}

// attempt counts one attempt, or says how long there is to wait.
func (s *Sessions) attempt(
	ctx context.Context, who string, memory time.Duration, pause func(int) time.Duration, counted string,
) error {
	repos := s.store.Repos()
	now, err := repos.Clock.Now(ctx, s.clock())
	if err != nil {
		return err
	}
	before, wait, err := repos.Sessions.Attempt(ctx, who, now, memory, pause)
	if err != nil || wait <= 0 {
		return err
	}
	return fault.New(fault.Unauthenticated,
		fmt.Sprintf(counted+" Espere %s antes da próxima.", before, inWords(wait))).After(wait)
}

// SignIn starts a session for somebody who comes from a network: an IPv4 address or the
// beginning of an IPv6 address, empty where that is not known. After five failures in a
// row for one e-mail address whoever has it waits, longer each time, and after twenty from
// one network whoever is there; attempts that come together count one after the other.
// Faults: Unauthenticated with RetryAfter where waiting is needed; ServiceUnavailable, at "turn" with RetryAfter where
// so many come that the password was not compared, which counts for nobody.
func (s *Sessions) SignIn(ctx context.Context, from, email, password string) (access.SessionToken, error) {
	return fromNetwork(ctx, s, from, func() (access.SessionToken, error) { return s.signIn(ctx, email, password) })
}

// fromNetwork counts an attempt of a network, unless it succeeds or fails for another reason than a wrong guess.
func fromNetwork[T any](ctx context.Context, s *Sessions, from string, try func() (T, error)) (done T, err error) {
	if from == "" {
		return try()
	}
	const counted = "Foram %d tentativas sem sucesso desta rede."
	if err := s.attempt(ctx, from, access.NetworkMemory, access.NetworkPause, counted); err != nil {
		return done, err
	}
	done, err = try()
	if fault.CodeOf(err) != fault.Unauthenticated {
		err = cmp.Or(s.store.Repos().Sessions.Forgive(context.WithoutCancel(ctx), from), err)
	}
	return done, err
}

// begins counts that a network begins a sign-in in two steps, for which anybody has a ticket stored. Fault:
// Unauthenticated with RetryAfter where waiting is needed.
func (s *Sessions) begins(ctx context.Context, from string) error {
	if from == "" {
		return nil
	}
	const counted = "Foram %d entradas começadas nesta rede que não terminaram."
	return s.attempt(ctx, begunBy(from), access.NetworkMemory, access.BegunPause, counted)
}

// ends takes back what begins counted, of a sign-in that ended well.
func (s *Sessions) ends(ctx context.Context, from string, err error) error {
	var need *FactorNeeded
	if from == "" || err != nil && !errors.As(err, &need) {
		return err
	}
	return cmp.Or(s.store.Repos().Sessions.Forgive(ctx, begunBy(from)), err)
}

// begunBy is who a network is where what it begins is counted.
func begunBy(from string) string { return "begun|" + from }

// FactorNeeded is the error of a sign-in whose password was right, of somebody who has a second factor to show.
type FactorNeeded struct {
	// Ticket lets him show it, see Factors.Prove.
	Ticket access.SessionToken
}

// Error says it in words.
func (*FactorNeeded) Error() string { return "a second factor is needed" }

func (s *Sessions) signIn(ctx context.Context, email, password string) (access.SessionToken, error) {
	wrong := fault.New(fault.Unauthenticated, "Confira o e-mail e a senha, e tente de novo.")
	address, err := document.Normalize(document.Email, email)
	if err != nil {
		return access.SessionToken{}, wrong // nobody has it
	}
	email = address.Value()
	m, err := s.store.Repos().Members.ByEmail(ctx, email)
	if err != nil && !errors.Is(err, ports.ErrNotFound) {
		return access.SessionToken{}, err
	}
	// Somebody who was invited has no password yet.
	fits, err := s.guess(ctx, email, cmp.Or(m.PasswordHash, s.passwords.Decoy), password)
	if err != nil {
		return access.SessionToken{}, err
	}
	if !fits || !m.Active || m.PasswordHash == "" {
		if err := s.refused(ctx, m); err != nil {
			return access.SessionToken{}, err
		}
		return access.SessionToken{}, wrong
	}
	renewed := m.PasswordHash
	if s.passwords.Stale(renewed) {
		if renewed, err = s.passwords.Hash(password); err != nil {
			return access.SessionToken{}, err
		}
	}
	token := access.NewSessionToken()
	err = s.store.InTx(ctx, func(r ports.Repos) error {
		// The password may have been changed, and all sessions ended, while it was compared.
		if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
			return err
		}
		same, err := r.Members.Find(ctx, m.ID)
		if err != nil || same.PasswordHash != m.PasswordHash || !same.Active || same.SecondFactor != m.SecondFactor {
			return errors.Join(err, wrong)
		}
		if same.PasswordHash != renewed {
			same.PasswordHash = renewed
			if err := r.Members.Update(ctx, same); err != nil {
				return err
			}
		}
		if m.SecondFactor {
			return errors.Join(r.Sessions.Clear(ctx, email), r.Tickets.Put(ctx, token, access.Ticket{
				Kind: access.Factor, MemberID: m.ID, ExpiresAt: s.clock().Add(access.FactorFor),
			}))
		}
		return errors.Join(r.Sessions.Clear(ctx, email), s.begin(ctx, r, token, m, "senha", false))
	})
	if err == nil && m.SecondFactor {
		return access.SessionToken{}, &FactorNeeded{token}
	}
	return token, err
}

// begin starts a session in the transaction that let a member in; by says by what he proved who he is, and factored
// whether a provider asked him for a second factor.
func (s *Sessions) begin(
	ctx context.Context, r ports.Repos, token access.SessionToken, m crm.Member, by string, factored bool,
) error {
	now, via := s.clock(), viaOf(ctx, Caller{})
	return errors.Join(r.Sessions.Create(ctx, token, access.Session{
		ID: newID(), MemberID: m.ID, CreatedAt: now, SeenAt: now, Device: via.Device, Address: via.Address,
		FactorElsewhere: factored,
	}), record(ctx, r, ByMember(m), audit.Line{
		OrgID: m.OrgID, Action: audit.SignedIn, Object: m.ID, Detail: audit.Detail{"por": by, "aparelho": via.Device},
	}))
}

// refused writes down that somebody tried to sign in as a member. An address that nobody has is no organisation's; and
// who tries again and again has to wait before his password is looked at, so that he writes some lines an hour.
func (s *Sessions) refused(ctx context.Context, m crm.Member) error {
	if m.ID == "" {
		return nil
	}
	return looked(ctx, s.store, Caller{}, audit.Line{OrgID: m.OrgID, Action: audit.SignInRefused, Object: m.ID})
}

func inWords(d time.Duration) string {
	n, unit := max(int(d.Round(time.Second).Seconds()), 1), "segundo"
	if n >= 60 {
		n, unit = int((d+time.Minute-1)/time.Minute), "minuto"
	}
	if n > 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// Resume returns the member of a session and the caller that he is. A request that a page
// makes by itself is no visit, and lets the session grow idle. Faults: Unauthenticated,
// ServiceUnavailable.
func (s *Sessions) Resume(ctx context.Context, text string) (Caller, crm.Member, error) {
	gone := fault.New(fault.Unauthenticated, "A sessão terminou. Entre de novo.")
	token, ok := access.ParseSessionToken(text)
	if !ok {
		return Caller{}, crm.Member{}, gone
	}
	session, m, err := s.store.Repos().Sessions.Find(ctx, token)
	now := s.clock()
	switch {
	case errors.Is(err, ports.ErrNotFound), err == nil && (!m.Active || !session.AliveAt(now)):
		return Caller{}, crm.Member{}, gone
	case err != nil:
		return Caller{}, crm.Member{}, err
	}
	if via := viaOf(ctx, Caller{}); !via.Unattended && now.Sub(session.SeenAt) > touchEvery {
		if err := s.store.Repos().Sessions.Touch(ctx, token, now, via.Address); err != nil {
			return Caller{}, crm.Member{}, err
		}
	}
	return ByMember(m), m, nil
}

// SignOut ends a session; it is no error when there is none.
func (s *Sessions) SignOut(ctx context.Context, text string) error {
	token, ok := access.ParseSessionToken(text)
	if !ok {
		return nil
	}
	_, m, err := s.store.Repos().Sessions.Find(ctx, token)
	if errors.Is(err, ports.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	line := audit.Line{OrgID: m.OrgID, Action: audit.SignedOut, Object: m.ID}
	return recorded(ctx, s.store, ByMember(m), line, func(r ports.Repos) error { return r.Sessions.End(ctx, token) })
}

// SignOutEverywhere ends all sessions of the caller.
func (s *Sessions) SignOutEverywhere(ctx context.Context, by Caller) error {
	if by.memberID == "" {
		return nil
	}
	line := audit.Line{OrgID: by.orgID, Action: audit.SessionsEnded, Object: by.memberID}
	return recorded(ctx, s.store, by, line, func(r ports.Repos) error { return r.Sessions.EndAll(ctx, by.memberID) })
}

// Forget removes sessions that ended long ago, and tickets that nobody can use any more. A chore.
func (s *Sessions) Forget(ctx context.Context) error {
	err := forget(ctx, func(ctx context.Context) (int, error) {
		return s.store.Repos().Tickets.Forget(ctx, s.clock().Add(-access.LinkFor))
	})
	if err != nil {
		return err
	}
	return forget(ctx, func(ctx context.Context) (int, error) {
		return s.store.Repos().Sessions.Forget(ctx, s.clock().Add(-access.SessionMax))
	})
}

// wrongPresent is said to whoever changes his password and does not know the one there is.
func wrongPresent() *fault.Error {
	return fault.New(fault.Unauthenticated, "A senha atual não confere.").At("password")
}

// ChangeOwnPassword changes the caller's password, who shows that he knows the one
// there is, and ends all his sessions and links. Faults: Unauthenticated when the present
// one is wrong, InvalidRequest, also for who has none, ServiceUnavailable, at "turn" where so
// many come that it was not compared.
func (s *Sessions) ChangeOwnPassword(ctx context.Context, by Caller, present, password string, people *Members) error {
	m, err := s.store.Repos().Members.Find(ctx, by.memberID)
	if err != nil {
		return err
	}
	if m.PasswordHash == "" { // whatever he typed would be a wrong guess
		return invalid("password", "Você não tem senha aqui.")
	}
	if err := s.knows(ctx, m, present); err != nil {
		return err
	}
	return people.setPassword(ctx, by, m, password)
}

// knows has a member show that he knows his password, which is counted as a sign-in is. Faults: Unauthenticated when
// it is another one, with RetryAfter where waiting is needed, ServiceUnavailable.
func (s *Sessions) knows(ctx context.Context, m crm.Member, present string) error {
	fits, err := s.guess(ctx, m.Email, m.PasswordHash, present)
	if err != nil {
		return err
	}
	if !fits {
		return wrongPresent()
	}
	return s.store.Repos().Sessions.Clear(ctx, m.Email)
}
