package integration

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

type auditLine struct {
	Numero                  int
	Em                      time.Time
	Quem, Porta, Acao, Hash string
	Objeto, Endereco        *string
	Detalhe                 map[string]string
}

type auditCheck struct {
	OK               bool
	Linhas, Linha    int
	Cabeca, Problema string
	Vista            *bool
}

// TestSlowTheAuditByCommand: actions through every door are listed and verifiable; nothing personal is in plain text;
// an edited line is detected; and the chain continues under another data key.
func TestSlowTheAuditByCommand(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		s := intaketest.StartService(t, env)
		o := s.Org(t)
		o.Member("Ana", "owner")
		hook := o.NewHook("Site", "generic")
		lead := o.Accept(hook, intaketest.Lead("Bia"))
		v := signIn(t, s.URL, o.MemberEmail("Ana"), "uma-senha-longa")
		v.do(t, "GET", "/contatos/"+lead, nil, nil)
		v.do(t, "POST", "/equipe/origens", url.Values{"nome": {"Feira"}}, nil)
		began := time.Now()
		o.Command("contact", "show", lead)

		ana := "Ana " + intaketest.Surname
		lines := intaketest.Read[[]auditLine](o, "audit", "list", "--org", o.ID)
		var got []string
		for _, l := range slices.Backward(lines) {
			got = append(got, intaketest.Line(l.Acao, l.Porta, l.Quem))
		}
		expect(t, "lines", strings.Join(got, "; "), "organizacao.criada comando operador; membro.criado comando operador; "+
			"webhook.criado comando operador; entrada.aceita interface "+ana+"; contato.aberto interface "+ana+"; "+
			"origem.criada interface "+ana+"; contato.aberto comando operador")
		opened := lines[2]
		expect(t, "who opened whose sheet", intaketest.Line(*opened.Objeto == lead, *opened.Endereco, len(opened.Detalhe)),
			"true 127.0.0.1 0")
		since := intaketest.Read[[]auditLine](o, "audit", "list", "--org", o.ID, "--since", began.Format(time.RFC3339Nano))
		expect(t, "since a time", len(since), 1)
		expect(t, "by nobody", len(intaketest.Read[[]auditLine](o, "audit", "list", "--org", o.ID, "--who", "ninguem")), 0)

		check := intaketest.Read[auditCheck](o, "audit", "verify", "--org", o.ID)
		expect(t, "the check", intaketest.Line(check.OK, check.Linhas, check.Cabeca), intaketest.Line(true, 7, lines[0].Hash))
		seen := intaketest.Read[auditCheck](o, "audit", "verify", "--org", o.ID, "--head", lines[4].Hash)
		expect(t, "a head of before", intaketest.Line(seen.OK, *seen.Vista), "true true")
		unknown := testkit.RunErr(t, env, "audit", "verify", "--org", o.ID, "--json", "--head", strings.Repeat("1", 64))
		expect(t, "a head that never was", testkit.JSON[auditCheck](t, unknown.Stdout).Problema, "cabeca")
		o.Command("doctor", "--deep")

		db := o.Database(t)
		for _, personal := range []string{"Bia", "127.0.0.1", "Feira", o.MemberEmail("Ana")} {
			if n := inTable(t, db, personal); n > 0 {
				t.Errorf("%q is in %d lines in the clear", personal, n)
			}
		}
		_, err := db.ExecContext(t.Context(), "UPDATE audit_lines SET action = 'entrada.aceita' WHERE number = 5")
		if err != nil {
			t.Fatal(err)
		}
		failed := testkit.RunErr(t, env, "audit", "verify", "--org", o.ID, "--json")
		broken := testkit.JSON[auditCheck](t, failed.Stdout)
		expect(t, "a changed line", intaketest.Line(broken.OK, broken.Linha, broken.Problema, failed.Code), "false 5 alterada 1")
	})
}

// inTable counts the lines of the audit with a text in any column.
func inTable(t *testing.T, db *sql.DB, text string) (n int) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM audit_lines")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, _ := rows.Columns()
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fmt.Sprintf("%s", values), text) {
			n++
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSlowTheAuditSurvivesAKill: each change that two instances were making when they were killed is there with its
// line, or neither is.
func TestSlowTheAuditSurvivesAKill(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		s := intaketest.StartService(t, env)
		o := s.Org(t)
		o.Member("Ana", "owner")
		v := signIn(t, s.URL, o.MemberEmail("Ana"), "uma-senha-longa")
		var made atomic.Int64
		var several sync.WaitGroup
		for i := range 6 {
			several.Go(func() {
				for n := 0; ; n++ {
					form := url.Values{"nome": {fmt.Sprint("Origem ", i, " ", n)}}
					req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/equipe/origens",
						strings.NewReader(form.Encode()))
					req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
					answer, err := v.http.Do(req)
					if err != nil {
						return // it was killed
					}
					_ = answer.Body.Close()
					made.Add(1)
				}
			})
		}
		o.Eventually("some were made", func() bool { return made.Load() > 60 })
		s.Kill()
		several.Wait()
		check := intaketest.Read[auditCheck](o, "audit", "verify", "--org", o.ID)
		origins := intaketest.Read[[]map[string]any](o, "origin", "list", "--org", o.ID)
		lines := intaketest.Read[[]auditLine](o, "audit", "list", "--org", o.ID, "--action", "origem.criada")
		expect(t, "the check", check.OK, true)
		expect(t, "lines of what was made", len(lines), len(origins))
		if len(origins) < int(made.Load()) {
			t.Errorf("%d answers, %d origins", made.Load(), len(origins))
		}
	})
}
