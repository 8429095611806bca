/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of every box while a core sleeps for 50 us: 2 us to wake it before, with the uncore at rest at 1.2 GHz, then
 * 72 us (as check_bands() of registers.c) at 2.3 GHz.  Power control has 800 MHz, a channel of DDR4-2133
 * 1066.667 MHz, a link of 9.6 GT/s 2.4 GHz.
 */
#include "probe.h"

static const struct row {
	int line;
	const char *box, *event;
	uint64_t want;
} rows[] = {
	{ LINE, "pcu", "CLOCKTICKS", 74 * 800 },
	{ LINE, "imc", "DCLOCKTICKS", 78933 }, { LINE, "imc", "CLOCKTICKS", 78933 },
	{ LINE, "qpi", "CLOCKTICKS", 74 * 2400 },
#define UNCORE 2 * 1200 + 72 * 2300
	{ LINE, "cbo", "CLOCKTICKS", UNCORE }, { LINE, "sbo", "CLOCKTICKS", UNCORE }, { LINE, "ha", "CLOCKTICKS", UNCORE },
	{ LINE, "irp", "CLOCKTICKS", UNCORE }, { LINE, "r2pcie", "CLOCKTICKS", UNCORE },
	{ LINE, "r3qpi", "CLOCKTICKS", UNCORE },
};

int main(void)
{
	for (const struct row *row = rows; row < rows + LEN(rows); row++) {
		struct probes p = { .m = make_machine("hsx,cores=2") };
		unsigned n;

		p.family = machine_spec(p.m)->family;
		n = probe_add(&p, row->box, row->event, NULL, 0);
		probe_count(&p, "idle:time=50000");
		/* Freezing falls between two edges; of every box of both sockets. */
		for (unsigned i = 0; i < 2 * probe_boxes(&p, p.probe[n].type); i++) {
			uint64_t got = probe_box(&p, n, i / probe_boxes(&p, p.probe[n].type),
						 i % probe_boxes(&p, p.probe[n].type));

			CHECK(got + 2 >= row->want && got <= row->want + 2);
			if (got + 2 < row->want || got > row->want + 2)
				printf("%s %u: %llu, want %llu\n", row->box, i, (unsigned long long)got, (unsigned long long)row->want);
		}
		machine_free(p.m);
	}
	return check_done();
}
