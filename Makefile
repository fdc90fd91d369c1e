# `make run` and `make test` need Python >= 3.10 and a C++20 compiler; everything else they install into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SPEC := specs/indexer_prolog.yaml
CXX_SOURCES := find pyptogen/runtime pyptogen/torch -name '*.[ch]pp'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test pytest test-python test-ray test-torch lint format docs bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 14

run: $(VENV)/.installed ## install, build the indexer prolog, run and verify it at t = 8 and t = 512
	$(BIN)/pyptogen build $(SPEC)
	$(BIN)/pyptogen run $(SPEC) --dims t=8,blocks=64
	$(BIN)/pyptogen run $(SPEC) --dims t=512,blocks=64

# Tests start hundreds of interpreters: each would read all sources of the compiler anew.
unexport PYTHONDONTWRITEBYTECODE

# The linters beside the tests: mypy is for one processor, and would leave the others idle.
test: $(VENV)/.installed-dev ## install, lint, types, generated/ up to date, all tests
	@$(MAKE) --no-print-directory --jobs=2 lint pytest

pytest:
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal

# Of its own: a wheel as users install it, with the newest dependencies that this Python takes.
test-python: ## with PYTHON=python3.10 (to 3.13): the wheel installed there writes generated/ as it is, and passes tests of the compiler
	rm -rf build && $(PYTHON) -m venv build/python
	build/python/bin/python -m pip --quiet --disable-pip-version-check install '.[dev]'
	build/python/bin/pyptogen build specs/ --check --no-cache
	build/python/bin/python -m pytest tests/schema tests/lower tests/cli tests/builder tests/editor tests/test_records.py

test-ray: $(VENV)/.installed-ray ## level cluster on a local Ray cluster of two nodes (downloads Ray the first time)
	$(BIN)/python -m pytest tests/runtime/cluster

test-torch: $(VENV)/.installed-torch-dev ## operators in PyTorch on the CPU, imports from PyTorch and ONNX (downloads them the first time)
	$(BIN)/python -m pytest tests/pytorch tests/importing \
	  tests/explain/test_code_examples.py::test_commands \
	  "tests/docs/test_pages.py::test_blocks_of_a_page_run_in_order[docs/pytorch.md]" \
	  "tests/docs/test_pages.py::test_blocks_of_a_page_run_in_order[docs/import.md]"

lint: $(VENV)/.installed-dev ## ruff, mypy, clang-format, and which room may import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(CXX_SOURCES) | xargs $(BIN)/clang-format --dry-run -Werror
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.installed-dev ## let ruff and clang-format format and fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(CXX_SOURCES) | xargs $(BIN)/clang-format -i

docs: $(VENV)/.installed ## write the tables of docs/ and of the checked mode anew
	$(BIN)/python docs/write_diagnostics.py
	$(BIN)/python docs/write_operations.py
	$(BIN)/python docs/write_instructions.py
	$(BIN)/python docs/write_passes.py
	$(BIN)/python docs/write_verification.py
	$(BIN)/python -m pyptogen.lower.isa.write_headers
	$(BIN)/pyptogen report specs/ --gallery docs/gallery --times benchmarks/results/library.json
	$(BIN)/pyptogen schema -o editors/vscode/pyptogen.schema.json

bench: $(VENV)/.installed-torch ## compare with PyTorch (downloads it the first time; minutes)
	$(BIN)/python benchmarks/indexer_prolog.py

clean: ## remove what the targets above made, .venv too (not generated/)
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find pyptogen tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

# A venv without pip is what a Python without ensurepip can still make; pip then comes from the outer Python.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "pyptogen needs Python >= 3.10; name one: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
	  || { rm -rf $(VENV); $(PYTHON) -m venv --without-pip $(VENV) \
	       && $(PYTHON) -m pip --quiet --python $(VENV)/bin/python install pip; } \
	  || { rm -rf $(VENV); echo "cannot make $(VENV): install Python's venv (Debian: apt install python3-venv)" >&2; exit 1; }

# The stamps keep a second call from installing again; a changed pyproject.toml installs anew.
$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip --quiet --disable-pip-version-check install -e .
	@touch $@

# Without bytecode: pip compiles all that it installs, in half of its time, and what is imported is a tenth of that.
$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --no-compile -e '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-torch: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip --quiet --disable-pip-version-check install -e '.[torch]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-torch-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip --quiet --disable-pip-version-check install -e '.[torch,onnx,dev]'
	@touch $@ $(VENV)/.installed $(VENV)/.installed-dev $(VENV)/.installed-torch

$(VENV)/.installed-ray: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip --quiet --disable-pip-version-check install -e '.[ray,dev]'
	@touch $@ $(VENV)/.installed $(VENV)/.installed-dev
