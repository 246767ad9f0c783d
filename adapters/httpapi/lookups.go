package httpapi

import (
	"context"

	"fichario/app"
	"fichario/domain/catalog"
)

// LookupCpf serves GET /api/v1/cpf/{documento} (specification, 4.1).
func (h handlers) LookupCpf(ctx context.Context, r LookupCpfRequestObject) (LookupCpfResponseObject, error) {
	return h.lookup(ctx, app.LookupRequest{
		Product: catalog.CPF, Document: r.Documento, Refresh: orEmpty(r.Params.Refresh) == "true",
	})
}

// LookupCnpj serves GET /api/v1/cnpj/{documento} (specification, 4.1).
func (h handlers) LookupCnpj(ctx context.Context, r LookupCnpjRequestObject) (LookupCnpjResponseObject, error) {
	return h.lookup(ctx, app.LookupRequest{
		Product: catalog.CNPJ, Document: r.Documento, Refresh: orEmpty(r.Params.Refresh) == "true",
	})
}

// Lookup serves POST /api/v1/consultas (specification, 4.2).
func (h handlers) Lookup(ctx context.Context, r LookupRequestObject) (LookupResponseObject, error) {
	return h.lookup(ctx, app.LookupRequest{
		Product: r.Body.Product, Document: r.Body.Document, Refresh: r.Body.Refresh != nil && *r.Body.Refresh,
	})
}

func (h handlers) lookup(ctx context.Context, req app.LookupRequest) (*result, error) {
	answer, err := h.Lookups.Do(ctx, callOf(ctx).caller, req)
	if err != nil {
		return nil, err
	}
	return &result{answer}, nil
}
