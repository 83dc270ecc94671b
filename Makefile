# Everything here needs Python 3.11 or newer with venv, and make. Nothing else has to be installed first.

# The first of these that is new enough and can create virtual environments; PYTHON=... names another one.
CANDIDATES = python3.11 python3.12 python3.13 python3 python
PYTHON ?= $(shell for name in $(CANDIDATES); do \
	"$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; done)

BIN = .venv/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement

.DEFAULT_GOAL = help
.PHONY: help demo drill test lint bench coverage-report lock
.DELETE_ON_ERROR:
.NOTPARALLEL:

help: ## list what make can do here
	@echo "Holdfast"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{ printf "%-24s  %s\n", $$1, $$2 }'
	@echo
	@echo "  make demo FRESH=1          deletes the demo's data first"
	@echo "  make demo DATA=path        also serves your own FHIR files (a file or a folder) from the sandbox"
	@echo "  make demo CHECK=1          lets a robot walk through a demo of its own and report what it saw"
	@echo "  make test ARGS='-k vault'  passes options or paths to pytest"
	@echo "  make bench AREA=pages      measures one of: directory, refresh, sync, pages, bulk"
	@echo "  make lock UPGRADE=1        also moves to newer versions that are at least two weeks old"

demo: .venv/has-sandbox ## run the site, its worker and the sandbox on this machine
ifdef CHECK
	@exec $(BIN)/python -m development.check
else
	@exec $(BIN)/python -m development.demo $(if $(FRESH),--fresh) $(if $(DATA),--data "$(DATA)")
endif

drill: .venv/has-sandbox ## rehearse a disaster: lose a database, restore it, and show what became of every link
	@exec $(BIN)/python -m development.drill

test: .venv/has-development ## run every test
	@exec $(BIN)/python -m development.testing $(ARGS)

lint: .venv/has-development ## check style, types, import directions, settings and migrations
	@exec $(BIN)/python -m development.linting

bench: .venv/has-development ## run the benchmarks, and compare with the goals
	@exec $(BIN)/python -m benchmarks $(AREA)

coverage-report: .venv/has-sandbox ## sync the example data (FHIR_EXAMPLES), and count the entries that show a name and a date
	@exec $(BIN)/python -m development.coverage_report

lock: .venv/has-development ## pin the requirements again, with hashes
	@exec $(BIN)/python -m development.pinning $(if $(UPGRADE),--upgrade)

.venv/has-%: requirements/%.txt | $(BIN)/python
	@echo "Installing requirements/$*.txt into .venv (once, under a minute) ..."
	@$(INSTALL) $<
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Holdfast needs Python 3.11 or newer with its venv module (Debian: apt install python3-venv)," \
		"or PYTHON=/path/to/python."; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is not Python 3.11 or newer."; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) has no venv module (Debian: apt install python3-venv)."; exit 1; }
	@"$(PYTHON)" -m venv --clear .venv
