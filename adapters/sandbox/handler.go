package sandbox

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"time"

	"fichario/domain/document"
)

// SlowDelay is how long a document with the effect Slow waits.
const SlowDelay = 2 * time.Second

// page is what a proxy in front of a bureau answers on a bad day.
const page = "<!DOCTYPE html>\n<html><head><title>Manutenção</title></head><body><h1>Voltamos já</h1></body></html>\n"

// Handler returns the sandbox bureau. It answers the requests that File describes,
// and stops waiting when the client goes.
func Handler() http.Handler {
	mux := http.NewServeMux()
	path := func(r *http.Request) string { return r.PathValue("documento") }
	for _, route := range []struct {
		pattern string
		read    func(*http.Request) string
		types   []document.Type
		make    func(maker) any
	}{
		{"GET /v1/pessoas/{documento}", path, []document.Type{document.CPF}, maker.person},
		{"GET /v1/empresas/{documento}", path, []document.Type{document.CNPJ}, maker.company},
		{"GET /v1/situacao/{documento}", path, []document.Type{document.CPF, document.CNPJ}, maker.status},
		{"GET /v1/obitos/{documento}", path, []document.Type{document.CPF}, maker.death},
		{"GET /v1/participacoes/{documento}", path, []document.Type{document.CPF, document.CNPJ}, maker.shares},
		{"POST /v1/protestos", fromBody, []document.Type{document.CPF, document.CNPJ}, maker.protests},
		{"GET /v1/score", func(r *http.Request) string {
			return r.URL.Query().Get("documento")
		}, []document.Type{document.CPF, document.CNPJ}, maker.score},
		{"GET /v1/veiculos/{documento}", path, []document.Type{document.Plate}, maker.vehicle},
		{"POST /v1/emails/validacao", fromBody, []document.Type{document.Email}, maker.mailbox},
	} {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			text := route.read(r)
			for _, t := range route.types {
				if d, err := document.Parse(t, text); err == nil {
					play(w, r, d, route.make)
					return
				}
			}
			refuse(w, "documento inválido")
		})
	}
	// Not a 404: that means "no record" here, and a wrong path is not one.
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, "caminho desconhecido") })
	return mux
}

// fromBody reads {"documento": "…"}.
func fromBody(r *http.Request) string {
	var body struct {
		Document string `json:"documento"`
	}
	if json.NewDecoder(io.LimitReader(r.Body, 64<<10)).Decode(&body) != nil {
		return ""
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 64<<10))
	return body.Document
}

// play acts out the script of the document.
func play(w http.ResponseWriter, r *http.Request, d document.Document, invent func(maker) any) {
	m := newMaker(d)
	switch m.effect {
	case NotFound:
		answer(w, http.StatusNotFound, envelope{Success: true, Message: "nenhum registro encontrado"}, d)
		return
	case NotFoundEmpty:
		w.WriteHeader(http.StatusNotFound)
		return
	case Error:
		answer(w, http.StatusInternalServerError, envelope{Message: "erro interno"}, d)
		return
	case NotJSON:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
		return
	case Reset:
		cut(w)
		return
	case Timeout:
		<-r.Context().Done()
		return
	case Slow:
		wait := time.NewTimer(SlowDelay)
		defer wait.Stop()
		select {
		case <-r.Context().Done():
			return
		case <-wait.C:
		}
	}
	answer(w, http.StatusOK, envelope{Success: true, Result: invent(m)}, d)
}

func answer(w http.ResponseWriter, status int, e envelope, d document.Document) {
	e.Notice = "Isto é um ambiente de testes: todos os dados são inventados."
	e.Query, e.Credits = query{d.Value(), string(d.Type())}, "1500.50"
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(render(e))
}

func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(render(map[string]any{"sucesso": false, "mensagem": message}))
}

// cut breaks the connection: by a reset where it is a TCP one.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
