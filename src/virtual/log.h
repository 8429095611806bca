/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log of a living machine: every access to a register, a line each, that people read and replay_log() feeds back.
 *
 *	# boxscore log 1 FAMILY,sockets=2
 *	# load stream:threads=2
 *	0.001234567000 0.001234500000 4711 wrmsr 0 0xe01 0x400334 ; s0.cbo0 C0_MSR_PMON_CTL0 ev_sel=0x34 umask=3 en=1 (...)
 *	0.001240000000 0.001239900000 4711 rdpci ff:14.0 0xa0 32 0x1f ; s1.imc0 MC_CH0_PCI_PMON_CTR0 event_count=0x1f
 *	0.001250000000 0.001250000000 4712 rdmsr 3 0xdead #GP
 *
 * Columns: seconds of machine time, the same up to which the load had been run, process, operation, CPU or function,
 * register (PCI: and bits), value or #GP; what stands behind ; is for people.
 */
#ifndef BXS_LOG_H
#define BXS_LOG_H

#include <stddef.h>

#include "virtual/virtual.h"

struct log;

/*
 * Write all that happens to v from now on to a new file at path.  spec: as the machine was made from.  0, BXS_EIO or
 * BXS_ENOMEM with a sentence in why.
 */
int log_open(struct virtual *v, const char *path, const char *spec, const char *faults, struct log **out, char *why,
	     size_t size);

/* After v has ended.  NULL is allowed.  0, or BXS_EIO: not all of it could be written. */
int log_close(struct log *l);

#endif
