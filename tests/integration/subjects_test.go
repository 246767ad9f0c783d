package integration

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// titular is a person whose data are everywhere.
type titular struct {
	cpf, email, phone, surname string
}

func (p titular) lead(name, more string) string {
	return fmt.Sprintf(`{"nome":"%s %s","email":%q,"telefone":%q,"mensagem":"Sou eu, %s"%s}`, name, p.surname, p.email,
		p.phone, p.surname, more)
}

// everywhere puts a person everywhere: lookups that were answered, are old, came from history or failed, items of a
// batch, four contacts of which one was merged and one deleted, deliveries, notes, runs, notifications and an imported
// file.
func everywhere(t *testing.T, p intaketest.Product, who titular, key string) (contacts []string) {
	t.Helper()
	o := p.Leads
	hook := o.NewHook("Site", "generic")
	o.Automate("Nota", "add_note", "--text", "Ligar para {nome}, {email}")
	for range 2 {
		expect(t, "asked", p.Lookups.CPF(key, who.cpf).String(), "200")
	}
	expect(t, "asked again", p.Lookups.Get("/api/v1/cpf/"+who.cpf+"?atualizar=true", key).String(), "200")
	expect(t, "failed", p.Lookups.Post(key, `{"produto":"score","documento":"`+who.cpf+`"}`).String(), "502 bureau_falhou")
	first := o.Accept(hook, who.lead("Rosa", `,"cpf":"`+who.cpf+`"`))
	second := o.Accept(hook, who.lead("Rosa", ""))
	third := o.Accept(hook, who.lead("Rosinha", `,"cpf":"`+who.cpf+`"`))
	gone := o.Accept(hook, who.lead("Rosa", ""))
	o.Do(intaketest.Request{
		Path: hook.Path, Header: intaketest.JSON, Body: `{"nome":"` + who.surname + `","documento":"` + mask(who.cpf) + `"}`,
	})
	o.Settled(4)
	o.Command("contact", "merge", first, third)
	o.Command("contact", "delete", gone)
	table := "nome;CPF;e-mail\nRosa;" + mask(who.cpf) + ";" + who.email + "\nOutra;" + lookuptest.CPFs(77, 1)[0] + ";outra@x.example\n"
	b := p.Lookups.BatchOf(p.Lookups.SendTable(key, "produto=cpf&confirmar=true&teto=5", "text/csv", table))
	p.Lookups.AwaitBatch(key, b.ID, "it is done", func(b lookuptest.Batch) bool {
		return b.Situacao == "concluido"
	})
	testkit.RunInput(t, "nome;e-mail;telefone\nRosa "+who.surname+";"+who.email+";"+who.phone+"\n", o.Env(), "contact", "import",
		"-", "--org", o.ID, "--duplicates", "skip")
	return []string{first, second}
}

// TestSlowSomebodyWhoIsInEverythingIsErased: nothing that identifies the person is found any more in files, dumps, logs
// and the output of commands, and all totals are unchanged.
func TestSlowSomebodyWhoIsInEverythingIsErased(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		p := intaketest.StartProduct(t, env)
		o, key := p.Leads, p.Lookups.NewKey(600, 50, 50)
		o.Member("Dona", "owner")
		who := titular{lookuptest.CPFs(55, 1)[0], "rosa.lgpd@apagar-4410.example", "(31) 98877-4410", "Apaganda4410"}
		o.Hide(who.cpf, who.email, who.surname)
		p.Bureau.Fail("score")
		everywhere(t, p, who, key.Key)
		other := o.Accept(o.NewHook("Outro", "generic"), `{"nome":"Sócio","email":"socio@x.example","cpf":["`+
			lookuptest.CPFs(78, 1)[0]+`","`+who.cpf+`"]}`)
		before := p.Lookups.Statement(key.Key)
		export := exported(o, "--document", who.cpf)
		for kind, n := range map[string]int{
			"consultas": 5, "contatos": 3, "contatosExcluidos": 2, "entregas": 6, "itensDeLote": 1, "linhasDeImportacao": 1,
		} {
			if got := len(export[kind].([]any)); got != n { //nolint:forcetypeassert // a list
				t.Errorf("%s: exported %d, want %d", kind, got, n)
			}
		}
		dry := intaketest.Read[struct{ Apagaria map[string]int }](o, "subject", "erase", "--org", o.ID,
			"--document", who.cpf, "--dry-run")
		expect(t, "would be erased", dry.Apagaria["contatos"], 2)
		expect(t, "nothing was", len(o.Contacts()), 3)

		receipt := intaketest.Read[struct {
			ID, Situacao, PedidaPor string
			Apagado                 map[string]int
			Fica                    []string
		}](o, "subject", "erase", "--org", o.ID, "--document", mask(who.cpf), "--block")
		expect(t, "the receipt", []any{receipt.Situacao, receipt.PedidaPor, len(receipt.Fica) > 3}, []any{"concluida", "operador", true})
		for kind, n := range dry.Apagaria {
			if kind != "historico" && receipt.Apagado[kind] < n {
				t.Errorf("%s: erased %d, foretold %d", kind, receipt.Apagado[kind], n)
			}
		}
		for kind, n := range receipt.Apagado {
			if n > 0 && dry.Apagaria[kind] == 0 {
				t.Errorf("%s: erased %d, foretold none", kind, n)
			}
		}
		expect(t, "contacts that stay", len(o.Contacts()), 1)
		expect(t, "the other's", o.Contact(other).Nome, "Sócio")
		after := p.Lookups.Statement(key.Key)
		expect(t, "sums", fmt.Sprint(after.Gasto, after.Cobradas), fmt.Sprint(before.Gasto, before.Cobradas))
		nowhere(t, o, who)
		for kind, all := range exported(o, "--document", who.cpf) {
			if list, ok := all.([]any); ok && kind != "titular" && len(list) > 0 {
				t.Errorf("%s: %d are there still", kind, len(list))
			}
		}
		expect(t, "one receipt", len(intaketest.Read[[]any](o, "subject", "erasures", "--org", o.ID)), 1)
		if out := o.Command("doctor", "--deep"); strings.Contains(out, "BROKEN") {
			t.Error(out)
		}
		isBlocked(t, p, who, key.Key)
		o.Command("subject", "unblock", "--org", o.ID, "--document", who.cpf)
		expect(t, "unblocked", p.Lookups.CPF(key.Key, who.cpf).String(), "200")
	})
}

// isBlocked: at every door, free, and without a line in the statement.
func isBlocked(t *testing.T, p intaketest.Product, who titular, key string) {
	t.Helper()
	const want = "403 titular_bloqueado"
	s, calls, lines := p.Lookups, p.Bureau.Calls(), len(p.Lookups.Statement(key).Consultas)
	expect(t, "dedicated", s.CPF(key, who.cpf).String(), want)
	expect(t, "fresh", s.Get("/api/v1/cpf/"+who.cpf+"?atualizar=true", key).String(), want)
	expect(t, "history only", s.Get("/api/v1/cpf/"+who.cpf+"?somenteHistorico=true", key).String(), want)
	expect(t, "generic", s.Post(key, `{"produto":"renda_presumida","documento":"`+who.cpf+`"}`).String(), want)
	later, err := s.Do(t.Context(), "GET", "/api/v1/cpf/"+who.cpf, key, map[string]string{"Prefer": "respond-async"}, "")
	expect(t, "later", fmt.Sprint(later, err), want+" <nil>")
	b := s.BatchOf(s.Quote(key, `{"produto":"cpf","documentos":["`+who.cpf+`"],"confirmar":true,"teto":1}`))
	s.AwaitBatch(key, b.ID, "it is done", func(b lookuptest.Batch) bool { return b.Situacao == "concluido" })
	item := s.BatchResults(key, b.ID)[0]
	expect(t, "in a batch", []any{item.Situacao, item.Code, item.Valor.String()}, []any{"falhou", "titular_bloqueado", "0"})
	s.Command("batch", "results", b.ID)
	expect(t, "calls", p.Bureau.Calls(), calls)
	expect(t, "lines", len(s.Statement(key).Consultas), lines)
}

func exported(o *intaketest.Org, who ...string) map[string]any {
	return intaketest.Read[map[string]any](o, append([]string{"subject", "export", "--org", o.ID}, who...)...)
}

// nowhere searches for identifying texts in the files of the database, or a dump of it, in the log, and in the output
// of commands.
func nowhere(t *testing.T, o *intaketest.Org, who titular) {
	t.Helper()
	places := map[string][]byte{
		"the log": []byte(o.Logs()), "contact list": []byte(o.Command("contact", "list", "--org", o.ID, "--json")),
		"notification list": []byte(o.Command("notification", "list", "--org", o.ID, "--json")),
		"automation runs":   []byte(o.Command("automation", "runs", "--org", o.ID, "--json")),
		"subject erasures":  []byte(o.Command("subject", "erasures", "--org", o.ID, "--json")),
		"what is encrypted": []byte(opened(t, o)),
	}
	url := o.Env()["FICHARIO_DATABASE_URL"]
	if path, sqlite := strings.CutPrefix(url, "sqlite://"); sqlite {
		err := filepath.WalkDir(filepath.Dir(path), func(name string, _ fs.DirEntry, err error) error {
			text, _ := os.ReadFile(name) // a folder has none
			places[filepath.Base(name)] = text
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	} else {
		places["the database"] = postgres.Text(t, url)
	}
	phone := strings.NewReplacer("(", "", ")", "", " ", "", "-", "").Replace(who.phone)
	for place, text := range places {
		for what, value := range map[string]string{
			"document": who.cpf, "masked document": mask(who.cpf), "address": who.email, "phone": phone, "phone as sent": who.phone,
			"name": who.surname,
		} {
			if bytes.Contains(bytes.ToLower(text), []byte(strings.ToLower(value))) {
				t.Errorf("%s has the %s", place, what)
			}
		}
	}
}
