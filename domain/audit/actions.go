package audit

import (
	"maps"
	"slices"
)

// Sign-ins, credentials and members.
const (
	SignedIn         Action = "entrada.aceita"
	SignInRefused    Action = "entrada.recusada"
	SignedOut        Action = "entrada.encerrada"
	SessionEnded     Action = "sessao.encerrada"
	SessionsEnded    Action = "sessoes.encerradas"
	PasswordChanged  Action = "senha.trocada"
	PasswordAsked    Action = "senha.pedida"
	PasswordReset    Action = "senha.redefinida"
	Invited          Action = "convite.enviado"
	InviteAccepted   Action = "convite.aceito"
	FactorOn         Action = "segundo_fator.ligado"
	FactorOff        Action = "segundo_fator.desligado"
	FactorRefused    Action = "segundo_fator.recusado"
	FactorReset      Action = "segundo_fator.retirado"
	FactorRequired   Action = "segundo_fator.exigido"
	RecoveryRenewed  Action = "codigos.refeitos"
	RecoveryUsed     Action = "codigo.usado"
	PasskeyAdded     Action = "chave_de_acesso.criada"
	PasskeyRemoved   Action = "chave_de_acesso.removida"
	MemberAdded      Action = "membro.criado"
	MemberChanged    Action = "membro.alterado"
	MemberPassworded Action = "membro.senha_trocada"
	IdentityAdded    Action = "vinculo.criado"
	IdentityRemoved  Action = "vinculo.removido"
)

// Access to personal data, and changes to it.
const (
	SheetOpened         Action = "consulta.aberta"
	ContactOpened       Action = "contato.aberto"
	DeliveryOpened      Action = "entrega.aberta"
	AnswerDownloaded    Action = "resposta.baixada"
	StatementDownloaded Action = "extrato.baixado"
	ContactsDownloaded  Action = "contatos.baixados"
	BatchDownloaded     Action = "lote.baixado"
	ImportDownloaded    Action = "importacao.baixada"
	AuditDownloaded     Action = "auditoria.baixada"
	ContactDeleted      Action = "contato.excluido"
	ContactRestored     Action = "contato.restaurado"
	ContactsMerged      Action = "contatos.unidos"
	ContactsParted      Action = "contatos.separados"
	SubjectExported     Action = "titular.exportado"
	SubjectErased       Action = "titular.apagado"
	SubjectEmptied      Action = "titular.linhas_esvaziadas"
	SubjectUnblocked    Action = "titular.desbloqueado"
	BulkStarted         Action = "acao.iniciada"
	BulkUndone          Action = "acao.desfeita"
	ImportStarted       Action = "importacao.iniciada"
)

// AboutPersons are the actions whose lines have a Subject and details about it. An erasure empties no others by their
// Subject, which the hash does not cover.
var AboutPersons = []Action{SheetOpened, AnswerDownloaded}

// Changes to settings and to spending limits.
const (
	OrgCreated          Action = "organizacao.criada"
	ChainSealed         Action = "auditoria.selada"
	OrgLimitChanged     Action = "organizacao.limite_alterado"
	OrgShareChanged     Action = "organizacao.historico_alterado"
	PurposeCreated      Action = "finalidade.criada"
	PurposeChanged      Action = "finalidade.alterada"
	KeyCreated          Action = "chave.criada"
	KeyRestricted       Action = "chave.restringida"
	KeyRotated          Action = "chave.trocada"
	KeyRevoked          Action = "chave.revogada"
	WebhookCreated      Action = "webhook.criado"
	WebhookChanged      Action = "webhook.alterado"
	WebhookRegenerated  Action = "webhook.endereco_trocado"
	SourceConnected     Action = "fonte.conectada"
	SourceDisconnected  Action = "fonte.desconectada"
	SourceReadBack      Action = "fonte.relida"
	AutomationCreated   Action = "automacao.criada"
	AutomationChanged   Action = "automacao.alterada"
	AutomationEnabled   Action = "automacao.habilitada"
	AutomationDisabled  Action = "automacao.desabilitada"
	AutomationTried     Action = "automacao.experimentada"
	AutomationRunAgain  Action = "execucao.repetida"
	AutomationsRunAgain Action = "execucoes.repetidas"
	BundleCreated       Action = "pacote.criado"
	BundleChanged       Action = "pacote.alterado"
	BundleRemoved       Action = "pacote.removido"
	RotationCreated     Action = "rodizio.criado"
	RotationChanged     Action = "rodizio.alterado"
	RotationRemoved     Action = "rodizio.removido"
	OriginCreated       Action = "origem.criada"
	OriginRenamed       Action = "origem.renomeada"
	OriginRemoved       Action = "origem.removida"
	FunnelCreated       Action = "funil.criado"
	FunnelChanged       Action = "funil.alterado"
	BatchConfirmed      Action = "lote.confirmado"
	BatchPaused         Action = "lote.pausado"
	BatchResumed        Action = "lote.retomado"
	BatchCancelled      Action = "lote.cancelado"
	DeliveryReplayed    Action = "entrega.repetida"
	BureausOrdered      Action = "bureaus.ordem_alterada"
	BureauTakenOut      Action = "bureau.retirado"
	BureauBack          Action = "bureau.chamado"
)

// labels names the actions in Portuguese. A test ensures that each has a label.
var labels = map[Action]string{
	SignedIn: "Entrou", SignInRefused: "Tentativa de entrar recusada", SignedOut: "Saiu",
	SessionEnded: "Encerrou uma sessão", SessionsEnded: "Encerrou sessões", PasswordChanged: "Trocou a própria senha",
	PasswordAsked: "Pedido de nova senha", PasswordReset: "Nova senha por um link", Invited: "Convidou alguém",
	InviteAccepted: "Aceitou o convite", FactorOn: "Ligou o segundo fator", FactorOff: "Desligou o segundo fator",
	FactorRefused: "Segundo fator recusado", FactorReset: "Segundo fator retirado pelo operador",
	FactorRequired: "Mudou a exigência do segundo fator", RecoveryRenewed: "Refez os códigos de recuperação",
	RecoveryUsed: "Usou um código de recuperação", PasskeyAdded: "Criou uma chave de acesso",
	PasskeyRemoved: "Removeu uma chave de acesso", MemberAdded: "Criou um membro", MemberChanged: "Alterou um membro",
	MemberPassworded: "Trocou a senha de um membro", IdentityAdded: "Vinculou-se a uma conta do provedor",
	IdentityRemoved: "Desfez o vínculo com a conta do provedor",

	SheetOpened: "Abriu uma ficha", ContactOpened: "Abriu um contato", DeliveryOpened: "Abriu uma entrega",
	AnswerDownloaded: "Baixou uma resposta", StatementDownloaded: "Baixou o extrato",
	ContactsDownloaded: "Baixou contatos", BatchDownloaded: "Baixou um lote", ImportDownloaded: "Baixou uma importação",
	AuditDownloaded: "Baixou a auditoria", ContactDeleted: "Excluiu um contato", ContactRestored: "Restaurou um contato",
	ContactsMerged: "Uniu contatos", ContactsParted: "Separou contatos", SubjectExported: "Exportou dados de um titular",
	SubjectErased: "Apagou um titular", SubjectEmptied: "Esvaziou linhas da auditoria sobre um titular apagado",
	SubjectUnblocked: "Desfez o bloqueio de um titular", BulkStarted: "Iniciou uma ação em contatos",
	BulkUndone: "Desfez uma ação em contatos", ImportStarted: "Iniciou uma importação",

	OrgCreated: "Criou a organização", ChainSealed: "Selou a auditoria de uma versão anterior", OrgLimitChanged: "Mudou o limite de lotes de membros",
	OrgShareChanged: "Mudou o histórico entre finalidades", PurposeCreated: "Criou uma finalidade",
	PurposeChanged: "Alterou uma finalidade", KeyCreated: "Criou uma chave", KeyRestricted: "Mudou as permissões de uma chave",
	KeyRotated: "Trocou o segredo de uma chave", KeyRevoked: "Revogou uma chave", WebhookCreated: "Criou um webhook",
	WebhookChanged: "Alterou um webhook", WebhookRegenerated: "Trocou o endereço de um webhook",
	SourceConnected: "Conectou uma página", SourceDisconnected: "Desconectou uma página",
	SourceReadBack:    "Buscou de novo os leads de uma página",
	AutomationCreated: "Criou uma automação", AutomationChanged: "Alterou uma automação",
	AutomationEnabled: "Habilitou uma automação", AutomationDisabled: "Desabilitou uma automação",
	AutomationTried:    "Viu dados ao escrever ou experimentar uma automação",
	AutomationRunAgain: "Repetiu uma execução", AutomationsRunAgain: "Repetiu execuções", BundleCreated: "Criou um pacote",
	BundleChanged: "Alterou um pacote", BundleRemoved: "Removeu um pacote", RotationCreated: "Criou um rodízio",
	RotationChanged: "Alterou um rodízio", RotationRemoved: "Removeu um rodízio", OriginCreated: "Criou uma origem", OriginRenamed: "Renomeou uma origem",
	OriginRemoved: "Removeu uma origem", FunnelCreated: "Criou um funil", FunnelChanged: "Alterou um funil",
	BatchConfirmed: "Confirmou um lote", BatchPaused: "Pausou um lote", BatchResumed: "Retomou um lote",
	BatchCancelled: "Cancelou um lote", DeliveryReplayed: "Repetiu uma entrega", BureausOrdered: "Mudou a ordem dos bureaus",
	BureauTakenOut: "Tirou um bureau", BureauBack: "Chamou um bureau de volta",
}

// Actions returns all actions, sorted by their codes.
func Actions() []Action { return slices.Sorted(maps.Keys(labels)) }

// Valid reports whether there is such an action.
func (a Action) Valid() bool { _, has := labels[a]; return has }
