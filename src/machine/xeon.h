/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated hardware of a Xeon: built from a specification, wired to the PMU's ports. */
#ifndef BXS_MACHINE_XEON_H
#define BXS_MACHINE_XEON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/spec.h"
#include "uncore/fabric.h"

struct imc_config;

/* What tells the uncores of Xeons apart, beside what their catalogues and parts say. */
struct xeon_design {
	/* A channel at mts million transfers a second with so many ranks. */
	void (*memory)(struct imc_config *config, unsigned mts, unsigned ranks);
	uint16_t ddr_most, qpi_most;	/* fastest memory and links, million transfers a second */
	uint8_t link_transfers;		/* of a link in a clock of its link layer */
	uint16_t hitme;			/* entries of a home agent's HitME cache */
	bool clusters;			/* a socket can be split into two nodes */
	bool ring_at_core;		/* the uncore runs as fast as the cores */
	struct fabric_times times;
	/* Its boxes go by other names than Haswell's: pairs of both, ends with NULL; or NULL. */
	const char *const (*names)[2];
	/* S-Boxes and a router stand between rings and system, one of the links leads to the I/O hub, and
	 * all channels of a memory controller, each of two links in lockstep, are one box. */
	bool bridged;
	uint32_t without;		/* keys of a specification, a bit each, that have to stay as they are by default */
	uint8_t cores_most, sockets_most;	/* 0: what the catalogue has, what a machine may have */
};

extern const struct xeon_design xeon_haswell, xeon_sandy_bridge, xeon_nehalem_ex;

struct machine;
struct pmu;
struct pmu_config;

/* See struct families_entry. */
int xeon_check(const struct spec *spec, char *why, size_t size);
void xeon_boxes(const struct spec *spec, struct pmu_config *config);
bool xeon_uses(const struct spec *spec, unsigned type, unsigned box);
int xeon_clocks(const struct spec *spec, struct pmu *pmu);
int xeon_build(struct machine *m);
void xeon_release(struct machine *m);

#endif
