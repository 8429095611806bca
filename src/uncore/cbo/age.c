/* SPDX-License-Identifier: BSD-2-Clause */
/* Ages of lines, compared before and after a request. */
#include "uncore/cbo/age.h"

#include <string.h>

#include "signal_ids.h"

static unsigned age(uint8_t meta)
{
	return 3 - meta / LLC_AGE_1;
}

struct cbo_ages cbo_ages_look(struct fabric *f, unsigned socket, uint64_t line)
{
	struct cbo_ages a = { .s = &f->socket[socket], .line = line, .on = fabric_tells(f, SIG_CBO_QLRU) };
	struct llc_place p;

	if (!a.on)
		return a;
	a.slice = llc_slice(&a.s->llc, line);
	a.cbo = &a.s->cbo[a.slice];
	p = llc_find(&a.s->llc, a.slice, line);
	a.way = p.way;
	memcpy(a.meta, p.row->meta, sizeof a.meta);
	return a;
}

void cbo_ages_tell(const struct cbo_ages *a, uint64_t when)
{
	static const struct signal_tag no_tag;
	struct signal_port *port = a->cbo->port;
	struct llc_place p = llc_find(&a->s->llc, a->slice, a->line);
	unsigned down = 0;

	if (p.way < 0)
		return;
	signal_pulse(port, SIG_CBO_QLRU, when, 1, CBO_QLRU_AGE0 << age(p.row->meta[p.way]), &no_tag);
	if (a->way >= 0 || !(a->meta[p.way] & LLC_STATE))
		return;
	/* All others have grown older by as much. */
	for (unsigned i = 0; i < a->s->llc.ways; i++)
		if ((int)i != p.way && age(a->meta[i]) > age(p.row->meta[i]))
			down = age(a->meta[i]) - age(p.row->meta[i]);
	if (down)
		signal_pulse(port, SIG_CBO_QLRU, when, down, CBO_QLRU_LRU_DECREMENT, &no_tag);
	if (age(a->meta[p.way]) > down)
		signal_pulse(port, SIG_CBO_QLRU, when, 1, CBO_QLRU_VICTIM_NON_ZERO, &no_tag);
}
