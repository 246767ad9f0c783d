package lookups

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// historyOnly is the message where a cap of zero leaves a key only history.
const historyOnly = "Esta chave só lê o histórico: o limite dela é de zero consultas cobradas. Para consultar o bureau, use uma chave com limite maior."

// keyCap is a limit of a key that did not admit a question.
type keyCap struct {
	code        fault.Code
	limit, left int
	what, then  string
	// wait is how long it lasts, where a request is repeated after it.
	wait time.Duration
}

// reached is the refusal of a question that may make so many calls that are charged.
func (c keyCap) reached(calls int) error {
	f := fault.New(c.code, "O limite "+c.what+" de consultas cobradas desta chave foi atingido. "+c.then)
	switch f.Limit, f.Left = c.limit, c.left; {
	case c.limit == 0:
		f.Message = historyOnly
		return f
	case c.limit < calls:
		f.Message = fmt.Sprintf("Uma consulta destas pode fazer até %d chamadas cobradas, e o limite desta chave é %d: "+
			"use uma chave com limite maior.", calls, c.limit)
		return f
	case c.left > 0:
		f.Message = fmt.Sprintf("Uma consulta destas pode fazer até %d chamadas cobradas, e o limite %s desta chave só "+
			"deixa mais %d. %s", calls, c.what, c.left, c.then)
	}
	return f.After(c.wait)
}

// capReached is the refusal of an entry by one of its key's caps.
func (l *Ledger) capReached(ctx context.Context, k *access.Key, e lookup.Entry, which error) error {
	calls := 1 + e.Spare.Count
	left := func(int, lookup.Spent) int { return 0 } // not even one call
	var today, month lookup.Spent
	if calls > 1 {
		var err error
		if today, month, _, err = l.store.Repos().Usage.Spent(ctx, k.OrgID, k.ID, e.Day, e.Month); err != nil {
			return err
		}
		left = func(limit int, spent lookup.Spent) int { return max(0, min(calls-1, limit-spent.Count)) }
	}
	if errors.Is(which, ports.ErrMonthCap) {
		return keyCap{
			code: fault.MonthlyLimit, limit: k.Limits.PerMonth, left: left(k.Limits.PerMonth, month), what: "mensal",
			then: "Consultas já feitas nos últimos dias seguem livres pelo histórico.",
		}.reached(calls)
	}
	return keyCap{
		code: fault.DailyLimit, limit: k.Limits.PerDay, left: left(k.Limits.PerDay, today), what: "diário",
		then: "Tente de novo depois da meia-noite.", wait: l.terms.Calendar.NextDay(e.At).Sub(e.At),
	}.reached(calls)
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

func notWritten(cause error) error {
	return fault.New(fault.ServiceUnavailable,
		"A resposta desta consulta já foi paga e ainda não pôde ser gravada. Ela está guardada e não será cobrada de novo; tente em instantes.",
	).After(2 * time.Second).Because(cause)
}

func subjectBlocked() *fault.Error {
	return fault.New(fault.SubjectBlocked, "O titular deste documento pediu que os dados dele fossem apagados e não pode "+
		"ser consultado. Nada foi consultado nem cobrado. Quem é titular da organização pode desfazer o bloqueio em Privacidade.")
}

// subjectErased is for a lookup that began before an erasure of its person ended.
func subjectErased() *fault.Error {
	return fault.New(fault.SubjectBlocked,
		"Os dados do titular deste documento estão sendo apagados, ou foram apagados depois "+
			"que este pedido começou. Nada foi consultado nem cobrado. Se ainda for preciso consultar, faça outro pedido quando a "+
			"eliminação terminar.")
}

// erasedMeanwhile is subjectErased for a question that its bureau had taken by then, so that it is charged.
func erasedMeanwhile(e lookup.Entry) *fault.Error {
	if !e.Charged {
		return subjectErased()
	}
	return fault.New(fault.BureauNoAnswer, "Os dados do titular deste documento foram apagados enquanto o bureau preparava a "+
		"resposta, que não foi guardada. A chamada é cobrada, porque chegou a ele.")
}

// unavailable says in Portuguese why nothing was charged.
func unavailable(f *ports.BureauError) string {
	switch {
	case f.Out && f.RetryAfter == 0:
		return "O bureau está fora, ou sem crédito, até que alguém o chame de volta. Nada foi consultado nem cobrado."
	case f.Out:
		return "O bureau está fora, ou sem crédito, por algum tempo. Nada foi consultado nem cobrado."
	case f.Outcome == ports.NotCharged:
		return "O bureau recusou a chamada. Nada foi cobrado; tente de novo em instantes."
	}
	return "Não foi possível acessar o bureau, ou ele pediu para esperar. Nada foi cobrado; tente de novo em instantes."
}

// BureauIsOut reports whether a lookup failed because its bureau is out: somebody may call that back before the fault's
// RetryAfter is over.
func BureauIsOut(err error) bool {
	var said *ports.BureauError
	return errors.As(err, &said) && said.Out
}

// again is after how long a call that failed may be made again; zero where somebody must call the bureau back.
func again(f *ports.BureauError) time.Duration {
	if f.RetryAfter == 0 && !f.Out {
		return 5 * time.Second
	}
	return f.RetryAfter
}

func bureauFault(s lookup.Status, cause *ports.BureauError) error {
	switch s {
	case lookup.NotSent:
		return fault.New(fault.BureauUnavailable, unavailable(cause)).After(again(cause)).Because(cause)
	case lookup.Failed:
		return fault.New(fault.BureauFailed,
			"A chamada chegou ao bureau, que não deu uma resposta válida. Ela é cobrada e não entra no histórico.").Because(cause)
	case lookup.NoAnswer, lookup.Running, lookup.Done:
	}
	return fault.New(fault.BureauNoAnswer,
		"O bureau não respondeu a tempo. A chamada é cobrada, porque pode ter chegado a ele.").Because(cause)
}

// sharedFault is bureauFault for a lookup that waited for somebody else's call, of whose failure nothing more may be
// known.
func sharedFault(s lookup.Status, cause *ports.BureauError) error {
	if cause == nil {
		cause = &ports.BureauError{Outcome: ports.NoAnswer, Reason: "the shared call failed"}
	}
	switch s {
	case lookup.NotSent:
		return bureauFault(s, cause)
	case lookup.Failed:
		return fault.New(fault.BureauFailed,
			"Um pedido igual, feito ao mesmo tempo, chegou ao bureau, que não deu uma resposta válida. Este pedido não foi cobrado.").Because(cause)
	case lookup.NoAnswer, lookup.Running, lookup.Done:
	}
	return fault.New(fault.BureauNoAnswer,
		"Um pedido igual, feito ao mesmo tempo, ficou sem resposta do bureau. Este pedido não foi cobrado.").Because(cause)
}
