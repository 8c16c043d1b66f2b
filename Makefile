# make demo    score the bundled example, into results/demo/
# make test    every check and every test
# make check   the checks alone: format, lint, types, layers, documentation
# make bench   benchmarks against the usual libraries, measured side by side
# make simulations   coverage of intervals and errors of tests, in simulated studies (some minutes)
# make docs    write the generated parts of docs/ and README.md anew
# make published   recompute results/published/ from the papers' own outputs (see the README there)
# make clean   remove .venv and caches
#
# Nothing needs to be installed beforehand but Python 3.11 or newer: the first target builds .venv by itself.
#   make test PYTHON=python3.13                          another Python
#   make demo PIP_ARGS=                                  the newest libraries instead of those in constraints.txt
#   make demo PIP_ARGS="-c constraints.txt --extra-index-url https://download.pytorch.org/whl/cpu"
#                                                        torch without CUDA, which is far smaller
#   make test PYTEST_ARGS="-n 0 -k distinct"             some tests only

PYTHON ?= python3
PIP_ARGS ?= -c constraints.txt
PYTEST_ARGS ?= -n 2
OUTPUTS ?= ../shared/data/outputs

MIME = $(OUTPUTS)/mime/output.txt
EMPDG = $(addprefix $(OUTPUTS)/empdg/,Transformer.txt EmoPrepend.txt EmpDG.txt)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: demo test check bench simulations docs published clean

demo: $(VENV)/installed-demo
	$(BIN)/empeval demo

test: check
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/installed-test
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/docs.py --check

bench: $(VENV)/installed-test
	$(BIN)/python -m benchmarks

simulations: $(VENV)/installed-test
	$(BIN)/python -m benchmarks.simulations

docs: $(VENV)/installed-test
	$(BIN)/python tools/docs.py

published: $(VENV)/installed
	$(BIN)/empeval reproduce mime $(MIME) --out results/published/mime
	$(BIN)/empeval reproduce empdg $(EMPDG) --out results/published/empdg
	$(BIN)/empeval score $(MIME) $(EMPDG) --no-segments --out results/published/leaderboard
	@echo "Now run make docs: docs/reproducibility.md shows these tables."

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps say that the environment holds what the two files below ask for.
$(VENV)/installed: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) $(PIP_ARGS) --editable .
	@touch $@

$(VENV)/installed-demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) $(PIP_ARGS) --editable '.[demo]'
	@touch $@ $(VENV)/installed

$(VENV)/installed-test: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) $(PIP_ARGS) --editable '.[test]'
	@touch $@ $(VENV)/installed $(VENV)/installed-demo

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "empeval needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name another one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "$(PYTHON) cannot make a virtual environment." >&2; \
	  echo "On Debian and Ubuntu: apt-get install python3-venv, then run make again." >&2; exit 1; }
