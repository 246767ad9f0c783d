// Package intaketest sets the inbound webhook up for end-to-end tests: the real program, organisations that share it,
// the receivers and the mail server that automations talk to, each with its own ledger, and a client that checks every
// answer against the contract.
package intaketest

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/patience"
)

// Parts of invented people. No log, metric or refusal may contain any of them, so the texts occur nowhere else.
const (
	// Domain is the domain of every invented e-mail address.
	Domain = "canario-7731.example"
	// Surname is the surname of every invented person.
	Surname = "Canário7731"
	// Phone is the phone of every invented person, as it is sent.
	Phone = "(21) 99773-1077"
	// PhoneE164 is the same in E.164.
	PhoneE164 = "+5521997731077"
	// Message is part of every invented person's message.
	Message = "SEGREDO-7731"
)

// Email is the address of the invented person with that name.
func Email(name string) string { return strings.ReplaceAll(name, " ", "-") + "@" + Domain }

// Lead is a body with the specification's fields for the invented person with that name.
func Lead(name string) string {
	return fmt.Sprintf(`{"nome":%q,"email":%q,"telefone":%q,"mensagem":"Olá, %s"}`, name+" "+Surname, Email(name), Phone,
		Message)
}

// Numbered is a post about the invented people with those names, each with an id of its own.
func Numbered(names ...string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = fmt.Sprintf(`{"lead_id":%q,"full_name":%q,"email":%q}`, name, name+" "+Surname, Email(name))
	}
	return `{"leads":[` + strings.Join(all, ",") + `]}`
}

// Service is the program, with whatever organisations it has.
type Service struct {
	*testkit.Program

	tb     testing.TB
	env    map[string]string
	hidden *hidden
}

// StartService starts the program on the database in env. When the test ends, neither its log, at the most verbose
// level, nor its metrics may contain anything hidden.
func StartService(tb testing.TB, env map[string]string, more ...map[string]string) *Service {
	tb.Helper()
	all := maps.Clone(env)
	all["FICHARIO_LOG_LEVEL"] = "debug"
	for _, m := range more {
		maps.Copy(all, m)
	}
	return watch(tb, all, newHidden(), func() *testkit.Program {
		return testkit.StartProgram(tb, testkit.Options{Env: all})
	})
}

// watch is a service whose program it starts and checks.
func watch(tb testing.TB, env map[string]string, h *hidden, start func() *testkit.Program) *Service {
	tb.Helper()
	s := &Service{tb: tb, env: env, hidden: h}
	tb.Cleanup(func() { // runs after the program has ended, so that its last output is checked too
		if s.Program != nil {
			s.clean("the log", s.Logs())
		}
	})
	s.Program = start()
	tb.Cleanup(func() { // runs before the program ends
		if a, err := s.Send(tb.Context(), Request{Method: "GET", Path: "/metrics"}); err == nil {
			s.clean("the metrics", string(a.Body))
		}
	})
	return s
}

func (s *Service) clean(what, text string) {
	s.tb.Helper()
	if n := s.hidden.in(text); n > 0 {
		s.tb.Errorf("%s of %s holds a name, an address, a token or a secret (%d characters)", what, s.URL, n)
	}
}

// StartAnother starts another instance on the same database.
func (s *Service) StartAnother() *Service {
	s.tb.Helper()
	return watch(s.tb, s.env, s.hidden, func() *testkit.Program {
		return testkit.StartProgram(s.tb, testkit.Options{Env: s.env})
	})
}

// Hide adds texts that no log, metric or refusal may contain.
func (s *Service) Hide(texts ...string) { s.hidden.add(texts...) }

type hidden struct {
	mu    sync.Mutex
	texts map[string]bool
}

// newHidden hides the parts of invented people.
func newHidden() *hidden {
	h := &hidden{texts: map[string]bool{}}
	h.add(Domain, Surname, Phone, PhoneE164, strings.TrimPrefix(PhoneE164, "+55"), Message)
	return h
}

func (h *hidden) add(texts ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range texts {
		if len(t) >= 6 { // a shorter one may occur by chance
			h.texts[t] = true
		}
	}
}

// in is the length of a hidden text that occurs in another, or 0.
func (h *hidden) in(text string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.texts {
		if strings.Contains(text, t) {
			return len(t)
		}
	}
	return 0
}

// Org is a test's own organisation on a service that it may share with others.
type Org struct {
	*Service

	ID string
	tb testing.TB
}

// Org makes an organisation for a test.
func (s *Service) Org(tb testing.TB) *Org {
	tb.Helper()
	o := &Org{Service: s, tb: tb}
	o.ID = Read[struct{ ID string }](o, "org", "create", "--name", "Organização de Teste").ID
	return o
}

// At is the organisation on another instance of the service.
func (o *Org) At(s *Service) *Org { return &Org{Service: s, ID: o.ID, tb: o.tb} }

// With is the organisation for a subtest of the test that made it.
func (o *Org) With(tb testing.TB) *Org { return &Org{Service: o.Service, ID: o.ID, tb: tb} }

// Command runs a command on the service's database and returns its output.
func (o *Org) Command(args ...string) string {
	o.tb.Helper()
	return testkit.Run(o.tb, o.env, args...)
}

// Env is the environment with the service's database.
func (o *Org) Env() map[string]string { return maps.Clone(o.env) }

// Refused runs a command that must fail with code 1, explain why on standard error and print nothing else.
func (o *Org) Refused(args ...string) string {
	o.tb.Helper()
	f := testkit.RunErr(o.tb, o.env, args...)
	what := strings.Join(args[:min(2, len(args))], " ")
	if f.Code != 1 || f.Stdout != "" || !strings.HasPrefix(f.Stderr, "fichario: ") {
		o.tb.Errorf("%s: code %d, output %q, error %q", what, f.Code, f.Stdout, f.Stderr)
	}
	for _, leak := range []string{"SQLSTATE", "ERROR:", "syntax", "no such", "panic", "goroutine", "constraint"} {
		if strings.Contains(f.Stderr, leak) {
			o.tb.Errorf("%s: the error shows the program's inside (%q): %s", what, leak, f.Stderr)
		}
	}
	return f.Stderr
}

// Read runs a command with --json and decodes its output.
func Read[T any](o *Org, args ...string) T {
	o.tb.Helper()
	return testkit.JSON[T](o.tb, o.Command(append(args, "--json")...))
}

// Member adds a member and returns its id.
func (o *Org) Member(name, role string) string {
	o.tb.Helper()
	out := testkit.RunInput(o.tb, "uma-senha-longa\n", o.env, "member", "add", "--org", o.ID, "--name", name+" "+Surname,
		"--role", role,
		"--email", o.MemberEmail(name), "--password-stdin", "--json")
	return testkit.JSON[struct{ ID string }](o.tb, out).ID
}

// MemberEmail is the address of the member with that name. It is unique on the instance, as members' addresses must be.
func (o *Org) MemberEmail(name string) string {
	return strings.ToLower(Email(name + "-" + o.ID[len(o.ID)-8:]))
}

// Origins registers origins.
func (o *Org) Origins(names ...string) {
	o.tb.Helper()
	for _, n := range names {
		o.Command("origin", "add", "--org", o.ID, "--name", n)
	}
}

// Hook is a webhook.
type Hook struct {
	ID, Token string
	// Path is its address without the service's.
	Path string
}

// NewHook makes a webhook; more flags of `webhook create` may be added.
func (o *Org) NewHook(name, kind string, more ...string) Hook {
	o.tb.Helper()
	h := Read[Hook](o, append([]string{"webhook", "create", "--org", o.ID, "--name", name, "--type", kind}, more...)...)
	o.Hide(h.Token)
	h.Path = PathOf(h.Token)
	return h
}

// PathOf is the path of a token.
func PathOf(token string) string { return "/api/webhooks/receive/" + token }

// Automate makes an automation with flags of `automation add`, and returns its id and secret.
func (o *Org) Automate(name, action string, flags ...string) (id, secret string) {
	o.tb.Helper()
	a := Read[struct{ ID, Secret string }](o,
		append([]string{"automation", "add", "--org", o.ID, "--name", name, "--event", "contact.created", "--action",
			action}, flags...)...)
	o.Hide(a.Secret)
	return a.ID, a.Secret
}

// AtOnce runs tests side by side within their parent's single slot for parallel tests, as many as patience.Abreast
// says. It is for tests that mostly wait, for instance for a lease to expire.
func AtOnce(t *testing.T, tests map[string]func(t *testing.T)) {
	t.Helper()
	turns := make(chan struct{}, patience.Abreast())
	var wg sync.WaitGroup
	for name, test := range tests {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			t.Run(name, test)
		})
	}
	wg.Wait()
}

// AtOnceOnBoth is testkit.OnBothDatabases through AtOnce.
func AtOnceOnBoth(t *testing.T, test func(t *testing.T, env map[string]string)) {
	t.Helper()
	AtOnce(t, map[string]func(t *testing.T){
		"sqlite":   func(t *testing.T) { test(t, testkit.SQLite(t)) },
		"postgres": func(t *testing.T) { test(t, testkit.PostgreSQL(t)) },
	})
}

// Line prints values separated by one space, so that several can be compared at once.
func Line(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }
