package lookups

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Bureaus says which bureaus a question is put to, in which order: that of the configuration, or the one that was set
// since, without those that are out. It also shows and changes that.
type Bureaus struct {
	chains   ports.Chains
	store    ports.Store
	calendar access.Calendar
	clock    app.Clock
	log      *slog.Logger
	// settings are those that were read last, by this instance.
	settings atomic.Pointer[ports.BureauSettings]
}

// NewBureaus returns the use case.
func NewBureaus(
	chains ports.Chains, store ports.Store, calendar access.Calendar, clock app.Clock, log *slog.Logger,
) *Bureaus {
	b := &Bureaus{chains: chains, store: store, calendar: calendar, clock: clock, log: log}
	b.settings.Store(&ports.BureauSettings{})
	return b
}

// Refresh reads what was set on any instance. It is a chore.
func (b *Bureaus) Refresh(ctx context.Context) error {
	settings, err := b.store.Repos().Bureaus.Settings(ctx)
	if err == nil {
		b.settings.Store(&settings)
	}
	return err
}

// Several reports whether any product can be asked of more than one bureau.
func (b *Bureaus) Several() bool {
	for _, c := range b.chains {
		if len(c.Links) > 1 {
			return true
		}
	}
	return false
}

// Offering returns the bureaus that are asked about a product, in order, also those that are out.
func (b *Bureaus) Offering(product string) []ports.Link {
	c := b.chains[product]
	if order := b.ordered(b.settings.Load(), product); order != nil {
		c.Asked = order
	}
	return c.Through(c.Asked).Links
}

// ordered returns the order that was set for a product; nil for none, and for one of an earlier configuration that has
// no bureau of the product, or is dearer than its price.
func (b *Bureaus) ordered(settings *ports.BureauSettings, product string) []string {
	c, order := b.chains[product], settings.Orders[product]
	has := slices.ContainsFunc(order, func(name string) bool { return slices.Contains(c.Names(), name) })
	if !has || dearer(c, order) {
		return nil
	}
	return order
}

// dearer reports whether a question may cost more through the named bureaus of a chain than the price that is shown.
func dearer(c ports.Chain, names []string) bool {
	price, _ := c.Most()
	most, _ := c.Through(names).Most()
	return most > price
}

// chain returns the bureaus to ask about a document for a purpose, in order; only that with a name, unless it is empty,
// and then nothing is compared. Those that are out are left out, unless all are. None may take the document.
func (b *Bureaus) chain(product, purpose string, t document.Type, only string) ports.Chain {
	c, settings := b.way(product, purpose, t), b.settings.Load()
	if only != "" {
		c = b.chains[product].Through([]string{only})
		c.Compare = nil
	}
	c = c.Taking(t)
	now := b.clock()
	in := slices.DeleteFunc(slices.Clone(c.Links), func(l ports.Link) bool { return b.out(settings, l.Name, now) != nil })
	if len(in) > 0 {
		c.Links = in
	}
	return c
}

// way returns the bureaus that a question goes through, in order, also those that are out or do not take the document.
func (b *Bureaus) way(product, purpose string, t document.Type) ports.Chain {
	c := b.chains[product]
	if route := slices.IndexFunc(c.Routes, func(r ports.Route) bool { return r.Fits(purpose, t) }); route >= 0 {
		return c.Through(c.Routes[route].Asked)
	}
	c.Links = b.Offering(product)
	return c.Through(nil)
}

// resumed returns the chain of a question that its bureau answers later, and whether there still is that bureau, the
// first.
func (b *Bureaus) resumed(e lookup.Entry, a ports.LaterAnswer) (ports.Chain, bool) {
	c := b.chains[e.Product].Through(append([]string{e.Bureau}, a.Rest...))
	if c.Shares = a.Shares; !a.Compare {
		c.Compare = nil
	}
	return c, len(c.Links) > 0 && c.Links[0].Name == e.Bureau
}

// out is what was said of a bureau that is out; nil for one that is not.
func (*Bureaus) out(settings *ports.BureauSettings, name string, now time.Time) *ports.BureauOut {
	for _, o := range settings.Outs {
		if o.Name == name && (o.Until.IsZero() || now.Before(o.Until)) {
			return &o
		}
	}
	return nil
}

// refusal is why nothing is sent to a bureau that is out; nil for one that is not.
func (b *Bureaus) refusal(name string) *ports.BureauError {
	now := b.clock()
	out := b.out(b.settings.Load(), name, now)
	if out == nil {
		return nil
	}
	why := &ports.BureauError{Outcome: ports.NotSent, Reason: "the bureau is out", Out: true}
	if !out.Until.IsZero() {
		why.RetryAfter = out.Until.Sub(now)
	}
	return why
}

// renewal is when the credit of a bureau renews: when the month ends. Where ours has just begun, the bureau's may not
// have: then it is asked again the next day.
func (b *Bureaus) renewal(now time.Time) time.Time {
	year, month, day := now.In(b.calendar.Location).Date()
	if day == 1 {
		return b.calendar.NextDay(now)
	}
	last := time.Date(year, month+1, 0, 12, 0, 0, 0, b.calendar.Location)
	return b.calendar.NextDay(last)
}

// exhausted takes a bureau out that says that no credit is left, and tells the organisation that met it.
func (b *Bureaus) exhausted(ctx context.Context, name string, e lookup.Entry, renews bool) {
	now := b.clock()
	out := ports.BureauOut{Name: name, Exhausted: true}
	if renews {
		out.Until = b.renewal(now)
	}
	err := b.store.InTx(context.WithoutCancel(ctx), func(ctx context.Context, repos ports.Repos) error {
		first, err := repos.Bureaus.TakeOut(ctx, out, now)
		if err != nil || !first {
			return err
		}
		return repos.Notifications.Create(ctx, crm.Notification{
			ID: app.NewID(), OrgID: e.OrgID, Kind: crm.BureauExhausted, At: now,
			Subject: "O bureau " + name + " diz que o crédito acabou. Nada foi cobrado, e ele fica fora até " + b.untilText(out) + ".",
		})
	})
	if err != nil {
		b.log.WarnContext(ctx, "a bureau without credit could not be taken out", "bureau", name, "error", err)
		return
	}
	b.log.WarnContext(ctx, "bureau has no credit left and is out", "bureau", name)
	if err := b.Refresh(ctx); err != nil {
		b.log.WarnContext(ctx, "the bureaus' settings could not be read", "error", err)
	}
}

func (b *Bureaus) untilText(out ports.BureauOut) string {
	if out.Until.IsZero() {
		return "alguém o chamar de volta"
	}
	return out.Until.In(b.calendar.Location).Format("02/01 15:04")
}
