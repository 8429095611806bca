/* SPDX-License-Identifier: BSD-2-Clause */
/* Records to the machine, and its questions back. */
#include "feed/caches.h"

void caches_snoop(struct machine *m, unsigned core, struct xcore *x)
{
	const struct machine_snoop *snoop;
	unsigned n;

	if (!machine_snoops_pending(m, core))
		return;
	n = machine_snoops(m, core, &snoop);
	for (unsigned i = 0; i < n; i++)
		xcore_snoop(x, &snoop[i].snoop);
}

void caches_leave(struct machine *m, unsigned core, struct xcore *x, const struct leave_record *rec, unsigned n)
{
	if (n > 1)
		machine_expect(m, core, rec + 1, rec + n);
	for (const struct leave_record *end = rec + n; rec < end; )
		rec = machine_feed(m, core, rec, end, UINT64_MAX);
	caches_snoop(m, core, x);
}

void caches_halt(struct machine *m, unsigned core, struct xcore *x)
{
	struct leave_record rec = { .kind = LEAVE_HALT };

	xcore_flush(x);
	machine_access(m, core, &rec);
}
