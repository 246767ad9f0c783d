// Command witness runs a client program against a service of its own, see contracttest.RunClient:
//
//	FICHARIO=bin/fichario witness node client.js
package main

import (
	"fmt"
	"os"

	"fichario/tests/testkit/contracttest"
)

func main() {
	if err := contracttest.RunClient(os.Getenv("FICHARIO"), os.Args[1:]...); err != nil {
		fmt.Fprintln(os.Stderr, "witness:", err)
		os.Exit(1)
	}
}
