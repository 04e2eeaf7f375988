# A thin front end for Meson: a target that builds something first installs what it
# needs. `make help` lists the targets.
BUILD  = build
PREFIX = /usr/local
SUITE  = bookworm
# Options for Meson. CI turns warnings into errors.
OPTIONS = -Dwerror=false

CONFIGURE = tools/configure $(BUILD) -Dprefix=$(PREFIX) $(OPTIONS)
RUN_TESTS = tools/run-tests

.PHONY: all demo test test-library test-web web-pictures test-fresh check format-check asan tsan valgrind tidy \
	coverage attacks bench bench-noise bench-timing \
	bench-account bench-query bench-query-200m bench-tpch bench-total bench-errors bench-serve bench-synth load siege reply-time worker-kills fuzz-account fuzz-query timing-battery \
	facts mutants audit audit-curator audit-mutants audit-peers stability crash powercut install fuzz fuzz-serve doc format clean help setup clients web dev

all: setup ## build everything (the default)
	@$(CONFIGURE)
	@ninja -C $(BUILD)

setup:
	@./setup

clients:
	@./setup --test

web:
	@./setup --web

dev:
	@./setup --dev

demo: setup ## show what custos does
	@$(CONFIGURE)
	@ninja -C $(BUILD) custos
	@$(BUILD)/custos demo

test: clients all ## run every test except those of the console
	@$(RUN_TESTS) $(BUILD) --no-suite web

test-library: ## libcustos alone: it needs GMP, MPFR and libsodium only
	@./setup --library
	@tools/configure build-library -Dcurator=disabled $(OPTIONS)
	@ninja -C build-library
	@$(RUN_TESTS) build-library

# Checks the types, then tests every page in a real browser with a real server.
test-web: web ## the console in Chromium
	@$(CONFIGURE)
	@ninja -C $(BUILD) custos
	@$(RUN_TESTS) $(BUILD) --suite web

web-pictures: web ## every page of the console as PNG, into build/pictures
	@$(CONFIGURE)
	@ninja -C $(BUILD) custos
	@CUSTOS=$(BUILD)/custos node test/web/pictures.mjs $(BUILD)/pictures

test-fresh: dev ## demo and tests in a minimal Debian (root only; SUITE=bookworm)
	@SUITE=$(SUITE) tools/test-fresh

check: all format-check ## only the checks of the source: layers, theorems ...
	@$(RUN_TESTS) $(BUILD) --suite check

format-check: dev
	@tools/format --check

format: dev ## format all C files
	@tools/format

# Built by clang, so that one build shows clang's warnings too. Large samples run
# only in the gcc build, and so do most scripts that run the command; those that
# send it untrusted input run here as well.
asan: dev ## the tests built by clang, under ASan and UBSan
	@CC=clang tools/configure build-asan -Db_sanitize=address,undefined \
		-Db_lundef=false $(OPTIONS)
	@ninja -C build-asan
	@CUSTOS_QUICK=1 $(RUN_TESTS) build-asan --no-suite clients --no-suite cli \
		--no-suite crash --no-suite siege --no-suite web --no-suite many-stores
	@CUSTOS_QUICK=1 $(RUN_TESTS) build-asan cli/t_http.py cli/t_http_owner.py \
		cli/t_http_report.py cli/t_serve.py cli/t_store.py cli/t_credentials.py

# DuckDB is not instrumented, so tools/tsan.supp suppresses what TSan says about it.
TSAN_TESTS = worker/t_pool curator/t_ledger_writer curator/t_share curator/t_owner serve/t_loop serve/t_workers \
	engine/t_sandbox cli/t_http.py cli/t_http_owner.py cli/t_serve.py clients/t_pgbench.py

tsan: dev ## the server and what its threads share, built by clang, under TSan
	@CC=clang tools/configure build-tsan -Db_sanitize=thread \
		-Db_lundef=false $(OPTIONS)
	@ninja -C build-tsan custos $(patsubst %,test/%,$(subst /,-,\
		$(filter-out %.py,$(TSAN_TESTS))))
	@CUSTOS_QUICK=1 $(RUN_TESTS) build-tsan $(TSAN_TESTS)

valgrind: dev all ## the library's tests under valgrind
	@$(RUN_TESTS) $(BUILD) --setup valgrind --suite unit \
		$(addprefix --no-suite ,numeric account audit policy sql evaluate plan ledger store engine \
			curator serve worker)

tidy: dev ## clang-tidy and cppcheck on src/
	@CC=clang tools/configure build-tidy $(OPTIONS)
	@tools/tidy build-tidy $(TIDY)

coverage: dev ## branch coverage by folder; noise and mech must have 100 %
	@tools/configure build-cov -Db_coverage=true -Doptimization=0 $(OPTIONS)
	@ninja -C build-cov
	@find build-cov -name '*.gcda' -delete
	@$(RUN_TESTS) build-cov --no-suite web
	@tools/coverage build-cov

attacks: all ## the attack tests with 10^7 releases instead of a few
	@CUSTOS_LONG=1 $(RUN_TESTS) $(BUILD) --suite attack -t 6

bench-noise: all ## draws per second
	@$(BUILD)/bench/noise

bench-timing: all ## does the time of a draw depend on its value?
	@$(BUILD)/bench/timing

bench-account: all ## bounds of the accountant, and how fast they are computed
	@$(BUILD)/bench/account

bench-query: all ## private queries against plain ones, 20 M rows
	@$(BUILD)/bench/query

bench-query-200m: all ## the same with 200 M rows (an hour, 40 GB of disk)
	@$(BUILD)/bench/query 200

bench-tpch: all ## five TPC-H queries against plain ones, SF 1 and SF 10
	@$(BUILD)/bench/tpch 1
	@$(BUILD)/bench/tpch 10

bench-total: all ## our own functions against those of the engine, 10 M rows
	@$(BUILD)/bench/total

bench-errors: all ## errors against those of the best mechanisms known
	@for b in $(BUILD)/bench/errors_*; do \
		case $$b in *.p) ;; *) $$b || exit 1 ;; esac; done
	@CUSTOS=$(BUILD)/custos python3 bench/kept.py
	@CUSTOS=$(BUILD)/custos python3 bench/coverage.py

bench-synth: all ## synthetic data on ../shared/data: errors and seconds
	@$(BUILD)/bench/synth
	@$(BUILD)/bench/synth_ranges
	@python3 bench/synth_mbi.py

bench-serve: dev all ## the server under pgbench: answers per second, times, memory
	@CUSTOS=$(BUILD)/custos python3 bench/serve.py

fuzz-account: all ## 10^5 random plans against their exact curves
	@CUSTOS_LONG=1 $(BUILD)/test/account-t_fuzz

crash: all ## kill -9, 1000 times under concurrent queries and imports, 200 times in releases
	@CUSTOS=$(BUILD)/custos python3 test/crash/crash.py
	@CUSTOS=$(BUILD)/custos python3 test/crash/release.py

load: dev all ## ten minutes of load on a server that is killed every 20 s
	@CUSTOS=$(BUILD)/custos python3 test/crash/load.py

siege: all ## ten minutes of attacks while honest analysts ask (SIEGE_SECONDS)
	@CUSTOS=$(BUILD)/custos python3 test/siege/siege.py

reply-time: all ## do reply times reveal who is in the data? (2 x 10^4 replies)
	@CUSTOS=$(BUILD)/custos python3 test/siege/reply_time.py

worker-kills: all ## kill -9 of a worker process, 1000 times, under load
	@CUSTOS=$(BUILD)/custos python3 test/siege/worker_kills.py

fuzz-query: all ## 10^5 random queries: no crash, no engine text, all charged
	@CUSTOS_LONG=1 $(BUILD)/test/curator-t_fuzz_query

facts: all ## 10^6 expressions: every claim of the planner holds in the engine
	@CUSTOS_LONG=1 $(BUILD)/test/engine-t_facts

audit: all ## the auditor on its battery and on libcustos, its false alarms, attacks
	@$(BUILD)/custos audit battery
	@$(BUILD)/custos audit library --ci
	@$(BUILD)/custos audit battery --alarms 1000
	@$(BUILD)/custos audit attack all

AUDIT_SECONDS = 3600

audit-curator: all ## an hour of generated queries against the server (AUDIT_SECONDS)
	@$(BUILD)/custos audit curator --seconds $(AUDIT_SECONDS)

audit-mutants: all ## every mending of an oracle undone: audit curator finds it
	@tools/audit-mutants

audit-peers: all ## audit another library, from PyPI, used rightly and wrongly
	@tools/audit-peers $(BUILD)

mutants: all ## every fault in test/mutants is caught by the tests it names
	@tools/mutants

timing-battery: all ## does the time of a query reveal that a person is present?
	@CUSTOS_LONG=1 $(BUILD)/test/curator-t_timing

stability: all ## 10^5 queries on neighbours: none exceeds its sensitivity
	@CUSTOS_LONG=1 $(BUILD)/test/curator-t_stability

powercut: all ## 1000 power cuts and 1000 kills in the middle of charges
	@CUSTOS_LONG=1 $(BUILD)/test/ledger-t_powercut
	@CUSTOS_LONG=1 $(BUILD)/test/ledger-t_process

bench: bench-noise bench-timing bench-account bench-query

# Fuzz targets for what strangers can send to the server; how many runs each gets.
FUZZ_SERVE = pg_in pg_value scram json http statement session worker
FUZZ_RUNS  = 10000000

fuzz-serve: fuzz ## the server's fuzz targets, FUZZ_RUNS runs each (an hour)
	@mkdir -p $(FUZZ_SERVE:%=build-fuzz/found/%)
	@set -e; for t in $(FUZZ_SERVE); do \
		echo "fuzz_$$t: $(FUZZ_RUNS) runs"; \
		build-fuzz/fuzz/fuzz_$$t -runs=$(FUZZ_RUNS) -timeout=20 \
			-print_final_stats=1 -artifact_prefix=build-fuzz/found/ \
			build-fuzz/found/$$t fuzz/corpus/$$t 2>&1 | tee build-fuzz/$$t.log | \
			grep -E 'Done|stat::|ERROR|SUMMARY'; \
		grep -q '^Done $(FUZZ_RUNS) runs' build-fuzz/$$t.log; \
	done

fuzz: dev ## build the fuzz targets into build-fuzz/fuzz (see fuzz/README.md)
	@CC=clang tools/configure build-fuzz -Dfuzz=true -Db_lundef=false \
		-Db_sanitize=address,undefined $(OPTIONS)
	@ninja -C build-fuzz

doc: all ## man pages; doc/theorems.md, doc/json.md and the OpenAPI document
	@tools/theorems
	@tools/contract

install: setup ## into PREFIX (/usr/local), below DESTDIR if set
	@$(CONFIGURE)
	@ninja -C $(BUILD) $$(tools/installed $(BUILD))
	@DESTDIR=$(DESTDIR) meson install --quiet --no-rebuild -C $(BUILD)

clean: ## remove all build folders (deps/ stays)
	rm -rf build build-*

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' \
		$(MAKEFILE_LIST)
