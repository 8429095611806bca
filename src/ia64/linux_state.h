/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel keeps of a program beside its memory. */
#ifndef BXS_IA64_LINUX_STATE_H
#define BXS_IA64_LINUX_STATE_H

#include <stdint.h>

enum { LINUX_FILES = 1024, LINUX_SIGNALS = 64 };

/* As the kernel has it (include/linux/signal_types.h); handler is the address of a function descriptor. */
struct linux_action { uint64_t handler, flags, mask; };

struct linux_context;

struct linux_state {
	int file[LINUX_FILES];		/* this process's descriptor, -1: closed */
	int cwd;			/* likewise, or AT_FDCWD */
	unsigned umask;			/* on top of this process's */
	uint64_t mmap_next;
	uint64_t started_s, started_ns;	/* the date at the start; time since then is the machine's */
	uint64_t slept;			/* nanoseconds that sleeps have skipped */
	uint64_t random;
	uint64_t mask, pending;		/* signals that are blocked, that wait */
	struct linux_context *context;	/* what handlers interrupt, the last one first */
	struct linux_action action[LINUX_SIGNALS + 1];
};

#endif
