# Everything that developers and CI run. `make` alone lists the targets.

GO        ?= go
FUZZTIME  ?= 5s
SEEDS     ?= 2000
PARALLEL  ?= 1
BENCHTIME ?= 1s
TESTTIME  ?= 10m
CATALOG   ?= 1.5.0

# Linters and formatters live in a module of their own, so that users of the
# library never download them. `go tool` builds them once and caches them.
TOOL := $(GO) tool -modfile=tools/go.mod

.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build the command into bin/
	$(GO) build -trimpath -o bin/ ./cmd/...

demo: ## Run a whole session offline and print its answer
	$(GO) run ./cmd/ai-agent demo

test: ## Vet and run all tests, with the race detector where a C compiler is found
	$(GO) vet ./...
	@race=-race; cc=$$($(GO) env CC); \
	if [ "$$($(GO) env CGO_ENABLED)" != 1 ] || ! command -v "$${cc%% *}" >/dev/null 2>&1; then \
		race=; echo "make test: no C compiler, which the race detector needs: testing without -race" >&2; \
	fi; \
	set -x; $(GO) test $$race -shuffle=on -timeout $(TESTTIME) ./...

lint: ## Run golangci-lint with the rules of .golangci.yaml
	$(TOOL) golangci-lint run ./...

fmt: ## Format all Go files with gofumpt
	$(TOOL) gofumpt -w .

clauses: ## Show which tests prove which clause of the contract, and check the citations
	$(GO) run ./contract/clauses -check

tidy-check: ## Fail when a go.mod or go.sum is not tidy
	$(GO) mod tidy -diff
	cd tools && $(GO) mod tidy -diff

bench: ## Run all benchmarks, BENCHTIME each
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

fuzz: ## Run every fuzz target that there is, FUZZTIME each
	@grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort | \
	while IFS=: read -r file _ func; do \
		(set -x; $(GO) test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) "$${file%/*}") </dev/null || exit 1; \
	done

sim: ## Simulate SEEDS whole sessions with adversarial models, tools, clocks and crashes
	$(GO) test -count=1 -timeout 20m -run TestSeeds ./sim -v -seeds $(SEEDS)

crash: ## Kill real processes at every durable write of a set of sessions, and let others take over
	$(GO) test -count=1 -timeout 20m -run Killed ./sim/crash -every 1

interop: ## Hold the adapters against somebody else's server, which is fetched with npm
	@node=$$(interop/install) && set -x && $(GO) test -count=1 -timeout 5m ./interop -node "$$node"

live: ## Ask real services, those whose keys are in the environment; says which it skipped
	$(GO) test -count=1 -timeout 20m -v -run '^TestLive$$' ./interop -live

gates: ## Hold what is measured to its limits, and look at more points: the race detector, which slows both, is left out
	$(GO) test -count=1 -timeout $(TESTTIME) ./bench ./llm/anthropic ./llm/google ./llm/ollama ./llm/openai ./store/sqlite

mutants: ## Plant faults one by one and see that some test notices each, PARALLEL at a time
	$(GO) run ./sim/mutants -parallel $(PARALLEL)

catalog: ## Write the catalogue of models anew, from version CATALOG of its source
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	npm pack --silent --pack-destination "$$dir" @earendil-works/pi-ai@$(CATALOG) >/dev/null && \
	$(GO) run ./llm/catalog/refresh "$$dir"/*.tgz

golden: ## Write the golden journals anew, after the kernel's or the dialect's version has changed
	$(GO) test -count=1 -run TestTheDemonstrations ./cmd/ai-agent -golden
	$(GO) test -count=1 -run 'TestTheFormat' ./contract -golden
	$(GO) test -count=1 -run 'TestGoldenJournals' ./contract -golden

ci: ## Run what CI runs
	.ci/run

.PHONY: help build demo test lint fmt clauses tidy-check bench fuzz sim crash gates interop live mutants catalog golden ci
