package lookups

import (
	"errors"
	"fmt"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/document"
	"fichario/domain/fault"
)

// missingWords say what is still missing from a document.
func missingWords(r document.Recognised) string {
	switch r.Type {
	case document.CPF:
		return fmt.Sprintf("Até aqui, %s. Um CPF tem 11; um CNPJ, 14.", web.Plural(r.Length, "dígito", "dígitos"))
	case document.CNPJ:
		return fmt.Sprintf("Até aqui, %s de 14 de um CNPJ.", web.Plural(r.Length, "caractere", "caracteres"))
	case document.Plate:
		return "Uma placa tem 3 letras e mais 4 caracteres, como ABC1D23."
	case document.Email:
		return "Continue o e-mail, como nome@dominio.com.br."
	}
	return ""
}

// problemWords say what is wrong with a text. They never suggest the right check digit: only whoever sent the
// document knows it.
func problemWords(r document.Recognised) string {
	const nothing = " Nada foi cobrado."
	switch r.Type {
	case document.CPF, document.CNPJ:
		name, exists := "CPF", "Este CPF não existe: "
		if r.Type == document.CNPJ {
			name, exists = "CNPJ", "Este CNPJ não existe: "
		}
		switch r.Reason {
		case document.BadDigit:
			return exists + "os dois últimos dígitos não conferem. Confira com quem o enviou." + nothing
		case document.Repeated:
			return exists + "é o mesmo dígito repetido. Confira com quem o enviou." + nothing
		}
		words := fmt.Sprintf("Um %s tem %d caracteres, e aqui há %s. ", name, r.Want, web.Count(r.Length))
		if r.Type == document.CPF {
			words = fmt.Sprintf("Um CPF tem 11 dígitos, e aqui há %s. ", web.Count(r.Length))
		}
		if r.Length < r.Want {
			return words + "Confira o começo também: planilhas costumam perder os zeros da frente." + nothing
		}
		return words + "Confira se não veio mais alguma coisa junto." + nothing
	case document.Plate:
		return "Uma placa é como ABC1234 ou ABC1D23. Confira com quem a enviou." + nothing
	case document.Email:
		return "Este e-mail não está completo ou tem mais do que um endereço: é como nome@dominio.com.br." + nothing
	}
	if r.Reason == document.Empty {
		return "Escreva ou cole um CPF, CNPJ, placa ou e-mail."
	}
	return "Isto não é CPF, CNPJ, placa ou e-mail. Para procurar por nome ou telefone, use Contatos." + nothing
}

// Refusal says why a lookup was not started; empty for other errors.
func Refusal(err error) string {
	if errors.Is(err, lookups.ErrNotInHistory) {
		return "A resposta do histórico deixou de valer enquanto esta página estava aberta. Nada foi cobrado; " +
			"consultar agora tem o preço indicado."
	}
	switch fault.CodeOf(err) {
	case fault.UnknownProduct:
		return "Este produto não é oferecido, ou não é para este documento. Escolha um da lista. Nada foi cobrado."
	case fault.InvalidDocument:
		return "Este produto não é para este documento. Escolha outro da lista. Nada foi cobrado."
	case fault.MissingPurpose:
		return "Escolha para que é a consulta. Nada foi consultado nem cobrado."
	case fault.BureauUnavailable, fault.MonthlyLimit, fault.PurposeRefused, fault.SubjectBlocked:
		return app.FaultOf(err).Message
	}
	return ""
}
