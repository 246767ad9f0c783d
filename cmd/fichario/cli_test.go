package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"fichario/cmd/fichario/command"
)

// TestTheREADMEListsTheConfiguration: README's tables match the declared flags and variables, those of the service and
// those of its client. When it fails, paste the table that it prints into README.
func TestTheREADMEListsTheConfiguration(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, nil, nil, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]*kong.Flag{parser.Model.Flags, childNamed(parser.Model.Node, "lookup").Flags} {
		table := "| variable | flag | default | meaning |\n|---|---|---|---|\n"
		for _, f := range flags {
			if len(f.Envs) == 1 {
				table += fmt.Sprintf("| %s | --%s | %s | %s |\n", f.Envs[0], f.Name, f.Default, f.Help)
			}
		}
		if !strings.Contains(string(readme), table) {
			t.Errorf("README.md has not this table:\n%s", table)
		}
	}
}

// TestHelpIsInGroups: every command is in a group, so that nobody has to search forty of them.
func TestHelpIsInGroups(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, nil, nil, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Children {
		if command.Group == nil || !strings.HasSuffix(command.Group.Title, ":") {
			t.Errorf("%s is in no group", command.Name)
		}
	}
}

// TestHelpListsTheSettingsWhereTheyAreLookedFor: the help of the program and of serve lists every setting; anywhere
// else they would bury the flags of the command.
func TestHelpListsTheSettingsWhereTheyAreLookedFor(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, nil, nil, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args     []string
		own      string
		settings bool
	}{
		{[]string{"--help"}, "sandbox-bureau", true},
		{[]string{"serve", "--help"}, "--demo", true},
		{[]string{"lookup", "--help"}, "FICHARIO_KEY", false},
		{[]string{"key", "--help"}, "key rotate", false},
		{[]string{"key", "create", "--help"}, "--per-month", false},
	} {
		var out, errOut bytes.Buffer
		if code := run(c.args, nil, &out, &errOut); code != 0 || !strings.Contains(out.String(), c.own) {
			t.Errorf("%v: code %d, %q, %q", c.args, code, out.String(), errOut.String())
		}
		for _, f := range parser.Model.Flags {
			if len(f.Envs) == 1 && strings.Contains(out.String(), f.Envs[0]) != c.settings {
				t.Errorf("%v lists %s: %t", c.args, f.Envs[0], !c.settings)
			}
		}
	}
}

// TestAWrongCommandLineIsToldHowItGoes: the error is one line, with the usage of the command.
func TestAWrongCommandLineIsToldHowItGoes(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`expected "<document>" (usage: fichario lookup <product> <document> [flags])`:                 {"lookup", "52998224725"},
		`did you mean "--from"? (usage: fichario api statement [flags])`:                              {"api", "statement", "--form", "x"},
		`(usage: fichario batch quote (--org=STRING | --key=STRING) --product=STRING <file> [flags])`: {"batch", "quote", "x"},
		"unexpected argument nada\n": {"nada"},
	} {
		var out, errOut bytes.Buffer
		code := run(args, nil, &out, &errOut)
		if code != 1 || !strings.Contains(errOut.String(), want) || strings.Count(errOut.String(), "\n") != 1 {
			t.Errorf("%v: code %d, %q", args, code, errOut.String())
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"sandbox-bureau": nil, "webhook": {"help"}, "rekey": {"--help"}, command.Version(): {"--version"},
		"Usage: fichario member budget (--month=STRING | --none) <id>": {"member", "budget", "--help"},
	} {
		var out, errOut bytes.Buffer
		if code := run(args, nil, &out, &errOut); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%v: code %d, %q, %q", args, code, out.String(), errOut.String())
		}
	}
}

func TestBadCallsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	db := "--database-url=sqlite://" + filepath.Join(t.TempDir(), "x.db")
	for want, args := range map[string][]string{
		"unexpected argument":         {"nada"},
		"--name":                      {"org", "create", db},
		"organização":                 {"key", "create", db, "--org", "x", "--name", "n", "--scopes", "cpf"},
		"FICHARIO_TIME_ZONE":          {"serve", db, "--time-zone", "Mars/Olympus"},
		"FICHARIO_BUREAU":             {"serve", db, "--bureau-file", "nada.yaml"},
		"FICHARIO_SANDBOX_SCRIPT: ":   {"serve", db, "--sandbox-script", "nada.yaml"},
		"FICHARIO_DATA_KEY":           {"migrate", db, "--data-key", "abc"},
		"FICHARIO_DATA_KEY is":        {"migrate", "--database-url", "postgres://127.0.0.1:1/x"},
		"FICHARIO_HISTORY_FRESH":      {"serve", db, "--history-fresh=-1h"},
		"no mínimo 1":                 {"serve", db, "--database-connections=0"},
		"10.0.0.0/8":                  {"serve", db, "--trusted-proxies=10.0.0.0/33"},
		"FICHARIO_DATABASE_CONN":      {"serve", db, "--database-connections=1001"},
		"sqlite://CAMINHO":            {"serve", "--database-url", "mysql://x"},
		"CAMINHO, sem ?":              {"serve", "--database-url", "sqlite://"},
		"CAMINHO, sem":                {"serve", "--database-url", db[len("--database-url="):] + "?mode=ro"},
		"campo FICHARIO_LISTEN":       {"serve", db, "--listen="},
		"CONTACTS deve ser no mínimo": {"serve", db, "--retention-contacts=1s"},
		"CONTACTS deve ser no":        {"serve", db, "--retention-contacts=-24h"},
		"FICHARIO_BUREAU: ":           {"serve", db, "--bureau-file", os.TempDir()},
		"PUBLIC_URL não pode ter ?":   {"serve", db, "--public-url", "https://a.example/b?x"},
		"PUBLIC_URL não":              {"serve", db, "--public-url", "https://exâmple.com"},
		"FICHARIO_PUBLIC_URL: ":       {"serve", db, "--listen=127.0.0.1:0", "--public-url", "https://a..example"},
		"FICHARIO_PUBLIC_URL":         {"serve", db, "--public-url", "nope"},
		"PUBLIC_URL deve ser um":      {"serve", db, "--public-url", "http://:8080"},
		"META_URL não pode ter":       {"serve", db, "--meta-url", "https://graph.example?x"},
		"AUDIT_WITNESS não pode":      {"serve", db, "--audit-witness", " "},
		"ERASURE_JOURNAL não pode":    {"serve", db, "--erasure-journal", "apagados.jsonl "},
		"LINKEDIN_URL não pode ter":   {"serve", db, "--linkedin-url", "https://api.example/#x"},
		"FICHARIO_DATABASE_URL: mk":   {"serve", "--listen=127.0.0.1:0", "--database-url=sqlite://cli_test.go/x.db"},
		"FICHARIO_DATABASE_URL: open": {"migrate", "--database-url=sqlite://cli_test.go/x.db"},
		"duration":                    {"serve", db, "--history-fresh", "x"},
		"OIDC_ISSUER is missing":      {"serve", db, "--oidc-client-id", "x"},
		"OIDC_ISSUER deve ser":        {"serve", db, "--oidc-issuer", "id.example"},
		"OIDC_CLIENT_SECRET":          {"serve", db, "--oidc-issuer", "https://id.example", "--oidc-client-id", "x"},
		"OIDC_DOMAINS: the e-mail":    provided(db, "https://id.example", ""),
		"OIDC_DOMAINS: ":              provided(db, "https://id.example", "exemplo"),
		"or http:// on this":          provided(db, "http://id.example", "exemplo.com"),
		"no query":                    provided(db, "https://id.example?a=b", "exemplo.com"),
		"OIDC_ORG: the organisation":  provided(db, "https://id.example", "exemplo.com", "--oidc-roles=g:a=owner"),
		"OIDC_ROLES: ":                provided(db, "https://id.example", "exemplo.com", "--oidc-roles=g:a=boss"),
		"needs openid":                provided(db, "https://id.example", "exemplo.com", "--oidc-scopes=email"),
		"OIDC_NAME is":                provided(db, "https://id.example", "exemplo.com", "--oidc-name= "),
		"OIDC_ORG: there is": provided(db, "https://id.example", "exemplo.com", "--listen=127.0.0.1:0",
			"--oidc-org=01980000-0000-7000-8000-000000000001"),
		"FICHARIO_OIDC_ORG não": provided(db, "https://id.example", "exemplo.com", "--oidc-org=x"),
		"2026-12-31": {
			"key", "create", db, "--org", "x", "--name", "n", "--scopes", "cpf", "--expires", "amanhã",
		},
		"between 2000 and 9998": {
			"key", "create", db, "--org", "x", "--name", "n", "--scopes", "cpf", "--expires", "9999-12-31",
		},
		"--expires: the year": {
			"key", "create", db, "--org", "x", "--name", "n", "--scopes", "cpf", "--expires", "9999-12-31T23:59:59-03:00",
		},
		"not a whole number": {
			"key", "create", db, "--org", "x", "--name", "n", "--scopes", "cpf", "--per-day", "1.5",
		},
		"chave com este id": {"key", "revoke", db, "x"},
		"must be one of": {
			"member", "add", db, "--org", "x", "--name", "n", "--email", "e", "--role", "boss", "--password-stdin",
		},
	} {
		var out, errOut bytes.Buffer
		code := run(args, strings.NewReader("segredo-longo\n"), &out, &errOut)
		if code != 1 || out.Len() > 0 || !strings.Contains(errOut.String(), want) {
			t.Errorf("%v: code %d, output %q, error %q; want an error with %q", args, code, out.String(), errOut.String(), want)
		}
	}
}

// provided are the arguments that start the service with an identity provider.
func provided(db, issuer, domains string, more ...string) []string {
	return append([]string{
		"serve", db, "--oidc-issuer", issuer, "--oidc-client-id=x", "--oidc-client-secret=x", "--oidc-domains", domains,
	}, more...)
}

func TestTheKeyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "sub", "x.db")
	call := func(args ...string) (int, string) {
		var out, errOut bytes.Buffer
		code := run(append(args, "--database-url", "sqlite://"+db), nil, &out, &errOut)
		return code, errOut.String()
	}
	if code, text := call("migrate"); code != 0 {
		t.Fatal(text)
	}
	info, err := os.Stat(db + ".key")
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v", info.Mode(), err)
	}
	if code, text := call("migrate"); code != 0 {
		t.Fatal(text)
	}
	if err := os.Remove(db + ".key"); err != nil {
		t.Fatal(err)
	}
	if code, text := call("migrate"); code != 1 || !strings.Contains(text, "x.db.key") {
		t.Errorf("without its key file: code %d, %s", code, text)
	}
	if _, err := os.Stat(db + ".key"); err == nil {
		t.Error("another key file was made for a database that has data")
	}
	for text, want := range map[string]string{
		"":      "x.db.key: a key is 32 bytes in base64, which this is not: put back",
		"YWJj ": "x.db.key: a key is 32 bytes in base64, which this is not: put back",
		base64.StdEncoding.EncodeToString(command.NewDataKey()): "x.db.key is not the one that this database was " +
			"written with",
	} {
		if err := os.WriteFile(db+".key", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, said := call("migrate"); code != 1 || !strings.Contains(said, want) || strings.Contains(said, "DATA_KEY") {
			t.Errorf("with the key file %q: code %d, %s", text, code, said)
		}
	}
	if code, said := call("migrate", "--data-key", base64.StdEncoding.EncodeToString(command.NewDataKey())); code != 1 ||
		!strings.Contains(said, "FICHARIO_DATA_KEY is not the key") {
		t.Errorf("with another key in the variable: code %d, %s", code, said)
	}
}

// TestARefusedAddressLeavesNoFiles: the key file is only made when the database can be.
func TestARefusedAddressLeavesNoFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errOut bytes.Buffer
	if code := run([]string{"migrate", "--database-url", "sqlite://"}, nil, &out, &errOut); code != 1 {
		t.Errorf("code %d, %s", code, errOut.String())
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
