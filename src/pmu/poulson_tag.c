/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500: which tags an occurrence gets.
 *
 *	address ranges --> opcode matchers --> data address and kind of reference
 *	range[0..3]        tag[0..3]           data
 */
#include "pmu/poulson_core.h"

/* 3.3.5.1: a breakpoint register pair, whatever its fault enables say; from bit lo on. */
static bool pair_matches(const uint64_t *br, unsigned pair, uint64_t addr, unsigned lo,
			 uint64_t cpl)
{
	uint64_t base = br[2 * pair], mask = br[2 * pair + 1];
	uint64_t care = bits_mask(63, 56) | (mask & bits_mask(55, lo));

	return ((addr ^ base) & care) == 0 && mask >> (56 + cpl) & 1;
}

/* 3.3.5.4: two pairs are the limits, within 64 KB; masks of the low bits mean nothing. */
static bool fine_matches(const uint64_t *br, unsigned low, uint64_t ip, uint64_t cpl)
{
	uint64_t from = br[2 * low], to = br[2 * (low + 2)], at = bits_get(ip, 15, 4);

	return ip >> 16 == from >> 16 && ip >> 16 == to >> 16 && at >= bits_get(from, 15, 4) &&
	       at <= bits_get(to, 15, 4) && br[2 * low + 1] >> (56 + cpl) & 1;
}

static void tag_ranges(const struct core_thread *t, uint64_t ip, bool *range)
{
	static const uint8_t ig[CHANNELS] = { 1, 4, 7, 10 };
	uint64_t cfg = *t->pmc[PMC_IAM_CFG], msk = *t->pmc[PMC_OPM0_MSK];
	const uint64_t *ibr = &t->psr[DOOR_IBR0_];
	bool fine = bits_get(cfg, 13, 13);

	for (unsigned c = 0; c < CHANNELS; c++) {
		bool ignored = cfg >> ig[c] & 1;

		if (fine && c < 2 && !ignored && !(cfg >> ig[c + 2] & 1))
			range[c] = fine_matches(ibr, c, ip, t->psr[DOOR_CPL_]);
		else
			range[c] = ignored || pair_matches(ibr, c, ip, 4, t->psr[DOOR_CPL_]);
	}
	if (bits_get(msk, 57, 57))
		range[0] = true;
	else if (bits_get(msk, 56, 56))
		range[0] = !range[0];
}

/* 3.3.6: an A instruction may stand in M and I slots and asks for both. */
static bool opcode_matches(uint64_t msk, uint64_t mat, uint64_t itype, uint64_t op)
{
	static const uint64_t types[] = { UINT64_C(1) << 51, UINT64_C(1) << 50, UINT64_C(1) << 49,
					  UINT64_C(1) << 48, UINT64_C(3) << 50 };

	return (msk & types[itype]) == types[itype] && ((op ^ mat) & ~msk & bits_low(41)) == 0;
}

/* The bit of each kind of reference in PMC_DAM_CFG's mask of kinds. */
static const uint8_t kind_bits[] = {
	0, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

static bool writes(uint64_t type)
{
	return type >= 4 && type <= 6;
}

static bool semaphore(uint64_t type)
{
	return type == 8;
}

/*
 * 3.3.7: does pair i take the reference?  A pair that is not enabled still asks for the
 * instruction's tag and the kind while no pair is: table 3-3 programs it so.
 */
static bool pair_takes(const struct core_thread *t, const struct door *d, unsigned i, bool any_on,
		       bool kind, bool instruction)
{
	uint64_t cfg = *t->pmc[PMC_DAM_CFG] >> 8 * i, type = d->v[DOOR_TYPE_];
	bool hit, access;

	if (any_on && !bits_get(cfg, 5, 5))
		return false;
	if (!any_on && i != 0)
		return false;
	if (!kind || !(bits_get(cfg, 4, 4) || instruction))
		return false;
	if (!any_on || bits_get(cfg, 3, 3))
		return true;
	hit = pair_matches(&t->psr[DOOR_DBR0_], i, d->v[DOOR_ADDR_], 0, t->psr[DOOR_CPL_]);
	access = semaphore(type) ? bits_get(cfg, 7, 6) != 0 :
				   bits_get(cfg, writes(type) ? 6 : 7, writes(type) ? 6 : 7);
	return hit != bits_get(cfg, 0, 0) && access;
}

static bool takes_kind(uint64_t cfg, uint64_t type)
{
	return cfg >> 49 == 0 || (type && cfg >> kind_bits[type] & 1);
}

/*
 * 4.2.7.2: a buddy line is a hardware prefetch; outside the ring interface the kind of what asked for it
 * has to pass as well.
 */
static bool tag_data(const struct core_thread *t, const struct door *d, bool instruction, bool ring)
{
	uint64_t cfg = *t->pmc[PMC_DAM_CFG];
	bool any_on = cfg & (UINT64_C(0x20202020));
	bool buddy = d->kind == DOOR_DATAREF && d->v[DOOR_PREF_] == 3;
	bool kind = takes_kind(cfg, d->v[DOOR_TYPE_]) &&
		    (!buddy || ring || takes_kind(cfg, d->v[DOOR_TRIGGER_]));

	for (unsigned i = 0; i < 4; i++)
		if (pair_takes(t, d, i, any_on, kind, instruction))
			return true;
	return false;
}

/*
 * 4.2.7.2: what hardware does on behalf of an instruction carries that instruction's tag, which
 * is told with it; prefetches that the MLD makes up by itself escape instruction matching.
 */
void core_tag(const struct core_thread *t, const struct door *d, struct core_tags *out)
{
	uint64_t cfg = *t->pmc[PMC_OPM_CFG];
	bool free = d->kind == DOOR_DATAREF && d->v[DOOR_PREF_] >= 2;
	/* 3.3.5.2: an instruction prefetch goes by the address that is fetched. */
	bool prefetch = d->kind == DOOR_FETCH && d->v[DOOR_PREF_];

	tag_ranges(t, d->v[DOOR_IP_], out->range);
	if (prefetch && bits_get(*t->pmc[PMC_IAM_CFG], 15, 15))
		out->range[1] = true;
	for (unsigned c = 0; c < CHANNELS; c++) {
		unsigned m = c % 2 ? PMC_OPM1_MSK : PMC_OPM0_MSK;
		bool opcode = opcode_matches(*t->pmc[m], *t->pmc[m + 1], d->v[DOOR_ITYPE_],
					     d->v[DOOR_OP_]);

		out->range[c] |= free;
		out->tag[c] = free || (out->range[c] && (cfg >> c & 1 || opcode));
	}
	out->data = tag_data(t, d, out->tag[0], false);
	out->ring = tag_data(t, d, out->tag[0], true);
	out->free = d->v[DOOR_FREE_];
}

bool core_filters(const struct core_thread *t)
{
	uint64_t dam = *t->pmc[PMC_DAM_CFG];

	return !(*t->pmc[PMC_OPM0_MSK] >> 57 & 1) || !(*t->pmc[PMC_OPM_CFG] & 1) || dam >> 49 ||
	       dam & UINT64_C(0x20202020) || !(dam & 0x10);
}
