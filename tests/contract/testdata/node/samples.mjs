// Writes the TypeScript samples of the reference and of the guides, as they are served, for the compiler.
import { mkdirSync, writeFileSync } from "node:fs";

const { FICHARIO_URL: url } = process.env;
const page = async (path) => (await fetch(url + path)).text();
const unescaped = (html) =>
  html.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, n) => String.fromCharCode(n)).replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
const start = await page("/docs/en");
mkdirSync(".cache/samples", { recursive: true });
let count = 0;
for (const path of new Set(start.match(/\/docs\/en\/(api\/\w+|guias\/[\w-]+)/g))) {
  for (const [, html] of (await page(path)).matchAll(/<pre class="code sample-typescript"[^>]*><code>(.*?)<\/code><\/pre>/gs)) {
    const code = unescaped(html);
    const name = /^\/\/ (\w+)\.mts\n/.exec(code);
    if (name) writeFileSync(`.cache/samples/${name[1]}.mts`, code);
    else if (!code.startsWith("// client.ts\n")) throw new Error(`${path} has a sample without a name`); // has its own settings
    count++;
  }
}
if (count < 22) throw new Error(`${count} samples`);
