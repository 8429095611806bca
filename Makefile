# Boxscore: a thin front for Meson.  `make help` lists the targets.
BUILD ?= build
PREFIX ?= /usr/local
TIME ?= 60
BROWSER = chromium chromium-driver
PACKAGES = gcc g++ libc6-dev meson ninja-build pkg-config python3 libzstd-dev libjansson-dev libjs-dygraphs libfuse3-dev fuse3 libzydis-dev qemu-user valgrind \
	msr-tools pciutils dmidecode x86info pcm likwid linux-perf procps stress-ng binutils-ia64-linux-gnu groff-base zsh fish $(BROWSER)

.PHONY: all demo test check torture ia64-programs fuzz bench deps install uninstall deb check-deb check-root clean help

all: $(BUILD)/build.ninja  ## build everything into $(BUILD)
	@ninja -C $(BUILD)

# Packages are installed where that is asked for, and by the two commands that promise to work on a fresh machine.
$(BUILD)/build.ninja: $(if $(filter demo test,$(MAKECMDGOALS)),| deps)
	@meson setup $(BUILD) --prefix $(abspath $(PREFIX)) || { echo "make deps installs what is missing on Debian 12"; exit 1; }

# The demonstration opens no page.
demo: PACKAGES := $(filter-out $(BROWSER),$(PACKAGES))
demo: $(BUILD)/build.ninja  ## measure a program of ours on the simulated two-socket server
	@ninja -C $(BUILD) demo
	@sh tools/demo.sh $(BUILD)

test: all  ## run every test
	@python3 tools/run_tests.py $(BUILD)

check: all  ## the tests again, under address and undefined-behaviour sanitizers
	@python3 tools/run_tests.py --sanitize $(BUILD)-asan

torture: all  ## install and run stress-ng, Python's own tests and a hostile program under stat, for an hour
	@sh tools/deps.sh libpython3.11-testsuite
	@python3 tests/torture/test_hostile.py $(abspath $(BUILD))/boxscore $(abspath $(BUILD))/tests/torture/hostile --long
	@python3 tests/torture/test_failing.py $(abspath $(BUILD))/boxscore $(abspath $(BUILD))/tests/torture/failing.so --long
	@python3 tests/torture/stress.py $(abspath $(BUILD))/boxscore

fuzz:  ## fuzz each parser for TIME seconds (60), with clang's libFuzzer and sanitizers
	@python3 tests/fuzz/fuzz.py --time $(TIME) $(BUILD)-fuzz

CC_IA64 ?= ia64-linux-gnu-cc
ia64-programs: all  ## build well-known programs with CC_IA64, and compare what they print on the Itanium core
	@python3 tests/ia64/programs.py "$(CC_IA64)" "$(abspath $(BUILD))/boxscore stat -M poulson -o /dev/null --" \
		$(BUILD)/ia64-programs

bench: all  ## print speeds, as ratios against other tools
	@sh tools/run_bench.sh $(BUILD)

deps:  ## install what is missing (Debian 12 packages)
	@sh tools/deps.sh $(PACKAGES)

install: all  ## install below PREFIX (default: the one built for, /usr/local)
ifneq ($(origin PREFIX),file)
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	@ninja -C $(BUILD)
endif
	@meson install -C $(BUILD) --no-rebuild

uninstall:  ## take away what was installed last
	@python3 tools/uninstall.py $(BUILD)

deb:  ## build Debian packages of what is in git into $(BUILD)-deb
	@sh tools/deb.sh . $(abspath $(BUILD))-deb

check-deb:  ## build them twice, and check them: contents, lintian, the same bytes, the demo
	@python3 tests/guide/check_deb.py . $(abspath $(BUILD))-deb

check-root: deb  ## install them in a clean Debian (debootstrap, as root), and do there what the guides say
	@python3 tests/guide/check_root.py $(abspath $(BUILD))-deb $(abspath $(BUILD))-root

clean:  ## forget all builds
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-fuzz $(BUILD)-deb $(BUILD)-root

help:
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' Makefile
