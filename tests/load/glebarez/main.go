// Command glebarez is a third baseline of the benchmark: one indexed SELECT through the SQLite driver that the program
// used before, glebarez/go-sqlite, which prepares a statement again at each execution. It is a separate module, because
// two drivers cannot both be registered as "sqlite" in one program.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"

	_ "github.com/glebarez/go-sqlite"
	"github.com/labstack/echo/v5"
)

// main takes the path of the database that the benchmark has filled.
func main() {
	if err := serve(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func serve(path string) error {
	db, err := sql.Open("sqlite",
		"file:"+path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	find, err := db.Prepare("SELECT answer FROM plain WHERE documento = ?")
	if err != nil {
		return err
	}
	e := echo.New()
	e.GET("/select/:documento", func(c *echo.Context) error {
		var answer []byte
		if err := find.QueryRowContext(c.Request().Context(), c.Param("documento")).Scan(&answer); err != nil {
			return err
		}
		c.Response().Header().Set("Content-Length", strconv.Itoa(len(answer)))
		return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, answer)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "{\"msg\":\"listening\",\"addr\":%q}\n", listener.Addr())
	return http.Serve(listener, e)
}
