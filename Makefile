# The front door: `make book` to read, `make test` to prove. `make help` lists the rest.

PYTHON ?= python3
PORT ?= 8000
# The environment's does not count: some shells set it to the name of the machine.
HOST = 127.0.0.1
PYTHONS ?= 3.12 3.13

VENV := .venv
PY := $(VENV)/bin/python
PINS := requirements.txt constraints.txt pyproject.toml
HTML := _build/html
# Another site to serve or to pack; a variable of the shell does not count here either.
SITE =
SHOWN = $(if $(SITE),QB_SITE="$(SITE)")
# In a container one is root; JupyterLab serves localhost only, and asks for a token.
AS_ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)
SITE_TESTS := tests/site/test_offline_site.py tests/site/test_site_in_browser.py tests/site/test_live_widget.py \
	tests/site/test_lost_addresses.py tests/site/test_terms_in_browser.py tests/site/test_search.py \
	tests/site/test_symptom_finder.py tests/site/test_keys_in_browser.py \
	tests/workshop/book_pdf/test_printed_book.py tests/workshop/slides/test_decks.py \
	tests/workshop/editions/test_answer_key.py
NOTEBOOKS ?= book
# As many processes as this machine has processors; WORKERS=3 chooses.
PYTEST = workers=$$($(PY) -m environment.workers) && $(PY) -m pytest -n $$workers

# What is printed should not depend on the reader's machine. So there is one thread: with more,
# results differ in their last bits, and small models train more slowly.
export OMP_NUM_THREADS := 1
export CURDIR
export IPYTHONDIR := $(CURDIR)/$(VENV)/ipython
export MPLCONFIGDIR := $(CURDIR)/$(VENV)/matplotlib
export JUPYTER_PREFER_ENV_PATH := 1
unexport PYTHONPATH PYTHONHOME PYTHONWARNINGS MPLBACKEND
# Hundreds of Pythons start here: what the first one compiles, the others read.
unexport PYTHONDONTWRITEBYTECODE
# Malloc keeps large blocks: else the system takes them back, and clears them again for the next.
KEEPS_BLOCKS := test unit notebooks notebooks-avx2 notebooks-oldest benchmark
$(KEEPS_BLOCKS): export MALLOC_MMAP_MAX_ := 0
$(KEEPS_BLOCKS): export MALLOC_TRIM_THRESHOLD_ := 4294967296

# What the site is made of. The slash tells the folder book/ from the target book.
SITE_SOURCES := $(sort $(shell find book/ qlearn/ site_builder/ notebook_pipeline/ proofs/ machines/ \
	api_status/ workshop/plans/ workshop/core_pages.py workshop/archive/measured.py \
	workshop/archive/measured.json workshop/hub/trial/table.py workshop/hub/trial/record.json \
	workshop/lan/shared.py workshop/wrong_answers.py \
	_config.yml _toc.yml \
	-name __pycache__ -prune -o -name .ipynb_checkpoints -prune -o -type f -print 2>/dev/null))

# A deleted file leaves nothing that is newer, and folders are newer after any run of Python or
# JupyterLab: so the stamp holds a sum of the names.
SITE_NAMES := $(shell echo $(SITE_SOURCES) | cksum)
ifneq ($(shell cat _build/site-ready 2>/dev/null),$(SITE_NAMES))
$(shell rm -f _build/site-ready)
endif

# What changed since the site was built and is no page, or that there is no site.
CHANGED_FOR_ALL = $(shell test -f _build/site-ready && find $(VENV)/ready $(SITE_SOURCES) -maxdepth 0 \
	-newer _build/site-ready ! '(' -path 'book/*' '(' -name '*.ipynb' -o -name '*.md' ')' ')' \
	|| echo no site)

# A stamp names the folder that .venv was made in: a moved clone makes it again. So does one
# whose Python is gone.
ifneq ($(shell cat $(VENV)/ready 2>/dev/null && $(PY) -c ''),$(CURDIR))
$(shell rm -f $(VENV)/ready $(VENV)/ready-test $(VENV)/ready-prove $(VENV)/ready-measure \
	$(VENV)/ready-workshop)
endif

.DEFAULT_GOAL := help
.NOTPARALLEL:
.SUFFIXES:
.PHONY: help book serve lab outputs check test doctor prove browser lint types unit notebooks \
	notebooks-avx2 notebooks-anew notebooks-oldest elsewhere newest arm site-test budgets benchmark \
	site-changed
.PHONY: slides slides-test answer-key students
.PHONY: hub hub-students hub-instructor hub-collect hub-stop hub-remove room-load room-faults
.PHONY: api-status lock clean new-chapter pages deploy measure guide-runs firefox pdf serve-load cell-times \
	workshop workshop-trial

##@ Reading

book: _build/site-ready ## build the site, offline and self-contained
	@echo "Open $(CURDIR)/$(HTML)/index.html in a browser, or run: make serve"

# What is there serves another site, because in a room without internet nothing can be installed.
serve: $(if $(SITE),$(if $(wildcard $(PY)),,$(VENV)/ready),_build/site-ready) ## the same on localhost (PORT=8000), for a room (HOST=0.0.0.0), or another (SITE=_build/students/site)
	@$(SHOWN) $(PY) -m workshop.lan --host $(HOST) --port $(PORT)

# No stored output needs to be trusted: widgets are drawn when their cell runs.
lab: $(VENV)/ready ## open the chapters in JupyterLab, to change code
	cd book && ../$(PY) -m jupyterlab $(AS_ROOT)

##@ Writing

outputs: $(VENV)/ready ## run the notebooks and write their outputs (NOTEBOOKS=book/x.ipynb for one)
	$(PY) -m notebook_pipeline.write_outputs $(NOTEBOOKS)

new-chapter: $(VENV)/ready ## begin a chapter from the template (NAME=half_a_step PART=numbers)
	@$(PY) -m notebook_pipeline.new_chapter "$(NAME)" "$(PART)"

budgets: $(VENV)/ready-test browser _build/site-ready ## measure page weight and speed (WORDS=observers for one page)
	$(PY) -m site_checks.page_budgets $(WORDS)

benchmark: $(VENV)/ready ## measure the functions' speed and memory beside torch's
	KINETO_LOG_LEVEL=99 $(PY) -m benchmarks.kernels

# Messages on the page of symptoms, of those other programs that are installed
OTHERS_SAY = MUST_HAVE="$(1)" $(PY) -m pytest -q tests/book/test_symptoms_elsewhere.py

measure: $(VENV)/ready-measure ## time quantized models on this machine, for the book's record: 10 minutes
	$(PY) -m measure

# What needs LLM Compressor or llama.cpp has an environment of its own, which make clean removes.
# Relative, because make takes a path with a space in it for two.
GUIDE = _build/guide
guide-runs: $(VENV)/ready-measure $(GUIDE)/ready $(GUIDE)/ready-llama ## run what the guide has for other programs, for its record: 20 minutes
	$(PY) -m measure.guide onnx_static onnx_dynamic phone_static
	HF_HUB_OFFLINE=1 LLAMA_CPP="$(CURDIR)/$(GUIDE)/llama" $(GUIDE)/venv/bin/python -m measure.guide gguf_8 gguf_4 gptq
	$(call OTHERS_SAY,executorch onnxscript)

$(GUIDE)/ready: measure/guide/requirements.txt
	@rm -rf $(GUIDE)/venv $@ && mkdir -p $(GUIDE)
	$(PYTHON) -m venv $(GUIDE)/venv
	$(GUIDE)/venv/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# Built from the source that comes with its package for Python: ten minutes on two cores.
$(GUIDE)/ready-llama: measure/guide/llama_cpp.txt $(GUIDE)/ready
	@command -v cmake >/dev/null && command -v c++ >/dev/null || { echo "llama.cpp is built with" \
		"cmake and a C++ compiler. On Debian: apt-get install cmake g++"; exit 1; }
	@rm -rf $(GUIDE)/llama $(GUIDE)/source $@ && mkdir -p $(GUIDE)/llama
	$(GUIDE)/venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
		--no-binary :all: -d $(GUIDE)/source -r $<
	tar xzf $(GUIDE)/source/*.tar.gz --strip-components 1 -C $(GUIDE)/llama
	cmake -S $(GUIDE)/llama/vendor/llama.cpp -B $(GUIDE)/llama/build -DCMAKE_BUILD_TYPE=Release \
		-DLLAMA_OPENSSL=OFF $(addprefix -DLLAMA_BUILD_,$(addsuffix =OFF,TESTS EXAMPLES SERVER APP))
	cmake --build $(GUIDE)/llama/build --target llama-quantize --parallel 2
	@touch $@

api-status: $(VENV)/ready ## try torch's entry points again, for the page of API status
	$(PY) -m api_status

lock: ## pin again what the requirements bring along
	$(PYTHON) -m environment.lock

clean: ## remove what make made
	rm -rf $(VENV) _build qlearn.egg-info .mypy_cache .ruff_cache .hypothesis

##@ Teaching

# Each holds wheels for one kind of laptop, whatever this machine is. SIZES=1: say what they weigh.
workshop: $(if $(SIZES)$(SITE),,_build/site-ready) $(VENV)/ready-workshop ## the course for laptops without a network (PYTHONS="3.12 3.13" PLATFORMS=... SITE=_build/students/site)
	@$(SHOWN) $(PY) -m workshop.archive --pythons "$(PYTHONS)" --platforms "$(PLATFORMS)" $(if $(SIZES),--sizes)

# RECORD=1: for the page. EMULATED=1: the archive for ARM, on the computer of make arm: half an hour.
workshop-trial: $(if $(SITE),,_build/site-ready) $(VENV)/ready-workshop ## start this machine's archive with the network off, and take the time
	@$(SHOWN) $(PY) -m workshop.archive.trial --pythons "$(PYTHONS)" $(if $(RECORD),--record) \
		$(if $(EMULATED),--emulated)

slides: $(VENV)/ready _build/site-ready ## a deck for each core page, with notes and a print version
	@$(PY) -m workshop.slides

answer-key: $(VENV)/ready _build/site-ready ## every question and exercise answered, on one page to print
	@$(PY) -m workshop.editions.answer_key

students: $(VENV)/ready ## the notebooks without solutions, and the site that is built from them
	@$(PY) -m workshop.editions.students

slides-test: $(VENV)/ready-test browser _build/site-ready ## each slide of each deck, in a browser
	export ALL_DECKS=1 && $(PYTEST) tests/workshop/slides

pdf: $(VENV)/ready-test browser _build/site-ready ## the book for paper, looked through (PAPER=letter for American paper)
	@$(PY) -m workshop.book_pdf --paper $(or $(PAPER),A4)

serve-load: _build/site-ready ## 25 browsers ask make serve at once, beside Python's plain server
	@$(PY) -m workshop.lan.load

cell-times: $(VENV)/ready ## how long cells take here, for the plans of the page for instructors
	$(PY) -m workshop.plans.time_cells

# The hub needs root, and an environment of its own in /opt, which students can read. Whoever is
# not root is asked by sudo, and no file of root's is left among the sources.
KEPT = HUB_FOLDER$(comma)PIP_EXTRA_INDEX_URL$(comma)HTTPS_PROXY
SUDO = $(if $(filter 0,$(shell id -u)),,sudo --preserve-env=$(KEPT))
# The Python of sudo may be another one.
HUB = $(SUDO) $(PYTHON) $(HAS_PACKAGES) && $(SUDO) $(PYTHON) -B -m workshop.hub

hub: ## a JupyterHub for a room of thirty on this machine, until Ctrl-C
	@$(HAVE_PYTHON)
	@$(HUB) up

hub-students: ## accounts for a list (LIST=students.csv: a name, how they are called); prints the sheet
	@$(HUB) people "$(LIST)" $(if $(ANEW),--anew)

hub-instructor: ## the instructor's account (NAME=ana)
	@$(HUB) instructor "$(NAME)"

hub-collect: ## a copy of everybody's files, in _build/collected
	@$(HUB) collect

hub-stop: ## end the hub and every student's server; their files stay
	@$(HUB) stop

hub-remove: ## take the room's accounts and all their files off this machine (SURE=yes)
	@$(HUB) remove $(if $(SURE),--with-their-files)

# A real hub with users and ports of its own, which are taken away again. RECORD=1: for the page.
IN_HUB = $(HUB).trial

room-load: ## programs log in to a hub and work, as a room does (STUDENTS=30); prints the table
	@$(IN_HUB) load $(or $(STUDENTS),30) $(if $(RECORD),--record)

room-faults: ## kill, fill, restart and attack a hub; says what each student sees and what is lost
	@$(IN_HUB) faults $(if $(RECORD),--record)

##@ Deploying

# Built again, because it knows its version; and the next make book builds one that does not.
pages: $(VENV)/ready ## the site under its version's name, with the list of versions
	@rm -f _build/site-ready
	@version=$$($(PY) -m site_builder.versions) && BOOK_VERSION=$$version $(MAKE) book
	@rm -f _build/site-ready
	@$(PY) -m site_builder.versions --collect

deploy: $(VENV)/ready ## push what make pages made to the branch gh-pages
	@$(PY) -m site_builder.versions --deploy

##@ Proving

check: browser ## what a change touches, the nearest first (SINCE=main: since this branch left main; LIMIT=600)
	@$(PY) -m changes --since $(or $(SINCE),HEAD) $(if $(LIMIT),--limit $(LIMIT))

# The site's tests wait for a browser; meanwhile others work. The slowest come first.
test: browser ## everything: lint types unit notebooks of three processors site-test
	@classes=$$($(PY) -m machines.classes) && $(PY) -m environment.side_by_side \
		lint site-test unit $$classes types -- make --no-print-directory
	@echo "make test: everything passed."

browser: $(VENV)/ready-test ## a Chromium for the tests, installed if need be
	$(call heading,A browser to test with)
	@$(PY) -m environment.find_browser

lint: $(VENV)/ready-test ## style and format
	$(call heading,Style: ruff and Biome)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check . || { echo "Run: $(VENV)/bin/ruff format ."; exit 1; }
	$(PY) -m site_checks.biome

types: $(VENV)/ready-test ## types
	$(call heading,Types: mypy)
	$(PY) -m mypy

unit: $(VENV)/ready-test browser ## unit, property, doc and JavaScript tests, and the notebooks' hygiene
	$(call heading,Unit$(comma) property$(comma) doc and JavaScript tests; hygiene of the notebooks)
	$(PYTEST) $(SITE_TESTS:%=--ignore=%)

NBVAL = $(PYTEST) --nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg \
	-p notebook_pipeline.nbval_forks --dist loadfile

notebooks: $(VENV)/ready-test ## every stored output against a fresh run
	$(call heading,Notebooks: every output again)
	$(NBVAL) $(NOTEBOOKS)

notebooks-avx2: $(VENV)/ready-test ## the same as on a laptop, pictures and widgets too
	$(call heading,Notebooks: every output again$(comma) pictures too$(comma) with the instructions of AVX2)
	$(PY) -m machines.within AVX2 -- $(PY) -m notebook_pipeline.check_in_forks $(NOTEBOOKS)

# Where the processor has AVX2 and nothing newer, no other run shows what a notebook imports.
notebooks-anew: $(VENV)/ready-test ## the same by kernels that start anew: what each imports
	$(call heading,Notebooks: every output again$(comma) pictures too$(comma) with the instructions of AVX2)
	$(PY) -m machines.within AVX2 -- $(PY) -m notebook_pipeline.write_outputs --check $(NOTEBOOKS)

notebooks-oldest: $(VENV)/ready-test ## the same as of old: SSE4.1, and no FBGEMM
	$(call heading,Notebooks: every output again with the oldest code of the libraries)
	$(PY) -m machines --forked --only SSE4.1 -- $(NOTEBOOKS)

elsewhere: $(VENV)/ready-test ## the notebooks in every setting, for the table on the page of proofs
	$(PY) -m machines

newest: $(VENV)/ready-test ## the notebooks with the newest torch that the course was run with: 3 GB, ten minutes
	$(PY) -m machines.newest
	$(PY) -m machines --only "newest torch"

arm: $(VENV)/ready-test ## tests, proofs and notebooks on an emulated ARM computer: 3 GB, an hour
	$(PY) -m machines.arm

site-test: $(VENV)/ready-test browser _build/site-ready ## the built site, in a real browser
	$(call heading,The built site: its files$(comma) its links$(comma) and in Chromium)
	$(PYTEST) $(SITE_TESTS)

# The same tests of the same pages. A file without a test that drives a browser adds none.
firefox: $(VENV)/ready-test _build/site-ready ## the tests that drive a browser, in Firefox
	$(call heading,The questions$(comma) the widgets and the built site$(comma) in Firefox)
	@$(PY) -m environment.find_browser firefox
	export TEST_BROWSER=firefox && $(PYTEST) $$(grep -rlw browser tests --include='test_*.py')

# It asks the Python of .venv if that starts, installs nothing, and runs where nothing else does.
doctor: ## say whether this machine can run the course, and if not, what to do
	@if $(PY) -c '' 2>/dev/null; then $(PY) -m qlearn doctor; \
	else $(HAVE_PYTHON) && $(PYTHON) -m qlearn doctor; fi

prove: $(VENV)/ready-prove ## the long part: each proof in full, where the code changed (ALL=1: all)
	$(PY) -m proofs $(if $(ALL),--all)
	$(call OTHERS_SAY,bitsandbytes)

help: ## this list
	@awk -F ':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ------------------------------------------------------------------ what the targets stand on

comma := ,
HAVE_PYTHON = { command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here. Install" \
	"Python 3.11 to 3.14, or name yours: make PYTHON=python3.12 ..."; exit 1; }; }
HAS_PACKAGES = -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14) \
	and "$(PYTHON) is Python " + sys.version.split()[0] + "; the course has packages for 3.11 " \
	+ "to 3.14. Install one of these and run: make PYTHON=python3.12 ...")'
heading = @printf '\n=== %s ===\n' '$(1)'

# What needs .venv or the site asks for their stamps. Two makes at once would install into one
# .venv, so one of them makes a stamp, and the other waits, looks again, and finds it made.
$(VENV)/ready: $(PINS)
$(VENV)/ready-test: $(VENV)/ready requirements-test.txt site_checks/package-lock.json
$(VENV)/ready-prove: $(VENV)/ready-test requirements-prove.txt
$(VENV)/ready-measure: $(VENV)/ready-test requirements-measure.txt
$(VENV)/ready-workshop: $(VENV)/ready workshop/archive/requirements.txt
_build/site-ready: $(VENV)/ready $(SITE_SOURCES)
site-changed: $(VENV)/ready

ifndef ALONE
$(VENV)/ready $(VENV)/ready-test $(VENV)/ready-prove $(VENV)/ready-measure $(VENV)/ready-workshop \
_build/site-ready site-changed:
	@$(HAVE_PYTHON)
	@test -w . || { echo "$(CURDIR) cannot be written. Copy the course to a folder that you may" \
		"write to, and run make there."; exit 1; }
	@$(PYTHON) $(HAS_PACKAGES)
	@$(PYTHON) environment/alone.py Makefile $(MAKE) --no-print-directory ALONE=1 $@
else

# A .venv without its stamp was interrupted half-way, and is made from nothing. The stamp goes
# before pip starts and comes back when all is done. Matplotlib's first import writes a cache
# and may say so: better here than in a notebook.
$(VENV)/ready:
	@test -f $@ || rm -rf $(VENV)
	@rm -f $(VENV)/ready $(VENV)/ready-test $(VENV)/ready-prove $(VENV)/ready-measure \
		$(VENV)/ready-workshop
	@test -x $(PY) || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "$(PYTHON) cannot make" \
		"a virtual environment. If the disk is not full, on Debian: apt-get install" \
		"python3-venv"; exit 1; }
	@echo "$(PY) -m pip install -r requirements.txt"
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt || { echo \
		"pip could not install all of requirements.txt; above it says why. To see what this" \
		"machine lacks, run: make doctor"; exit 1; }
	@$(PY) -c 'import matplotlib.font_manager'
	@printf '%s\n' "$$CURDIR" > $@

$(VENV)/ready-test:
	@rm -f $@
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	$(PY) -m site_checks.npm
	@touch $@

$(VENV)/ready-prove:
	@rm -f $@
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-prove.txt
	@touch $@

$(VENV)/ready-measure:
	@rm -f $@
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-measure.txt
	@touch $@

$(VENV)/ready-workshop:
	@rm -f $@
	$(PY) -m pip install --quiet --disable-pip-version-check -r workshop/archive/requirements.txt
	@touch $@

JUPYTER_BOOK := $(VENV)/bin/jupyter-book build . -n -W --keep-going

# From nothing each time: a second build would be silent on pages that warned in the first. The site
# of before stays where a build fails or is ended: somebody may be about to teach from it. The trap
# keeps the shell alive at Ctrl-C, which ends Jupyter Book alone.
_build/site-ready:
	@rm -rf $(HTML).before _build/.doctrees $@
	@if test -d $(HTML); then mv $(HTML) $(HTML).before; fi
	@trap : INT; echo "$(JUPYTER_BOOK)"; $(JUPYTER_BOOK) || { test ! -d $(HTML).before \
		|| { rm -rf $(HTML); mv $(HTML).before $(HTML); echo "The site is still that of before:" \
		"make serve SITE=$(HTML) shows it."; }; exit 1; }
	@rm -rf $(HTML).before
	@echo "$(SITE_NAMES)" > $@

# For make check: where pages alone changed since a build without a warning, Sphinx builds these. The
# site is not ready by that: other pages may count their words, or lead to a heading that is gone.
# While Sphinx works there is no stamp: if it fails, or somebody ends it, all is built the next time.
site-changed:
	@$(if $(CHANGED_FOR_ALL),$(MAKE) --no-print-directory _build/site-ready,mv _build/site-ready \
		_build/site-was-ready && $(JUPYTER_BOOK) && mv _build/site-was-ready _build/site-ready)

endif
