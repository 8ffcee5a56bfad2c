# Everything runs in .venv, made from requirements.lock. `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2
# one more than cores: some tests wait for other processes
WORKERS ?= 3
MUTANTS ?= --n 60 --seed 0
BENCHMARKS ?= --json benchmarks/latest.json

.DEFAULT_GOAL := help
.PHONY: help reports test suite slow lab lite format check lint types pairs benchmarks mutants lock clean

help: ## show this help
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed; set PYTHON=...") if sys.version_info < (3, 11) else None'
	@echo "Installing the locked environment into $(VENV) (once; a few minutes)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement requirements.lock
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib || true # on all cores, where pip uses one; some files are for other versions
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

reports: $(READY) ## render all reports into reports/html
	@$(BIN)/genexpy-nb render --jobs $(JOBS)

# They start Python often; without bytecode each start compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE
suite slow benchmarks: export OMP_NUM_THREADS = 1
suite slow benchmarks: export OPENBLAS_NUM_THREADS = 1
suite slow benchmarks: export MKL_NUM_THREADS = 1

test: lint ## everything that CI checks: lint, types, unit tests, doctests, notebooks, reports, browser
	@$(MAKE) --no-print-directory -j 3 types pairs suite # types take one core for half a minute

suite: $(READY)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

slow: $(READY) ## the tests that take long: notebooks with other parameters, what made data/, clusters, calls that are stopped
	@$(BIN)/python -m pytest -n $(WORKERS) -m "slow or runs"

lab: $(READY) ## open the notebooks and lessons in JupyterLab
	@test -d lessons || $(BIN)/genexpy-nb lessons --students
	@$(BIN)/jupyter lab --notebook-dir . notebooks/00_start_here.ipynb

lite: $(READY) ## make a site, lite/site, on which the lessons run in a browser
	@$(BIN)/python -m pip install --quiet jupyterlite-core==0.8.6 jupyterlite-pyodide-kernel==0.8.6
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir lite/wheels .
	@$(BIN)/genexpy-nb lessons --students --no-solutions -o lite/lessons
	@$(BIN)/jupyter lite build --contents lite/lessons/students --output-dir lite/site --piplite-wheels lite/wheels/*.whl

format: $(READY) ## format the code
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

check: lint types pairs ## lint, check types, and see that each notebook matches its .py

lint: $(READY)
	@$(BIN)/ruff format --check --quiet . || { echo "not formatted; run make format"; exit 1; }
	@$(BIN)/ruff check .

types: $(READY)
	@$(BIN)/mypy

pairs: $(READY)
	@$(BIN)/genexpy-nb notebooks check

benchmarks: $(READY) ## time what people wait for, against plain versions and other libraries (ten minutes)
	@$(BIN)/python -m benchmarks.run $(BENCHMARKS)

mutants: $(READY) ## change the numerical core in small ways, and see which changes no test notices (about an hour)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check cosmic_ray==8.7.0
	@$(BIN)/python benchmarks/mutants.py $(MUTANTS)

lock: $(READY) ## choose new versions for requirements.lock
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --upgrade pyproject.toml --extra dev --universal --python-version 3.11 \
		--fork-strategy fewest --generate-hashes --no-header --no-annotate --no-emit-index-url --output-file requirements.lock

clean: ## remove the environment and all that was rendered
	@rm -rf $(VENV) lite reports/html reports/executed reports/.state .pytest_cache .ruff_cache .hypothesis
