package app

import (
	"time"

	"fichario/domain/access"
	"fichario/domain/fault"
)

// historyOnly is said where a cap of zero leaves a key what history has.
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
		f.Message = historyOnly // and no wait suffices
		return f
	}
	return f.After(wait)
}
