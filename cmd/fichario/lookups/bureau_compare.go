package lookups

import (
	"encoding/json"
	"fmt"
	"strings"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/cmd/fichario/command"
	"fichario/domain/catalog"
)

type bureauCompareCmd struct {
	Product string `placeholder:"ID" help:"Product id. Default: all."`
}

// agreementView is an agreement as --json shows it.
type agreementView struct {
	Field      string `json:"campo,omitempty"`
	Equal      int    `json:"iguais"`
	Different  int    `json:"diferentes"`
	OnlyFirst  int    `json:"soPrimeiro"`
	OnlySecond int    `json:"soSegundo"`
	Neither    int    `json:"nenhum"`
	// Percent is null where no bureau had the field.
	Percent *int `json:"concordancia"`
}

func agreementOf(field string, a catalog.Agreement) agreementView {
	v := agreementView{field, a.Equal, a.Different, a.OnlyFirst, a.OnlySecond, a.Neither, nil}
	if a.Known() > 0 {
		percent := a.Percent()
		v.Percent = &percent
	}
	return v
}

// comparedView is a comparison as --json shows it.
type comparedView struct {
	Product    string          `json:"produto"`
	First      string          `json:"primeiro"`
	Second     string          `json:"segundo"`
	Questions  int             `json:"perguntas"`
	FirstCost  json.Number     `json:"gastoPrimeiro"`
	SecondCost json.Number     `json:"gastoSegundo"`
	Record     agreementView   `json:"registro"`
	Fields     []agreementView `json:"campos"`
}

// Run shows how bureaus agree.
func (c *bureauCompareCmd) Run(e *command.Environment) error {
	return withBureaus(e, func(all *lookups.Bureaus) error {
		compared, err := all.Compared(e.Ctx, app.Operator(), c.Product)
		if err != nil {
			return err
		}
		views := []comparedView{}
		var text strings.Builder
		for _, one := range compared {
			v := comparedView{
				one.Product.ID, one.First, one.Second, one.Questions.Total(), json.Number(one.Costs[0].String()),
				json.Number(one.Costs[1].String()), agreementOf("", one.Questions), []agreementView{},
			}
			fmt.Fprintf(&text, "%s: %s and %s, %d questions, R$ %s and R$ %s\n", v.Product, v.First, v.Second, v.Questions,
				v.FirstCost, v.SecondCost)
			fmt.Fprintf(&text, "  %-24s %6s %9s %10s %11s %7s %9s\n", "", "equal", "different", "only first", "only second",
				"neither", "agreement")
			line := func(a agreementView) {
				percent := "-"
				if a.Percent != nil {
					percent = fmt.Sprintf("%d%%", *a.Percent)
				}
				fmt.Fprintf(&text, "  %-24s %6d %9d %10d %11d %7d %9s\n", a.Field, a.Equal, a.Different, a.OnlyFirst,
					a.OnlySecond, a.Neither, percent)
			}
			line(agreementOf("(record)", one.Questions))
			for _, f := range one.Fields {
				v.Fields = append(v.Fields, agreementOf(f.Field.Name, f.Agreement))
				line(v.Fields[len(v.Fields)-1])
			}
			views = append(views, v)
		}
		if len(views) == 0 {
			text.WriteString("Nothing has been compared yet: see compare in docs/bureaus.md.\n")
		}
		return e.Print(views, "%s", text.String())
	})
}
