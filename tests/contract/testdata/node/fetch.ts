// A program with openapi-fetch, over the types of openapi-typescript: it calls every operation, so that it is answered
// and refused. It runs in front of a witness, which sees that none is left out.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "contract";

const { FICHARIO_URL: baseUrl = "", FICHARIO_KEY: key = "", FICHARIO_TOKEN: token = "", FICHARIO_SLOW: slow = "" } = process.env;
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const cpf = "52998224725";
const unknown = "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10";

// ok gives what a call was answered with.
function ok<T>(answer: { data?: T; error?: unknown; response: Response }): NonNullable<T> {
  assert.ok(answer.response.ok && answer.data != null, JSON.stringify(answer.error));
  return answer.data;
}

// now is the answer of a lookup that was answered at once.
function now<T extends object>(answer: T | { situacao: "em_andamento" }): Exclude<T, { situacao: "em_andamento" }> {
  assert.ok(!("situacao" in answer) || answer.situacao !== "em_andamento");
  return answer as Exclude<T, { situacao: "em_andamento" }>;
}

function refused(answer: { error?: { code: string } | string; response: Response }, status: number, code: string) {
  assert.equal(answer.response.status, status);
  assert.equal(typeof answer.error === "object" ? answer.error.code : answer.error, code);
}

async function lookups() {
  const person = await api.GET("/api/v1/cpf/{documento}", { params: { path: { documento: cpf } } });
  assert.equal(now(ok(person)).documento, cpf);
  assert.equal(person.response.headers.get("RateLimit-Policy")?.startsWith('"minuto"'), true);
  refused(await api.GET("/api/v1/cpf/{documento}", { params: { path: { documento: "1" } } }), 400, "documento_invalido");
  const company = await api.GET("/api/v1/cnpj/{documento}", { params: { path: { documento: "11222333000181" } } });
  assert.equal(now(ok(company)).produto, "cnpj");
  refused(
    await api.GET("/api/v1/cnpj/{documento}", {
      params: { path: { documento: "12ABC34501DE35" }, query: { somenteHistorico: true } },
    }),
    404,
    "fora_do_historico",
  );
  const score = now(ok(await api.POST("/api/v1/consultas", { body: { produto: "score", documento: cpf } })));
  assert.equal(score.produto, "score");
  refused(await api.POST("/api/v1/consultas", { body: { produto: "nada", documento: cpf } }), 400, "produto_desconhecido");
  const later = await api.POST("/api/v1/consultas", {
    params: { header: { Prefer: "respond-async" } },
    body: { produto: "obito", documento: slow },
  });
  assert.equal(later.response.status, 202);
  const id = later.response.headers.get("Location")?.split("/").pop() ?? "";
  assert.equal((await api.GET("/api/v1/consultas/{id}", { params: { path: { id } } })).response.status, 202);
  const again = await api.GET("/api/v1/consultas/{id}", { params: { path: { id: score.consultaId } } });
  assert.deepEqual(ok(again), score);
  refused(await api.GET("/api/v1/consultas/{id}", { params: { path: { id: unknown } } }), 404, "consulta_desconhecida");
  const any = now(ok(await api.POST("/api/v1/consultas-abertas", { body: { produto: "score", documento: cpf } })));
  assert.ok(any.produto === "score" && "score" in any);
  refused(await api.POST("/api/v1/consultas-abertas", { body: { produto: "nada", documento: cpf } }), 400, "produto_desconhecido");
  assert.deepEqual(ok(await api.GET("/api/v1/consultas-abertas/{id}", { params: { path: { id: any.consultaId } } })), any);
  refused(await api.GET("/api/v1/consultas-abertas/{id}", { params: { path: { id: unknown } } }), 404, "consulta_desconhecida");
  const nobodys = { params: { path: { token: "x" } }, body: {} };
  refused(await api.POST("/api/v1/retornos/{token}", nobodys), 404, "consulta_desconhecida");
}

async function account() {
  assert.ok(ok(await api.GET("/api/v1/produtos")).produtos.length > 8);
  const stranger = { Authorization: "Bearer fic_nobody" };
  refused(await api.GET("/api/v1/produtos", { headers: stranger }), 401, "nao_autenticado");
  const page = ok(await api.GET("/api/v1/consultas", { params: { query: { limite: 1, cache: false } } }));
  assert.ok(typeof page === "object" && page.consultas.length === 1 && page.gasto.hoje > 0 && page.proxima !== null);
  const csv = await api.GET("/api/v1/extrato/arquivo", { params: { query: { cache: false } }, parseAs: "text" });
  assert.match(ok(csv), /^id,produto,documento,/);
  const none = await api.GET("/api/v1/extrato/arquivo", { params: { query: { produto: "?" } }, parseAs: "text" });
  assert.equal(none.response.status, 400);
  assert.equal(csv.response.headers.get("Content-Type"), "text/csv; charset=utf-8");
  refused(await api.GET("/api/v1/consultas", { params: { query: { cursor: "?" } } }), 400, "requisicao_invalida");
}

async function batches() {
  const post = "/api/v1/lotes";
  const quote = ok(await api.POST(post, { body: { produto: "veiculo", documentos: ["ABC1D23"], nome: "Frota" } }));
  assert.equal(quote.situacao, "orcado");
  const table = await api.POST(post, {
    params: { query: { produto: "cpf", coluna: "doc" }, header: { "Idempotency-Key": "one" } },
    headers: { "Content-Type": "text/csv" },
    body: `doc;nome\n${slow};Ana\n529.982.247-25;Bia\n`,
    bodySerializer: (text) => text,
  });
  const { id, itens } = ok(table);
  assert.equal(itens.validos, 2);
  refused(await api.POST(post, { body: { produto: "nada", documentos: [cpf] } }), 400, "produto_desconhecido");
  assert.equal(ok(await api.GET(post, { params: { query: { limite: 2 } } })).lotes.length, 2);
  refused(await api.GET(post, { params: { query: { cursor: "?" } } }), 400, "requisicao_invalida");
  const mine = { params: { path: { id } } };
  const nobodys = { params: { path: { id: unknown } } };
  assert.equal(ok(await api.POST(`${post}/{id}/confirmar`, { ...mine, body: { teto: 10.5 } })).teto, 10.5);
  assert.equal(ok(await api.POST(`${post}/{id}/pausar`, mine)).situacao, "pausado");
  assert.equal(ok(await api.POST(`${post}/{id}/retomar`, { ...mine, body: { teto: 20 } })).teto, 20);
  assert.equal(ok(await api.POST(`${post}/{id}/cancelar`, mine)).situacao, "cancelado");
  assert.equal(ok(await api.GET(`${post}/{id}`, mine)).situacao, "cancelado");
  const page = ok(await api.GET(`${post}/{id}/resultados`, mine));
  assert.ok(typeof page === "object" && page.resultados[1]?.documento === cpf);
  const file = `${post}/{id}/resultados/arquivo` as const;
  assert.match(ok(await api.GET(file, { ...mine, parseAs: "text" })), /^doc,nome,/);
  refused(await api.GET(file, nobodys), 404, "lote_desconhecido");
  refused(await api.POST(`${post}/{id}/confirmar`, mine), 409, "estado_do_lote");
  refused(await api.POST(`${post}/{id}/pausar`, mine), 409, "estado_do_lote");
  refused(await api.POST(`${post}/{id}/retomar`, nobodys), 404, "lote_desconhecido");
  refused(await api.POST(`${post}/{id}/cancelar`, nobodys), 404, "lote_desconhecido");
  refused(await api.GET(`${post}/{id}`, nobodys), 404, "lote_desconhecido");
  refused(await api.GET(`${post}/{id}/resultados`, nobodys), 404, "lote_desconhecido");
}

async function webhook() {
  const at = "/api/webhooks/receive/{token}";
  const path = { token };
  const nobodys = { params: { path: { token: "0".repeat(48) } } };
  assert.deepEqual(ok(await api.GET(at, { params: { path } })), { status: "ok", name: "Testes", type: "generic", enabled: true });
  const query = { "hub.challenge": "1158201444", "hub.verify_token": token };
  assert.equal(ok(await api.GET(at, { params: { path, query }, parseAs: "text" })), "1158201444");
  refused(await api.GET(at, nobodys), 404, "webhook_desconhecido");
  assert.equal((await api.HEAD(at, { params: { path } })).response.status, 200);
  assert.equal((await api.HEAD(at, nobodys)).response.status, 404);
  const preflight = await api.OPTIONS(at, { params: { path } });
  assert.equal(preflight.response.headers.get("Access-Control-Allow-Origin"), "*");
  const lead = ok(await api.POST(at, { params: { path, header: { "Idempotency-Key": "a" } }, body: { email: "bia@example.com" } }));
  assert.ok("leadId" in lead && lead.success);
  const tried = ok(await api.POST(at, { params: { path, query: { simular: true } }, body: { email: "caio@example.com" } }));
  assert.ok("simulated" in tried && tried.contact.email === "caio@example.com");
  const reused = { params: { path, header: { "Idempotency-Key": "a" } }, body: { email: "caio@example.com" } };
  refused(await api.POST(at, reused), 422, "chave_reutilizada");
}

async function main() {
  await lookups();
  await account();
  await batches();
  await webhook();
}

void main();
