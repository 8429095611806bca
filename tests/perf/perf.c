/* SPDX-License-Identifier: BSD-2-Clause */
/* What the driver writes, access by access; and that no order of calls upsets it. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "catalog/find.h"
#include "check.h"
#include "perf/perf_private.h"

/* Registers that keep what is written; counters are as they were.  The log has them as a reader of the manual would: "w e01 400334". */
struct fake {
	struct access access;
	struct { struct access_address at; uint64_t value; } reg[512];
	unsigned regs;
	bool logging;
	char log[2000];
	uint64_t time;
};

static uint64_t *slot(struct fake *f, const struct access_address *at)
{
	for (unsigned i = 0; i < f->regs; i++) {
		const struct access_address *other = &f->reg[i].at;

		if (other->space == at->space && other->socket == at->socket && other->thread == at->thread && other->base == at->base &&
		    other->bus == at->bus && other->offset == at->offset)
			return &f->reg[i].value;
	}
	if (f->regs == LEN(f->reg))
		return &f->reg[0].value;
	f->reg[f->regs].at = *at;
	return &f->reg[f->regs++].value;
}

static void note(struct fake *f, const struct access_address *at, char what, uint64_t value)
{
	size_t used = strlen(f->log);
	char place[32];

	if (!f->logging)
		return;
	if (at->space == CAT_PCI)
		snprintf(place, sizeof place, "%u.%u:%x", at->base >> 3, at->base & 7, at->offset);
	else
		snprintf(place, sizeof place, "%x", at->offset);
	if (what == 'r')
		snprintf(f->log + used, sizeof f->log - used, "r %s, ", place);
	else
		snprintf(f->log + used, sizeof f->log - used, "w %s %" PRIx64 ", ", place, value);
}

static int fake_read(struct access *a, const struct access_address *at, uint64_t *value)
{
	struct fake *f = (struct fake *)a;

	note(f, at, 'r', 0);
	*value = *slot(f, at);
	return 0;
}

static int fake_write(struct access *a, const struct access_address *at, uint64_t value)
{
	struct fake *f = (struct fake *)a;

	note(f, at, 'w', value);
	*slot(f, at) = value;
	return 0;
}

static const struct access_ops fake_ops = { .read = fake_read, .write = fake_write };

static void nothing(void *ctx)
{
	(void)ctx;
}

static uint64_t now(void *ctx)
{
	return ((struct fake *)ctx)->time;
}

/* A core knows instructions, and one event that only counter 2 counts. */
static uint32_t counters(void *ctx, uint64_t select)
{
	(void)ctx;
	return (select & 0xffff) == 0xc0 ? 0xf : (select & 0xffff) == 0x148 ? 4 : 0;
}

static struct perf *make(struct fake *f, const char *family)
{
	const struct cat_family *found = cat_find_family(family, strlen(family));
	struct perf_config config = {
		.registers = &f->access, .hold = nothing, .release = nothing, .now = now, .wake = nothing, .counters = counters, .ctx = f,
		.core_counters = 4, .family = (unsigned)(found - cat_families), .sockets = 2, .cores = 4, .cpus = 16,
	};
	struct perf *p = NULL;

	memset(f, 0, sizeof *f);
	f->access.ops = &fake_ops;
	CHECK_EQ(__LINE__, perf_new(&config, &p), 0);
	f->regs = 0;
	return p;
}

static const struct perf_pmu *pmu_named(const struct perf *p, const char *name)
{
	for (unsigned i = 0; i < perf_pmu_count(p); i++)
		if (strcmp(perf_pmu(p, i)->name, name) == 0)
			return perf_pmu(p, i);
	return NULL;
}

static struct perf_event *open_event(struct perf *p, struct perf_event_attr *attr, int cpu, uint64_t group, int *err)
{
	const struct perf_call call = { .attr = attr, .size = 128, .pid = -1, .cpu = cpu, .group = group, .capable = true };
	struct perf_event *e = NULL;

	*err = perf_event_new(p, &call, &e);
	return e;
}

/* From the driver's order (enable: the box frozen, start value, filters, control, the box goes on) and its numbers, by hand. */
static const struct row {
	int line;
	const char *family, *pmu;
	uint64_t config, config1, config2;
	const char *opened, *closed;
} rows[] = {
	{ LINE, "hsx", "uncore_imc_0", 0x304, 0, 0,
	  "w 20.0:f4 10003, r 20.0:f4, w 20.0:f4 10103, r 20.0:a0, r 20.0:a4, w 20.0:d8 400304, r 20.0:f4, w 20.0:f4 10003, ",
	  "r 20.0:f4, w 20.0:f4 10103, w 20.0:d8 304, r 20.0:a0, r 20.0:a4, r 20.0:f4, w 20.0:f4 10003, " },
	/* The fixed counter's control has nothing but its enable. */
	{ LINE, "hsx", "uncore_imc_0", 0xff, 0, 0,
	  "w 20.0:f4 10003, r 20.0:f4, w 20.0:f4 10103, r 20.0:d0, r 20.0:d4, w 20.0:f0 400000, r 20.0:f4, w 20.0:f4 10003, ",
	  "r 20.0:f4, w 20.0:f4 10103, w 20.0:f0 0, r 20.0:d0, r 20.0:d4, r 20.0:f4, w 20.0:f4 10003, " },
	/* Of config1 the state alone is looked at: bits 23:17; both halves are written. */
	{ LINE, "hsx", "uncore_cbox_1", 0x334, UINT64_C(0xffffffffffffffff), 0,
	  "w e10 10003, r e10, w e10 10103, r e18, w e15 fe0000, w e16 0, w e11 400334, r e10, w e10 10003, ",
	  "r e10, w e10 10103, w e11 334, r e18, r e10, w e10 10003, " },
	{ LINE, "hsx", "uncore_cbox_0", 0x4135, UINT64_C(0x1820000100000000), 0,
	  "w e00 10003, r e00, w e00 10103, r e08, w e05 0, w e06 18200001, w e01 404135, r e00, w e00 10003, ",
	  "r e00, w e00 10103, w e01 4135, r e08, r e00, w e00 10003, " },
	/* An SBo gets its first value bit by bit. */
	{ LINE, "hsx", "uncore_sbox_0", 2, 0, 0,
	  "w 720 1, w 720 3, w 720 10003, r 720, w 720 10103, r 726, w 721 400002, r 720, w 720 10003, ",
	  "r 720, w 720 10103, w 721 2, r 726, r 720, w 720 10003, " },
	/* No box control; the filter is written even if it is 0, and has six bits. */
	{ LINE, "hsx", "uncore_ubox", 0x42, 0xff, 0, "r 709, w 707 3f, w 705 400042, ", "w 705 42, r 709, " },
	/* Band 1 of hsx: the mask 0xff << 1, of which the band itself keeps bit 8.  In snbep all eight. */
	{ LINE, "hsx", "uncore_pcu", 0xc, 0xff00, 0,
	  "w 710 10003, r 710, w 710 10103, r 717, w 715 100, w 711 40000c, r 710, w 710 10003, ",
	  "r 710, w 710 10103, w 711 c, r 717, r 710, w 710 10003, " },
	{ LINE, "snbep", "uncore_pcu", 0xc, 0xff00, 0,
	  "w c24 10003, r c24, w c24 10103, r c36, w c34 ff00, w c30 40000c, r c24, w c24 10003, ",
	  "r c24, w c24 10103, w c30 c, r c36, r c24, w c24 10003, " },
	/* Match and mask are in another function of the link. */
	{ LINE, "hsx", "uncore_qpi_0", 0x200038, UINT64_C(0x1111111122222222), UINT64_C(0x3333333344444444),
	  "w 8.2:f4 10003, r 8.2:f4, w 8.2:f4 10103, r 8.2:a0, r 8.2:a4, w 8.6:228 22222222, w 8.6:22c 11111111, w 8.6:238 44444444, "
	  "w 8.6:23c 33333333, w 8.2:d8 600038, r 8.2:f4, w 8.2:f4 10003, ",
	  "r 8.2:f4, w 8.2:f4 10103, w 8.2:d8 200038, r 8.2:a0, r 8.2:a4, r 8.2:f4, w 8.2:f4 10003, " },
	/* Of the third link the driver knows no such function. */
	{ LINE, "hsx", "uncore_qpi_2", 0x200038, 1, 1,
	  "w 10.2:f4 10003, r 10.2:f4, w 10.2:f4 10103, r 10.2:a0, r 10.2:a4, w 10.2:d8 600038, r 10.2:f4, w 10.2:f4 10003, ",
	  "r 10.2:f4, w 10.2:f4 10103, w 10.2:d8 200038, r 10.2:a0, r 10.2:a4, r 10.2:f4, w 10.2:f4 10003, " },
	/* One register of 32 bits; opcode 31:23 and node 17:10 of 0x4135. */
	{ LINE, "snbep", "uncore_cbox_0", 0x4135, UINT64_C(0xffffffff), 0,
	  "w d04 10003, r d04, w d04 10103, r d16, w d14 ff83fc00, w d10 404135, r d04, w d04 10003, ",
	  "r d04, w d04 10103, w d10 4135, r d16, r d04, w d04 10003, " },
	/* A core: instructions in the fixed counter, for user and kernel; what else the global control has on stays on. */
	{ LINE, "hsx", "cpu", 0xc0, 0, 0, "w 38f 0, r 309, r 38d, w 38d 3, w 38f 70000000f, ",
	  "w 38f 0, r 38d, w 38d 0, r 309, w 38f 70000000f, " },
	{ LINE, "hsx", "cpu", 0x148, 0, 0, "w 38f 0, r c3, w 188 430148, w 38f 70000000f, ",
	  "w 38f 0, w 188 30148, r c3, w 38f 70000000f, " },
};

static void accesses(void)
{
	static struct fake f;

	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct perf *p = make(&f, r->family);
		struct perf_event_attr a = { .config = r->config, .config1 = r->config1, .config2 = r->config2 };
		const struct perf_pmu *pmu = pmu_named(p, r->pmu);
		struct perf_event *e;
		int err;

		CHECK_EQ(r->line, pmu != NULL, 1);
		a.type = pmu ? pmu->type : 0;
		f.logging = true;
		e = open_event(p, &a, 0, 0, &err);
		CHECK_EQ(r->line, err, 0);
		CHECK_STR(r->line, f.log, r->opened);
		f.log[0] = '\0';
		if (e)
			perf_event_free(e);
		CHECK_STR(r->line, f.log, r->closed);
		f.logging = false;
		perf_free(p);
	}
}

/* Counters go round: 44 bits of an SBo, 48 of a channel. */
static void widths(void)
{
	static const struct { int line; const char *pmu; struct access_address at; uint64_t from, to, want; } wraps[] = {
		{ LINE, "uncore_sbox_0", { .space = CAT_MSR, .offset = 0x726 }, UINT64_C(0xffffffffff0), 0x10, 0x20 },
		{ LINE, "uncore_pcu", { .space = CAT_MSR, .offset = 0x717 }, UINT64_C(0xfffffffffff0), 0x10, 0x20 },
		{ LINE, "uncore_pcu", { .space = CAT_MSR, .offset = 0x717 }, 7, 12, 5 },
	};
	static struct fake f;

	for (size_t i = 0; i < LEN(wraps); i++) {
		struct perf *p = make(&f, "hsx");
		struct perf_event_attr a = { .type = pmu_named(p, wraps[i].pmu)->type, .config = 1 };
		struct perf_event *e;
		uint64_t got = 0;
		int err;

		*slot(&f, &wraps[i].at) = wraps[i].from;
		e = open_event(p, &a, 0, 0, &err);
		*slot(&f, &wraps[i].at) = wraps[i].to;
		CHECK_EQ(wraps[i].line, perf_event_read(e, &got, sizeof got), 8);
		CHECK_EQ(wraps[i].line, got, wraps[i].want);
		perf_event_free(e);
		perf_free(p);
	}
}

/* Five of four: the order in which they wait is a ring that moves on by one every 4 ms. */
static void turns(void)
{
	static struct fake f;
	struct perf *p = make(&f, "hsx");
	struct perf_event_attr a = { .type = pmu_named(p, "uncore_ha_0")->type, .config = 1,
				     .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };
	struct perf_event *e[5];
	uint64_t got[3];
	int err;

	for (unsigned i = 0; i < 5; i++)
		e[i] = open_event(p, &a, 0, 0, &err);
	CHECK(perf_tick(p));
	for (unsigned ms = 1; ms <= 20; ms++) {
		f.time = ms * UINT64_C(1000000000);
		perf_tick(p);
	}
	/* 20 ms are five turns: each has waited one of them, the last at first. */
	for (unsigned i = 0; i < 5; i++) {
		CHECK_EQ(__LINE__, perf_event_read(e[i], got, sizeof got), 24);
		CHECK_EQ(__LINE__, got[1], 20000000);
		CHECK_EQ(__LINE__, got[2], 16000000);
	}
	for (unsigned i = 0; i < 5; i++)
		perf_event_free(e[i]);
	perf_free(p);
}

/* Anything in any order: time that ran is never more than time that was, and in the end nobody is on anything. */

static void random_attr(struct perf *p, uint64_t *s, struct perf_event_attr *a)
{
	memset(a, 0, sizeof *a);
	a->type = check_random(s) % 8 ? perf_pmu(p, (unsigned)(check_random(s) % perf_pmu_count(p)))->type : (uint32_t)check_random(s) % 64;
	a->config = check_random(s) % 4 ? check_random(s) % 0x50 : check_random(s);
	a->config1 = check_random(s) % 2 ? check_random(s) : 0;
	a->read_format = check_random(s) % 33;
	a->disabled = check_random(s) & 1;
	a->pinned = check_random(s) % 8 == 0;
	a->exclusive = check_random(s) % 16 == 0;
	if (check_random(s) % 64 == 0)
		for (unsigned i = 0; i < sizeof *a; i++)
			((uint8_t *)a)[i] = (uint8_t)check_random(s);
}

static void do_something(struct perf_event *e, uint64_t *s)
{
	static const unsigned requests[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_ID, PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 0x2477,
	};
	uint64_t words[64] = { 0 };
	uint64_t in = check_random(s);
	long n;

	perf_event_ioctl(e, requests[check_random(s) % LEN(requests)], check_random(s) % 3, &in, words);
	n = perf_event_read(e, words, check_random(s) % sizeof words);
	if (n > 0 && !(e->attr.read_format & PERF_FORMAT_GROUP))
		CHECK(e->running <= e->enabled);
}

static void anything(void)
{
	enum { SLOTS = 40, STEPS = 200000 };
	static struct fake f;
	struct perf *p = make(&f, "hsx");
	struct perf_event *e[SLOTS] = { NULL };
	uint64_t s = 88172645463325252u;
	unsigned opened = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		struct perf_event **at = &e[check_random(&s) % SLOTS], *leader = e[check_random(&s) % SLOTS];
		struct perf_event_attr a;
		int err;

		f.time += check_random(&s) % UINT64_C(3000000000);
		if (!*at) {
			random_attr(p, &s, &a);
			*at = open_event(p, &a, (int)(check_random(&s) % 18) - 1, leader && check_random(&s) & 1 ? leader->id : 0, &err);
			CHECK(*at ? err == 0 : err < 0 && err > -200);
			opened += *at != NULL;
		} else if (check_random(&s) % 4 == 0) {
			perf_event_free(*at);
			*at = NULL;
		} else {
			do_something(*at, &s);
		}
		perf_tick(p);
	}
	CHECK(opened > STEPS / 50);
	for (unsigned i = 0; i < SLOTS; i++)
		if (e[i])
			perf_event_free(e[i]);
	for (unsigned i = 0; i < p->contexts; i++) {
		const struct perf_context *c = &p->context[i];

		CHECK(!c->ons && !c->leaders);
		for (unsigned k = 0; k < PERF_PARTS; k++)
			CHECK_EQ(__LINE__, c->shared.refs[k], 0);
	}
	CHECK(!p->events);
	perf_free(p);
}

int main(void)
{
	accesses();
	widths();
	turns();
	anything();
	return check_done();
}
