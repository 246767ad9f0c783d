# All recurring tasks of this project. `make` alone lists them.

GO ?= go
CHANGES = $(GO) -C .ci/changes
SINCE_RELEASE = ../../openapi/released.yaml ../../openapi/openapi.yaml
LINT = $(GO) tool -modfile=.ci/golangci-lint.mod golangci-lint
# The tests' program is compiled with the same flags as the tests, so that nothing is compiled twice; contract,
# containers and release exercise the shipped one.
PGTEST = FICHARIO_TEST_BINARY=$(CURDIR)/bin/tested bin/pgtest

# Three packages at a time: most of them use the same PostgreSQL, some start programs of their own, and some mostly wait.
# The slowest start first, and with them what mostly waits: at the end it would wait alone. The profile in cmd/fichario is
# for the program alone: with it, each package would be compiled once more. The limit of go test is only for what hangs
# beyond every wait of the tests. Compilers and linkers collect their memory seldom, which takes a seventh of what they
# cost; the tests' programs collect as they do in production.
GOTEST = env GOGC=400 $(GO) test -exec 'env -u GOGC' -json -count=1 -p 3 -pgo=off -vet=off -ldflags=-s -parallel {abreast} -timeout 5h
LONGEST = ./tests/integration ./app ./tests/world ./adapters/gormstore ./tests/browser ./tests/faults ./adapters/web

# Tests that take long, break things or need a browser have a name that begins so; `make test` leaves them to
# `make test-slow`, and says how many.
SLOW = ^TestSlow
SLOW_TESTS = $(shell grep -roE --include='*_test.go' '^func TestSlow[A-Za-z0-9]+' adapters app cmd docs domain tests | tr -d ' ')
SLOW_PACKAGES = ./tests/browser ./tests/faults $(addprefix ./,$(sort $(dir $(SLOW_TESTS))))

.DEFAULT_GOAL := help
.PHONY: help run test test-slow test-postgres world planted containers test-race soak fuzz release generate contract changes lint build bench profile bench-growth \
	bin/tested bin/pgtest bin/witness

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## start the program with demonstration data, on SQLite
	@echo "Compiling the program; the first time takes a minute, and several on a slow machine. Then it makes the"
	@echo "demonstration data, serves them at http://127.0.0.1:8080/ and prints commands to paste."
	@$(MAKE) --no-print-directory bin/tested
	@echo "Compiled; starting."
	@bin/tested serve --demo

test: bin/tested bin/pgtest ## run the tests, on SQLite and on a real PostgreSQL that it finds, starts or installs (four to five minutes)
	@echo "$(words $(SLOW_TESTS)) tests take long, break things or need a browser: make test-slow runs them"
	@rm -rf bin/statuses && mkdir -p bin/statuses
	$(SEEN) $(PGTEST) -- $(GOTEST) -skip '$(SLOW)' $(LONGEST) ./...

# Make test, and make test-slow after it, note the statuses of the contract that they see; the latter fails for those that
# neither saw.
SEEN = FICHARIO_TEST_STATUSES=$(CURDIR)/bin/statuses

# Fewer packages side by side than in make test, because these put whole programs under load. The end-to-end tests run
# again on two instances behind HAProxy, one of them behind PgBouncer.
test-slow: bin/tested bin/pgtest ## run the tests that take long, break things or need a browser (about twenty minutes)
	$(if $(wildcard bin/statuses),$(SEEN)) $(PGTEST) $(if $(wildcard bin/statuses),-every-status) -slow $(ALLOWED) -- sh -c "$(GOTEST) -p 2 -run '$(SLOW)' $(SLOW_PACKAGES) || bad=1; \
		FICHARIO_TEST_POOLED=1 $(GOTEST) -skip '$(SLOW)' ./tests/integration || bad=1; exit \$${bad:-0}"

# Other PostgreSQLs than the machine's; PACKAGES limits what is tested.
VERSIONS ?= 16,17,18
PACKAGES ?= ./adapters/gormstore/... ./tests/integration
test-postgres: bin/tested bin/pgtest ## run the store's tests and the end-to-end tests on PostgreSQL VERSIONS=16,17,18 (needs npm)
	.ci/postgres '$(VERSIONS)' env -u FICHARIO_TEST_DATABASE_URL $(PGTEST) -- $(GOTEST) -skip '$(SLOW)' $(PACKAGES)

# The only test that may be skipped, because it needs a container engine and takes minutes.
ALLOWED = -allow-skip '^fichario/tests/containers\.TestSlowContainers: '

containers: ## build the image, run the compose file, take it down and up again (needs Docker)
	FICHARIO_TEST_CONTAINERS=1 $(GO) test -count=1 -v -timeout 30m ./tests/containers

test-race: bin/tested bin/pgtest ## run every test with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(PGTEST) -every-status -slow $(ALLOWED) -- $(GOTEST) -race ./tests/browser $(LONGEST) ./...

SOAK ?= 30m
soak: build ## kill the program at random under load for SOAK, such as 30m, and count the losses; then look for drift
	FICHARIO_TEST_BINARY=$(CURDIR)/bin/fichario SOAK=$(SOAK) $(GO) test -count=1 -v -timeout 0 -run '^TestSlowSoak$$' ./tests/faults
	FICHARIO_TEST_BINARY=$(CURDIR)/bin/fichario DRIFT=$(SOAK) $(GO) test -count=1 -v -timeout 0 -run '^TestSlowDrift$$' ./tests/faults

WORLDS ?= 10m
WORLD = WORLDS=$(WORLDS) $(GO) test -count=1 -v -pgo=off -vet=off -timeout 0 -run '^TestWorld$$' ./tests/world
world: ## search the orders of steps of worlds from new seeds for WORLDS, such as 10m, on both databases at once
	$(WORLD) -database sqlite & $(WORLD) -database postgres; code=$$?; wait $$! && exit $$code

planted: ## plant each bug of tests/world/planted in a copy, and search for it for WORLDS (hours)
	WORLDS=$(WORLDS) WORLD_PLANTED=planted $(GO) test -count=1 -v -pgo=off -vet=off -timeout 0 -run '^TestSlowPlanted$$' ./tests/world

generate: ## regenerate the generated code
	$(GO) generate ./...

contract: export FICHARIO = $(CURDIR)/bin/fichario
contract: export WITNESS = $(CURDIR)/bin/witness
contract: build bin/witness ## lint the contract, and check generated clients against it (needs Node.js)
	cd tests/contract/testdata/node && npm ci --ignore-scripts --no-audit --no-fund && \
		REDOCLY_TELEMETRY=off npm run --silent check
	$(WITNESS) sh tests/contract/testdata/ogen/run.sh
	$(CHANGES) test ./...
	$(CHANGES) run . -breaking $(SINCE_RELEASE)

changes: ## list changes of the contract since the last release, as Markdown
	@$(CHANGES) run . $(SINCE_RELEASE)

lint: ## check formatting, style and import rules
	GOFLAGS=-pgo=off $(LINT) run

build: ## build the program, static and stripped, as bin/fichario
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o bin/fichario ./cmd/fichario

release: ## build the commit for every platform, twice, with SBOM and checksums, in dist/
	.ci/release

bench: build ## measure the program under load, beside a baseline (about a quarter of an hour)
	$(GO) run ./tests/load

profile: build ## measure, and write the profile for compiling the program (about a quarter of an hour)
	mkdir -p bin/profiles
	$(GO) run ./tests/load -profiles bin/profiles
	$(GO) tool pprof -proto bin/profiles/*.pprof >bin/profiles/default.pgo
	mv bin/profiles/default.pgo cmd/fichario/default.pgo

FUZZTIME ?= 1m
fuzz: ## run every fuzz target for FUZZTIME (a minute) each, and count executions
	FUZZTIME=$(FUZZTIME) .ci/fuzz

GROWTH ?= 10000,1000000
bench-growth: build ## measure every page at GROWTH numbers of lookups, such as 10000,1000000,10000000 (a quarter of an hour for a million)
	$(GO) run ./tests/load -growth $(GROWTH)

# Always run: go build knows best whether anything must be rebuilt.
bin/tested:
	@$(GO) build -pgo=off -ldflags=-s -o $@ ./cmd/fichario

bin/pgtest bin/witness:
	@$(GO) build -o $@ ./tests/testkit/cmd/$(@F)
