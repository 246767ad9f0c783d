package intake

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
	"fichario/ports"
)

// Webhooks makes and changes webhooks.
type Webhooks struct {
	store ports.Store
	clock app.Clock
}

// NewWebhooks returns the use case.
func NewWebhooks(store ports.Store, clock app.Clock) *Webhooks {
	return &Webhooks{store: store, clock: clock}
}

// NewWebhook describes a webhook to be made.
type NewWebhook struct {
	OrgID, Name string
	intake.Options
	// Origin is the name of the fixed origin; empty for none.
	Origin    string
	Signature webhook.Signature
	// VerifyToken is for the kind intake.Meta, which also needs the app's secret as Signature.
	VerifyToken string
	ThanksURL   string
	// Rotation is the name or id of the rotation that assigns its contacts; empty for none.
	Rotation string
}

// Create makes an enabled webhook. Faults: InvalidRequest with the field at fault, NotFound, Forbidden,
// ServiceUnavailable.
func (w *Webhooks) Create(ctx context.Context, by app.Caller, n NewWebhook) (webhook.Webhook, webhook.Token, error) {
	fail := func(err error) (webhook.Webhook, webhook.Token, error) {
		return webhook.Webhook{}, webhook.Token{}, err
	}
	name, ok := crm.CleanName(n.Name)
	switch {
	case !ok:
		return fail(badName())
	case !n.Kind.Valid():
		return fail(app.Invalid("type", "O tipo deve ser generic, formservice, meta ou linkedin."))
	case n.Band != "" && !n.Band.Valid():
		return fail(app.Invalid("bands", "As faixas de valor devem ser zero, lower, middle ou upper."))
	}
	if n.Band == "" {
		n.Band = fields.BandZero
	}
	if err := checkSettings(n.Kind, n.Signature, n.ThanksURL); err != nil {
		return fail(err)
	}
	if err := checkEmailKey(&n.EmailKey); err != nil {
		return fail(err)
	}
	if err := app.MayManageOrg(ctx, w.store.Repos(), by, n.OrgID); err != nil {
		return fail(err)
	}
	hook := webhook.Webhook{
		ID: app.NewID(), OrgID: n.OrgID, Name: name, Options: n.Options, Enabled: true, Signature: n.Signature,
		VerifyToken: n.VerifyToken, ThanksURL: n.ThanksURL, CreatedAt: w.clock(),
	}
	if err := checkComplete(hook); err != nil {
		return fail(err)
	}
	token := webhook.NewToken()
	err := w.store.InTx(ctx, func(ctx context.Context, r ports.Repos) (err error) {
		// The lock keeps the named rotation from being removed before the webhook is written.
		if err := r.Orgs.Lock(ctx, n.OrgID); err != nil {
			return err
		}
		if hook.OriginID, err = contacts.OriginNamed(ctx, r, n.OrgID, n.Origin); err != nil {
			return err
		}
		if hook.RotationID, err = contacts.RotationNamed(ctx, r, n.OrgID, n.Rotation); err != nil {
			return err
		}
		if err := r.Webhooks.Create(ctx, hook, token); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: hook.OrgID, Action: audit.WebhookCreated, Object: hook.ID, Detail: hookDetail(hook),
		})
	})
	if err != nil {
		return fail(err)
	}
	return hook, token, nil
}

func checkSettings(k intake.Kind, s webhook.Signature, thanksURL string) error {
	switch {
	case s.Usable():
	case k.Fetched():
		return app.Invalid("secret", "Um webhook do tipo "+string(k)+" precisa do segredo do aplicativo, com ao menos 8 caracteres.")
	default:
		return app.Invalid("secret", "A assinatura deve ser typeform, tally, standard, hmac ou google, com um segredo de ao menos 8 caracteres; o de standard é base64, com whsec_ antes. Um cabeçalho próprio é só para hmac, com letras, algarismos e hifens.")
	}
	if thanksURL == "" {
		return nil
	}
	u, err := url.Parse(thanksURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return app.Invalid("thanksUrl", "O endereço de agradecimento deve ser um http:// ou https:// completo.")
	}
	return nil
}

// checkComplete refuses a webhook that lacks what its kind needs.
func checkComplete(h webhook.Webhook) error {
	if h.Complete() {
		return nil
	}
	if h.Kind == intake.LinkedIn {
		return app.Invalid("secret", "Um webhook do tipo linkedin precisa do segredo do aplicativo (Client secret), e não tem token de verificação.")
	}
	return app.Invalid("verifyToken", "Um webhook do tipo meta precisa de um token de verificação, de até 200 letras, e do segredo do aplicativo; os outros tipos não têm token de verificação.")
}

// checkEmailKey trims a key of the e-mail, which may be empty.
func checkEmailKey(key *string) error {
	clean, ok := crm.CleanName(*key)
	if *key = clean; !ok && clean != "" {
		return app.Invalid("emailKey", fmt.Sprintf("O campo do e-mail pode ter até %d caracteres.", crm.NameMax))
	}
	return nil
}

// WebhookView is a webhook with the names and the token that those who manage it may see.
type WebhookView struct {
	webhook.Webhook
	// Origin is the name of the fixed origin; empty when there is none.
	Origin string
	// Rotation is the name of the rotation that assigns its contacts; empty when there is none.
	Rotation string
	Token    webhook.Token
}

// Show returns a webhook. Faults: NotFound, Forbidden, ServiceUnavailable.
func (w *Webhooks) Show(ctx context.Context, by app.Caller, id string) (WebhookView, error) {
	v, err := webhookKind.Managed(ctx, w.store.Repos(), by, id)
	if err != nil {
		return v, err
	}
	n, err := app.NamesOf(ctx, w.store.Repos(), v.OrgID, v.OriginID, v.RotationID)
	v.Origin, v.Rotation = n.Name(crm.NamedOrigin, v.OriginID), n.Name(crm.NamedRotation, v.RotationID)
	return v, err
}

// List returns the webhooks of an organisation, oldest first. Faults: NotFound, Forbidden, ServiceUnavailable.
func (w *Webhooks) List(ctx context.Context, by app.Caller, orgID string) ([]webhook.Webhook, error) {
	if err := app.MayManageOrg(ctx, w.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return w.store.Repos().Webhooks.List(ctx, orgID)
}

// Unsettled returns how many refused posts since then nobody has made a contact of, by webhook of an organisation.
// Faults: NotFound, Forbidden, ServiceUnavailable.
func (w *Webhooks) Unsettled(
	ctx context.Context, by app.Caller, orgID string, since time.Time,
) (map[string]int, error) {
	r := w.store.Repos()
	if err := app.MayManageOrg(ctx, r, by, orgID); err != nil {
		return nil, err
	}
	received, err := r.Deliveries.Summaries(ctx, orgID, since)
	if err != nil {
		return nil, err
	}
	return app.Unsettled(ctx, r, orgID, since, received)
}

// UnsettledOf is Unsettled for one webhook, of what it received since then. Faults: those of Unsettled.
func (w *Webhooks) UnsettledOf(
	ctx context.Context, by app.Caller, hook webhook.Webhook, since time.Time, received webhook.Summary,
) (int, error) {
	r := w.store.Repos()
	if err := app.MayManageOrg(ctx, r, by, hook.OrgID); err != nil {
		return 0, err
	}
	open, err := app.Unsettled(ctx, r, hook.OrgID, since, map[string]webhook.Summary{hook.ID: received})
	return open[hook.ID], err
}

// Latest returns the newest post, with its time and reason alone, of some webhooks of an organisation; bounds and days
// are those of Days, and outcome is the only one wanted, or "". It reads only the last day on which each
// received something, because on PostgreSQL more days cost more. Days does not count notices of leads that are still to
// be fetched: where such come, it also reads the days since. Faults: those of Unsettled.
func (w *Webhooks) Latest(
	ctx context.Context, by app.Caller, orgID string, hooks []webhook.Webhook, outcome webhook.Outcome, bounds []time.Time,
	days map[string][]webhook.Summary,
) (map[string]webhook.Delivery, error) {
	if err := app.MayManageOrg(ctx, w.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	out := map[string]webhook.Delivery{}
	for of, ids := range lastDays(hooks, outcome, len(bounds)-1, days) {
		newest, err := w.store.Repos().Deliveries.Latest(ctx, orgID, ids, outcome, bounds[of.from], bounds[of.until])
		if err != nil {
			return nil, err
		}
		maps.Copy(out, newest)
	}
	return out, nil
}

// daySpan are days by their numbers, until exclusive.
type daySpan struct{ from, until int }

// lastDays are the days of all that hold the newest post of each webhook, by these days; webhooks without a post are
// left out.
func lastDays(
	hooks []webhook.Webhook, outcome webhook.Outcome, all int, days map[string][]webhook.Summary,
) map[daySpan][]string {
	in := map[daySpan][]string{}
	for _, hook := range hooks {
		last := -1
		for day, got := range days[hook.ID] {
			if got.Of(outcome) > 0 {
				last = day
			}
		}
		switch notices := outcome == "" && hook.Kind.Fetched(); {
		case notices:
			since := daySpan{max(last, 0), all}
			in[since] = append(in[since], hook.ID)
		case last >= 0:
			day := daySpan{last, last + 1}
			in[day] = append(in[day], hook.ID)
		}
	}
	return in
}

// Days returns what the webhooks of an organisation received on each day, by webhook, or with the id of a webhook only
// that one; bounds holds the beginning of each day and, last, the end of the last one. Webhooks that received nothing
// are left out. Faults: those of Unsettled.
func (w *Webhooks) Days(
	ctx context.Context, by app.Caller, orgID, webhookID string, bounds []time.Time,
) (map[string][]webhook.Summary, error) {
	if err := app.MayManageOrg(ctx, w.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	figures, err := w.store.Repos().Figures.Deliveries(ctx, orgID, webhookID, bounds)
	out := map[string][]webhook.Summary{}
	for _, f := range figures {
		if out[f.WebhookID] == nil {
			out[f.WebhookID] = make([]webhook.Summary, len(bounds)-1)
		}
		out[f.WebhookID][f.Day] = webhook.Summary{Accepted: f.Accepted, Repeated: f.Repeated, Refused: f.Refused}
	}
	return out, err
}

// Change is a change of a webhook; nil leaves a field as it is.
type Change struct {
	Name *string
	// Origin is the name of the fixed origin; "" for none.
	Origin    *string
	Enabled   *bool
	Kind      *intake.Kind
	Band      *fields.Band
	Signature *webhook.Signature
	// VerifyToken is Meta's.
	VerifyToken *string
	ThanksURL   *string
	// Rotation is the name or id of the rotation; "" for none.
	Rotation *string
	// EmailKey is the key under which the sender puts the e-mail; "" for none.
	EmailKey *string
	// Still refuses the change where the webhook is no longer as the caller saw it.
	Still app.Still[webhook.Webhook]
}

// Update changes a webhook; the next post sees it. Faults: InvalidRequest with the field at fault, NotFound, Forbidden,
// ServiceUnavailable.
func (w *Webhooks) Update(ctx context.Context, by app.Caller, id string, c Change) error {
	of, err := webhookKind.Managed(ctx, w.store.Repos(), by, id)
	if err != nil {
		return err
	}
	return w.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		// Locked before the webhook, which is locked when found, so that the named rotation stays until the webhook is
		// written.
		if err := r.Orgs.Lock(ctx, of.OrgID); err != nil {
			return err
		}
		v, err := webhookKind.Managed(ctx, r, by, id)
		if err != nil {
			return err
		}
		before := v.Webhook
		if err := c.Still.Check(before); err != nil {
			return err
		}
		if err := c.apply(ctx, r, &v.Webhook); err != nil {
			return err
		}
		if v.Webhook == before {
			return nil
		}
		if err := r.Webhooks.Update(ctx, v.Webhook, w.clock()); err != nil {
			return err
		}
		if before.Kind != v.Kind {
			if err := forgetPages(ctx, r, by, v.Webhook); err != nil {
				return err
			}
		}
		changed := app.Differing(hookDetail(before), hookDetail(v.Webhook))
		if before.Signature.Secret != v.Signature.Secret {
			changed["segredo"] = "outro"
		}
		if before.VerifyToken != v.VerifyToken {
			changed["token_de_verificacao"] = "outro"
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: v.OrgID, Action: audit.WebhookChanged, Object: id, Detail: changed,
		})
	})
}

// forgetPages disconnects the pages of a webhook that becomes another platform's, or none's: their tokens are of no use
// there.
func forgetPages(ctx context.Context, r ports.Repos, by app.Caller, h webhook.Webhook) error {
	pages, err := r.LeadSources.List(ctx, h.OrgID, h.ID)
	if err != nil {
		return err
	}
	for _, s := range pages {
		if err := disconnected(ctx, r, by, h, s); err != nil {
			return err
		}
	}
	return nil
}

// hookDetail is what the audit says of a webhook, without secrets.
func hookDetail(h webhook.Webhook) audit.Detail {
	return audit.Detail{
		"nome": h.Name, "tipo": string(h.Kind), "faixa": string(h.Band), "habilitado": app.YesNo(h.Enabled),
		"origem": h.OriginID, "rodizio": h.RotationID, "assinatura": string(h.Signature.Scheme),
		"agradecimento": h.ThanksURL, "campo_email": h.EmailKey,
	}
}

func badName() error {
	return app.Invalid("name", fmt.Sprintf("O nome do webhook tem de 1 a %d caracteres.", crm.NameMax))
}

func (c Change) apply(ctx context.Context, r ports.Repos, hook *webhook.Webhook) (err error) {
	if c.Name != nil {
		name, ok := crm.CleanName(*c.Name)
		if !ok {
			return badName()
		}
		hook.Name = name
	}
	if c.Origin != nil {
		if hook.OriginID, err = contacts.OriginNamed(ctx, r, hook.OrgID, *c.Origin); err != nil {
			return err
		}
	}
	if c.Rotation != nil {
		if hook.RotationID, err = contacts.RotationNamed(ctx, r, hook.OrgID, *c.Rotation); err != nil {
			return err
		}
	}
	app.Replace(&hook.Enabled, c.Enabled)
	app.Replace(&hook.Kind, c.Kind)
	app.Replace(&hook.Band, c.Band)
	if hook.Unreadable && hook.Signature.Scheme != "" && c.Signature == nil {
		return app.Invalid("secret", "O segredo guardado da assinatura está ilegível: escreva-o de novo.")
	}
	app.Replace(&hook.Signature, c.Signature)
	app.Replace(&hook.VerifyToken, c.VerifyToken)
	app.Replace(&hook.ThanksURL, c.ThanksURL)
	if app.Replace(&hook.EmailKey, c.EmailKey); c.EmailKey != nil {
		if err := checkEmailKey(&hook.EmailKey); err != nil {
			return err
		}
	}
	if !hook.Kind.Valid() || !hook.Band.Valid() {
		return app.Invalid("type", "O tipo deve ser generic, formservice, meta ou linkedin; as faixas de valor, zero, lower, middle ou upper.")
	}
	if err := checkComplete(*hook); err != nil {
		return err
	}
	return checkSettings(hook.Kind, hook.Signature, hook.ThanksURL)
}

// Regenerate gives a webhook a new token. The old one ends at once, or after grace. Faults: InvalidRequest, NotFound,
// Forbidden, ServiceUnavailable.
func (w *Webhooks) Regenerate(ctx context.Context, by app.Caller, id string, grace time.Duration) error {
	if grace < 0 || grace > app.OverlapMax {
		return app.Invalid("grace", "O endereço antigo pode valer ainda de 0 a 720h.")
	}
	return w.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		hook, err := webhookKind.Managed(ctx, r, by, id)
		if err != nil {
			return err
		}
		if err := r.Webhooks.SetToken(ctx, id, webhook.NewToken(), app.EndAfter(w.clock(), grace)); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: hook.OrgID, Action: audit.WebhookRegenerated, Object: id,
			Detail: audit.Detail{"nome": hook.Name, "sobreposicao": grace.String()},
		})
	})
}

// webhookKind finds webhooks with their newest tokens.
var webhookKind = app.Kind[WebhookView]{
	Field: app.HookKind.Field, Missing: app.HookKind.Missing,
	Find: func(r ports.Repos) func(context.Context, string, string) (WebhookView, error) {
		return func(ctx context.Context, orgID, id string) (WebhookView, error) {
			hook, token, err := r.Webhooks.Find(ctx, orgID, id)
			return WebhookView{Webhook: hook, Token: token}, err
		}
	},
	OrgOf: func(v WebhookView) string { return v.OrgID },
}
