// Command golang is a typical program with the client that oapi-codegen generates from the contract, which is beside
// it only during the build. It calls every operation. With the argument "products" it requests every product that
// its key may use, and the statement, and prints for each answer its detected type, the raw answer, and the answer
// as the client decoded it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

var documents = map[TipoDocumento]string{
	TipoDocumentoCpf: "52998224725", TipoDocumentoCnpj: "11222333000181", TipoDocumentoPlaca: "ABC1D23",
	TipoDocumentoEmail: "ana@example.com",
}

func main() {
	key := os.Getenv("FICHARIO_KEY")
	authorize := WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	})
	c, err := NewClientWithResponses(os.Getenv("FICHARIO_URL"), authorize)
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) == 1 {
		everyOperation(context.Background(), c)
		return
	}
	if err := products(context.Background(), c); err != nil {
		log.Fatal(err)
	}
}

func products(ctx context.Context, c *ClientWithResponses) error {
	products, err := c.ListProductsWithResponse(ctx)
	if err != nil {
		return err
	}
	tell(products.Body, products.JSON200)
	for _, p := range products.JSON200.Produtos {
		r, err := c.LookupWithResponse(ctx, nil, Consulta{Produto: p.Id, Documento: documents[p.Documentos[0]]})
		if err != nil {
			return err
		}
		// A product that the bureau file adds is not in the mapping.
		result, err := r.JSON200.ValueByDiscriminator()
		if err != nil {
			if result, err = r.JSON200.AsResultadoOutro(); err != nil {
				return err
			}
		}
		tell(r.Body, result)
	}
	statement, err := c.GetStatementWithResponse(ctx, &GetStatementParams{})
	if err != nil {
		return err
	}
	tell(statement.Body, statement.JSON200)
	return nil
}

func tell(body json.RawMessage, value any) {
	line, err := json.Marshal(map[string]any{"type": fmt.Sprintf("%T", value), "body": body, "client": value})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}
