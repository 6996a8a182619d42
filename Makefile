# Everything a developer does here is one of these targets; `make` alone lists them.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
BROWSER := .venv/.browser
APP := src/headwater/web/index.html
APP_SOURCES := $(shell find ui -name node_modules -prune -o -name schema.d.ts -o -type f -print 2>/dev/null)
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup ui browser screenshots lab serve test long matrix lint format bench lock jars clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) $(APP) $(BROWSER) ## make .venv with every locked dependency and the headwater command, and build the web app
	@:

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Headwater needs Python 3.11 or newer, and '$(PYTHON)' is: $$($(PYTHON) --version 2>&1 || true)"; \
	  echo "Install a newer Python, or name one you have: make setup PYTHON=python3.12"; \
	  exit 1; }
	@echo "==> setting up .venv (once for each change of requirements.lock or pyproject.toml)"
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear .venv || { \
	  echo "'$(PYTHON) -m venv' failed; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(APP): $(READY) $(APP_SOURCES)
	@echo "==> building the web app (once for each change in ui/)"
	@$(BIN)/python ui/build.py
	@touch $@

ui: $(APP) ## build the web app into the package, with the machine's Node or one from a Python package
	@:

# Without a browser everything but the web app's own tests works, so set-up goes on and says what is missing.
$(BROWSER): $(READY)
	@$(BIN)/python -m tests.ui.browser && touch $@ || true

browser: $(READY) ## make sure that there is a browser for the web app's tests
	@$(BIN)/python -m tests.ui.browser

screenshots: setup ## take the README's pictures of the web app again (every screen: ARGS="--all FOLDER")
	@$(BIN)/python -m ui.scripts.screenshots $(ARGS)

lab: setup ## start every service, run the orders pipeline and watch it (options: make lab ARGS="--once")
	@$(BIN)/headwater lab pipeline $(ARGS)

serve: setup ## start the server on http://127.0.0.1:5000 (options: make serve ARGS="--port 8080")
	@$(BIN)/headwater serve $(ARGS)

test: setup lint ## lint, check formatting and types, then run the tests (options: make test ARGS="-k fold")
	@echo "==> pytest"
	@$(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

long: setup ## the tests that take minutes: kills, interrupts and a Spark cluster, on real services
	@$(BIN)/python -m pytest -m long $(ARGS)

matrix: setup ## the capture of streams on Spark 4.0 and 4.1, which are downloaded (some of them: ARGS=4.1.1)
	@$(BIN)/python -m tests.matrix $(ARGS)

lint: setup ## ruff check, ruff format --check, mypy --strict, and the web app's types and tests
	@echo "==> ruff check"
	@$(BIN)/ruff check
	@echo "==> ruff format --check"
	@$(BIN)/ruff format --check
	@echo "==> mypy"
	@$(BIN)/mypy
	@echo "==> the web app: types and tests"
	@$(BIN)/python ui/build.py --check

format: setup ## rewrite the code in the house format and fix what ruff can fix
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

bench: setup ## print every figure the README quotes (options: make bench ARGS="--peer URL")
	@$(BIN)/python -m bench $(ARGS)

# Without the stamp as a prerequisite, a pyproject.toml that the old lock cannot satisfy can still be locked.
lock: ## resolve pyproject.toml again into requirements.lock
	@test -x $(BIN)/uv || { $(PYTHON) -m venv .venv && $(BIN)/python -m pip install --quiet uv; }
	@UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	  --all-extras --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
	  --output-file requirements.lock $(ARGS) pyproject.toml
	@! grep -n '://' requirements.lock || { echo "requirements.lock names a registry; it must not"; exit 1; }
	@echo "requirements.lock is up to date; upgrade everything with: make lock ARGS=--upgrade"

jars: setup ## resolve the lab's jars again into src/headwater/stack/jars/jars.lock
	@$(BIN)/python -m headwater.stack.jars.resolve

clean: ## remove .venv and every cache
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist src/headwater/web ui/node_modules
	@find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
