// client.ts
import createClient from "openapi-fetch";
import type { paths } from "./contract.d.ts";

const api = createClient<paths>({
  baseUrl: process.env.FICHARIO_URL,
  headers: { Authorization: `Bearer ${process.env.FICHARIO_KEY}` },
});

const { data, error } = await api.GET("/api/v1/cpf/{documento}", { params: { path: { documento: "52998224725" } } });
if (!data) throw new Error(typeof error === "object" ? `${error.code}: ${error.detail}` : error);
if ("situacao" in data && data.situacao === "em_andamento") throw new Error(`later: ${data.consultaId}`); // 202
if ("nome" in data) console.log(data.nome, data.cache ? "free" : `R$ ${data.valorCobrado}`);
