/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Embedding the performance-monitoring hardware in a host, as an emulator would: it forwards the
 * guest's register accesses, tells what its own hardware does, and delivers the interrupt.
 *
 * The guest counts LLC look-ups of slice 0 and asks home agent 0 for an interrupt after 1000 reads.
 */
#include <inttypes.h>
#include <stdio.h>

#include "boxscore.h"

/* The host's WRMSR: 0, or 1 when it has to raise #GP in the guest. */
static int guest_wrmsr(bxs_machine *m, unsigned cpu, uint32_t msr, uint64_t value)
{
	return bxs_wrmsr(m, cpu, msr, value) == BXS_EFAULT;
}

int main(void)
{
	bxs_machine *m;
	struct bxs_tag modified = { 0 };
	struct bxs_interrupt pmi;
	uint64_t lookups, id;
	char why[200];

	if (bxs_machine_new("hsx", BXS_BARE, &m, why, sizeof why) < 0) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	/* What the guest's driver does: filter, event, preload, interrupt to core 3. */
	guest_wrmsr(m, 0, 0xe05, 0x100000);			/* FILTER0: state M */
	guest_wrmsr(m, 0, 0xe01, 0x401134);			/* LLC_LOOKUP.ANY */
	guest_wrmsr(m, 0, 0x700, 1 << 3);			/* pmi_core_sel */
	bxs_rdpci(m, 0, 18, 1, 0, 32, &id);			/* home agent 0 */
	bxs_wrpci(m, 0, 18, 1, 0xa0, 64, (UINT64_C(1) << 48) - 1000);
	bxs_wrpci(m, 0, 18, 1, 0xd8, 32, 0x500301);		/* REQUESTS.READS, ov_en */
	printf("home agent %04" PRIx64 ", unknown MSR faults: %d\n", id >> 16,
	       guest_wrmsr(m, 0, 0x1234, 0));

	/* What the host's own caches and memory do, and its clock. */
	bxs_tag_set(&modified, "state", "M");
	for (unsigned i = 0; !bxs_take_interrupt(m, &pmi); i++) {
		bxs_pulse(m, "cbo0", "LLC_LOOKUP.ANY", 2, i % 2 ? &modified : NULL);
		bxs_pulse(m, "ha0", "REQUESTS.READS", 1, NULL);
		bxs_advance(m, "uclk", 1);
	}
	bxs_rdmsr(m, 0, 0xe08, &lookups);
	printf("interrupt to cores %#" PRIx64 " of socket %u after %" PRIu64 " ps, %" PRIu64
	       " look-ups of modified lines\n", pmi.cores, pmi.socket, pmi.when, lookups);
	bxs_machine_free(m);
	return 0;
}
