# Everything works with python3 (3.11 or later), make and the package index. See `make help`.
# Paths stay relative, so that the repository may lie in a folder whose name has spaces.

PYTHON ?= python3
ARGS ?=
ASSISTANT ?= gardening
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help chat openclaw test lint types layers check format lock run-env dev-env

help: ## Show what can be made
	@echo "make TARGET [PYTHON=python3.12] [ARGS='...']"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 12

chat: run-env ## Talk to an assistant: ASSISTANT=gardening, or fitness; ARGS go to `cloche chat`
	@$(BIN)/cloche chat $(ASSISTANT) $(ARGS)

openclaw: ## Fetch OpenClaw and its Node (840 MB) into the cache folder; needs npm
	@$(PYTHON) requirements/openclaw/install.py

test: dev-env ## Run all tests and name what was skipped; ARGS go to pytest
	@$(BIN)/python -m pytest $(ARGS)

lint: dev-env ## Style and formatting (ruff)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: dev-env ## Types (mypy, strict)
	@$(BIN)/mypy

layers: dev-env ## What may import what (import-linter)
	@$(BIN)/lint-imports

check: lint types layers test ## Everything that .ci/run asks for

format: dev-env ## Format the code and mend what ruff can mend
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

lock: ## Write requirements/*.lock anew from pyproject.toml (needs uv); ARGS=--upgrade for news
	@requirements/lock $(ARGS)

run-env:
	@command -v $(PYTHON) >/dev/null || { echo "Cloche needs Python 3.11 or later; there is no $(PYTHON) here." >&2; exit 1; }
	@$(PYTHON) requirements/install.py run

dev-env:
	@command -v $(PYTHON) >/dev/null || { echo "Cloche needs Python 3.11 or later; there is no $(PYTHON) here." >&2; exit 1; }
	@$(PYTHON) requirements/install.py dev
