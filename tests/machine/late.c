/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core that has yet to hear what others did to its lines writes them or gives them up.  Whoever owns a line in the end, nobody
 * else is left with it.
 */
#include "check.h"
#include "machine/machine.h"
#include "make_machine.h"

enum { STEPS = 6, WHICH = 0x123456, NEAR = 1, FAR = 18 };

struct step {
	uint8_t core, kind;
};

static const struct row {
	int line;
	struct step step[STEPS];
	uint8_t asked;			/* this core is asked last, */
	enum leave_snoop_kind kind;	/* ... for this */
} rows[] = {
	/* Read, taken by another core, written before the core has heard of that. */
	{ LINE, { { NEAR, LEAVE_DRD }, { 0, LEAVE_RFO }, { NEAR, LEAVE_DIRTY } }, 0, LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { FAR, LEAVE_DRD }, { 0, LEAVE_RFO }, { FAR, LEAVE_DIRTY } }, 0, LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { 0, LEAVE_DRD }, { FAR, LEAVE_RFO }, { 0, LEAVE_DIRTY } }, FAR, LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { 0, LEAVE_DRD }, { FAR, LEAVE_DRD }, { 0, LEAVE_DIRTY } }, FAR, LEAVE_SNOOP_INVALIDATE },
	/* Written, read by another core, given back before the core has heard of that: others still share it. */
	{ LINE, { { 0, LEAVE_RFO }, { NEAR, LEAVE_DRD }, { 0, LEAVE_WB_M }, { 0, LEAVE_RFO } }, NEAR, LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { 0, LEAVE_RFO }, { FAR, LEAVE_DRD }, { 0, LEAVE_WB_M }, { 0, LEAVE_RFO } }, FAR, LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { 0, LEAVE_RFO }, { FAR, LEAVE_DRD }, { 0, LEAVE_WB_M }, { 0, LEAVE_DRD }, { 0, LEAVE_DIRTY } }, FAR,
	  LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { FAR, LEAVE_RFO }, { 0, LEAVE_DRD }, { FAR, LEAVE_WB_M }, { NEAR, LEAVE_RFO } }, 0, LEAVE_SNOOP_INVALIDATE },
	/* In time: the core that writes has it to itself. */
	{ LINE, { { 0, LEAVE_RFO }, { 0, LEAVE_WB_M }, { FAR, LEAVE_DRD }, { NEAR, LEAVE_RFO } }, FAR, LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { 0, LEAVE_RFO }, { FAR, LEAVE_DRD } }, 0, LEAVE_SNOOP_SHARE },
};

static void test_row(const struct row *row)
{
	struct machine *m = make_machine("hsx");
	const struct machine_snoop *snoop;
	unsigned n = 0;

	for (unsigned i = 0; i < STEPS && row->step[i].kind; i++) {
		struct leave_record rec = { .line = WHICH, .kind = row->step[i].kind & 63, .instructions = 100 };

		/* What came before the last step is heard of. */
		machine_snoops(m, row->asked, &snoop);
		machine_access(m, row->step[i].core, &rec);
	}
	n = machine_snoops(m, row->asked, &snoop);
	CHECK_EQ(row->line, n, 1);
	if (n) {
		CHECK_EQ(row->line, snoop[0].snoop.kind, row->kind);
		CHECK_EQ(row->line, snoop[0].snoop.line, WHICH);
	}
	machine_free(m);
}

int main(void)
{
	for (unsigned i = 0; i < LEN(rows); i++)
		test_row(rows + i);
	return check_done();
}
