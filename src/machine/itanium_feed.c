/* SPDX-License-Identifier: BSD-2-Clause */
/* What leaves the cores of an Itanium machine goes to its sockets. */
#include "machine/itanium.h"
#include "machine/private.h"

static uint64_t line_of(struct machine *m, const struct machine_core *c, const struct leave_record *rec)
{
	return map_translate(&m->map, machine_word(rec) & bits_low(MACHINE_USER_BITS), c->node);
}

/* Private caches fill data as their own; now they hear that others have it too. */
static void share(struct machine *m, unsigned core, const struct leave_record *rec, uint64_t line)
{
	if (rec->kind != LEAVE_CRD && rec->kind != LEAVE_PF_CRD)
		machine_ask_core(m, core, line, LEAVE_SNOOP_SHARE);
}

void itanium_feed(struct machine *m, unsigned core, const struct leave_record *rec, uint64_t *last)
{
	struct machine_core *c = &m->core[core];
	enum timing_class class = timing_class(rec->kind);
	struct p9500_request rq = { .line = line_of(m, c, rec), .socket = c->socket, .core = c->number, .kind = rec->kind };
	struct p9500_reply reply;

	rq.when = timing_start(&c->timing, class, rec->flags & LEAVE_DEPENDENT) + c->lookup;
	reply = p9500_request(m->p9500, &rq);
	if (class != TIMING_NONE)
		timing_sent(&c->timing, class, rq.when, reply.when);
	*last = reply.when > *last ? reply.when : *last;
	if (reply.grant == FABRIC_SHARED)
		share(m, core, rec, rq.line);
}

void itanium_advance(struct machine *m, uint64_t until)
{
	p9500_advance(m->p9500, until);
	if (p9500_broken(m->p9500))
		m->error = BXS_ENOMEM;
}
