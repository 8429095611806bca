/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the PMU asks of a core (struct pmu_source): totals out of the ledger and the core's times for its counters, values for
 * the registers beside them.  catalog/FAMILY/core.bind says which event or register takes what.
 */
#include "base/bits.h"
#include "machine/core_value.h"
#include "machine/private.h"
#include "pmu/pmu.h"

/* Flags of a request of each kind, as xcore.sig explains them.  What the program or L1D fetches ahead is a demand to whoever
 * counts requests, but not a load that has retired. */
#define DEMAND_DATA (XCORE_REQUEST_DEMAND_DATA | XCORE_REQUEST_DEMAND)

static const uint64_t kinds[CORE_KINDS] = {
	[LEAVE_DRD] = XCORE_REQUEST_DRD | DEMAND_DATA,
	[CORE_SPECULATIVE] = XCORE_REQUEST_L1_PREFETCH | DEMAND_DATA,
	[LEAVE_AHEAD] = XCORE_REQUEST_AHEAD | DEMAND_DATA,
	[LEAVE_RFO] = XCORE_REQUEST_RFO | XCORE_REQUEST_DEMAND,
	[LEAVE_CRD] = XCORE_REQUEST_CRD | XCORE_REQUEST_DEMAND,
	[LEAVE_PF_DRD] = XCORE_REQUEST_PF_DRD | XCORE_REQUEST_L2_PREFETCH,
	[LEAVE_PF_RFO] = XCORE_REQUEST_PF_RFO | XCORE_REQUEST_L2_PREFETCH,
	[LEAVE_PF_CRD] = XCORE_REQUEST_PF_CRD | XCORE_REQUEST_L2_PREFETCH,
	[LEAVE_PF_LLC_DRD] = XCORE_REQUEST_PF_LLC_DRD | XCORE_REQUEST_L3_PREFETCH,
	[LEAVE_PF_LLC_RFO] = XCORE_REQUEST_PF_LLC_RFO | XCORE_REQUEST_L3_PREFETCH,
	[LEAVE_PF_LLC_CRD] = XCORE_REQUEST_PF_LLC_CRD | XCORE_REQUEST_L3_PREFETCH,
	[LEAVE_ITOM] = XCORE_REQUEST_ITOM,
	[LEAVE_WB_M] = XCORE_REQUEST_WB_M,
	[LEAVE_WCIL] = XCORE_REQUEST_WCIL,
	[LEAVE_WCILF] = XCORE_REQUEST_WCILF,
	[LEAVE_CLFLUSH] = XCORE_REQUEST_CLFLUSH,
	[LEAVE_LOCK] = XCORE_REQUEST_LOCK,
	[LEAVE_UC_READ] = XCORE_REQUEST_UC_READ,
	[LEAVE_UC_WRITE] = XCORE_REQUEST_UC_WRITE,
};

static const uint64_t suppliers[] = {
	[FABRIC_FROM_LLC] = XCORE_REQUEST_LLC | XCORE_REQUEST_L3_HIT,
	[FABRIC_FROM_CORE] = XCORE_REQUEST_CORE | XCORE_REQUEST_L3_HIT,
	[FABRIC_FROM_LOCAL] = XCORE_REQUEST_LOCAL | XCORE_REQUEST_L3_MISS,
	[FABRIC_FROM_REMOTE] = XCORE_REQUEST_REMOTE | XCORE_REQUEST_L3_MISS,
	[FABRIC_FROM_PEER] = XCORE_REQUEST_PEER | XCORE_REQUEST_L3_MISS,
	[FABRIC_FROM_DEVICE] = XCORE_REQUEST_DEVICE,
};

static const uint64_t snoops[CORE_FOUND] = {
	[FABRIC_NOT_SNOOPED] = XCORE_REQUEST_NOT_SNOOPED,
	[FABRIC_SNOOP_MISS] = XCORE_REQUEST_SNOOP_MISS,
	[FABRIC_SNOOP_HIT] = XCORE_REQUEST_SNOOP_HIT,
	[FABRIC_SNOOP_HITM] = XCORE_REQUEST_SNOOP_HITM,
};

static struct core_place place_of(const struct machine *m, const struct pmu_box *box)
{
	unsigned each = m->cores / m->sockets;

	return core_place(m, box->box / each * m->cores + box->socket * each + box->box % each);
}

static void tell_requests(const struct core_ledger *l, pmu_take_fn take, void *taker)
{
	for (unsigned k = 0; k < CORE_KINDS; k++)
		for (unsigned r = 0; kinds[k] && r < CORE_RESULTS; r++)
			if (l->sent[k][r])
				take(taker, kinds[k] | suppliers[r / CORE_FOUND] | snoops[r % CORE_FOUND], l->sent[k][r]);
	take(taker, XCORE_REQUEST_L2_HIT, l->l2_hits);
}

static uint64_t sent(const struct core_ledger *l, unsigned kind)
{
	uint64_t n = 0;

	for (unsigned r = 0; r < CORE_RESULTS; r++)
		n += l->sent[kind][r];
	return n;
}

/* What the program or L1D fetches ahead, and what misses L1; but of code that misses L1 only that is known which misses L2. */
static uint64_t l1_lines(const struct core_ledger *l)
{
	uint64_t code = sent(l, LEAVE_CRD);

	return sent(l, CORE_SPECULATIVE) + sent(l, LEAVE_AHEAD) + (l->l1_misses > code ? l->l1_misses - code : 0);
}

/* Clocks of all fill buffers that hold a load: from when L1 is known to miss to the answer of L2 or of the uncore.  What L1D's
 * prefetchers fetch stands for the load that comes behind and waits for it in the fill buffer. */
static uint64_t l1_pending(const struct machine *m, unsigned core)
{
	const struct machine_core *c = &m->core[core];
	const struct timing_design *d = c->timing.design;
	uint64_t loads = sent(&c->ledger, LEAVE_DRD) + sent(&c->ledger, CORE_SPECULATIVE);

	return core_waited(m, core) + loads * (MACHINE_LOOKUP - d->l1_load) + c->ledger.l2_hits * (d->l2_load - d->l1_load);
}

static void tell_clocks(const struct machine *m, unsigned core, pmu_take_fn take, void *taker)
{
	uint64_t awake = core_awake(m, core);

	take(taker, XCORE_CLOCKS_CORE, core_cycles(m, core));
	take(taker, XCORE_CLOCKS_BASE, core_clocks(awake, m->spec.value[SPEC_BASE_MHZ]));
	take(taker, XCORE_CLOCKS_BUS, core_clocks(awake, core_bus_khz(m)) / 1000);
}

/* A second thread never runs. */
static void totals(void *ctx, const struct pmu_box *box, unsigned sig, pmu_take_fn take, void *taker)
{
	const struct machine *m = ctx;
	struct core_place at = place_of(m, box);
	const struct machine_core *c = &m->core[at.core];

	if (at.second)
		return;
	switch (sig) {
	case SIG_XCORE_REQUEST:
		tell_requests(&c->ledger, take, taker);
		break;
	case SIG_XCORE_INSTRUCTIONS:
		take(taker, 0, c->timing.retired);
		break;
	case SIG_XCORE_CLOCKS:
		tell_clocks(m, at.core, take, taker);
		break;
	case SIG_XCORE_STALLS:
		take(taker, 0, core_clocks(c->timing.stalled, c->khz / 1000));
		break;
	case SIG_XCORE_L1D:
		take(taker, 0, l1_lines(&c->ledger));
		break;
	case SIG_XCORE_L1D_PENDING:
		take(taker, 0, l1_pending(m, at.core));
		break;
	}
}

/* Without hardware nothing sleeps: then the counters of the power control box answer these numbers. */
static bool has(void *ctx, unsigned value)
{
	const struct machine *m = ctx;

	return m->pcu || value < XCORE_VALUE_PACKAGE_C2 || value > XCORE_VALUE_CORE_C6;
}

static uint64_t value(void *ctx, const struct pmu_box *box, unsigned what)
{
	struct core_place at = place_of(ctx, box);

	return core_value(ctx, &at, what);
}

static void written(void *ctx, const struct pmu_box *box, unsigned what, uint64_t new)
{
	struct core_place at = place_of(ctx, box);

	core_value_write(ctx, &at, what, new);
}

static const struct pmu_source source = { .totals = totals, .has = has, .value = value, .written = written };

void core_reset(struct machine *m)
{
	pmu_ask(m->pmu, &source, m);
}

/* The address of an MSR of a logical CPU, as the PMU has it. */
static struct pmu_address address(const struct machine *m, unsigned cpu, uint32_t msr)
{
	struct core_place at = core_place(m, cpu);
	unsigned each = m->cores / m->sockets;

	return (struct pmu_address){
		.space = CAT_CPU, .socket = at.socket, .base = at.core % each + (at.second ? each : 0), .offset = msr, .width = 64,
	};
}

enum outcome machine_core_read(struct machine *m, unsigned cpu, uint32_t msr, uint64_t *out)
{
	struct pmu_address at = address(m, cpu, msr);

	return pmu_read(m->pmu, &at, out);
}

enum outcome machine_core_write(struct machine *m, unsigned cpu, uint32_t msr, uint64_t new)
{
	struct pmu_address at = address(m, cpu, msr);

	return pmu_write(m->pmu, &at, new);
}

bool machine_core_name(const struct machine *m, uint32_t msr, char *buf, size_t size)
{
	return pmu_cpu_name(m->pmu, msr, buf, size);
}

enum { MSR_PERFEVTSEL0 = 0x186 };

bool machine_core_selects(const struct machine *m, uint32_t msr)
{
	return msr >= MSR_PERFEVTSEL0 && msr < MSR_PERFEVTSEL0 + pmu_cpu_counters(m->pmu);
}

const char *machine_core_silent(const struct machine *m, uint64_t select)
{
	return pmu_cpu_silent(m->pmu, select);
}

unsigned machine_core_elsewhere(const struct machine *m, uint32_t msr, uint64_t select)
{
	unsigned counters = pmu_cpu_only(m->pmu, select);

	return counters >> (msr - MSR_PERFEVTSEL0) & 1 ? 0 : counters;
}
