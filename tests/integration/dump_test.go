package integration

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestADumpTellsNothing reads the whole database, like somebody who has it but not the data key: no key, token or
// session in it opens anything, and none of a hundred thousand known CPFs, some of which were looked up, is found as
// text or by a hash.
func TestADumpTellsNothing(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		p := intaketest.StartProduct(t, env)
		key, hook := p.Lookups.NewKey(60, 100, 100), p.Leads.NewHook("Site", "generic")
		p.Leads.Accept(hook, intaketest.Lead("Ana"))
		known, org := lookuptest.CPFs(9, 100_000), p.Lookups.Org
		for _, cpf := range []string{known[0], known[50_000]} {
			expect(t, "answer", p.Lookups.CPF(key.Key, cpf).String(), "200")
		}
		db := p.Leads.Database(t)
		dump := bytes.ToLower([]byte(strings.Join(rowsOf(t, db, env), "\n")))
		stored := sha256.Sum256([]byte(key.Key))
		for what, text := range map[string]string{"organisation": "agência de teste", "hash": hex.EncodeToString(stored[:])} {
			if !bytes.Contains(dump, []byte(text)) {
				t.Fatalf("the dump has not even the %s", what)
			}
		}
		for what, secret := range map[string]string{"a key": key.Key, "a token": hook.Token} {
			for _, form := range []string{secret, hex.EncodeToString([]byte(secret))} {
				if bytes.Contains(dump, bytes.ToLower([]byte(form))) {
					t.Errorf("the dump holds %s", what)
				}
			}
		}
		// A hash of a document would be in the dump, whose pieces of sixteen hexadecimal digits are all collected here.
		pieces := map[string]bool{}
		for i := 0; i+16 <= len(dump); i++ {
			pieces[string(dump[i:i+16])] = true
		}
		for _, cpf := range known {
			masked := cpf[:3] + "." + cpf[3:6] + "." + cpf[6:9] + "-" + cpf[9:]
			for _, text := range []string{
				cpf, masked, "cpf|" + cpf, "cpf:" + cpf,
				// The texts of the keyed hashes: without the keys their plain hashes must not occur.
				org + "|cpf|cpf|" + cpf, "contact|" + org + "|cpf|" + cpf, org + "|cpf|" + cpf,
			} {
				sum := sha256.Sum256([]byte(text))
				if pieces[hex.EncodeToString(sum[:8])] {
					t.Fatal("a CPF is found by who knows it")
				}
			}
		}
		for _, cpf := range []string{known[0], known[50_000]} {
			if bytes.Contains(dump, []byte(cpf)) {
				t.Error("the dump holds a CPF that was looked up")
			}
		}
	})
}

// rowsOf returns all rows of all tables as text.
func rowsOf(t *testing.T, db *sql.DB, env map[string]string) (all []string) {
	t.Helper()
	tables := `SELECT table_name, '' FROM information_schema.tables WHERE table_schema = 'public'`
	row := `SELECT CAST(t AS text), '' FROM "%s" t`
	if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "sqlite:") {
		tables = `SELECT m.name, group_concat('CASE typeof("' || c.name || '") WHEN ''blob'' THEN hex("' || c.name ||
			'") ELSE coalesce("' || c.name || '", '''') END', ' || ''|'' || ')
			FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name`
		row = ""
	}
	for _, table := range query(t, db, tables) {
		read := fmt.Sprintf(row, table[0])
		if row == "" {
			read = fmt.Sprintf(`SELECT %s, '' FROM "%s"`, table[1], table[0])
		}
		for _, line := range query(t, db, read) {
			all = append(all, table[0]+": "+line[0])
		}
	}
	return all
}
