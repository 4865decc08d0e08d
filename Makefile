# Everything happens in .venv, from the pinned lists in requirements/. A second call starts at once.
PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8080
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: serve test test-all check clean
.DELETE_ON_ERROR:

serve: $(VENV)/.default
	@exec $(BIN)/searchjev serve --host $(HOST) --port $(PORT)

test: $(VENV)/.dev
	$(BIN)/python -m pytest

test-all: $(VENV)/.train $(VENV)/.contract $(VENV)/.ray
	$(BIN)/python -m pytest -rs -m "not network"

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

clean:
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "make: $(PYTHON) is missing or older than 3.11; name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "make: $(PYTHON) cannot make virtual environments; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.default: $(VENV)/.made requirements/default.txt pyproject.toml
	$(PIP) -r requirements/default.txt
	$(PIP) --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.default requirements/dev.txt
	$(PIP) -r requirements/dev.txt
	@touch $@

$(VENV)/.contract: $(VENV)/.dev requirements/contract.txt
	$(PIP) -r requirements/contract.txt
	@touch $@

$(VENV)/.ray: $(VENV)/.dev requirements/ray.txt
	$(PIP) -r requirements/ray.txt
	@touch $@

$(VENV)/.train: $(VENV)/.dev requirements/train.txt
	@$(PIP) --dry-run --no-deps --report - $$(grep '^torch==' requirements/train.txt) | \
		$(BIN)/python requirements/refuse_cuda.py
	$(PIP) -r requirements/train.txt
	@touch $@
