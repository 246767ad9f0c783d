package world_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"fichario/app"
	intakeapp "fichario/app/intake"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// ads is what worlds are about in which leads are fetched from an advertising platform.
var ads = theme{verbs: "ad 6 announce 3 token 2 pull 1 vanish 1 post 1 wait 3", first: "ad"}

// adChanges are what makes something that was read before wrong there.
const adChanges = "token 4 pull 3 announce 4 vanish 1 ad 1"

// aboutAds reports whether the world of a seed is about leads that are fetched: by the seed, so that the earlier worlds
// stay what they were.
func aboutAds(seed uint64) bool { return seed%13 == 7 }

const (
	adPage   = "1"
	adSecret = "segredo-do-aplicativo"
	// adKept is how often pages are read back, by the pace of the world's periodic work.
	adKept = 5
)

// platform is the advertising platform of a world: it keeps leads, and gives them to whoever has its token.
type platform struct {
	world *world
	mu    sync.Mutex
	leads []adLead
	token int // the number of the one that is taken; odd where nobody has it
	calls map[string]int
	kills int
	calm  bool // nothing goes wrong any more
}

// adLead is a lead of a person who left an e-mail, or did not.
type adLead struct {
	id    string
	mail  bool
	gone  bool
	at    time.Time
	known bool // it was answered once
}

// platformOf is the platform as an instance reaches it.
type platformOf struct {
	*platform
	from *instance
}

func (p *platform) secret() string { return fmt.Sprintf("token-%d", p.token) }

// step is a call; its error is a connection that was lost, a token that is not taken, or a mood.
func (p platformOf) step(ctx context.Context, what, token string) error {
	v := p.world.sched.await(p.from.name, "source", what)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[what]++
	switch mood := p.world.chance(100, "source", what, p.calls[what]); {
	case v != proceed || ctx.Err() != nil:
		return &ports.SourceError{Reason: "sem resposta"}
	case token != p.secret():
		return &ports.SourceError{Failure: ports.TokenDead, Reason: "o token não vale mais"}
	case p.calm || p.from.name == judge: // nothing goes wrong at the end, and while a world is made
	case mood < p.world.plan.moods.fails/2:
		return &ports.SourceError{Reason: "status 500"}
	case mood < p.world.plan.moods.fails:
		return &ports.SourceError{Failure: ports.SourceLimited, Reason: "chamadas demais", RetryAfter: time.Second}
	}
	return nil
}

func (p platformOf) Notices(body []byte) (all []webhook.Notice, err error) {
	var ids []string
	err = json.Unmarshal(body, &ids)
	for _, id := range ids {
		all = append(all, webhook.Notice{Lead: id, Page: adPage})
	}
	return all, err
}

func (p platformOf) Pages(ctx context.Context, a ports.SourceAccess) ([]webhook.Source, error) {
	if err := p.step(ctx, "pages", a.Token); err != nil {
		return nil, err
	}
	return []webhook.Source{{Page: adPage, Name: "Página", Token: a.Token, Forms: adForms}}, nil
}

var adForms = []webhook.Form{{ID: "1", Name: "Formulário"}}

func (p platformOf) Forms(ctx context.Context, a ports.SourceAccess) ([]webhook.Form, error) {
	return adForms, p.step(ctx, "forms", a.Token)
}

// told is a lead as the platform tells it.
func (l *adLead) told() webhook.Lead {
	l.known = true
	person := map[string]string{"nome": "Lead " + l.id, "telefone": "11988770044"}
	if l.mail {
		person["email"] = "lead" + l.id + "@x.example"
	}
	body, _ := json.Marshal(person)
	return webhook.Lead{ID: l.id, Form: "1", Body: body, CreatedAt: l.at}
}

func (p platformOf) Lead(ctx context.Context, a ports.SourceAccess, id string) (webhook.Lead, error) {
	if err := p.step(ctx, "lead", a.Token); err != nil {
		return webhook.Lead{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := range p.leads {
		if l := &p.leads[n]; l.id == id && !l.gone {
			return l.told(), nil
		}
	}
	return webhook.Lead{}, &ports.SourceError{Failure: ports.LeadGone, Reason: "não existe"}
}

// Leads lists two leads at once.
func (p platformOf) Leads(
	ctx context.Context, a ports.SourceAccess, _ []webhook.Form, after time.Time, cursor string,
) (all []webhook.Lead, next string, err error) {
	if err := p.step(ctx, "leads", a.Token); err != nil {
		return nil, "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := range p.leads {
		l := &p.leads[n]
		if l.gone || l.at.Before(after) || l.id <= cursor {
			continue
		}
		if all = append(all, l.told()); len(all) == 2 {
			return all, l.id, nil
		}
	}
	return all, "", nil
}

func (p platformOf) Worded(l webhook.Lead, _ webhook.Form) []byte { return l.Body }

func (p platformOf) Expiry(ctx context.Context, a ports.SourceAccess) (time.Time, error) {
	return time.Time{}, p.step(ctx, "token", a.Token)
}

func (p platformOf) Unsubscribe(ctx context.Context, a ports.SourceAccess) error {
	return p.step(ctx, "unsubscribe", a.Token)
}

// hasAds reports whether leads are fetched in this world.
func (w *world) hasAds() bool { return aboutAds(w.plan.seed) }

// fetching is the use case of an instance that fetches leads.
func (i *instance) fetching(now app.Clock) *intakeapp.Leads {
	return intakeapp.NewLeads(intakeapp.LeadsConfig{
		Store: i.store, Clock: now, ReadBack: adKept * i.world.plan.pace, Log: i.log,
		Platforms: map[intake.Kind]ports.LeadSource{intake.Meta: platformOf{i.world.platform, i}},
		AddressOf: func(webhook.Token) string { return "https://f.example/" },
	}, i.intake)
}

// connectAds makes the webhook and connects it.
func (w *world) connectAds(ctx context.Context) error {
	hook, token, err := w.judge.webhooks.Create(ctx, app.Operator(), intakeapp.NewWebhook{
		OrgID: w.orgID, Name: "Anúncios", Options: intake.Options{Kind: intake.Meta}, VerifyToken: "combinado",
		Signature: webhook.OfPlatform(intake.Meta, adSecret),
	})
	if err != nil {
		return err
	}
	w.adHook, w.adToken = hook.ID, token.Reveal()
	_, err = w.judge.leads.Connect(ctx, app.Operator(), w.adHook, w.platform.secret(), "")
	return err
}

// announce posts a signed notification of leads.
func (w *world) announce(ctx context.Context, i *instance, ids ...string) error {
	body, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	hook, err := i.intake.Open(ctx, w.adToken)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(adSecret))
	mac.Write(body)
	_, err = i.intake.Receive(ctx, hook, intakeapp.Post{Body: body, Signed: body, Headers: []intake.Pair{
		{Key: "content-type", Value: "application/json"},
		{Key: webhook.MetaHeader, Value: "sha256=" + hex.EncodeToString(mac.Sum(nil))},
	}})
	return err
}

func init() {
	// ad: somebody fills a form in. The platform may announce it once, twice or not at all.
	verbs["ad"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		w.platform.mu.Lock()
		l := adLead{id: fmt.Sprintf("%04d", len(w.platform.leads)+1), mail: h.op.b%5 > 0, at: time.Now()}
		w.platform.leads = append(w.platform.leads, l)
		w.platform.mu.Unlock()
		h.id = l.id
		for range []int{0, 1, 1, 1, 2}[h.op.c%5] {
			h.err = w.announce(ctx, i, l.id)
		}
	}
	// announce announces leads of before, again or late.
	verbs["announce"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		w.platform.mu.Lock()
		var ids []string
		for n := range w.platform.leads {
			if n >= h.op.c%len(w.platform.leads) {
				ids = append(ids, w.platform.leads[n].id)
			}
		}
		w.platform.mu.Unlock()
		if len(ids) == 0 {
			h.err = errAway
			return
		}
		h.err = w.announce(ctx, i, ids...)
	}
	// token ends the token, or renews it.
	verbs["token"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		w.platform.mu.Lock()
		if h.op.b%2 == 0 && w.platform.token%2 == 0 {
			w.platform.token++
			w.platform.kills++
			w.platform.mu.Unlock()
			return
		}
		if w.platform.token%2 == 1 {
			w.platform.token++
		}
		secret := w.platform.secret()
		w.platform.mu.Unlock()
		_, h.err = i.leads.Connect(ctx, app.Operator(), w.adHook, secret, "")
	}
	// pull reads the page back by hand, beside the workers.
	verbs["pull"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		_, h.err = i.leads.Backfill(ctx, app.Operator(), w.adHook, "", time.Time{})
	}
	// vanish removes a lead at the platform.
	verbs["vanish"] = func(w *world, _ context.Context, _ *instance, h *happening) {
		w.platform.mu.Lock()
		defer w.platform.mu.Unlock()
		if len(w.platform.leads) > 0 {
			w.platform.leads[h.op.c%len(w.platform.leads)].gone = true
		}
	}
}

// renewed gives the page a token that is taken, for the end of a world.
func (w *world) renewed() bool {
	w.platform.mu.Lock()
	w.platform.calm = true
	if w.platform.token%2 == 1 {
		w.platform.token++
	}
	secret := w.platform.secret()
	w.platform.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, err := w.at(0).leads.Connect(ctx, app.Operator(), w.adHook, secret, "")
	return err == nil
}

// leadStates are the states of leads that are stored, by key.
func (w *world) leadStates() map[string]string {
	out := map[string]string{}
	for _, row := range w.rows(fmt.Sprintf("SELECT key, state FROM leads WHERE webhook_id = '%s'", w.adHook)) {
		out[row[0]] = row[1]
	}
	return out
}

// allFetched reports whether every lead that the platform has was read, and none waits.
func (w *world) allFetched() bool {
	if !w.hasAds() {
		return true
	}
	states := w.leadStates()
	w.platform.mu.Lock()
	defer w.platform.mu.Unlock()
	for _, l := range w.platform.leads {
		state := webhook.LeadState(states[webhook.LeadKey(l.id)])
		if !l.gone && state != webhook.LeadTaken || state == webhook.LeadWaiting {
			return false
		}
	}
	return true
}

// judgeLeads: each lead that the platform has makes one contact, or one refused post where it has no e-mail, whoever
// announced it how often; one that it has no longer makes at most one; the team is told once of each token that ends.
func (w *world) judgeLeads() {
	if !w.hasAds() {
		return
	}
	states := w.leadStates()
	least, most := 0, 0
	w.platform.mu.Lock()
	defer w.platform.mu.Unlock()
	for _, l := range w.platform.leads {
		state := webhook.LeadState(states[webhook.LeadKey(l.id)])
		switch {
		case !l.gone && state != webhook.LeadTaken:
			w.fail("leads", "the lead %s is %q in the end, and the platform has it", l.id, state)
		case state == webhook.LeadWaiting:
			w.fail("leads", "the lead %s waits, and the platform no longer has it", l.id)
		case state == webhook.LeadTaken && !l.known:
			w.fail("leads", "the lead %s was read, and the platform never told it", l.id)
		}
		if l.mail && state == webhook.LeadTaken {
			least++
		}
		if l.mail && l.known {
			most++
		}
	}
	if n := int(w.number("SELECT count(*) FROM contacts WHERE webhook_id = '" + w.adHook + "'")); n < least || n > most {
		w.fail("leads", "%d leads with an e-mail were read, %d told, and there are %d contacts", least, most, n)
	}
	lines := int(w.number("SELECT count(*) FROM deliveries WHERE webhook_id = '" + w.adHook + "'"))
	if lines != len(states) {
		w.fail("leads", "%d leads are stored, and the log has %d lines", len(states), lines)
	}
	// A token that ends while it is being connected is told of, too.
	ends := w.platform.kills
	for _, h := range w.happened {
		if h.op.verb == "token" && !h.ended.Equal(h.begun) {
			ends++
		}
	}
	if told := int(w.numbers("SELECT count(*) FROM notifications WHERE org_id = '%s' AND kind = 'fonte_sem_acesso'")); told > ends {
		w.fail("leads", "%d tokens ended, and the team was told %d times", ends, told)
	}
}
