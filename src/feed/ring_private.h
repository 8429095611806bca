/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting and waking, for the parts of the rings. */
#ifndef BXS_RING_PRIVATE_H
#define BXS_RING_PRIVATE_H

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "feed/ring.h"

/* True: for all that time. */
static inline bool ring_futex_sleep(_Atomic uint32_t *word, uint32_t seen, unsigned us)
{
	struct timespec ts = { .tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000 };

	return syscall(SYS_futex, word, FUTEX_WAIT, seen, &ts, NULL, 0) < 0 && errno == ETIMEDOUT;
}

static inline void ring_futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static inline void ring_relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/* Nobody would ever read: a program without its machine must not stay. */
void ring_check_consumer(const struct ring_segment *s);
/* The consumer may sleep until somebody has written. */
void ring_bell(struct ring_segment *s);

#endif
