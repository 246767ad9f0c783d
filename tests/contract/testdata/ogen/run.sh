#!/bin/sh
# Makes a client with ogen of the contract in FICHARIO_CONTRACT and runs the program here with it. From the project's root.
set -eu
here=tests/contract/testdata/ogen
go tool -modfile=.ci/ogen.mod ogen --loglevel error --config $here/ogen.yaml --target $here/api --package api --clean \
	"$FICHARIO_CONTRACT"
go run -modfile=.ci/ogen.mod ./$here
