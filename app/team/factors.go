package team

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

// Factors manages the second factors of members: codes of an app, passkeys, and single-use recovery codes.
type Factors struct {
	store    ports.Store
	clock    app.Clock
	sessions *Sessions
	codes    Codes
	passkeys ports.Passkeys
}

// Codes makes one-time codes (RFC 6238).
type Codes struct {
	// New makes a secret.
	New func() string
	// Step returns the 30-second step near a time that the code belongs to; false for none.
	Step func(secret, code string, at time.Time) (int64, bool)
}

// NewFactors returns the use case; passkeys is nil where the address of the service allows none.
func NewFactors(
	store ports.Store, clock app.Clock, sessions *Sessions, codes Codes, passkeys ports.Passkeys,
) *Factors {
	return &Factors{store, clock, sessions, codes, passkeys}
}

// TakesPasskeys is whether the address of the service allows passkeys.
func (f *Factors) TakesPasskeys() bool { return f.passkeys != nil }

// FactorView is a member's second factors.
type FactorView struct {
	// Codes is whether an app makes codes. Secret is the secret for an app that is still to be confirmed.
	Codes  bool
	Secret string
	// Passkeys are the member's, oldest first.
	Passkeys []access.Passkey
	// Recovery is how many recovery codes are left.
	Recovery int
	// Required is whether the organisation requires a second factor.
	Required bool
	// Password is whether there is a password, which is asked for before the first second factor.
	Password bool
}

// On is whether the member has a second factor.
func (v FactorView) On() bool { return v.Codes || len(v.Passkeys) > 0 }

// View returns the caller's factors. Faults: NotFound, ServiceUnavailable.
func (f *Factors) View(ctx context.Context, by app.Caller) (v FactorView, err error) {
	r := f.store.Repos()
	m, err := memberKind.Visible(ctx, r, by, by.MemberID())
	if err != nil {
		return v, err
	}
	v.Password = m.PasswordHash != ""
	org, err := r.Orgs.Find(ctx, by.OrgID())
	if err != nil {
		return v, err
	}
	v.Required = org.SecondFactor
	codes, err := r.Factors.Codes(ctx, by.MemberID())
	if err != nil && !errors.Is(err, ports.ErrNotFound) {
		return v, err
	}
	if v.Codes = codes.Confirmed; !v.Codes {
		v.Secret = codes.Secret
	}
	if v.Passkeys, err = r.MemberPasskeys.Passkeys(ctx, by.MemberID()); err != nil {
		return v, err
	}
	v.Recovery, err = r.Recovery.RecoveryLeft(ctx, by.MemberID())
	return v, err
}

// wrongCode is the fault of every rejected code, whatever the reason.
func wrongCode() *fault.Error {
	return fault.New(fault.Unauthenticated, "Este código não vale: ele está errado, venceu ou já foi usado.").At("code")
}

// oneTime returns a one-time code as typed, without the space that apps show within it.
func oneTime(typed string) string { return strings.Join(strings.Fields(typed), "") }

// Proof is what a member shows before their factors change.
type Proof struct {
	// Code is a code of the app or a recovery code, as typed; before there is any second factor, the password.
	Code string
	// Answer is that of a passkey to the challenge of BeginProof, and Ticket is its ticket. It counts instead of Code
	// unless it is empty.
	Answer []byte
	Ticket string
}

// shows returns the kind of code by which a member proved their identity, in a transaction that uses it up; "" for
// none.
func (f *Factors) shows(ctx context.Context, r ports.Repos, memberID, code string) (by string, err error) {
	if digits := oneTime(code); len(digits) == 6 {
		codes, err := r.Factors.Codes(ctx, memberID)
		if err != nil || !codes.Confirmed {
			return "", orNothing(err)
		}
		step, ok := f.codes.Step(codes.Secret, digits, f.clock())
		if !ok {
			return "", nil
		}
		if first, err := r.Factors.UseStep(ctx, memberID, step); err != nil || !first {
			return "", err
		}
		return "código", nil
	}
	hash, ok := access.RecoveryHash(code)
	if !ok {
		return "", nil
	}
	if used, err := r.Recovery.UseRecovery(ctx, memberID, hash); err != nil || !used {
		return "", err
	}
	return byRecovery, nil
}

const byRecovery = "código de recuperação"

func orNothing(err error) error {
	if errors.Is(err, ports.ErrNotFound) {
		return nil
	}
	return err
}

// guess counts an attempt of a member to show a code.
func (f *Factors) guess(ctx context.Context, memberID string) error {
	return f.sessions.attempt(ctx, "factor|"+memberID, access.SessionMax, access.SignInPause, "Foram %d códigos.")
}

func (f *Factors) forgive(ctx context.Context, r ports.Repos, memberID string) error {
	return r.Attempts.Clear(ctx, "factor|"+memberID)
}

// proving runs then in a transaction if the member's proof is valid, and otherwise records the refusal and says that it
// is wrong. The attempt is counted, also that of a passkey: each refusal is a line of the audit.
func (f *Factors) proving(
	ctx context.Context, m crm.Member, p Proof, then func(ctx context.Context, r ports.Repos, by string) error,
) error {
	if err := f.guess(ctx, m.ID); err != nil {
		return err
	}
	shows, err := f.proof(ctx, m, p)
	if err != nil {
		return err
	}
	refused := false
	err = f.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
			return err
		}
		by, err := shows(ctx, r)
		if err != nil {
			return err
		}
		if refused = by == ""; refused {
			return p.wrong()
		}
		if by == byRecovery {
			l := audit.Line{OrgID: m.OrgID, Action: audit.RecoveryUsed, Object: m.ID}
			if err := app.Record(ctx, r, app.ByMember(m), l); err != nil {
				return err
			}
		}
		return errors.Join(f.forgive(ctx, r, m.ID), then(ctx, r, by))
	})
	if refused {
		l := audit.Line{OrgID: m.OrgID, Action: audit.FactorRefused, Object: m.ID}
		if err := app.Looked(ctx, f.store, app.Caller{}, l); err != nil {
			return err
		}
	}
	return err
}

// adding runs then, which gives a member another way to sign in, in a transaction. An open session is not enough for
// that: the member shows the second factor where there is one, as for removing one, and else the password, unless there
// is none because a provider signs them in. The fault of a wrong proof is at "proof".
func (f *Factors) adding(ctx context.Context, m crm.Member, proof Proof, then ports.Tx) error {
	proven := false
	err := func() error {
		if m.SecondFactor {
			return f.proving(ctx, m, proof, func(ctx context.Context, r ports.Repos, _ string) error {
				proven = true
				return then(ctx, r)
			})
		}
		if m.PasswordHash != "" {
			if err := f.sessions.knows(ctx, m, proof.Code); err != nil {
				return err
			}
		}
		return f.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
				return err
			}
			if err := unchanged(ctx, r, m, "proof"); err != nil {
				return err
			}
			proven = true
			return then(ctx, r)
		})
	}()
	var why *fault.Error
	if !proven && errors.As(err, &why) && why.Code == fault.Unauthenticated {
		return why.At("proof")
	}
	return err
}

// unchanged returns a fault, at a field, if the proof of a member would be another one by now.
func unchanged(ctx context.Context, r ports.Repos, m crm.Member, field string) error {
	same, err := r.Members.Find(ctx, m.OrgID, m.ID)
	if err != nil || !same.Active || same.PasswordHash != m.PasswordHash || same.SecondFactor != m.SecondFactor {
		return errors.Join(err, app.Invalid(field, "A sua conta mudou enquanto isso. Tente de novo."))
	}
	return nil
}

// noEntry is the fault of a sign-in that no longer waits for its second factor.
func noEntry() *fault.Error {
	return fault.New(fault.Unauthenticated, "A entrada venceu. Entre de novo.").At("ticket")
}

// pending returns the member whose sign-in waits for a second factor. Fault: Unauthenticated.
func (f *Factors) pending(ctx context.Context, text string) (m crm.Member, ticket access.SessionToken, err error) {
	ticket, ok := access.ParseSessionToken(text)
	if !ok {
		return m, ticket, noEntry()
	}
	t, err := f.store.Repos().Tickets.Find(ctx, ticket)
	if err == nil && (t.Kind != access.Factor || !f.clock().Before(t.ExpiresAt)) {
		err = ports.ErrNotFound
	}
	if err == nil {
		m, err = f.store.Repos().Members.Find(ctx, ports.AnyOrg, t.MemberID)
	}
	if errors.Is(err, ports.ErrNotFound) || err == nil && !m.Active {
		err = noEntry()
	}
	return m, ticket, err
}

// Waiting returns the ways to complete a sign-in that waits for the second factor: whether codes, and whether passkeys.
// Fault: Unauthenticated.
func (f *Factors) Waiting(ctx context.Context, text string) (codes, passkeys bool, err error) {
	m, _, err := f.pending(ctx, text)
	if err != nil {
		return false, false, err
	}
	has, err := f.store.Repos().Factors.Codes(ctx, m.ID)
	if err := orNothing(err); err != nil {
		return false, false, err
	}
	keys, err := f.store.Repos().MemberPasskeys.Passkeys(ctx, m.ID)
	return has.Confirmed, len(keys) > 0 && f.passkeys != nil, err
}

// Prove completes a sign-in by a code of the second factor, or a recovery code; see FactorNeeded. Wrong codes are
// slowed down like wrong passwords. Faults: Unauthenticated, at "ticket" when the sign-in is over, with RetryAfter
// where waiting is needed, ServiceUnavailable.
func (f *Factors) Prove(ctx context.Context, from, text, code string) (access.SessionToken, error) {
	return fromNetwork(ctx, f.sessions, from, func() (access.SessionToken, error) {
		m, ticket, err := f.pending(ctx, text)
		if err != nil {
			return access.SessionToken{}, err
		}
		token := access.NewSessionToken()
		return token, f.proving(ctx, m, Proof{Code: code}, func(ctx context.Context, r ports.Repos, by string) error {
			return f.enter(ctx, r, ticket, token, m, by)
		})
	})
}

// enter starts the session of a sign-in that waited for its second factor.
func (f *Factors) enter(
	ctx context.Context, r ports.Repos, ticket, token access.SessionToken, m crm.Member, by string,
) error {
	t, err := r.Tickets.Take(ctx, ticket)
	if errors.Is(err, ports.ErrNotFound) {
		return noEntry()
	}
	if err != nil {
		return err
	}
	return f.sessions.begin(ctx, r, token, m, cmp.Or(string(t.Data), "senha")+" e "+by, false)
}
