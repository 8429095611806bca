/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a machine's processors say of themselves: signature, name, caches, and how logical CPUs are
 * numbered.  The one source for /proc/cpuinfo, /sys/devices/system/cpu and whoever answers CPUID.
 */
#ifndef BXS_IDENTITY_H
#define BXS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct spec;

enum { IDENTITY_CACHES = 4 };

struct identity_cache {
	unsigned level;
	char type;			/* D, I, U */
	unsigned size_kb, ways, line, sets;
	bool shared;			/* by all cores of the socket; else by the threads of one */
};

struct identity {
	unsigned family, model, stepping;	/* CPUID leaf 1, extended fields merged */
	uint32_t microcode;
	char name[49];			/* leaves 0x80000002..4 */
	const char *flags;		/* as the kernel spells them */
	unsigned highest_leaf;		/* of CPUID, basic */
	unsigned address_bits;		/* physical; virtual ones are 48 */
	struct identity_cache cache[IDENTITY_CACHES];
	unsigned sockets, cores, threads;	/* cores of a socket, threads of a core */
	unsigned nodes;			/* of memory, in all: as many of each socket */
	unsigned base_mhz, turbo_mhz;
};

/*
 * The identity of m's processors.  false: its family has no x86 identity (Itanium).
 */
bool identity_of(const struct machine *m, struct identity *out);

/* Where logical CPU `cpu` is: numbering as virtual.h says. */
struct identity_place {
	unsigned socket, core, thread, node;	/* core of the socket */
};
struct identity_place identity_place(const struct identity *id, unsigned cpu);

/* Bits of an APIC id below the socket's number: thread, and core. */
unsigned identity_core_bits(const struct identity *id);
/* socket << (core bits + 1) | core << 1 | thread */
uint32_t identity_apic_id(const struct identity *id, unsigned cpu);

#endif
