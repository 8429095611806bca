/* SPDX-License-Identifier: BSD-2-Clause */
/* A core of an Itanium machine that runs a program, and how what it does reaches ring and PMU. */
#include "machine/itanium_core.h"

#include <stdlib.h>

#include "ia64/ia64.h"
#include "icore/icore.h"
#include "machine/private.h"
#include "pmu/live.h"
#include "pmu/pmu.h"

struct itanium_core {
	struct machine *m;
	unsigned core;
	struct icore *icore;
	struct core_thread *thread;
	const struct signal_clock *clock;
	uint64_t begin;			/* the clock that is its cycle 0 */
	bool runs;
	struct ia64_observer plain, exact;
	struct door retire, data, fetch, branch, check;	/* all attributes at their defaults */
};

static uint64_t time_of(const struct itanium_core *x, uint64_t cycle)
{
	return signal_clock_time(x->clock, x->begin + cycle);
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
	case FABRIC_FROM_CORE: return ICORE_FROM_CORE;
	case FABRIC_FROM_LOCAL: return ICORE_FROM_DRAM;
	default: return ICORE_FROM_FAR;
	}
}

/* The program's regions are address spaces of the machine's map, whose lines have fewer bits. */
static uint64_t user_of(uint64_t line)
{
	return map_user((unsigned)(line >> 55 & 7) + 1, (line ^ line >> 48 << 40) & bits_low(MAP_SPACE_SHIFT));
}

static struct icore_reply request(void *ctx, uint64_t cycle, uint64_t line, enum icore_ask ask)
{
	struct itanium_core *x = ctx;
	struct machine *m = x->m;
	struct machine_core *c = &m->core[x->core];
	struct p9500_request rq = { .line = map_translate(&m->map, user_of(line), c->node), .when = time_of(x, cycle),
				    .socket = c->socket, .core = c->number, .kind = kinds[ask] };
	struct p9500_reply reply = p9500_request(m->p9500, &rq);
	uint64_t until = signal_clocks(x->clock, reply.when > rq.when ? reply.when - 1 : rq.when) + 1;

	if (reply.when > m->horizon)
		m->horizon = reply.when;
	return (struct icore_reply){ .latency = (uint32_t)(until - x->begin - cycle), .source = source_of(&reply),
				     .shared = reply.grant == FABRIC_SHARED };
}

static void move_to(struct itanium_core *x, uint64_t cycle)
{
	uint64_t when = time_of(x, cycle);

	if (when > x->m->core[x->core].timing.now)
		x->m->core[x->core].timing.now = when;
	if (when > x->m->current)
		x->m->current = when;
	machine_advance(x->m, when);
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
	move_to(x, t->at);
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

static void halt_all(struct machine *m)
{
	struct core_thread *t;

	for (unsigned s = 0; s < m->sockets; s++)
		for (unsigned n = 0; (t = pmu_live(m->pmu, s, n)); n++)
			pmu_live_run(t, false);
}

static int begin(struct itanium_core *x)
{
	const struct icore_outside outside = { .ctx = x, .request = request };
	struct machine *m = x->m;

	x->clock = pmu_clock(m->pmu, m->core[x->core].socket, "core");
	x->thread = pmu_live(m->pmu, m->core[x->core].socket, 2u * m->core[x->core].number);
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
	halt_all(m);
	return 0;
}

int itanium_core_new(struct machine *m, unsigned core, struct itanium_core **out)
{
	struct itanium_core *x;
	int err;

	if (!m->p9500 || core >= m->cores)
		return BXS_ENOTSUP;
	x = calloc(1, sizeof *x);
	if (!x)
		return BXS_ENOMEM;
	x->m = m;
	x->core = core;
	err = begin(x);
	if (err < 0) {
		itanium_core_free(x);
		return err;
	}
	machine_snoops_drop(m, true);
	*out = x;
	return 0;
}

static void start(struct itanium_core *x)
{
	struct machine *m = x->m;

	machine_idle(m, x->core, machine_horizon(m));
	x->begin = signal_clocks(x->clock, machine_core_time(m, x->core)) + 1;
	machine_advance(m, time_of(x, 0));
	pmu_live_run(x->thread, true);
	x->runs = true;
}

const struct ia64_observer *itanium_core_observer(struct itanium_core *x)
{
	bool plain;

	if (!x->runs)
		start(x);
	plain = pmu_live_plain(x->thread);
	icore_exact(x->icore, !plain);
	return plain ? &x->plain : &x->exact;
}

void itanium_core_keep_up(struct itanium_core *x)
{
	uint64_t cycles = icore_cycles(x->icore);

	tell_all(x);
	flush_counts(x);
	/* What is still told falls into a clock that is the core's, too: its last one stays open. */
	move_to(x, cycles ? cycles - 1 : 0);
}

void itanium_core_end(struct itanium_core *x)
{
	struct leave_record halt = { .kind = LEAVE_HALT };

	if (!x->runs)
		return;
	tell_all(x);
	icore_exact(x->icore, false);
	icore_finish(x->icore);
	flush_counts(x);
	move_to(x, icore_cycles(x->icore));
	pmu_live_run(x->thread, false);
	machine_access(x->m, x->core, &halt);
	x->runs = false;
}

void itanium_core_free(struct itanium_core *x)
{
	if (x)
		icore_free(x->icore);
	free(x);
}
