package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

const (
	person, company = "52998224725", "11222333000181"
	unknown         = "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10"
)

// answer has what all answers of the generated client have in common.
type answer interface {
	StatusCode() int
	ContentType() string
}

// expect checks the status and the beginning of the content type of an answer.
func expect[A answer](status int, kind string) func(A, error) A {
	return func(a A, err error) A {
		if err != nil || a.StatusCode() != status || !strings.HasPrefix(a.ContentType(), kind) {
			panic(fmt.Sprintf("%T: %d %s, %v", a, a.StatusCode(), a.ContentType(), err))
		}
		return a
	}
}

const asJSON, asProblem, asCSV = "application/json", "application/problem+json", "text/csv"

// everyOperation calls each operation so that it succeeds, and so that it is refused.
func everyOperation(ctx context.Context, c *ClientWithResponses) {
	lookups(ctx, c)
	account(ctx, c)
	batches(ctx, c, os.Getenv("FICHARIO_SLOW"))
	webhook(ctx, c, os.Getenv("FICHARIO_TOKEN"))
}

func lookups(ctx context.Context, c *ClientWithResponses) {
	yes := true
	cpf := expect[*LookupCpfResponse](200, asJSON)(c.LookupCpfWithResponse(ctx, person, nil))
	if cpf.JSON200.Documento != person || cpf.HTTPResponse.Header.Get("RateLimit") == "" {
		panic("another person, or no limit")
	}
	expect[*LookupCpfResponse](400, asProblem)(c.LookupCpfWithResponse(ctx, "1", nil))
	expect[*LookupCnpjResponse](200, asJSON)(c.LookupCnpjWithResponse(ctx, company, nil))
	history := LookupCnpjParams{SomenteHistorico: &yes}
	expect[*LookupCnpjResponse](404, asProblem)(c.LookupCnpjWithResponse(ctx, "12ABC34501DE35", &history))
	expect[*LookupResponse](200, asJSON)(c.LookupWithResponse(ctx, nil, Consulta{Produto: "score", Documento: person}))
	wrong := expect[*LookupResponse](400, asProblem)(c.LookupWithResponse(ctx, nil,
		Consulta{Produto: "nada", Documento: person}))
	if wrong.ApplicationproblemJSON400.Code != CodigoProdutoDesconhecido {
		panic(wrong.ApplicationproblemJSON400.Code)
	}
	expect[*GetLookupResponse](200, asJSON)(c.GetLookupWithResponse(ctx, cpf.JSON200.ConsultaId.String()))
	expect[*GetLookupResponse](404, asProblem)(c.GetLookupWithResponse(ctx, unknown))
	open := expect[*LookupOpenResponse](200, asJSON)(c.LookupOpenWithResponse(ctx, nil,
		Consulta{Produto: "score", Documento: person}))
	if open.JSON200.Produto != "score" || open.JSON200.AdditionalProperties["score"] == nil {
		panic("no score in the open result")
	}
	expect[*LookupOpenResponse](400, asProblem)(c.LookupOpenWithResponse(ctx, nil, Consulta{Produto: "nada", Documento: person}))
	expect[*GetLookupOpenResponse](200, asJSON)(c.GetLookupOpenWithResponse(ctx, open.JSON200.ConsultaId.String()))
	expect[*GetLookupOpenResponse](404, asProblem)(c.GetLookupOpenWithResponse(ctx, unknown))
}

func account(ctx context.Context, c *ClientWithResponses) {
	bad, excel, never := "?", GetStatementFileParamsFormatoExcel, "?"
	expect[*ListProductsResponse](200, asJSON)(c.ListProductsWithResponse(ctx))
	nobody, err := NewClientWithResponses(os.Getenv("FICHARIO_URL"))
	if err != nil {
		panic(err)
	}
	expect[*ListProductsResponse](401, asProblem)(nobody.ListProductsWithResponse(ctx))
	page := expect[*GetStatementResponse](200, asJSON)(c.GetStatementWithResponse(ctx, nil))
	file := expect[*GetStatementFileResponse](200, asCSV)(c.GetStatementFileWithResponse(ctx,
		&GetStatementFileParams{Formato: &excel}))
	expect[*GetStatementFileResponse](400, asProblem)(c.GetStatementFileWithResponse(ctx, &GetStatementFileParams{Produto: &never}))
	if len(page.JSON200.Consultas) == 0 || len(file.Body) == 0 {
		panic("an empty statement")
	}
	expect[*GetStatementResponse](400, asProblem)(c.GetStatementWithResponse(ctx, &GetStatementParams{Cursor: &bad}))
}

func batches(ctx context.Context, c *ClientWithResponses, slow string) {
	bad, ndjson, cpf := "?", GetBatchResultsFileParamsFormatoNdjson, "cpf"
	created := expect[*CreateBatchResponse](201, asJSON)(c.CreateBatchWithResponse(ctx, nil,
		NovoLote{Produto: cpf, Documentos: []string{slow, person}}))
	id := created.JSON201.Id.String()
	expect[*CreateBatchResponse](201, asJSON)(c.CreateBatchWithBodyWithResponse(ctx, &CreateBatchParams{Produto: &cpf},
		asCSV, strings.NewReader("cpf\n529.982.247-25\n")))
	expect[*CreateBatchResponse](400, asProblem)(c.CreateBatchWithResponse(ctx, nil, NovoLote{Produto: "nada"}))
	expect[*ListBatchesResponse](200, asJSON)(c.ListBatchesWithResponse(ctx, nil))
	expect[*ListBatchesResponse](400, asProblem)(c.ListBatchesWithResponse(ctx, &ListBatchesParams{Cursor: &bad}))
	expect[*ConfirmBatchResponse](202, asJSON)(c.ConfirmBatchWithResponse(ctx, id, Teto{}))
	expect[*PauseBatchResponse](202, asJSON)(c.PauseBatchWithResponse(ctx, id))
	expect[*ResumeBatchResponse](202, asJSON)(c.ResumeBatchWithResponse(ctx, id, Retomada{}))
	expect[*CancelBatchResponse](202, asJSON)(c.CancelBatchWithResponse(ctx, id))
	expect[*GetBatchResponse](200, asJSON)(c.GetBatchWithResponse(ctx, id))
	expect[*GetBatchResultsResponse](200, asJSON)(c.GetBatchResultsWithResponse(ctx, id, nil))
	expect[*GetBatchResultsFileResponse](200, asCSV)(c.GetBatchResultsFileWithResponse(ctx, id, nil))
	expect[*GetBatchResultsFileResponse](200, "application/x-ndjson")(c.GetBatchResultsFileWithResponse(ctx, id,
		&GetBatchResultsFileParams{Formato: &ndjson}))
	expect[*GetBatchResultsFileResponse](404, asProblem)(c.GetBatchResultsFileWithResponse(ctx, unknown, nil))
	expect[*ConfirmBatchResponse](409, asProblem)(c.ConfirmBatchWithResponse(ctx, id, Teto{}))
	expect[*PauseBatchResponse](409, asProblem)(c.PauseBatchWithResponse(ctx, id))
	expect[*ResumeBatchResponse](404, asProblem)(c.ResumeBatchWithResponse(ctx, unknown, Retomada{}))
	expect[*CancelBatchResponse](404, asProblem)(c.CancelBatchWithResponse(ctx, unknown))
	expect[*GetBatchResponse](404, asProblem)(c.GetBatchWithResponse(ctx, unknown))
	expect[*GetBatchResultsResponse](404, asProblem)(c.GetBatchResultsWithResponse(ctx, unknown, nil))
}

func webhook(ctx context.Context, c *ClientWithResponses, token string) {
	expect[*ReceiveAnswerResponse](404, asProblem)(c.ReceiveAnswerWithResponse(ctx, "x", map[string]any{}))
	nobodys, challenge := strings.Repeat("0", 48), "1158201444"
	expect[*VerifyWebhookResponse](200, asJSON)(c.VerifyWebhookWithResponse(ctx, token, nil))
	expect[*VerifyWebhookResponse](200, "text/plain")(c.VerifyWebhookWithResponse(ctx, token,
		&VerifyWebhookParams{HubChallenge: &challenge, HubVerifyToken: &token}))
	expect[*VerifyWebhookResponse](404, asProblem)(c.VerifyWebhookWithResponse(ctx, nobodys, nil))
	expect[*ProbeWebhookResponse](200, "")(c.ProbeWebhookWithResponse(ctx, token, nil))
	expect[*ProbeWebhookResponse](404, "")(c.ProbeWebhookWithResponse(ctx, nobodys, nil))
	expect[*PreflightWebhookResponse](204, "")(c.PreflightWebhookWithResponse(ctx, token))
	email := "bia@example.com"
	made := expect[*ReceiveLeadResponse](200, asJSON)(c.ReceiveLeadWithResponse(ctx, token, nil, Lead{Email: &email}))
	if contact, err := made.JSON200.AsLeadCreated(); err != nil || contact.LeadId.String() == "" {
		panic("no contact")
	}
	expect[*ReceiveLeadResponse](200, asJSON)(c.ReceiveLeadWithFormdataBodyWithResponse(ctx, token, nil,
		LeadForm{Email: &email}))
	expect[*ReceiveLeadResponse](400, asProblem)(c.ReceiveLeadWithResponse(ctx, token, nil, Lead{}))
}
