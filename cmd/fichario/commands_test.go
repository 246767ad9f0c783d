package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fichario/cmd/fichario/command"
)

// fullDisk accepts a number of bytes, and then none.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

// TestAListThatCannotBeWrittenFails: a truncated file must not be taken for the whole audit.
func TestAListThatCannotBeWrittenFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	for _, args := range [][]string{
		{"audit", "list", "--org", org}, {"audit", "list", "--org", org, "--json"}, {"org", "list"}, {"member", "list", "--org", org, "--json"},
		{"subject", "export", "--org", org, "--email", "ana@example.com"}, {"subject", "record", "--org", org},
	} {
		var errOut bytes.Buffer
		code := run(append(args, p.database), nil, &fullDisk{}, &errOut)
		if code != 1 || !strings.Contains(errOut.String(), "no space left") {
			t.Errorf("%v: code %d, %q", args, code, errOut.String())
		}
	}
}

// TestBatchesAreListedWithoutAnOwner: keys make batches in an organisation without members.
func TestBatchesAreListedWithoutAnOwner(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	key := p.made("key", "create", "--org", org, "--name", "CRM", "--scopes", "cnpj")
	for range 3 {
		if code, _, errOut := p.says("cnpj\n11222333000181\n", "batch", "quote", "-", "--key", key, "--product", "cnpj"); code != 0 {
			t.Fatal(errOut)
		}
	}
	var rotated struct{ Key string }
	p.does(&rotated, "key", "rotate", key)
	_, _, errOut := p.says("cnpj\n11222333000181\n", "batch", "quote", "-", "--key", rotated.Key, "--product", "cnpj")
	if errOut != "" {
		t.Errorf("by the key itself: %s", errOut)
	}
	var all []struct{ ID string }
	p.does(&all, "batch", "list", "--org", org)
	if len(all) != 4 || all[0].ID < all[2].ID {
		t.Errorf("%d batches, newest first: %v", len(all), all)
	}
	if p.does(&all, "batch", "list", "--org", org, "--limit", "2"); len(all) != 2 {
		t.Errorf("%d batches", len(all))
	}
	for _, wrong := range []string{"--limit=0", "--limit=-1"} {
		if code, _, errOut := p.says("", "batch", "list", "--org", org, wrong); code != 1 || !strings.Contains(errOut, "--limit: ") {
			t.Errorf("%s: code %d, %s", wrong, code, errOut)
		}
	}
}

// TestOrganisationsThatAreNotMeant: a mistyped id changes nothing, and is reported.
func TestOrganisationsThatAreNotMeant(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	const other = "01980000-0000-7000-8000-00000000ffff"
	for want, args := range map[string][]string{
		"two different": {"org", "set", other, "--org", org, "--share-history=false"},
		"--org: Não há": {"subject", "replay-erasures", "--from", "-", "--org", other},
		"--org: Não há organização com este id": {"batch", "list", "--org", other},
	} {
		if code, _, errOut := p.says("", args...); code != 1 || !strings.Contains(errOut, want) {
			t.Errorf("%v: code %d, %s", args, code, errOut)
		}
	}
	if code, _, errOut := p.says("", "org", "set", org, "--org", org, "--share-history=false"); code != 0 {
		t.Error(errOut)
	}
}

// TestASettingIsGiven: a command that would change nothing says what to give.
func TestASettingIsGiven(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	for want, args := range map[string][]string{
		"give --member-batch-limit": {"org", "set", org},
		"give --purposes, --from":   {"key", "set", org},
		"give what to change: --na": {"webhook", "set", org},
		"give what to change: --pu": {"automation", "set", org},
		"give --name or --member":   {"rotation", "set", org},
		"give --name, --basis":      {"purpose", "set", "--org", org, "--code", "credito"},
	} {
		if code, _, errOut := p.says("", args...); code != 1 || !strings.Contains(errOut, want) {
			t.Errorf("%v: code %d, %s", args, code, errOut)
		}
	}
}

// TestAnImportSaysWhichLinesAreWrong: in its trial and when it is done, and two columns of the same name are told
// apart.
func TestAnImportSaysWhichLinesAreWrong(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	p.made("member", "add", "--org", org, "--name", "Ana", "--email", "ana@example.com", "--role", "owner", "--invite")
	const table = "Nome;E-mail;E-mail;Fone\nBia;bia@example.com;bia@casa.example;11988887777\nCaio;;;\n"
	for _, flag := range []string{"--dry-run", "--automation=false"} {
		code, out, errOut := p.says(table, "contact", "import", "-", "--org", org, "--json", flag, "--map", "E-mail (C)=ignorar")
		for _, want := range []string{
			`"problemas":[{"linha":3,"mensagem":"Falta o e-mail."}]`, `"E-mail":"email"`, `"E-mail (C)":"ignorar"`,
		} {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("%s: code %d, %s%s has not %s", flag, code, errOut, out, want)
			}
		}
	}
	const commas = "Nome;E-mail;Cidade, UF;Obs\nRui;rui@example.com;Belém, PA;oi\n"
	_, out, errOut := p.says(commas, "contact", "import", "-", "--org", org, "--dry-run", "--map", "Cidade, UF=empresa,Obs=ignorar")
	if !strings.Contains(out, "Cidade, UF -> empresa\nObs -> ignorar") {
		t.Error(out, errOut)
	}
	code, _, errOut := p.says(table, "contact", "import", "-", "--org", org, "--map", "Cargo=ignorar")
	if code != 1 || !strings.Contains(errOut, "E-mail, E-mail (C), Fone") {
		t.Errorf("code %d, %s", code, errOut)
	}
}

// TestWhoInterruptsAnImportIsToldWhatBecomesOfIt.
func TestWhoInterruptsAnImportIsToldWhatBecomesOfIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	p.made("member", "add", "--org", org, "--name", "Ana", "--email", "ana@example.com", "--role", "owner", "--invite")
	var table strings.Builder
	table.WriteString("nome;email\n")
	for i := range 10_000 {
		fmt.Fprintf(&table, "Bia;bia%d@example.com\n", i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	var errOut bytes.Buffer
	args := []string{"contact", "import", "-", "--org", org, p.database}
	code := execute(ctx, args, strings.NewReader(table.String()), io.Discard, &errOut)
	const want = "fichario: interrupted; "
	if code != 1 || !strings.HasPrefix(errOut.String(), want) {
		t.Errorf("code %d, %q does not begin with %q", code, errOut.String(), want)
	}
}

// TestWhatCommandsShowAsJSON: a webhook with its rotation, and a member's budget as a number, like all amounts.
func TestWhatCommandsShowAsJSON(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	ana := p.made("member", "add", "--org", org, "--name", "Ana", "--email", "ana@example.com", "--role", "owner", "--invite")
	p.made("rotation", "add", "--org", org, "--name", "Vendas", "--member", "ana@example.com")
	hook := p.made("webhook", "create", "--org", org, "--name", "Site", "--type", "generic", "--rotation", "vendas")
	for _, c := range []struct {
		want string
		args []string
	}{
		{`"rotation":"Vendas"`, []string{"webhook", "show", hook}},
		{`"rotation":null`, []string{"webhook", "set", hook, "--rotation", ""}},
		{`"budget":150.5`, []string{"member", "budget", ana, "--month", "150.50"}},
		{`"budget":150.5`, []string{"member", "list", "--org", org}},
		{`"budget":null`, []string{"member", "budget", ana, "--none"}},
		{`"budget":null`, []string{"member", "list", "--org", org}},
		{`"shell":"bash"`, []string{"completion", "bash"}},
	} {
		code, out, errOut := p.says("", append(c.args, "--json")...)
		if code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%v: code %d, %s%s has not %s", c.args, code, errOut, out, c.want)
		}
	}
}

// TestResultsHaveOneForm: a request for two formats is refused, instead of picking one.
func TestResultsHaveOneForm(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, args := range [][]string{{"batch", "results"}, {"contact", "import-results"}} {
		code, out, errOut := p.says("", append(args, "x", "--format", "csv", "--json")...)
		if code == 0 || out != "" || !strings.Contains(errOut, "--format and --json") {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errOut)
		}
	}
}

// TestTheJournalIsNoJSON, and a batch's results through the API have one format too.
func TestTheJournalIsNoJSON(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, args := range [][]string{
		{"subject", "erasures", "--org", "01a20b9b-e90c-7a61-b2ae-d7da458342f4", "--journal", "--json"},
		{"api", "batch", "results", "x", "--format", "csv", "--json", "--key", "k"},
		{"api", "batch", "results", "x", "--format", "csv", "-o", "json", "--key", "k"},
	} {
		if code, out, errOut := p.says("", args...); code == 0 || out != "" || !strings.Contains(errOut, "ask for two formats") {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errOut)
		}
	}
}

// TestIdsAreLines: a loop over contacts can read the output line by line.
func TestIdsAreLines(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	p.made("member", "add", "--org", org, "--name", "Ana", "--email", "ana@example.com", "--role", "owner", "--invite")
	table := "nome;email\nBia;bia@example.com\nRui;rui@example.com\n"
	if code, _, errOut := p.says(table, "contact", "import", "-", "--org", org); code != 0 {
		t.Fatal(errOut)
	}
	var all []struct{ ID string }
	p.does(&all, "contact", "list", "--org", org)
	for _, args := range [][]string{
		{"merge", all[0].ID, all[1].ID}, {"split", all[0].ID, all[1].ID}, {"delete", all[0].ID}, {"restore", all[0].ID},
	} {
		code, out, errOut := p.says("", append([]string{"contact"}, args...)...)
		if code != 0 || len(out) != 37 || out[36] != '\n' {
			t.Errorf("%v: code %d, %q, %s", args, code, out, errOut)
		}
	}
}

// TestABodyThatWasPostedCommandsNoTerminal: anybody may post to a webhook, and the operator views it.
func TestABodyThatWasPostedCommandsNoTerminal(t *testing.T) {
	t.Parallel()
	const posted = "nome=\x1b]0;dono\x07\x1b[31mAna\u202e\r\nemail=\tana@example.com\u00e9\xff\n"
	want := "nome=]0;dono[31mAna\nemail=\tana@example.comé\n"
	if got := command.OnScreen(posted); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTheResultOfAnImport: each uploaded row with its outcome, including those that a rule left out.
func TestTheResultOfAnImport(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	p.made("member", "add", "--org", org, "--name", "Ana", "--email", "ana@example.com", "--role", "owner", "--invite")
	const table = "nome;email;cor\nBia;bia@example.com;azul\nCaio;;verde\nBia Sá;BIA@example.com;\n"
	code, out, errOut := p.says(table, "contact", "import", "-", "--org", org, "--json")
	var imported struct{ ID string }
	if err := json.Unmarshal([]byte(out), &imported); code != 0 || err != nil {
		t.Fatalf("code %d, %v, %s%s", code, err, out, errOut)
	}
	var all []struct{ ID string }
	p.does(&all, "contact", "list", "--org", org)
	want := "nome,email,cor,situacao,mensagem,contato\n" +
		"Bia,bia@example.com,azul,criado,," + all[0].ID + "\n" +
		"Caio,,verde,erro,Falta o e-mail.,\n" +
		"Bia Sá,BIA@example.com,,pulado,Já existe: mesmo e-mail.," + all[0].ID + "\n"
	if code, out, errOut = p.says("", "contact", "import-results", imported.ID); code != 0 || out != want {
		t.Errorf("code %d, %s\n got %s\nwant %s", code, errOut, out, want)
	}
	var results struct {
		Resultados []map[string]string
		Proxima    *string
	}
	p.does(&results, "contact", "import-results", imported.ID)
	if r := results.Resultados; len(r) != 3 || r[0]["cor"] != "azul" || r[1]["mensagem"] != "Falta o e-mail." {
		t.Errorf("as JSON: %v", r)
	}
	for format, begins := range map[string]string{"xlsx": "PK", "excel": "\ufeffnome;email;cor;situacao"} {
		if code, out, _ = p.says("", "contact", "import-results", imported.ID, "--format", format); !strings.HasPrefix(out, begins) {
			t.Errorf("%s: code %d, %.40q", format, code, out)
		}
	}
	for _, id := range []string{"", "x", org} {
		if code, out, errOut = p.says("", "contact", "import-results", id); code != 1 || out != "" || errOut == "" {
			t.Errorf("%q: code %d, %s%s", id, code, out, errOut)
		}
	}
}

// TestAnInvitationThatCannotBeSent: with invalid settings nobody is added; if the mail server is away, the error says
// who was added, because the command cannot be repeated.
func TestAnInvitationThatCannotBeSent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	add := []string{"member", "add", "--org", org, "--name", "Ana", "--email", "ana@example.com", "--role", "owner", "--invite"}
	var all []struct{ ID string }
	code, _, errOut := p.says("", append(add, "--smtp-url", "ftp://mail.example")...)
	if p.does(&all, "member", "list", "--org", org); code != 1 || len(all) != 0 {
		t.Errorf("code %d, %d members, %s", code, len(all), errOut)
	}
	code, _, errOut = p.says("", append(add, "--smtp-url", "smtp://127.0.0.1:1?from=a@example.com")...)
	if p.does(&all, "member", "list", "--org", org); code != 1 || len(all) != 1 {
		t.Fatalf("code %d, %d members, %s", code, len(all), errOut)
	}
	if !strings.Contains(errOut, "O convite não pôde ser enviado") ||
		!strings.Contains(errOut, "fichario member link "+all[0].ID) || strings.Contains(errOut, "Tente de novo") {
		t.Error(errOut)
	}
}

// TestARotationIsMeantByOneName: where two have the same name, neither is picked.
func TestARotationIsMeantByOneName(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	p.made("member", "add", "--org", org, "--name", "Ana", "--email", "ana@example.com", "--role", "owner", "--invite")
	p.made("rotation", "add", "--org", org, "--name", "Vendas", "--member", "ana@example.com")
	second := p.made("rotation", "add", "--org", org, "--name", "vendas", "--member", "ana@example.com")
	hook := []string{"webhook", "create", "--org", org, "--name", "Site", "--type", "generic", "--rotation"}
	if code, _, errOut := p.says("", append(hook, "Vendas")...); code != 1 || !strings.Contains(errOut, "mais de um") {
		t.Errorf("code %d, %s", code, errOut)
	}
	if code, _, errOut := p.says("", append(hook, second)...); code != 0 {
		t.Error(errOut)
	}
}

// TestTheAPIsCommandsSendWhatAKeyMay: also what few questions need.
func TestTheAPIsCommandsSendWhatAKeyMay(t *testing.T) {
	t.Parallel()
	table := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(table, []byte("cpf\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{
			[]string{
				"lookup", "renda", "52998224725", "--input", "nascimento=1980-02-29", "--input", "mae=Ana; de S=a, b",
				"--bureau", "b",
			},
			`POST /api/v1/consultas {"bureau":"b","documento":"52998224725",` +
				`"entradas":{"mae":"Ana; de S=a, b","nascimento":"1980-02-29"},"produto":"renda"}`,
		},
		{
			[]string{"api", "lookup", "cpf", "52998224725"},
			`POST /api/v1/consultas {"documento":"52998224725","produto":"cpf"}`,
		},
		{
			[]string{"api", "batch", "quote", table, "--product", "cpf", "--sheet", "Plan 2"},
			"POST /api/v1/lotes?aba=Plan+2&produto=cpf cpf\n",
		},
	} {
		sent := ""
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = r.Method + " " + r.URL.String() + " " + string(body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{}")
		}))
		var errOut bytes.Buffer
		code := run(append(c.args, "--url", service.URL, "--key", "k"), nil, io.Discard, &errOut)
		if code != 0 || sent != c.want {
			t.Errorf("%v: code %d, %s\nsent %s\nwant %s", c.args, code, errOut.String(), sent, c.want)
		}
		service.Close()
	}
}
