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

// session is what an agent may do with one message.
type session struct {
	Config
	Asking
	// purposes are those that the key may look up for.
	purposes []crm.Purpose
}

// server returns one with the tools that the key has.
func (s *session) server() *mcp.Server {
	program := &mcp.Implementation{Name: "fichario", Title: "Fichário", Version: s.Version}
	server := mcp.NewServer(program, &mcp.ServerOptions{
		Instructions: "Fichário asks a Brazilian data bureau about a CPF, CNPJ, plate or e-mail address, and accounts for " +
			"every charged call. " + s.ceiling() + " Ask only about people about whom there is a legal basis to ask. " +
			"Documents are masked in what you get, unless you pass semMascara.",
		Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SupportedProtocolVersions: versions,
		// The tools are the key's, with its session's ceiling: not for others whom a gateway serves.
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

// ceiling says what the session may spend.
func (s *session) ceiling() string {
	if s.Session.Ceiling == nil {
		return "This session has no ceiling, so lookups are refused: whoever set you up has to say one (fichario mcp " +
			"--ceiling 5.00, or ?teto=5.00 in the address)."
	}
	return "This session may spend " + reais(*s.Session.Ceiling) + " in all; each answer says what is left (sessao.restante)."
}

// reais is an amount as people in Brazil write it, with a space that every reader knows.
func reais(m catalog.Money) string { return strings.ReplaceAll(m.Exact(), "\u00a0", " ") }

// add gives a server a tool. What the tool answers is JSON; what it refuses is told in words, as a result that the
// model sees. What was sent is in neither the log nor a message.
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
			return refused(s.inWords(ctx, tool.Name, err)), nil
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

// guarded turns a panic into an error. Its value may hold what somebody sent.
func (s *session) guarded(ctx context.Context, tool string, f func() (any, error)) (out any, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.Log.ErrorContext(ctx, "panic", "tool", tool, "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic (%T)", r)
		}
	}()
	return f()
}

// inWords is an error as the model reads it.
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

// decode reads the arguments of a tool strictly. Fault: InvalidRequest, which repeats nothing that was sent.
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

// once reports whether arguments are an object with nothing but properties of the tool, each once. encoding/json would
// take a name twice, and in any case of letters: ATUALIZAR costs money.
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
