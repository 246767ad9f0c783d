// Command pocketbase is a second baseline of the benchmark: PocketBase reading a record by an indexed field, and
// creating one, through its own API. It is a separate module, so that the program's does not depend on it.
//
// Its own durability differs: SQLite with WAL and synchronous NORMAL, so a power failure may lose a created record, unlike
// in the program. It may be started with the program's, FULL.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

// main takes a directory for its files, the number of answers, the text of each, and how SQLite is to synchronise.
func main() {
	rows, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = serve(os.Args[1], rows, os.Args[3], os.Args[4])
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serve fills a database in dir with answers of the given text, and serves it.
func serve(dir string, rows int, text, synchronous string) error {
	app := pocketbase.NewWithConfig(pocketbase.Config{
		DefaultDataDir: dir, HideStartBanner: true,
		DBConnect: func(path string) (*dbx.DB, error) { // core.DefaultDBConnect, but for synchronous
			return dbx.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"+
				"&_pragma=journal_size_limit(200000000)&_pragma=synchronous("+synchronous+")&_pragma=foreign_keys(ON)"+
				"&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)")
		},
	})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := fill(app, rows, text); err != nil {
		return err
	}
	router, err := apis.NewRouter(app)
	if err != nil {
		return err
	}
	event := &core.ServeEvent{App: app, Router: router}
	var handler http.Handler
	if err := app.OnServe().Trigger(event, func(e *core.ServeEvent) error {
		handler, err = e.Router.BuildMux()
		return err
	}); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "{\"msg\":\"listening\",\"addr\":%q}\n", listener.Addr())
	return http.Serve(listener, handler)
}

func fill(app core.App, rows int, text string) error {
	answers := core.NewBaseCollection("answers")
	answers.ListRule, answers.ViewRule = types.Pointer(""), types.Pointer("")
	answers.Fields.Add(&core.TextField{Name: "documento"}, &core.TextField{Name: "answer", Max: 100_000})
	answers.AddIndex("answers_documento", true, "documento", "")
	leads := core.NewBaseCollection("leads")
	leads.CreateRule = types.Pointer("")
	for _, name := range []string{"nome", "email", "telefone", "empresa", "valor", "mensagem", "origem", "utm_campaign"} {
		leads.Fields.Add(&core.TextField{Name: name})
	}
	for _, c := range []*core.Collection{answers, leads} {
		if err := app.Save(c); err != nil {
			return err
		}
	}
	return app.RunInTransaction(func(tx core.App) error {
		for i := range rows {
			r := core.NewRecord(answers)
			// PocketBase's ids have fifteen letters and digits; the benchmark requests records by id.
			r.Id = fmt.Sprintf("r%014d", i)
			r.Set("documento", fmt.Sprintf("%011d", i))
			r.Set("answer", text)
			if err := tx.SaveNoValidate(r); err != nil {
				return err
			}
		}
		return nil
	})
}
