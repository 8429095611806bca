/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in the way of measuring on this computer, and what would help. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "local/local_private.h"

enum { READS = 1000 };

struct doctor {
	void (*tell)(void *ctx, const char *what, const char *text);
	void *ctx;
};

static void row(const struct doctor *d, const char *what, const char *text)
{
	d->tell(d->ctx, what, text);
}

static void tell_processor(const struct doctor *d, const struct local_processor *p)
{
	char text[300];

	row(d, "processor", *p->name ? p->name : "unknown");
	if (p->virtual)
		row(d, "", "a virtual machine: its hypervisor decides which registers there are");
	if (!p->family) {
		row(d, "family", "none that Boxscore knows; `boxscore machines` lists them");
		return;
	}
	snprintf(text, sizeof text, "%s, %s", cat_str(p->family->name), cat_str(p->family->text));
	row(d, "family", text);
	snprintf(text, sizeof text, "%u socket%s of %u core%s, %u CPUs online", p->sockets, p->sockets == 1 ? "" : "s", p->cores,
		 p->cores == 1 ? "" : "s", p->cpus);
	row(d, "", text);
}

/* Whether box `box` of a type answers in a socket. */
static bool answers(struct local *l, const struct cat_type *t, unsigned socket, unsigned box)
{
	struct cat_where w = cat_reg_where(cat_regs + t->reg0, box, 0);
	const struct access_address at = {
		.space = w.space, .bus = w.bus, .socket = (uint16_t)socket, .base = w.base, .offset = w.offset,
		.width = cat_regs[t->reg0].width,
	};
	uint64_t value;

	return !local_is_fused(l, (unsigned)(t - cat_types), box) && access_read(&l->access, &at, &value) == 0 && !(w.space == CAT_PCI && value == bits_low(at.width));
}

/* "cbo 18, ha 2" of each socket. */
static void tell_boxes(const struct doctor *d, struct local *l)
{
	const struct cat_family *f = l->processor.family;

	for (unsigned socket = 0; socket < l->processor.sockets; socket++) {
		char text[300] = "", what[24];
		size_t used = 0;

		for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types && used < sizeof text; t++) {
			unsigned n = 0;

			/* Registers of CPUs are no box of the uncore. */
			if (cat_reg_where(cat_regs + cat_types[t].reg0, 0, 0).space == CAT_CPU)
				continue;
			for (unsigned b = 0; b < cat_types[t].boxes; b++)
				n += answers(l, cat_types + t, socket, b);
			if (n)
				used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %u", used ? ", " : "",
							 cat_str(cat_types[t].name), n);
		}
		snprintf(what, sizeof what, "socket %u", socket);
		row(d, what, used ? text : "no box answers");
	}
}

/* Finds a register of this role in a box that answers. */
static bool find_register(struct local *l, enum cat_role role, struct access_address *at)
{
	for (unsigned i = 0; i < l->places; i++) {
		const struct cat_reg *r = cat_regs + l->place[i].reg;
		struct cat_where w;

		w = cat_reg_where(r, l->place[i].box, l->place[i].element);
		if (r->role != role || w.space == CAT_CPU || !answers(l, cat_types + r->type, 0, l->place[i].box))
			continue;
		*at = (struct access_address){ .space = w.space, .bus = w.bus, .base = w.base, .offset = w.offset, .width = r->width };
		return true;
	}
	return false;
}

/* How long it takes to read a counter.  By perf it has to count, or no event would be open to read. */
static void tell_cost(const struct doctor *d, struct local *l)
{
	struct access_address control, counter;
	uint64_t ignored, began;
	char text[80];

	if (!find_register(l, CAT_CTL, &control) || !find_register(l, CAT_CTR, &counter))
		return;
	if (l->door->shared)
		access_write(&l->access, &control, UINT64_C(1) << 22);
	began = local_now();
	for (unsigned i = 0; i < READS; i++)
		access_read(&l->access, &counter, &ignored);
	snprintf(text, sizeof text, "%.1f us to read a counter", (double)(local_now() - began) / READS / 1000);
	row(d, "cost", text);
}

static void tell_watchdog(const struct doctor *d)
{
	unsigned on;

	if (local_number("/proc/sys/kernel/nmi_watchdog", &on) && on)
		row(d, "watchdog", "the NMI watchdog holds a counter of each core: `sysctl kernel.nmi_watchdog=0` gives it back");
}

/* Kernel lockdown keeps even root from writing MSRs. */
static void tell_lockdown(const struct doctor *d)
{
	char line[120];

	if (local_line("/sys/kernel/security/lockdown", line, sizeof line) && !strstr(line, "[none]"))
		row(d, "lockdown", "the kernel is locked down: MSRs cannot be written, so the way is perf");
}

static bool try_way(const struct doctor *d, const char *via)
{
	const struct local_wish wish = { .via = via };
	char why[LOCAL_WHY] = "";
	struct local *l;
	const char *reason;

	if (local_open(&wish, &l, why, sizeof why) < 0) {
		reason = strstr(why, via);
		row(d, via, reason && reason[strlen(via)] == ':' ? reason + strlen(via) + 2 : why);
		return false;
	}
	row(d, via, "ready");
	tell_boxes(d, l);
	tell_cost(d, l);
	local_close(l);
	return true;
}

bool local_doctor(void (*tell)(void *ctx, const char *what, const char *text), void *ctx)
{
	const struct doctor doctor = { .tell = tell, .ctx = ctx }, *d = &doctor;
	struct local_processor p;
	struct local counted = { 0 };
	bool perf, direct;

	local_find_processor(&p);
	counted.processor = p;
	if (local_find_cpus(&counted) == 0)
		p = counted.processor;
	free(counted.cpu);
	tell_processor(d, &p);
	if (!p.family)
		return false;
	perf = try_way(d, "perf");
	direct = try_way(d, "direct");
	tell_watchdog(d);
	tell_lockdown(d);
	return perf || direct;
}
