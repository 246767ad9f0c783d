// A program with the client that orval makes of the contract: it calls every operation, so that it is answered and
// refused. It runs in front of a witness, which sees that none is left out.
import assert from "node:assert/strict";
import * as api from "./.cache/orval";

const { FICHARIO_KEY: key = "", FICHARIO_TOKEN: token = "", FICHARIO_SLOW: slow = "" } = process.env;
const mine = { headers: { Authorization: `Bearer ${key}` } };
const cpf = "52998224725";
const unknown = "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10";

type Answer = { status: number; data: unknown };

// ok gives what a call was answered with.
function ok<A extends Answer, S extends A["status"]>(answer: A, status: S): Extract<A, { status: S }>["data"] {
  assert.equal(answer.status, status, JSON.stringify(answer.data));
  return answer.data as Extract<A, { status: S }>["data"];
}

function refused(answer: Answer, status: number, code: string) {
  assert.equal(answer.status, status);
  assert.equal((answer.data as { code: string }).code, code);
}

async function lookups() {
  assert.ok(ok(await api.lookupCpf(cpf, undefined, mine), 200).nomeMae);
  refused(await api.lookupCpf("1", undefined, mine), 400, "documento_invalido");
  assert.ok(ok(await api.lookupCnpj("11222333000181", undefined, mine), 200).razaoSocial);
  refused(await api.lookupCnpj("12ABC34501DE35", { somenteHistorico: true }, mine), 404, "fora_do_historico");
  const score = ok(await api.lookup({ produto: "score", documento: cpf }, mine), 200);
  assert.ok(score.produto === "score" && score.score !== undefined);
  refused(await api.lookup({ produto: "nada", documento: cpf }, mine), 400, "produto_desconhecido");
  const later = { headers: { ...mine.headers, Prefer: "respond-async" } };
  assert.equal(ok(await api.lookup({ produto: "obito", documento: slow }, later), 202).situacao, "em_andamento");
  assert.deepEqual(ok(await api.getLookup(score.consultaId, mine), 200), score);
  refused(await api.getLookup(unknown, mine), 404, "consulta_desconhecida");
  const any = ok(await api.lookupOpen({ produto: "score", documento: cpf }, mine), 200);
  assert.ok(any.produto === "score" && "score" in any);
  refused(await api.lookupOpen({ produto: "nada", documento: cpf }, mine), 400, "produto_desconhecido");
  assert.deepEqual(ok(await api.getLookupOpen(any.consultaId, mine), 200), any);
  refused(await api.getLookupOpen(unknown, mine), 404, "consulta_desconhecida");
  refused(await api.receiveAnswer("x", {}), 404, "consulta_desconhecida");
}

async function account() {
  assert.ok(ok(await api.listProducts(mine), 200).produtos.length > 8);
  refused(await api.listProducts({ headers: { Authorization: "Bearer fic_nobody" } }), 401, "nao_autenticado");
  assert.equal(ok(await api.getStatement({ limite: 1, cache: false }, mine), 200).consultas.length, 1);
  refused(await api.getStatement({ cursor: "?" }, mine), 400, "requisicao_invalida");
  assert.match(ok(await api.getStatementFile(undefined, mine), 200), /^id,produto,documento,/);
  refused(await api.getStatementFile({ produto: "?" }, mine), 400, "requisicao_invalida");
}

async function batches() {
  const { id } = ok(await api.createBatch({ produto: "cpf", documentos: [slow, cpf] }, undefined, mine), 201);
  refused(await api.createBatch({ produto: "nada", documentos: [cpf] }, undefined, mine), 400, "produto_desconhecido");
  assert.equal(ok(await api.listBatches({ limite: 2 }, mine), 200).lotes.length, 1);
  refused(await api.listBatches({ cursor: "?" }, mine), 400, "requisicao_invalida");
  assert.equal(ok(await api.confirmBatch(id, { teto: 10.5 }, mine), 202).teto, 10.5);
  assert.equal(ok(await api.pauseBatch(id, mine), 202).situacao, "pausado");
  assert.equal(ok(await api.resumeBatch(id, { teto: 20 }, mine), 202).teto, 20);
  assert.equal(ok(await api.cancelBatch(id, mine), 202).situacao, "cancelado");
  assert.equal(ok(await api.getBatch(id, mine), 200).situacao, "cancelado");
  assert.equal(ok(await api.getBatchResults(id, undefined, mine), 200).resultados.length, 2);
  // Files come as the answer itself, unread.
  const file = await api.getBatchResultsFile(id, undefined, mine);
  assert.ok("stream" in file);
  assert.match(await file.stream.text(), /^documento,/);
  const none = await api.getBatchResultsFile(unknown, undefined, mine);
  assert.equal(none.status, 404);
  refused(await api.confirmBatch(id, undefined, mine), 409, "estado_do_lote");
  refused(await api.pauseBatch(id, mine), 409, "estado_do_lote");
  refused(await api.resumeBatch(unknown, undefined, mine), 404, "lote_desconhecido");
  refused(await api.cancelBatch(unknown, mine), 404, "lote_desconhecido");
  refused(await api.getBatch(unknown, mine), 404, "lote_desconhecido");
  refused(await api.getBatchResults(unknown, undefined, mine), 404, "lote_desconhecido");
}

async function webhook() {
  const nobodys = "0".repeat(48);
  assert.deepEqual(ok(await api.verifyWebhook(token), 200), { status: "ok", name: "Testes", type: "generic", enabled: true });
  const query = { "hub.challenge": "1158201444", "hub.verify_token": token };
  assert.equal(ok<Answer, number>(await api.verifyWebhook(token, query), 200), "1158201444");
  refused(await api.verifyWebhook(nobodys), 404, "webhook_desconhecido");
  assert.equal((await api.probeWebhook(token)).status, 200);
  assert.equal((await api.probeWebhook(nobodys)).status, 404);
  assert.equal((await api.preflightWebhook(token)).status, 204);
  const lead = ok(await api.receiveLead(token, { email: "bia@example.com" }), 200);
  assert.ok("leadId" in lead && lead.success);
  const tried = ok(await api.receiveLead(token, { email: "caio@example.com" }, { simular: true }), 200);
  assert.ok("simulated" in tried && tried.contact.email === "caio@example.com");
  refused(await api.receiveLead(token, { nome: "Bia" }), 400, "email_invalido");
}

async function main() {
  await lookups();
  await account();
  await batches();
  await webhook();
}

void main();
