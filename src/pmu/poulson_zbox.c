/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500, section 5.9, the memory controller: what an overflow freezes, and selections
 * of one DIMM, rank, buffer (tag nid) or dispatch address (tag opc), and of a queue that is empty or not.
 */
#include "pmu/poulson.h"

enum { FRZ = 31, UNFRZ = 30 };

static void freeze(struct box *b, bool frozen)
{
	uint64_t *status = poulson_value(b, "_CNT_STATUS");

	*status = (*status & ~(UINT64_C(1) << FRZ)) | (uint64_t)frozen << FRZ;
}

/* Both pulses at once freeze. */
static void wrote_status(struct box *b, uint64_t old, uint64_t written)
{
	bool frozen = old >> FRZ & 1;

	if (written >> UNFRZ & 1) {
		frozen = false;
		for (unsigned i = 0; i < b->type->counters; i++)
			b->counter[i].held = false;
	}
	freeze(b, frozen || (written >> FRZ & 1));
}

void poulson_zbox_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written)
{
	if (slot == pmu_slot_named(b, "_CNT_STATUS")) {
		wrote_status(b, old, written);
		/* The state of the box follows its master and this. */
		slot = pmu_slot_named(b, "_PMON_PERF_MASTER");
		written = 0;
	}
	poulson_wrote(b, slot, old, written);
}

/* wrap_mode 0 stops the counter, or with frz_mode all of them, until unfrz. */
void poulson_zbox_overflowed(struct box *b, struct counter *c, uint64_t when)
{
	uint64_t ctl = b->socket->value[c->ctl];

	if (!bits_get(ctl, 2, 2)) {
		if (bits_get(ctl, 3, 3)) {
			freeze(b, true);
			b->frozen = true;
		} else {
			c->held = true;
		}
	}
	poulson_overflowed(b, c, when);
}

static void only(struct counter *c, unsigned tag, uint64_t value)
{
	struct signal_test *test = &c->test[PMU_TESTS - 1];

	*test = (struct signal_test){ .kind = SIGNAL_TEST_EQ, .tag = (uint8_t)tag,
				      .mask = UINT64_MAX, .value = value };
	for (unsigned i = 0; i < c->watch.alts; i++) {
		c->alt[i].test = test;
		c->alt[i].tests = 1;
	}
}

/* The clocks that the dispatch queue is empty, or not; or how often it becomes so: as it is when counting starts does not count. */
static void watch_queue(struct counter *c, const struct cat_event *e, bool empty)
{
	c->watch.once = false;
	c->watch.chain = (struct chain){ .threshold = 1, .invert = empty, .edge = e->unit == CAT_EVENTS, .high = true };
}

void poulson_zbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t pld = *poulson_value(b, "_PLD_PMU"), pgt = *poulson_value(b, "_PGT_PMU");
	uint64_t thr = *poulson_value(b, "_PMU_MSC_THR"), dsp = *poulson_value(b, "_DSP_PMU");

	if ((e->by & CAT_BY_BUFFER) && bits_get(pld, 7, 7))
		only(c, SIGNAL_TAG_NID, bits_get(pld, 6, 1));
	else if ((e->by & CAT_BY_DIMM) && !bits_get(thr, 3, 3))
		only(c, SIGNAL_TAG_NID, bits_get(thr, 6, 4));
	else if ((e->by & CAT_BY_RANK) && bits_get(pgt, 1, 1))
		only(c, SIGNAL_TAG_NID, bits_get(pgt, 5, 2));
	else if (e->by & CAT_BY_DISPATCH)
		only(c, SIGNAL_TAG_OPC, bits_get(dsp, 17, 11));
	else if (e->by & CAT_BY_QUEUE)
		watch_queue(c, e, bits_get(dsp, 10, 10));
}
