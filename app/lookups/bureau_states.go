package lookups

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// BureauCondition says whether a bureau is asked.
type BureauCondition string

// The conditions of a bureau.
const (
	BureauIn        BureauCondition = "ativo"
	BureauOut       BureauCondition = "fora"     // somebody has taken it out
	BureauExhausted BureauCondition = "esgotado" // it has said that no credit is left
)

// BureauState is how a bureau of the instance is doing.
type BureauState struct {
	Name      string
	Condition BureauCondition
	// Until is when a bureau that is out is asked again, UTC; zero for when somebody says so.
	Until time.Time
	// Calls counts those of today and yesterday, and Failed those of them without an answer.
	Calls, Failed int
	// P50 and P99 are the times within which that many in a hundred of them ended; zero where there are none.
	P50, P99 time.Duration
	// Rests is for how long this instance asks it nothing: calls failed, or it was told to wait. Zero where it asks.
	Rests time.Duration
	// Month is what it was charged for this month, in ten-thousandths of a real; nil for who sees no more than its state.
	Month *catalog.Money
}

// BureauOrder is the order in which the bureaus of a product are asked.
type BureauOrder struct {
	Product catalog.Product
	// Asked are their names in order, and Left those that offer the product and are not asked.
	Asked, Left []string
	// Routes are the ways of some questions that the configuration names.
	Routes []ports.Route
	// Set is whether somebody has set it; otherwise it is the configuration's.
	Set bool

	prices map[string]catalog.Money
}

// Price is the most that a call to one of its bureaus costs, in ten-thousandths of a real.
func (o BureauOrder) Price(name string) catalog.Money { return o.prices[name] }

// BureauList is the bureaus of the instance by name, and the orders of its products by id.
type BureauList struct {
	States []BureauState
	Orders []BureauOrder
	// Shared is whether several organisations use them. Then only the operator changes something, and sees what was spent.
	Shared bool
}

// List returns the bureaus as they are now. Faults: Forbidden, ServiceUnavailable.
func (b *Bureaus) List(ctx context.Context, by app.Caller) (list BureauList, err error) {
	if !by.MayManage() {
		return list, app.Forbidden()
	}
	list.Shared, err = b.shared(ctx)
	if err == nil {
		err = b.Refresh(ctx)
	}
	if err != nil {
		return list, err
	}
	now := b.clock()
	yesterday, month := b.calendar.Day(b.calendar.DaysBefore(now, 1)), b.calendar.Month(now)
	days, err := b.store.Repos().Bureaus.Days(ctx, min(yesterday, month+"-01"))
	if err != nil {
		return list, err
	}
	settings := b.settings.Load()
	for _, name := range b.all() {
		state := b.state(settings, name, now)
		state.Rests = b.rests(name)
		var spent catalog.Money
		var recent []ports.BureauDay
		for _, d := range days {
			if d.Bureau == name && d.Day >= yesterday {
				recent = append(recent, d)
				state.Calls, state.Failed = state.Calls+d.Calls, state.Failed+d.Failed
			}
			if d.Bureau == name && strings.HasPrefix(d.Day, month) {
				spent += d.Charged
			}
		}
		state.P50, state.P99 = within(recent, 50), within(recent, 99)
		if !list.Shared || by == app.Operator() {
			state.Month = &spent
		}
		list.States = append(list.States, state)
	}
	for _, id := range slices.Sorted(maps.Keys(b.chains)) {
		list.Orders = append(list.Orders, b.order(settings, id))
	}
	return list, nil
}

// shared reports whether several organisations use the instance.
func (b *Bureaus) shared(ctx context.Context) (bool, error) {
	_, err := b.store.Repos().Orgs.Only(ctx)
	if errors.Is(err, ports.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// rests is for how long this instance asks a bureau nothing.
func (b *Bureaus) rests(name string) (longest time.Duration) {
	for _, c := range b.chains {
		links := c.Links
		if c.Compare != nil {
			links = append(slices.Clip(links), c.Compare.Link)
		}
		for _, l := range links {
			if r, is := l.Bureau.(ports.Rester); is && l.Name == name {
				longest = max(longest, r.Rests())
			}
		}
	}
	return longest
}

// state returns the condition of a bureau.
func (*Bureaus) state(settings *ports.BureauSettings, name string, now time.Time) BureauState {
	s := BureauState{Name: name, Condition: BureauIn}
	for _, o := range settings.Outs {
		if o.Name != name || !o.Until.IsZero() && !now.Before(o.Until) {
			continue
		}
		if s.Condition, s.Until = BureauOut, o.Until; o.Exhausted {
			s.Condition = BureauExhausted
		}
	}
	return s
}

// order returns the order of a product that there is.
func (b *Bureaus) order(settings *ports.BureauSettings, id string) BureauOrder {
	all := b.chains[id].Links
	o := BureauOrder{
		Product: all[0].Product, Set: b.ordered(settings, id) != nil, Routes: b.chains[id].Routes,
		prices: make(map[string]catalog.Money, len(all)),
	}
	for _, l := range b.Offering(id) {
		o.Asked = append(o.Asked, l.Name)
	}
	for _, l := range all {
		if o.prices[l.Name] = l.Product.Price; !slices.Contains(o.Asked, l.Name) {
			o.Left = append(o.Left, l.Name)
		}
	}
	return o
}

// within returns the time within which a percentage of some calls ended; zero where there are none.
func within(days []ports.BureauDay, percent int) time.Duration {
	counts, total := map[int]int{}, 0
	for _, d := range days {
		counts[d.Pace] += d.Calls
		total += d.Calls
	}
	rank := (total*percent + 99) / 100
	for _, pace := range slices.Sorted(maps.Keys(counts)) {
		if rank -= counts[pace]; rank <= 0 {
			return lookup.PaceTime(pace)
		}
	}
	return 0
}

// SetOrder sets the order in which the bureaus of a product are asked: those that it does not name are not asked.
// Without names, the order is that of the configuration again. One by which a question may cost more than the price
// that is shown is refused. Every instance follows within seconds. Faults: InvalidRequest, NotFound, Forbidden,
// ServiceUnavailable.
func (b *Bureaus) SetOrder(ctx context.Context, by app.Caller, product string, names []string) error {
	offered := b.chains.Names(product)
	if len(offered) == 0 {
		return b.unoffered(product)
	}
	for i, name := range names {
		switch {
		case !slices.Contains(offered, name):
			return app.Invalid("bureaus", fmt.Sprintf("O produto %s não é oferecido por %q. Há: %s.", product, name,
				strings.Join(offered, ", ")))
		case slices.Contains(names[:i], name):
			return app.Invalid("bureaus", fmt.Sprintf("O bureau %s aparece duas vezes.", name))
		}
	}
	if c := b.chains[product]; len(names) > 0 && dearer(c, names) {
		most, _ := c.Through(names).Most()
		price, _ := c.Most()
		return app.Invalid("bureaus", fmt.Sprintf("Nesta ordem, uma consulta de %s poderia custar %s, mais que o preço "+
			"dela, %s. Para isso, mude a configuração e reinicie o serviço.", product, most.Exact(), price.Exact()))
	}
	detail := audit.Detail{"produto": product, "ordem": strings.Join(names, ", ")}
	if len(names) == 0 {
		detail["ordem"] = "a da configuração"
	}
	line := audit.Line{Action: audit.BureausOrdered, Detail: detail}
	return b.change(ctx, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Bureaus.SetOrder(ctx, product, names)
	})
}

// TakeOut lets a bureau be asked nothing for a while, one without credit at least as long as it is without; zero for
// until somebody calls it back. Every instance follows within seconds. Faults: InvalidRequest, NotFound, Forbidden,
// ServiceUnavailable.
func (b *Bureaus) TakeOut(ctx context.Context, by app.Caller, name string, while time.Duration) error {
	if !slices.Contains(b.all(), name) {
		return b.unknown(name)
	}
	if while < 0 {
		return app.Invalid("for", "O tempo que o bureau fica fora deve ser positivo.")
	}
	out, now := ports.BureauOut{Name: name}, b.clock()
	detail := audit.Detail{"bureau": name}
	if while > 0 {
		out.Until = now.Add(while).UTC()
		detail["até"] = out.Until.Format(time.RFC3339)
	}
	line := audit.Line{Action: audit.BureauTakenOut, Detail: detail}
	return b.change(ctx, by, line, func(ctx context.Context, r ports.Repos) error {
		_, err := r.Bureaus.TakeOut(ctx, out, now)
		return err
	})
}

// Back lets a bureau be asked again, also one that has said that no credit is left, and reports whether it was out.
// Every instance follows within seconds. Faults: NotFound, Forbidden, ServiceUnavailable.
func (b *Bureaus) Back(ctx context.Context, by app.Caller, name string) (was bool, err error) {
	if !slices.Contains(b.all(), name) {
		return false, b.unknown(name)
	}
	line := audit.Line{Action: audit.BureauBack, Detail: audit.Detail{"bureau": name}}
	err = b.change(ctx, by, line, func(ctx context.Context, r ports.Repos) error {
		if was, err = r.Bureaus.Back(ctx, name, b.clock()); err == nil && !was {
			err = app.ErrUnchanged
		}
		return err
	})
	return was, err
}

// change changes the bureaus. They are the instance's: a member changes them where one organisation has it to itself,
// and then its audit has a line; where several use it, only the operator does, and the line would be in nobody's audit.
func (b *Bureaus) change(ctx context.Context, by app.Caller, l audit.Line, f ports.Tx) error {
	if !by.MayManage() {
		return app.Forbidden()
	}
	org, err := b.store.Repos().Orgs.Only(ctx)
	switch {
	case err == nil:
		l.OrgID = org.ID
		err = app.Recorded(ctx, b.store, by, l, f)
	case !errors.Is(err, ports.ErrNotFound):
	case by == app.Operator():
		if err = b.store.InTx(ctx, f); errors.Is(err, app.ErrUnchanged) {
			err = nil
		}
	default:
		err = fault.New(fault.Forbidden,
			"Mais de uma organização usa esta instância: só quem a opera muda os bureaus, com fichario bureau.")
	}
	if err != nil {
		return err
	}
	return b.Refresh(ctx)
}

func (b *Bureaus) unoffered(product string) error {
	return app.Missing("product", fmt.Sprintf("Nenhum bureau oferece o produto %q. Há: %s.", product,
		strings.Join(slices.Sorted(maps.Keys(b.chains)), ", ")))
}

func (b *Bureaus) unknown(name string) error {
	return app.Missing("bureau", fmt.Sprintf("Não há bureau %q. Há: %s.", name, strings.Join(b.all(), ", ")))
}

// all are the names of all bureaus, sorted.
func (b *Bureaus) all() []string {
	names := map[string]bool{}
	for product := range b.chains {
		for _, name := range b.chains.All(product) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
