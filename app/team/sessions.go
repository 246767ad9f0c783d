package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// Sessions signs members in to the interface and out again.
type Sessions struct {
	store     ports.Store
	clock     app.Clock
	passwords Passwords
	// comparing bounds how many passwords are compared at once, to half of the processors and to comparingMax: each takes
	// a processor and 19 MiB for some hundredths of a second, and anybody may request it.
	comparing chan struct{}
}

// Passwords hashes passwords and compares them with their hashes.
type Passwords struct {
	// Hash returns what is stored of a password.
	Hash func(password string) (string, error)
	// Fits reports whether a password is the one of a hash.
	Fits func(hash, password string) bool
	// Stale reports whether a hash has a form that Hash no longer makes; the next sign-in of its member replaces it.
	Stale func(hash string) bool
	// Decoy is a hash of nobody's password, compared for unknown addresses, so that the time of an answer does not reveal
	// them.
	Decoy string
}

// NewSessions returns the use case.
func NewSessions(store ports.Store, clock app.Clock, passwords Passwords) *Sessions {
	return &Sessions{
		store: store, clock: clock, passwords: passwords,
		comparing: make(chan struct{}, min(comparingMax, max(1, runtime.GOMAXPROCS(0)/2))),
	}
}

const comparingMax = 4

// compareWithin is how long a password waits to be compared.
const compareWithin = 5 * time.Second

// compare compares a password with a hash when its turn comes. Fault: ServiceUnavailable, at "turn", with RetryAfter,
// if it does not come in time.
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

// touchEvery is how often the use of a session is stored.
const touchEvery = time.Minute

// guess counts an attempt for an e-mail address and compares its password; if its turn did not come, the attempt is
// taken back. Faults: Unauthenticated with RetryAfter where waiting is needed, ServiceUnavailable, also as for compare.
func (s *Sessions) guess(ctx context.Context, email, hash, password string) (bool, error) {
	if err := s.attempt(ctx, email, access.SessionMax, access.SignInPause, "Foram %d tentativas."); err != nil {
		return false, err
	}
	fits, err := s.compare(ctx, hash, password)
	if err != nil {
		// Even if nobody waits for the answer any more.
		err = cmp.Or(s.store.Repos().Attempts.Forgive(context.WithoutCancel(ctx), email), err)
	}
	return fits, err
}

// attempt counts one attempt, or returns the fault with the remaining wait.
func (s *Sessions) attempt(
	ctx context.Context, who string, memory time.Duration, pause func(int) time.Duration, counted string,
) error {
	repos := s.store.Repos()
	now, err := repos.Clock.Now(ctx, s.clock())
	if err != nil {
		return err
	}
	before, wait, err := repos.Attempts.Attempt(ctx, who, now, memory, pause)
	if err != nil || wait <= 0 {
		return err
	}
	return fault.New(fault.Unauthenticated,
		fmt.Sprintf(counted+" Espere %s antes da próxima.", before, inWords(wait))).After(wait)
}

// SignIn starts a session for somebody who comes from a network: an IPv4 address or the prefix of an IPv6 address,
// empty where that is not known. After five failures in a row for one e-mail address its sign-ins must wait, longer
// each time, and after twenty from one network that network's; concurrent attempts count one after the other. Faults:
// Unauthenticated with RetryAfter where waiting is needed; ServiceUnavailable, at "turn" with RetryAfter where there
// are so many that the password was not compared, which does not count as an attempt.
func (s *Sessions) SignIn(ctx context.Context, from, email, password string) (access.SessionToken, error) {
	return fromNetwork(ctx, s, from, func() (access.SessionToken, error) { return s.signIn(ctx, email, password) })
}

// fromNetwork counts an attempt for a network, unless it succeeds or fails for another reason than a wrong guess.
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
		err = cmp.Or(s.store.Repos().Attempts.Forgive(context.WithoutCancel(ctx), from), err)
	}
	return done, err
}

// begins counts that a network begins a two-step sign-in, for which it makes us store a ticket. Fault: Unauthenticated
// with RetryAfter where waiting is needed.
func (s *Sessions) begins(ctx context.Context, from string) error {
	if from == "" {
		return nil
	}
	const counted = "Foram %d entradas começadas nesta rede que não terminaram."
	return s.attempt(ctx, begunBy(from), access.NetworkMemory, access.BegunPause, counted)
}

// ends takes back what begins counted, if the sign-in was completed.
func (s *Sessions) ends(ctx context.Context, from string, err error) error {
	var need *FactorNeeded
	if from == "" || err != nil && !errors.As(err, &need) {
		return err
	}
	return cmp.Or(s.store.Repos().Attempts.Forgive(ctx, begunBy(from)), err)
}

// begunBy is the name under which a network's begun sign-ins are counted.
func begunBy(from string) string { return "begun|" + from }

// FactorNeeded is the error of a sign-in that succeeded except for the second factor that the member has to show.
type FactorNeeded struct {
	// Ticket lets the member show it, see Factors.Prove.
	Ticket access.SessionToken
}

// Error describes it in English.
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
	// A member who was invited has no password yet.
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
	renewed, err := s.renewed(m.PasswordHash, password)
	if err != nil {
		return access.SessionToken{}, err
	}
	token := access.NewSessionToken()
	err = s.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		// The password may have been changed, and all sessions ended, while it was compared.
		if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
			return err
		}
		same, err := r.Members.Find(ctx, m.OrgID, m.ID)
		if err != nil || same.PasswordHash != m.PasswordHash || !same.Active || same.SecondFactor != m.SecondFactor {
			return errors.Join(err, wrong)
		}
		if same.PasswordHash != renewed {
			same.PasswordHash = renewed
			err = r.Members.Update(ctx, same)
		}
		if m.SecondFactor {
			return errors.Join(err, r.Attempts.Clear(ctx, email), r.Tickets.Put(ctx, token, access.Ticket{
				Kind: access.Factor, MemberID: m.ID, ExpiresAt: s.clock().Add(access.FactorFor),
			}))
		}
		return errors.Join(err, r.Attempts.Clear(ctx, email), s.begin(ctx, r, token, m, "senha", false))
	})
	if err == nil && m.SecondFactor {
		return access.SessionToken{}, &FactorNeeded{token}
	}
	return token, err
}

// renewed is the hash to be stored of a password that fits one: the same, or a new one where it is stale.
func (s *Sessions) renewed(hash, password string) (string, error) {
	if !s.passwords.Stale(hash) {
		return hash, nil
	}
	return s.passwords.Hash(password)
}

// begin starts a session in the transaction that signs a member in; by says how they proved their identity, factored
// whether a provider checked a second factor.
func (s *Sessions) begin(
	ctx context.Context, r ports.Repos, token access.SessionToken, m crm.Member, by string, factored bool,
) error {
	now, via := s.clock(), app.ViaOf(ctx, app.Caller{})
	return errors.Join(r.Sessions.Create(ctx, token, access.Session{
		ID: app.NewID(), MemberID: m.ID, CreatedAt: now, SeenAt: now, Device: via.Device, Address: via.Address,
		FactorElsewhere: factored,
	}), app.Record(ctx, r, app.ByMember(m), audit.Line{
		OrgID: m.OrgID, Action: audit.SignedIn, Object: m.ID, Detail: audit.Detail{"por": by, "aparelho": via.Device},
	}))
}

// refused records a failed attempt to sign in as a member. An address that nobody has belongs to no organisation. The
// waits of repeated attempts limit these lines to a few an hour.
func (s *Sessions) refused(ctx context.Context, m crm.Member) error {
	if m.ID == "" {
		return nil
	}
	return app.Looked(ctx, s.store, app.Caller{}, audit.Line{OrgID: m.OrgID, Action: audit.SignInRefused, Object: m.ID})
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

// Resume returns the member of a session and the corresponding caller. A request that a page makes by itself does not
// count as activity, so the session can expire. Faults: Unauthenticated, ServiceUnavailable.
func (s *Sessions) Resume(ctx context.Context, text string) (app.Caller, crm.Member, error) {
	gone := fault.New(fault.Unauthenticated, "A sessão terminou. Entre de novo.")
	token, ok := access.ParseSessionToken(text)
	if !ok {
		return app.Caller{}, crm.Member{}, gone
	}
	session, m, err := s.store.Repos().Sessions.Find(ctx, token)
	now := s.clock()
	switch {
	case errors.Is(err, ports.ErrNotFound), err == nil && (!m.Active || !session.AliveAt(now)):
		return app.Caller{}, crm.Member{}, gone
	case err != nil:
		return app.Caller{}, crm.Member{}, err
	}
	if via := app.ViaOf(ctx, app.Caller{}); !via.Unattended && now.Sub(session.SeenAt) > touchEvery {
		if err := s.store.Repos().Sessions.Touch(ctx, token, now, via.Address); err != nil {
			return app.Caller{}, crm.Member{}, err
		}
	}
	return app.ByMember(m), m, nil
}

// SignOut ends a session; a missing one is no error.
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
	return app.Recorded(ctx, s.store, app.ByMember(m), line,
		func(ctx context.Context, r ports.Repos) error { return r.SessionEnds.End(ctx, token) })
}

// SignOutEverywhere ends all sessions of the caller.
func (s *Sessions) SignOutEverywhere(ctx context.Context, by app.Caller) error {
	if by.MemberID() == "" {
		return nil
	}
	line := audit.Line{OrgID: by.OrgID(), Action: audit.SessionsEnded, Object: by.MemberID()}
	return app.Recorded(ctx, s.store, by, line,
		func(ctx context.Context, r ports.Repos) error { return r.SessionEnds.EndAll(ctx, by.MemberID()) })
}

// Forget removes sessions that ended long ago, and tickets that can no longer be used. It is a chore.
func (s *Sessions) Forget(ctx context.Context) error {
	err := app.ForgetOld(ctx, s.store, s.clock, access.LinkFor,
		func(ctx context.Context, r ports.Repos, before time.Time) (int, error) {
			return r.Tickets.Forget(ctx, before)
		})
	if err != nil {
		return err
	}
	return app.ForgetOld(ctx, s.store, s.clock, access.SessionMax,
		func(ctx context.Context, r ports.Repos, before time.Time) (int, error) {
			return r.Sessions.Forget(ctx, before)
		})
}

// wrongPresent is the fault where a caller's present password is wrong.
func wrongPresent() *fault.Error {
	return fault.New(fault.Unauthenticated, "A senha atual não confere.").At("password")
}

// ChangeOwnPassword changes the caller's password, given the present one, and ends all their sessions and links.
// Faults: Unauthenticated when the present one is wrong, InvalidRequest, also for a caller without a password,
// ServiceUnavailable, at "turn" where there are so many that it was not compared.
func (s *Sessions) ChangeOwnPassword(
	ctx context.Context, by app.Caller, present, password string, people *Members,
) error {
	m, err := s.store.Repos().Members.Find(ctx, by.OrgID(), by.MemberID())
	if err != nil {
		return err
	}
	if m.PasswordHash == "" { // any input would count as a wrong guess
		return app.Invalid("password", "Você não tem senha aqui.")
	}
	if err := s.knows(ctx, m, present); err != nil {
		return err
	}
	return people.setPassword(ctx, by, m, password)
}

// knows has a member prove that they know their password, counted like a sign-in. Faults: Unauthenticated when it is
// wrong, with RetryAfter where waiting is needed, ServiceUnavailable.
func (s *Sessions) knows(ctx context.Context, m crm.Member, present string) error {
	fits, err := s.guess(ctx, m.Email, m.PasswordHash, present)
	if err != nil {
		return err
	}
	if !fits {
		return wrongPresent()
	}
	return s.store.Repos().Attempts.Clear(ctx, m.Email)
}
