// Package command holds what the commands share: their environment, settings, database, bureau and output.
package command

import (
	"context"
	"io"
	"net"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"fichario/adapters/sandbox"
	"fichario/domain/webhook"
)

// Environment is the context of a command.
type Environment struct {
	Ctx         context.Context
	Settings    Settings
	JSON        bool
	In          io.Reader
	Out, ErrOut io.Writer
	Commands    *kong.Node      // for completing and checking command lines
	Asked       []string        // variables that the bureau file uses
	Invented    *sandbox.Bureau // set on first use
}

// PublicURL is the address at which people reach the service listening on addr.
func (e *Environment) PublicURL(addr string) string {
	if e.Settings.PublicURL != "" {
		return strings.TrimRight(e.Settings.PublicURL, "/")
	}
	return LocalURL(addr)
}

// LocalURL is the address of a local listener on addr.
func LocalURL(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Version is what the build recorded: the module's version, one derived from the commit in a clone, or "(devel)"
// without history, as in the image.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}

// WebhookURL is the address that forms post to, at the service listening on addr.
func WebhookURL(e *Environment, t webhook.Token, addr string) string {
	return WebhookAt(e.PublicURL(addr), t)
}

// WebhookAt is WebhookURL where the service's public address is known.
func WebhookAt(publicURL string, t webhook.Token) string {
	return publicURL + "/api/webhooks/receive/" + t.Reveal()
}
