package integration

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"fichario/tests/testkit/intaketest"
)

// opened is everything in a database that is encrypted, decrypted with its data key: erased data must be there in
// neither form.
func opened(t *testing.T, o *intaketest.Org) string {
	t.Helper()
	env := o.Env()
	at, driver, text := env["FICHARIO_DATABASE_URL"], "pgx", env["FICHARIO_DATA_KEY"]
	columns := `SELECT c.table_name, c.column_name FROM information_schema.columns c
		JOIN information_schema.columns i
			ON i.table_name = c.table_name AND i.column_name = 'id' AND i.table_schema = 'public'
		JOIN pg_class t ON t.relname = c.table_name AND NOT t.relispartition
		WHERE c.table_schema = 'public' AND c.data_type = 'bytea'`
	if path, sqlite := strings.CutPrefix(at, "sqlite://"); sqlite {
		file, err := os.ReadFile(path + ".key")
		if err != nil {
			t.Fatal(err)
		}
		at, driver, text = "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)", "sqlite", string(file)
		columns = `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c, pragma_table_info(m.name) i
			WHERE m.type = 'table' AND lower(c.type) = 'blob' AND i.name = 'id' AND i.type <> 'INTEGER'
			AND m.name NOT LIKE 'contact_trigrams%'`
	}
	master, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	derived, err := hkdf.Key(sha256.New, master, nil, "fichario data key v1", 68)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := aes.NewCipher(derived[:32])
	aead, _ := cipher.NewGCM(block)
	db, err := sql.Open(driver, at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var all strings.Builder
	n := 0
	for _, column := range query(t, db, columns) {
		table, name := column[0], column[1]
		if table == "data_keys" { // the proofs of the data keys
			continue
		}
		find := fmt.Sprintf("SELECT CAST(id AS text), %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL", name, table)
		for _, row := range query(t, db, find) {
			sealed, place := []byte(row[1]), table+"|"+name+"|"+row[0]
			if len(sealed) < 17 || [4]byte(sealed[1:5]) != [4]byte(derived[64:]) {
				continue
			}
			if sealed[0] == 2 {
				place += "|packed"
			}
			plain, err := aead.Open(nil, sealed[5:17], sealed[17:], []byte(place))
			if err == nil && sealed[0] == 2 {
				plain, err = s2.Decode(nil, plain)
			}
			if err != nil {
				t.Errorf("%s cannot be opened: %v", place, err)
			}
			n++
			all.WriteString(place + " " + string(plain) + "\n")
		}
	}
	if n < 10 {
		t.Errorf("only %d sealed values were found", n)
	}
	return all.String()
}

// query returns the rows of a statement, as texts.
func query(t *testing.T, db *sql.DB, statement string) (all [][2]string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row [2]sql.RawBytes
		if err := rows.Scan(&row[0], &row[1]); err != nil {
			t.Fatal(err)
		}
		all = append(all, [2]string{string(row[0]), string(row[1])})
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
