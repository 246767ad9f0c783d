// Package intake takes the posts of webhooks: it reads, logs and replays them, and makes their contacts.
package intake

import (
	"context"
	"errors"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// Intake receives what forms and systems send to webhooks (specification, 4.5).
type Intake struct {
	store ports.Store
	clock app.Clock
	// large holds a slot for each large body that is being read.
	large chan struct{}
	// platforms read notifications that name leads, see NewLeads; waiting wakes those who fetch them.
	platforms map[intake.Kind]ports.LeadSource
	waiting   app.Wake
	mails     bool
}

const (
	// largeBody is the size, in bytes, from which a body is large. Reading one takes many times its size for a moment, so
	// only largeAtOnce are read at one time.
	largeBody   = 64 << 10
	largeAtOnce = 4
)

// New returns the use case.
func New(store ports.Store, clock app.Clock) *Intake {
	return &Intake{store: store, clock: clock, large: make(chan struct{}, largeAtOnce), waiting: app.NewWake()}
}

// Mailing says that members are told of new contacts by e-mail, and returns the use case.
func (i *Intake) Mailing(yes bool) *Intake {
	i.mails = yes
	return i
}

// Post is one request to a webhook.
type Post struct {
	// Headers are the informative ones, with names in lower case.
	Headers []intake.Pair
	// Body is what is read and stored, without the contents of files in a multipart body.
	Body []byte
	// Signed is the body as it came, byte for byte, for the signature.
	Signed []byte
	// Truncated is true when Body is only the beginning.
	Truncated bool
	// Declared is the refusal of a body whose declared size is already too large.
	Declared *fault.Error
	// Unread is why the body could not be read completely; nil when it was.
	Unread *fault.Error
}

// Accepted is the result of an accepted post.
type Accepted struct {
	// ContactID is the contact, the first of several; Others are those of the further people, in the order of the body.
	ContactID string
	Others    []string
	// Known is how many of the people had come before: their contacts are those made then.
	Known int
	// Repeated is true when all of them had.
	Repeated bool
	// OnlyNoted is true for a notification that names leads, of which Noted were new; they are fetched later.
	OnlyNoted bool
	Noted     int
}

// Made is how many contacts the post made.
func (a Accepted) Made() int { return 1 + len(a.Others) - a.Known }

// acceptedOf combines the receipts of a post's people.
func acceptedOf(met []ports.Receipt) Accepted {
	a := Accepted{ContactID: met[0].ContactID}
	for i, r := range met {
		if i > 0 {
			a.Others = append(a.Others, r.ContactID)
		}
		if r.Repeated {
			a.Known++
		}
	}
	a.Repeated = a.Known == len(met)
	return a
}

// Open returns the webhook that a token opens, enabled or not, in its present state. Faults: UnknownWebhook,
// ServiceUnavailable.
func (i *Intake) Open(ctx context.Context, token string) (webhook.Hook, error) {
	unknown := fault.New(fault.UnknownWebhook,
		"Nenhum webhook tem este endereço. Confira se ele foi copiado inteiro e se o token não foi trocado.")
	t, ok := webhook.ParseToken(token)
	if !ok {
		return webhook.Hook{}, unknown
	}
	hook, err := i.store.Repos().Webhooks.Open(ctx, t, i.clock())
	if errors.Is(err, ports.ErrNotFound) {
		return webhook.Hook{}, unknown
	}
	return hook, err
}

// reopenAfter is how long a body may take before the webhook is read again.
const reopenAfter = time.Second

// Admit opens the webhook of a token, lets read fetch the post for it, and returns both. If that took long, the webhook
// may have changed meanwhile, and is opened again. Faults: UnknownWebhook, ServiceUnavailable.
func (i *Intake) Admit(ctx context.Context, token string, read func(webhook.Hook) Post) (webhook.Hook, Post, error) {
	hook, err := i.Open(ctx, token)
	if err != nil {
		return hook, Post{}, err
	}
	opened := ports.Now()
	p := read(hook)
	if ports.Since(opened) > reopenAfter {
		hook, err = i.Open(ctx, token)
	}
	return hook, p, err
}

// Receive takes a post. It checks, in this order: declared size, enabled, read completely, signature, readable,
// delivered before, e-mail. An accepted post is one transaction, durable before Receive returns, with the effects of
// the specification in their order (4.5): contact in the entry stage, assignee, origin, notification, history entry,
// counter, and the job that fires the automations, if any; all of this for each of several people, except those that
// came before. A refused post leaves a line in the delivery log and nothing else; if even that cannot be written, the
// fault is ServiceUnavailable, so that the sender tries again.
//
// Faults: BodyTooLarge, WebhookDisabled, IncompleteRequest, InvalidRequest,
// Unauthenticated (the signature), ReusedIdempotencyKey, InvalidEmail,
// ServiceUnavailable.
func (i *Intake) Receive(ctx context.Context, hook webhook.Hook, p Post) (_ Accepted, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "intake.receive")
	defer func() { ports.EndSpan(span, err) }()
	d := webhook.Delivery{
		ID: app.NewID(), OrgID: hook.OrgID, WebhookID: hook.ID, At: i.clock(), Headers: p.Headers, Body: p.Body,
		Truncated: p.Truncated,
	}
	release, err := i.waitForPlace(ctx, len(p.Body))
	if err != nil {
		return Accepted{}, err
	}
	defer release()
	if f := admit(hook, p); f != nil {
		return i.refuse(ctx, ports.Arrival{Delivery: d}, f)
	}
	if f := checkSignature(hook, d, p.Signed); f != nil {
		return i.refuse(ctx, ports.Arrival{Delivery: d}, f)
	}
	if hook.Kind.Fetched() {
		return i.note(ctx, hook, d)
	}
	return i.take(ctx, hook, d, replay{}, d.At)
}

// waitForPlace waits until a body of that size may be read; release frees the slot. Fault: ServiceUnavailable.
func (i *Intake) waitForPlace(ctx context.Context, size int) (release func(), err error) {
	if size < largeBody {
		return func() {}, nil
	}
	select {
	case i.large <- struct{}{}:
		return func() { <-i.large }, nil
	case <-ctx.Done():
		return nil, fault.New(fault.ServiceUnavailable,
			"Há envios grandes demais ao mesmo tempo. Tente de novo em instantes.").
			After(2 * time.Second)
	}
}

func admit(hook webhook.Hook, p Post) *fault.Error {
	switch {
	case p.Declared != nil:
		return p.Declared
	case !hook.Enabled:
		return disabled()
	}
	return p.Unread
}

func disabled() *fault.Error {
	return fault.New(fault.WebhookDisabled,
		"Este webhook está desabilitado e não recebe contatos. Habilite-o e envie de novo.")
}

func checkSignature(hook webhook.Hook, d webhook.Delivery, signed []byte) *fault.Error {
	switch err := hook.Signature.Check(d, signed, d.At); {
	case err == nil:
		return nil
	case errors.Is(err, webhook.ErrUnsigned):
		return fault.New(fault.Unauthenticated, "Este webhook exige assinatura, e a requisição veio sem ela: falta "+
			hook.Signature.Expects()+". Configure o mesmo segredo no remetente.")
	case errors.Is(err, webhook.ErrStale):
		return fault.New(fault.Unauthenticated,
			"A assinatura é de mais de cinco minutos atrás ou à frente. Confira o relógio do remetente.")
	}
	return fault.New(fault.Unauthenticated, "A assinatura não confere. Confira se o segredo é o mesmo dos dois lados.")
}

// replay is the delivery that is read once more, whether its Idempotency-Key is found to be another post's, and what
// somebody typed beside it, if they did; empty for a post.
type replay struct {
	of      string
	usedKey bool
	typed   *Completion
}

// take reads an admitted post, stores what it makes, and returns the decision on it. said is when its people said what
// stands in it.
func (i *Intake) take(
	ctx context.Context, hook webhook.Hook, d webhook.Delivery, read replay, said time.Time,
) (Accepted, error) {
	line := ports.Arrival{Delivery: d, Read: read.of}
	drafts, err := intake.ReadAll(hook.Options, d.Header("content-type"), d.Body)
	if err != nil {
		return i.refuse(ctx, line, err)
	}
	// By what was sent, whatever is typed: then no retry makes a second contact.
	known, err := identify(d, drafts, read.usedKey)
	if err != nil {
		return i.refuse(ctx, line, err)
	}
	read.typed.address(drafts)
	unfit := drafts[0].CheckEmail() // of several people each has an address
	met, err := i.metEarlier(ctx, d.OrgID, d.WebhookID, known)
	switch {
	case err != nil:
	case unfit == nil:
		arrival := arrivalOf(hook, drafts, d, known)
		read.typed.fill(&arrival.People[0].Contact)
		arrival.Read, arrival.Mails = read.of, i.mails
		dateConsents(arrival, said)
		met, err = i.keep(ctx, arrival, known.strict, met)
	case known.keys[0] != "" && !met[0].Repeated:
		// It may be a repeat of an accepted post, which had what this one lacks.
		var first []ports.Receipt
		first, err = i.store.Repos().Inbox.Known(ctx, d.OrgID, d.WebhookID, known.keys[:1], known.fingerprint)
		if copy(met, first); errors.Is(err, ports.ErrNotFound) {
			err = nil
		}
	}
	if err != nil {
		return Accepted{}, err
	}
	outcome, why := known.decide(met, unfit)
	accepted := acceptedOf(met)
	switch outcome {
	case webhook.Accepted:
		return accepted, nil
	case webhook.Refused:
		if read.of != "" && !read.usedKey && fault.CodeOf(why) == fault.ReusedIdempotencyKey {
			read.usedKey = true
			return i.take(ctx, hook, d, read, said)
		}
		return i.refuse(ctx, line, why)
	case webhook.Repeated:
	}
	line.Delivery.Outcome = webhook.Repeated
	line.Delivery.ContactID, line.Delivery.Others = accepted.ContactID, accepted.Others
	if _, err := i.store.Repos().Inbox.Take(ctx, line); err != nil {
		return Accepted{}, err
	}
	return accepted, nil
}

// metEarlier returns the receipts that stand under the earlier keys of a post's people, for the same body.
func (i *Intake) metEarlier(ctx context.Context, orgID, webhookID string, known identity) ([]ports.Receipt, error) {
	none := make([]ports.Receipt, len(known.keys))
	if !slices.ContainsFunc(known.earlier, func(key string) bool { return key != "" }) {
		return none, nil
	}
	met, err := i.store.Repos().Inbox.Known(ctx, orgID, webhookID, known.earlier, known.fingerprint)
	if errors.Is(err, ports.ErrNotFound) {
		return none, nil
	}
	for j := range met {
		if !met[j].Same {
			met[j] = ports.Receipt{}
		}
	}
	return met, err
}

// keep stores an arrival. If some of its people came before, it stores the others, and lists the earlier contacts in
// the delivery beside theirs. It returns a receipt for each; met has those that are known already. Nothing is stored
// when all came before, or, if strict, when one came before with another body.
func (i *Intake) keep(
	ctx context.Context, a ports.Arrival, strict bool, met []ports.Receipt,
) ([]ports.Receipt, error) {
	people := a.People
	for {
		var contacts []string
		a.People = a.People[:0:0]
		for j, n := range people {
			if !met[j].Repeated {
				a.People = append(a.People, n)
				met[j].ContactID = n.Contact.ID
			}
			contacts = append(contacts, met[j].ContactID)
		}
		if len(a.People) == 0 {
			return met, nil
		}
		a.Delivery.ContactID, a.Delivery.Others = contacts[0], contacts[1:]
		now, err := i.store.Repos().Inbox.Take(ctx, a)
		if err != nil {
			return nil, err
		}
		kept, next := true, 0
		for j := range met {
			if met[j].Repeated {
				continue
			}
			met[j], next = now[next], next+1
			kept = kept && !met[j].Repeated
		}
		if kept || strict && !same(met) {
			return met, nil
		}
		asOne(people, met)
	}
}

// asOne answers a retry of a post that an older version took, which read its people as one: each is the contact that
// was made of all. It had the key of the last. A post is stored as a whole, so where the last alone is known by this
// very body, it was read otherwise then; where others are, the webhook reads more people since, who are new.
func asOne(people []ports.Newcomer, met []ports.Receipt) {
	last := len(met) - 1
	if last < 1 || !met[last].Repeated || !met[last].Same ||
		slices.ContainsFunc(met[:last], func(r ports.Receipt) bool { return r.Repeated }) {
		return
	}
	for j := range met[:last] {
		if people[j].Key != "" {
			met[j] = met[last]
		}
	}
}

// same reports whether the people who came before came with the same body.
func same(met []ports.Receipt) bool {
	return !slices.ContainsFunc(met, func(r ports.Receipt) bool { return r.Repeated && !r.Same })
}

// decide decides on a post by what the store knows of its keys: it is accepted when somebody comes for the first time,
// or refused because it is unfit; otherwise it is a repeat, or refused because its key belongs to another post.
func (k identity) decide(met []ports.Receipt, unfit error) (webhook.Outcome, error) {
	first := slices.ContainsFunc(met, func(r ports.Receipt) bool { return !r.Repeated })
	switch {
	case k.strict && !same(met):
		return webhook.Refused, fault.New(fault.ReusedIdempotencyKey,
			"Esta Idempotency-Key já foi usada com outro corpo. Use uma chave nova para cada contato.").At("Idempotency-Key")
	case first && unfit != nil:
		return webhook.Refused, unfit
	case first:
		return webhook.Accepted, nil
	}
	return webhook.Repeated, nil
}

// refuse writes a refusal into the delivery log and returns it.
func (i *Intake) refuse(ctx context.Context, line ports.Arrival, why error) (Accepted, error) {
	var f *fault.Error
	if !errors.As(why, &f) {
		return Accepted{}, why
	}
	d := &line.Delivery
	d.Outcome, d.Code, d.Reason = webhook.Refused, string(f.Code), f.Message
	if _, err := i.store.Repos().Inbox.Take(ctx, line); err != nil {
		return Accepted{}, err
	}
	return Accepted{}, f
}
