package faults

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // looks into PostgreSQL
	_ "modernc.org/sqlite"             // and into SQLite

	"fichario/tests/testkit/lookuptest"
)

// openDatabase opens the database of a running service.
func openDatabase(t *testing.T, env map[string]string) *sql.DB {
	t.Helper()
	driver, at := "pgx", env["FICHARIO_DATABASE_URL"]
	if path, ok := strings.CutPrefix(at, "sqlite://"); ok {
		driver, at = "sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestSlowABatchThatIsKilled has 5 000 items, of which 300 repeat, 200 are invalid and 1 000 are in the history, and a
// ceiling for 2 000. However often its instances are killed, each document is looked up once, and the ceiling holds at
// every instant.
func TestSlowABatchThatIsKilled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		const cents, most = 45, 2000
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			time.Sleep(time.Duration(2+rand.IntN(8)) * time.Millisecond)
			lookuptest.Ordinary(w, r, document)
		})
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 500*time.Millisecond))
		instances := []*lookuptest.Service{s}
		if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") {
			instances = append(instances, s.StartAnother())
		}
		key := s.NewKey(1000000, 1000000, 1000000).Key
		docs := lookuptest.CPFs(500, 4500)
		history := s.BatchOf(s.Quote(key, `{"produto":"cpf","teto":1000,"confirmar":true,"documentos":`+lookuptest.List(docs[:1000])+`}`))
		s.AwaitBatch(key, history.ID, "history is there", func(b lookuptest.Batch) bool { return b.Situacao == "concluido" })

		rows := slices.Clone(docs)
		for i := range 300 {
			rows = append(rows, docs[i*15])
		}
		for i := range 200 {
			rows = append(rows, fmt.Sprint("sem documento ", i))
		}
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		var table strings.Builder
		table.WriteString("cliente;cpf\n")
		for i, row := range rows {
			fmt.Fprintf(&table, "c%d;%s\n", i, row)
		}
		quote := s.BatchOf(s.SendTable(key, "produto=cpf&teto=900", "text/csv", table.String()))
		expect(t, "the quote", []any{quote.Itens.Total, quote.Itens.Validos, quote.Itens.Repetidos, quote.Itens.Invalidos,
			quote.DoHistorico, quote.AConsultar, quote.CustoMaximo.String()}, []any{5000, 4500, 300, 200, 1000, 3500, "1575"})
		before := bureau.Calls()
		watched, stop := watchSpending(t, openDatabase(t, env), quote.ID), make(chan struct{})
		highest := watched(stop)
		s.Move(key, quote.ID, "confirmar", "")

		kills := make([]int, 5)
		for i := range kills {
			kills[i] = before + 50 + rand.IntN(most-100)
		}
		slices.Sort(kills)
		for _, at := range kills {
			lookuptest.Eventually(t, "the next kill", func() bool { return bureau.Calls() >= at })
			victim := instances[rand.IntN(len(instances))]
			victim.Kill()
			victim.Restart()
		}
		end := s.AwaitBatch(key, quote.ID, "the ceiling is reached, and nothing is in flight", func(b lookuptest.Batch) bool {
			return b.Situacao == "pausado" && b.Progresso.Cobrados == most
		})
		close(stop)
		if got := <-highest; got != most*cents*100 {
			t.Errorf("at most %d ten-thousandths were spent, not %d", got, most*cents*100)
		}
		expect(t, "the reason", end.Motivo, "teto")
		expect(t, "spent", end.Progresso.Gasto.String(), "900")
		checkOutcomes(t, s, key, quote.ID, rows, bureau, docs[:1000], len(kills)*8)
		if out := s.Command("doctor"); strings.Contains(out, "BROKEN") {
			t.Error(out)
		}
	})
}

// checkOutcomes checks the results of a batch against what was sent, and against the bureau's ledger.
func checkOutcomes(
	t *testing.T, s *lookuptest.Service, key, id string, rows []string, bureau *lookuptest.Bureau, history []string,
	inDoubt int,
) {
	t.Helper()
	results := s.BatchResults(key, id)
	expect(t, "results", len(results), len(rows))
	ledger, charged, unseen := bureau.Ledger(), map[string]bool{}, 0
	for i, r := range results {
		if r.Documento != rows[i] || r.Linha != i+2 {
			t.Fatalf("row %d is line %d, and of another document", i, r.Linha)
		}
		if r.Valor.String() != "0" {
			charged[r.Documento] = true
			if ledger[r.Documento] == 0 {
				unseen++ // killed between the charge and the call: doubtful calls are charged
			}
		}
	}
	for _, d := range history {
		charged[d] = true
	}
	for d, n := range ledger {
		if n != 1 || !charged[d] {
			t.Errorf("the bureau was asked %d times about a document, charged: %t", n, charged[d])
		}
	}
	if unseen > inDoubt {
		t.Errorf("%d charges without a call", unseen)
	}
	a, err := s.Do(t.Context(), "GET", "/api/v1/lotes/"+id+"/resultados", key, map[string]string{"Accept": "text/csv"}, "")
	if err != nil {
		t.Fatal(err)
	}
	file, err := csv.NewReader(strings.NewReader(string(a.Body))).ReadAll()
	if err != nil || len(file) != len(rows)+1 || file[len(rows)][0] != fmt.Sprintf("c%d", len(rows)-1) {
		t.Errorf("the file has %d rows, %v", len(file), err)
	}
	t.Logf("%d calls, %d charged in doubt without a call", bureau.Calls(), unseen)
}

// watchSpending polls what a batch has reserved and spent, in its account and in its entries, and returns the highest
// amount when it is stopped.
func watchSpending(t *testing.T, db *sql.DB, id string) func(stop <-chan struct{}) <-chan int64 {
	t.Helper()
	return func(stop <-chan struct{}) <-chan int64 {
		highest := make(chan int64, 1)
		go func() {
			most := int64(0)
			for {
				for _, sum := range []string{
					"SELECT COALESCE(SUM(amount), 0) FROM lookups WHERE CAST(batch_id AS text) = '" + id + "'",
					"SELECT COALESCE(SUM(amount), 0) FROM key_usage WHERE CAST(key_id AS text) = '" + id + "'",
				} {
					var now int64
					if err := db.QueryRowContext(t.Context(), sum).Scan(&now); err == nil {
						most = max(most, now)
					}
				}
				select {
				case <-stop:
					highest <- most
					return
				case <-time.After(5 * time.Millisecond):
				}
			}
		}()
		return highest
	}
}
