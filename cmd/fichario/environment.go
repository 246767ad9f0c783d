package main

import (
	"context"
	"fichario/adapters/sandbox"
	"fichario/domain/webhook"
	"io"
	"net"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// environment is the context of a command.
type environment struct {
	ctx         context.Context
	settings    Settings
	json        bool
	in          io.Reader
	out, errOut io.Writer
	commands    *kong.Node      // for completing and checking command lines
	asked       []string        // variables that the bureau file uses
	invented    *sandbox.Bureau // set on first use
}

// publicURL is the address at which people reach the service listening on addr.
func (e *environment) publicURL(addr string) string {
	if e.settings.PublicURL != "" {
		return strings.TrimRight(e.settings.PublicURL, "/")
	}
	return localURL(addr)
}

// localURL is the address of a local listener on addr.
func localURL(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// version is what the build recorded: the module's version, one derived from the commit in a clone, or "(devel)"
// without history, as in the image.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}

// webhookURL is the address that forms post to, at the service listening on addr.
func webhookURL(e *environment, t webhook.Token, addr string) string {
	return e.publicURL(addr) + "/api/webhooks/receive/" + t.Reveal()
}
