package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commands is a database with an organisation, and the commands that work on it.
type commands struct {
	*testing.T
	database, org string
}

func newCommands(t *testing.T) commands {
	t.Helper()
	c := commands{T: t, database: "sqlite://" + filepath.Join(t.TempDir(), "test.db")}
	c.org = c.made("", "org", "create", "--name", "Agência")
	return c
}

// say runs a command with what is typed, and returns its exit code and all that it wrote.
func (c commands) say(typed string, args ...string) (int, string) {
	var out bytes.Buffer
	code := run(append(args, "--database-url", c.database), strings.NewReader(typed), &out, &out)
	return code, out.String()
}

// made runs a command that has to succeed, and returns the id that it wrote.
func (c commands) made(typed string, args ...string) string {
	c.Helper()
	code, out := c.say(typed, append(args, "--json")...)
	var v struct{ ID string }
	if err := json.Unmarshal([]byte(out), &v); code != 0 || err != nil {
		c.Fatalf("%q: %d %s", args, code, out)
	}
	return v.ID
}

// refused runs a command that has to fail, with words that hold a text.
func (c commands) refused(want, typed string, args ...string) {
	c.Helper()
	if code, out := c.say(typed, args...); code != 1 || !strings.Contains(out, want) {
		c.Errorf("%q: %d %s, and not %s", args, code, out, want)
	}
}

// TestARequestThatIsRefusedSaysWhere: the option at fault, and what to do, before any secret is asked for.
func TestARequestThatIsRefusedSaysWhere(t *testing.T) {
	t.Parallel()
	c := newCommands(t)
	add := []string{"automation", "add", "--org", c.org, "--name", "CRM", "--action", "http"}
	for want, more := range map[string][]string{
		"--url: O destino já diz isto":       {"--url", "https://x.example/a", "--destination", "slack"},
		"--method: O destino já diz isto":    {"--method", "PUT", "--destination", "slack"},
		"--set: Nada do pedido usa ${X}":     {"--url", "https://x.example/a", "--set", "X=1"},
		"--set: O destino não tem o campo x": {"--destination", "slack", "--set", "x=1"},
		"--set: company é uma parte do nome": {"--destination", "pipedrive", "--set", "token=t", "--set", "company=a.b"},
	} {
		c.refused(want, "", append(add, more...)...)
	}
}

// TestATrialSaysThatItIsDisabled, and that there is no event whose request it could show.
func TestATrialSaysThatItIsDisabled(t *testing.T) {
	t.Parallel()
	c := newCommands(t)
	c.made("uma senha longa\n", "member", "add", "--org", c.org, "--name", "Ana", "--email", "ana@x.example", "--role", "owner",
		"--password-stdin")
	file := filepath.Join(t.TempDir(), "um.csv")
	if err := os.WriteFile(file, []byte("nome,email\nBia,bia@x.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := c.say("", "contact", "import", file, "--org", c.org); code != 0 {
		t.Fatal(out)
	}
	_, out := c.say("", "contact", "list", "--org", c.org, "--json")
	var contacts []struct{ ID string }
	if err := json.Unmarshal([]byte(out), &contacts); err != nil || len(contacts) != 1 {
		t.Fatal(out, err)
	}
	for want, event := range map[string]string{
		"It is disabled. Enabled, it would run": "contact.created", "no request to show: não há ainda": "lookup.completed",
	} {
		id := c.made("", "automation", "add", "--org", c.org, "--name", event, "--event", event, "--action", "http",
			"--url", "https://x.example/a")
		c.say("", "automation", "disable", id)
		if code, out := c.say("", "automation", "try", id, "--contact", contacts[0].ID); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%d %s", code, out)
		}
	}
}

// TestARequestIsFilledInAnew: without its description, which no command shows again.
func TestARequestIsFilledInAnew(t *testing.T) {
	t.Parallel()
	c := newCommands(t)
	id := c.made("segredo-um\n", "automation", "add", "--org", c.org, "--name", "ERP", "--action", "http",
		"--url", "https://x.example/a", "--header", "X-Token: ${TOKEN}")
	for _, a := range []struct {
		want, typed string
		args        []string
	}{
		{"TOKEN", "segredo-dois\n", []string{"--secrets"}},
		{"TOKEN", "", []string{"--set", "TOKEN=segredo-três"}},
		{"account, token", "segredo-quatro\n", []string{"--secrets", "--set", "account=outra"}},
	} {
		of := id
		if a.want != "TOKEN" {
			of = c.made("segredo-um\n", "automation", "add", "--org", c.org, "--name", "Kommo", "--action", "http",
				"--destination", "kommo", "--set", "account=minha")
		}
		code, out := c.say(a.typed, append([]string{"automation", "set", of}, a.args...)...)
		if code != 0 || !strings.Contains(out, "is filled in anew: "+a.want) || strings.Contains(out, "segredo") {
			t.Errorf("%q: %d %s", a.args, code, out)
		}
	}
	set := []string{"automation", "set", id}
	c.refused("--purpose, --set or --secrets", "", set...)
	c.refused("TOKEN is missing", "", append(set, "--secrets")...)
	c.refused("--set: Nada do pedido usa ${X}", "", append(set, "--set", "X=1")...)
	plain := c.made("", "automation", "add", "--org", c.org, "--name", "Sem", "--action", "http", "--url", "https://x.example/a")
	c.refused("--secrets: the request of this automation has none", "", "automation", "set", plain, "--secrets")
	c.refused("--purpose: ", "", append(set, "--purpose", "credito")...)
	c.refused("--purpose is of a lookup", "", append(set, "--purpose", "credito", "--secrets")...)
}
