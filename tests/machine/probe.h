/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting events as software does, through access.h alone: program controls, unfreeze, run,
 * freeze, read.  One event a counter, on all boxes of its type in all sockets.
 */
#ifndef BXS_TESTS_PROBE_H
#define BXS_TESTS_PROBE_H

#include "catalog/find.h"
#include "check.h"
#include "feed/feed.h"
#include "machine/machine.h"
#include "machine/spec.h"
#include "make_machine.h"
#include "pmu/pmu.h"

enum { PROBES = 16, PROBE_EN = 1 << 22, PROBE_EXT = 1 << 21 };

/* GLOBAL_CTL; frz and frz_en of a box control. */
#define PROBE_FREEZE (UINT64_C(1) << 31)
#define PROBE_UNFREEZE (UINT64_C(1) << 29)
#define PROBE_BOX_FRZ (UINT64_C(1) << 8)
#define PROBE_BOX_FRZ_EN (UINT64_C(1) << 16)

struct probe {
	const struct cat_type *type;
	unsigned counter;
	uint64_t ctl;
};

struct probes {
	struct machine *m;
	const struct cat_family *family;
	struct probe probe[PROBES];
	unsigned count;
};

static inline unsigned probe_boxes(const struct probes *p, const struct cat_type *t)
{
	return pmu_boxes(machine_pmu(p->m), (unsigned)(t - &cat_types[p->family->type0]));
}

static inline const struct cat_reg *probe_reg(const struct cat_type *t, enum cat_role role)
{
	for (unsigned i = 0; i < t->regs; i++)
		if (cat_regs[t->reg0 + i].role == role)
			return &cat_regs[t->reg0 + i];
	return NULL;
}

static inline struct access_address probe_at(const struct cat_type *t, enum cat_role role,
					     unsigned socket, unsigned box, unsigned i)
{
	const struct cat_reg *r = probe_reg(t, role);
	struct cat_where w = cat_reg_where(r, box, i);

	return (struct access_address){
		.space = w.space, .bus = w.bus, .socket = (uint16_t)socket,
		.base = w.base, .offset = w.offset, .width = r->width,
	};
}

static inline void probe_write(struct probes *p, const struct access_address *at, uint64_t value)
{
	CHECK_EQ(__LINE__, access_write(machine_registers(p->m), at, value), 0);
}

/* Box by box where nothing stops a whole socket. */
static inline void probe_box_freeze(struct probes *p, bool freeze)
{
	for (unsigned n = 0; n < p->count; n++) {
		const struct cat_type *t = p->probe[n].type;

		for (unsigned i = 0; i < machine_sockets(p->m) * probe_boxes(p, t); i++) {
			struct access_address at = probe_at(t, CAT_BOX_CTL, i / probe_boxes(p, t),
							    i % probe_boxes(p, t), 0);

			probe_write(p, &at, PROBE_BOX_FRZ_EN | (freeze ? PROBE_BOX_FRZ : 0));
		}
	}
}

static inline void probe_global(struct probes *p, uint64_t value)
{
	const struct cat_type *global = cat_find_type(p->family, "global", 6);

	if (!global) {
		probe_box_freeze(p, value == PROBE_FREEZE);
		return;
	}
	for (unsigned s = 0; s < machine_sockets(p->m); s++) {
		struct access_address at = probe_at(global, CAT_GLOBAL_CTL, s, 0, 0);

		probe_write(p, &at, value);
	}
}

/* Set up one event ("cbo", "LLC_LOOKUP", "ANY" or NULL); returns its number for probe_read(). */
static inline unsigned probe_add(struct probes *p, const char *type, const char *event,
				 const char *umask, unsigned counter)
{
	const struct cat_type *t = cat_find_type(p->family, type, strlen(type));
	const struct cat_event *e = cat_find_event(t, event, strlen(event));
	const struct cat_umask *u = umask && e ? cat_find_umask(e, umask, strlen(umask)) : NULL;
	struct probe *probe = &p->probe[p->count];

	if (!e || (umask && !u)) {
		CHECK_STR(__LINE__, "no such event", event);
		return 0;
	}
	probe->type = t;
	probe->counter = counter;
	probe->ctl = e->code | (u ? (uint64_t)u->umask << 8 : 0) | (e->ext ? PROBE_EXT : 0);
	for (unsigned s = 0; s < machine_sockets(p->m); s++)
		for (unsigned b = 0; b < probe_boxes(p, t); b++) {
			struct access_address at = probe_at(t, CAT_CTL, s, b, counter);

			probe_write(p, &at, probe->ctl);	/* some boxes take it the */
			probe_write(p, &at, probe->ctl | PROBE_EN);	/* second time */
		}
	return p->count++;
}

/* Write the first filter register of all boxes of a type. */
static inline void probe_filter(struct probes *p, const char *type, uint64_t value)
{
	const struct cat_type *t = cat_find_type(p->family, type, strlen(type));

	for (unsigned s = 0; s < machine_sockets(p->m); s++)
		for (unsigned b = 0; b < probe_boxes(p, t); b++) {
			struct access_address at = probe_at(t, CAT_FILTER, s, b, 0);

			probe_write(p, &at, value);
		}
}

static inline uint64_t probe_box(struct probes *p, unsigned n, unsigned socket, unsigned box)
{
	struct access_address at = probe_at(p->probe[n].type, CAT_CTR, socket, box,
					    p->probe[n].counter);
	uint64_t value = 0;

	CHECK_EQ(__LINE__, access_read(machine_registers(p->m), &at, &value), 0);
	return value;
}

static inline uint64_t probe_socket(struct probes *p, unsigned n, unsigned socket)
{
	uint64_t sum = 0;

	for (unsigned b = 0; b < probe_boxes(p, p->probe[n].type); b++)
		sum += probe_box(p, n, socket, b);
	return sum;
}

static inline uint64_t probe_read(struct probes *p, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < machine_sockets(p->m); s++)
		sum += probe_socket(p, n, s);
	return sum;
}

static inline void probe_zero(struct probes *p)
{
	for (unsigned n = 0; n < p->count; n++)
		for (unsigned s = 0; s < machine_sockets(p->m); s++)
			for (unsigned b = 0; b < probe_boxes(p, p->probe[n].type); b++) {
				struct access_address at = probe_at(p->probe[n].type, CAT_CTR, s, b,
								    p->probe[n].counter);

				probe_write(p, &at, 0);
			}
}

/* Run a kernel to its end. */
static inline void probe_run(struct machine *m, const char *kernel)
{
	struct feed *feed = NULL;
	char why[200] = "";

	kernel_open(m, kernel, &feed, why, sizeof why);
	CHECK_STR(__LINE__, why, "");
	if (!feed)
		return;
	CHECK_EQ(__LINE__, feed_run(feed, UINT64_MAX), 0);
	feed_close(feed);
}

/* Let ns nanoseconds pass after all that has been told. */
static inline void probe_rest(struct machine *m, uint64_t ns, int line)
{
	machine_advance(m, machine_horizon(m) + ns * 1000);
	machine_drain(m);
	CHECK_EQ(line, machine_error(m), 0);
}

/* Run a kernel with counters running from 0; then let posted writes drain. */
static inline void probe_count(struct probes *p, const char *kernel)
{
	probe_global(p, PROBE_FREEZE);
	probe_zero(p);
	probe_global(p, PROBE_UNFREEZE);
	probe_run(p->m, kernel);
	probe_rest(p->m, 20000, __LINE__);
	probe_global(p, PROBE_FREEZE);
}

/* Within permille of want. */
#define CHECK_NEAR(at, got, want, permille) \
	check_near(__FILE__, at, #got, got, want, permille)

static inline void check_near(const char *file, int line, const char *what, uint64_t got,
			      uint64_t want, unsigned permille)
{
	uint64_t apart = got > want ? got - want : want - got;

	check_count++;
	if (apart * 1000 <= want * permille)
		return;
	printf("%s:%d: %s is %" PRIu64 ", want %" PRIu64 " within %u permille\n", file, line, what,
	       got, want, permille);
	check_failures++;
}

#endif
