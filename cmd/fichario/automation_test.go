package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestARequestThatIsRefusedSaysWhere: the option at fault, and what to do, before it prompts for any secret.
func TestARequestThatIsRefusedSaysWhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	add := []string{"automation", "add", "--org", org, "--name", "CRM", "--action", "http"}
	for want, more := range map[string][]string{
		"--url: O destino já diz isto":       {"--url", "https://x.example/a", "--destination", "slack"},
		"--method: O destino já diz isto":    {"--method", "PUT", "--destination", "slack"},
		"--set: Nada do pedido usa ${X}":     {"--url", "https://x.example/a", "--set", "X=1"},
		"--set: O destino não tem o campo x": {"--destination", "slack", "--set", "x=1"},
		"--set: company é uma parte do nome": {"--destination", "pipedrive", "--set", "token=t", "--set", "company=a.b"},
	} {
		p.refused(want, "", append(add, more...)...)
	}
}

// TestATrialSaysThatItIsDisabled, and that there is no event to show a request for.
func TestATrialSaysThatItIsDisabled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	p.made("member", "add", "--org", org, "--name", "Ana", "--email", "ana@x.example", "--role", "owner",
		"--password-stdin")
	file := filepath.Join(t.TempDir(), "um.csv")
	if err := os.WriteFile(file, []byte("nome,email\nBia,bia@x.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.does(new(any), "contact", "import", file, "--org", org)
	var contacts []struct{ ID string }
	if p.does(&contacts, "contact", "list", "--org", org); len(contacts) != 1 {
		t.Fatal(contacts)
	}
	for want, event := range map[string]string{
		"It is disabled. Enabled, it would run": "contact.created", "no request to show: ainda não há": "lookup.completed",
	} {
		id := p.made("automation", "add", "--org", org, "--name", event, "--event", event, "--action", "http",
			"--url", "https://x.example/a")
		p.does(new(any), "automation", "disable", id)
		if code, out, _ := p.says("", "automation", "try", id, "--contact", contacts[0].ID); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%d %s", code, out)
		}
	}
}

// TestARequestIsFilledInAnew: without its description, which no command shows again.
func TestARequestIsFilledInAnew(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	id := p.made("automation", "add", "--org", org, "--name", "ERP", "--action", "http",
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
			of = p.made("automation", "add", "--org", org, "--name", "Kommo", "--action", "http",
				"--destination", "kommo", "--set", "account=minha")
		}
		code, out, errOut := p.says(a.typed, append([]string{"automation", "set", of}, a.args...)...)
		if code != 0 || !strings.Contains(out, "has new values: "+a.want) || strings.Contains(out+errOut, "segredo") {
			t.Errorf("%q: %d %s%s", a.args, code, out, errOut)
		}
	}
	set := []string{"automation", "set", id}
	p.refused("--purpose, --set or --secrets", "", set...)
	p.refused("TOKEN is missing", "", append(set, "--secrets")...)
	p.refused("--set: Nada do pedido usa ${X}", "", append(set, "--set", "X=1")...)
	plain := p.made("automation", "add", "--org", org, "--name", "Sem", "--action", "http", "--url", "https://x.example/a")
	p.refused("--secrets: the request of this automation has none", "", "automation", "set", plain, "--secrets")
	p.refused("--purpose: ", "", append(set, "--purpose", "credito")...)
	p.refused("--purpose belongs to a lookup", "", append(set, "--purpose", "credito", "--secrets")...)
}
