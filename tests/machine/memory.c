// SPDX-License-Identifier: BSD-2-Clause
/* Which home agent serves what of memory, as the specification says, counted through PMU registers. */
#include "probe.h"

/* A memory of 64 MB in four regions, pages handed out in order: 24 MB fill one and a half of them. */
static void check_regions(void)
{
	static const char *const names[] = { "REGION0", "REGION1", "REGION2", "REGION3" };
	static const unsigned want[] = { 4096, 2048, 0, 0 };
	struct probes p = { .m = probe_machine("hsx,sockets=1,cores=1,memory=64M,tads=4") };
	unsigned n[4];

	p.family = machine_spec(p.m)->family;
	for (unsigned i = 0; i < LEN(n); i++)
		n[i] = probe_add(&p, "ha", "TAD_REQUESTS_G0", names[i], i);
	probe_count(&p, "stride:size=24M,stride=4096,count=6144");
	for (unsigned i = 0; i < LEN(n); i++)
		CHECK_EQ(__LINE__, probe_read(&p, n[i]), want[i]);
	machine_free(p.m);
}

int main(void)
{
	check_regions();
	return check_done();
}
