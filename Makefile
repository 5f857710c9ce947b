# Two commands do everything on a fresh Debian machine with Python 3.11, Node 20 and make:
#   make serve    the lab at http://localhost:5006
#   make test     all tests, the browser ones included
PYTHON ?= python3
PORT ?= 5006
DIST ?= dist
# make serve ADDRESS=0.0.0.0 ORIGINS=192.168.1.7:5006 lets others in, who type that address
ADDRESS ?= localhost
ORIGINS ?=
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# threads on shared cores make small products slower and timings a lottery
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: serve test test-fast check format export examples bench sweep play chromium clean

$(READY): pyproject.toml setup.py constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

serve: $(READY)
	@echo "Embedding Lab: http://localhost:$(PORT)/main"
	$(BIN)/python -m app.serve --port $(PORT) --address $(ADDRESS) --origins '$(ORIGINS)'

# what runs in the browser, or serves as soon as it is imported, has no examples
NO_EXAMPLES := $(addprefix --ignore=app/,main.py export/runtime.py export/start.py export/inside.py export/stubs)

test: $(READY) chromium
	$(BIN)/python -m pytest -n 2 --doctest-modules lab app $(NO_EXAMPLES)
	$(BIN)/python -m pytest -n 2 tests/lab tests/app tests/sweep
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/ui tests/export tests/play

test-fast: $(READY)
	$(BIN)/python -m pytest -n 2 tests/lab tests/app

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m tests.docstrings

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

export: $(READY)
	$(BIN)/python -m app.export --out $(DIST)

# the recipes as real sites, with the tools that they need in an environment of their own, and what tests find there
EXAMPLES := .venv-examples
EXAMPLES_OUT ?= dist-examples

$(EXAMPLES)/.ready: examples/requirements.txt pyproject.toml setup.py
	$(PYTHON) -m venv $(EXAMPLES)
	$(EXAMPLES)/bin/python -m pip install --quiet --disable-pip-version-check -r examples/requirements.txt -e '.[notebook,sphinx]'
	npm install --silent --no-audit --no-fund --no-save --prefix $(EXAMPLES)/npm reveal.js@$$(sed -n 's/^# reveal.js==//p' examples/requirements.txt)
	touch $@

examples: $(EXAMPLES)/.ready chromium
	test -e $(DIST)/manifest.json || $(MAKE) export
	$(EXAMPLES)/bin/python examples/build.py --lab $(DIST) --reveal $(EXAMPLES)/npm/node_modules/reveal.js --out $(EXAMPLES_OUT)
	EMBEDDING_LAB_EXAMPLES=$(EXAMPLES_OUT) $(EXAMPLES)/bin/python -m pytest -q tests/examples

bench: $(READY) chromium
	$(BIN)/python -m tests.bench

# the contract of the rooms over N states of each, or of one ROOM: each kind of finding once, with its address
N ?= 200
SEED ?= 1
sweep: $(READY)
	$(BIN)/python -m tests.sweep --examples $(N) --seed $(SEED) $(if $(ROOM),--room $(ROOM))

# a reader who does anything at all, for SECONDS in each door or in one (DOOR=served or built)
SECONDS ?= 600
play: $(READY) chromium
	$(BIN)/python -m tests.play --seconds $(SECONDS) --seed $(SEED) $(if $(DOOR),--door $(DOOR))

# the browser of the browser tests, and a web server that we did not write, from Debian's packages
chromium:
	@{ command -v chromium && test -x /usr/sbin/nginx; } >/dev/null || { \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -q && \
	  $$as_root apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core nginx-light; }

clean:
	rm -rf $(VENV) $(EXAMPLES) $(DIST) $(EXAMPLES_OUT) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
