/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an occurrence costs: nobody listening, one counter, four, a filter, a threshold;
 * and what closing time costs for a machine with nothing programmed and with all counters.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "catalog/find.h"
#include "pmu/pmu.h"

enum { ROUNDS = 200, EACH = 100000 };

static int make(struct pmu **out)
{
	struct pmu_config config = { .family = cat_find_family("hsx", 3), .sockets = 2,
				     .cores = 18 };

	return pmu_new(&config, out);
}

static void put(struct pmu *p, const char *box, const char *reg, uint64_t value)
{
	struct pmu_box where;
	struct pmu_address at;

	if (pmu_find_box(p, box, strlen(box), &where) == 0 &&
	    pmu_find_register(p, &where, reg, strlen(reg), &at) == 0)
		pmu_write(p, &at, value);
}

static uint64_t get(struct pmu *p, const char *box, const char *reg)
{
	struct pmu_box where;
	struct pmu_address at;
	uint64_t value = 0;

	if (pmu_find_box(p, box, strlen(box), &where) == 0 &&
	    pmu_find_register(p, &where, reg, strlen(reg), &at) == 0)
		pmu_read(p, &at, &value);
	return value;
}

/* Signal and flags of an event's subevent, as hardware raises it. */
static unsigned signal_of(const struct pmu *p, const char *type, const char *event,
			  const char *umask, uint64_t *flags)
{
	const struct cat_type *t = cat_find_type(pmu_family(p), type, strlen(type));
	const struct cat_event *e = cat_find_event(t, event, strlen(event));
	const struct cat_umask *u = cat_find_umask(e, umask, strlen(umask));

	*flags = u && u->conds ? cat_conds[u->cond0].want : 0;
	return e->signal;
}

static const struct row {
	const char *name;
	unsigned counters;	/* programmed, from 0 on */
	uint64_t control, filter1;
	uint64_t step;		/* picoseconds from one occurrence to the next */
	bool promise;
} rows[] = {
	{ "nobody listens", 0, 0, 0, 10000, true },
	{ "one counter", 1, 0x400835, 0, 10000, true },
	{ "four counters", 4, 0x400835, 0, 10000, true },
	{ "one counter, opcode filter, miss", 1, 0x400335, 0x18200000, 10000, true },
	{ "one counter, no promise when time is closed", 1, 0x400835, 0, 10000, false },
	{ "one counter, threshold 1, edge", 1, 0x01440835, 0, 10000, true },
	{ "one counter, threshold 2, several in a clock", 1, 0x02400835, 0, 100, true },
};

static void pulses(const struct row *r)
{
	static const char *const ctl[] = { "CTL0", "CTL1", "CTL2", "CTL3" };
	const struct signal_tag tag = { .opc = 0x182, .nid = 1 };
	struct signal_port *port;
	struct pmu *p;
	uint64_t flags, t = 0;
	unsigned sig;
	double start;

	if (make(&p) < 0)
		return;
	put(p, "cbo0", "FILTER1", r->filter1);
	for (unsigned i = 0; i < r->counters; i++)
		put(p, "cbo0", ctl[i], r->control);
	port = pmu_port(p, 0, "cbo", 0);
	sig = signal_of(p, "cbo", "TOR_INSERTS", "MISS_OPCODE", &flags);
	start = bench_seconds();
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (r->promise)
			pmu_horizon(p, t + EACH * r->step);
		for (unsigned i = 0; i < EACH; i++, t += r->step) {
			signal_pulse(port, sig, t, 1, flags, &tag);
			/* The compiler must not see through the branch. */
			__asm__ volatile("" ::: "memory");
		}
		pmu_close(p, t);
	}
	printf("%-46s %6.2f ns   counter 0: %" PRIu64 "\n", r->name,
	       (bench_seconds() - start) * 1e9 / ((double)ROUNDS * EACH), get(p, "cbo0", "CTR0"));
	pmu_free(p);
}

static void closing(bool all)
{
	struct pmu *p;
	double start;

	if (make(&p) < 0)
		return;
	for (unsigned box = 0; all && box < 18; box++)
		for (unsigned i = 0; i < 4; i++) {
			char name[16], reg[8];

			snprintf(name, sizeof name, "cbo%u", box);
			snprintf(reg, sizeof reg, "CTL%u", i);
			put(p, name, reg, 0x400835);
		}
	start = bench_seconds();
	for (unsigned i = 1; i <= ROUNDS * 100; i++)
		pmu_close(p, i * UINT64_C(1000000));
	printf("%-46s %6.2f us\n",
	       all ? "closing time, 72 counters" : "closing time, nothing programmed",
	       (bench_seconds() - start) * 1e6 / (ROUNDS * 100));
	pmu_free(p);
}

static void making(void)
{
	struct pmu *p;
	double start = bench_seconds();

	for (unsigned i = 0; i < 100; i++)
		if (make(&p) == 0)
			pmu_free(p);
	printf("%-46s %6.2f us\n", "making the PMUs of two sockets", (bench_seconds() - start) * 1e4);
}

int main(void)
{
	for (size_t i = 0; i < LEN(rows); i++)
		pulses(&rows[i]);
	closing(false);
	closing(true);
	making();
	return 0;
}
