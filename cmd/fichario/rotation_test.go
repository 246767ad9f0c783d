package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"fichario/tests/testkit/sqlite"
)

// place runs a test's commands on a migrated database of its own.
type place struct {
	t        *testing.T
	database string
}

func newPlace(t *testing.T) place {
	t.Helper()
	return place{t, "--database-url=" + template.New(t)}
}

// template is what the databases of places are copied from, each with the data key beside it.
var template = sqlite.Template{
	Migrate: func(_ context.Context, url string) error {
		var errOut bytes.Buffer
		if code := run([]string{"migrate", "--database-url=" + url}, nil, io.Discard, &errOut); code != 0 {
			return errors.New(errOut.String())
		}
		return nil
	},
	Beside: []string{".key"},
}

// says runs a command with some input, and returns its exit code and output.
func (p place) says(in string, args ...string) (code int, out, errOut string) {
	var o, e bytes.Buffer
	code = run(append(args, p.database), strings.NewReader(in), &o, &e)
	return code, o.String(), e.String()
}

// does runs a command that must succeed, and decodes its JSON output into v.
func (p place) does(v any, args ...string) {
	p.t.Helper()
	code, out, errOut := p.says("uma senha longa\n", append(args, "--json")...)
	if code != 0 {
		p.t.Fatalf("%v: code %d: %s", args, code, errOut)
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		p.t.Fatalf("%v: %v in %s", args, err, out)
	}
}

// made is the id of what a command makes.
func (p place) made(args ...string) string {
	p.t.Helper()
	var made struct{ ID string }
	p.does(&made, args...)
	return made.ID
}

// refused runs a command that must fail with a text in its output.
func (p place) refused(want, in string, args ...string) {
	p.t.Helper()
	if code, out, errOut := p.says(in, args...); code != 1 || !strings.Contains(out+errOut, want) {
		p.t.Errorf("%q: code %d, %s%s, and not %s", args, code, out, errOut, want)
	}
}

// TestMembersOfARotationAsDocsSayThem: docs/leads.md has a weight, an absence and both.
func TestMembersOfARotationAsDocsSayThem(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	for _, email := range []string{"ana@example.com", "rui@example.com", "bia=x@example.com"} {
		p.made("member", "add", "--org", org, "--name", "X", "--email", email, "--role", "owner", "--invite")
	}
	p.made("rotation", "add", "--org", org, "--name", "Vendas", "--member", "ana@example.com=2@2030-01-31T12:00:00Z",
		"--member", "rui@example.com@2030-01-31T09:00:00-03:00", "--member", "BIA=x@example.com=3")
	var all []struct {
		Members []struct {
			Email     string
			Weight    int
			AwayUntil string
		}
	}
	p.does(&all, "rotation", "list", "--org", org)
	got, err := json.Marshal(all[0].Members)
	const want = `[{"Email":"ana@example.com","Weight":2,"AwayUntil":"2030-01-31T12:00:00Z"},` +
		`{"Email":"rui@example.com","Weight":1,"AwayUntil":"2030-01-31T12:00:00Z"},` +
		`{"Email":"bia=x@example.com","Weight":3,"AwayUntil":""}]`
	if err != nil || string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	for _, wrong := range []string{
		"ana@example.com=x", "ana@example.com=1@ontem", "ana@example.com@amanhã", "zoe@example.com", "=2",
		"ana@example.com=11",
	} {
		code, _, errOut := p.says("", "rotation", "add", "--org", org, "--name", "Outra", "--member", wrong)
		if code != 1 || !strings.Contains(errOut, "--member") && !strings.Contains(errOut, "peso") {
			t.Errorf("%q: code %d, %s", wrong, code, errOut)
		}
	}
}
