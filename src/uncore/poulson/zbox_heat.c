/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules of memory that get too hot: throttling, and the trip points that their temperature crosses.
 *
 *	            mid _____/""""""\_____
 *	low ________/                    \________
 *	       up_lo  up_mid  dn_fall  dn_mid  dn_lo
 *
 * They are throttled while they are above the middle one.
 */
#include "base/bits.h"
#include "signal_ids.h"
#include "uncore/poulson/zbox.h"

/* What the temperature takes from one point to the next; a pause shorter than twice that does not cool below the lower. */
#define RAMP UINT64_C(5000000)

void zbox_throttle(struct zbox *z, enum imc_cause cause, unsigned ranks, uint64_t from, uint64_t length, uint64_t period)
{
	for (unsigned i = 0; i < ZBOX_CHANNELS; i++)
		imc_throttle(z->imc[i], cause, ranks, from, length, period);
}

void zbox_heat(struct zbox *z, unsigned modules, uint64_t from, uint64_t length, uint64_t period)
{
	z->heat = (struct zbox_heat){ .modules = modules, .from = from, .length = length, .period = period, .since = z->heat.now,
				      .told = z->heat.now, .now = z->heat.now };
}

/* All modules cross a point at `when`, if that is not told yet. */
static void cross(struct zbox *z, uint64_t flag, uint64_t when, uint64_t now)
{
	if (when <= z->heat.told || when > now)
		return;
	for (unsigned bus = 0; bus < ZBOX_CHANNELS; bus++)
		for (unsigned left = z->heat.modules; left; left &= left - 1) {
			struct signal_tag tag = { .nid = (uint16_t)(bus * 4 + (unsigned)__builtin_ctz(left)) };

			signal_pulse(z->port, SIG_IMC_TRIP, when, 1, flag, &tag);
		}
}

static void tell_spell(struct zbox *z, uint64_t from, uint64_t now)
{
	const struct zbox_heat *h = &z->heat;
	bool cools = !h->period || h->period - h->length >= 2 * RAMP;
	uint64_t to = from + h->length, half = h->length / 2;

	if (cools || from == h->from)
		cross(z, IMC_TRIP_UP_LO, from > h->since + RAMP ? from - RAMP : h->since + 1, now);
	cross(z, IMC_TRIP_UP_MID, from, now);
	cross(z, IMC_TRIP_DN_FALL, to - (RAMP < half ? RAMP : half), now);
	cross(z, IMC_TRIP_DN_MID, to, now);
	if (cools)
		cross(z, IMC_TRIP_DN_LO, to + RAMP, now);
}

void zbox_tell_heat(struct zbox *z, uint64_t now)
{
	struct zbox_heat *h = &z->heat;
	uint64_t done = h->length + RAMP, from = h->from;

	/* Spells that are over are told. */
	if (h->period && h->told > from + done)
		from += (h->told - from - done) / h->period * h->period;
	for (; h->length && from <= now + RAMP; from += h->period) {
		tell_spell(z, from, now);
		if (!h->period)
			break;
	}
	h->told = h->now = now;
}
