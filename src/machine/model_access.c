/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model behind access.h: registers of the cores, then of the PMU.  An access sees all that
 * has been told so far, complete.
 */
#include "base/bits.h"
#include "machine/private.h"
#include "pmu/pmu.h"

static struct machine *machine_of(struct access *a)
{
	return ((struct machine_access *)a)->machine;
}

static struct pmu_address pmu_side(const struct access_address *at)
{
	return (struct pmu_address){
		.space = at->space,
		.bus = at->bus,
		.socket = at->socket,
		.base = at->base,
		.offset = at->offset,
		.width = at->width,
	};
}

/* The logical CPU that an access names, if any has such registers. */
static bool cpu_of(const struct machine *m, const struct access_address *at, unsigned *cpu)
{
	unsigned each = m->cores / m->sockets;

	unsigned thread = at->space == CAT_CPU ? at->base : at->thread;

	*cpu = thread / each * m->cores + at->socket * each + thread % each;
	return m->msrs && (at->space == CAT_MSR || at->space == CAT_CPU) && thread < each * m->spec.value[SPEC_THREADS];
}

void machine_visit(struct machine *m, const struct access_address *at)
{
	struct core_place place;
	unsigned cpu;

	if (at->socket >= m->sockets || !cpu_of(m, at, &cpu))
		return;
	place = core_place(m, cpu);
	core_visit(m, &place);
}

static int arrive(struct machine *m, const struct access_address *at)
{
	if (at->socket >= m->sockets)
		return BXS_EFAULT;
	machine_drain(m);
	return 0;
}

/* Registers of the uncore are reached over the message channel. */
static void tell_ubox(struct machine *m, const struct access_address *at)
{
	if (m->fabric)
		ubox_request(fabric_ubox(m->fabric, at->socket), m->now, at->width / 8u);
}

static int model_read(struct access *a, const struct access_address *at, uint64_t *value)
{
	struct machine *m = machine_of(a);
	struct pmu_address address = pmu_side(at);
	enum outcome outcome = OUTCOME_GP;
	uint64_t got;
	unsigned cpu;
	int err = arrive(m, at);

	if (err < 0)
		return err;
	if (cpu_of(m, at, &cpu))
		outcome = machine_core_read(m, cpu, at->offset, &got);
	if (outcome == OUTCOME_GP && at->space != CAT_CPU) {
		outcome = pmu_read(m->pmu, &address, &got);
		tell_ubox(m, at);
	}
	if (outcome != OUTCOME_OK)
		return BXS_EFAULT;
	*value = got;
	return 0;
}

static int model_write(struct access *a, const struct access_address *at, uint64_t value)
{
	struct machine *m = machine_of(a);
	struct pmu_address address = pmu_side(at);
	enum outcome outcome = OUTCOME_GP;
	unsigned cpu;
	int err = arrive(m, at);

	if (err < 0)
		return err;
	if (cpu_of(m, at, &cpu))
		outcome = machine_core_write(m, cpu, at->offset, value);
	if (outcome == OUTCOME_GP && at->space != CAT_CPU) {
		outcome = pmu_write(m->pmu, &address, value);
		tell_ubox(m, at);
	}
	m->exact = pmu_exact(m->pmu);
	if (m->fabric)
		fabric_rewatch(m->fabric);	/* the write may have hung or taken off watches */
	return outcome == OUTCOME_OK ? 0 : BXS_EFAULT;
}

/* An answer is what the PMU counts beside its counters. */
static int truth_open(struct access *a, const struct access_question *q, struct access_answer **out)
{
	struct machine *m = machine_of(a);
	struct pmu_truth_bits bits[ACCESS_BITS];
	struct pmu_truth_config config = {
		.box = { .socket = q->socket, .type = q->type - pmu_family(m->pmu)->type0, .box = q->box },
		.reg = q->reg, .element = q->element, .control = q->control, .counter0 = q->counter0,
		.bits = bits, .bits_count = q->bits_count, .worth = q->worth,
	};
	struct pmu_truth *t;
	int err;

	if (q->bits_count > LEN(bits))
		return BXS_EINVAL;
	for (unsigned i = 0; i < q->bits_count; i++)
		bits[i] = (struct pmu_truth_bits){
			.value = q->bits[i].value, .reg = q->bits[i].reg,
			.element = q->bits[i].element, .hi = q->bits[i].hi, .lo = q->bits[i].lo,
		};
	machine_drain(m);
	err = pmu_truth_new(m->pmu, &config, &t);
	if (err < 0)
		return err;
	if (m->fabric)
		fabric_rewatch(m->fabric);
	*out = (struct access_answer *)t;
	return 0;
}

static uint64_t truth_count(struct access *a, const struct access_answer *answer)
{
	machine_drain(machine_of(a));
	return pmu_truth_count((const struct pmu_truth *)answer);
}

static void truth_close(struct access *a, struct access_answer *answer)
{
	struct machine *m = machine_of(a);

	pmu_truth_free((struct pmu_truth *)answer);
	if (m->fabric)
		fabric_rewatch(m->fabric);
}

static const struct access_truth truth = {
	.open = truth_open, .count = truth_count, .close = truth_close,
};

const struct access_ops machine_access_ops = {
	.read = model_read, .write = model_write, .truth = &truth,
};
