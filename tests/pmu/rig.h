/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs for tests: registers by name, and a fixed random generator. */
#ifndef BXS_TEST_PMU_RIG_H
#define BXS_TEST_PMU_RIG_H

#include "catalog/find.h"
#include "pmu/pmu.h"

#include "check.h"

static inline struct pmu *rig_new(const char *family, unsigned sockets)
{
	struct pmu_config config = { .family = cat_find_family(family, strlen(family)),
				     .sockets = sockets, .cores = 18 };
	struct pmu *p = NULL;

	CHECK(pmu_new(&config, &p) == 0);
	return p;
}

static inline struct pmu_address rig_address(const struct cat_reg *r, unsigned socket, unsigned box,
					     unsigned i)
{
	struct cat_where w = cat_reg_where(r, box, i);

	return (struct pmu_address){ .space = w.space, .bus = w.bus, .socket = socket,
				     .base = w.base, .offset = w.offset, .width = r->width };
}

static inline uint64_t rig_read(struct pmu *p, const struct pmu_address *at)
{
	uint64_t value = 0;

	CHECK(pmu_read(p, at, &value) == OUTCOME_OK);
	return value;
}

static inline void rig_write(struct pmu *p, const struct pmu_address *at, uint64_t value)
{
	CHECK(pmu_write(p, at, value) == OUTCOME_OK);
}

/* A box of socket 0. */
static inline struct pmu_box rig_box(const struct pmu *p, const char *name)
{
	struct pmu_box box = { 0 };

	CHECK(pmu_find_box(p, name, strlen(name), &box) == 0);
	return box;
}

static inline struct pmu_address rig_named(const struct pmu *p, const char *box, const char *reg)
{
	struct pmu_box where = rig_box(p, box);
	struct pmu_address at = { 0 };

	CHECK(pmu_find_register(p, &where, reg, strlen(reg), &at) == 0);
	return at;
}

/* n more clocks of the domain are over. */
static inline void rig_advance(struct pmu *p, const char *clock, uint64_t n)
{
	const struct signal_clock *c = pmu_clock(p, 0, clock);

	CHECK(pmu_close(p, signal_clock_time(c, signal_clocks(c, pmu_now(p)) + n)) == 0);
}

struct rig_random {
	uint64_t state;
};

static inline uint64_t rig_draw(struct rig_random *r)
{
	r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (r->state >> 29) ^ (r->state << 31);
}

static inline uint64_t rig_below(struct rig_random *r, uint64_t below)
{
	return rig_draw(r) % below;
}

#endif
