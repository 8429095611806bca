/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults on demand: what happens now and then with a probability, and what happens at a time.
 *
 *	ecc=1e-6,qpi-crc=1e-7,thermal=1ms+200us/2ms,seed=7
 *
 * A rate is that of a read of memory, of a flit.  A spell is FROM+LENGTH or FROM+LENGTH/PERIOD.
 */
#ifndef BXS_MACHINE_FAULTS_H
#define BXS_MACHINE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* name, what it is: a rate, a spell or a number; text */
#define FAULTS_KEYS(X) \
	X(ECC, "ecc", RATE, "reads of memory with an error that ECC corrects, of all") \
	X(REREAD, "reread", RATE, "reads of memory that come back damaged and are tried again, of all") \
	X(CRC, "qpi-crc", RATE, "flits damaged on a link, of all") \
	X(VMSE, "vmse-crc", RATE, "pushes of writes damaged on the link to a memory buffer, of all") \
	X(SMI, "smi-crc", RATE, "lines damaged on the serial link to a memory buffer, of all") \
	X(BUFFER, "buffer-ecc", RATE, "lines that a fill or victim buffer corrects, of all") \
	X(THERMAL, "thermal", SPELL, "the die is too hot: PROCHOT, cores at their least frequency") \
	X(PROCHOT, "prochot", SPELL, "something off the die is too hot: the same, and memory is throttled") \
	X(VRHOT, "vrhot", SPELL, "a voltage regulator is too hot: the same for cores") \
	X(MEMHOT, "memhot", SPELL, "memory modules are too hot: each rank has 32 lines in 1024 clocks") \
	X(MEMDIMM, "memdimm", NUMBER, "the module of each channel that memhot is about, if it is but one") \
	X(MEMCRITICAL, "memcritical", SPELL, "memory modules are far too hot: no command goes out") \
	X(SEED, "seed", NUMBER, "start of the random numbers")

struct machine;

/* Is there a fault of this name? */
bool machine_fault_has(const char *name, size_t len);

/*
 * Let the machine have these faults, from its present time on.  Lists given at the same time add up, each fault
 * once; a later one changes what it names.  0; BXS_EINVAL or BXS_ENOTSUP (a machine without
 * what is to fail), with a sentence in why: then it has none of them.
 */
int machine_fault(struct machine *m, const char *text, char *why, size_t size);

#endif
