package privacy

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"time"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/ports"
)

// Record describes what organisations do with personal data: the record of operations of LGPD, art. 37 (design,
// section 14). It holds no data of the persons themselves.
type Record struct{ RecordConfig }

// RecordConfig is what Record needs.
type RecordConfig struct {
	Store ports.Store
	Clock app.Clock
	// Bureau is the name of the bureau's file, Catalog what the bureau offers.
	Bureau  string
	Catalog catalog.Catalog
	// Fresh is how long an answer is reused.
	Fresh   time.Duration
	Keeping Keeping
	// Mails is whether e-mail is configured.
	Mails bool
}

// NewRecord returns the use case.
func NewRecord(c RecordConfig) *Record { return &Record{c} }

// Operations is the record of one organisation at a moment.
type Operations struct {
	Organisation crm.Organisation
	At           time.Time
	Purposes     []crm.Purpose
	// Subjects are the categories of data subjects, Categories those of their data.
	Subjects, Categories []string
	Sources              []DataSource
	Recipients           []DataRecipient
	Terms                []KeptTerm
	// Measures are the protective measures.
	Measures []string
}

// DataSource is where data comes from.
type DataSource struct {
	// Kind is bureau, webhook or pessoa (a person who types it or sends a file).
	Kind, Name string
	// Product is what a bureau is asked for, Fields what it answers with; empty for other sources.
	Product string
	Fields  []string
}

// DataRecipient is a recipient of data.
type DataRecipient struct {
	// Kind is bureau, automacao or notificacao.
	Kind, Name string
	// Target is where it is sent: a host or destination, never more of an address.
	Target string
	// Basis is what allows that a platform is told of a person; empty for others.
	Basis string
}

// KeptTerm is how long something is kept.
type KeptTerm struct{ What, Term string }

// Of returns the record of an organisation to its owners. Faults: NotFound, Forbidden, ServiceUnavailable.
func (r *Record) Of(ctx context.Context, by app.Caller, orgID string) (o Operations, err error) {
	repos := r.Store.Repos()
	if err := app.MayOwnOrg(ctx, repos, by, orgID); err != nil {
		return o, err
	}
	o = Operations{
		At: r.Clock(), Subjects: subjectsOfData(), Categories: categoriesOfData(), Terms: r.terms(), Measures: measures(),
	}
	if o.Organisation, err = repos.Orgs.Find(ctx, orgID); err != nil {
		return o, err
	}
	if o.Purposes, err = repos.Purposes.List(ctx, orgID); err != nil {
		return o, err
	}
	if o.Sources, err = r.sources(ctx, repos, orgID); err != nil {
		return o, err
	}
	o.Recipients, err = r.recipients(ctx, repos, orgID, o.Purposes)
	return o, err
}

func subjectsOfData() []string {
	return []string{
		"pessoas sobre as quais a organização consulta bureaus",
		"contatos que a organização recebe ou registra",
		"membros da organização, como usuários do serviço",
	}
}

func categoriesOfData() []string {
	return []string{
		"identificação: CPF, CNPJ, nome, nascimento, filiação, placa de veículo",
		"contato: telefone, e-mail, endereço",
		"situação financeira e de crédito: o que os produtos consultados respondem",
		"relacionamento: nota, histórico, origem, valor, etapa e responsável de um contato",
		"acesso: nome, e-mail e papel de membros, sessões",
	}
}

func (r *Record) sources(ctx context.Context, repos ports.Repos, orgID string) (out []DataSource, err error) {
	for _, p := range r.Catalog {
		source := DataSource{Kind: "bureau", Name: r.Bureau, Product: p.Name}
		for _, f := range p.Fields {
			source.Fields = append(source.Fields, f.Name)
		}
		out = append(out, source)
	}
	hooks, err := repos.Webhooks.List(ctx, orgID)
	for _, h := range hooks {
		out = append(out, DataSource{Kind: "webhook", Name: h.Name})
	}
	return append(out, DataSource{Kind: "pessoa", Name: "membros, pela tela ou por arquivo"}), err
}

func (r *Record) recipients(
	ctx context.Context, repos ports.Repos, orgID string, purposes []crm.Purpose,
) (out []DataRecipient, err error) {
	if len(r.Catalog) > 0 {
		out = append(out, DataRecipient{
			Kind: "bureau", Name: r.Bureau, Target: "o documento consultado e, onde o arquivo do bureau a usa, a finalidade",
		})
	}
	rules, err := repos.Automations.List(ctx, orgID)
	for _, rule := range rules {
		if target := targetOf(rule.Action); target != "" {
			out = append(out, DataRecipient{
				Kind: "automacao", Name: rule.Name, Target: target, Basis: basisOf(rule.Action.Ground, purposes),
			})
		}
	}
	target := "membros, na tela"
	if r.Mails {
		target += " e por e-mail"
	}
	return append(out, DataRecipient{Kind: "notificacao", Name: "Notificações", Target: target}), err
}

// basisOf says what allows a recipient to be told of a person; empty where nothing is asked for.
func basisOf(g automation.Ground, purposes []crm.Purpose) string {
	if g.Consent != "" {
		return crm.ConsentBasis.Name() + ", pelo campo " + g.Consent
	}
	for _, p := range purposes {
		if p.Code == g.Basis {
			return fmt.Sprintf("%s (%s): %s", p.Name, p.Code, p.Basis.Name())
		}
	}
	return g.Basis
}

// targetOf returns where an action sends data; empty for one that sends none.
func targetOf(a automation.Action) string {
	switch a.Kind {
	case automation.HTTP:
		host := "endereço ilegível"
		if at, err := url.Parse(a.URL); err == nil && at.Host != "" {
			host = at.Host
		}
		return cmp.Or(a.Destination, host)
	case automation.Email:
		switch a.To {
		case automation.ToContact:
			return "o próprio contato, por e-mail"
		case automation.ToAssignee:
			return "o membro responsável, por e-mail"
		}
		if address, err := document.Parse(document.Email, a.To); err == nil {
			return address.Value()
		}
		return "e-mail"
	case automation.MoveStage, automation.Assign, automation.AddNote, automation.Lookup:
	}
	return ""
}

func (r *Record) terms() []KeptTerm {
	return []KeptTerm{
		{"respostas dos bureaus", term(r.Keeping.Answers)},
		{"reuso de uma resposta sem nova consulta", term(r.Fresh)},
		{"corpos recebidos por webhooks (entregas)", term(r.Keeping.Deliveries)},
		{"contatos, com nota e histórico", term(r.Keeping.Contacts)},
		{"linhas do extrato (quem consultou, quando, para que e quanto custou)", "enquanto a organização existir"},
		{"auditoria", term(r.Keeping.Audit)},
	}
}

func term(d time.Duration) string {
	if d <= 0 {
		return "sem prazo: até a organização remover"
	}
	days := int(d.Hours() / 24)
	if days == 1 {
		return "1 dia"
	}
	return fmt.Sprintf("%d dias", days)
}

func measures() []string {
	return []string{
		"documentos, respostas, notas, corpos recebidos e segredos de integrações cifrados com AES-256-GCM, com a chave fora do banco; " +
			"documentos achados por índice de HMAC",
		"em claro no banco, para a busca: nome, e-mail, telefone, empresa e valor de contatos",
		"chaves de API guardadas só como hash, com escopos, finalidades, redes e limites; senhas com Argon2id",
		"acesso por papel (titular, administração, membro) e por organização; tentativas de entrada freadas",
		"cada consulta registrada com quem, quando, finalidade e custo; nenhum dado pessoal em logs",
		"auditoria encadeada por hash de quem entrou, abriu fichas, baixou arquivos e mudou configurações",
		"segundo fator por códigos ou chaves de acesso, que a organização pode exigir",
	}
}
