// receiver.mts
// npm install --save-dev typescript@5 @types/node
// npx tsc --strict --target es2023 --module nodenext --types node receiver.mts && node receiver.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(String(process.env.FICHARIO_SEGREDO ?? "").replace("whsec_", ""), "base64");
if (key.length === 0) throw new Error("FICHARIO_SEGREDO is missing");

createServer(async (request, response) => {
  const parts = [];
  try {
    for await (const part of request) parts.push(part);
  } catch {
    return response.destroy(); // the sender is gone
  }
  const body = Buffer.concat(parts);
  const id = request.headers["webhook-id"], sent = Number(request.headers["webhook-timestamp"]);
  const mac = createHmac("sha256", key).update(`${id}.${sent}.`).update(body);
  const want = Buffer.from("v1," + mac.digest("base64"));
  const fresh = Math.abs(Date.now() / 1000 - sent) <= 300;
  const signed = String(request.headers["webhook-signature"]).split(" ").some((signature) => {
    const got = Buffer.from(signature);
    return got.length === want.length && timingSafeEqual(got, want);
  });
  if (request.method !== "POST" || request.url !== "/fichario") return response.writeHead(404).end();
  if (!fresh || !signed) return response.writeHead(401).end();
  console.log(id, body.toString());
  response.writeHead(204).end();
}).listen(Number(process.env.PORT));
