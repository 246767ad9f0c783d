package privacy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/privacy"
	"fichario/cmd/fichario/command"
	"fichario/domain/audit"
	"fichario/domain/text"
)

// Audit holds the commands of the audit.
type Audit struct {
	List   auditListCmd   `cmd:"" help:"List what was done in an organisation, newest first."`
	Verify auditVerifyCmd `cmd:"" help:"Check that no line was changed, removed or moved; exit 1 if one was."`
}

type auditListCmd struct {
	Org    string `required:"" help:"Id of the organisation."`
	Since  string `help:"Only from this time on: a date, such as 2026-11-01, or a time (RFC 3339)."`
	Until  string `help:"Only before this time."`
	Who    string `help:"Only actions of this member, key or automation (its id), or of operador, servico or ninguem."`
	Action string `help:"Only this action, such as chave.criada."`
}

// auditView is a line as --json shows it.
type auditView struct {
	Numero   int64        `json:"numero"`
	Em       time.Time    `json:"em"`
	Quem     string       `json:"quem"`
	Tipo     string       `json:"tipo"`
	QuemID   *string      `json:"quemId"`
	Porta    audit.Door   `json:"porta"`
	Acao     audit.Action `json:"acao"`
	Objeto   *string      `json:"objeto"`
	Endereco *string      `json:"endereco"`
	Pedido   *string      `json:"pedido"`
	Detalhe  audit.Detail `json:"detalhe"`
	// Apagado says that an erasure removed the detail, Ilegivel that it cannot be read.
	Apagado  bool   `json:"apagado"`
	Ilegivel bool   `json:"ilegivel"`
	Hash     string `json:"hash"`
}

func auditViewOf(l privacy.AuditLine) auditView {
	return auditView{
		Numero: l.Number, Em: l.At, Quem: l.Who, Tipo: l.Actor.Kind(), QuemID: text.OrNil(l.Actor.ID()),
		Porta: l.Door,
		Acao:  l.Action, Objeto: text.OrNil(l.Object), Endereco: text.OrNil(l.Address),
		Pedido:  text.OrNil(l.RequestID),
		Detalhe: l.Detail, Apagado: l.ErasedBy != "", Ilegivel: l.Unreadable, Hash: l.Hash.String(),
	}
}

// momentOf parses a date in the instance's time zone, or a time; the zero time for an empty text.
func momentOf(e *command.Environment, flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), nil
	}
	calendar, err := e.Calendar()
	if err != nil {
		return time.Time{}, err
	}
	day, err := calendar.StartOf(text)
	if err != nil {
		return time.Time{},
			fmt.Errorf("%s: %q is neither a date such as 2026-11-01 nor a time such as 2026-11-01T12:00:00Z", flag, text)
	}
	return day, nil
}

// Run prints the lines as they are read.
func (c *auditListCmd) Run(e *command.Environment) (err error) {
	search := privacy.AuditSearch{Who: c.Who, Action: audit.Action(c.Action)}
	if search.Since, err = momentOf(e, "--since", c.Since); err != nil {
		return err
	}
	if search.Until, err = momentOf(e, "--until", c.Until); err != nil {
		return err
	}
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := privacy.NewAudit(store, command.Now).All(e.Ctx, app.Operator(), c.Org, search)
		if err != nil {
			return err
		}
		between := "["
		for l, err := range all {
			if err != nil {
				return err
			}
			if !e.JSON {
				if _, err := fmt.Fprintf(e.Out, "%6d  %s  %-9s  %-24s  %s  %s\n", l.Number, l.At.Format(time.DateTime), l.Door,
					l.Action, l.Who, l.Object); err != nil {
					return err
				}
				continue
			}
			text, err := json.Marshal(auditViewOf(l))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(e.Out, "%s%s", between, text); err != nil {
				return err
			}
			between = ",\n"
		}
		if !e.JSON {
			return nil
		}
		if between == "[" {
			between = "[]"
		} else {
			between = "]"
		}
		_, err = io.WriteString(e.Out, between+"\n")
		return err
	})
}

type auditVerifyCmd struct {
	Org     string   `required:"" help:"Id of the organisation."`
	Head    string   `help:"Head that an earlier check printed; it must still be in the chain."`
	Witness []string `sep:"none" placeholder:"FILE" help:"File of signed heads (FICHARIO_AUDIT_WITNESS), or - for standard input; each head must be in the chain. May be given several times."`
}

// auditResult is a check as --json shows it.
type auditResult struct {
	OK       bool   `json:"ok"`
	Linhas   int64  `json:"linhas"`
	Primeira int64  `json:"primeira"`
	Apagadas int64  `json:"apagadas"`
	Cabeca   string `json:"cabeca"`
	// Vista says whether the hash of --head is in the chain; absent without --head.
	Vista *bool `json:"vista,omitempty"`
	// Testemunha says what the heads of --witness show; absent without it.
	Testemunha *witnessResult `json:"testemunha,omitempty"`
	Linha      int64          `json:"linha,omitempty"`
	Problema   audit.Problem  `json:"problema,omitempty"`
	Mensagem   string         `json:"mensagem,omitempty"`
}

// witnessResult is how many outside heads are in the chain, how many are older than what is kept, how many lines of the
// files are no heads, the newest head, and the public key of the signatures.
type witnessResult struct {
	Conferidas int64                `json:"conferidas"`
	Antigas    int64                `json:"antigas"`
	Ilegiveis  int64                `json:"ilegiveis"`
	Ultima     *privacy.WitnessLine `json:"ultima"`
}

// witnessed reads the heads of an organisation in the files of --witness. Without one, they would show nothing.
func (c *auditVerifyCmd) witnessed(e *command.Environment) (of []audit.Witnessed, out *witnessResult, err error) {
	if len(c.Witness) == 0 {
		return nil, nil, nil
	}
	out = &witnessResult{}
	for _, path := range c.Witness {
		unread, err := readWitness(e, path, func(w audit.Witnessed) {
			if w.OrgID != c.Org {
				return
			}
			if of = append(of, w); out.Ultima == nil || w.Number >= out.Ultima.Number {
				line := privacy.WitnessLine(w)
				out.Ultima = &line
			}
		})
		if err != nil {
			return nil, nil, fmt.Errorf("--witness: %w", err)
		}
		out.Ilegiveis += unread
	}
	if len(of) == 0 {
		return nil, nil, errors.New("--witness: there is no head of this organisation, so that it shows nothing")
	}
	return of, out, nil
}

// errAudit is for a broken chain, after the details were printed.
var errAudit = errors.New("the audit trail is not intact")

// Run checks the chain.
func (c *auditVerifyCmd) Run(e *command.Environment) error {
	seen, ok := audit.ParseHash(c.Head)
	if c.Head != "" && !ok {
		return fmt.Errorf("--head: %q is not a hash of 64 hexadecimal digits", c.Head)
	}
	outside, witness, err := c.witnessed(e) // before the chain, so that it is never ahead of it
	if err != nil {
		return err
	}
	return e.WithStore(func(store *gormstore.Store) error {
		found, err := privacy.NewAudit(store, command.Now).Verify(e.Ctx, app.Operator(), c.Org, seen, outside...)
		if err != nil {
			return err
		}
		out := auditResult{
			OK: found.Finding == nil, Linhas: found.Lines, Primeira: found.First, Apagadas: found.Emptied,
			Cabeca: found.Head.String(), Testemunha: witness,
		}
		if witness != nil {
			witness.Conferidas, witness.Antigas = found.Witnessed, found.TooOld
		}
		if f := found.Finding; f != nil {
			out.Linha, out.Problema, out.Mensagem = f.Number, f.Problem, f.Message()
		}
		if c.Head != "" {
			if out.Vista = &found.Seen; out.OK && !found.Seen {
				out.OK, out.Problema = false, audit.AtHead
				out.Mensagem = "A cabeça dada não está na cadeia: ela foi refeita, ou cortada e continuada."
			}
		}
		if err := e.Print(out, "%s", out.text()); err != nil {
			return err
		}
		if !out.OK {
			return errAudit
		}
		return nil
	})
}

func (r auditResult) text() string {
	if !r.OK {
		return "NOT OK: " + r.Mensagem + "\n"
	}
	text := fmt.Sprintf("OK: %d lines, from %d on; erasures removed the detail of %d.\nHead: %s\n",
		r.Linhas, r.Primeira, r.Apagadas, r.Cabeca)
	if w := r.Testemunha; w != nil {
		text += fmt.Sprintf("Witness: %d heads are in the chain, the newest is line %d, signed %s; %d are older than what is kept, %d lines are no heads.\n",
			w.Conferidas, w.Ultima.Number, w.Ultima.At.Format(time.DateTime), w.Antigas, w.Ilegiveis)
	}
	return text
}
