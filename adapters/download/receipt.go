package download

import (
	"time"

	"fichario/domain/privacy"
)

// Stays is what an erasure leaves, and why, as worded in receipts.
var Stays = []string{
	"Linhas do extrato, sem o documento: id, chave ou pessoa, produto, data e valor, porque provam o que foi cobrado.",
	"Números somados (painel, limites, totais), que não dizem de quem se trata.",
	"Ids de contatos apagados, para que a repetição de um envio não os crie de novo.",
	"Este recibo e um código cifrado do titular, para refazer a eliminação depois de restaurar uma cópia.",
}

// StaysBlocked is what also stays where the person is blocked.
const StaysBlocked = "O bloqueio: um código cifrado do documento, para que ele não seja consultado de novo."

// ReceiptJSON is the receipt of an erasure. It holds no personal data.
type ReceiptJSON struct {
	ID        string         `json:"id"`
	Org       string         `json:"organizacao"`
	Situacao  string         `json:"situacao"`
	PedidaPor string         `json:"pedidaPor"`
	Em        time.Time      `json:"em"`
	Concluida *time.Time     `json:"concluidaEm"`
	Refeita   *time.Time     `json:"refeitaEm"`
	Bloqueio  bool           `json:"bloqueio"`
	Apagado   privacy.Counts `json:"apagado"`
	Fica      []string       `json:"fica"`
	// EnviadoA says which platforms were told of the person's stages, and when.
	EnviadoA []PassedOnJSON `json:"enviadoA"`
	// Diario says whether the journal outside the database has it.
	Diario bool `json:"diario"`
}

// PassedOnJSON is a platform that was told of the person.
type PassedOnJSON struct {
	Destino string    `json:"destino"`
	Em      time.Time `json:"em"`
}

// Receipt returns the receipt of an erasure.
func Receipt(e privacy.Erasure) ReceiptJSON {
	out := ReceiptJSON{
		ID: e.ID, Org: e.OrgID, Situacao: string(e.State), PedidaPor: e.AskedBy, Em: e.At, Bloqueio: e.Block,
		Apagado: WithoutNone(e.Gone), Fica: Stays, Diario: e.Journalled, EnviadoA: []PassedOnJSON{},
	}
	for _, told := range e.Told {
		out.EnviadoA = append(out.EnviadoA, PassedOnJSON{told.To, told.At})
	}
	if e.Block {
		out.Fica = append(Stays[:len(Stays):len(Stays)], StaysBlocked)
	}
	if !e.EndsAt.IsZero() {
		out.Concluida = &e.EndsAt
	}
	if !e.Replayed.IsZero() {
		out.Refeita = &e.Replayed
	}
	return out
}

// WithoutNone drops kinds with a count of zero.
func WithoutNone(counts privacy.Counts) privacy.Counts {
	out := privacy.Counts{}
	for k, n := range counts {
		if n > 0 {
			out[k] = n
		}
	}
	return out
}
