package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
)

// session is what an agent may do in one message.
type session struct {
	Config
	Asking
	// purposes are those that the key may name for a lookup.
	purposes []crm.Purpose
}

// server returns an MCP server with the tools that the key may use.
func (s *session) server() *mcp.Server {
	program := &mcp.Implementation{Name: "fichario", Title: "Fichário", Version: s.Version}
	server := mcp.NewServer(program, &mcp.ServerOptions{
		Instructions: "Fichário looks up a CPF, CNPJ, plate or e-mail address at a Brazilian data bureau, and accounts for " +
			"every charged call. " + s.ceiling() + " Look up only people for whom there is a legal basis. " +
			"Documents are masked in answers, unless you pass semMascara.",
		Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SupportedProtocolVersions: versions,
		// The tools depend on the key and the session's ceiling, so a gateway must not cache them for others.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	add(s, server, s.lookupTool(), s.lookup)
	add(s, server, productsTool(), s.products)
	add(s, server, statementTool(), s.statement)
	if s.By.Key().Contacts {
		add(s, server, contactsTool(), s.contacts)
	}
	return server
}

// ceiling words what the session may spend.
func (s *session) ceiling() string {
	if s.Session.Ceiling == nil {
		return "This session has no ceiling, so lookups are refused: whoever configured you must set one (fichario mcp " +
			"--ceiling 5.00, or ?teto=5.00 in the address)."
	}
	return "This session may spend " + reais(*s.Session.Ceiling) + " in total; each answer says how much is left (sessao.restante)."
}

// reais is an amount in Brazilian notation, with a plain space.
func reais(m catalog.Money) string { return strings.ReplaceAll(m.Exact(), "\u00a0", " ") }

// add registers a tool. Its answer is JSON; a refusal is a result with words that the model reads. Nothing that was
// sent gets into the log or a message.
func add[Args any](
	s *session, server *mcp.Server, tool *mcp.Tool, answer func(context.Context, Args) (any, error),
) {
	server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args Args
		err := decode(req.Params.Arguments, &args, tool)
		var out any
		if err == nil {
			out, err = s.guarded(ctx, tool.Name, func() (any, error) {
				return answer(app.Through(ctx, s.Via), args)
			})
		}
		var text bytes.Buffer
		if err == nil {
			enc := json.NewEncoder(&text)
			enc.SetEscapeHTML(false)
			err = enc.Encode(out)
		}
		if err != nil {
			return refused(s.inWords(ctx, tool.Name, s.Keys.Refused(s.By.Key(), err))), nil
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: strings.TrimSpace(text.String())}},
			StructuredContent: json.RawMessage(text.Bytes()),
		}, nil
	})
}

func refused(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

// guarded turns a panic into an error. The panic's value may hold user data.
func (s *session) guarded(ctx context.Context, tool string, f func() (any, error)) (out any, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.Log.ErrorContext(ctx, "panic", "tool", tool, "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic (%T)", r)
		}
	}()
	return f()
}

// inWords is an error in words for the model.
func (s *session) inWords(ctx context.Context, tool string, err error) string {
	f := app.FaultOf(err)
	if f == nil {
		s.Log.ErrorContext(ctx, "tool failed", "tool", tool, "error", err.Error(), "request_id", s.Via.RequestID)
		f = fault.New(fault.Internal, "Erro interno. Se continuar, informe o requestId "+s.Via.RequestID+" a quem opera o serviço.")
	}
	text := fmt.Sprintf("%s [%s]", f.Message, f.Code)
	if f.RetryAfter > 0 {
		text += fmt.Sprintf(" Espere %s.", f.RetryAfter.Round(time.Second))
	}
	return strings.ReplaceAll(text, "\u00a0", " ")
}

// decode strictly parses the arguments of a tool. Fault: InvalidRequest, which repeats nothing that was sent.
func decode(raw json.RawMessage, into any, tool *mcp.Tool) error {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(raw, into); {
	case !once(raw, tool):
	case errors.As(err, &wrong):
		return fault.New(fault.InvalidRequest, "O argumento "+wrong.Field+" é de outro tipo; veja o esquema da ferramenta.")
	case err == nil:
		return nil
	}
	return fault.New(fault.InvalidRequest,
		"Os argumentos de "+tool.Name+" são só os do esquema da ferramenta, cada um uma vez e com essas letras.")
}

// once reports whether arguments are an object of known properties, each once. encoding/json would accept a repeated
// name, and in any case: ATUALIZAR costs money.
func once(raw json.RawMessage, tool *mcp.Tool) bool {
	schema, _ := tool.InputSchema.(object)
	known, _ := schema["properties"].(object)
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		name, _ := t.(string)
		if _, is := known[name]; err != nil || !is || seen[name] {
			return false
		}
		seen[name] = true
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return false
		}
	}
	_, err := dec.Token()
	return err == nil
}
