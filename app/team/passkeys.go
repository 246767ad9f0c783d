package team

import (
	"context"
	"errors"
	"fmt"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

// Challenge is given to a browser, which answers it with a passkey.
type Challenge struct {
	// Options are for the browser, as JSON.
	Options []byte
	// Ticket comes back with the answer.
	Ticket access.SessionToken
}

// wrongPasskey is the fault of every rejected answer, whatever the reason.
func wrongPasskey() *fault.Error {
	return fault.New(fault.Unauthenticated, "A chave de acesso não foi aceita. Tente de novo.").At("passkey")
}

// owner returns a member with their passkeys.
func (f *Factors) owner(ctx context.Context, m crm.Member) (ports.PasskeyOwner, error) {
	keys, err := f.store.Repos().MemberPasskeys.Passkeys(ctx, m.ID)
	return ports.PasskeyOwner{ID: m.ID, Email: m.Email, Name: m.Name, Keys: keys}, err
}

// challenge stores a challenge until its answer comes.
func (f *Factors) challenge(
	ctx context.Context, r ports.Repos, kind access.TicketKind, memberID string, options, kept []byte,
) (Challenge, error) {
	c := Challenge{Options: options, Ticket: access.NewSessionToken()}
	return c, r.Tickets.Put(ctx, c.Ticket, access.Ticket{
		Kind: kind, MemberID: memberID, Data: kept, ExpiresAt: f.clock().Add(access.ChallengeFor),
	})
}

// answered returns the challenge of an answer, and uses it up.
func (f *Factors) answered(ctx context.Context, kind access.TicketKind, memberID, text string) ([]byte, error) {
	ticket, ok := access.ParseSessionToken(text)
	if !ok {
		return nil, wrongPasskey()
	}
	r := f.store.Repos().Tickets
	t, err := r.Find(ctx, ticket)
	if err == nil && (t.Kind != kind || t.MemberID != memberID || !f.clock().Before(t.ExpiresAt)) {
		err = ports.ErrNotFound // somebody else's is not used up
	}
	if err == nil {
		t, err = r.Take(ctx, ticket)
	}
	if errors.Is(err, ports.ErrNotFound) {
		return nil, wrongPasskey()
	}
	return t.Data, err
}

// BeginPasskey begins to add a passkey of this name for the caller. The proof comes before the device makes the key,
// which otherwise would keep one that we refused. It is a passkey's answer, a code or a recovery code for a caller with
// a second factor, else the password, if there is one. Faults: Unauthenticated, at "proof" when that is wrong, with
// RetryAfter where waiting is needed, NotFound, InvalidRequest, ServiceUnavailable.
func (f *Factors) BeginPasskey(
	ctx context.Context, by app.Caller, name string, proof Proof,
) (begun Challenge, err error) {
	m, err := f.self(ctx, by)
	if err != nil {
		return Challenge{}, err
	}
	if f.passkeys == nil {
		return Challenge{}, noPasskeys()
	}
	if _, err := passkeyName(name); err != nil {
		return Challenge{}, err
	}
	who, err := f.owner(ctx, m)
	if err != nil {
		return Challenge{}, err
	}
	if len(who.Keys) >= access.PasskeysMax {
		return Challenge{}, tooManyPasskeys()
	}
	options, kept, err := f.passkeys.BeginAdd(who)
	if err != nil {
		return Challenge{}, err
	}
	err = f.adding(ctx, m, proof, func(ctx context.Context, r ports.Repos) error {
		begun, err = f.challenge(ctx, r, access.PasskeyAdd, m.ID, options, kept)
		return err
	})
	return begun, err
}

func tooManyPasskeys() error {
	return app.Invalid("passkey", fmt.Sprintf("São até %d chaves de acesso. Remova uma.", access.PasskeysMax))
}

// passkeyName returns the name of a passkey as it is stored. Fault: InvalidRequest.
func passkeyName(typed string) (string, error) {
	name, ok := crm.CleanName(typed)
	if !ok {
		return "", app.Invalid("name", fmt.Sprintf("O nome tem de 1 a %d caracteres.", crm.NameMax))
	}
	return name, nil
}

// AddPasskey adds the passkey that a browser made, and returns recovery codes if the caller had no second factor
// before. The ticket of BeginPasskey shows that the caller proved their identity, as long as their account is the same.
// Faults: Unauthenticated, InvalidRequest, NotFound, ServiceUnavailable.
func (f *Factors) AddPasskey(
	ctx context.Context, by app.Caller, ticket, name string, answer []byte,
) (recovery []string, err error) {
	m, err := f.self(ctx, by)
	if err != nil {
		return nil, err
	}
	if f.passkeys == nil {
		return nil, noPasskeys()
	}
	if name, err = passkeyName(name); err != nil {
		return nil, err
	}
	who, err := f.owner(ctx, m)
	if err != nil {
		return nil, err
	}
	kept, err := f.answered(ctx, access.PasskeyAdd, m.ID, ticket)
	if err != nil {
		return nil, err
	}
	made, err := f.passkeys.EndAdd(who, kept, answer)
	if err != nil {
		return nil, wrongPasskey()
	}
	made.ID, made.MemberID, made.CreatedAt = app.NewID(), m.ID, f.clock()
	made.Name = name
	err = f.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
			return err
		}
		if err := unchanged(ctx, r, m, "passkey"); err != nil {
			return err
		}
		if all, err := r.MemberPasskeys.Passkeys(ctx, m.ID); err != nil || len(all) >= access.PasskeysMax {
			return errors.Join(err, tooManyPasskeys())
		}
		if err := r.MemberPasskeys.AddPasskey(ctx, made); err != nil {
			return err
		}
		recovery, err = f.turnedOn(ctx, r, by, m, audit.Line{Action: audit.PasskeyAdded, Detail: app.NameOf(made.Name)})
		return err
	})
	if errors.Is(err, ports.ErrExists) {
		err = wrongPasskey()
	}
	return recovery, err
}

// BeginProof begins the proof by a passkey that a change of the caller's factors takes, see Proof. Faults: NotFound,
// InvalidRequest without a passkey, ServiceUnavailable.
func (f *Factors) BeginProof(ctx context.Context, by app.Caller) (Challenge, error) {
	m, err := f.self(ctx, by)
	if err != nil {
		return Challenge{}, err
	}
	if f.passkeys == nil {
		return Challenge{}, noPasskeys()
	}
	who, err := f.owner(ctx, m)
	if err != nil {
		return Challenge{}, err
	}
	if len(who.Keys) == 0 {
		return Challenge{}, app.Invalid("passkey", "Você não tem chave de acesso.")
	}
	return f.beginUse(ctx, access.PasskeyProof, &who)
}

// wrong is the fault of a proof that is not valid.
func (p Proof) wrong() *fault.Error {
	if len(p.Answer) > 0 {
		return wrongPasskey()
	}
	return wrongCode()
}

// proof returns what shows the proof of a member in a transaction, as shows does. A passkey's challenge is used up
// beforehand, so that it is answered once even if the transaction fails.
func (f *Factors) proof(
	ctx context.Context, m crm.Member, p Proof,
) (shows func(context.Context, ports.Repos) (by string, err error), err error) {
	if len(p.Answer) == 0 {
		return func(ctx context.Context, r ports.Repos) (string, error) { return f.shows(ctx, r, m.ID, p.Code) }, nil
	}
	used, err := f.proofKey(ctx, m, p)
	if fault.CodeOf(err) == fault.Unauthenticated {
		return func(context.Context, ports.Repos) (string, error) { return "", nil }, nil
	}
	if err != nil {
		return nil, err
	}
	used.UsedAt = f.clock()
	return func(ctx context.Context, r ports.Repos) (string, error) {
		if err := r.MemberPasskeys.UsePasskey(ctx, used); err != nil {
			return "", orNothing(err) // it was removed meanwhile
		}
		return byKey, nil
	}, nil
}

// proofKey returns the passkey that answered the challenge of a proof. Fault: Unauthenticated.
func (f *Factors) proofKey(ctx context.Context, m crm.Member, p Proof) (access.Passkey, error) {
	if f.passkeys == nil {
		return access.Passkey{}, wrongPasskey()
	}
	who, err := f.owner(ctx, m)
	if err != nil {
		return access.Passkey{}, err
	}
	kept, err := f.answered(ctx, access.PasskeyProof, m.ID, p.Ticket)
	if err != nil {
		return access.Passkey{}, err
	}
	used, err := f.passkeys.EndUse(&who, kept, p.Answer, nil)
	if err != nil {
		return access.Passkey{}, wrongPasskey()
	}
	return used, nil
}

const byKey = "chave de acesso"

// RemovePasskey removes a passkey of the caller, who shows the second factor or a recovery code; without any factor
// left the second factor is off. Faults: those of Off.
func (f *Factors) RemovePasskey(ctx context.Context, by app.Caller, id string, proof Proof) error {
	m, err := f.self(ctx, by)
	if err != nil {
		return err
	}
	gone := app.Missing("passkey", "Não há chave de acesso com este id.")
	if !app.ValidID(id) {
		return gone
	}
	err = f.proving(ctx, m, proof, func(ctx context.Context, r ports.Repos, _ string) error {
		// What was begun with the key that goes is not ended.
		err := errors.Join(r.MemberPasskeys.RemovePasskey(ctx, m.ID, id), r.Tickets.Drop(ctx, m.ID, access.PasskeyAdd))
		if err != nil {
			return err
		}
		l := audit.Line{OrgID: m.OrgID, Action: audit.PasskeyRemoved, Object: m.ID}
		if left, err := r.Members.Find(ctx, m.OrgID, m.ID); err != nil || left.SecondFactor {
			return errors.Join(err, app.Record(ctx, r, by, l))
		}
		return errors.Join(clearFactors(ctx, r, m.ID), app.Record(ctx, r, by, l),
			app.Record(ctx, r, by, audit.Line{OrgID: m.OrgID, Action: audit.FactorOff, Object: m.ID}))
	})
	if errors.Is(err, ports.ErrNotFound) {
		return gone
	}
	return err
}

// BeginPasskeyUse begins to sign in by a passkey: as the second factor of the sign-in that text names or, if text is
// empty, by the passkey alone. Faults: Unauthenticated, with RetryAfter for a network that began a hundred and
// completed none, InvalidRequest, ServiceUnavailable.
func (f *Factors) BeginPasskeyUse(ctx context.Context, from, text string) (Challenge, error) {
	if f.passkeys == nil {
		return Challenge{}, noPasskeys()
	}
	if err := f.sessions.begins(ctx, from); err != nil {
		return Challenge{}, err
	}
	if text == "" {
		return f.beginUse(ctx, access.PasskeyUse, nil)
	}
	m, _, err := f.pending(ctx, text)
	if err != nil {
		return Challenge{}, err
	}
	who, err := f.owner(ctx, m)
	if err != nil {
		return Challenge{}, err
	}
	return f.beginUse(ctx, access.PasskeyUse, &who)
}

// beginUse begins the use of a passkey of one member or, without one, of anybody.
func (f *Factors) beginUse(ctx context.Context, kind access.TicketKind, who *ports.PasskeyOwner) (Challenge, error) {
	options, kept, err := f.passkeys.BeginUse(who)
	if err != nil {
		return Challenge{}, err
	}
	memberID := ""
	if who != nil {
		memberID = who.ID
	}
	return f.challenge(ctx, f.store.Repos(), kind, memberID, options, kept)
}

// UsePasskey completes what BeginPasskeyUse began, with the same text. Faults: Unauthenticated, at "ticket" when the
// waiting sign-in is over, with RetryAfter where waiting is needed, ServiceUnavailable.
func (f *Factors) UsePasskey(
	ctx context.Context, from, text, ticket string, answer []byte,
) (access.SessionToken, error) {
	token, err := fromNetwork(ctx, f.sessions, from, func() (access.SessionToken, error) {
		if f.passkeys == nil {
			return access.SessionToken{}, noPasskeys()
		}
		if text == "" {
			return f.useAlone(ctx, ticket, answer)
		}
		m, waiting, err := f.pending(ctx, text)
		if err != nil {
			return access.SessionToken{}, err
		}
		who, err := f.owner(ctx, m)
		if err != nil {
			return access.SessionToken{}, err
		}
		kept, err := f.answered(ctx, access.PasskeyUse, m.ID, ticket)
		if err != nil {
			return access.SessionToken{}, err
		}
		used, err := f.passkeys.EndUse(&who, kept, answer, nil)
		if err != nil {
			return access.SessionToken{}, f.refusedPasskey(ctx, m)
		}
		token := access.NewSessionToken()
		return token, f.entered(ctx, m, used, func(ctx context.Context, r ports.Repos) error {
			return f.enter(ctx, r, waiting, token, m, byKey)
		})
	})
	return token, f.sessions.ends(ctx, from, err)
}

// useAlone signs in by a passkey alone.
func (f *Factors) useAlone(ctx context.Context, ticket string, answer []byte) (access.SessionToken, error) {
	kept, err := f.answered(ctx, access.PasskeyUse, "", ticket)
	if err != nil {
		return access.SessionToken{}, err
	}
	var m crm.Member
	var missed error // why the member was not found; the library says only that it was not
	used, err := f.passkeys.EndUse(nil, kept, answer, func(memberID string) (ports.PasskeyOwner, error) {
		if !app.ValidID(memberID) {
			return ports.PasskeyOwner{}, ports.ErrNotFound
		}
		if m, missed = f.store.Repos().Members.Find(ctx, ports.AnyOrg, memberID); missed != nil {
			return ports.PasskeyOwner{}, missed
		}
		var owner ports.PasskeyOwner
		owner, missed = f.owner(ctx, m)
		return owner, missed
	})
	if missed != nil && !errors.Is(missed, ports.ErrNotFound) {
		return access.SessionToken{}, missed
	}
	if err != nil || !m.Active {
		return access.SessionToken{}, f.refusedPasskey(ctx, m)
	}
	token := access.NewSessionToken()
	return token, f.entered(ctx, m, used, func(ctx context.Context, r ports.Repos) error {
		return f.sessions.begin(ctx, r, token, m, byKey, false)
	})
}

// refusedPasskey records that a passkey was refused, if the member it belongs to is known.
func (f *Factors) refusedPasskey(ctx context.Context, m crm.Member) error {
	if m.ID != "" {
		l := audit.Line{OrgID: m.OrgID, Action: audit.FactorRefused, Object: m.ID}
		if err := app.Looked(ctx, f.store, app.Caller{}, l); err != nil {
			return err
		}
	}
	return wrongPasskey()
}

// entered completes a sign-in by passkey, unless the member's access or the passkey ended meanwhile.
func (f *Factors) entered(
	ctx context.Context, m crm.Member, used access.Passkey, then ports.Tx,
) error {
	used.UsedAt = f.clock()
	err := f.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
			return err
		}
		if same, err := r.Members.Find(ctx, m.OrgID, m.ID); err != nil || !same.Active {
			return errors.Join(err, wrongPasskey())
		}
		return errors.Join(r.MemberPasskeys.UsePasskey(ctx, used), then(ctx, r))
	})
	if errors.Is(err, ports.ErrNotFound) {
		return wrongPasskey()
	}
	return err
}
