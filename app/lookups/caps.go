package lookups

import (
	"context"
	"fmt"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// historyOnly is the message where a cap of zero leaves a key only history.
const historyOnly = "Esta chave só lê o histórico: o limite dela é de zero consultas cobradas. Para consultar o bureau, use uma chave com limite maior."

func monthlyLimit(k *access.Key) error {
	f := fault.New(fault.MonthlyLimit, "O limite mensal de consultas cobradas desta chave foi atingido. Consultas já feitas nos últimos dias seguem livres pelo histórico.")
	if f.Limit = k.Limits.PerMonth; f.Limit == 0 {
		f.Message = historyOnly
	}
	return f
}

func dailyLimit(k *access.Key, wait time.Duration) error {
	f := fault.New(fault.DailyLimit,
		"O limite diário de consultas cobradas desta chave foi atingido. Tente de novo depois da meia-noite.")
	if f.Limit = k.Limits.PerDay; f.Limit == 0 {
		f.Message = historyOnly // and no wait helps
		return f
	}
	return f.After(wait)
}

// budgetSpent is the refusal of a call that costs more than what is left of a member's budget.
func budgetSpent(budget *catalog.Money, p catalog.Product) error {
	of := ""
	if budget != nil { // otherwise it was set while the lookup was made
		of = " de " + budget.Reais()
	}
	return fault.New(fault.MonthlyLimit, fmt.Sprintf(
		"%s custa %s, e o seu orçamento%s neste mês não é suficiente. Nada foi cobrado. O que está no histórico "+
			"segue grátis; quem é titular pode aumentar o orçamento.", p.Name, p.Price.Exact(), of))
}

// Budget is what a member's lookups may cost in the month, and what they did cost.
type Budget struct{ Limit, Spent catalog.Money }

// Left is what the member may still spend.
func (b Budget) Left() catalog.Money { return max(0, b.Limit-b.Spent) }

// Budget returns the caller's own; nil for a caller without one. Faults: NotFound, ServiceUnavailable.
func (l *Lookups) Budget(ctx context.Context, by app.Caller) (*Budget, error) {
	if _, err := by.Org(); err != nil || by.Budget() == nil {
		return nil, err
	}
	month := l.calendar.Month(l.clock())
	spent, err := l.store.Repos().Usage.SpentByKeys(ctx, []string{by.MemberID()}, month)
	return &Budget{Limit: *by.Budget(), Spent: spent[by.MemberID()].Amount}, err
}

// SpentByMembers returns what members were charged in this month, by their ids. The caller must manage the
// organisation; that the ids belong to its members is not checked. Faults: NotFound, Forbidden, ServiceUnavailable.
func (l *Lookups) SpentByMembers(ctx context.Context, by app.Caller, ids []string) (map[string]lookup.Spent, error) {
	if _, err := by.ManagedOrg(); err != nil {
		return nil, err
	}
	return l.store.Repos().Usage.SpentByKeys(ctx, ids, l.calendar.Month(l.clock()))
}
