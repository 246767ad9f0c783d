// The settings of orval that the guide to the first call shows. A body that may also be a table or a form is sent as JSON.
const asJSON = { contentType: { include: ["application/json"] } };

export default {
  fichario: {
    input: process.env.FICHARIO_CONTRACT,
    output: {
      target: ".cache/orval.ts",
      client: "fetch",
      baseUrl: process.env.FICHARIO_URL,
      override: { operations: { createBatch: asJSON, receiveLead: asJSON } },
    },
  },
};
