// A program with the client that @hey-api/openapi-ts makes of the contract: it calls every operation, so that it is
// answered and refused. It runs in front of a witness, which sees that none is left out.
import assert from "node:assert/strict";
import * as api from "./.cache/hey";
import { client } from "./.cache/hey/client.gen";

const { FICHARIO_URL: baseUrl = "", FICHARIO_KEY: auth = "", FICHARIO_TOKEN: token = "", FICHARIO_SLOW: slow = "" } = process.env;
client.setConfig({ baseUrl, auth });
const cpf = "52998224725";
const nobodys = { path: { id: "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10" } };

// ok gives what a call was answered with.
function ok<T>({ data, error }: { data?: T; error?: unknown }): NonNullable<T> {
  if (data == null) throw new Error(JSON.stringify(error));
  return data;
}

function refused(answer: { error?: unknown; response?: Response }, status: number, code: string) {
  assert.equal(answer.response?.status, status);
  assert.equal((answer.error as { code: string }).code, code);
}

async function lookups() {
  const person = await api.lookupCpf({ path: { documento: cpf } });
  assert.ok("nomeMae" in ok(person));
  assert.match(person.response.headers.get("RateLimit-Policy") ?? "", /^"minuto"/);
  refused(await api.lookupCpf({ path: { documento: "1" } }), 400, "documento_invalido");
  assert.ok("socios" in ok(await api.lookupCnpj({ path: { documento: "11222333000181" } })));
  refused(
    await api.lookupCnpj({ path: { documento: "12ABC34501DE35" }, query: { somenteHistorico: true } }),
    404,
    "fora_do_historico",
  );
  const score = ok(await api.lookup({ body: { produto: "score", documento: cpf } }));
  assert.ok("produto" in score && score.produto === "score");
  refused(await api.lookup({ body: { produto: "nada", documento: cpf } }), 400, "produto_desconhecido");
  const later = await api.lookup({ body: { produto: "obito", documento: slow }, headers: { Prefer: "respond-async" } });
  assert.equal(later.response.status, 202);
  assert.deepEqual(ok(await api.getLookup({ path: { id: score.consultaId } })), score);
  refused(await api.getLookup(nobodys), 404, "consulta_desconhecida");
  const any = ok(await api.lookupOpen({ body: { produto: "score", documento: cpf } }));
  assert.ok("produto" in any && any.produto === "score" && "score" in any);
  refused(await api.lookupOpen({ body: { produto: "nada", documento: cpf } }), 400, "produto_desconhecido");
  assert.deepEqual(ok(await api.getLookupOpen({ path: { id: String(any.consultaId) } })), any);
  refused(await api.getLookupOpen(nobodys), 404, "consulta_desconhecida");
  refused(await api.receiveAnswer({ path: { token: "x" }, body: {} }), 404, "consulta_desconhecida");
}

async function account() {
  assert.ok(ok(await api.listProducts()).produtos.length > 8);
  refused(await api.listProducts({ auth: "fic_nobody" }), 401, "nao_autenticado");
  const page = ok(await api.getStatement({ query: { limite: 1, cache: false } }));
  assert.ok(typeof page === "object" && page.consultas.length === 1);
  assert.match(ok(await api.getStatementFile()), /^id,produto,documento,/);
  refused(await api.getStatementFile({ query: { produto: "?" } }), 400, "requisicao_invalida");
  refused(await api.getStatement({ query: { cursor: "?" } }), 400, "requisicao_invalida");
}

async function batches() {
  const quote = await api.createBatch({ body: { produto: "cpf", documentos: [slow, cpf] }, headers: { "Idempotency-Key": "one" } });
  const mine = { path: { id: ok(quote).id } };
  refused(await api.createBatch({ body: { produto: "nada", documentos: [cpf] } }), 400, "produto_desconhecido");
  assert.equal(ok(await api.listBatches({ query: { limite: 2 } })).lotes.length, 1);
  refused(await api.listBatches({ query: { cursor: "?" } }), 400, "requisicao_invalida");
  assert.equal(ok(await api.confirmBatch({ ...mine, body: { teto: 10.5 } })).teto, 10.5);
  assert.equal(ok(await api.pauseBatch(mine)).situacao, "pausado");
  assert.equal(ok(await api.resumeBatch({ ...mine, body: { teto: 20 } })).teto, 20);
  assert.equal(ok(await api.cancelBatch(mine)).situacao, "cancelado");
  assert.equal(ok(await api.getBatch(mine)).situacao, "cancelado");
  const page = ok(await api.getBatchResults(mine));
  assert.ok(typeof page === "object" && "resultados" in page && page.resultados.length === 2);
  const file = ok<unknown>(await api.getBatchResultsFile({ ...mine, query: { formato: "xlsx" }, parseAs: "blob" }));
  assert.ok(file instanceof Blob && file.size > 1000);
  assert.match(String(ok(await api.getBatchResultsFile(mine))), /^documento,/);
  refused(await api.getBatchResultsFile(nobodys), 404, "lote_desconhecido");
  refused(await api.confirmBatch(mine), 409, "estado_do_lote");
  refused(await api.pauseBatch(mine), 409, "estado_do_lote");
  refused(await api.resumeBatch(nobodys), 404, "lote_desconhecido");
  refused(await api.cancelBatch(nobodys), 404, "lote_desconhecido");
  refused(await api.getBatch(nobodys), 404, "lote_desconhecido");
  refused(await api.getBatchResults(nobodys), 404, "lote_desconhecido");
}

async function webhook() {
  const path = { token };
  const unknown = { path: { token: "0".repeat(48) } };
  assert.deepEqual(ok(await api.verifyWebhook({ path })), { status: "ok", name: "Testes", type: "generic", enabled: true });
  const query = { "hub.challenge": "1158201444", "hub.verify_token": token };
  assert.equal(ok<unknown>(await api.verifyWebhook({ path, query, parseAs: "text" })), "1158201444");
  refused(await api.verifyWebhook(unknown), 404, "webhook_desconhecido");
  assert.equal((await api.probeWebhook({ path })).response.status, 200);
  assert.equal((await api.probeWebhook(unknown)).response?.status, 404);
  assert.equal((await api.preflightWebhook({ path })).response.status, 204);
  const lead = ok(await api.receiveLead({ path, body: { email: "bia@example.com" } }));
  assert.ok("leadId" in lead && lead.success);
  const tried = ok(await api.receiveLead({ path, query: { simular: true }, body: { email: "caio@example.com" } }));
  assert.ok("simulated" in tried && tried.contact.email === "caio@example.com");
  refused(await api.receiveLead({ path, body: { nome: "Bia" } }), 400, "email_invalido");
}

async function main() {
  await lookups();
  await account();
  await batches();
  await webhook();
}

void main();
