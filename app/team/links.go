package team

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// Links lets people without a password, or who forgot theirs, choose one: by a link that works once, within half an
// hour.
type Links struct {
	LinksConfig
	sending app.CallGroup
}

// LinksConfig is what Links needs.
type LinksConfig struct {
	Store    ports.Store
	Clock    app.Clock
	Sessions *Sessions
	// Hash makes the text that is stored for a password.
	Hash func(string) (string, error)
	// Mailer is nil where e-mail is not configured.
	Mailer ports.Mailer
	// PublicURL is the address of the service, without a trailing slash.
	PublicURL string
	Log       *slog.Logger
}

// NewLinks returns the use case.
func NewLinks(c LinksConfig) *Links { return &Links{LinksConfig: c} }

// Wait waits until requested e-mails are sent, or ctx ends: people who were told that one is on its way may rely on it.
func (l *Links) Wait(ctx context.Context) {
	sent := make(chan struct{})
	go func() {
		l.sending.Wait()
		close(sent)
	}()
	select {
	case <-sent:
	case <-ctx.Done():
	}
}

// Mails is whether links go by e-mail; without it the operator hands them over.
func (l *Links) Mails() bool { return l.Mailer != nil }

// linkPath is where links lead.
const linkPath = "/entrar/link/"

// badLink is the fault of a link that was used, expired, or never was one.
func badLink() *fault.Error {
	return fault.New(fault.Unauthenticated, "Este link não vale: ele foi usado, venceu ou não está inteiro. Peça outro.")
}

// make makes a link for a member, and ends their earlier links of its kind.
func (l *Links) make(
	ctx context.Context, by app.Caller, m crm.Member, kind access.TicketKind, action audit.Action,
) (access.SessionToken, error) {
	secret := access.NewSessionToken()
	line := audit.Line{OrgID: m.OrgID, Action: action, Object: m.ID}
	return secret, app.Recorded(ctx, l.Store, by, line, func(ctx context.Context, r ports.Repos) error {
		return errors.Join(r.Tickets.Drop(ctx, m.ID, kind), r.Tickets.Put(ctx, secret, access.Ticket{
			Kind: kind, MemberID: m.ID, ExpiresAt: l.Clock().Add(access.LinkFor),
		}))
	})
}

// address returns the URL of a link.
func (l *Links) address(secret access.SessionToken) string {
	return l.PublicURL + linkPath + secret.Reveal()
}

// invited finds the member to be invited.
func (l *Links) invited(ctx context.Context, by app.Caller, memberID string) (crm.Member, error) {
	m, err := memberKind.Managed(ctx, l.Store.Repos(), by, memberID)
	if err == nil {
		err = mayChangeRoles(by, m.Role, m.Role)
	}
	if err == nil && !m.Active {
		err = app.Invalid("member", "Esta pessoa não está mais ativa. Devolva o acesso a ela antes.")
	}
	return m, err
}

// Invite sends a member a link to choose a password. Faults: NotFound, Forbidden, InvalidRequest where e-mail is not
// configured or the mail server does not accept it, ServiceUnavailable.
func (l *Links) Invite(ctx context.Context, by app.Caller, memberID string) error {
	m, err := l.invited(ctx, by, memberID)
	if err != nil {
		return err
	}
	if l.Mailer == nil {
		return app.Invalid("email", app.NoMailer+" Quem opera o serviço faz um link com fichario member link.")
	}
	secret, err := l.make(ctx, by, m, access.Invitation, audit.Invited)
	if err != nil {
		return err
	}
	if err := l.send(ctx, m, access.Invitation, secret); err != nil {
		return app.Invalid("email", "O convite não pôde ser enviado ("+err.Error()+"). Tente de novo.")
	}
	return nil
}

// Link makes a link for the operator to hand over, and returns when it expires. Faults: NotFound, Forbidden,
// InvalidRequest, ServiceUnavailable.
func (l *Links) Link(ctx context.Context, by app.Caller, memberID string) (address string, until time.Time, err error) {
	if !by.IsOperator() {
		return "", until, app.Forbidden()
	}
	m, err := l.invited(ctx, by, memberID)
	if err != nil {
		return "", until, err
	}
	until = l.Clock().Add(access.LinkFor)
	secret, err := l.make(ctx, by, m, access.Invitation, audit.Invited)
	return l.address(secret), until, err
}

// Forgot sends a link to an e-mail address, if a member has it: neither its result nor its duration reveals whether.
// After three requests for one address, or twenty from one network, the next ones must wait. Faults: Unauthenticated
// with RetryAfter, ServiceUnavailable.
func (l *Links) Forgot(ctx context.Context, from, typed string) error {
	const counted = "Foram %d pedidos."
	if from != "" {
		if err := l.Sessions.attempt(ctx, "link|"+from, access.NetworkMemory, access.NetworkPause, counted); err != nil {
			return err
		}
	}
	address, err := document.Normalize(document.Email, typed)
	if err != nil || l.Mailer == nil {
		return nil //nolint:nilerr // nobody has it, and the sender is not told
	}
	email := address.Value()
	err = l.Sessions.attempt(ctx, "link|"+email, access.NetworkMemory, access.LinkPause, counted)
	if err != nil {
		return err
	}
	l.sending.Start(func() {
		ctx := context.WithoutCancel(ctx)
		defer func() {
			if r := recover(); r != nil {
				// The value may contain the address.
				l.Log.ErrorContext(ctx, "panic", "work", "links", "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			}
		}()
		if err := l.forgot(ctx, email); err != nil {
			l.Log.WarnContext(ctx, "a link could not be sent", "error", err)
		}
	})
	return nil
}

func (l *Links) forgot(ctx context.Context, email string) error {
	m, err := l.Store.Repos().Members.ByEmail(ctx, email)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !m.Active {
		return nil
	}
	if err != nil {
		return err
	}
	secret, err := l.make(ctx, app.Caller{}, m, access.Forgotten, audit.PasswordAsked)
	if err != nil {
		return err
	}
	return l.send(ctx, m, access.Forgotten, secret)
}

// send hands a link to the mail server.
func (l *Links) send(ctx context.Context, m crm.Member, kind access.TicketKind, secret access.SessionToken) error {
	mail := ports.Mail{ID: app.NewID(), To: m.Email, Subject: "Escolha uma senha nova no Fichário"}
	why := "Alguém pediu uma senha nova para esta conta. Se não foi você, ignore este e-mail: nada muda."
	if kind == access.Invitation {
		mail.Subject, why = "Convite para o Fichário", "Você foi convidado a entrar no Fichário."
	}
	mail.Text = fmt.Sprintf("%s,\n\n%s\n\nPara escolher a sua senha, abra este endereço em até %d minutos:\n\n%s\n\n"+
		"Ele serve uma vez só.\n", m.Name, why, int(access.LinkFor.Minutes()), l.address(secret))
	return l.Mailer.Send(ctx, mail)
}

// LinkView is what a link is for.
type LinkView struct {
	Email   string
	Invited bool
}

// Open returns what a link is for, without using it up. Faults: Unauthenticated for an unusable one, with RetryAfter
// after several attempts, ServiceUnavailable.
func (l *Links) Open(ctx context.Context, from, text string) (LinkView, error) {
	return fromNetwork(ctx, l.Sessions, from, func() (LinkView, error) {
		m, t, _, err := l.find(ctx, l.Store.Repos().Tickets.Find, text)
		return LinkView{Email: m.Email, Invited: t.Kind == access.Invitation}, err
	})
}

// find returns the member that a link belongs to.
func (l *Links) find(
	ctx context.Context, find func(context.Context, access.SessionToken) (access.Ticket, error), text string,
) (m crm.Member, t access.Ticket, secret access.SessionToken, err error) {
	secret, ok := access.ParseSessionToken(text)
	if !ok {
		return m, t, secret, badLink()
	}
	t, err = find(ctx, secret)
	if err == nil && t.Kind != access.Invitation && t.Kind != access.Forgotten {
		err = ports.ErrNotFound
	}
	if err == nil {
		m, err = l.Store.Repos().Members.Find(ctx, ports.AnyOrg, t.MemberID)
	}
	if errors.Is(err, ports.ErrNotFound) || err == nil && (!m.Active || !l.Clock().Before(t.ExpiresAt)) {
		err = badLink()
	}
	return m, t, secret, err
}

// Use sets the password of a link's member, and ends their sessions and other links. A refused password does not use
// the link up. Faults: those of Open, InvalidRequest.
func (l *Links) Use(ctx context.Context, from, text, password string) error {
	_, err := fromNetwork(ctx, l.Sessions, from, func() (any, error) { return nil, l.use(ctx, text, password) })
	return err
}

func (l *Links) use(ctx context.Context, text, password string) error {
	m, _, secret, err := l.find(ctx, l.Store.Repos().Tickets.Find, text)
	if err != nil {
		return err
	}
	if err := checkPassword(password, m.Email); err != nil {
		return err
	}
	hash, err := l.Hash(password)
	if err != nil {
		return err
	}
	return l.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
			return err
		}
		t, err := r.Tickets.Take(ctx, secret)
		if errors.Is(err, ports.ErrNotFound) {
			return badLink()
		}
		if err != nil {
			return err
		}
		same, err := r.Members.Find(ctx, m.OrgID, m.ID)
		if err != nil {
			return err
		}
		if !same.Active { // the access ended while the password was hashed
			return badLink()
		}
		same.PasswordHash = hash
		action := audit.PasswordReset
		if t.Kind == access.Invitation {
			action = audit.InviteAccepted
		}
		return errors.Join(r.Members.Update(ctx, same), endWaysIn(ctx, r, m.ID), r.Attempts.Clear(ctx, m.Email),
			app.Record(ctx, r, app.ByMember(m), audit.Line{OrgID: m.OrgID, Action: action, Object: m.ID}))
	})
}
