/* SPDX-License-Identifier: BSD-2-Clause */
/* Making the page of cpu_page.h: what CPUID says of a machine, and its clock. */
#ifndef BXS_VIRTUAL_CPUID_H
#define BXS_VIRTUAL_CPUID_H

#include <stdint.h>

#include "virtual/cpu_page.h"

struct machine;

/*
 * The processors of m into *page, which is zeroed before.  0, or BXS_ENOTSUP: of its family nobody
 * knows what CPUID says.
 */
int cpuid_fill(const struct machine *m, struct cpu_page *page);

/*
 * Make (or empty) the file `path`, readable and writable by its owner alone, fill it and map it
 * shared: *out is the caller's, for munmap() of sizeof **out bytes.  0, BXS_EIO with errno set,
 * or what cpuid_fill() says.
 */
int cpuid_create(const char *path, const struct machine *m, struct cpu_page **out);

/*
 * From `from` (nanoseconds of CLOCK_MONOTONIC) on the time stamp counter goes on from tsc with rate / 2^32
 * a nanosecond, as far as limit.  One writer at a time.
 */
void cpuid_clock(struct cpu_page *page, uint64_t tsc, uint64_t from, uint64_t rate, uint64_t limit);

/* What the clock shows at `now`; 0: nobody has set it. */
uint64_t cpuid_clock_read(const struct cpu_page *page, uint64_t now);

#endif
