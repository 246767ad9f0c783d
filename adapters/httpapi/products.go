package httpapi

import (
	"context"
	"encoding/json"

	"fichario/domain/catalog"
)

// ListProducts serves GET /api/v1/produtos (specification, 4.3).
func (h handlers) ListProducts(ctx context.Context, _ ListProductsRequestObject) (ListProductsResponseObject, error) {
	list := ProductList{Produtos: []ProductEntry{}}
	for _, o := range h.Terms.Offers(callOf(ctx).caller) {
		p := ProductEntry{
			Id: o.Product.ID, Nome: o.Product.Name, Descricao: o.Product.Description, Preco: amount(o.Product.Price),
			Documentos: types(o.Product.Documents), Escopos: types(o.Scopes), Rota: "/api/v1/consultas",
		}
		if p.Id == catalog.CPF || p.Id == catalog.CNPJ {
			p.Rota = "/api/v1/" + p.Id + "/{documento}"
		}
		for _, l := range h.Bureaus.Offering(o.Product.ID) {
			p.Bureaus = append(p.Bureaus, struct {
				Nome  string      `json:"nome"`
				Preco json.Number `json:"preco"`
			}{l.Name, amount(l.Product.Price)})
		}
		p.Entradas = make([]productInput, len(o.Product.Inputs))
		for i, in := range o.Product.Inputs {
			p.Entradas[i] = productInput{in.Called(), in.Name, in.Required, ProdutoEntradasTipo(in.Type)}
		}
		for _, f := range o.Product.Fields {
			p.Campos = append(p.Campos, struct {
				Descricao string            `json:"descricao"`
				Nome      string            `json:"nome"`
				Tipo      ProdutoCamposTipo `json:"tipo"`
			}{f.Description, f.Name, ProdutoCamposTipo(f.Kind)})
		}
		list.Produtos = append(list.Produtos, p)
	}
	return body{list}, nil
}

// productInput is the anonymous type of the generated code.
type productInput = struct {
	Descricao   string              `json:"descricao"`
	Nome        string              `json:"nome"`
	Obrigatoria bool                `json:"obrigatoria"`
	Tipo        ProdutoEntradasTipo `json:"tipo"`
}
