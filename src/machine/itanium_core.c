/* SPDX-License-Identifier: BSD-2-Clause */
/* A core of an Itanium machine that runs a program, and how what it does reaches ring and PMU. */
#include "machine/itanium_core.h"

#include "machine/private.h"
#include "pmu/live.h"
#include "pmu/pmu.h"

uint64_t itanium_core_time(const struct itanium_core *x, uint64_t cycle)
{
	return signal_clock_time(x->clock, x->set->begin + cycle);
}

static const uint8_t kinds[] = {
	[ICORE_READ] = LEAVE_DRD, [ICORE_READ_SHARED] = LEAVE_CRD,
	[ICORE_OWN] = LEAVE_RFO, [ICORE_CODE] = LEAVE_CRD, [ICORE_PREFETCH] = LEAVE_PF_DRD,
	[ICORE_PREFETCH_OWN] = LEAVE_PF_RFO, [ICORE_PREFETCH_CODE] = LEAVE_PF_CRD, [ICORE_WRITE_BACK] = LEAVE_WB_M,
};

static enum icore_source source_of(const struct p9500_reply *reply)
{
	switch (reply->source) {
	case FABRIC_FROM_LLC: return ICORE_FROM_LLC;
	case FABRIC_FROM_CORE: return reply->found == FABRIC_SNOOP_HITM ? ICORE_FROM_CORE : ICORE_FROM_SNOOP;
	case FABRIC_FROM_LOCAL: return ICORE_FROM_DRAM;
	default: return ICORE_FROM_FAR;
	}
}

/*
 * The program's regions are address spaces of the machine's map, whose lines have fewer bits: programs have the first 2^44 bytes of
 * each, and the walker's table lies where they have none.
 */
enum { WALKER_SHIFT = 38 };

static uint64_t user_of(uint64_t line)
{
	return map_user((unsigned)(line >> 55 & 7) + 1, (line ^ line >> 48 << 40) & bits_low(MAP_SPACE_SHIFT));
}

static uint64_t line_of(uint64_t user)
{
	uint64_t region = (user >> MAP_SPACE_SHIFT) - 1, offset = user & bits_low(WALKER_SHIFT);

	return user >> WALKER_SHIFT & 1 ? UINT64_C(0xffff) << WALKER_SHIFT | offset : region << 55 | offset;
}

bool itanium_core_snoop(struct itanium_core *x, const struct p9500_snoop *snoop)
{
	uint64_t clocks = signal_clocks(x->clock, snoop->when), cycle = clocks > x->set->begin ? clocks - x->set->begin : 0, user;
	unsigned cycles = (snoop->clocks * x->clock->khz + x->set->uclk->khz - 1) / x->set->uclk->khz;

	if (!map_owner(&x->m->map, snoop->line, &user))
		return false;
	return icore_snoop(x->icore, line_of(user), snoop->evicts ? ICORE_SNOOP_EVICT : snoop->kind == LEAVE_SNOOP_INVALIDATE ?
			   ICORE_SNOOP_OWN : snoop->code ? ICORE_SNOOP_CODE : ICORE_SNOOP_DATA, cycle, cycles);
}

static struct icore_reply request(void *ctx, uint64_t cycle, uint64_t line, enum icore_ask ask)
{
	struct itanium_core *x = ctx;
	struct machine *m = x->m;
	struct machine_core *c = &m->core[x->core];
	struct p9500_request rq = { .line = map_translate(&m->map, user_of(line), c->node), .when = itanium_core_time(x, cycle),
				    .socket = c->socket, .core = c->number, .kind = kinds[ask] };
	struct p9500_reply reply = p9500_request(m->p9500, &rq);
	uint64_t until = signal_clocks(x->clock, reply.when > rq.when ? reply.when - 1 : rq.when) + 1;

	if (reply.when > m->horizon)
		m->horizon = reply.when;
	return (struct icore_reply){ .latency = (uint32_t)(until - x->set->begin - cycle), .source = source_of(&reply),
				     .shared = reply.grant == FABRIC_SHARED };
}

void itanium_core_move(struct itanium_core *x, uint64_t cycle)
{
	uint64_t when = itanium_core_time(x, cycle);

	if (when > x->m->core[x->core].timing.now)
		x->m->core[x->core].timing.now = when;
	if (when > x->m->current)
		x->m->current = when;
}

static void flush_counts(struct itanium_core *x)
{
	uint64_t *counts = icore_counts(x->icore);

	for (uint32_t code = 0; code < ICORE_CODES; code++)
		if (counts[code]) {
			pmu_live_count(x->thread, code, counts[code]);
			counts[code] = 0;
		}
}

static void describe(struct itanium_core *x, const struct icore_instruction *i)
{
	struct door *d = &x->retire;

	d->v[DOOR_IP_] = i->ip;
	d->v[DOOR_SLOT_] = i->slot;
	d->v[DOOR_BN_] = i->window & 3;
	d->v[DOOR_OP_] = i->bits;
	d->v[DOOR_ITYPE_] = i->unit;
	d->v[DOOR_SQUASHED_] = !i->on;
	d->v[DOOR_NOP_] = i->nop;
	x->data.v[DOOR_IP_] = x->branch.v[DOOR_IP_] = x->check.v[DOOR_IP_] = x->fetch.v[DOOR_IP_] = i->ip;
	x->data.v[DOOR_SLOT_] = x->branch.v[DOOR_SLOT_] = x->check.v[DOOR_SLOT_] = i->slot;
	x->data.v[DOOR_OP_] = x->branch.v[DOOR_OP_] = i->bits;
	x->data.v[DOOR_ITYPE_] = x->branch.v[DOOR_ITYPE_] = i->unit;
	x->data.v[DOOR_BN_] = i->window & 3;
	x->data.v[DOOR_TYPE_] = i->type;
	x->data.v[DOOR_ADDR_] = i->address;
	x->data.v[DOOR_LATENCY_] = i->latency;
	x->data.v[DOOR_TLB_] = i->tlb;
	x->data.v[DOOR_RESP_] = i->source;
	x->data.v[DOOR_ALAT_] = i->alat;
	x->data.v[DOOR_HINTS_] = i->hints;
}

static void capture(struct itanium_core *x, const struct icore_instruction *i)
{
	pmu_live_capture(x->thread, &x->retire);
	if (i->on && (i->type || i->alat))
		pmu_live_capture(x->thread, &x->data);
	if (i->fetch_latency) {
		x->fetch.v[DOOR_LATENCY_] = i->fetch_latency;
		x->fetch.v[DOOR_TLB_] = i->fetch_tlb;
		x->fetch.v[DOOR_RESP_] = i->fetch_source;
		pmu_live_capture(x->thread, &x->fetch);
	}
	if (i->btype != UINT8_MAX) {
		x->branch.v[DOOR_BTYPE_] = i->btype;
		x->branch.v[DOOR_TAKEN_] = i->taken;
		x->branch.v[DOOR_PATH_] = i->path_right;
		x->branch.v[DOOR_TARGETS_] = i->target_right;
		x->branch.v[DOOR_TARGET_] = i->target;
		pmu_live_capture(x->thread, &x->branch);
	}
	if (i->check) {
		x->check.v[DOOR_TARGET_] = i->target;
		pmu_live_capture(x->thread, &x->check);
	}
}

static void tell(struct itanium_core *x, const struct icore_told *t)
{
	itanium_core_move(x, t->at);
	if (itanium_cores_alone(x->set))
		machine_advance(x->m, itanium_core_time(x, t->at));
	pmu_live_at(x->thread, itanium_core_time(x, t->at));
	if (t->span)
		pmu_live_span(x->thread, t->code, t->n);
	else if (t->own)
		pmu_live_count_of(x->thread, t->code, t->n, x->data.v[DOOR_TYPE_] ? &x->data : &x->retire);
	else
		pmu_live_count(x->thread, t->code, t->n);
}

static void tell_all(struct itanium_core *x)
{
	unsigned n;
	const struct icore_told *t = icore_told(x->icore, &n);

	for (unsigned i = 0; i < n; i++)
		tell(x, &t[i]);
	icore_told_clear(x->icore);
}

/* Where times and tags matter: each instruction by itself. */
static void retire_exact(void *ctx, struct ia64 *m, const struct ia64_op *op, uint64_t ip, bool on)
{
	struct itanium_core *x = ctx;
	const struct icore_instruction *i = icore_instruction(x->icore);

	icore_retire(x->icore, m, op, ip, on);
	describe(x, i);
	tell_all(x);
	capture(x, i);
}

void itanium_core_tell(struct itanium_core *x)
{
	tell_all(x);
	flush_counts(x);
	pmu_live_at(x->thread, 0);
}

int itanium_core_begin(struct itanium_core *x, struct itanium_cores *set, unsigned core)
{
	const struct icore_outside outside = { .ctx = x, .request = request };
	struct machine *m = set->m;

	x->set = set;
	x->m = m;
	x->core = core;
	x->clock = pmu_clock(m->pmu, m->core[core].socket, "core");
	x->thread = pmu_live(m->pmu, m->core[core].socket, 2u * m->core[core].number);
	x->icore = icore_new(&outside);
	if (!x->icore)
		return BXS_ENOMEM;
	x->plain = (struct ia64_observer){ x->icore, icore_retire };
	x->exact = (struct ia64_observer){ x, retire_exact };
	door_start(&x->retire, "retire");
	door_start(&x->data, "dataref");
	door_start(&x->fetch, "fetch");
	door_start(&x->branch, "branch");
	door_start(&x->check, "chk");
	return 0;
}
