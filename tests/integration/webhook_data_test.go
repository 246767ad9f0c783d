package integration

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// TestSlowWebhookDataKeyRotation: data written under one data key is readable, and posts are recognised, under the next
// one.
func TestSlowWebhookDataKeyRotation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		key := func(b byte) string { return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(b), 32))) }
		start := func(keys string) *intaketest.Service {
			rotated := maps.Clone(env)
			rotated["FICHARIO_DATA_KEY"] = keys
			return intaketest.StartService(t, rotated)
		}
		// A database that has seen no key.
		if env["FICHARIO_DATA_KEY"] != "" {
			env = testkit.OnPostgreSQL(postgres.New(t, nil))
		} else {
			env = testkit.EmptySQLite(t)
		}
		before := start(key('a'))
		o := before.Org(t)
		const secret = "um-segredo-7731"
		h, signed := o.NewHook("Rotação", "formservice"), o.NewHook("Rotação assinada", "generic", "--signature", "hmac",
			"--secret", secret)
		o.Automate("Nota", "add_note", "--text", "depois da rotação")
		tally := func(i int, email string) string {
			return fmt.Sprintf(`{"eventType":"FORM_RESPONSE","data":{"submissionId":"s%d","fields":[{"key":"a","label":"E-mail","type":"INPUT_EMAIL","value":%q}]}}`, i, email)
		}
		keyed := func(i int) request {
			return request{
				Path:   h.Path,
				Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": fmt.Sprint("chave ", i)},
				Body:   intaketest.Lead(fmt.Sprint("chave ", i)),
			}
		}
		const posts = 6
		var byID, byKey [posts]string
		for i := range posts {
			byID[i] = o.Accept(h, tally(i, intaketest.Email(fmt.Sprint("id ", i))))
			byKey[i] = o.Do(keyed(i)).LeadID()
		}
		o.Settled(2 * posts)
		before.Stop()

		o = o.At(start(key('b') + "," + key('a')))
		for round := range 3 {
			for i := range posts {
				expect(t, fmt.Sprint("retry by an id, round ", round), o.Accept(h, tally(i, intaketest.Email("outro"))), byID[i])
				expect(t, fmt.Sprint("retry by a key, round ", round), o.Do(keyed(i)).LeadID(), byKey[i])
				// Recognised, so its missing e-mail no longer matters.
				expect(t, fmt.Sprint("retry without an e-mail, round ", round), o.Accept(h, tally(i, "sem arroba")), byID[i])
			}
		}
		other := keyed(0)
		other.Body = intaketest.Lead("outra")
		expect(t, "the key with another body", o.Do(other).String(), "422 chave_reutilizada")
		expect(t, "contacts", len(o.Contacts()), 2*posts)
		expect(t, "received", o.Show(h).Received, 2*posts)
		body := intaketest.Lead("assinada")
		a := o.Do(request{
			Path:   signed.Path,
			Header: map[string]string{"Content-Type": "application/json", "X-Signature": hexMAC(secret, body)}, Body: body,
		})
		expect(t, "the secret is read", a.String(), "200")
		expect(t, "deliveries are read", len(o.Deliveries(h)), 2*posts+3*3*posts+1)
		o.Settled(2*posts + 1)
		notes := func() {
			for _, c := range o.Contacts() {
				expect(t, "the note", strings.Count(c.Nota, "depois da rotação"), 1)
			}
		}
		notes()

		// Dropped too early, the old key is reported at start-up; after rekey it is not needed.
		alone := maps.Clone(env)
		alone["FICHARIO_DATA_KEY"] = key('b')
		if said := testkit.RunErr(t, alone, "doctor").Stderr; !strings.Contains(said, "fichario rekey") {
			t.Errorf("the old key left out: %s", said)
		}
		o.Command("rekey")
		o.Stop()
		o = o.At(start(key('b')))
		notes()
		body = intaketest.Lead("assinada depois")
		a = o.Do(request{
			Path:   signed.Path,
			Header: map[string]string{"Content-Type": "application/json", "X-Signature": hexMAC(secret, body)}, Body: body,
		})
		expect(t, "the secret is read with the new key alone", a.String(), "200")
		expect(t, "deliveries are read with the new key alone", len(o.Deliveries(h)), 2*posts+3*3*posts+1)
		o.Settled(2*posts + 2)
		notes()
	})
}

// TestSlowTheDataKeyChangesUnderTwoInstances: in the order of docs/operations.md, one instance at a time, each finds
// what the other wrote: nothing is charged or made twice.
func TestSlowTheDataKeyChangesUnderTwoInstances(t *testing.T) {
	t.Parallel()
	const old, fresh = "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=", "YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI="
	env := testkit.OnPostgreSQL(postgres.New(t, nil))
	env["FICHARIO_DATA_KEY"] = old
	p := intaketest.StartProduct(t, env)
	key, hook := p.Lookups.NewKey(600, 100, 100), p.Leads.NewHook("Site", "generic")
	documents := lookuptest.CPFs(21, 3)
	steps := [][2]string{ // the keys of one instance, and of the other
		{old, old + "," + fresh}, {old + "," + fresh, old + "," + fresh}, {old + "," + fresh, fresh + "," + old},
	}
	for i, step := range steps {
		var both [2]*testkit.Program
		for n, keys := range step {
			with := p.Lookups.Env()
			with["FICHARIO_DATA_KEY"] = keys
			both[n] = testkit.StartProgram(t, testkit.Options{Env: with})
		}
		for n, at := range [][2]*testkit.Program{{both[0], both[1]}, {both[1], both[0]}} {
			contacts := [2]string{}
			for k, instance := range at {
				answer := p.Lookups.At(instance.Addr).CPF(key.Key, documents[i])
				expect(t, "from history", strings.Contains(string(answer.Body), `"cache":true`), n+k > 0)
				there := *p.Leads.Service
				there.Program = instance
				contacts[k] = p.Leads.At(&there).Do(request{
					Path:   hook.Path,
					Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": fmt.Sprint(i, n)},
					Body:   intaketest.Lead("Ana"),
				}).LeadID()
			}
			expect(t, "the contact of the other instance", contacts[1], contacts[0])
		}
		for _, instance := range both {
			instance.Stop()
		}
	}
	expect(t, "calls", p.Bureau.Calls(), len(steps))
}

// TestSlowWebhookOldDatabase: a database from before the webhook has organisations without a funnel, and the migration
// gives them one.
func TestSlowWebhookOldDatabase(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		driver, folder := "sqlite", "sqlite"
		if env["FICHARIO_DATA_KEY"] != "" {
			driver, folder = "pgx", "postgres"
			env = testkit.OnPostgreSQL(postgres.New(t, nil))
		} else {
			env = testkit.EmptySQLite(t)
		}
		env["FICHARIO_DATA_KEY"] = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
		db, err := sql.Open(driver, strings.TrimPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://"))
		if err != nil {
			t.Fatal(err)
		}
		schema, err := os.ReadFile("../../adapters/gormstore/migrations/" + folder + "/00001_lookups.sql")
		if err != nil {
			t.Fatal(err)
		}
		up, _, _ := strings.Cut(string(schema), "-- +goose Down")
		ids := []string{"01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"}
		for _, statement := range []string{
			up,
			// goose's own table, as after the first migration.
			"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY " + map[string]string{"sqlite": "AUTOINCREMENT",
				"postgres": "GENERATED BY DEFAULT AS IDENTITY"}[folder] +
				", version_id BIGINT NOT NULL, is_applied BOOLEAN NOT NULL, tstamp TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)",
			"INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, true), (1, true)",
			"INSERT INTO organisations (id, name, created_at) VALUES ('" + ids[0] + "', 'Antiga', '2026-01-02 03:04:05'), ('" +
				ids[1] + "', 'Outra', '2026-01-02 03:04:05')",
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s := intaketest.StartService(t, env)
		for _, id := range append(ids, s.Org(t).ID) {
			o := s.Org(t)
			o.ID = id
			h := o.NewHook("Novidade", "generic")
			o.Automate("Mover", "move_stage", "--stage", "Proposta", "--min-value", "1")
			c := o.Contact(o.Accept(h, intaketest.Lead("primeira")))
			expect(t, "where it enters", line(c.Funil, c.Etapa), "Vendas Novo")
			moved := o.Accept(h, `{"email":"`+intaketest.Email("movida")+`","valor":10}`)
			o.Settled(1)
			expect(t, "where it was moved", o.Contact(moved).Etapa, "Proposta")
		}
	})
}
