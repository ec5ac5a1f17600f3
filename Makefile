# `make play` and `make test` work on a fresh clone; everything they need goes into .venv.

SHELL := /bin/sh
VENV := .venv/bin
SOURCES := pyproject.toml CMakeLists.txt constraints.txt scripts/setup $(wildcard cpp/core/* cpp/bindings/*)
# One stamp for each set of extras: it is newer than the sources when that set is installed and the core is built.
stamp = .venv/.installed$(1)

.PHONY: help play test lint format stubs slow bench league cards docs wheel sanitize clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 12

play: $(call stamp,-web)  ## the web app: play, analyse, learn and watch in a browser
	@$(VENV)/fingal serve

test: $(call stamp,-test) build/tests/stamp  ## the test suite, C++ and Python
	$(VENV)/ctest --test-dir build/tests --output-on-failure
	$(VENV)/pytest

lint: $(call stamp,-lint)  ## ruff, mypy, clang-format, and tsc on the web page's scripts where there is an npm
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy
	$(VENV)/clang-format --dry-run -Werror cpp/*/*.?pp
	@if command -v npm > /dev/null && $(MAKE) --no-print-directory node_modules/.stamp; then npm run --silent check; \
	else echo "The types of the web page's scripts were not checked: npm is missing, or found no compiler for them."; fi

node_modules/.stamp: package.json
	npm install --silent --no-audit --no-fund --no-package-lock
	@touch $@

format: $(call stamp,-lint)  ## rewrite the sources in the house style
	$(VENV)/ruff check --fix .
	$(VENV)/ruff format .
	$(VENV)/clang-format -i cpp/*/*.?pp

stubs: $(call stamp)  ## write src/fingal/_core.pyi anew from the compiled module
	$(VENV)/python -m nanobind.stubgen -q -P -m fingal._core -o src/fingal/_core.pyi

slow: $(call stamp,-test) $(call stamp,-ray) $(call stamp,-sb3)  ## the long checks: games against OpenSpiel, fuzzed inputs, attacked claims, solved boards, killed runs and nodes, learners on 3x3
	$(VENV)/pytest tests/slow -o addopts= -v -s
	scripts/sanitize tests/slow/test_fuzz.py::test_fuzzed_inputs tests/slow/test_core_borders.py \
	  "tests/slow/test_interrupts.py::test_a_thousand_interrupts_leave_a_player_as_good_as_new[solver]" -o addopts= -v -s

bench: $(call stamp,-bench)  ## speed beside OpenSpiel and pgx
	$(VENV)/fingal bench core

league: $(call stamp,-learn)  ## the standing league of all shipped players, into docs/league.md (hours on two cores; goes on where it was)
	@mkdir -p build
	$(VENV)/python -m fingal.arena.league build/league.sqlite docs/league.md src/fingal/arena/league.json

cards: $(call stamp,-learn)  ## the shipped nets' cards, with their exams and their places in the league, into docs/cards.md
	$(VENV)/python -m fingal.arena.cards src/fingal/arena/league.json docs/cards.md

docs: $(call stamp,-docs)  ## the documentation, into site/
	$(VENV)/mkdocs build --strict

wheel: $(call stamp,-wheel)  ## a portable wheel, into dist/, tried in a venv that sees no compiler
	scripts/wheel

sanitize: $(call stamp,-test)  ## C++ tests and the core's Python tests under ASan and UBSan, threads under TSan
	scripts/sanitize

clean:  ## remove everything that was built
	rm -rf .venv build dist site node_modules

# All extras that are installed already stay installed: pip only adds.
.venv/.installed%: $(SOURCES)
	scripts/setup $(patsubst -%,%,$*)
	@touch $@

.venv/.installed: $(SOURCES)
	scripts/setup
	@touch $@

build/tests/stamp: $(SOURCES) $(wildcard cpp/tests/*) | $(call stamp,-test)
	$(VENV)/cmake -S . -B build/tests -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(VENV)/ninja -DFINGAL_TESTS=ON > /dev/null
	$(VENV)/cmake --build build/tests
	@touch $@
