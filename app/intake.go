package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/text"
	"fichario/domain/webhook"
	"fichario/ports"
)

// Intake receives what forms and systems send to webhooks (specification, 4.5).
type Intake struct {
	store ports.Store
	clock Clock
	wake  func()
	// large holds a place for each large body that is being read.
	large chan struct{}
}

const (
	// largeBody is from how many bytes a body is large. Reading one takes many times
	// its size for a moment, so that only largeAtOnce are read at one time.
	largeBody   = 64 << 10
	largeAtOnce = 4
)

// NewIntake returns the use case. wake is called when a contact has been made, so
// that what it sets going need not wait; it must not block.
func NewIntake(store ports.Store, clock Clock, wake func()) *Intake {
	return &Intake{store: store, clock: clock, wake: wake, large: make(chan struct{}, largeAtOnce)}
}

// Hook is a webhook with what a post to it needs to know.
type Hook = ports.Hook

// Post is one request to a webhook.
type Post struct {
	// Headers are those that tell something about it, with names in lower case.
	Headers []intake.Pair
	// Body is what is read and kept. Of files in a multipart body nothing is left.
	Body []byte
	// Signed is the body as it came, which a signature is over.
	Signed []byte
	// Truncated is true when Body is only the beginning.
	Truncated bool
	// Declared is the refusal of a body whose declared size is too large already.
	Declared *fault.Error
	// Unread is why the body could not be read whole; nil when it was.
	Unread *fault.Error
}

// Accepted is what became of an accepted post.
type Accepted struct {
	ContactID string
	// Repeated is true when the post had come before: this is the contact of then.
	Repeated bool
}

// Open returns the webhook that a token opens, enabled or not, as it is at this
// moment. Faults: UnknownWebhook, ServiceUnavailable.
func (i *Intake) Open(ctx context.Context, token string) (Hook, error) {
	unknown := fault.New(fault.UnknownWebhook, "Nenhum webhook tem este endereço. Confira se ele foi copiado inteiro e se o token não foi trocado.")
	t, ok := webhook.ParseToken(token)
	if !ok {
		return Hook{}, unknown
	}
	hook, err := i.store.Repos().Webhooks.Open(ctx, t, i.clock())
	if errors.Is(err, ports.ErrNotFound) {
		return Hook{}, unknown
	}
	return hook, err
}

// Receive takes a post. Its checks, in their order: declared size, enabled, read
// whole, signature, readable, delivered before, e-mail. An accepted post is one
// transaction, on disk before Receive returns, in the order of effects of the
// specification (4.5): contact in the entry stage, assignee, origin, notification,
// history entry, counter, and the job that fires the automations. A refused one
// leaves a line in the delivery log and nothing else; when not even that can be
// written, the fault is ServiceUnavailable, so that the sender tries again.
//
// Faults: BodyTooLarge, WebhookDisabled, IncompleteRequest, InvalidRequest,
// Unauthenticated (the signature), ReusedIdempotencyKey, InvalidEmail,
// ServiceUnavailable.
func (i *Intake) Receive(ctx context.Context, hook Hook, p Post) (Accepted, error) {
	d := webhook.Delivery{
		ID: newID(), OrgID: hook.OrgID, WebhookID: hook.ID, At: i.clock(), Headers: p.Headers, Body: p.Body, Truncated: p.Truncated,
	}
	leave, err := i.room(ctx, len(p.Body))
	if err != nil {
		return Accepted{}, err
	}
	defer leave()
	if f := admit(hook, p); f != nil {
		return i.refuse(ctx, d, f)
	}
	if f := checkSignature(hook, d, p.Signed); f != nil {
		return i.refuse(ctx, d, f)
	}
	return i.take(ctx, hook, d)
}

// room waits until a body of a size may be read; leave makes room for others. Fault:
// ServiceUnavailable.
func (i *Intake) room(ctx context.Context, size int) (leave func(), err error) {
	if size < largeBody {
		return func() {}, nil
	}
	select {
	case i.large <- struct{}{}:
		return func() { <-i.large }, nil
	case <-ctx.Done():
		return nil, fault.New(fault.ServiceUnavailable, "Há envios grandes demais ao mesmo tempo. Tente de novo em instantes.").After(2 * time.Second)
	}
}

func admit(hook Hook, p Post) *fault.Error {
	switch {
	case p.Declared != nil:
		return p.Declared
	case !hook.Enabled:
		return disabled()
	}
	return p.Unread
}

func disabled() *fault.Error {
	return fault.New(fault.WebhookDisabled, "Este webhook está desabilitado e não recebe contatos. Habilite-o e envie de novo.")
}

func checkSignature(hook Hook, d webhook.Delivery, signed []byte) *fault.Error {
	switch err := hook.Signature.Check(d, signed, d.At); {
	case err == nil:
		return nil
	case errors.Is(err, webhook.ErrUnsigned):
		return fault.New(fault.Unauthenticated, "Este webhook exige assinatura, e a requisição veio sem ela: falta "+hook.Signature.Scheme.Expects()+". Configure o mesmo segredo em quem envia.")
	case errors.Is(err, webhook.ErrStale):
		return fault.New(fault.Unauthenticated, "A assinatura é de mais de cinco minutos atrás ou à frente. Confira o relógio de quem envia.")
	}
	return fault.New(fault.Unauthenticated, "A assinatura não confere. Confira se o segredo é o mesmo dos dois lados.")
}

// take reads a post that was let in and keeps what it makes.
func (i *Intake) take(ctx context.Context, hook Hook, d webhook.Delivery) (Accepted, error) {
	draft, err := intake.Read(hook.Options, d.Header("content-type"), d.Body)
	if err != nil {
		return i.refuse(ctx, d, err)
	}
	key, mismatch, err := identify(d, draft)
	if err != nil {
		return i.refuse(ctx, d, err)
	}
	same := fingerprint(d)
	if err := draft.CheckEmail(); err != nil {
		return i.takeKnown(ctx, d, key, same, mismatch, err)
	}
	d.Outcome = webhook.Accepted
	contact := contactOf(hook, draft, d.At)
	d.ContactID = contact.ID
	receipt, err := i.store.Repos().Inbox.Take(ctx, ports.Arrival{
		Delivery: d, Contact: &contact, Key: key, Fingerprint: same, Mismatch: mismatch,
		Webhook: hook.Name, EventID: newID(), NotificationID: newID(), JobID: newID(),
	})
	if err != nil {
		return Accepted{}, err
	}
	if !receipt.Repeated {
		i.wake()
	}
	return Accepted{ContactID: receipt.ContactID, Repeated: receipt.Repeated}, nil
}

// takeKnown answers a post without an e-mail: when it had come before with one, it
// is a repetition, otherwise it is refused for why.
func (i *Intake) takeKnown(ctx context.Context, d webhook.Delivery, key string, same []byte, mismatch *fault.Error, why error) (Accepted, error) {
	if key == "" {
		return i.refuse(ctx, d, why)
	}
	first, err := i.store.Repos().Inbox.Known(ctx, d.WebhookID, key, same)
	switch {
	case errors.Is(err, ports.ErrNotFound):
		return i.refuse(ctx, d, why)
	case err != nil:
		return Accepted{}, err
	case mismatch != nil && !first.Same:
		return i.refuse(ctx, d, mismatch)
	}
	d.Outcome, d.ContactID = webhook.Repeated, first.ContactID
	_, err = i.store.Repos().Inbox.Take(ctx, ports.Arrival{Delivery: d})
	return Accepted{ContactID: first.ContactID, Repeated: true}, err
}

// refuse writes a refusal into the delivery log and returns it.
func (i *Intake) refuse(ctx context.Context, d webhook.Delivery, why error) (Accepted, error) {
	var f *fault.Error
	if !errors.As(why, &f) {
		return Accepted{}, why
	}
	d.Outcome, d.Code, d.Reason = webhook.Refused, string(f.Code), f.Message
	if _, err := i.store.Repos().Inbox.Take(ctx, ports.Arrival{Delivery: d}); err != nil {
		return Accepted{}, err
	}
	return Accepted{}, f
}

const idempotencyKeyMax = 255

// identify returns by what a post is known again, so that a retry makes no second
// contact: the sender's Idempotency-Key, or the product's own id of the submission.
// A key of the former kind must come with the same body, or is the mismatch.
func identify(d webhook.Delivery, draft intake.Draft) (key string, mismatch *fault.Error, err error) {
	sent := d.Header("idempotency-key")
	switch {
	case len(sent) > idempotencyKeyMax:
		return "", nil, invalid("Idempotency-Key", fmt.Sprintf("A Idempotency-Key tem até %d caracteres.", idempotencyKeyMax))
	case sent != "":
		return "key:" + sent, fault.New(fault.ReusedIdempotencyKey,
			"Esta Idempotency-Key já foi usada com outro corpo. Use uma chave nova para cada contato.").At("Idempotency-Key"), nil
	case d.HeaderID() != "":
		return "id:" + d.HeaderID(), nil, nil
	case draft.DeliveryID != "":
		return "id:" + draft.DeliveryID, nil, nil
	case d.ReplayOf != "":
		return "replay:" + d.ReplayOf, nil, nil
	}
	return "", nil, nil
}

// fingerprint is what makes two posts the same: the body, but for the boundary of a
// multipart one, which senders draw anew for each try.
func fingerprint(d webhook.Delivery) []byte {
	if _, params, err := mime.ParseMediaType(d.Header("content-type")); err == nil && params["boundary"] != "" {
		return bytes.ReplaceAll(d.Body, []byte(params["boundary"]), nil)
	}
	return d.Body
}

// contactOf makes the contact of a draft: where it enters, whose it is and where it
// comes from (specification, 4.5.2 to 4.5.4).
func contactOf(hook Hook, draft intake.Draft, at time.Time) crm.Contact {
	c := crm.Contact{
		ID: newID(), OrgID: hook.OrgID, WebhookID: hook.ID, Name: draft.DisplayName(hook.Kind), Email: draft.Email, Phone: draft.Phone,
		PhoneE164: draft.PhoneE164, Company: draft.Company, Amount: catalog.Money(draft.Amount), StageID: hook.Entry.ID, CreatedAt: at,
	}
	for _, a := range draft.Attribution {
		c.Attribution = append(c.Attribution, crm.Attribute(a))
	}
	if m, ok := crm.FirstAssignee(hook.Members); ok {
		c.AssigneeID = m.ID
	}
	var stated bool
	c.OriginID, stated = originOf(hook, draft)
	if draft.Origin != "" && !stated {
		// What the sender said and no field holds is not lost.
		draft.Leftover = append(draft.Leftover, intake.Pair{Key: "Origem informada", Value: draft.Origin})
	}
	c.Note = draft.Note()
	return c
}

// originOf returns the origin that a contact is linked to, and whether it is the one
// that the sender stated. A fixed origin wins; a campaign's source counts only where
// the sender states nothing.
func originOf(hook Hook, draft intake.Draft) (id string, stated bool) {
	raw := draft.Origin
	if raw == "" {
		raw = draft.FallbackOrigin
	}
	folded := text.Fold(raw)
	for _, o := range hook.Origins {
		if folded != "" && text.Fold(o.Name) == folded {
			id = o.ID
		}
	}
	if hook.OriginID != "" {
		return hook.OriginID, id == hook.OriginID
	}
	return id, id != ""
}

// Simulation is the contact that a post would make.
type Simulation struct {
	Contact crm.Contact
	// Origin, Funnel, Stage and Assignee are names; empty when there is none.
	Origin, Funnel, Stage, Assignee string
	// Fields says which key of the body each field was read from.
	Fields []intake.Source
	// DeliveryID is the product's own id, by which a retry would be known.
	DeliveryID string
}

// Simulate says what Receive would make of a post. It writes nothing, not even into
// the delivery log. Faults: those of Receive, but for ReusedIdempotencyKey.
func (i *Intake) Simulate(ctx context.Context, hook Hook, p Post) (Simulation, error) {
	leave, err := i.room(ctx, len(p.Body))
	if err != nil {
		return Simulation{}, err
	}
	defer leave()
	d := webhook.Delivery{At: i.clock(), Headers: p.Headers, Body: p.Body}
	if f := admit(hook, p); f != nil {
		return Simulation{}, f
	}
	if f := checkSignature(hook, d, p.Signed); f != nil {
		return Simulation{}, f
	}
	return simulate(hook, d)
}

// Try says what a webhook would make of a body that somebody pasted, enabled or not
// and unsigned. It writes nothing. Faults: InvalidRequest, InvalidEmail,
// ServiceUnavailable.
func (i *Intake) Try(ctx context.Context, by Caller, webhookID string, body []byte) (Simulation, error) {
	_, token, err := findWebhook(ctx, i.store.Repos(), by, webhookID)
	if err != nil {
		return Simulation{}, err
	}
	hook, err := i.Open(ctx, token.Reveal())
	if err != nil {
		return Simulation{}, err
	}
	return simulate(hook, webhook.Delivery{At: i.clock(), Body: body})
}

// Explain says how a delivery is read now: the contact that it makes, or would make,
// and which key each field comes from. Faults: those of Try.
func (i *Intake) Explain(ctx context.Context, by Caller, d webhook.Delivery) (Simulation, error) {
	_, token, err := findWebhook(ctx, i.store.Repos(), by, d.WebhookID)
	if err != nil {
		return Simulation{}, err
	}
	hook, err := i.Open(ctx, token.Reveal())
	if err != nil {
		return Simulation{}, err
	}
	return simulate(hook, d)
}

// simulate reads a delivery. What it read comes with the fault of a missing e-mail.
func simulate(hook Hook, d webhook.Delivery) (Simulation, error) {
	draft, err := intake.Read(hook.Options, d.Header("content-type"), d.Body)
	if err != nil {
		return Simulation{}, err
	}
	c := contactOf(hook, draft, d.At)
	s := Simulation{Contact: c, Funnel: hook.Funnel, Stage: hook.Entry.Name, Fields: draft.Fields, DeliveryID: draft.DeliveryID}
	for _, o := range hook.Origins {
		if o.ID == c.OriginID {
			s.Origin = o.Name
		}
	}
	for _, m := range hook.Members {
		if m.ID == c.AssigneeID {
			s.Assignee = m.Name
		}
	}
	return s, draft.CheckEmail()
}

// Deliveries returns the delivery log of a webhook, newest first. after is the id of
// the last one seen. Faults: InvalidRequest, ServiceUnavailable.
func (i *Intake) Deliveries(ctx context.Context, by Caller, webhookID string, outcome webhook.Outcome, after string, limit int) ([]webhook.Delivery, error) {
	if after != "" && !validID(after) {
		return nil, checkPage(after, 1)
	}
	if _, _, err := findWebhook(ctx, i.store.Repos(), by, webhookID); err != nil {
		return nil, err
	}
	first := after
	return paged(limit, func(after string, n int) ([]webhook.Delivery, error) {
		return i.store.Repos().Deliveries.Page(ctx, webhookID, outcome, cmp.Or(after, first), n)
	}, func(d webhook.Delivery) string { return d.ID })
}

// Delivery returns one delivery with its body. Faults: InvalidRequest,
// ServiceUnavailable.
func (i *Intake) Delivery(ctx context.Context, by Caller, id string) (webhook.Delivery, error) {
	notFound := missing("delivery", "Não há entrega com este id; elas são guardadas por 30 dias.")
	if !validID(id) {
		return webhook.Delivery{}, notFound
	}
	d, err := i.store.Repos().Deliveries.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !by.sees(d.OrgID) {
		return webhook.Delivery{}, notFound
	}
	if err == nil {
		err = by.manages(d.OrgID)
	}
	return d, err
}

// Replay reads a delivery of the log again, as if it came now: after an alias, a
// setting or the webhook itself was mended. What it is known by is kept, so that it
// never makes a second contact; signatures are not checked again, because a person
// vouches for it. Faults: those of Receive, and InvalidRequest when there is no such
// delivery or it was not kept whole.
func (i *Intake) Replay(ctx context.Context, by Caller, id string) (Accepted, error) {
	old, err := i.Delivery(ctx, by, id)
	if err != nil {
		return Accepted{}, err
	}
	if old.ContactID != "" {
		return Accepted{ContactID: old.ContactID, Repeated: true}, nil
	}
	if old.Truncated {
		return Accepted{}, invalid("delivery", "O corpo desta entrega não chegou ou não foi guardado inteiro, e não pode ser lido de novo.")
	}
	_, token, err := findWebhook(ctx, i.store.Repos(), by, old.WebhookID)
	if err != nil {
		return Accepted{}, err
	}
	hook, err := i.Open(ctx, token.Reveal())
	if err != nil {
		return Accepted{}, err
	}
	if !hook.Enabled {
		return Accepted{}, disabled()
	}
	d := webhook.Delivery{
		ID: newID(), OrgID: old.OrgID, WebhookID: old.WebhookID, At: i.clock(), Headers: old.Headers, Body: old.Body, ReplayOf: old.ID,
	}
	if old.ReplayOf != "" {
		d.ReplayOf = old.ReplayOf // one delivery makes one contact, by whatever path
	}
	return i.take(ctx, hook, d)
}

// keepFor is how long the delivery log and what posts are known by are kept.
const keepFor = 30 * 24 * time.Hour

// Forget removes deliveries and keys of more than 30 days ago. Run calls it
// regularly.
func (i *Intake) Forget(ctx context.Context) error {
	return forget(ctx, func(ctx context.Context) (int, error) {
		return i.store.Repos().Inbox.Forget(ctx, i.clock().Add(-keepFor))
	})
}

// forget removes what is old, some at a time, until nothing is left.
func forget(ctx context.Context, some func(context.Context) (int, error)) error {
	for {
		if n, err := some(ctx); err != nil || n == 0 {
			return err
		}
	}
}
