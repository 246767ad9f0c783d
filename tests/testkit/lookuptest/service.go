// Package lookuptest sets a lookup service up for end-to-end tests: a bureau over real HTTP that keeps its own ledger,
// the real program in front of it, and a client that checks every answer against the contract.
package lookuptest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"fichario/tests/testkit"
)

// Secret is in every answer of the bureau and in its credential; a log that contains it leaks.
const Secret = "SEGREDO-DO-BUREAU-8431"

// Service is the program with a database, a bureau and an organisation.
type Service struct {
	*testkit.Program

	Org string

	tb     testing.TB
	env    map[string]string
	mu     *sync.Mutex     // shared with its other instances
	hidden map[string]bool // what no log may contain
}

// StartService starts the program on the database in env, in front of the bureau that the file describes, and makes an
// organisation. When the test ends, neither the logs nor the metrics of its instances may contain a document, key or
// answer that went through the service.
func StartService(tb testing.TB, env map[string]string, bureauFile string, more ...map[string]string) *Service {
	tb.Helper()
	all := maps.Clone(env)
	all["FICHARIO_BUREAU"], all["TESTE_TOKEN"], all["FICHARIO_LOG_LEVEL"] = bureauFile, Secret, "debug"
	for _, m := range more {
		maps.Copy(all, m)
	}
	s := &Service{tb: tb, env: all, mu: &sync.Mutex{}, hidden: map[string]bool{Secret: true}}
	s.start()
	s.Org = testkit.JSON[struct{ ID string }](tb, s.Command("org", "create", "--name", "Agência de Teste", "--json")).ID
	return s
}

// StartAnother starts another instance on the same database and organisation.
func (s *Service) StartAnother() *Service {
	s.tb.Helper()
	other := &Service{tb: s.tb, env: s.env, Org: s.Org, mu: s.mu, hidden: s.hidden}
	other.start()
	return other
}

// start starts the program, and checks its output when the test ends.
func (s *Service) start() {
	s.tb.Helper()
	s.tb.Cleanup(func() { // runs after the program has ended, so that its last output is checked too
		if s.Program != nil {
			s.clean("the log", s.Logs())
		}
	})
	s.Program = testkit.StartProgram(s.tb, testkit.Options{Env: s.env})
	s.tb.Cleanup(func() { // runs before the program ends
		a, err := s.Do(context.Background(), http.MethodGet, "/metrics", "", nil, "")
		if err == nil {
			s.clean("the metrics", string(a.Body))
		}
	})
}

func (s *Service) clean(what, text string) {
	s.tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for hidden := range s.hidden {
		if strings.Contains(text, hidden) {
			s.tb.Errorf("%s of %s holds a document, a key or an answer (%d characters)", what, s.URL, len(hidden))
		}
	}
}

// Instances returns the instances of the program, each at its own address, even where a balancer in front gives them a
// common one: the limit per minute is per instance.
func (s *Service) Instances() []*Service {
	var all []*Service
	for _, addr := range s.Program.Instances() {
		all = append(all, s.At(addr))
	}
	return all
}

// At is the service at another address.
func (s *Service) At(addr string) *Service {
	there := &testkit.Program{URL: "http://" + addr, Addr: addr}
	return &Service{Program: there, Org: s.Org, tb: s.tb, env: s.env, mu: s.mu, hidden: s.hidden}
}

// Command runs a command on the service's database and returns its output.
func (s *Service) Command(args ...string) string {
	s.tb.Helper()
	return testkit.Run(s.tb, s.env, args...)
}

// Env is the environment for commands on the service's database.
func (s *Service) Env() map[string]string { return maps.Clone(s.env) }

// Key is a key as `key create --json` prints it.
type Key struct{ ID, Key, Prefix string }

// NewKey makes a key with all scopes and the given limits; more flags of `key create` may be added.
func (s *Service) NewKey(minute, day, month int, more ...string) Key {
	s.tb.Helper()
	return s.ScopedKey("cpf,cnpj,placa,email", minute, day, month, more...)
}

// ScopedKey makes a key with some scopes.
func (s *Service) ScopedKey(scopes string, minute, day, month int, more ...string) Key {
	s.tb.Helper()
	args := []string{
		"key", "create", "--org", s.Org, "--name", "Chave de teste", "--scopes", scopes, "--per-minute", fmt.Sprint(minute),
		"--per-day", fmt.Sprint(day), "--per-month", fmt.Sprint(month), "--json",
	}
	k := testkit.JSON[Key](s.tb, s.Command(append(args, more...)...))
	s.Hide(k.Key)
	return k
}

// Hide adds a text that no log may contain.
func (s *Service) Hide(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden[text] = true
}

// AwaitFollowers waits until n requests of a so far unused key with limit requests per minute wait for a call that the
// bureau holds: the service has admitted them, and has since answered a lookup of another document with another key.
func (s *Service) AwaitFollowers(key string, limit, n int, another string) {
	s.tb.Helper()
	asked := 0
	Eventually(s.tb, "the requests are let in", func() bool {
		asked++
		in := 0
		for _, one := range s.Instances() {
			left, err := strconv.Atoi(one.Get("/api/v1/produtos", key).Header.Get("X-RateLimit-Remaining"))
			if err != nil {
				return false
			}
			in += limit - left - asked
		}
		return in >= n
	})
	if a := s.CPF(s.NewKey(60, 60, 60).Key, another); a.Status != http.StatusOK {
		s.tb.Errorf("another lookup is answered with %s", a)
	}
}
