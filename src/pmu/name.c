/* SPDX-License-Identifier: BSD-2-Clause */
/* Boxes and registers by name, and occurrences by the name of their event. */
#include <string.h>
#include <strings.h>

#include "catalog/find.h"
#include "pmu/engine.h"

static struct box *box_at(const struct pmu *p, const struct pmu_box *where)
{
	if (where->socket >= p->sockets || where->type >= p->family->types ||
	    where->box >= p->type[where->type].boxes)
		return NULL;
	return &p->socket[where->socket].box[p->type[where->type].box0 + where->box];
}

struct signal_port *pmu_port(struct pmu *p, unsigned socket, const char *type, unsigned box)
{
	const struct cat_type *cat = cat_find_type(p->family, type, strlen(type));
	struct pmu_box where = { socket, 0, box };
	struct box *b;

	if (!cat)
		return NULL;
	where.type = (unsigned)(cat - &cat_types[p->family->type0]);
	b = box_at(p, &where);
	return b ? &b->port : NULL;
}

/* The decimal number that ends text[0..len), and where it starts; false: there is none. */
static bool trailing_number(const char *text, size_t len, size_t *start, unsigned *number)
{
	size_t i = len;

	*number = 0;
	while (i && text[i - 1] >= '0' && text[i - 1] <= '9')
		i--;
	if (i == len || len - i > 4)
		return false;
	for (size_t k = i; k < len; k++)
		*number = 10 * *number + (unsigned)(text[k] - '0');
	*start = i;
	return true;
}

/* "s1." in front: the socket. */
static size_t socket_prefix(const char *text, size_t len, unsigned *socket)
{
	const char *dot = memchr(text, '.', len);
	size_t start;

	*socket = 0;
	if (!dot)
		return 0;
	if (!trailing_number(text, (size_t)(dot - text), &start, socket) || start != 1 ||
	    (text[0] | 0x20) != 's')
		return len;
	return (size_t)(dot - text) + 1;
}

int pmu_find_box(const struct pmu *p, const char *text, size_t len, struct pmu_box *out)
{
	struct pmu_box found;
	size_t skip = socket_prefix(text, len, &found.socket), start;
	const struct cat_type *cat;

	text += skip;
	len -= skip;
	found.box = 0;
	/* A type may end with a digit by itself, so the whole name comes first. */
	cat = cat_find_type(p->family, text, len);
	if (cat && p->type[cat - &cat_types[p->family->type0]].boxes > 1)
		return BXS_ENOENT;
	if (!cat && trailing_number(text, len, &start, &found.box))
		cat = cat_find_type(p->family, text, start);
	if (!cat)
		return BXS_ENOENT;
	found.type = (unsigned)(cat - &cat_types[p->family->type0]);
	if (!box_at(p, &found))
		return BXS_ENOENT;
	*out = found;
	return 0;
}

static bool same_name(const char *name, const char *text, size_t len)
{
	return strncasecmp(name, text, len) == 0 && name[len] == '\0';
}

/*
 * Does the text name element i of a register within its box?  Of C3_MSR_PMON_BOX_FILTER0 it may
 * leave out what stands before BOX_FILTER0 or FILTER0; counters and controls go by their number,
 * fixed ones by their role.
 */
static bool short_name(const struct cat_reg *r, unsigned i, const char *name, const char *text,
		       size_t len)
{
	static const char *const cuts[] = { "_PMON_", "_MSR_", "_PCI_" };
	static const char *const roles[] = {
		[CAT_CTL] = "CTL", [CAT_CTR] = "CTR", [CAT_FIXED_CTL] = "FIXED_CTL",
		[CAT_FIXED_CTR] = "FIXED_CTR", [CAT_OVF_CTL] = NULL,
	};
	const char *cut = NULL;

	for (unsigned k = 0; k < LEN(cuts) && !cut; k++) {
		cut = strstr(name, cuts[k]);
		cut = cut ? cut + strlen(cuts[k]) : NULL;
	}
	if (cut && same_name(cut, text, len))
		return true;
	if (cut && strncmp(cut, "BOX_", 4) == 0 && same_name(cut + 4, text, len))
		return true;
	if (!roles[r->role])
		return false;

	size_t n = strlen(roles[r->role]);

	if (r->count == 1)
		return same_name(roles[r->role], text, len);
	return len == n + 1 && strncasecmp(roles[r->role], text, n) == 0 &&
	       text[n] == (char)('0' + i);
}

int pmu_find_register(const struct pmu *p, const struct pmu_box *box, const char *text, size_t len,
		      struct pmu_address *out)
{
	const struct cat_type *cat = &cat_types[p->family->type0 + box->type];
	bool found = false;

	for (unsigned r = cat->reg0; r < cat->reg0 + (unsigned)cat->regs; r++)
		for (unsigned i = 0; i < cat_regs[r].count; i++) {
			char name[128];
			struct cat_where w = cat_reg_where(&cat_regs[r], box->box, i);
			bool whole;

			cat_reg_instance(&cat_regs[r], box->box, i, name, sizeof name);
			whole = same_name(name, text, len);
			/* The first of several short names wins; a whole name is never in doubt. */
			if (!whole && (found || !short_name(&cat_regs[r], i, name, text, len)))
				continue;
			found = true;
			*out = (struct pmu_address){ .space = w.space, .bus = w.bus,
						     .socket = box->socket, .base = w.base,
						     .offset = w.offset,
						     .width = cat_regs[r].width };
			if (whole)
				return 0;
		}
	return found ? 0 : BXS_ENOENT;
}

/* Two names of one code are one event, the first; and its subevent of the same mask. */
static const struct cat_event *alias_of(const struct pmu_type *type, const struct cat_event *e,
					const struct cat_umask **umask)
{
	const struct cat_type *t = type->cat;
	const struct cat_event *first = cat_event_of_code(t, e->code, e->ext, e->counters);
	const struct cat_umask *same = NULL;

	if (!first || first == e || pmu_group(type, e) || pmu_signal_head(type, e))
		return e;
	for (unsigned i = 0; *umask && i < first->umasks; i++)
		if (cat_umasks[first->umask0 + i].umask == (*umask)->umask)
			same = &cat_umasks[first->umask0 + i];
	*umask = same;
	return first;
}

int pmu_raise(struct pmu *p, const struct pmu_box *where, const struct cat_event *event,
	      const struct cat_umask *umask, const uint64_t *flags, bool level, uint64_t n,
	      const struct signal_tag *tag)
{
	struct box *b = box_at(p, where);
	struct signal_console who = { .every = !umask && !flags };
	const struct cat_event *first;
	uint64_t set = 0;

	if (!b || &cat_types[event->type] != b->type->cat)
		return BXS_ENOENT;
	event = alias_of(b->type, event, &umask);
	first = pmu_signal_head(b->type, event);
	if (!first)
		first = pmu_group(b->type, event);
	/* Of events that share a code each has its own flags, so an occurrence of one has them set. */
	if (first && (event->conds || event->binding != CAT_BIND_SIGNAL))
		who.every = false;
	if (!first)
		first = event;
	who.event = (uint32_t)(first - cat_events) + 1;
	if (event->binding == CAT_BIND_CLOCK || event->binding == CAT_BIND_COUNTER0)
		return BXS_ENOTSUP;
	if (b->type->count->raise)
		return b->type->count->raise(b, event, umask, level, n);
	if (b->type->count->tell && !b->type->count->tell(b, event, tag, &n))
		return 0;
	if (flags)
		set = *flags;
	else if (!who.every)
		set = pmu_raise_flags(b->type, event, umask);
	if (level)
		signal_console_level(&b->port, first->signal, p->now, (int64_t)n, set, tag, who);
	else
		signal_console_pulse(&b->port, first->signal, p->now, n, set, tag, who);
	return 0;
}
