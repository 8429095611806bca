/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel keeps of a program beside its memory. */
#ifndef BXS_IA64_LINUX_STATE_H
#define BXS_IA64_LINUX_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ia64.h"

enum { LINUX_FILES = 1024, LINUX_SIGNALS = 64 };

/* As the kernel has it (include/linux/signal_types.h); handler is the address of a function descriptor. */
struct linux_action { uint64_t handler, flags, mask; };

struct linux_context;

/* A thread of the program.  Those that are not at hand are in a ring with it, in the order in which they were made. */
struct linux_thread {
	struct linux_thread *next;
	int32_t id;
	bool waits, ended, answers;
	bool runs;			/* on a processor, of several; at hand or not */
	int64_t answer;			/* of its call, once it has waited */
	uint64_t futex, bits;		/* the futex that it waits for, 0: none, and for which of its wakes */
	int file, events;		/* or this process's descriptor that it waits for, 0 events: none, and what poll() asks of it */
	uint64_t until;			/* machine time at which it waits no more */
	int64_t late;			/* what its call answers then */
	uint64_t call_ip;		/* the call that it waits in */
	unsigned call_slot;
	uint64_t clear_id, robust;	/* addresses that its end is told by */
	uint64_t mask, pending, aimed;	/* signals that are blocked, that wait, that were sent to it alone */
	struct linux_context *context;	/* what handlers interrupt, the last one first */
	struct linux_context *saved;	/* its registers while another one runs */
	unsigned processor;		/* of several: where it has run last */
	uint64_t since;			/* the cycle from which on it can go on */
};

/* One of several processors: what runs there, NULL: nothing, and how far it has come. */
struct linux_processor {
	struct linux_thread *thread;
	bool on;			/* the caller knows that it runs */
	bool fresh;			/* the thread has not yet been at hand here */
	uint64_t cycle, ran;		/* instructions of its turn */
};

struct linux_state {
	int file[LINUX_FILES];		/* this process's descriptor, -1: closed */
	int cwd;			/* likewise, or AT_FDCWD */
	unsigned umask;			/* on top of this process's */
	uint64_t mmap_next;
	uint64_t started_s, started_ns;	/* the date at the start; time since then is the machine's */
	uint64_t slept;			/* nanoseconds that sleeps have skipped */
	uint64_t random;
	struct linux_thread main, *thread;	/* the one that began, the one at hand */
	uint64_t slice_end;		/* instructions retired when its turn is over */
	bool look, gives_way;		/* the turns have changed; the thread at hand gives its own away */
	const struct ia64_processors *on;	/* NULL: one processor, without a time of its own */
	struct linux_processor processor[IA64_PROCESSORS];
	unsigned here;			/* the processor at hand */
	uint64_t turn_began, turn_end;	/* instructions retired, the cycle where the next processor has its turn */
	unsigned alats_aside;		/* valid entries in the ALATs of threads that run but are not at hand */
	int32_t last_id;
	int status;			/* of the first thread, once it has ended */
	struct linux_action action[LINUX_SIGNALS + 1];
};

#endif
