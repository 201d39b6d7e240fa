# Needs Python 3.11 or newer with pip and venv, git and make; everything else goes into .venv.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
UV_VERSION = 0.13.9

VENV = .venv
STAMP = $(VENV)/.stamp
PY = $(VENV)/bin/python
SECONDS ?= 60
JOBS ?= 1
BENCH ?= --large
PAGES = README.md docs/captures.md docs/drift.md docs/native-output.md
DEMO = src/agentframes/_demo/*.json*

# Nothing from outside .venv is imported, and pip installs nowhere else.
unexport PYTHONPATH PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PIP_USER = 0

# Without a HOME, pip would keep its cache in / or in a folder named "~".
ifeq ($(HOME),)
export HOME := $(CURDIR)/$(VENV)
endif

# A checkout that was copied or moved sets up again (an environment holds absolute paths), and so
# does one that is asked for another interpreter.
STALE = $(filter-out $(shell head -n 1 $(1) 2>/dev/null),$(CURDIR))$(if $(filter-out file,$(origin PYTHON)),$(filter-out $(shell tail -n 1 $(1) 2>/dev/null),$(PYTHON)))
.PHONY: $(foreach stamp,$(STAMP) .venv-bench/.stamp .venv-fuzz/.stamp,$(if $(call STALE,$(stamp)),$(stamp)))

.DEFAULT_GOAL := help
.PHONY: help demo test lint kinds docs learn types render-fixtures test-clis fuzz mutations bench fmt lock clean

help:
	@echo 'make demo    set up, then read a real capture of each engine: table, then JSON'
	@echo 'make test    set up, then run the tests'
	@echo 'make lint    ruff (rules and format), import-linter (the floors), generated pages and modules'
	@echo 'make kinds   compile each kinds.toml to the _kinds.py that readers import'
	@echo 'make docs    write the generated parts of README.md and docs/'
	@echo 'make learn   after a capture: expected facts, fields, drift, pages and snapshots'
	@echo 'make types   mypy --strict over all of it'
	@echo 'make render-fixtures  write the snapshots of the conversation, three tiers, to tests/snapshots'
	@echo 'make test-clis  install the newest release of each CLI with npm, and read what it prints'
	@echo 'make fuzz    throw damaged output at the readers: SECONDS=3600 for an hour, JOBS=2, SEED=…'
	@echo 'make mutations  damage every capture: cut at every byte, and each other damage 20 times'
	@echo 'make bench   measure, and write docs/performance*.md; BENCH= leaves out the streams of 1 GB'
	@echo 'make fmt     format, and fix what ruff can fix'
	@echo 'make lock    requirements-*.lock from pyproject.toml; UPGRADE=1 takes the newest releases'
	@echo 'make clean   remove .venv, caches and builds'

demo: $(STAMP)
	@echo '$$ .venv/bin/agentframes read $(DEMO)'
	@$(PY) -m agentframes read $(DEMO)
	@echo
	@echo '$$ .venv/bin/agentframes read --json $(DEMO)'
	@$(PY) -m agentframes read --json $(DEMO)

test: $(STAMP)
	@$(PY) -m pytest

lint: $(STAMP)
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(VENV)/bin/lint-imports
	@$(PY) scripts/compile_kinds.py --check
	@$(PY) -m agentframes corpus learn --check
	@$(PY) -m agentframes matrix --check
	@PYTHONPATH=. $(PY) -m cogapp --check $(PAGES)

kinds: $(STAMP)
	@$(PY) scripts/compile_kinds.py

docs: $(STAMP)
	@PYTHONPATH=. $(PY) -m cogapp -r $(PAGES)

# Each step reads what the one before it wrote.
learn: $(STAMP)
	@$(PY) scripts/gate.py
	@$(PY) scripts/oracle.py
	@$(PY) -m agentframes corpus learn
	@$(PY) scripts/leave_one_out.py
	@$(PY) -m agentframes matrix
	@PYTHONPATH=. $(PY) -m cogapp -r $(PAGES)
	@$(PY) scripts/render_fixtures.py

types: $(STAMP)
	@$(PY) -m mypy

fuzz: .venv-fuzz/.stamp
	@.venv-fuzz/bin/python fuzz/fuzz_readers.py --seconds $(SECONDS) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

test-clis: $(STAMP)
	@$(PY) scripts/test_clis.py $(ENGINES)

render-fixtures: $(STAMP)
	@$(PY) scripts/render_fixtures.py

mutations: $(STAMP)
	@$(PY) scripts/mutate.py $(MUTATIONS)

bench: .venv-bench/.stamp
	@.venv-bench/bin/python benchmarks/run.py --write $(BENCH)

fmt: $(STAMP)
	@$(PY) -m ruff check --fix-only --quiet
	@$(PY) -m ruff format

$(STAMP): pyproject.toml requirements-dev.lock
	@$(call set_up,$(VENV),dev)

# What is heavy and not needed for the tests stands in an environment of its own.
.venv-bench/.stamp .venv-fuzz/.stamp: .venv-%/.stamp: pyproject.toml requirements-%.lock
	@$(call set_up,.venv-$*,$*)

# $(1): the virtual environment, $(2): the dependency group it is for.
define set_up
	command -v $(PYTHON) >/dev/null || \
		{ echo 'agentframes needs Python 3.11 or newer; there is no $(PYTHON) here (make PYTHON=…)' >&2; exit 1; }; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "agentframes needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1) (make PYTHON=…)" >&2; exit 1; }; \
	echo 'setting up $(1) …'; \
	$(PYTHON) -m venv --clear $(1) && \
	$(1)/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements-$(2).lock && \
	$(1)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable . && \
	printf '%s\n' '$(CURDIR)' '$(PYTHON)' > $(1)/.stamp
endef

# uv stays out of the lock file: only this target needs it. The lock file names no index.
lock:
	@$(PYTHON) -m venv --clear .venv-lock
	@.venv-lock/bin/python -m pip install --quiet uv==$(UV_VERSION)
	@for group in dev bench fuzz; do \
		.venv-lock/bin/uv --no-config --system-certs --cache-dir .venv-lock/cache pip compile --quiet \
			--python .venv-lock/bin/python --universal --python-version 3.11 \
			--group $$group --all-extras --generate-hashes $(if $(UPGRADE),--upgrade) \
			--no-header --no-annotate --no-emit-index-url --no-emit-find-links \
			--output-file requirements-$$group.lock pyproject.toml || exit; \
	done
	@rm -rf .venv-lock
	@! grep -n '://' requirements-*.lock

clean:
	@rm -rf $(VENV) .venv-bench .venv-fuzz .venv-lock fuzz/.corpus benchmarks/.streams build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests scripts benchmarks fuzz -name __pycache__ -type d -exec rm -rf {} + 2>/dev/null || true
