# `make help` lists the targets. Everything runs in .venv, which the first target that needs it creates.

PYTHON ?= python3
PY := .venv/bin/python
INSTALLED := .venv/.installed
TEST := $(PY) -m pytest

# One thread and one code path, so that every machine rounds the same way.
export OMP_NUM_THREADS := 1
export MKL_CBWR := COMPATIBLE
export ATEN_CPU_CAPABILITY := avx2
export NPY_DISABLE_CPU_FEATURES := X86_V4 AVX512_ICL AVX512_SPR
export PYTHONHASHSEED := 0
export PYDEVD_DISABLE_FILE_VALIDATION := 1
export SOURCE_DATE_EPOCH := 1767225600

.DEFAULT_GOAL := help
.PHONY: help install site build serve notebooks check lint format test test-fast test-units test-quick test-notebooks test-browser \
	test-colab links bench set-repository clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(INSTALLED) ## create .venv with what requirements.txt pins (TORCH_INDEX=URL: torch from there)

$(INSTALLED): requirements.txt pyproject.toml tools/bootstrap.py
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing. Install it (Debian, Ubuntu: apt-get install python3 python3-venv)."; exit 1; }
	@$(PYTHON) tools/bootstrap.py
	@touch $@

site: build serve ## build the whole book and serve it (PORT=8000 to choose)

build: install ## build the whole book into _build/html
	@$(PY) -m tools.build

serve: install ## serve the book that was built (PORT=8000 to choose)
	@$(PY) -m tools.serve

notebooks: install ## regenerate book/*.ipynb from book/*.md (ONLY="motivation absolute" for some, ALL=1 to run each)
	@$(PY) -m tools.notebooks build $(ONLY) $(if $(ALL),--all)

check: install ## is every notebook what its chapter says?
	@$(PY) -m tools.notebooks check

lint: install ## style of the code, the notebooks' too
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --quiet --check pe_course tools tests || { echo "run 'make format'"; exit 1; }

format: install ## let ruff lay out the code
	@$(PY) -m ruff format --quiet pe_course tools tests
	@$(PY) -m ruff check --quiet --fix .

test: lint check test-units test-notebooks build test-browser test-colab ## every test there is

test-fast: lint check test-quick ## all but the notebooks' outputs, the browser, Colab and slow tests (about two minutes)

test-units: install ## the package and the tools
	@$(TEST) -q -n 2 --dist worksteal -m "not browser and not colab" tests

test-quick: install ## the package and the tools, without what takes long
	@$(TEST) -q -n 2 --dist worksteal -m "not browser and not colab and not slow" tests

test-notebooks: install ## run every notebook and compare its outputs with the stored ones
	@$(TEST) -q -p tools.nbval_tolerance -p no:cacheprovider --nbval --nbval-current-env --nbval-cell-timeout 120 -n 2 --dist loadscope book

test-browser: install ## the built site in a real Chromium
	@$(TEST) -q -n 2 -m browser tests/site tests/colab

test-colab: install ## every notebook alone in a clean environment, as Colab would run it
	@$(TEST) -q -m colab tests/colab

links: install ## ask every address outside the book whether it still answers (needs the network; no part of make test)
	@.venv/bin/jupyter-book build . --builder linkcheck --keep-going || { echo "the list: _build/linkcheck/output.txt"; exit 1; }

bench: install ## compare speeds with other libraries, side by side (ARGS="--help" for options)
	@$(PY) -m pip install --quiet --no-deps --upgrade --target _build/bench -r benchmarks/requirements.txt
	@PYTHONPATH=_build/bench $(PY) -m benchmarks.lab_throughput $(ARGS)

set-repository: install ## move to another public address: URL=https://github.com/OWNER/NAME
	@$(PY) -m tools.set_repository "$(URL)"
	@$(MAKE) --no-print-directory notebooks

clean: ## remove everything that was built, but not .venv
	rm -rf _build web/dist web/node_modules
