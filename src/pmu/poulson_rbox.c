/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500, section 5.6, the router: a counter's side and pt_sel say the port, its ev_sel
 * which of the port's two sets of registers says what is counted.  The tag `link` of an
 * occurrence is the port, 0 to 9.
 */
#include "pmu/packet.h"
#include "pmu/poulson.h"

enum { SIDE_COUNTERS = 8, SIDE_PORTS = 5, SETS = 2 };

static unsigned set_of(const struct box *b, const struct counter *c)
{
	return bits_get(b->socket->value[c->ctl], 16, 16);
}

/* The port that counter c watches, or CAT_ABSENT: pt_sel says none. */
static uint32_t port_of(const struct box *b, const struct counter *c)
{
	unsigned port = (unsigned)bits_get(b->socket->value[c->ctl], 21, 19);

	return port < SIDE_PORTS ? port + SIDE_PORTS * (c->number / SIDE_COUNTERS) : CAT_ABSENT;
}

/* Both sets of IPERF, and both events of ARB_PERF, count the same events. */
void poulson_rbox_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s)
{
	enum { MASK_MATCH_0 = 4 };

	(void)t;
	(void)ctl;
	if (s->code < MASK_MATCH_0)
		s->code &= ~1u;
}

uint32_t poulson_rbox_element(const struct box *b, const struct counter *c,
			      const struct cat_reg *r, bool *second)
{
	uint32_t port = port_of(b, c);
	bool pairs = r->count == SETS * 2 * SIDE_PORTS;

	*second = !pairs && set_of(b, c);
	if (port == CAT_ABSENT)
		return CAT_ABSENT;
	return pairs ? SETS * port + set_of(b, c) : port;
}

/* Match and mask of the set, as one 64-bit packet header. */
static uint64_t packet_word(const struct box *b, const char *msb, const char *lsb, uint32_t i)
{
	return poulson_value(b, msb)[i] << 32 | poulson_value(b, lsb)[i];
}

void poulson_rbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint32_t port = port_of(b, c), i = SETS * port + set_of(b, c);

	if (port == CAT_ABSENT) {
		c->watch.alts = 0;
		return;
	}
	/* The messages of the list are values of match and mask, which decide. */
	if ((e->by & CAT_BY_PACKET) &&
	    !packet_match(c, poulson_value(b, "_MM_CFG_{1-0}")[i],
			  packet_word(b, "_MATCH_{1-0}_MSB", "_MATCH_{1-0}_LSB", i),
			  packet_word(b, "_MASK_{1-0}_MSB", "_MASK_{1-0}_LSB", i)))
		return;
	pmu_also(c, (struct signal_test){ .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_LINK,
					  .mask = UINT64_MAX, .value = port });
}

/* 5.6.4: full-width ports, all but the two half-width links, bypass their output buffers. */
bool poulson_rbox_tell(struct box *b, const struct cat_event *e, const struct signal_tag *tag,
		       uint64_t *n)
{
	enum { QPIH5 = 0, QPIH4 = 5 };

	(void)b;
	(void)n;
	return !(e->by & CAT_BY_WIDTH) || tag->link == QPIH5 ||
	       tag->link == QPIH4;
}
