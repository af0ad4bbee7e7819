# Needs Python 3.11 or later with venv, git and make; everything else goes into .venv/.
#   make test ARGS='-k null -x'     arguments for pytest
#   make test LOCK=oldest           with the lowest versions that pyproject.toml allows
#   make lock UPGRADE=--upgrade     newer versions, not only the missing ones
# After a change of PYTHON or LOCK run `make clean` first: an existing .venv/ keeps what it has.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
UPGRADE ?=
LOCK ?= dev
N ?= 10000

# Tests start thousands of processes: where no bytecode is kept, each of them compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help install demo test coverage lint bench fuzz dist lock golden pictures clean

help: ## Say what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

install: $(VENV)/$(LOCK).stamp ## What tests and linters need, into .venv/

demo: $(VENV)/runtime.stamp ## The whole job, on an embedded Hub and an embedded tracker
	$(BIN)/benchaudit demo

test: $(VENV)/$(LOCK).stamp ## All tests
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

coverage: $(VENV)/$(LOCK).stamp ## All tests; fails where they reach less than 95 % of the lines or of the branches
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term --cov-report=json:htmlcov/coverage.json $(ARGS)
	$(BIN)/python .ci/covered.py htmlcov/coverage.json

# Linters that can ask the network are told not to, and actionlint not to call tools that only some machines have.
lint: $(VENV)/dev.stamp ## Style, types, workflows, Dockerfile and locks; changes nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/zizmor --offline --config .github/zizmor.yml .github action.yml docs/workflows/*.yml
	$(BIN)/actionlint -shellcheck= -pyflakes= .github/workflows/*.yml docs/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml docs/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(BIN)/hadolint Dockerfile
	@! grep -nE '://|^--' requirements/*.txt || { echo 'A lock names where packages come from: that is for each machine to say.' >&2; exit 1; }

bench: $(VENV)/dev.stamp ## The measurements of docs/, as tables
	$(BIN)/python benchmarks/null.py
	$(BIN)/python benchmarks/false_alarms.py
	$(BIN)/python benchmarks/speed.py

fuzz: $(VENV)/dev.stamp ## Read N mutated files; nothing but our own errors may come out
	$(BIN)/python -m tests.fuzz.fuzz_reading $(N)

dist: $(VENV)/dev.stamp ## Source package and wheel, the wheel made from the source package
	rm -rf dist
	$(BIN)/hatchling build -t sdist
	tar -xzf dist/*.tar.gz -C dist
	cd dist/*/ && $(CURDIR)/$(BIN)/hatchling build -t wheel -d $(CURDIR)/dist
	rm -r dist/*/

pictures: $(VENV)/dev.stamp ## The pictures of the README from the demo; needs Chromium and npm
	$(BIN)/python docs/images/make.py

golden: $(VENV)/dev.stamp ## Write the expected outputs of tests anew; read the diff before committing it
	$(BIN)/python -m pytest --update-golden $(ARGS)
	git status --short -- tests

# One resolution for all platforms and Pythons. The runtime and build locks are held to the versions of the
# development lock, so what is shipped is what was tested.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command 'make lock' $(UPGRADE)

lock: $(VENV)/uv.stamp ## Resolve requirements/*.txt from pyproject.toml and requirements/*.in
	$(COMPILE) requirements/uv.in --output-file requirements/uv.txt
	$(COMPILE) pyproject.toml --group dev --output-file requirements/dev.txt
	$(COMPILE) pyproject.toml --constraint requirements/dev.txt --output-file requirements/runtime.txt
	$(COMPILE) requirements/build.in --constraint requirements/dev.txt --output-file requirements/build.txt
	$(COMPILE) requirements/stagehand.in --constraint requirements/dev.txt --output-file requirements/stagehand.txt
	$(COMPILE) requirements/act.in --output-file requirements/act.txt
	$(COMPILE) requirements/audit.in --output-file requirements/audit.txt
	$(COMPILE) pyproject.toml --resolution lowest-direct --output-file $(VENV)/lowest.txt
	$(COMPILE) pyproject.toml --group test --constraint $(VENV)/lowest.txt --output-file requirements/oldest.txt

clean: ## Remove all that make and the tools have written, .venv/ too
	rm -rf $(VENV) build dist demo htmlcov .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# $(call install,ARGUMENTS): uv first, which is far faster; pip when uv does not run here or cannot reach the
# index, as on machines whose index and certificates are set in pip's own configuration.
install = $(BIN)/uv pip install --quiet --python $(BIN)/python $(1) \
	|| $(BIN)/python -m pip install --quiet --disable-pip-version-check $(1)

# Wheels only: building a source package would fetch build tools that no lock covers.
LOCKED := --require-hashes --only-binary :all:

# The project itself comes last and without isolation, so that its build tools are the locked ones.
$(VENV)/runtime.stamp $(VENV)/dev.stamp $(VENV)/oldest.stamp: $(VENV)/%.stamp: requirements/%.txt requirements/build.txt pyproject.toml | $(VENV)/uv.stamp
	@echo 'Installing requirements/$*.txt and this project into $(VENV)/'
	@$(call install,$(LOCKED) -r requirements/$*.txt -r requirements/build.txt)
	@$(call install,--no-deps --no-build-isolation --editable .)
	@touch $@

$(VENV)/uv.stamp: requirements/uv.txt | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(LOCKED) -r requirements/uv.txt \
		|| echo 'No uv for this machine: pip is used, which takes about a minute.'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo '$(PYTHON) is not Python 3.11 or later: name one, as in `make test PYTHON=python3.13`' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo '$(PYTHON) cannot make virtual environments: apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
