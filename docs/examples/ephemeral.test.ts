// A whole service for these tests, in memory; it ends with them. FICHARIO is the path of the program.
// Node 22.18 and newer runs this file as it is: node --test ephemeral.test.ts
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

const program = spawn(process.env.FICHARIO ?? "fichario", ["serve", "--ephemeral", "--listen", "127.0.0.1:0"], {
  stdio: ["ignore", "pipe", "ignore"],
});
let service: { url: string; chave: string };

before(async () => {
  for await (const line of createInterface({ input: program.stdout })) {
    service = JSON.parse(line);
    break;
  }
});
after(() => program.kill());

const lookUp = (document: string) =>
  fetch(`${service.url}/api/v1/cpf/${document}`, { headers: { Authorization: `Bearer ${service.chave}` } });

test("a person is found", async () => {
  const person = (await (await lookUp("52998224725")).json()) as { situacaoCadastral: string };
  assert.equal(person.situacaoCadastral, "REGULAR");
});

test("a bureau that hangs is a 504", async () => {
  const script = { cases: [{ document: "11144477735", fault: "hang" }] };
  const put = await fetch(`${service.url}/_/script`, { method: "PUT", body: JSON.stringify(script) });
  assert.ok(put.ok);
  assert.equal((await lookUp("11144477735")).status, 504);
});
