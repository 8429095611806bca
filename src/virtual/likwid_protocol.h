/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How LIKWID 5.2 speaks with its access daemon: a stream of records, each answered by itself with the result
 * filled in.  LIKWID starts the daemon with no arguments and no environment, then connects to the socket
 * LIKWID_SOCKET with the daemon's process number.
 *
 * Ours does not reach registers.  It takes LIKWID's connection and hands it to the process of the machine, at the
 * abstract socket that LIKWID's own environment names.
 */
#ifndef BXS_LIKWID_PROTOCOL_H
#define BXS_LIKWID_PROTOCOL_H

#include <stdint.h>

#define LIKWID_SOCKET "/tmp/likwid-%d"
#define LIKWID_DOOR_VARIABLE "BOXSCORE_LIKWID"	/* name of the machine's socket */
#define LIKWID_DAEMON "likwid-accessD"

enum likwid_kind { LIKWID_READ, LIKWID_WRITE, LIKWID_CHECK, LIKWID_EXIT };

enum likwid_error {
	LIKWID_OK, LIKWID_UNKNOWN, LIKWID_FORBIDDEN, LIKWID_NOT_OPEN, LIKWID_FAILED, LIKWID_BUSY, LIKWID_NO_DEVICE,
};

/* In the byte order and alignment of the processor. */
struct likwid_record {
	uint32_t cpu;			/* of an MSR; for devices the socket */
	uint32_t reg;			/* number of an MSR, offset in a device's configuration space */
	uint64_t data;
	uint32_t device;		/* 0: MSRs */
	uint32_t kind;			/* enum likwid_kind */
	uint32_t error;			/* enum likwid_error, in answers */
};

#endif
