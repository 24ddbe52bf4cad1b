# SPDX-License-Identifier: Apache-2.0
# The front door. meson and ninja do the work; every target here first makes
# sure that what it needs is installed.
SHELL := /bin/bash
BUILD := build/release
ASAN := build/asan
CLANG := build/clang
TSAN := build/tsan
PREFIX ?= /usr/local

.PHONY: help all deps s3 build demo test quick clang tsan check lint fuzz bench evidence-campaign agreement-campaign fleet docs install uninstall clean

help:
	@echo 'make demo      install what is missing, build, and show what sharc does'
	@echo 'make test      install what is missing, build, run every test (make check is the same)'
	@echo
	@echo 'make test T=crawl_resume            one test by name: a unit test program, a folder of'
	@echo '                                    tests/cli, a story of tests/e2e, a page, a lint step'
	@echo 'make test T=crawl_resume F=killed_* the functions of a unit test program with such names'
	@echo
	@echo 'make build     the library and the program: $(BUILD)/src/sharc'
	@echo 'make quick     unit tests under the sanitizers, quick enough to run between edits'
	@echo 'make clang     compile everything with clang as well, and run unit tests'
	@echo 'make tsan      unit tests under ThreadSanitizer; T=crawl_resume runs one'
	@echo 'make lint      formatting, clang-tidy, cppcheck, the include law'
	@echo 'make fuzz      every fuzzer for FUZZ_SECONDS (60) each'
	@echo 'make bench     the benchmarks of docs/benchmarks.md'
	@echo 'make evidence-campaign  is anything called proved that is not? PAIRS (100000) judged'
	@echo 'make agreement-campaign  do all that judge a capture say the same of each page? RUNS (60) of them'
	@echo 'make fleet     LABS (300) living sites, workers that are killed, suspended and cut off: all captured once?'
	@echo 'make docs      man pages into build/man'
	@echo 'make install   into PREFIX ($(PREFIX)); make uninstall takes it back'
	@echo 'make s3        install an object store for the tests that are skipped without one (60 packages)'
	@echo 'make deps      only install what is missing;  make clean'

all: build

deps:
	@tools/deps

s3:
	@tools/s3-temp run true 2>/dev/null || apt-get install -y --no-install-recommends swift-proxy swift-account swift-container swift-object memcached

# Line numbers are all that a stack trace needs; the rest of debug information takes a fifth of the time.
$(BUILD)/build.ninja: | deps
	@meson setup $(BUILD) --prefix=$(PREFIX) -Dtests=disabled -Ddebug=false -Doptimization=2 -Dc_args=-g1 >/dev/null

# Some 190 test programs with sanitizers: lld links them several times as fast, and debug information is as much as a stack
# trace needs. Checks of every pointer for null and alignment make up half of the code: a null pointer ends the
# program anyhow, and alignment is checked in the folder of clang, where it costs little. What the checks say of places in the
# source holds half a million pointers: at a fixed address they need not be put right whenever a program starts.
$(ASAN)/build.ninja: | deps
	@CC_LD=lld meson setup $(ASAN) -Db_sanitize=address,undefined -Db_lundef=false -Ddefault_library=static -Dtests=enabled -Djoin=true --werror \
	  -Doptimization=g -Ddebug=false -Dc_args='-g1 -fno-pie -fno-sanitize=null,alignment' -Dc_link_args=-no-pie >/dev/null

# What a second compiler warns of does not depend on optimization or debug information: without
# both it takes a third of the time.
$(CLANG)/build.ninja: | deps
	@CC=clang CC_LD=lld meson setup $(CLANG) -Db_lundef=false -Ddefault_library=static -Dtests=enabled -Djoin=true --werror -Doptimization=0 -Ddebug=false \
	  -Dc_args='-fsanitize=alignment -fno-sanitize-recover=alignment' -Dc_link_args=-fsanitize=alignment >/dev/null

# Tells threads that touch the same memory without agreeing on an order. It knows the locks of libraries that were built without it.
$(TSAN)/build.ninja: | deps
	@CC=clang CC_LD=lld meson setup $(TSAN) -Db_sanitize=thread -Db_lundef=false -Ddefault_library=static -Dtests=enabled -Djoin=true -Doptimization=1 \
	  -Ddebug=false -Dc_args=-g1 >/dev/null

build: deps $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

demo: build
	@tools/demo $(BUILD)/src/sharc

# T names a test, F functions of unit tests; only what they need is built then.
ifneq ($(T)$(F),)
test: deps $(BUILD)/build.ninja $(ASAN)/build.ninja
	@tools/test-run --release $(BUILD) --asan $(ASAN) --only '$(T)' --filter '$(F)'
else
test: build $(ASAN)/build.ninja $(CLANG)/build.ninja docs
	@tools/test-run --release $(BUILD) --asan $(ASAN) --clang $(CLANG) all
endif

check: test

quick: deps $(ASAN)/build.ninja
	@tools/test-run --release $(BUILD) --asan $(ASAN) unit

clang: deps $(CLANG)/build.ninja
	@tools/test-run --release $(BUILD) --asan $(ASAN) --clang $(CLANG) clang

tsan: deps $(TSAN)/build.ninja
	@TSAN_OPTIONS='second_deadlock_stack=1 allocator_may_return_null=1 suppressions=$(CURDIR)/tests/tsan.supp' \
	  tools/test-run --release $(BUILD) --asan $(TSAN) --only '$(T)' unit

lint: build
	@tools/test-run --release $(BUILD) --asan $(ASAN) lint

fuzz: deps
	@tools/fuzz build/fuzz $${FUZZ_SECONDS:-60}

bench: build
	@bench/run build/bench

evidence-campaign: build
	@bench/evidence-campaign $(BUILD)/src/sharc --pairs $${PAIRS:-100000}

agreement-campaign: build
	@bench/agreement-campaign $(BUILD)/src/sharc --runs $${RUNS:-60} --seed $${SEED:-1}

# The story of tests/e2e with many sites.
fleet: build
	@SITES=$${SITES:-20} LABS=$${LABS:-300} KILLS=$${KILLS:-25} SHARC=$(BUILD)/src/sharc tests/e2e/workers.sh

docs: build
	@tools/make-man build/man $(BUILD)/src/sharc

install: build docs
	@meson configure $(BUILD) -Dprefix=$(PREFIX) >/dev/null
	@ninja -C $(BUILD) --quiet
	@meson install -C $(BUILD) --no-rebuild --quiet
	@tools/install-extra install "$(DESTDIR)$(PREFIX)" $(BUILD)/src/sharc build/man

uninstall:
	@ninja -C $(BUILD) uninstall >/dev/null
	@tools/install-extra uninstall "$(DESTDIR)$(PREFIX)" $(BUILD)/src/sharc build/man

clean:
	rm -rf build
