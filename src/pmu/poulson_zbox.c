/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500, section 5.9, the memory controller: what an overflow freezes, and selections
 * of one DIMM, rank, buffer (tag nid) or dispatch address (tag opc).
 */
#include <string.h>

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

void poulson_zbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	const char *name = cat_str(e->name);
	uint64_t pld = *poulson_value(b, "_PLD_PMU"), pgt = *poulson_value(b, "_PGT_PMU");
	uint64_t thr = *poulson_value(b, "_PMU_MSC_THR"), dsp = *poulson_value(b, "_DSP_PMU");

	if (strcmp(name, "RETRIES") == 0 && bits_get(pld, 7, 7))
		only(c, SIGNAL_TAG_NID, bits_get(pld, 6, 1));
	else if (strncmp(name, "THERM_TRP", strlen("THERM_TRP")) == 0 && !bits_get(thr, 3, 3))
		only(c, SIGNAL_TAG_NID, bits_get(thr, 6, 4));
	else if (strcmp(name, "TT_CMD_CONFLICT") == 0 && bits_get(pgt, 1, 1))
		only(c, SIGNAL_TAG_NID, bits_get(pgt, 5, 2));
	else if (strncmp(name, "DSP_INSERT_ADDR", strlen("DSP_INSERT_ADDR")) == 0)
		only(c, SIGNAL_TAG_OPC, bits_get(dsp, 17, 11));
}

/* "CAS_RD_OPN.RDPRIO" is a CAS_RD_OPN, and any command, of that mode and of all. */
static bool widens_command(const char *from, const char *to)
{
	size_t n = strcspn(from, "."), m = strcspn(to, ".");
	bool same = n == m && strncmp(from, to, n) == 0;
	bool all = strncmp(to, "ALL", m) == 0;

	if (!same && !all)
		return false;
	return to[m] == '\0' || strcmp(from + n, to + m) == 0;
}

bool poulson_zbox_widens(const struct cat_event *e, const struct cat_umask *u,
			 const struct cat_umask *wide)
{
	static const struct { const char *event, *wide, *narrow; } rows[] = {
		{ "RETRIES", "ALL", "FVID" }, { "TT_CMD_CONFLICT", "TT_RANK_ALL", "TT_RANK_N" },
		{ "TRANS_CMDS", "INSERTS_ALL", "INSERTS_" },
	};
	const char *name = cat_str(e->name), *from = cat_str(u->name), *to = cat_str(wide->name);

	if (strcmp(name, "DRAM_CMD") == 0)
		return widens_command(from, to);
	/* What one DIMM does, any does. */
	if (strncmp(name, "THERM_TRP", strlen("THERM_TRP")) == 0)
		return strncmp(from, "DIMMn", 5) == 0 && strncmp(to, "ALL", 3) == 0 &&
		       strcmp(from + 5, to + 3) == 0;
	for (unsigned i = 0; i < LEN(rows); i++)
		if (strcmp(name, rows[i].event) == 0 && strcmp(to, rows[i].wide) == 0 &&
		    strncmp(from, rows[i].narrow, strlen(rows[i].narrow)) == 0)
			return true;
	return false;
}
