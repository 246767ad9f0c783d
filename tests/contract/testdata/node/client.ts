// What a program in TypeScript may count on: it is never run, it only has to compile.
import type { components, operations } from "contract";

type Resultado = components["schemas"]["Resultado"];
type Json<O extends keyof operations, S extends keyof operations[O]["responses"]> = operations[O]["responses"][S] extends {
  content: { "application/json": infer T };
}
  ? T
  : never;

// produto tells the results apart.
export function tell(r: Resultado): string | number | null {
  switch (r.produto) {
    case "cpf":
      return r.nomeMae;
    case "cnpj":
      return r.atividadePrincipal?.codigo ?? null;
    case "score":
      return r.score;
    case "veiculo":
      // @ts-expect-error: a vehicle has no score
      return r.score;
    case "situacao_cadastral":
    case "obito":
    case "participacao_societaria":
    case "protestos":
    case "validacao_email":
      return r.documento;
    default:
      return String(r["limite"]); // a product of the bureau file's own
  }
}

// What a lookup answers is such a result.
export const looked = (r: Json<"lookup", 200>): Resultado => r;

// Only what has to be sent has to be written.
export const lookup: operations["lookup"]["requestBody"]["content"]["application/json"] = {
  produto: "cpf",
  documento: "52998224725",
};
export const statement: operations["getStatement"]["parameters"]["query"] = {};
export const refresh: operations["lookupCpf"]["parameters"]["query"] = {};
export const simulate: operations["receiveLead"]["parameters"]["query"] = {};
export const lead: operations["receiveLead"]["requestBody"]["content"]["application/json"] = {
  email: "bia@example.com",
  utm_source: "instagram",
};
