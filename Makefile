# make demo | test | test-all | test-busy | test-mutations | lint | bench | docs | lock | sbom | clean
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt

# Data sets that were downloaded once may be shared by several checkouts.
ifneq ($(wildcard ../shared/data),)
export PLICA_DATA ?= $(abspath ../shared/data)
endif

.PHONY: demo test test-all test-busy test-mutations lint format bench docs lock sbom clean

demo: .venv/.installed
	$(BIN)/plica demo

test: lint
	$(BIN)/python -m pytest -q -n 2

test-all: lint .venv/.installed-all .venv/.installed-browser
	$(BIN)/python -m pytest -q -n 2 -m ""

# The same tests as `make test` on a machine that has ten times too much to do, most of it these tests: none is about the clock.
HOGS ?= 4
WORKERS ?= 16
test-busy: .venv/.installed
	PLICA_TEST_PATIENCE=100 $(BIN)/python tools/busy.py --hogs $(HOGS) -- $(BIN)/python -m pytest -q -n $(WORKERS)

# Errors are put into the library, one at a time; hours for a large SAMPLE, resumable. Survivors are listed.
SAMPLE ?= 300
test-mutations: .venv/.installed
	$(BIN)/python tools/mutations --handmade --power --sample $(SAMPLE) --report

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.installed-all
	@set -e; for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script; done

docs: .venv/.installed
	$(BIN)/python docs/build.py --check

# What is installed: pinned by hash, and listed with its licences.
lock: .venv/.installed
	$(BIN)/python tools/lock.py

sbom: .venv/.installed
	$(BIN)/python tools/sbom.py > sbom.json
	@echo "wrote sbom.json"

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.installed: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) -e '.[dev,onnx,cluster,web]'
	@touch $@

.venv/.installed-all: .venv/.installed
	$(PIP) -e '.[all]'
	@$(PIP) --no-deps auto_LiRPA==0.3 appdirs || echo "no auto_LiRPA: its bounds are not compared"  # it asks for an old torch
	@touch $@

# A real browser and what checks the explorer's pages in it: only for the tests, never part of the package.
.venv/.installed-browser: .venv/.installed
	$(PIP) -e '.[browser]'
	@command -v chromium >/dev/null || { apt-get -q update && apt-get -qy install chromium; } || echo "no Chromium: browser tests are skipped"
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix .venv axe-core@4 typescript@5; \
		else echo "no npm: the accessibility checker and the type checker are skipped"; fi
	@touch $@

clean:
	rm -rf .venv build dist docs/_site .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
