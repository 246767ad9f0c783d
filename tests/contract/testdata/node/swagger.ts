// A program with the client that swagger-typescript-api makes of the contract: it calls every operation, so that it is
// answered and refused. It runs in front of a witness, which sees that none is left out.
import assert from "node:assert/strict";
import { Api, ContentType, type HttpResponse, type Resultado } from "./.cache/swagger";

const { FICHARIO_URL: baseUrl = "", FICHARIO_KEY: key = "", FICHARIO_TOKEN: token = "", FICHARIO_SLOW: slow = "" } = process.env;
const as = (secret: string) =>
  new Api({ baseUrl, securityWorker: () => ({ headers: { Authorization: `Bearer ${secret}` } }) }).api;
const api = as(key);
const cpf = "52998224725";
const unknown = "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10";

// This client throws what is refused.
async function refused(call: Promise<HttpResponse<unknown, unknown>>, status: number, code?: string) {
  const answer = await call.then(() => assert.fail("not refused"), (failed: HttpResponse<unknown, { code: string } | null>) => failed);
  assert.equal(answer.status, status);
  if (code) assert.equal(answer.error?.code, code);
}

// produto tells the results apart.
const scoreOf = (r: Resultado) => (r.produto === "score" ? r.score : null);

async function lookups() {
  const person = (await api.lookupCpf(cpf)).data;
  assert.ok("nomeMae" in person);
  await refused(api.lookupCpf("1"), 400, "documento_invalido");
  assert.ok("razaoSocial" in (await api.lookupCnpj("11222333000181")).data);
  await refused(api.lookupCnpj("12ABC34501DE35", { somenteHistorico: true }), 404, "fora_do_historico");
  const score = (await api.lookup({ produto: "score", documento: cpf })).data;
  assert.ok("produto" in score && scoreOf(score) !== null);
  await refused(api.lookup({ produto: "nada", documento: cpf }), 400, "produto_desconhecido");
  const later = await api.lookup({ produto: "obito", documento: slow }, { headers: { Prefer: "respond-async" } });
  assert.equal(later.status, 202);
  assert.deepEqual((await api.getLookup(score.consultaId)).data, score);
  await refused(api.getLookup(unknown), 404, "consulta_desconhecida");
  const any = (await api.lookupOpen({ produto: "score", documento: cpf })).data;
  assert.ok("produto" in any && any.produto === "score" && "score" in any);
  await refused(api.lookupOpen({ produto: "nada", documento: cpf }), 400, "produto_desconhecido");
  assert.deepEqual((await api.getLookupOpen(any.consultaId)).data, any);
  await refused(api.getLookupOpen(unknown), 404, "consulta_desconhecida");
  await refused(api.receiveAnswer("x", {}), 404);
}

async function account() {
  assert.ok((await api.listProducts()).data.produtos.length > 8);
  await refused(as("fic_nobody").listProducts(), 401, "nao_autenticado");
  assert.equal((await api.getStatement({ limite: 1, cache: false })).data.consultas.length, 1);
  await refused(api.getStatement({ cursor: "?" }), 400, "requisicao_invalida");
  // Files are read only as the caller says.
  assert.match((await api.getStatementFile({}, { format: "text" })).data, /^id,produto,documento,/);
  await refused(api.getStatementFile({ produto: "?" }, { format: "json" }), 400, "requisicao_invalida");
}

async function batches() {
  const { id } = (await api.createBatch({ produto: "cpf", documentos: [slow, cpf] })).data;
  await refused(api.createBatch({ produto: "nada", documentos: [cpf] }), 400, "produto_desconhecido");
  assert.equal((await api.listBatches({ limite: 2 })).data.lotes.length, 1);
  await refused(api.listBatches({ cursor: "?" }), 400, "requisicao_invalida");
  assert.equal((await api.confirmBatch(id, { teto: 10.5 })).data.teto, 10.5);
  assert.equal((await api.pauseBatch(id)).data.situacao, "pausado");
  assert.equal((await api.resumeBatch(id, { teto: 20 })).data.teto, 20);
  assert.equal((await api.cancelBatch(id)).data.situacao, "cancelado");
  assert.equal((await api.getBatch(id)).data.situacao, "cancelado");
  assert.equal((await api.getBatchResults(id)).data.resultados.length, 2);
  assert.match((await api.getBatchResultsFile(id, {}, { format: "text" })).data, /^documento,/);
  await refused(api.getBatchResultsFile(unknown, {}, { format: "json" }), 404, "lote_desconhecido");
  await refused(api.confirmBatch(id, {}), 409, "estado_do_lote");
  await refused(api.pauseBatch(id), 409, "estado_do_lote");
  await refused(api.resumeBatch(unknown, {}), 404, "lote_desconhecido");
  await refused(api.cancelBatch(unknown), 404, "lote_desconhecido");
  await refused(api.getBatch(unknown), 404, "lote_desconhecido");
  await refused(api.getBatchResults(unknown), 404, "lote_desconhecido");
}

async function webhook() {
  const nobodys = "0".repeat(48);
  assert.deepEqual((await api.verifyWebhook(token)).data, { status: "ok", name: "Testes", type: "generic", enabled: true });
  const query = { "hub.challenge": "1158201444", "hub.verify_token": token };
  assert.equal((await api.verifyWebhook(token, query, { format: "text" })).data as unknown, "1158201444");
  await refused(api.verifyWebhook(nobodys), 404, "webhook_desconhecido");
  assert.equal((await api.probeWebhook(token)).status, 200);
  await refused(api.probeWebhook(nobodys), 404);
  assert.equal((await api.preflightWebhook(token)).status, 204);
  const lead = (await api.receiveLead(token, { email: "bia@example.com" })).data;
  assert.ok("leadId" in lead && lead.success);
  const tried = (await api.receiveLead(token, { email: "caio@example.com" }, { simular: true })).data;
  assert.ok("simulated" in tried && tried.contact.email === "caio@example.com");
  const form = await api.receiveLead(token, { email: "duda@example.com" }, {}, { type: ContentType.UrlEncoded });
  assert.equal(form.status, 200);
  await refused(api.receiveLead(token, { nome: "Bia" }), 400, "email_invalido");
}

async function main() {
  await lookups();
  await account();
  await batches();
  await webhook();
}

void main();
