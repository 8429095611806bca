/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about a family's products other than their counters: catalog/FAMILY/{design,cpu,likwid,errata} as the generator
 * lays them out.  Members are named as in catalog.h.
 */
#ifndef BXS_CATALOG_PRODUCT_H
#define BXS_CATALOG_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"

/* What stands behind the PMU. */
enum cat_hardware { CAT_HARDWARE_NONE, CAT_HARDWARE_XEON, CAT_HARDWARE_ITANIUM };

enum cat_memory { CAT_MEMORY_DDR3, CAT_MEMORY_DDR4 };

/* Keys of a machine specification that have no effect in a family. */
enum cat_lacks {
	CAT_LACKS_VMSE = 1 << 0, CAT_LACKS_OSB = 1 << 1, CAT_LACKS_VNA = 1 << 2, CAT_LACKS_L0P = 1 << 3, CAT_LACKS_ERMS = 1 << 4,
};

struct cat_core {
	uint16_t fill_buffers;		/* demand misses outstanding */
	uint16_t super_queue;		/* all requests outstanding */
	uint16_t reorder;		/* instructions that may wait behind a load */
	uint16_t stores;		/* entries of store data */
	uint8_t l1_load, l2_load;	/* clocks until the next load has its address from a hit */
	uint8_t locked;			/* clocks of a locked instruction, besides its miss if it does */
};

/* Uncore clocks of each step; 0: the fabric's default. */
struct cat_uncore {
	uint8_t core_out, core_in, tag, hit, r3_out, r3_in;
};

struct cat_design {
	struct cat_core core;
	struct cat_uncore uncore;
	uint8_t hardware, memory;
	uint8_t serial;			/* clocks of memory, each way, on serial links to buffers */
	uint8_t link_transfers;		/* of a link in a clock of its link layer */
	uint16_t ddr_most, qpi_most;	/* fastest memory and links, million transfers a second */
	uint16_t hitme;			/* entries of a home agent's HitME cache */
	uint8_t lacks;
	uint8_t cores_most, sockets_most;	/* 0: what the catalogue has, what a machine may have */
	bool clusters;			/* a socket can be split into two nodes */
	bool ring_at_core;		/* the uncore runs as fast as the cores */
	bool one_ring;			/* all cores are on one ring, however many */
	/* S-Boxes and a router stand between rings and system, one of the links leads to the I/O hub, and
	 * all channels of a memory controller, each of two links in lockstep, are one box. */
	bool bridged;
};

#define CAT_ANY_SUBLEAF UINT32_MAX

/* Where a leaf holds the APIC id of the CPU that executes CPUID. */
enum cat_leaf_own { CAT_OWN_NOTHING, CAT_OWN_APIC, CAT_OWN_X2APIC };

struct cat_leaf {
	uint32_t leaf, subleaf, eax, ebx, ecx, edx;
	uint8_t own;
};

struct cat_cache {
	uint16_t kb, ways;
};

struct cat_cpu {
	bool known;			/* false: it runs no x86 programs, and the other members are 0 */
	uint8_t stepping, other_stepping;
	uint32_t other;			/* prefix of the names of parts with other_stepping */
	uint32_t microcode;
	uint8_t energy_unit;		/* of a package: joules over two to the power of; 0: it does not tell */
	uint8_t address_bits;		/* physical */
	uint32_t version;		/* suffix of the part number in the product's name */
	uint32_t emulator;		/* QEMU's model of it, without the features that QEMU lacks */
	uint32_t flags;			/* as Linux spells them */
	uint32_t highest_leaf;		/* of CPUID, basic */
	struct cat_cache cache[3];	/* L1 data, L1 code, L2 */
	uint16_t leaf0, leaves;
};

/* SMBIOS's number of the socket that parts with names of this prefix fit. */
struct cat_socket {
	uint16_t family;
	uint8_t socket;
	uint32_t part;
};

/* LIKWID's number of a device on the uncore bus. */
struct cat_likwid {
	uint16_t family;
	uint8_t device, function;	/* dev << 3 | fn */
};

/* What an erratum does (src/virtual/fault_errata.c). */
enum cat_misbehaviour { CAT_ERRATUM_ONE_BIT_AT_A_TIME, CAT_ERRATUM_SECOND_WRITE, CAT_ERRATUM_LOW_BITS };

struct cat_erratum {
	uint32_t name, text;
	uint16_t family;
	uint8_t act;
	uint32_t type0, types;		/* of cat_types, into cat_numbers: whose registers misbehave */
};

/* One row for each family. */
extern const struct cat_design cat_designs[];
extern const struct cat_cpu cat_cpus[];
extern const struct cat_leaf cat_leaves[];
extern const struct cat_socket cat_sockets[];
extern const unsigned cat_socket_count;
extern const struct cat_likwid cat_likwids[];
extern const unsigned cat_likwid_count;
extern const struct cat_erratum cat_errata[];
extern const unsigned cat_erratum_count;

static inline const struct cat_design *cat_design_of(const struct cat_family *f)
{
	return &cat_designs[f - cat_families];
}

static inline const struct cat_cpu *cat_cpu_of(const struct cat_family *f)
{
	return &cat_cpus[f - cat_families];
}

#endif
