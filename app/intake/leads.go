package intake

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// Leads fetches the leads of the pages that webhooks of a platform are connected with. A page has one worker at a time,
// whichever instance leases it first: so what the platform says of a page (too many calls, a dead token) holds for all
// its leads. Each lead is written in a transaction of its own, so that a killed worker loses none and repeats none.
type Leads struct {
	LeadsConfig
	intake *Intake
	state  atomic.Pointer[leadState]
}

// leadState is what the metrics tell, as of the last Look.
type leadState struct {
	waiting int
	expires float64
}

// LeadsConfig is what Leads needs.
type LeadsConfig struct {
	Store ports.Store
	// Platforms are those that keep leads, by the kind of their webhooks.
	Platforms map[intake.Kind]ports.LeadSource
	// AddressOf is the address of a webhook with a token, for platforms that are told it when a page is subscribed.
	AddressOf func(webhook.Token) string
	Clock     app.Clock
	// ReadBack is how often a page is read back.
	ReadBack time.Duration
	// Mails is whether e-mail is configured.
	Mails bool
	Log   *slog.Logger
}

// NewLeads returns the use case, and lets i take notifications of the sources, which wake it.
func NewLeads(c LeadsConfig, i *Intake) *Leads {
	i.platforms = c.Platforms
	return &Leads{LeadsConfig: c, intake: i}
}

const (
	// pagesAtOnce is how many pages an instance works on, leadsAtOnce how many leads of one page.
	pagesAtOnce = 4
	leadsAtOnce = 8
	// leadsPerStep is how many leads are fetched before the lease is prolonged.
	leadsPerStep = 48
	// pageLease is how long an instance holds a page; a step takes less.
	pageLease  = 30 * time.Second
	stepAtMost = 25 * time.Second
	// overlap is how much of what was read back is read again: leads may be shown later than they were made.
	overlap = 10 * time.Minute
	// KeptBySource is how long the platform keeps a lead.
	KeptBySource = 90 * 24 * time.Hour
	// checkEvery is how often the platform is asked about a token.
	checkEvery = time.Hour
	// goneAfter is how often a lead is asked for that the platform does not show; one that was just made may be late.
	goneAfter = 2
	// partTries is how often a part of a list is asked for.
	partTries = 4
	// usedUp is the share of the allowance, in percent, from which a page rests.
	usedUp = 95
)

// Run works until ctx ends.
func (l *Leads) Run(ctx context.Context) {
	var loops sync.WaitGroup
	for range pagesAtOnce {
		loops.Go(func() {
			l.intake.waiting.Loop(ctx, l.Log, "fetch leads", 0, func() (bool, error) { return l.step(ctx) })
		})
	}
	loops.Wait()
}

// Look reads what Figures tells. It is a chore.
func (l *Leads) Look(ctx context.Context) error {
	n, err := l.Store.Repos().Leads.Count(ctx, "")
	if err != nil {
		return err
	}
	all, err := l.Store.Repos().LeadSources.List(ctx, "", "")
	s := leadState{waiting: n, expires: math.Inf(1)}
	for _, source := range all {
		if source.State == webhook.SourceDead {
			s.expires = 0
		} else if !source.ExpiresAt.IsZero() {
			s.expires = min(s.expires, max(source.ExpiresAt.Sub(l.Clock()).Seconds(), 0))
		}
	}
	if err == nil {
		l.state.Store(&s)
	}
	return err
}

// Figures returns how many leads wait, and in how many seconds the first token ends: 0 for a dead one, +Inf where none
// ends.
func (l *Leads) Figures() (waiting int, expires float64) {
	if s := l.state.Load(); s != nil {
		return s.waiting, s.expires
	}
	return 0, math.Inf(1)
}

// step works on the page that is due longest. It reports whether there was one.
func (l *Leads) step(ctx context.Context) (bool, error) {
	now, err := l.Store.Repos().Clock.Now(ctx, l.Clock())
	if err != nil {
		return false, err
	}
	// A lease for each turn: one that took too long has lost its page, also to another worker of this instance.
	s, err := l.Store.Repos().LeadSources.Claim(ctx, app.NewID(), now, now.Add(pageLease))
	if errors.Is(err, ports.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	hook, err := l.Store.Repos().Webhooks.HookOf(ctx, s.OrgID, s.WebhookID)
	if err != nil {
		return false, err
	}
	if l.Platforms[hook.Kind] == nil { // its type was changed since
		return true, nil
	}
	r := round{Leads: l, hook: hook, Source: s, now: now}
	return true, r.end(ctx, r.work(ctx))
}

// round is one turn of a worker at a page.
type round struct {
	*Leads
	webhook.Source
	hook webhook.Hook
	now  time.Time
	mu   sync.Mutex
	rest bool // the allowance is nearly used up
	// learned says that the forms were read in this turn.
	learned bool
	made    int // contacts
}

// form returns a form of the page, after reading the forms again for one that is new.
func (r *round) form(ctx context.Context, id string) (webhook.Form, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.FormOf(id); f.ID != "" || r.learned {
		return f, nil
	}
	forms, err := r.source().Forms(ctx, accessOf(r.hook.Webhook, r.Source))
	if err == nil {
		r.Forms, r.learned = forms, true
	}
	return r.FormOf(id), err
}

// source is the platform of the page.
func (r *round) source() ports.LeadSource { return r.Platforms[r.hook.Kind] }

func (r *round) access() ports.SourceAccess {
	a := accessOf(r.hook.Webhook, r.Source)
	a.Used = func(percent int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.rest = r.rest || percent >= usedUp
	}
	return a
}

// work asks about the token, reads the page back if it is due, and fetches what waits.
func (r *round) work(ctx context.Context) error {
	if r.Unreadable || r.hook.Unreadable {
		return &ports.SourceError{Failure: ports.TokenDead, Reason: "o token guardado está ilegível: renove-o"}
	}
	if r.now.Sub(r.CheckedAt) >= checkEvery {
		if err := r.checkToken(ctx); err != nil {
			return err
		}
	}
	var back error
	if began := r.now; !began.Before(r.RunAt) {
		if back = r.readBack(ctx, r.ReadTo.Add(-overlap)); back == nil {
			r.ReadTo, r.RunAt = began, began.Add(r.ReadBack)
		} else if !passing(back) {
			return back
		} else if err := r.hold(ctx); err != nil { // its calls may have taken most of the lease
			return err
		}
	}
	if err := r.fetchWaiting(ctx); err != nil {
		return err
	}
	return back
}

// passing reports whether an error is a failure of the platform that the next call may not meet: it keeps nothing else
// from being fetched.
func passing(err error) bool {
	var failed *ports.SourceError
	return errors.As(err, &failed) && failed.Failure == ports.SourceAway && failed.RetryAfter == 0
}

// checkToken asks when the token ends. An answer other than that it is dead does not keep leads from being fetched.
func (r *round) checkToken(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepAtMost)
	defer cancel()
	at, err := r.source().Expiry(ctx, r.access())
	var failed *ports.SourceError
	if errors.As(err, &failed) && failed.Failure != ports.TokenDead {
		return nil
	}
	if err == nil {
		r.ExpiresAt, r.CheckedAt, r.State, r.Reason = at, r.now, webhook.SourceOpen, ""
	}
	return err
}

// readBack reads all forms' leads since a time, as far as the platform keeps them.
func (r *round) readBack(ctx context.Context, since time.Time) error {
	if oldest := r.now.Add(-KeptBySource); since.Before(oldest) {
		since = oldest
	}
	forms, err := r.source().Forms(ctx, r.access())
	if err != nil {
		return err
	}
	r.Forms, r.learned, r.State, r.Reason = forms, true, webhook.SourceOpen, ""
	for cursor, more := "", true; more; {
		var found []webhook.Lead
		if found, cursor, err = r.part(ctx, forms, since, cursor); err != nil {
			return err
		}
		if err := r.takeNew(ctx, found); err != nil {
			return err
		}
		more = cursor != ""
		if err := r.hold(ctx); err != nil {
			return err
		}
	}
	return nil
}

// part lists a part of the leads. What fails in passing is called again: a list that is read from its beginning after
// each failure would never end on a platform that fails now and then.
func (r *round) part(
	ctx context.Context, forms []webhook.Form, since time.Time, cursor string,
) (found []webhook.Lead, next string, err error) {
	for try := 1; ; try++ {
		found, next, err = r.source().Leads(ctx, r.access(), forms, since, cursor)
		if try == partTries || !passing(err) {
			return found, next, err
		}
		select {
		case <-ports.After(time.Duration(try) * time.Second):
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
		if err := r.hold(ctx); err != nil {
			return nil, "", err
		}
	}
}

// takeNew takes those of some leads that were not read before.
func (r *round) takeNew(ctx context.Context, found []webhook.Lead) error {
	if len(found) == 0 {
		return nil
	}
	ids := make([]string, len(found))
	for i, l := range found {
		ids[i] = l.ID
	}
	untaken, err := r.Store.Repos().Leads.Untaken(ctx, r.WebhookID, ids...)
	if err != nil {
		return err
	}
	var fresh []webhook.Lead
	for _, l := range found {
		if _, is := untaken[l.ID]; is {
			fresh = append(fresh, l)
		}
	}
	return together(fresh, func(l webhook.Lead) error { return r.take(ctx, l, r.FormOf(l.Form)) })
}

// take stores a lead in the words of its form.
func (r *round) take(ctx context.Context, l webhook.Lead, of webhook.Form) error {
	l.Body = r.source().Worded(l, of)
	made, err := r.intake.takeLead(ctx, r.hook, r.Page, l)
	if made {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.made++
	}
	return err
}

// fetchWaiting fetches the leads that wait, until none is left or the page must rest.
func (r *round) fetchWaiting(ctx context.Context) error {
	for !r.rest {
		waiting, err := r.Store.Repos().Leads.Waiting(ctx, r.WebhookID, r.Page, r.now, leadsPerStep)
		if err != nil || len(waiting) == 0 {
			return err
		}
		if err := together(waiting, func(w webhook.WaitingLead) error { return r.fetch(ctx, w) }); err != nil {
			return err
		}
		if err := r.hold(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fetch fetches one lead. One that cannot be fetched is put off, so that it does not keep the others waiting; what is
// wrong with the page is an error.
func (r *round) fetch(ctx context.Context, w webhook.WaitingLead) error {
	ctx, cancel := context.WithTimeout(ctx, stepAtMost)
	defer cancel()
	l, err := r.source().Lead(ctx, r.access(), w.Lead)
	var of webhook.Form
	if err == nil {
		of, err = r.form(ctx, l.Form)
	}
	if err == nil {
		return r.take(ctx, l, of)
	}
	var failed *ports.SourceError
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Failure {
	case ports.LeadGone:
		if w.Attempts+1 >= goneAfter {
			return r.intake.loseLead(ctx, r.Source, w,
				r.hook.Kind.Platform().The+" não tem mais este lead: "+failed.Reason+".")
		}
		return r.Store.Repos().Leads.Delay(ctx, w.ID, r.now.Add(5*time.Second))
	case ports.SourceAway:
		if later := r.Store.Repos().Leads.Delay(ctx, w.ID, r.now.Add(backoff(w.Attempts, 5*time.Second))); later != nil {
			return later
		}
	case ports.TokenDead, ports.PermissionMissing, ports.SourceLimited:
	}
	return err
}

// hold prolongs the lease.
func (r *round) hold(ctx context.Context) error {
	now, err := r.Store.Repos().Clock.Now(ctx, r.Clock())
	if err != nil {
		return err
	}
	r.now = now
	if r.Lease == "" { // read back by hand, beside the workers
		return nil
	}
	return r.Store.Repos().LeadSources.Keep(ctx, r.Source, now.Add(pageLease))
}

// end writes what the page is like after a turn, tells the team what it has to know, and returns what is no failure of
// the platform.
func (r *round) end(ctx context.Context, err error) error {
	ctx = context.WithoutCancel(ctx)
	var failed *ports.SourceError
	switch {
	case err == nil:
		r.Failures = 0
		if r.State == webhook.SourceOpen && (r.Told == webhook.ToldDead || !r.dying()) {
			r.Told = webhook.ToldNothing // the token recovered by itself: its next end is news
		}
		if r.rest {
			r.PausedUntil = r.now.Add(time.Minute)
		}
	case errors.Is(err, ports.ErrNotFound): // connected anew, or removed
		return nil
	case errors.As(err, &failed):
		r.fail(failed)
		r.Log.WarnContext(ctx, "leads of a page could not be fetched", "webhook", r.WebhookID, "page", r.Page,
			"why", failed.Reason, "again", max(r.PausedUntil.Sub(r.now), 0).String())
	default:
		r.PausedUntil = r.now.Add(time.Second)
	}
	keep := r.Store.InTx(ctx, func(ctx context.Context, repos ports.Repos) error {
		news := r.news()
		if err := repos.LeadSources.Keep(ctx, r.withTold(news), time.Time{}); err != nil || news == r.Told {
			return err
		}
		return r.tell(ctx, repos, r.notification(news))
	})
	if errors.Is(keep, ports.ErrNotFound) {
		keep = nil
	}
	if failed != nil {
		return keep
	}
	return errors.Join(err, keep)
}

// fail plans the next attempt by what the platform said.
func (r *round) fail(why *ports.SourceError) {
	r.Reason = why.Reason
	switch why.Failure {
	case ports.TokenDead:
		r.State, r.RunAt, r.CheckedAt = webhook.SourceDead, r.now.Add(checkEvery), time.Time{}
	case ports.PermissionMissing:
		r.State, r.RunAt = webhook.SourceForbidden, r.now.Add(r.ReadBack)
	case ports.SourceLimited:
		r.PausedUntil = r.now.Add(max(why.RetryAfter, backoff(r.Failures, 10*time.Second)))
	case ports.SourceAway, ports.LeadGone:
		r.PausedUntil = r.now.Add(max(why.RetryAfter, backoff(r.Failures, time.Second)))
	}
	r.Failures++
}

// backoff is how long to wait after so many failures before: it doubles, up to a quarter of an hour.
func backoff(failures int, first time.Duration) time.Duration {
	return min(first<<min(failures, 10), 15*time.Minute)
}

// news is what the team has to be told of the token, or was told.
func (r *round) news() webhook.SourceNews {
	switch {
	case r.State == webhook.SourceDead:
		return webhook.ToldDead
	case r.Told == webhook.ToldNothing && r.dying():
		return webhook.ToldDying
	}
	return r.Told
}

// dying reports whether the token is to end soon.
func (r *round) dying() bool {
	return !r.ExpiresAt.IsZero() && r.ExpiresAt.Sub(r.now) <= webhook.TokenWarning
}

// tell notifies the team, and mails those who can renew a token.
func (r *round) tell(ctx context.Context, repos ports.Repos, n crm.Notification) error {
	if err := repos.Notifications.Create(ctx, n); err != nil || !r.Mails {
		return err
	}
	members, err := repos.Members.List(ctx, r.OrgID)
	for _, m := range members {
		if err != nil || !m.Active || m.Role == crm.Common {
			continue
		}
		err = repos.Jobs.Add(ctx, automation.Job{
			ID: app.NewID(), OrgID: r.OrgID, Kind: automation.MailMember, MemberID: m.ID, Detail: n.Subject,
			State: automation.Ready, RunAt: r.now, CreatedAt: r.now,
		})
	}
	return err
}

func (r *round) withTold(news webhook.SourceNews) webhook.Source {
	s := r.Source
	s.Told = news
	return s
}

func (r *round) notification(news webhook.SourceNews) crm.Notification {
	of := "O acesso à página " + r.Name + " " + r.hook.Kind.Platform().At
	what := of + " acabou. Os leads novos esperam e entram quando o token for renovado."
	if news == webhook.ToldDying {
		what = of + " acaba em " + r.ExpiresAt.Format("02/01/2006 15:04") +
			" (UTC). Renove o token antes, para que os leads não esperem."
	}
	return crm.Notification{
		ID: app.NewID(), OrgID: r.OrgID, Kind: crm.SourceToken, Subject: what, At: r.now,
	}
}

// together does something with each of some things, several at a time, and returns an error of one. After an error no
// more are begun.
func together[T any](all []T, do func(T) error) error {
	var (
		mu    sync.Mutex
		first error
		tasks sync.WaitGroup
	)
	next := make(chan T)
	for range min(leadsAtOnce, len(all)) {
		tasks.Go(func() {
			for one := range next {
				mu.Lock()
				over := first != nil
				mu.Unlock()
				if over {
					continue
				}
				if err := do(one); err != nil {
					mu.Lock()
					first = errors.Join(first, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, one := range all {
		next <- one
	}
	close(next)
	tasks.Wait()
	return first
}
