package sandbox

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

// SlowDelay is the delay for a document with the effect Slow.
const SlowDelay = 2 * time.Second

// page is what a proxy in front of a bureau serves on a bad day.
const page = "<!DOCTYPE html>\n<html><head><title>Manutenção</title></head><body><h1>Voltamos já</h1></body></html>\n"

// routes are the requests that the File of a bureau describes.
func (b *Bureau) routes(name string) http.Handler {
	mux := http.NewServeMux()
	path := func(r *http.Request) string { return r.PathValue("documento") }
	products, makes := catalog.Standard(), map[string]func(maker) any{}
	for _, route := range []struct {
		product, pattern string
		read             func(*http.Request) string
		make             func(maker) any
	}{
		{"cpf", "GET /v1/pessoas/{documento}", path, maker.person},
		{"cnpj", "GET /v1/empresas/{documento}", path, maker.company},
		{"situacao_cadastral", "GET /v1/situacao/{documento}", path, maker.status},
		{"obito", "GET /v1/obitos/{documento}", path, maker.death},
		{"participacao_societaria", "GET /v1/participacoes/{documento}", path, maker.shares},
		{"protestos", "POST /v1/protestos", fromBody, maker.protests},
		{"score", "GET /v1/score", func(r *http.Request) string { return r.URL.Query().Get("documento") }, maker.score},
		{"veiculo", "GET /v1/veiculos/{documento}", path, maker.vehicle},
		{"validacao_email", "POST /v1/emails/validacao", fromBody, maker.mailbox},
	} {
		makes[route.product] = route.make
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			product, _ := products.Find(route.product)
			d, err := product.Parse(route.read(r))
			if err != nil {
				refuse(w, "documento inválido")
				return
			}
			b.play(w, r, name, product.ID, d, route.make)
		})
	}
	mux.HandleFunc("GET /v1/pedidos/{protocolo}", func(w http.ResponseWriter, r *http.Request) {
		b.deliver(w, r, name, makes)
	})
	// Not 404: here that means "no record", which a wrong path does not.
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

// play answers by the next matching case, or else by the document's published effect.
func (b *Bureau) play(
	w http.ResponseWriter, r *http.Request, name, product string, d document.Document, invent func(maker) any,
) {
	m := newMaker(name, d)
	a, what, scripted := b.next(name, product, d.Value(), func(reply) bool { return true })
	if !scripted {
		a = m.effect.reply()
	}
	what.Fault = string(a.fault)
	call := b.note(Call{Bureau: name, Product: product, Document: d.Value(), Headers: named(r.Header), Answered: what})
	if w := (&sending{w, b, call}); a.later > 0 {
		t := ticket{product, d.Value(), what.Case, what.Answer, time.Now().Add(a.later)}
		if address := r.Header.Get("X-Retorno"); address != "" && a.status == http.StatusOK && a.fault == "" {
			body := a.content(d.Value(), func() []byte { return a.invented(m, d, invent) })
			time.AfterFunc(a.later, func() { t.post(address, body) })
		}
		t.promise(w)
	} else {
		a.perform(w, r, d.Value(), func() []byte { return a.invented(m, d, invent) })
	}
}

// invented is the body of an answer that has none of its own.
func (a reply) invented(m maker, d document.Document, invent func(maker) any) []byte {
	e := envelope{Success: a.status < 400 || a.status == http.StatusNotFound}
	switch {
	case a.status < 400:
		e.Result = invent(m)
	case a.status == http.StatusNotFound:
		e.Message = "nenhum registro encontrado"
	case a.status == http.StatusInternalServerError:
		e.Message = "erro interno"
	default:
		e.Message = strings.ToLower(http.StatusText(a.status))
	}
	if a.merge != nil {
		e.Result = merged(decoded(e.Result), a.merge)
	}
	return completed(e, d)
}

// reply is the answer for a published document.
func (e Effect) reply() reply {
	a := reply{status: http.StatusOK}
	switch e {
	case NotFound:
		a.status = http.StatusNotFound
	case NotFoundEmpty:
		a.status, a.body = http.StatusNotFound, []byte{}
	case Error:
		a.status = http.StatusInternalServerError
	case TooMany:
		a.status, a.header = http.StatusTooManyRequests, http.Header{"Retry-After": {"1"}}
	case NoCredit:
		a.status = http.StatusPaymentRequired
	case NotJSON:
		a.fault = HTML
	case Reset:
		a.fault = Broken
	case Timeout:
		a.fault = Hang
	case Slow:
		a.delay = SlowDelay
	}
	return a
}

// decoded is a value after a round trip through JSON.
func decoded(v any) (out any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return nil // the shapes are fixed: they always encode
	}
	return out
}

// completed adds what all answers have in common.
func completed(e envelope, d document.Document) []byte {
	e.Notice = "Isto é um ambiente de testes: todos os dados são inventados."
	e.Query, e.Credits = query{d.Value(), string(d.Type())}, "1500.50"
	return render(e)
}

func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(render(map[string]any{"sucesso": false, "mensagem": message}))
}

// cut breaks the connection: with a reset where it is a TCP connection.
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
