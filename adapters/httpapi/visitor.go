package httpapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v5"

	"fichario/domain/fault"
)

//go:embed visitor.html
var visitorHTML string

var visitorTemplate = template.Must(template.New("visitor").Parse(visitorHTML))

// visitorPolicy allows the page's own style. It allows frames too: a form in a frame is answered there.
var visitorPolicy = func() string {
	_, style, _ := strings.Cut(visitorHTML, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
}()

// visitorWords tell visitors, who know nothing of webhooks, what happened to their form and what to do.
type visitorWords struct {
	What, Do string
	// Back is set where the form can be changed and sent again.
	Back bool
}

// wordsFor chooses the words by whether sending the form again can succeed.
func wordsFor(f *fault.Error) visitorWords {
	const otherwise = "Se repetir, fale com o responsável pelo site por outro meio e informe o número do pedido."
	switch f.Code {
	case fault.InvalidEmail:
		return visitorWords{"Falta um endereço de e-mail que possa ser lido.",
			"Volte ao formulário, confira o e-mail e envie de novo.", true}
	case fault.BodyTooLarge:
		return visitorWords{"O que foi enviado é grande demais.",
			"Volte ao formulário, encurte o texto ou tire os arquivos, e envie de novo.", true}
	case fault.IncompleteRequest:
		return visitorWords{"O envio não chegou inteiro.",
			"Recarregue esta página para enviar de novo. " + otherwise, true}
	case fault.InvalidRequest:
		return visitorWords{"O envio não pôde ser lido.", "Volte ao formulário e envie de novo. " + otherwise, true}
	}
	if f.RetryAfter > 0 || kindOf(f.Code).Status >= http.StatusInternalServerError {
		return visitorWords{"O serviço que recebe este formulário não conseguiu guardá-lo agora.",
			"Espere um minuto e recarregue esta página para enviar de novo. " + otherwise, true}
	}
	return visitorWords{"Este formulário não está recebendo envios.",
		"Enviar de novo não adianta: fale com o responsável pelo site por outro meio e informe o número do pedido.", false}
}

// sentByForm reports whether a browser submitted a form itself, so that a person reads the response. Browsers say so in
// Sec-Fetch-Mode, but not over plain http, nor do old ones.
func sentByForm(r *http.Request) bool {
	if r.Method != http.MethodPost || !strings.Contains(r.Header.Get(echo.HeaderAccept), echo.MIMETextHTML) {
		return false
	}
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType)); kind {
	case echo.MIMEApplicationForm, echo.MIMEMultipartForm, echo.MIMETextPlain:
		return true
	}
	return false
}

// visitorPage writes a refusal for a person. It uses no script and no external file: a proxy may pass nothing but
// webhooks.
func (s *server) visitorPage(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) error {
	h := w.Header()
	h.Set(echo.HeaderContentSecurityPolicy, visitorPolicy)
	h.Set(echo.HeaderContentType, echo.MIMETextHTMLCharsetUTF8)
	w.WriteHeader(status)
	form, isForm := cameFrom(r)
	return visitorTemplate.Execute(w, struct {
		visitorWords
		Form, RequestID string
		IsForm          bool
	}{wordsFor(f), form, h.Get(echo.HeaderXRequestID), isForm})
}

// cameFrom returns the address of the page with the form, or only of its site where the browser reveals no more; empty
// when it reveals nothing.
func cameFrom(r *http.Request) (address string, isForm bool) {
	for _, told := range []string{r.Referer(), r.Header.Get(echo.HeaderOrigin)} {
		u, err := url.Parse(told)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
			strings.HasPrefix(path.Clean(u.Path), webhookPath) {
			continue
		}
		return told, strings.Trim(u.Path, "/") != "" || u.RawQuery != ""
	}
	return "", false
}
