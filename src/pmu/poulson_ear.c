/* SPDX-License-Identifier: BSD-2-Clause */
/* Itanium 9500: the event address registers of instructions and data (3.3.9 to 3.3.11). */
#include "pmu/poulson_core.h"

enum { LATENCY_BITS = 13, EIGHT_CYCLES = 8 };

enum { IEAR_FETCH = 1, IEAR_TLB = 2 };
enum { DEAR_LOADS = 2, DEAR_STORES = 3, DEAR_TLB = 4, DEAR_ALAT_MISS = 6, DEAR_ALAT_HIT = 7 };
enum { TYPE_LOAD_INT = 1, TYPE_LOAD_FP = 2, TYPE_LOAD_RSE = 3, TYPE_STORE_INT = 4, TYPE_STORE_FP = 5,
       TYPE_STORE_RSE = 6, TYPE_SEMAPHORE = 8, TYPE_FC = 9, TYPE_HW_PREF = 10, TYPE_LOAD_HPW = 11,
       TYPE_SNOOP = 12 };

/* Least latency for each mask (tables 3-16, 3-21); the first two masks differ by register. */
static uint64_t least_latency(uint64_t umask, uint64_t second)
{
	static const uint16_t table[] = { 0, 0, 24, 32, 64, 96, 128, 256,
					  384, 512, 1024, 1536, 2048, 3072, 4096, 5120 };

	return umask == 1 ? second : table[umask];
}

/* Latency and what went over its 13 bits. */
static uint64_t latency_field(uint64_t latency)
{
	uint64_t stat = latency & bits_low(LATENCY_BITS);

	return latency >> LATENCY_BITS ? bits_put(stat, 13, 13, 1) : stat;
}

void core_iear(struct core_thread *t, const struct door *d, const struct core_tags *tags)
{
	uint64_t cfg = *t->pmc[PMC_IEAR_CFG], umask = bits_get(cfg, 19, 16);
	uint64_t tlb = d->v[DOOR_TLB_], stat = bits_put(0, 15, 15, 1);
	bool taken = false;

	if (core_frozen(t) || !core_allows(t, cfg) || !tags->range[0] || d->v[DOOR_PREF_])
		return;
	stat = bits_put(stat, 18, 16, tlb);
	switch (bits_get(cfg, 9, 8)) {
	case IEAR_FETCH:
		taken = d->v[DOOR_LATENCY_] && d->v[DOOR_LATENCY_] >= least_latency(umask, 16);
		stat |= latency_field(d->v[DOOR_LATENCY_]);
		stat = bits_put(stat, 24, 24, d->v[DOOR_RAB_]);
		stat = bits_put(stat, 23, 19, d->v[DOOR_RESP_]);
		break;
	case IEAR_TLB:
		/* A hit in one level is a miss in all before it. */
		taken = tlb >= 2 && (umask & bits_low((unsigned)tlb - 1) & 7);
		break;
	default:
		break;
	}
	if (!taken)
		return;
	*t->pmd[PMD_IEAR_STAT] = stat;
	*t->pmd[PMD_IEAR_IADDR] = d->v[DOOR_IP_] & ~bits_low(5);
	core_count(t, EV_EAR_INST, 1, tags);
}

/* Requestor codes are those of the kinds, in their order. */
static bool is_load(uint64_t type)
{
	return (type >= TYPE_LOAD_INT && type <= TYPE_LOAD_RSE) || type == TYPE_SEMAPHORE;
}

static bool is_store(uint64_t type)
{
	return (type >= TYPE_STORE_INT && type <= TYPE_STORE_RSE) || type == TYPE_SEMAPHORE;
}

/*
 * 3.3.11.1: one load is followed at a time, for eight cycles at least; of those that come when
 * none is, a random choice is picked, one in eight in the long run.
 */
static bool followed(struct core_thread *t, const struct door *d)
{
	uint64_t clock = core_clock(t), busy = d->v[DOOR_LATENCY_];

	if (clock < t->busy)
		return false;
	if (t->psr[DOOR_EVERY_] && t->skip) {
		t->skip--;
		return false;
	}
	/* 0 to 14, seven on average, are let go by. */
	t->random = t->random * 1103515245u + 12345u;
	t->skip = (t->random >> 16) % 15;
	t->busy = clock + (busy > EIGHT_CYCLES ? busy : EIGHT_CYCLES);
	return true;
}

/* Does the mode take the operation?  Tables 3-21, 3-22, 3-25. */
static bool mode_takes(struct core_thread *t, const struct door *d, uint64_t mode, uint64_t umask)
{
	uint64_t type = d->v[DOOR_TYPE_], tlb = d->v[DOOR_TLB_], alat = d->v[DOOR_ALAT_];

	switch (mode) {
	case DEAR_LOADS:
		return is_load(type) && followed(t, d) &&
		       d->v[DOOR_LATENCY_] >= least_latency(umask, 4);
	case DEAR_STORES:
		return is_store(type);
	case DEAR_TLB:
		if (type == TYPE_SNOOP)
			return umask == 15;
		return type != TYPE_FC && tlb && umask >> (tlb - 1) & 1;
	case DEAR_ALAT_MISS:
		return alat == 1 && (type == TYPE_LOAD_INT || type == TYPE_LOAD_FP);
	case DEAR_ALAT_HIT:
		return alat == 2 && (t->psr[DOOR_FG_] & 2) &&
		       (type == TYPE_STORE_INT || type == TYPE_STORE_FP || type == TYPE_SEMAPHORE);
	default:
		return false;
	}
}

/* What is valid in the mode (table 3-24); the rest is left 0. */
static uint64_t dear_stat(const struct door *d, uint64_t mode)
{
	uint64_t stat = bits_put(0, 15, 15, 1), type = d->v[DOOR_TYPE_], resp = d->v[DOOR_RESP_];

	stat = bits_put(stat, 42, 32, d->v[DOOR_HINTS_]);
	stat = bits_put(stat, 27, 24, type);
	if (mode == DEAR_LOADS)
		stat |= latency_field(d->v[DOOR_LATENCY_]);
	if (mode == DEAR_LOADS || mode == DEAR_STORES)
		stat = bits_put(stat, 23, 19, mode == DEAR_STORES ? resp == 1 : resp);
	if (mode <= DEAR_TLB)
		stat = bits_put(stat, 18, 16, d->v[DOOR_TLB_]);
	return stat;
}

void core_dear(struct core_thread *t, const struct door *d, const struct core_tags *tags)
{
	uint64_t cfg = *t->pmc[PMC_DEAR_CFG], mode = bits_get(cfg, 10, 8);
	uint64_t group = (d->v[DOOR_IP_] & ~bits_low(4)) - 16 * d->v[DOOR_BN_];
	bool snoop = d->v[DOOR_TYPE_] == TYPE_SNOOP;

	if (core_frozen(t) || !core_allows(t, cfg) || !tags->data || d->v[DOOR_TYPE_] == 0 ||
	    !mode_takes(t, d, mode, bits_get(cfg, 19, 16)))
		return;
	*t->pmd[PMD_DEAR_STAT] = dear_stat(d, mode);
	*t->pmd[PMD_DEAR_DADDR] = d->v[DOOR_ADDR_];
	*t->pmd[PMD_DEAR_IADDR] = group | d->v[DOOR_BN_] << 2 | (snoop ? 3 : d->v[DOOR_SLOT_]);
	core_count(t, EV_EAR_DATA, 1, tags);
}
