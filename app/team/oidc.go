package team

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// OIDC signs people in through the OpenID Connect provider that the operator configured.
type OIDC struct{ OIDCConfig }

// OIDCConfig is what OIDC needs.
type OIDCConfig struct {
	Store    ports.Store
	Clock    app.Clock
	Sessions *Sessions
	Provider ports.IdentityProvider
	// Name is the name by which people know the provider.
	Name  string
	Rules crm.ProviderRules
	Log   *slog.Logger
}

// NewOIDC returns the use case.
func NewOIDC(c OIDCConfig) *OIDC { return &OIDC{c} }

// byProvider marks such a sign-in in the audit.
const byProvider = "oidc"

// Begin returns the address to send a browser to, and the secret that it keeps until it comes back; from is its
// network, after the page it wanted. Faults: Unauthenticated with RetryAfter for a network that began a hundred and
// completed none, ServiceUnavailable, at "oidc" if the provider does not answer.
func (o *OIDC) Begin(ctx context.Context, from, after string) (address string, secret access.SessionToken, err error) {
	secret = access.NewSessionToken()
	address, err = o.Provider.Begin(ctx, secret.ProviderSecrets())
	if err != nil {
		return "", secret, o.away(ctx, err)
	}
	if err := o.Sessions.begins(ctx, from); err != nil {
		return "", secret, err
	}
	return address, secret, o.Store.Repos().Tickets.Put(ctx, secret, access.Ticket{
		Kind: access.Elsewhere, Data: []byte(after), ExpiresAt: o.Clock().Add(access.FactorFor),
	})
}

// away logs why the provider does not work for the operator, and returns the fault for the person signing in.
func (o *OIDC) away(ctx context.Context, err error) error {
	o.Log.WarnContext(ctx, "the sign-in provider does not work", "why", err.Error(),
		"request_id", app.ViaOf(ctx, app.Caller{}).RequestID)
	return fault.New(fault.ServiceUnavailable, o.Name+" não está respondendo agora. Entre com o e-mail e a senha, ou "+
		"tente de novo em instantes.").At("oidc").After(5 * time.Second)
}

// refusal is the reason of a refused sign-in, for the operator: people get the same message for all.
type refusal string

func (r refusal) Error() string { return string(r) }

// wrong is the fault for people, whatever the reason.
func (o *OIDC) wrong() error {
	return fault.New(fault.Unauthenticated, "Comece de novo. Se não der certo, confira com quem administra a sua "+
		"organização se a sua conta tem acesso.").At("oidc")
}

// Back is what a browser comes back with.
type Back struct {
	// Secret is the secret that it has kept since Begin.
	Secret string
	// State, Code and Issuer are parameters of the address; Issuer may be empty (RFC 9207).
	State, Code, Issuer string
}

// End completes a sign-in, once, and returns the page that the browser wanted. Whatever is wrong with the sign-in or
// the person gets the same message, and counts for the network like a wrong password. Faults: Unauthenticated with
// RetryAfter where waiting is needed, ServiceUnavailable as for Begin; *FactorNeeded.
func (o *OIDC) End(ctx context.Context, from string, b Back) (token access.SessionToken, after string, err error) {
	token, err = fromNetwork(ctx, o.Sessions, from, func() (access.SessionToken, error) {
		var claims access.Claims
		claims, after, err = o.claims(ctx, b)
		if err == nil {
			token, err = o.enter(ctx, claims)
		}
		var why refusal
		switch {
		case errors.Is(err, ports.ErrProviderAway):
			err = o.away(ctx, err)
		case errors.As(err, &why):
			o.Log.InfoContext(ctx, "a sign-in through the provider was refused", "why", string(why),
				"request_id", app.ViaOf(ctx, app.Caller{}).RequestID)
			err = o.wrong()
		}
		return token, err
	})
	return token, after, o.Sessions.ends(ctx, from, err)
}

// claims returns what the provider states about the person who comes back.
func (o *OIDC) claims(ctx context.Context, b Back) (c access.Claims, after string, err error) {
	secret, ok := access.ParseSessionToken(b.Secret)
	if !ok {
		return c, "", refusal("the browser had not begun a sign-in")
	}
	secrets := secret.ProviderSecrets()
	if subtle.ConstantTimeCompare([]byte(b.State), []byte(secrets.State)) != 1 {
		return c, "", refusal("it is not the sign-in that this browser began") // which may still be completed
	}
	t, err := o.Store.Repos().Tickets.Take(ctx, secret)
	switch {
	case errors.Is(err, ports.ErrNotFound), err == nil && t.Kind != access.Elsewhere:
		return c, "", refusal("this sign-in was used before")
	case err != nil:
		return c, "", err
	}
	switch after = string(t.Data); {
	case !o.Clock().Before(t.ExpiresAt):
		return c, after, refusal("the sign-in took too long")
	case b.Issuer != "" && b.Issuer != o.Provider.Issuer():
		return c, after, refusal("the response is from another provider")
	case b.Code == "":
		return c, after, refusal("the provider signed nobody in")
	}
	c, err = o.Provider.End(ctx, secrets, b.Code)
	if err != nil && !errors.Is(err, ports.ErrProviderAway) {
		err = refusal(err.Error())
	}
	return c, after, err
}

// enter starts the session of the member whom the claims identify.
func (o *OIDC) enter(ctx context.Context, c access.Claims) (token access.SessionToken, err error) {
	email, err := document.Normalize(document.Email, c.Email)
	if err != nil {
		return token, refusal("there is no e-mail address")
	}
	c.Email = email.Value()
	m, _, err := o.find(ctx, o.Store.Repos(), c)
	if err != nil {
		return token, err
	}
	role, why := o.admits(c, m)
	if why != "" {
		return token, o.refused(ctx, m, why)
	}
	token = access.NewSessionToken()
	need := false
	err = o.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, cmp.Or(m.OrgID, o.Rules.OrgID)); err != nil {
			return err
		}
		m, err := o.member(ctx, r, c, role)
		if err != nil {
			return err
		}
		if need = m.SecondFactor && !c.Factor; need {
			return r.Tickets.Put(ctx, token, access.Ticket{
				Kind: access.Factor, MemberID: m.ID, Data: []byte(byProvider), ExpiresAt: o.Clock().Add(access.FactorFor),
			})
		}
		return o.Sessions.begin(ctx, r, token, m, byProvider, c.Factor)
	})
	switch {
	case errors.Is(err, ports.ErrExists):
		err = o.refused(ctx, m, "the member is bound to another account of the provider")
	case err == nil && need:
		return access.SessionToken{}, &FactorNeeded{token}
	}
	return token, err
}

// refused returns why a sign-in is refused, after recording it if the member is known.
func (o *OIDC) refused(ctx context.Context, m crm.Member, why refusal) error {
	if m.ID != "" {
		if err := app.Looked(ctx, o.Store, app.Caller{}, audit.Line{
			OrgID: m.OrgID, Action: audit.SignInRefused, Object: m.ID, Detail: audit.Detail{"por": byProvider},
		}); err != nil {
			return err
		}
	}
	return why
}

// find returns the member whom the claims identify, and whether by a linked account or only by the e-mail address; the
// zero member for nobody.
func (o *OIDC) find(ctx context.Context, r ports.Repos, c access.Claims) (m crm.Member, linked bool, err error) {
	id, err := r.Identities.Member(ctx, c.Issuer, c.Subject)
	switch linked = err == nil; {
	case linked:
		m, err = r.Members.Find(ctx, ports.AnyOrg, id)
	case errors.Is(err, ports.ErrNotFound):
		m, err = r.Members.ByEmail(ctx, c.Email)
		err = orNothing(err)
	}
	return m, linked, err
}

// admits returns the role that the provider gives a person, empty to keep the present one, or the reason to refuse
// them.
func (o *OIDC) admits(c access.Claims, m crm.Member) (crm.Role, refusal) {
	role, ok := o.Rules.RoleOf(c.Values)
	switch {
	case !c.Verified:
		return "", "the provider does not say email_verified"
	case !o.Rules.Admits(c.Email):
		return "", "the domain of the e-mail address is not in FICHARIO_OIDC_DOMAINS"
	case !ok:
		return "", "no value of the claim is in FICHARIO_OIDC_ROLES"
	case m.ID == "" && o.Rules.OrgID == "":
		return "", "nobody has the e-mail address, and without FICHARIO_OIDC_ORG nobody becomes a member"
	case m.ID != "" && !m.Active:
		return "", "the member is not active"
	case m.ID != "" && o.Rules.OrgID != "" && m.OrgID != o.Rules.OrgID:
		return "", "the member is of another organisation than FICHARIO_OIDC_ORG"
	}
	return role, ""
}

// member returns the member for the claims, ready to sign in: created if unknown, linked to the account, and with the
// role that the provider gives.
func (o *OIDC) member(ctx context.Context, r ports.Repos, c access.Claims, role crm.Role) (crm.Member, error) {
	m, linked, err := o.find(ctx, r, c)
	if err != nil {
		return m, err
	}
	if _, why := o.admits(c, m); why != "" { // the member may have changed
		return m, why
	}
	if m.ID == "" {
		name, ok := crm.CleanName(c.Name)
		if !ok {
			name, _, _ = strings.Cut(c.Email, "@")
		}
		m = crm.Member{
			ID: app.NewID(), OrgID: o.Rules.OrgID, Name: name, Email: c.Email, Role: cmp.Or(role, crm.Common), Active: true,
			CreatedAt: o.Clock(),
		}
		err = errors.Join(r.Members.Create(ctx, m), o.changed(ctx, r, m, audit.MemberAdded, memberDetail(m)))
	}
	if err == nil && !linked {
		err = errors.Join(r.Identities.Add(ctx, access.Identity{
			Issuer: c.Issuer, Subject: c.Subject, MemberID: m.ID, CreatedAt: o.Clock(),
		}), o.changed(ctx, r, m, audit.IdentityAdded, audit.Detail{}))
	}
	if err != nil || role == "" || role == m.Role {
		return m, err
	}
	before := m
	m.Role = role
	if before.LeadsActively() {
		if err := anotherOwner(ctx, r, before); fault.CodeOf(err) == fault.InvalidRequest {
			o.Log.WarnContext(ctx, "the last owner keeps the role that the provider would take away")
			return before, nil
		} else if err != nil {
			return before, err
		}
	}
	return m, errors.Join(r.Orgs.HoldCharges(ctx, m.OrgID), r.Members.Update(ctx, m),
		o.changed(ctx, r, m, audit.MemberChanged, app.Differing(memberDetail(before), memberDetail(m))))
}

// changed records what the provider's claims changed about a member.
func (o *OIDC) changed(ctx context.Context, r ports.Repos, m crm.Member, did audit.Action, d audit.Detail) error {
	d["por"] = byProvider
	return app.Record(ctx, r, app.Caller{}, audit.Line{
		OrgID: m.OrgID, Action: did, Object: m.ID, Actor: audit.Service, Detail: d,
	})
}

// Unlink removes the link between a member and the provider's account, so that another may take its place, and ends the
// member's sessions. Faults: NotFound, Forbidden for anybody but the operator, InvalidRequest without a link,
// ServiceUnavailable.
func (u *Members) Unlink(ctx context.Context, by app.Caller, memberID string) error {
	if !by.IsOperator() {
		return app.Forbidden()
	}
	m, err := memberKind.Managed(ctx, u.store.Repos(), by, memberID)
	if err != nil {
		return err
	}
	line := audit.Line{OrgID: m.OrgID, Action: audit.IdentityRemoved, Object: m.ID}
	err = app.Recorded(ctx, u.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return errors.Join(r.Identities.Drop(ctx, m.ID), r.SessionEnds.EndAll(ctx, m.ID),
			r.Tickets.Drop(ctx, m.ID, access.Factor))
	})
	if errors.Is(err, ports.ErrNotFound) {
		return app.Invalid("member", "Esta pessoa não está vinculada a nenhuma conta do provedor.")
	}
	return err
}
