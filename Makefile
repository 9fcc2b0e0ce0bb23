# The one runner: what CI runs, what CONTRIBUTING names and what you type are these targets.
# Needs git, make and Python 3.11 or newer; everything else goes into .venv, .venv-lint and the like.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
SHELL := /bin/sh

PYTHON ?= python3
VENV := .venv
LINT := .venv-lint
ACTION := .venv-action
DOCS := .venv-docs

PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --compile
# Named by the interpreter, so that `make PYTHON=python3.12 test` does not run on yesterday's 3.11.
VENV_STAMP := $(VENV)/made-by-$(notdir $(PYTHON))
LINT_STAMP := $(LINT)/made-by-$(notdir $(PYTHON))
ACTION_STAMP := $(ACTION)/made-by-$(notdir $(PYTHON))
DOCS_STAMP := $(DOCS)/made-by-$(notdir $(PYTHON))

.PHONY: help
help:  ## Show these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1|/p' Makefile | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'

# --- Set up --------------------------------------------------------------------------------------

$(VENV_STAMP) $(LINT_STAMP) $(ACTION_STAMP) $(DOCS_STAMP):
	@command -v git >/dev/null || { echo "Draftgate needs git on the PATH; install it and run make again." >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || \
	  { echo "There is no $(PYTHON) on the PATH; name a Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Draftgate needs Python 3.11 or newer and $(PYTHON) is older; name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "Setting up $(@D) with $$($(PYTHON) -V)" >&2
	@$(PYTHON) -m venv --clear $(@D)
	@touch $@

# The program runs from the work tree; the hashed locks name everything that is downloaded.
$(VENV)/runtime: $(VENV_STAMP) pyproject.toml requirements/build.txt requirements/runtime.txt
	@$(VENV)/bin/python $(PIP_INSTALL) --require-hashes -r requirements/build.txt -r requirements/runtime.txt
	@$(VENV)/bin/python $(PIP_INSTALL) --no-deps --no-index --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: $(VENV)/runtime requirements/dev.txt
	@$(VENV)/bin/python $(PIP_INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

$(LINT)/lint: $(LINT_STAMP) requirements/lint.txt
	@$(LINT)/bin/python $(PIP_INSTALL) --require-hashes -r requirements/lint.txt
	@touch $@

$(ACTION)/action: $(ACTION_STAMP) requirements/action.txt
	@$(ACTION)/bin/python $(PIP_INSTALL) --require-hashes -r requirements/action.txt
	@touch $@

$(DOCS)/docs: $(DOCS_STAMP) requirements/docs.txt
	@$(DOCS)/bin/python $(PIP_INSTALL) --require-hashes -r requirements/docs.txt
	@touch $@

.PHONY: setup
setup: $(VENV)/dev  ## Set up .venv for development

.PHONY: clean
clean:  ## Remove the environments, builds and caches
	rm -rf $(VENV) $(LINT) $(ACTION) $(DOCS) .venv-clients .venv-gitlab-ci .venv-pr-agent dist site .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# --- Use -----------------------------------------------------------------------------------------

.PHONY: demo
demo: $(VENV)/runtime  ## Review a small flawed change, approve a part of it, show what was submitted
	@$(VENV)/bin/draftgate demo

.PHONY: demo-llm
demo-llm: $(VENV)/runtime  ## The same with an agent and a critic, on a scripted model that runs on this machine
	@$(VENV)/bin/draftgate demo --llm

# --- Test ----------------------------------------------------------------------------------------

.PHONY: test
test: $(VENV)/dev  ## Run the tests (ARGS="tests/unit -k diff" narrows them)
	@$(VENV)/bin/pytest --numprocesses=auto --ignore=tests/recovery --ignore=tests/action --ignore=tests/clients \
	  --ignore=tests/gitlab_ci --ignore=tests/image $(ARGS)

.PHONY: test-recovery
test-recovery: $(VENV)/dev  ## Stop every writing flow at every write, and run it again (minutes)
	@$(VENV)/bin/pytest --numprocesses=auto tests/recovery $(ARGS)

.PHONY: test-wheel
test-wheel: $(VENV)/dev  ## Build the wheel (or take WHEEL=PATH) and run it from a fresh environment
	@.ci/test-wheel $(VENV)/bin/python $(WHEEL)

.PHONY: dist
dist: $(VENV)/dev  ## Build wheel and source distribution of the last commit into dist/, twice, and compare
	@.ci/build-dist $(VENV)/bin/python dist

.PHONY: test-clients
test-clients: $(VENV)/dev  ## Run clients that others wrote against the simulated GitHub (needs npm)
	@.ci/test-clients $(VENV)/bin/python $(ARGS)

.PHONY: test-gitlab-ci
test-gitlab-ci: $(VENV)/dev  ## Run the GitLab template's jobs on this machine (needs npm and rsync)
	@.ci/test-gitlab-ci $(VENV)/bin/python $(ARGS)

.PHONY: test-action
test-action: $(VENV)/dev $(ACTION)/action  ## Run the action in its container, as GitHub would (minutes; Docker, or Debian and root)
	@.ci/test-action $(VENV)/bin/python $(ACTION)/bin/act $(ARGS)

.PHONY: test-image
test-image: $(VENV)/dev  ## Build the image and run it, as both platforms would (minutes; Docker, or Debian and root)
	@.ci/test-image $(VENV)/bin/python $(ARGS)

.PHONY: cassettes
cassettes: $(VENV)/dev  ## Record tests/cassettes anew from the simulated GitHub and GitLab
	@$(VENV)/bin/python -m tests.cassettes.record

.PHONY: bench
bench: $(VENV)/dev  ## Print the figures of benchmarks/README.md (REPOS="PATH ...": git directories; PR_AGENT_PYTHON=python3.12)
	@$(VENV)/bin/python benchmarks/main_job.py $(if $(REPOS),--large $(REPOS))
	@$(VENV)/bin/python benchmarks/command_parser.py
	@$(VENV)/bin/python -m benchmarks.gate
	-@$(VENV)/bin/python -m benchmarks.agents
	-@$(VENV)/bin/python -m benchmarks.forge $(if $(PR_AGENT_PYTHON),--pr-agent-python $(PR_AGENT_PYTHON))
	@test -z "$(REPOS)" || $(VENV)/bin/python benchmarks/diff_parser.py $(firstword $(REPOS)) \
	  $$(git -C $(firstword $(REPOS)) rev-list --max-parents=0 HEAD | tail -n 1) HEAD
	@test -z "$(REPOS)" || $(VENV)/bin/python benchmarks/real_history.py $(REPOS) --commits 2500
	@$(MAKE) test-recovery

.PHONY: bench-image
bench-image: $(VENV)/dev  ## Print the figures of the image (Docker, or Debian and root)
	@.ci/no-docker sh -euc '.ci/build-image localhost/draftgate:test; exec $(VENV)/bin/python -m benchmarks.image'

# --- Look at the code ----------------------------------------------------------------------------

.PHONY: check
check: format-check lint types contracts dead-code docs-check lint-config lock-check test-wheel test-image test-action test-recovery test test-clients test-gitlab-ci  ## Everything that CI runs

.PHONY: format
format: $(VENV)/dev  ## Format the code and apply ruff's safe fixes
	@$(VENV)/bin/ruff check --fix-only .
	@$(VENV)/bin/ruff format .

.PHONY: format-check
format-check: $(VENV)/dev
	@$(VENV)/bin/ruff format --check .

.PHONY: lint
lint: $(VENV)/dev  ## ruff
	@$(VENV)/bin/ruff check .

.PHONY: types
types: $(VENV)/dev  ## mypy --strict
	@$(VENV)/bin/mypy src $(wildcard tests/fakes)

.PHONY: contracts
contracts: $(VENV)/dev  ## Dependency direction (import-linter)
	@$(VENV)/bin/lint-imports

.PHONY: dead-code
# Without fields and enum members, which vulture calls variables: they are read when a record is written out.
# An unused local is ruff's to find.
dead-code: $(VENV)/dev  ## vulture
	@found=$$($(VENV)/bin/vulture) || [ $$? -eq 3 ] || exit 1; \
	  ! printf '%s' "$$found" | grep -v ': unused variable '

.PHONY: lint-config
lint-config: $(VENV)/runtime $(LINT)/lint  ## Workflows, action, template, Dockerfile, scripts, and what init writes
	@$(LINT)/bin/zizmor --offline --no-progress --quiet --persona pedantic . examples/github/*.yml
	@$(LINT)/bin/actionlint -shellcheck $(LINT)/bin/shellcheck .github/workflows/*.yml examples/github/*.yml
	@$(LINT)/bin/check-jsonschema --check-metaschema docs/reference/configuration.schema.json
	@$(LINT)/bin/check-jsonschema --builtin-schema vendor.github-actions action.yml
	@$(LINT)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml examples/github/*.yml
	@awk '{ print > ("$(LINT)/template-" ($$0 == "---" ? ++n : n + 0) ".yml") }' .gitlab-ci-template.yml
	@$(LINT)/bin/check-jsonschema --builtin-schema vendor.gitlab-ci $(LINT)/template-*.yml  # reads one document a file
	@$(LINT)/bin/hadolint Dockerfile
	@$(LINT)/bin/yamllint --strict .
	@$(LINT)/bin/shellcheck .ci/*
	@.ci/lint-init $(VENV)/bin $(LINT)/bin

# --- Reference pages -----------------------------------------------------------------------------

.PHONY: docs
docs: $(VENV)/runtime  ## Write docs/reference/ anew from the code
	@$(VENV)/bin/python -m docs.generate

.PHONY: docs-check
docs-check: $(VENV)/runtime  ## The reference pages say what the code says
	@$(VENV)/bin/python -m docs.generate --check

# --- The site ------------------------------------------------------------------------------------

.PHONY: site
site: $(DOCS)/docs  ## Build the documentation as a static site into site/
	@rm -rf site $(DOCS)/doctrees && $(DOCS)/bin/python -m sphinx --fail-on-warning --quiet --jobs auto -d $(DOCS)/doctrees -c docs/site . site
	@$(DOCS)/bin/python docs/site/check.py site

.PHONY: pictures
pictures: $(VENV)/dev $(DOCS)/docs  ## Write docs/pictures/ anew from a review on the simulated GitHub (needs npm and Chromium)
	@$(VENV)/bin/python -m docs.pictures.checkpoint
	@npm install --prefix $(DOCS) --silent --no-save --no-audit --no-fund github-markdown-css@5.9.0
	@$(DOCS)/bin/python docs/pictures/render.py $(DOCS)/node_modules/github-markdown-css

# --- Locks ---------------------------------------------------------------------------------------

LOCK_ROOT := .
# A release is a week old before it gets in: most poisoned ones are found sooner.
COMPILE = $(LINT)/bin/uv --directory $(LOCK_ROOT) pip compile --no-config --quiet --universal --python-version 3.11 \
  --generate-hashes --no-emit-index-url --exclude-newer '7 days' --custom-compile-command 'make lock' $(ARGS)

.PHONY: lock
lock: $(LINT)/lint  ## Write requirements/*.txt anew from pyproject.toml (ARGS=--upgrade takes newer releases)
	@$(COMPILE) --group build --output-file requirements/build.txt
	@$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	@$(COMPILE) pyproject.toml --group dev --constraints requirements/build.txt --constraints requirements/runtime.txt \
	  --output-file requirements/dev.txt
	@$(COMPILE) --group lint --output-file requirements/lint.txt
	@$(COMPILE) --group action --output-file requirements/action.txt
	@$(COMPILE) --group docs --output-file requirements/docs.txt
	@$(COMPILE) --group sbom --output-file requirements/sbom.txt
	@$(COMPILE) --group publish --output-file requirements/publish.txt

.PHONY: lock-check
lock-check: $(LINT)/lint  ## The locks say what pyproject.toml says
	@rm -rf $(LINT)/locks && mkdir $(LINT)/locks && cp -R pyproject.toml requirements $(LINT)/locks
	@$(MAKE) lock LOCK_ROOT=$(LINT)/locks
	@diff -r requirements $(LINT)/locks/requirements || { echo "The locks are stale; run: make lock" >&2; exit 1; }
