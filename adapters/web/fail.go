package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"fichario/adapters/shape"
	"fichario/adapters/spreadsheet"
	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/fault"
)

// errForeign refuses a form sent from another site.
var errForeign = errors.New("a form of another site")

func requestID(w http.ResponseWriter) string {
	id := uuid.Must(uuid.NewV7()).String()
	w.Header().Set("X-Request-Id", id)
	return id
}

// ended answers a request that failed. It turns a panic into an error, of which only type and place are logged: its
// value may hold user data.
func (c *Call) ended(err *error) {
	r := recover()
	if c.sent != nil {
		c.sent.Done()
	}
	switch r {
	case nil:
	case http.ErrAbortHandler:
		panic(r)
	default:
		c.Server.Log.ErrorContext(c.Ctx(), "panic", "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
		*err = fmt.Errorf("panic (%T)", r)
	}
	if *err != nil {
		c.Server.fail(c, *err)
	}
}

// problem is what an error page shows.
type problem struct {
	Status      int
	Title, Text string
	// Detail is the use case's message, for people.
	Detail string
	// Retry is in seconds; zero when waiting does not help.
	Retry int
	// Typed is what was posted, so that it is not lost.
	Typed []string
	// Back is the page that the form was sent from; empty where unknown.
	Back string
}

// secretFields are form fields that no page shows again, like those that begin with SecretPrefix. The tickets
// and answers of passkeys, which nobody typed, are among them.
var secretFields = map[string]bool{
	"senha": true, "atual": true, "segredo": true, "token": true, "bilhete": true, "resposta": true,
	"prova-bilhete": true, "prova-resposta": true,
}

// SecretPrefix begins the names of fields whose values no page shows again.
const SecretPrefix = "segredo."

// clientGone is the status, in the log alone, of a page whose client has gone.
const clientGone = 499

// fail is the only place that writes an error page, or the line of it that htmx gets. Errors that are no faults become
// 500 without their text, and are logged once.
func (s *Server) fail(c *Call, err error) {
	if errors.Is(err, context.Canceled) && c.Ctx().Err() != nil {
		c.Writer.WriteHeader(clientGone)
		return
	}
	p := ProblemOf(err)
	if c.Method == http.MethodPost {
		p.Back = c.CameFrom("")
	}
	if role := c.Member.Role; p.Status == http.StatusForbidden && fault.CodeOf(err) == fault.Forbidden {
		p.Text = "O seu papel é " + RoleName(role) + ". " + p.Text
		if role == crm.Admin {
			p.Title = "Isto é com quem é titular"
			p.Text = "O seu papel é " + RoleName(role) + ". Peça isto a quem é titular da sua organização."
		}
	}
	if p.Status >= http.StatusInternalServerError {
		s.Log.LogAttrs(c.Ctx(), slog.LevelError, "page failed", slog.String("route", c.Pattern),
			slog.String("error", shape.Unaddressed(err)), slog.String("request_id", c.ID))
	}
	if p.Retry > 0 {
		c.Writer.Header().Set("Retry-After", strconv.Itoa(p.Retry))
	}
	if c.Method == http.MethodPost && p.Status != http.StatusForbidden {
		p.Typed = c.typed()
	}
	view := Page{Title: p.Title, Data: p, RequestID: c.ID}
	if c.Script() && c.Write(p.Status, "erro", "refused", view) == nil {
		return
	}
	// The surrounding layout may be what failed: then render without it.
	if err := c.RenderStatus(p.Status, "erro", view); err != nil {
		c.By = app.Caller{}
		if err := c.RenderStatus(p.Status, "erro", view); err != nil {
			http.Error(c.Writer, p.Title, p.Status)
		}
	}
}

// isSecret reports whether a field of the posted form is shown on no page. One that asks for the code of a second
// factor, which may be one for a recovery, has the name that the code of a purpose has on another page.
func (c *Call) isSecret(name string) bool {
	return secretFields[name] || name == "codigo" && !strings.HasPrefix(c.URL.Path, "/finalidades")
}

// typed is what was typed into a form, without secrets, ids and values of buttons.
func (c *Call) typed() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(c.PostForm)) {
		if c.isSecret(name) || strings.HasPrefix(name, SecretPrefix) || name == "acao" {
			continue
		}
		for _, text := range c.PostForm[name] {
			if isID := uuid.Validate(text) == nil; !isID && strings.TrimSpace(text) != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

// unavailable is a refusal for now: by a rule of ours, or because the database is away.
func unavailable(f *fault.Error) problem {
	if errors.Unwrap(f) == nil {
		return problem{Status: 503, Title: "Agora não dá", Text: f.Message, Retry: 15}
	}
	return problem{
		Status: 503, Title: "O banco de dados está fora do ar",
		Text: "Os webhooks pedem aos formulários que reenviem, e nenhuma consulta é cobrada.", Detail: f.Message, Retry: 15,
	}
}

// ProblemOf returns what a page says of an error.
func ProblemOf(err error) problem {
	var (
		f    *fault.Error
		over *http.MaxBytesError
	)
	switch {
	case errors.Is(err, errMethod):
		return problem{
			Status: http.StatusMethodNotAllowed, Title: "Este endereço não aceita este pedido",
			Text: "Volte à página de onde veio e repita o que ia fazer.",
		}
	case errors.Is(err, errForeign):
		return problem{
			Status: 403, Title: "Este pedido veio de outro site",
			Text: "Por segurança, só as páginas do próprio Fichário podem mudar alguma coisa aqui. Abra a página de novo e " +
				"repita.",
		}
	case fault.CodeOf(err) == fault.Forbidden:
		return problem{
			Status: 403, Title: "Isto é com quem administra",
			Text: "Peça acesso à pessoa titular ou a quem administra a sua organização.",
		}
	case fault.CodeOf(err) == fault.NotFound, fault.CodeOf(err) == fault.UnknownBatch:
		return problem{
			Status: 404, Title: "Esta ficha não está na gaveta",
			Text: "O endereço não existe, ou o que havia nele foi apagado, ou é de outra organização. Confira o link com " +
				"quem o enviou.",
		}
	case errors.Is(err, errHalfForm):
		return problem{
			Status: 400, Title: "O formulário não chegou inteiro", Text: "Nada foi guardado. Volte à página e envie de novo.",
		}
	case errors.As(err, &over):
		return problem{
			Status: 413, Title: "O formulário é grande demais",
			Text: "O que foi enviado é maior do que um formulário destas páginas. Nada foi guardado: volte, encurte o texto " +
				"e envie de novo.",
		}
	case errors.Is(err, spreadsheet.ErrFull):
		return problem{
			Status: 503, Title: "Há arquivos demais ao mesmo tempo",
			Text: "O seu não foi lido, e nada foi guardado nem cobrado. Espere um pouco e envie-o de novo.", Retry: 5,
		}
	case errors.As(err, &f) && f.Code == fault.ServiceUnavailable:
		return unavailable(f)
	case errors.As(err, &f) && f.Code == fault.LookupDisabled:
		return problem{Status: 404, Title: "Consultas desligadas", Text: "Esta instância não tem as consultas habilitadas."}
	case errors.As(err, &f) && f.Code != fault.Internal:
		return problem{
			Status: 422, Title: "O formulário não foi guardado", Text: "Corrija o que está indicado e envie de novo.",
			Detail: f.Message,
		}
	}
	return problem{
		Status: 500, Title: "Algo quebrou do nosso lado",
		Text: "Nada foi cobrado nem perdido por causa desta página. Tente de novo; se repetir, mande o número do pedido " +
			"a quem cuida do sistema.", Retry: 5,
	}
}
