package integration

import (
	"slices"
	"strings"
	"testing"

	"fichario/adapters/web"
	"fichario/adapters/web/site"
)

// pages has a row for each route of the interface: who may use it, the route, and the kinds of the ids in its path.
// Everybody may use a "door", "all" members a page, an "admin" and owners what manages the organisation, an "owner" the
// rest, "self" whoever it belongs to, and "alone" nobody here, because several organisations use the instance. Rows are
// walked in an order in which none destroys what a later one needs.
const pages = `
	door  GET /static/
	door  GET /entrar
	door  POST /entrar
	door  POST /sair
	door  GET /entrar/codigo
	door  POST /entrar/codigo
	door  POST /entrar/chave/inicio
	door  POST /entrar/chave
	door  GET /entrar/esqueci
	door  POST /entrar/esqueci
	door  GET /entrar/link/{token} link
	door  POST /entrar/link/{token} link
	door  GET /entrar/oidc
	door  GET /entrar/oidc/retorno

	all   GET /{$}
	all   GET /eventos
	all   GET /buscar
	all   POST /buscar
	all   GET /conta
	all   POST /conta/tema
	all   POST /conta/atalhos
	all   GET /atalhos
	all   GET /notificacoes
	all   GET /notificacoes/sino
	all   POST /notificacoes/lidas

	all   GET /contatos
	all   GET /contatos.csv
	all   POST /contatos
	all   POST /contatos/colunas
	all   POST /contatos/vistas
	all   POST /contatos/vistas/tirar
	all   GET /contatos/novo
	all   GET /contatos/{id} contact
	all   POST /contatos/{id} contact
	all   GET /contatos/{id}/editar contact
	all   GET /contatos/{id}/documentos contact
	all   GET /contatos/{id}/historico contact
	all   GET /contatos/{id}/unir contact
	all   GET /contatos/{id}/unir/{outro} contact other
	all   POST /contatos/{id}/nota contact
	all   POST /contatos/{id}/consentimento contact
	all   POST /contatos/{id}/responsavel contact
	all   POST /contatos/{id}/etapa contact
	all   POST /contatos/{id}/ligacao contact
	all   POST /contatos/{id}/reconhecer contact
	all   POST /contatos/{id}/consultar contact
	all   GET /contatos/{id}/consultas/{consulta} contact lookup
	all   POST /contatos/{id}/unir contact
	all   POST /contatos/{id}/separar contact
	admin POST /contatos/{id}/excluir contact
	admin POST /contatos/{id}/restaurar contact
	all   GET /retorno
	all   GET /funil
	all   POST /acoes
	all   GET /acoes/{id} action
	admin POST /acoes/{id}/desfazer action
	all   GET /importacoes
	all   POST /importacoes
	all   GET /importacoes/{id} import
	admin POST /importacoes/{id} import
	all   GET /importacoes/{id}/resultado.csv import
	all   GET /importacoes/{id}/resultado.xlsx import

	all   GET /consultar
	all   POST /consultar
	all   POST /consultar/lote
	all   POST /consultar/reconhecer
	all   GET /consultas
	all   POST /consultas
	all   POST /consultas/pacote
	all   POST /consultas/procurar
	all   POST /consultas/confirmar
	all   GET /consultas/{id} lookup
	all   GET /consultas/{id}/bruto lookup
	all   GET /consultas/{id}/contato lookup
	all   POST /consultas/{id}/contato lookup
	all   POST /finalidade
	all   GET /extrato
	all   GET /extrato.csv
	all   GET /lotes
	all   POST /lotes
	all   POST /lotes/colados
	all   GET /lotes/{id} batch
	all   GET /lotes/{id}/andamento batch
	all   GET /lotes/{id}/resultado.csv batch
	all   GET /lotes/{id}/resultado.xlsx batch
	all   POST /lotes/{id}/confirmar batch
	all   POST /lotes/{id}/pausar batch
	all   POST /lotes/{id}/retomar batch
	all   POST /lotes/{id}/cancelar batch

	admin GET /webhooks
	admin POST /webhooks
	admin GET /webhooks/novo
	admin GET /webhooks/{id} webhook
	admin POST /webhooks/{id} webhook
	admin GET /webhooks/{id}/editar webhook
	admin POST /webhooks/{id}/ligar webhook
	admin POST /webhooks/{id}/paginas webhook
	admin POST /webhooks/{id}/paginas/desconectar webhook
	admin POST /webhooks/{id}/regenerar webhook
	admin POST /webhooks/{id}/testar webhook
	admin POST /webhooks/{id}/refazer webhook
	admin GET /entregas/{entrega} delivery
	admin POST /entregas/{entrega}/refazer delivery
	admin POST /entregas/{entrega}/campo delivery
	admin POST /entregas/{entrega}/contato delivery
	admin GET /rodizios
	admin POST /rodizios
	admin POST /rodizios/{id} rotation
	admin POST /rodizios/{id}/tirar rotation
	admin GET /automacoes
	admin POST /automacoes
	admin GET /automacoes/nova
	admin GET /automacoes/{id} automation
	admin POST /automacoes/{id} automation
	admin GET /automacoes/{id}/editar automation
	admin POST /automacoes/{id}/ligar automation
	admin POST /execucoes/refazer
	admin POST /execucoes/{id}/refazer run
	admin GET /pacotes
	admin POST /pacotes
	admin POST /pacotes/{id} bundle
	admin POST /pacotes/{id}/tirar bundle
	admin GET /bureaus
	alone POST /bureaus/subir
	alone POST /bureaus/ordem
	alone POST /bureaus/tirar
	alone POST /bureaus/voltar
	admin GET /chaves
	admin POST /chaves
	admin POST /chaves/teste
	admin GET /chaves/nova
	admin GET /chaves/{id} key
	admin GET /chaves/{id}/extrato.csv key
	admin GET /chaves/{id}/alterar key
	admin POST /chaves/{id}/alterar key
	admin POST /chaves/{id}/revogar key
	admin POST /chaves/{id}/trocar key
	admin GET /configuracoes
	admin GET /campos
	admin GET /equipe
	admin GET /equipe/funis
	admin GET /equipe/funis/{id} funnel
	admin GET /equipe/origens
	admin POST /equipe/membros
	admin POST /equipe/membros/{id} member
	admin POST /equipe/membros/{id}/senha member
	admin POST /equipe/membros/{id}/convite member
	admin POST /equipe/origens
	admin POST /equipe/origens/{id} origin
	admin POST /equipe/origens/{id}/tirar origin
	admin POST /equipe/funis
	admin POST /equipe/funis/{id} funnel

	owner GET /finalidades
	owner POST /finalidades
	owner POST /finalidades/{codigo} purpose
	owner POST /finalidades/{codigo}/encerrar purpose
	owner POST /historico-dividido
	owner GET /auditoria
	owner GET /auditoria.csv
	owner GET /privacidade
	owner GET /privacidade/registro
	owner POST /privacidade/procurar
	owner POST /privacidade/exportar
	owner POST /privacidade/imprimir
	owner POST /privacidade/confirmar
	owner POST /privacidade/apagar
	owner GET /privacidade/eliminacoes/{id} erasure
	owner GET /privacidade/eliminacoes/{id}/recibo.json erasure
	owner POST /privacidade/eliminacoes/{id}/desbloquear erasure

	all   GET /conta/acessos
	self  POST /conta/acessos/{id}/encerrar session
	all   POST /conta/acessos/outros
	all   GET /conta/segundo-fator
	all   POST /conta/segundo-fator/codigos
	all   POST /conta/segundo-fator/confirmar
	all   POST /conta/segundo-fator/desligar
	all   POST /conta/segundo-fator/recuperacao
	owner POST /conta/segundo-fator/exigir
	all   POST /conta/segundo-fator/prova/inicio
	all   POST /conta/segundo-fator/chave/inicio
	all   POST /conta/segundo-fator/chave
	self  POST /conta/segundo-fator/chave/{id}/remover passkey
	all   POST /conta/senha
	all   POST /sair-todas
`

// pageRow is a row of pages.
type pageRow struct {
	who, method, path string
	ids               []string // the kinds of the ids in the path
}

func pageRows() (all []pageRow) {
	for text := range strings.Lines(pages) {
		if f := strings.Fields(text); len(f) > 0 {
			all = append(all, pageRow{f[0], f[1], f[2], f[3:]})
		}
	}
	return all
}

// TestEveryPageHasItsRow: a route without a row in pages would not be walked, so there must be none.
func TestEveryPageHasItsRow(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, r := range pageRows() {
		rows = append(rows, r.method+" "+r.path)
		if strings.Count(strings.ReplaceAll(r.path, "{$}", ""), "{") != len(r.ids) {
			t.Errorf("%s %s: its row does not say what its ids are of", r.method, r.path)
		}
	}
	routes := web.Routes(site.Use{}.Rooms()...)
	for _, route := range routes {
		if !slices.Contains(rows, route) {
			t.Errorf("%s has no row that says who may have it", route)
		}
	}
	if slices.Sort(rows); len(slices.Compact(rows)) != len(routes) {
		t.Errorf("%d rows for %d routes", len(rows), len(routes))
	}
}
