package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

const monitoring = "../../docs/monitoring/"

// panel is a panel of a dashboard, or a row of them.
type panel struct {
	Title   string
	Targets []struct{ Expr string }
	Panels  []panel
}

// labelValues matches a dashboard variable: the values of a metric's label.
var labelValues = regexp.MustCompile(`^label_values\((\w+), *\w+\)$`)

// expressions are those of the rules and of the dashboard, by location.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	read(t, monitoring+"prometheus-rules.yml", func(b []byte) error { return yaml.Unmarshal(b, &rules) })
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			all[r.Alert] = r.Expr
			heading := regexp.MustCompile(`(?m)^#+ ` + r.Alert + `$`)
			if r.Annotations["runbook_url"] != "docs/operations.md#"+strings.ToLower(r.Alert) || !heading.Match(page) {
				t.Errorf("%s has no runbook in docs/operations.md", r.Alert)
			}
		}
	}
	var dashboard struct {
		Panels     []panel
		Templating struct {
			List []struct{ Name, Type, Definition string }
		}
	}
	read(t, monitoring+"grafana.json", func(b []byte) error { return json.Unmarshal(b, &dashboard) })
	plain := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")
	var walk func([]panel)
	walk = func(panels []panel) {
		for _, p := range panels {
			for i, target := range p.Targets {
				all[fmt.Sprint(p.Title, " ", i)] = plain.Replace(target.Expr)
			}
			walk(p.Panels) // of a row
		}
	}
	walk(dashboard.Panels)
	for _, v := range dashboard.Templating.List {
		if of := labelValues.FindStringSubmatch(v.Definition); of != nil {
			all["variable "+v.Name] = of[1]
		} else if v.Type == "query" {
			t.Errorf("the variable %s asks for %q", v.Name, v.Definition)
		}
	}
	return all
}

func read(t *testing.T, path string, decode func([]byte) error) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err == nil {
		err = decode(src)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var (
	inside = regexp.MustCompile(`\{[^}]*\}|\[[^]]*\]|"[^"]*"|\b(by|on|without|ignoring) *\([^)]*\)`)
	name   = regexp.MustCompile(`\b[a-z_]\w*\b(?: *\()?`)
	words  = []string{"and", "or", "unless", "offset", "bool", "w", "e4"}
)

// metricsOf returns the names of series in an expression.
func metricsOf(expr string) (names []string) {
	for _, n := range name.FindAllString(inside.ReplaceAllString(expr, " "), -1) {
		if !strings.HasSuffix(n, "(") && !slices.Contains(words, n) {
			names = append(names, n)
		}
	}
	return names
}

// TestSlowMonitoring: every metric named in the alerts and the dashboard is exposed by a program that has done a bit of
// everything; each alert has its runbook, and Prometheus' own tool accepts all of it.
func TestSlowMonitoring(t *testing.T) {
	t.Parallel()
	env := testkit.PostgreSQL(t)
	env["FICHARIO_READ_DATABASE_URL"] = env["FICHARIO_DATABASE_URL"]
	env["FICHARIO_ALLOW_PRIVATE_TARGETS"] = "true"
	p := intaketest.StartProduct(t, env)
	beginAtZero(t, string(p.Lookups.Get("/metrics", "").Body))
	receiver := intaketest.StartReceiver(t, nil)
	key, hook := p.Lookups.NewKey(60, 100, 100), p.Leads.NewHook("Site", "generic")
	p.Leads.Automate("Avisar", "http", "--url", receiver.URL)
	p.Lookups.CPF(key.Key, ana)
	p.Lookups.CPF(key.Key, ana)
	p.Lookups.CPF("nobody", ana)
	p.Leads.Settled(1, "--contact", p.Leads.Accept(hook, intaketest.Lead("Ana")))
	exposed := string(p.Lookups.Get("/metrics", "").Body)
	known := regexp.MustCompile(`(?m)^([a-z_]+)[{ ]`).FindAllStringSubmatch(exposed, -1)
	for where, expr := range expressions(t) {
		names := metricsOf(expr)
		if len(names) == 0 {
			t.Errorf("%s names no metric", where)
		}
		for _, n := range names {
			if n != "up" && !slices.ContainsFunc(known, func(m []string) bool { return m[1] == n }) {
				t.Errorf("%s names %s, which the program does not expose", where, n)
			}
		}
		for _, s := range labelled.FindAllStringSubmatch(expr, -1) {
			for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
				if m[1] == "instance" || m[1] == "job" {
					continue // set by Prometheus itself
				}
				if !regexp.MustCompile(`(?m)^` + s[1] + `\{(?:[^}]*,)?` + m[1] + `="`).MatchString(exposed) {
					t.Errorf("%s asks for the label %s of %s, which has none", where, m[1], s[1])
				}
			}
		}
	}
	promtool(t)
}

var (
	labelled = regexp.MustCompile(`(fichario_\w+)\{([^}]*)\}`)
	selector = regexp.MustCompile(`(fichario_\w+_total)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`(\w+)(?:=|!=)(~?)"([^"]*)"`)
)

// beginAtZero: an idle instance exposes each counter that an alert uses, because a series that begins with the first
// failure has not grown by it. Requests are excluded: their alert is on a share of many.
func beginAtZero(t *testing.T, exposed string) {
	t.Helper()
	for where, expr := range expressions(t) {
		if !strings.HasPrefix(where, "Fichario") {
			continue // of the dashboard
		}
		for _, s := range selector.FindAllStringSubmatch(expr, -1) {
			if s[1] == "fichario_http_requests_total" {
				continue
			}
			labels := []*regexp.Regexp{regexp.MustCompile(`^` + s[1] + `\{.*\} 0$`)}
			for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
				labels = append(labels, regexp.MustCompile(`[{,]`+m[1]+`="(`+m[3]+`)"`))
			}
			there := func(line string) bool {
				return !slices.ContainsFunc(labels, func(l *regexp.Regexp) bool { return !l.MatchString(line) })
			}
			if !slices.ContainsFunc(strings.Split(exposed, "\n"), there) {
				t.Errorf("%s looks at %s, which a new instance does not expose at 0", where, s[0])
			}
		}
	}
}

// promtool makes Prometheus' tool check the rules, run their tests, and check the expressions of the dashboard as
// rules.
func promtool(t *testing.T) {
	t.Helper()
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatalf("%v (`make test` finds it, or takes it out of Debian's package prometheus)", err)
	}
	type rule struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var rules []rule
	for _, expr := range expressions(t) {
		rules = append(rules, rule{fmt.Sprintf("of:%d", len(rules)), expr})
	}
	src, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "all", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	shown := filepath.Join(t.TempDir(), "expressions.yml")
	if err := os.WriteFile(shown, src, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "rules", monitoring + "prometheus-rules.yml", shown}, {"test", "rules", monitoring + "prometheus-tests.yml"},
	} {
		if out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", args[0], err, out)
		}
	}
}
