package contract

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// allowed is the architecture: what a package may import of this module, and whether it may import anything else than the
// standard library. A path that ends in / stands for all below it.
var allowed = map[string]struct {
	own     []string
	others  []string
	forbids []string // of the standard library
}{
	"domain/":             {own: []string{"domain/"}, others: []string{"github.com/nyaruka/phonenumbers", "golang.org/x/text"}, forbids: []string{"net", "net/", "database/", "os", "os/", "log", "log/", "syscall", "testing"}},
	"ports":               {own: []string{"domain/"}, forbids: []string{"net", "net/", "database/", "os", "os/", "testing"}},
	"app":                 {own: []string{"domain/", "ports"}, forbids: []string{"net", "net/", "database/", "os", "os/", "testing"}},
	"openapi":             {},
	"adapters/download":   {own: []string{"app", "domain/"}, forbids: []string{"testing"}},
	"adapters/httpapi":    {own: []string{"app", "domain/", "openapi", "adapters/download"}, others: []string{"github.com/labstack/echo/v4", "github.com/oapi-codegen/runtime", "github.com/swaggest/swgui", "github.com/prometheus/client_golang", "github.com/google/uuid", "go.yaml.in/yaml"}, forbids: []string{"testing"}},
	"adapters/gormstore":  {own: []string{"ports", "domain/"}, others: []string{"gorm.io/", "github.com/glebarez/", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3"}, forbids: []string{"testing"}},
	"adapters/bureau":     {own: []string{"ports", "domain/"}, others: []string{"github.com/itchyny/gojq", "github.com/sony/gobreaker/v2", "go.yaml.in/yaml"}, forbids: []string{"testing"}},
	"adapters/sandbox":    {own: []string{"ports", "domain/"}, forbids: []string{"testing"}},
	"adapters/web":        {own: []string{"app", "domain/", "adapters/download"}, others: []string{"github.com/google/uuid"}, forbids: []string{"testing"}},
	"adapters/notifier":   {own: []string{"ports", "domain/"}, others: []string{"github.com/wneessen/go-mail"}, forbids: []string{"testing"}},
	"adapters/automation": {own: []string{"ports", "domain/"}, others: []string{"code.dny.dev/ssrf", "github.com/standard-webhooks/standard-webhooks"}, forbids: []string{"testing"}},
	"cmd/fichario":        {own: []string{"app", "domain/", "ports", "adapters/", "openapi"}, others: []string{"*"}, forbids: []string{"testing"}},
	"ports/portstest":     {own: []string{"ports", "domain/"}, others: []string{"*"}},
	"tests/":              {own: []string{"openapi", "domain/", "ports", "tests/", "adapters/", "app"}, others: []string{"*"}},
}

const module = "fichario/"

// TestWhoImportsWhom asks go list, so that no file is overlooked.
func TestWhoImportsWhom(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; seen++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		rule, ok := allowed[name]
		for prefix, r := range allowed {
			if !ok && strings.HasSuffix(prefix, "/") && strings.HasPrefix(name, prefix) {
				rule, ok = r, true
			}
		}
		if !ok {
			t.Errorf("%s has no place in the architecture", name)
			continue
		}
		for _, i := range p.Imports {
			own, isOwn := strings.CutPrefix(i, module)
			switch {
			case isOwn && !covers(rule.own, own):
				t.Errorf("%s imports %s", name, own)
			case !isOwn && strings.Contains(strings.Split(i, "/")[0], ".") && !covers(rule.others, i):
				t.Errorf("%s imports %s", name, i)
			case !isOwn && i != "net/url" && covers(rule.forbids, i): // an address is a text
				t.Errorf("%s imports %s", name, i)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d packages were looked at", seen)
	}
}

// covers reports whether a list has the path, or a part of it: "a/" stands for all below a, "github.com/x/y" also for what
// is below it, and * for everything.
func covers(list []string, path string) bool {
	for _, l := range list {
		if l == "*" || l == path || strings.HasPrefix(path, l) && (strings.HasSuffix(l, "/") || strings.Contains(l, ".") && path[len(l)] == '/') {
			return true
		}
	}
	return false
}
