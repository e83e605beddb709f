# Every target sets up what it needs; see bootstrap/ for how. With a sourced ROS 2, that one is used.
#   make demo [ROBOT=path/to/robot.urdf]    correct a robot and let it stand
#   make test [ARGS="-k name"]              build, test, sum up
#   make test ARGS=--sweep                  the same with slow tests and all parameters of sweeps
#   make fuzz [ARGS="--cases 1000"]         damage files at random: docs/reliability.md
#   make fuzz-guided ARGS="urdf"            let coverage guide what one reader reads: docs/reliability.md
#   make fuzz-branches                      measure which branches of the readers that reaches
#   make check-gpus                         see that all kernels compile for GPUs, without one
#   make screenshots                        take the pictures of docs/images
#   make site                               build the documentation, strict, into site/
#   make reference                          write docs/reference and the stubs (*.pyi) from what they describe
#   make wheel sbom audit                   wheel and sdist; bill of materials; known vulnerabilities
#   make soak [ARGS="--minutes 30"]         treat the simulator node badly: docs/ros.md
#   make soak-faults [ARGS="kills"]         kill nodes, fill the disk, lose packets, step on: docs/reliability.md
#   make round-trips [ARGS="500"]           correct and convert robots at random: docs/reliability.md

# Prefer an interpreter that is already there and in the supported range.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3 python; do \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$python && break; done)

ifeq ($(strip $(PYTHON)),)
$(error No supported Python was found: install Python 3.11, 3.12 or 3.13, or name one with `make PYTHON=...`)
endif

BOOTSTRAP := $(PYTHON) -m bootstrap

.PHONY: all setup build demo test fuzz fuzz-guided fuzz-branches lint check-gpus bench bench-physics bench-peers bench-findings bench-causes peers kill-writers round-trips soak soak-faults screenshots site reference wheel sbom audit clean
all: build
setup build lint screenshots site reference wheel sbom audit clean:
	@$(BOOTSTRAP) $@
demo:
	@$(BOOTSTRAP) $@ -- $(if $(ROBOT),"$(abspath $(ROBOT))")
test fuzz fuzz-guided fuzz-branches check-gpus bench bench-physics bench-peers bench-findings bench-causes peers kill-writers round-trips soak soak-faults:
	@$(BOOTSTRAP) $@ -- $(ARGS)
