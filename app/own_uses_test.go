package app_test

import (
	"time"

	"github.com/pquerna/otp/totp"

	"fichario/adapters/factors"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/access"
)

// ownUses are the methods by which members manage their own sign-in.
func (s *setting) ownUses(owner app.Caller) []use {
	ctx, repos, at, token := s.t.Context(), s.store.Repos(), now(), access.NewSessionToken()
	s.factors = team.NewFactors(s.store, func() time.Time { return at }, s.sessions,
		team.Codes{New: factors.NewSecret, Step: factors.Step}, passkeys{}) // at a fixed time, so that codes stay valid
	session := access.Session{ID: lookups.NewKeyID(), MemberID: owner.MemberID(), CreatedAt: at, SeenAt: at}
	done(repos.Sessions.Create(ctx, token, session))
	key := access.Passkey{
		ID: lookups.NewKeyID(), MemberID: owner.MemberID(), Name: "k", Credential: []byte("k"), Content: []byte("{}"),
		CreatedAt: at,
	}
	done(repos.MemberPasskeys.AddPasskey(ctx, key))
	recovery := access.NewRecoveryCodes()
	hashes := make([][]byte, 5)
	for i := range hashes {
		hashes[i], _ = access.RecoveryHash(recovery[i])
	}
	done(repos.Recovery.SetRecovery(ctx, owner.MemberID(), hashes))
	done(s.factors.BeginCodes(ctx, owner))
	secret := must(s.factors.View(ctx, owner)).Secret
	code := func(steps int) string {
		return must(totp.GenerateCode(secret, at.Add(time.Duration(steps)*30*time.Second)))
	}
	proof := func(typed string) team.Proof { return team.Proof{Code: typed} }
	challenge := must(s.factors.BeginPasskey(ctx, owner, "iPhone", proof(recovery[2]))).Ticket.Reveal()
	answer := team.Proof{Ticket: must(s.factors.BeginProof(ctx, owner)).Ticket.Reveal(), Answer: []byte("k")}
	type args = []any
	return []use{
		{s.sessions.List, args{token.Reveal()}, "", ""},
		{s.sessions.End, args{session.ID}, missing, missing},
		{s.sessions.EndOthers, args{token.Reveal()}, "", ""},
		{s.factors.View, nil, "", ""},
		{s.factors.BeginCodes, nil, "", ""},
		{s.factors.ConfirmCodes, args{code(-1), proof(recovery[1])}, out, out},
		{s.factors.BeginPasskey, args{"iPad", proof(recovery[3])}, out, out},
		{s.factors.AddPasskey, args{challenge, "iPhone", []byte("novo")}, out, out},
		{s.factors.BeginProof, nil, "requisicao_invalida", "requisicao_invalida"},
		{s.factors.Require, args{true}, forbidden, "requisicao_invalida"},
		{s.factors.Require, args{false}, forbidden, ""},
		{s.factors.Renew, args{answer}, out, out},
		{s.factors.RemovePasskey, args{key.ID, proof(code(0))}, out, out},
		{s.factors.Off, args{proof(code(1))}, out, out},
	}
}
