# Every target that needs Python makes .venv by itself first: see tools/setup.sh.
.DEFAULT_GOAL := help
.PHONY: help setup ready demo test test-slow lint bench mini record wheel clean

py := .venv/bin/python

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' Makefile | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: ## Make .venv with everything the course needs (once, 2 to 4 minutes)
	@sh tools/setup.sh

ready:
	@sh tools/setup.sh --if-needed

demo: ready ## A real failure, its diagnosis and its repair: the story of stage 3
	@$(py) -m course_debug.stage3

test: lint ## Format, lint, types and the default test suite
	@echo "Running the tests: about 10 minutes on 2 cores."
	@$(py) -m pytest

test-slow: ready ## The suites over five seeds, most of an hour
	@echo "Running the slow tests: each trains many models."
	@$(py) -m pytest -m slow

lint: ready ## Format, lint and types only
	@echo "Checking format, lint and types."
	@$(py) -m ruff format --check .
	@$(py) -m ruff check .
	@$(py) -m mypy

bench: ready ## Measure each story, a training step and the listing; a table and JSON
	@$(py) tools/bench.py

mini: ready ## Make the embedded pairs and checkpoint again, and check them: about an hour
	@$(py) tools/mini/make.py all

record: ready ## Record the runs that the READMEs show, in three languages
	@$(py) tools/record.py

wheel: ready ## Build the wheel into dist/
	@$(py) -m build --wheel --no-isolation

clean: ## Remove .venv and everything else that was made
	@rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
