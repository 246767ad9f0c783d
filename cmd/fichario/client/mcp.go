package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fichario/cmd/fichario/command"
)

// MCP gives an agent the tools of a running service.
type MCP struct {
	remote `embed:""`

	Ceiling  command.Reais `required:"" placeholder:"REAIS" help:"Most that this session may cost, such as 5.00."`
	Unmasked bool          `help:"Show documents in full unless the agent asks for masked ones."`
}

// Run forwards an agent's messages from standard input to the service's /mcp, which has the tools and the ceiling, and
// returns the answers. The session ends with the input.
func (c *MCP) Run(e *command.Environment) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	program := &mcp.Implementation{Name: "fichario", Title: "Fichário", Version: command.Version()}
	service, err := mcp.NewClient(program, nil).Connect(e.Ctx, &mcp.StreamableClientTransport{
		Endpoint:   strings.TrimRight(c.URL, "/") + "/mcp?teto=" + url.QueryEscape(c.Ceiling.Amount.String()),
		HTTPClient: client, DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
	if err != nil {
		return plainly(err)
	}
	defer func() { _ = service.Close() }()
	server := mcp.NewServer(program, &mcp.ServerOptions{
		Instructions: service.InitializeResult().Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	for tool, err := range service.Tools(e.Ctx, nil) {
		if err != nil {
			return plainly(err)
		}
		server.AddTool(tool, c.pass(service, tool))
	}
	err = server.Run(e.Ctx, &mcp.IOTransport{Reader: io.NopCloser(e.In), Writer: quietly{e.Out}})
	if errors.Is(err, io.EOF) || e.Ctx.Err() != nil {
		return nil
	}
	return err
}

// quietly is an output that stays open.
type quietly struct{ io.Writer }

// Close does nothing.
func (quietly) Close() error { return nil }

// pass forwards a call of a tool. A service that cannot be reached is reported as a result, which the model sees.
func (c *MCP) pass(service *mcp.ClientSession, tool *mcp.Tool) mcp.ToolHandler {
	masks := false
	if schema, ok := tool.InputSchema.(map[string]any); ok {
		properties, _ := schema["properties"].(map[string]any)
		_, masks = properties["semMascara"]
	}
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := bytes.TrimSpace(req.Params.Arguments)
		if len(args) == 0 {
			args = []byte("{}")
		}
		var said map[string]json.RawMessage
		if err := json.Unmarshal(args, &said); err != nil {
			return told("The arguments are not an object."), nil
		}
		if masks && c.Unmasked && said != nil && said["semMascara"] == nil {
			args = unmasked(args, len(said) > 0)
		}
		result, err := service.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: json.RawMessage(args)})
		if err != nil {
			return told(plainly(err).Error()), nil
		}
		return result, nil
	}
}

// unmasked adds an argument to an object, and leaves the others as they were sent: the service reports what is wrong
// with them.
func unmasked(args []byte, others bool) []byte {
	first := `{"semMascara":true`
	if others {
		first += ","
	}
	return append([]byte(first), args[1:]...)
}

func told(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

// plainly words a failure between here and the service, without protocol jargon.
func plainly(err error) error {
	var refusal *problem
	var address *url.Error
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.Is(err, mcp.ErrSessionMissing), errors.Is(err, mcp.ErrConnectionClosed):
		return errors.New("this session has ended (after thirty days at most): start fichario mcp again")
	case errors.As(err, &address):
		return address.Err
	}
	return err
}
