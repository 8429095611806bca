/* SPDX-License-Identifier: BSD-2-Clause */
/* A Cbox's dealings with the cores of its socket: what it asks of them, and how their answers come. */
#include "base/bits.h"
#include "uncore/poulson/cbox_core.h"

void cbox_init(struct cbox *c, uint32_t uclk_khz, struct signal_port *silent)
{
	*c = (struct cbox){ .port = silent, .uclk = calendar_rate(uclk_khz) };
	entries_init(&c->ipq, CBOX_IPQ);
	entries_init(&c->viq, CBOX_VIQ);
	entries_init(&c->home, CBOX_HOME);
	table_init(&c->maf, CBOX_MAF);
}

uint64_t cbox_ring(struct p9500_socket *s, enum pring_kind kind, unsigned from, unsigned to, enum pring_sender sender,
		   uint64_t when)
{
	struct pring_message m = {
		.when = when, .kind = (uint8_t)kind, .from = (uint8_t)from, .to = (uint8_t)to, .sender = (uint8_t)sender,
		.slots = kind == PRING_BL ? 2 : 1,
	};

	return pring_send(&s->ring, &m);
}

void cbox_tell_bypass(struct cbox *c, uint64_t queue, uint64_t came, uint64_t went)
{
	uint64_t wait = (went - came) / c->uclk.period - CBOX_QUEUE;

	if (wait <= 1)
		signal_pulse(c->port, SIG_CBOX_INGRESS, came, 1, queue | (wait ? CBOX_INGRESS_BYP1 : CBOX_INGRESS_BYP0), NULL);
}

/* One core is asked; its answer, and what it has written, come back to the slice. */
static uint64_t ask(struct p9500 *p, struct cbox_asking *a, unsigned core, bool dirty)
{
	struct p9500_socket *s = &p->socket[a->socket];
	struct cbox *c = &s->cbox[a->slice];
	unsigned slice = pring_stop_of_core(a->slice), stop = pring_stop_of_core(core);
	uint64_t there = cbox_ring(s, PRING_IV, slice, stop, PRING_CBOX, a->when);
	uint64_t looked = there + (uint64_t)CBOX_SNOOP_CORE * c->uclk.period, back;
	const struct p9500_snoop snoop = {
		.line = a->line, .when = looked, .socket = a->socket, .core = core, .clocks = CBOX_SNOOP_CORE,
		.kind = a->invalidate ? LEAVE_SNOOP_INVALIDATE : LEAVE_SNOOP_SHARE, .code = a->code, .evicts = a->evicts,
	};

	if (p->config.snoop_core(p->config.ctx, &snoop))
		a->written = dirty = true;
	back = cbox_ring(s, PRING_AK, stop, slice, PRING_CORE, looked);
	if (dirty) {
		uint64_t data = cbox_ring(s, PRING_BL, stop, slice, PRING_CORE, looked);

		back = data > back ? data : back;
	}
	return back;
}

uint64_t cbox_ask_cores(struct p9500 *p, struct cbox_asking *a, unsigned cores, uint64_t word)
{
	uint64_t last = a->when;

	for (; cores; cores &= cores - 1) {
		uint64_t back = ask(p, a, (unsigned)__builtin_ctz(cores), (word & TAGS_OWNED) && (word & TAGS_DIRTY));

		last = back > last ? back : last;
	}
	return last;
}
