package lookups

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/cmd/fichario/command"
	"fichario/domain/document"
	"fichario/ports"
)

// withBureaus runs a command on the configured bureaus.
func withBureaus(e *command.Environment, f func(*lookups.Bureaus) error) error {
	calendar, err := e.Calendar()
	if err != nil {
		return err
	}
	log, flush := command.NewLogger(e.Settings, e.ErrOut)
	defer flush()
	clients, stop, err := e.OpenBureaus(log)
	if err != nil {
		return err
	}
	defer stop()
	return e.WithStore(func(store *gormstore.Store) error {
		return f(lookups.NewBureaus(clients.Chains(), store, calendar, command.Now, log))
	})
}

type bureauListCmd struct{}

// Run lists the bureaus.
func (c *bureauListCmd) Run(e *command.Environment) error {
	return withBureaus(e, func(all *lookups.Bureaus) error {
		list, err := all.List(e.Ctx, app.Operator())
		if err != nil {
			return err
		}
		type bureau struct {
			Name      string                  `json:"nome"`
			Condition lookups.BureauCondition `json:"situacao"`
			P50       *int64                  `json:"p50"` // milliseconds, as P99
			P99       *int64                  `json:"p99"`
			Failed    int                     `json:"falhas"`
			Month     json.Number             `json:"gastoMes"`
		}
		bureaus := []bureau{}
		var text strings.Builder
		for _, s := range list.States {
			b := bureau{
				s.Name, s.Condition, milliseconds(s.P50), milliseconds(s.P99), s.Failed, json.Number(s.Month.String()),
			}
			bureaus = append(bureaus, b)
			fmt.Fprintf(&text, "%-24s %-9s p50 %s, p99 %s, %d of %d calls failed, R$ %s this month%s\n", s.Name, s.Condition,
				said(b.P50), said(b.P99), s.Failed, s.Calls, s.Month, until(s.Until))
		}
		return e.Print(bureaus, "%s", text.String())
	})
}

// milliseconds rounds up; nil for none.
func milliseconds(d time.Duration) *int64 {
	if d == 0 {
		return nil
	}
	ms := (d + time.Millisecond - 1).Milliseconds()
	return &ms
}

func said(ms *int64) string {
	if ms == nil {
		return "-"
	}
	return fmt.Sprintf("%d ms", *ms)
}

func until(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return ", until " + t.Format(time.RFC3339)
}

type bureauOrderCmd struct {
	Names   []string `arg:"" optional:"" help:"Bureaus in the order in which they are asked, with commas; those left out are not asked. Default: show the order."`
	Product string   `required:"" placeholder:"ID" help:"Product id."`
	Reset   bool     `help:"Return to the order of FICHARIO_BUREAU."`
}

// Run shows or sets an order.
func (c *bureauOrderCmd) Run(e *command.Environment) error {
	names := trimmed(strings.Split(strings.Join(c.Names, ","), ","))
	if c.Reset && len(names) > 0 {
		return errors.New("--reset takes no names")
	}
	return withBureaus(e, func(all *lookups.Bureaus) error {
		if c.Reset || len(names) > 0 {
			if err := all.SetOrder(e.Ctx, app.Operator(), c.Product, names); err != nil {
				return err
			}
		}
		list, err := all.List(e.Ctx, app.Operator())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list.Orders, func(o lookups.BureauOrder) bool { return o.Product.ID == c.Product })
		if i < 0 {
			return all.SetOrder(e.Ctx, app.Operator(), c.Product, nil) // says which products there are
		}
		o := list.Orders[i]
		shown := map[string]any{
			"produto": c.Product, "ordem": o.Asked, "deixados": append([]string{}, o.Left...), "alterada": o.Set,
			"quando": routesOf(o.Routes),
		}
		by := "as FICHARIO_BUREAU says"
		if o.Set {
			by = "as it was set"
		}
		var also strings.Builder
		for _, r := range o.Routes {
			fmt.Fprintf(&also, "For %s: %s.\n", strings.Join(r.Of(), ", "), strings.Join(r.Asked, ", "))
		}
		return e.Print(shown, "%s is asked of %s, %s.\n%s", c.Product, strings.Join(o.Asked, ", "), by, also.String())
	})
}

// routesOf are the ways of some questions.
func routesOf(routes []ports.Route) []map[string]any {
	out := []map[string]any{}
	for _, r := range routes {
		out = append(out, map[string]any{
			"finalidades": append([]string{}, r.Purposes...), "documentos": append([]document.Type{}, r.Documents...),
			"ordem": r.Asked,
		})
	}
	return out
}

type bureauOutCmd struct {
	Name string         `arg:"" help:"Name of the bureau."`
	For  *time.Duration `placeholder:"TIME" help:"How long, such as 2h. Default: until fichario bureau back."`
}

// Run takes a bureau out.
func (c *bureauOutCmd) Run(e *command.Environment) error {
	var while time.Duration
	if c.For != nil {
		if while = *c.For; while == 0 { // it would mean for ever
			return errors.New("--for: give a time above zero, or leave it out to take the bureau out until fichario bureau back")
		}
	}
	return withBureaus(e, func(all *lookups.Bureaus) error {
		if err := all.TakeOut(e.Ctx, app.Operator(), c.Name, while); err != nil {
			return err
		}
		return e.Print(map[string]string{"nome": c.Name}, "%s is out; every instance follows within seconds.\n", c.Name)
	})
}

type bureauBackCmd struct {
	Name string `arg:"" help:"Name of the bureau."`
}

// Run calls a bureau back.
func (c *bureauBackCmd) Run(e *command.Environment) error {
	return withBureaus(e, func(all *lookups.Bureaus) error {
		was, err := all.Back(e.Ctx, app.Operator(), c.Name)
		if err != nil {
			return err
		}
		text := "%s is back; every instance follows within seconds.\n"
		if !was {
			text = "%s was not out.\n"
		}
		return e.Print(map[string]any{"nome": c.Name, "estavaFora": was}, text, c.Name)
	})
}

// CheckBureaus finds bureaus that were charged, this month, above the price in their file, with the number of calls.
func CheckBureaus(e *command.Environment, store *gormstore.Store) (gormstore.Finding, error) {
	found := gormstore.Finding{Name: "no call is charged above the price in its bureau's file, this month", Served: true}
	calendar, err := e.Calendar()
	if err != nil {
		return found, err
	}
	days, err := store.Repos().Bureaus.Days(e.Ctx, calendar.Month(command.Now())+"-01")
	calls := map[string]int{}
	for _, d := range days {
		if d.Over > 0 {
			calls[d.Bureau] += d.Over
			found.Violations += int64(d.Over)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		found.IDs = append(found.IDs, fmt.Sprintf("%s (%d)", name, calls[name]))
	}
	return found, err
}
