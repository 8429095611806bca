/* SPDX-License-Identifier: BSD-2-Clause */
/* Standing where a client's sleep ends, until the client has looked around. */
#include "base/bits.h"
#include "machine/machine.h"
#include "virtual/cpu_page.h"
#include "virtual/virtual_private.h"

enum {
	STAND_NS = 100000000,		/* after the last access of a client, or where there was none, after its sleep */
	MOST_STAND_NS = 2000000000,	/* for clients that go on and on */
};

static uint64_t stop_of(const struct virtual *v)
{
	return v->page ? atomic_load(&v->page->stop) : 0;
}

/* The first picosecond at which the counter shows it. */
static uint64_t time_of(const struct virtual *v, uint64_t tsc)
{
	uint64_t mhz = machine_spec(v->machine)->value[SPEC_BASE_MHZ];

	return (uint64_t)(((bits_u128)tsc * 1000000 + mhz - 1) / mhz);
}

uint64_t virtual_stop(const struct virtual *v)
{
	uint64_t stop = stop_of(v);

	return stop ? time_of(v, stop) : UINT64_MAX;
}

bool virtual_stands(struct virtual *v, uint64_t wall)
{
	uint64_t stop = stop_of(v), asked = atomic_load(&v->asked);

	if (!stop || v->told < time_of(v, stop)) {
		v->stood = 0;
		return false;
	}
	if (!v->stood)
		v->stood = wall;
	if (wall - v->stood < MOST_STAND_NS && (wall - v->stood < STAND_NS || wall < asked + STAND_NS))
		return true;
	/* Unless a client has just asked for another. */
	atomic_compare_exchange_strong(&v->page->stop, &stop, 0);
	v->stood = 0;
	return false;
}
