package sandbox

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"fichario/domain/catalog"
)

// ticket is a question that is answered later. Its id says everything, so that it outlives the process.
type ticket struct {
	Product  string    `json:"p"`
	Document string    `json:"d"`
	Case     int       `json:"c"` // as in Answered
	Answer   int       `json:"a"`
	Ready    time.Time `json:"t"`
}

// id is the ticket as a text.
func (t ticket) id() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // texts and numbers
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// poster posts answers, each over a connection of its own.
var poster = http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// post sends an answer to the address that came with its question, once. What is no object has no place for the id, and
// is only there to be fetched.
func (t ticket) post(address string, body []byte) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return
	}
	members["protocolo"] = render(t.id())
	text := bytes.NewReader(render(members))
	//nolint:gosec // who asks the sandbox names the address
	post, err := http.NewRequestWithContext(context.Background(), http.MethodPost, address, text)
	if err != nil {
		return
	}
	post.Header.Set("Content-Type", "application/json")
	resp, err := poster.Do(post) //nolint:gosec // who asks the sandbox names the address
	if err == nil {
		_ = resp.Body.Close()
	}
}

// promise answers that the answer comes later.
func (t ticket) promise(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write(render(map[string]any{
		"sucesso": true, "protocolo": t.id(), "mensagem": "a resposta vem mais tarde",
	}))
}

// deliver answers a question by its id, once its time has come. The ledger has the question, and not this.
func (b *Bureau) deliver(w http.ResponseWriter, r *http.Request, name string, makes map[string]func(maker) any) {
	var t ticket
	text, err := base64.RawURLEncoding.DecodeString(r.PathValue("protocolo"))
	if err != nil || json.Unmarshal(text, &t) != nil || makes[t.Product] == nil {
		refuse(w, "protocolo desconhecido")
		return
	}
	product, _ := catalog.Standard().Find(t.Product)
	d, err := product.Parse(t.Document)
	a, known := b.told(t)
	switch {
	case err != nil || !known:
		refuse(w, "protocolo desconhecido")
	case time.Now().Before(t.Ready):
		t.promise(w)
	default:
		a.perform(w, r, d.Value(), func() []byte { return a.invented(newMaker(name, d), d, makes[t.Product]) })
	}
}

// told returns the answer of a ticket's case, if the script still has it.
func (b *Bureau) told(t ticket) (reply, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.Case < 1 || t.Case > len(b.cases) || t.Answer < 1 || t.Answer > len(b.cases[t.Case-1].answers) {
		return reply{}, false
	}
	return b.cases[t.Case-1].answers[t.Answer-1], true
}
