// Command ogen is a program with the client that ogen generates from the contract, which is below it only while it
// runs. It calls every operation, with successful and refused requests; ogen's clients reject answers that the
// contract does not describe. It talks through a witness, which checks that no operation is left out.
package main

import (
	"bytes"
	"context"
	"io"
	"log"
	"os"
	"strings"

	"fichario/tests/contract/testdata/ogen/api"
)

const (
	cpf     = "52998224725"
	unknown = "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10"
)

var ctx = context.Background()

type key string

func (k key) Key(context.Context, api.OperationName) (api.Key, error) {
	return api.Key{Token: string(k)}, nil
}

func main() {
	c := client(os.Getenv("FICHARIO_KEY"))
	lookups(c)
	account(c)
	batches(c, os.Getenv("FICHARIO_SLOW"))
	webhook(c, os.Getenv("FICHARIO_TOKEN"))
}

func client(secret string) *api.Client {
	c, err := api.NewClient(os.Getenv("FICHARIO_URL"), key(secret))
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// is asserts the type of an answer.
func is[T any](answer any, err error) T {
	right, ok := answer.(T)
	if !ok {
		log.Fatalf("answered with %T, not with %T: %v", answer, right, err)
	}
	return right
}

func must(ok bool, what string) {
	if !ok {
		log.Fatal("not so: ", what)
	}
}

func code(p api.Problema, want api.Codigo) {
	must(p.Code == want, string(want)+", but "+string(p.Code))
}

func text(r io.Reader) string {
	all, err := io.ReadAll(r)
	must(err == nil, "the file is read")
	return string(all)
}

func lookups(c *api.Client) {
	person := is[*api.ResultadoCpfHeaders](c.LookupCpf(ctx, api.LookupCpfParams{Documento: cpf}))
	must(person.Response.Documento == cpf, "the person asked for")
	must(strings.HasPrefix(person.RateLimitPolicy.Value, `"minuto"`), "the policy")
	wrong := is[*api.BadLookupHeaders](c.LookupCpf(ctx, api.LookupCpfParams{Documento: "11111111111"}))
	code(wrong.Response, api.CodigoDocumentoInvalido)
	is[*api.ResultadoCnpjHeaders](c.LookupCnpj(ctx, api.LookupCnpjParams{Documento: "11222333000181"}))
	is[*api.NotInHistoryHeaders](c.LookupCnpj(ctx, api.LookupCnpjParams{
		Documento: "12ABC34501DE35", SomenteHistorico: api.NewOptBool(true),
	}))
	score := is[*api.ResultadoHeaders](c.Lookup(ctx, &api.Consulta{Produto: "score", Documento: cpf}, api.LookupParams{}))
	result, ok := score.Response.GetResultadoScore()
	must(ok, "the result is a score")
	again := is[*api.ResultadoHeaders](c.GetLookup(ctx, api.GetLookupParams{ID: result.ConsultaId.String()}))
	must(again.Response.ResultadoScore.Score == result.Score, "the same score again")
	is[*api.UnknownLookupHeaders](c.GetLookup(ctx, api.GetLookupParams{ID: unknown}))
	is[*api.BadLookupHeaders](c.Lookup(ctx, &api.Consulta{Produto: "nada", Documento: cpf}, api.LookupParams{}))
	later := is[*api.PendingHeaders](c.Lookup(ctx, &api.Consulta{Produto: "obito", Documento: os.Getenv("FICHARIO_SLOW")},
		api.LookupParams{Prefer: api.NewOptString("respond-async")}))
	must(strings.HasSuffix(later.Location.Value, later.Response.ConsultaId.String()), "where the answer will be")
}

func account(c *api.Client) {
	must(len(is[*api.ProdutosHeaders](c.ListProducts(ctx)).Response.Produtos) > 8, "nine products")
	is[*api.UnauthenticatedHeaders](client("fic_nobody").ListProducts(ctx))
	page := is[*api.ExtratoHeaders](c.GetStatement(ctx, api.GetStatementParams{Limite: api.NewOptInt(1)}))
	must(len(page.Response.Consultas) == 1 && page.Response.Gasto.Hoje > 0, "a page of one")
	csv := is[*api.GetStatementOKTextCsvHeaders](c.GetStatement(ctx, api.GetStatementParams{
		Formato: api.NewOptGetStatementFormato(api.GetStatementFormatoExcel),
	}))
	must(strings.Contains(text(csv.Response), cpf[:3]), "the file has the lookups")
	is[*api.BadRequestHeaders](c.GetStatement(ctx, api.GetStatementParams{Cursor: api.NewOptString("?")}))
}

func batches(c *api.Client, slow string) {
	created := is[*api.LoteHeaders](c.CreateBatch(ctx, &api.NovoLote{Produto: "cpf", Documentos: []string{slow, cpf}},
		api.CreateBatchParams{IdempotencyKey: api.NewOptString("one")}))
	id := created.Response.ID.String()
	is[*api.LoteHeaders](c.CreateBatch(ctx, &api.CreateBatchReqTextCsv{Data: bytes.NewBufferString("cpf\n529.982.247-25\n")},
		api.CreateBatchParams{Produto: api.NewOptString("cpf")}))
	is[*api.BadLookupHeaders](c.CreateBatch(ctx, &api.NovoLote{Produto: "nada", Documentos: []string{cpf}},
		api.CreateBatchParams{}))
	must(len(is[*api.LotesHeaders](c.ListBatches(ctx, api.ListBatchesParams{})).Response.Lotes) == 2, "two batches")
	is[*api.BadRequestHeaders](c.ListBatches(ctx, api.ListBatchesParams{Cursor: api.NewOptString("?")}))
	ceiling := api.NewOptTeto(api.Teto{Teto: api.NewOptFloat64(10.5)})
	confirmed := is[*api.LoteHeaders](c.ConfirmBatch(ctx, ceiling, api.ConfirmBatchParams{ID: id}))
	must(confirmed.Response.Teto.Value == 10.5, "the ceiling")
	is[*api.LoteHeaders](c.PauseBatch(ctx, api.PauseBatchParams{ID: id}))
	is[*api.LoteHeaders](c.ResumeBatch(ctx, api.OptRetomada{}, api.ResumeBatchParams{ID: id}))
	is[*api.LoteHeaders](c.CancelBatch(ctx, api.CancelBatchParams{ID: id}))
	is[*api.LoteHeaders](c.GetBatch(ctx, api.GetBatchParams{ID: id}))
	page := is[*api.ResultadosHeaders](c.GetBatchResults(ctx, api.GetBatchResultsParams{ID: id}))
	must(len(page.Response.Resultados) == 2, "two items")
	file := is[*api.GetBatchResultsOKTextCsvHeaders](c.GetBatchResults(ctx, api.GetBatchResultsParams{
		ID: id, Formato: api.NewOptGetBatchResultsFormato(api.GetBatchResultsFormatoCsv),
	}))
	must(strings.HasPrefix(text(file.Response), "documento,"), "the file has a header")
	is[*api.BatchStateHeaders](c.ConfirmBatch(ctx, ceiling, api.ConfirmBatchParams{ID: id}))
	is[*api.BatchStateHeaders](c.PauseBatch(ctx, api.PauseBatchParams{ID: id}))
	is[*api.UnknownBatchHeaders](c.ResumeBatch(ctx, api.OptRetomada{}, api.ResumeBatchParams{ID: unknown}))
	is[*api.UnknownBatchHeaders](c.CancelBatch(ctx, api.CancelBatchParams{ID: unknown}))
	is[*api.UnknownBatchHeaders](c.GetBatch(ctx, api.GetBatchParams{ID: unknown}))
	is[*api.UnknownBatchHeaders](c.GetBatchResults(ctx, api.GetBatchResultsParams{ID: unknown}))
}

func webhook(c *api.Client, token string) {
	nobodys := strings.Repeat("0", 48)
	is[*api.WebhookStatusHeaders](c.VerifyWebhook(ctx, api.VerifyWebhookParams{Token: token}))
	challenge := is[*api.VerifyWebhookOKTextPlainHeaders](c.VerifyWebhook(ctx, api.VerifyWebhookParams{
		Token: token, HubChallenge: api.NewOptString("1158201444"), HubVerifyToken: api.NewOptString(token),
	}))
	must(text(challenge.Response) == "1158201444", "the challenge")
	is[*api.UnknownWebhookHeaders](c.VerifyWebhook(ctx, api.VerifyWebhookParams{Token: nobodys}))
	is[*api.ProbeWebhookOK](c.ProbeWebhook(ctx, api.ProbeWebhookParams{Token: token}))
	is[*api.ProbeWebhookNotFound](c.ProbeWebhook(ctx, api.ProbeWebhookParams{Token: nobodys}))
	is[*api.PreflightWebhookNoContent](c.PreflightWebhook(ctx, api.PreflightWebhookParams{Token: token}))
	lead := api.Lead{Email: api.NewOptString("bia@example.com")}
	made := is[*api.ReceiveLeadOKHeaders](c.ReceiveLead(ctx, &lead, api.ReceiveLeadParams{Token: token}))
	must(made.Response.IsLeadCreated(), "a contact")
	tried := is[*api.ReceiveLeadOKHeaders](c.ReceiveLead(ctx, &lead,
		api.ReceiveLeadParams{Token: token, Simular: api.NewOptBool(true)}))
	must(tried.Response.IsLeadSimulated(), "a simulation")
	is[*api.ProblemaLeadHeaders](c.ReceiveLead(ctx, &api.Lead{}, api.ReceiveLeadParams{Token: token}))
}
