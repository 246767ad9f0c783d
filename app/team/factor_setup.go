package team

import (
	"context"
	"errors"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

// self returns the member who calls. Faults: NotFound, ServiceUnavailable.
func (f *Factors) self(ctx context.Context, by app.Caller) (crm.Member, error) {
	return memberKind.Visible(ctx, f.store.Repos(), by, by.MemberID())
}

// BeginCodes makes the secret of the caller's one-time codes, which take effect once confirmed. Faults: NotFound,
// InvalidRequest, ServiceUnavailable.
func (f *Factors) BeginCodes(ctx context.Context, by app.Caller) error {
	m, err := f.self(ctx, by)
	if err != nil {
		return err
	}
	known, err := f.store.Repos().Factors.Codes(ctx, m.ID)
	if err == nil && known.Confirmed {
		return app.Invalid("code", "Os códigos já estão ligados.")
	}
	if err := orNothing(err); err != nil || known.Secret != "" {
		return err // a page opened earlier still shows it
	}
	return f.store.Repos().Factors.SetCodes(ctx, m.ID, access.OneTimeCodes{Secret: f.codes.New()})
}

// ConfirmCodes enables one-time codes with a first code, and returns recovery codes if the caller had no second factor
// before. proof is a passkey's answer or a recovery code for a caller with a second factor, else the password, if there
// is one. Faults: Unauthenticated, at "proof" when that is wrong, with RetryAfter where waiting is needed,
// InvalidRequest, NotFound, ServiceUnavailable.
func (f *Factors) ConfirmCodes(
	ctx context.Context, by app.Caller, code string, proof Proof,
) (recovery []string, err error) {
	m, err := f.self(ctx, by)
	if err != nil {
		return nil, err
	}
	if !m.SecondFactor { // else the proof counts the attempt
		if err := f.guess(ctx, m.ID); err != nil {
			return nil, err
		}
	}
	err = f.adding(ctx, m, proof, func(ctx context.Context, r ports.Repos) error {
		known, err := r.Factors.Codes(ctx, m.ID)
		if errors.Is(err, ports.ErrNotFound) || err == nil && known.Confirmed {
			return app.Invalid("code", "Comece de novo: não há códigos para confirmar.")
		}
		if err != nil {
			return err
		}
		step, ok := f.codes.Step(known.Secret, oneTime(code), f.clock())
		if !ok {
			return wrongCode()
		}
		known.Confirmed, known.LastStep = true, step
		if err := errors.Join(r.Factors.SetCodes(ctx, m.ID, known), f.forgive(ctx, r, m.ID)); err != nil {
			return err
		}
		recovery, err = f.turnedOn(ctx, r, by, m, audit.Line{Action: audit.FactorOn})
		return err
	})
	return recovery, err
}

// turnedOn gives recovery codes to a member who had no second factor, and records the new factor. A passkey that was
// begun without one must be begun again, with it.
func (f *Factors) turnedOn(
	ctx context.Context, r ports.Repos, by app.Caller, m crm.Member, l audit.Line,
) (recovery []string, err error) {
	if !m.SecondFactor {
		if err := r.Tickets.Drop(ctx, m.ID, access.PasskeyAdd); err != nil {
			return nil, err
		}
		if recovery, err = f.renew(ctx, r, m.ID); err != nil {
			return nil, err
		}
	}
	l.OrgID, l.Object = m.OrgID, m.ID
	return recovery, app.Record(ctx, r, by, l)
}

func (f *Factors) renew(ctx context.Context, r ports.Repos, memberID string) ([]string, error) {
	codes := access.NewRecoveryCodes()
	hashes := make([][]byte, len(codes))
	for i, code := range codes {
		hashes[i], _ = access.RecoveryHash(code)
	}
	return codes, r.Recovery.SetRecovery(ctx, memberID, hashes)
}

// Renew replaces the recovery codes of the caller, who shows the second factor. Faults: those of Off.
func (f *Factors) Renew(ctx context.Context, by app.Caller, proof Proof) (recovery []string, err error) {
	m, err := f.self(ctx, by)
	if err != nil {
		return nil, err
	}
	err = f.proving(ctx, m, proof, func(ctx context.Context, r ports.Repos, _ string) (err error) {
		if recovery, err = f.renew(ctx, r, m.ID); err != nil {
			return err
		}
		if err := r.Tickets.Drop(ctx, m.ID, access.PasskeyAdd); err != nil { // an old code may have begun it
			return err
		}
		return app.Record(ctx, r, by, audit.Line{OrgID: m.OrgID, Action: audit.RecoveryRenewed, Object: m.ID})
	})
	return recovery, err
}

// Off turns off the second factor of the caller, who shows it or a recovery code. Faults: Unauthenticated, at "code" or
// "passkey" when that is wrong, NotFound, ServiceUnavailable.
func (f *Factors) Off(ctx context.Context, by app.Caller, proof Proof) error {
	m, err := f.self(ctx, by)
	if err != nil {
		return err
	}
	return f.proving(ctx, m, proof, func(ctx context.Context, r ports.Repos, _ string) error {
		if err := clearFactors(ctx, r, m.ID); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{OrgID: m.OrgID, Action: audit.FactorOff, Object: m.ID})
	})
}

// clearFactors removes all factors of a member, and the passkey that was begun with the proof of one.
func clearFactors(ctx context.Context, r ports.Repos, memberID string) error {
	return errors.Join(r.Factors.Clear(ctx, memberID), r.Tickets.Drop(ctx, memberID, access.PasskeyAdd))
}

// Reset removes the second factor of a member and ends their sessions, for a member who lost both device and recovery
// codes. Only the operator may. Faults: NotFound, Forbidden, ServiceUnavailable.
func (f *Factors) Reset(ctx context.Context, by app.Caller, memberID string) error {
	if !by.IsOperator() {
		return app.Forbidden()
	}
	m, err := memberKind.Managed(ctx, f.store.Repos(), by, memberID)
	if err != nil {
		return err
	}
	line := audit.Line{OrgID: m.OrgID, Action: audit.FactorReset, Object: m.ID}
	return app.Recorded(ctx, f.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return errors.Join(clearFactors(ctx, r, m.ID), f.forgive(ctx, r, m.ID), r.SessionEnds.EndAll(ctx, m.ID),
			r.Tickets.Drop(ctx, m.ID, access.Factor))
	})
}

// Require sets whether everybody in the caller's organisation must have a second factor; those without one are led to
// it from their next page on. Only an owner who has one, with recovery codes left, may require it, so that no owner
// locks themselves out. Faults: NotFound, Forbidden, InvalidRequest, ServiceUnavailable.
func (f *Factors) Require(ctx context.Context, by app.Caller, required bool) error {
	if err := app.MayOwnOrg(ctx, f.store.Repos(), by, by.OrgID()); err != nil {
		return err
	}
	v, err := f.View(ctx, by)
	if err != nil {
		return err
	}
	if required && (!v.On() || v.Recovery == 0) {
		return app.Invalid("required", "Ligue antes o seu próprio segundo fator, e tenha códigos de recuperação.")
	}
	line := audit.Line{OrgID: by.OrgID(), Action: audit.FactorRequired, Object: by.OrgID(), Detail: audit.Detail{
		"exigido": app.YesNo(required),
	}}
	return app.Recorded(ctx, f.store, by, line, func(ctx context.Context, r ports.Repos) error {
		err := differs(ctx, r, by.OrgID(), func(o crm.Organisation) bool { return o.SecondFactor != required })
		if err != nil {
			return err
		}
		return r.Orgs.SetSecondFactor(ctx, by.OrgID(), required)
	})
}

// noPasskeys is the fault of a service whose address does not allow passkeys.
func noPasskeys() *fault.Error {
	return app.Invalid("passkey", "Chaves de acesso precisam que o serviço tenha um nome, e não só um endereço IP.")
}
