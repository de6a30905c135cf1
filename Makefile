# Vitrine. `make` lists the targets; `make up` and `make test` need nothing beforehand but
# Debian 12 or 13 with its own Python, and root or sudo; `make synth` needs Python alone.
ENV ?= dev
ARCHITECTURE ?= x86_64
MASTERS ?=
EDGE_PORT ?= 8080
ORIGIN_PORT ?= 8081
EMULATOR_PORT ?= 4566
MINUTES ?= 10
DRILL_MASTERS ?= 1000
FUNCTIONS ?= 100
MUTANTS ?= 200
SEED ?= 1
SINCE ?=
CALLS := $(CURDIR)/.build/calls

# Where it is set, as in many containers, hundreds of processes of a test run would compile all
# that they import, each for itself.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
# Node.js is there, too.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# By itself xdist begins with the files of most tests, and so ends with one worker and a long one.
# How many tests there are is not known before the last file is imported: no percentages.
DISTRIBUTE := --dist loadfile --no-loadscope-reorder -o console_output_style=classic
CODE := vitrine rigs loadtest capacity stacks lambdas layers tests app.py

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests setup-synth layers up down status synth lint format type test test-nightly test-quick test-changed containers collect check wheel docs changelog fuzz mutants template-mutants drill lock audit sbom clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 18
	@echo
	@echo "make up takes MASTERS=folder/ (your own images), EDGE_PORT=, ORIGIN_PORT=, EMULATOR_PORT=,"
	@echo "FLAVOUR=serverless (stacks/flavours.py), PHOTOS=yes (the photo door),"
	@echo "ACCESS=yes (restricted images), OCR=deu+eng (pages without a text are read)"
	@echo "make synth takes ENV=dev|staging|prod, make layers ARCHITECTURE=x86_64|arm64"

setup: ## Install what the service needs: Debian packages, Python, node modules, Lambda layers
	@scripts/setup

setup-tests: ## The same, and what the tests need
	@scripts/setup --tests

setup-synth: ## What templates and a deployment need, on any system and without root
	@scripts/setup --synth

layers: setup-synth ## Build the Lambda layers of ARCHITECTURE
	@$(BIN)/python -m layers.build --architecture $(ARCHITECTURE)

up: setup ## Start the whole service on this machine
	@$(BIN)/vitrine up --edge-port $(EDGE_PORT) --origin-port $(ORIGIN_PORT) \
		--emulator-port $(EMULATOR_PORT) $(if $(MASTERS),--masters "$(MASTERS)") \
		$(if $(FLAVOUR),--flavour "$(FLAVOUR)") $(if $(PHOTOS),--photos) \
		$(if $(ACCESS),--access) $(if $(OCR),--ocr "$(OCR)") \
		$(if $(TEXT_PROPOSALS),--text-proposals "$(TEXT_PROPOSALS)")

down: ## Stop it; what was published stays
	@[ -x $(BIN)/vitrine ] && $(BIN)/vitrine down || \
		{ [ ! -x $(BIN)/vitrine ] && echo "Nothing is running: \`make up\` has not been run here yet."; }

status: ## What runs, and what became of the last masters
	@[ -x $(BIN)/vitrine ] || { echo "Nothing is set up here yet: \`make up\` starts the service."; exit 1; }
	@$(BIN)/vitrine status

synth: setup-synth ## Write the templates of ENV to cdk.out/$(ENV)
	@$(BIN)/python -m vitrine.local.synth $(ENV)

lint: ## Style, imports, spelling, language
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_language.py
	$(BIN)/codespell $(CODE) scripts containers site desk docs README.md CHANGELOG.md Makefile

format: ## Put the code into its form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

type: node_modules/.bin/tsc ## Static types
	$(BIN)/mypy
	$(BIN)/mypy --explicit-package-bases lambdas
	node_modules/.bin/tsc --noEmit --allowJs --strict --target esnext --module esnext \
	    --moduleResolution bundler --lib esnext,dom,dom.iterable --types "" $(wildcard site/*/*.js)
	node_modules/.bin/tsc --project desk

node_modules/.bin/tsc: # one that was set up before it was needed
	npm install --silent --fetch-retries=1

# What roles do meanwhile is recorded: no call may be refused.
test: setup-tests ## Set up what the tests need and run what each change needs
	@rm -rf $(CALLS)
	VITRINE_EMULATOR_CALLS=$(CALLS) $(BIN)/python -m pytest -n 6 $(DISTRIBUTE)
	$(BIN)/python -m tests.recorded_calls $(CALLS)

# A right that nothing used is taken away, or has its reason.
test-nightly: setup-tests ## Run every test, also what need not run with each change (tests/nightly.py)
	@rm -rf $(CALLS)
	VITRINE_EMULATOR_CALLS=$(CALLS) $(BIN)/python -m pytest -n 6 $(DISTRIBUTE) --nightly
	$(BIN)/python -m tests.recorded_calls --unused $(CALLS)

test-quick: setup-tests ## The tests that need neither server nor template, but for slow ones: a minute
	$(BIN)/python -m pytest -n 2 $(DISTRIBUTE) -m "not slow" tests/unit

test-changed: setup-tests ## The quick tests that changes concern, SINCE=commit
	@$(BIN)/python -m tests.changed $(SINCE) >.build/changed.txt
	$(BIN)/python -m pytest -n 2 $(DISTRIBUTE) -m "not slow" @.build/changed.txt

containers: ## Build the container images and run them as the task definition says (as root)
	@scripts/setup --containers
	$(BIN)/python -m pytest tests/integration/containers

# The types of tests are not checked, so an import of theirs may lead nowhere.
collect: setup-tests ## Import every test and run none
	@$(BIN)/python -m pytest --collect-only -qq --nightly >.build/collected.txt 2>&1 || \
		{ cat .build/collected.txt; exit 1; }

check: lint type collect ## What no test sees: style, imports, spelling, language, types

wheel: setup-tests ## Build the wheel into .build/wheel, with the bundled site in it
	@rm -rf .build/wheel
	@PYTHONPATH=. $(BIN)/python scripts/build_wheel.py .build/wheel

docs: setup-tests ## Write all generated pages and charts of docs/, and a site of docs/ to .build/docs
	@$(BIN)/python -m docs.build
	@$(DOCS) && mkdir -p .build/docs-source
	@NO_MKDOCS_2_WARNING=1 .build/docs-tools/bin/mkdocs build --strict

changelog: setup-tests ## Gather changes/ in CHANGELOG.md under VERSION=
	@$(DOCS) && .build/docs-tools/bin/towncrier build --version "$(VERSION)"

# What only documents are made with has an environment of its own.
DOCS = { [ -x .build/docs-tools/bin/python ] || $(BIN)/uv venv -q .build/docs-tools; } && \
	$(BIN)/uv pip sync -q --require-hashes --python .build/docs-tools/bin/python requirements/docs.txt

fuzz: setup-tests ## Fuzz what reads files and addresses, MINUTES=10 of each
	@$(BIN)/python -m tests.fuzz.api_fuzz --examples 100
	@$(BIN)/python -m tests.fuzz.campaign --minutes $(MINUTES)

template-mutants: setup-tests ## Loosen the templates in MUTANTS=200 places: do the promises notice?
	@$(BIN)/python -m tests.mutants.template_campaign --mutants $(MUTANTS) --seed $(SEED)

mutants: setup-tests ## Change a function at a time, FUNCTIONS=100 of them: do the tests notice?
	$(BIN)/python -m tests.mutants.campaign --functions $(FUNCTIONS) --seed $(SEED)

drill: setup-tests ## Does ingest lose anything? DRILL_MASTERS=1000 among faults and kills
	@$(BIN)/vitrine-loadtest drill ingest --masters $(DRILL_MASTERS)

# The locks come from pyproject.toml: a tool's from the group of its name, a layer's from the extra.
# What is deployed has the versions that the tests have: dev first, and the others bound by it. A
# uv.lock in their place would hold 4,000 addresses of package registries, and bind what is deployed
# to the older versions that some tools want: it takes Pillow 12 where the gateway has 13.
COMPILE = $(BIN)/uv pip compile -q --generate-hashes --universal --no-emit-index-url --no-header
TOOLS = bootstrap emulator audit docs validators awscli
LAYERS = powertools libvips documents api collections door authorization statistics mcp
SERVICE = --extra deliver --extra photos --extra operate --extra deploy --group install
EVERYTHING = --all-extras --group bootstrap --group install --group check --group test

lock: ## Lock the requirements again, from pyproject.toml
	@set -e; lock() { name=$$1; shift; $(COMPILE) "$$@" -o requirements/$$name.txt; }; \
		bound() { name=$$1; shift; lock $$name -c requirements/dev.txt pyproject.toml "$$@"; }; \
		for tool in $(TOOLS); do lock $$tool --group $$tool; done; \
		lock dev pyproject.toml $(EVERYTHING); \
		for layer in $(LAYERS); do bound $$layer --extra $$layer; done; \
		bound service $(SERVICE) --group bootstrap; \
		bound gateway --extra aws --extra deliver --extra photos; \
		bound converter --extra aws --extra ingest; \
		bound ocr --extra aws --extra tesseract; \
		bound loadtest --extra generate

# pip-audit has an environment of its own: nothing else needs what it brings.
audit: setup ## Ask for known vulnerabilities of every lock and image; fails where it could not ask
	@scripts/setup --audit
	@[ -x .build/audit/bin/python ] || $(BIN)/uv venv -q .build/audit
	@$(BIN)/uv pip sync -q --require-hashes --python .build/audit/bin/python requirements/audit.txt
	@scripts/build-containers iipsrv=. gateway=. nginx=. function=. converter=. ocr=. loadtest=.
	@PATH="$(CURDIR)/.build/audit/bin:$$PATH" $(BIN)/python scripts/audit.py

sbom: setup-tests ## List what each layer and image holds, in CycloneDX, to .build/sbom
	@scripts/build-containers iipsrv=. gateway=. nginx=. function=. converter=. ocr=. loadtest=.
	@$(BIN)/python -m docs.build.bill_of_materials .build/sbom

clean: down ## Remove all that was built; .vitrine, the service's data, stays
	rm -rf .build .venv .emulator node_modules cdk.out artefacts
