package web

// batchesPages are the pages of batches.
func batchesPages(server *server) pageSet {
	s := server
	return pageSet{
		lookups: map[string]handler{
			"GET /lotes":                     list(decoded(s.batchList)),
			"POST /lotes":                    s.batchQuote,
			"POST /lotes/colados":            s.batchPasted,
			"GET /lotes/{id}":                decoded(s.batchShow),
			"GET /lotes/{id}/andamento":      decoded(s.batchProgress),
			"GET /lotes/{id}/resultado.csv":  s.batchCSV,
			"GET /lotes/{id}/resultado.xlsx": s.batchXLSX,
			"POST /lotes/{id}/confirmar":     s.batchConfirm,
			"POST /lotes/{id}/pausar":        s.batchPause,
			"POST /lotes/{id}/retomar":       s.batchResume,
			"POST /lotes/{id}/cancelar":      s.batchCancel,
		},
	}
}
