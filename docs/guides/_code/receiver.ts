import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(String(process.env.FICHARIO_SEGREDO).replace("whsec_", ""), "base64");

function verified(headers, body) {
  const sent = Number(headers["webhook-timestamp"]);
  if (!(Math.abs(Date.now() / 1000 - sent) <= 300)) return false;
  const mac = createHmac("sha256", key).update(`${headers["webhook-id"]}.${sent}.`).update(body);
  const want = Buffer.from("v1," + mac.digest("base64"));
  return String(headers["webhook-signature"]).split(" ").some((signature) => {
    const got = Buffer.from(signature);
    return got.length === want.length && timingSafeEqual(got, want);
  });
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (!verified(request.headers, body)) return response.writeHead(401).end();
  console.log(request.headers["webhook-id"], body.toString());
  response.writeHead(204).end();
}).listen(Number(process.env.PORT));
