/* SPDX-License-Identifier: BSD-2-Clause */
/* The public machine: occurrences of events, and what they carry. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/event_file.h"
#include "base/bits.h"
#include "catalog/find.h"
#include "pmu/pmu.h"

static const char *type_name(const void *ctx, unsigned i)
{
	const struct cat_family *f = ctx;

	return cat_str(cat_types[f->type0 + i].name);
}

int api_find_box(bxs_machine *m, const char *box, struct pmu_box *out)
{
	const struct pmu *p = machine_pmu(m->machine);
	const struct cat_family *f = pmu_family(p);
	const char *dot = strchr(box, '.'), *name = dot ? dot + 1 : box;
	size_t letters = strlen(name);
	const struct cat_type *t;
	unsigned boxes;
	int near;

	if (pmu_find_box(p, box, strlen(box), out) == 0)
		return 0;
	t = cat_find_type(f, name, letters);
	while (!t && letters && name[letters - 1] >= '0' && name[letters - 1] <= '9')
		t = cat_find_type(f, name, --letters);
	if (!t) {
		near = cat_nearest(name, letters, f->types, type_name, f);
		if (near < 0)
			return api_fail(m, BXS_ENOENT, "no box %s", box);
		return api_fail(m, BXS_ENOENT, "no box %s; did you mean %s?", box,
				type_name(f, (unsigned)near));
	}
	boxes = pmu_boxes(p, (unsigned)(t - &cat_types[f->type0]));
	if (boxes == 0)
		return api_fail(m, BXS_ENOENT, "no box %s on this machine", box);
	return api_fail(m, BXS_ENOENT, "no box %s; there are %s0 to %s%u in sockets s0 to s%u", box,
			cat_str(t->name), cat_str(t->name), boxes - 1, bxs_sockets(m) - 1);
}

static const char *event_name(const void *ctx, unsigned i)
{
	const struct cat_type *t = ctx;

	return cat_str(cat_events[t->event0 + i].name);
}

static const char *umask_name(const void *ctx, unsigned i)
{
	const struct cat_event *e = ctx;

	return cat_str(cat_umasks[e->umask0 + i].name);
}

static int unknown(bxs_machine *m, const char *box, const char *what, const char *name, size_t len,
		   int near, const char *right)
{
	if (near < 0)
		return api_fail(m, BXS_ENOENT, "%s: no %s %.*s", box, what, (int)len, name);
	return api_fail(m, BXS_ENOENT, "%s: no %s %.*s; did you mean %s?", box, what, (int)len,
			name, right);
}

/* EVENT or EVENT.SUBEVENT; names may hold dots, so the longest event name wins. */
static int find_own_event(bxs_machine *m, const char *box, const struct cat_type *t, const char *text,
		      const struct cat_event **event, const struct cat_umask **umask)
{
	size_t len = strlen(text), n = len;
	int near;

	*umask = NULL;
	while ((*event = cat_find_event(t, text, n)) == NULL && n)
		do
			n--;
		while (n && text[n] != '.');
	if (!*event) {
		n = strcspn(text, ".");
		near = cat_nearest(text, n, t->events, event_name, t);
		return unknown(m, box, "event", text, n, near,
			       near < 0 ? "" : event_name(t, (unsigned)near));
	}
	if (n == len)
		return 0;
	*umask = cat_find_umask(*event, text + n + 1, len - n - 1);
	if (*umask)
		return 0;
	near = cat_nearest(text + n + 1, len - n - 1, (*event)->umasks, umask_name, *event);
	return unknown(m, box, "subevent", text + n + 1, len - n - 1, near,
		       near < 0 ? "" : umask_name(*event, (unsigned)near));
}

/* The same, also by the name that another tool has for it. */
static int find_event(bxs_machine *m, const char *box, const struct cat_type *t, const char *text,
		      const struct cat_event **event, const struct cat_umask **umask)
{
	int err = find_own_event(m, box, t, text, event, umask);
	char ours[160];

	if (err != BXS_ENOENT || !api_event_called(m, (unsigned)(t - cat_types), text, ours, sizeof ours))
		return err;
	return find_own_event(m, box, t, ours, event, umask);
}

/* The flags of the event's signal that a list "a,b" names; "none" and "" are none. */
static int find_flags(bxs_machine *m, const struct cat_event *e, const char *list, uint64_t *out)
{
	const struct cat_type *t = &cat_types[e->type];
	const struct cat_signal *s;

	if (e->binding != CAT_BIND_SIGNAL)
		return api_fail(m, BXS_ENOENT, "%s: no signal drives it, so it has no flags",
				cat_str(e->name));
	s = &cat_signals[cat_sigtypes[t->sigtype].signal0 + e->signal];
	*out = 0;
	if (strcmp(list, "none") == 0)
		return 0;
	while (*list) {
		size_t len = strcspn(list, ",");
		unsigned i = 0;

		while (i < s->flags && (strncmp(cat_str(cat_flags[s->flag0 + i]), list, len) != 0 ||
					cat_str(cat_flags[s->flag0 + i])[len] != '\0'))
			i++;
		if (i == s->flags)
			return api_fail(m, BXS_ENOENT, "signal %s has no flag %.*s",
					cat_str(s->name), (int)len, list);
		*out |= UINT64_C(1) << i;
		list += len + (list[len] == ',');
	}
	return 0;
}

static struct signal_tag tag_inside(const struct bxs_tag *t)
{
	static const struct bxs_tag none;

	if (!t)
		t = &none;
	return (struct signal_tag){
		.addr = t->addr, .packet = { t->packet[0], t->packet[1] }, .opc = t->opc,
		.nid = t->nid, .tid = t->tid, .state = t->state, .link = t->link, .nc = t->nc,
		.isoc = t->isoc, .c6 = t->c6, .freq = t->freq,
	};
}

/* An opcode that is longer than what the box compares it with is a slip; other tags have values that no filter lets
 * pass, such as that of no thread. */
static int check_opcode(bxs_machine *m, const char *box, const struct cat_type *t, uint32_t opc)
{
	uint64_t most = 0;

	for (unsigned r = t->reg0; r < t->reg0 + t->regs; r++)
		for (unsigned i = 0; i < cat_regs[r].fields; i++) {
			const struct cat_field *f = cat_fields + cat_regs[r].field0 + i;
			uint64_t holds = f->match == CAT_MATCH_EQ ? bits_low(f->hi - f->lo + 1u) : 0;

			if (holds > most && f->tag == CAT_TAG_OPC)
				most = holds;
		}
	if (!most || opc <= most)
		return 0;
	return api_fail(m, BXS_EINVAL, "opc=%#" PRIx32 ": the filter of %s has room for %#" PRIx64 " at most", opc, box,
			most);
}

static int raise_event(bxs_machine *m, const char *box, const char *name, uint64_t n, bool level,
		       const struct bxs_tag *tag)
{
	struct pmu *p = machine_pmu(m->machine);
	struct signal_tag inside = tag_inside(tag);
	const struct cat_event *e;
	const struct cat_umask *u;
	const struct cat_type *t;
	struct pmu_box where;
	uint64_t flags = 0;
	int err = api_simulated(m);

	if (err == 0)
		err = api_find_box(m, box, &where);
	if (err < 0)
		return err;
	t = &cat_types[pmu_family(p)->type0 + where.type];
	err = find_event(m, box, t, name, &e, &u);
	if (err == 0 && tag)
		err = check_opcode(m, box, t, tag->opc);
	if (err == 0 && tag && tag->flags)
		err = find_flags(m, e, tag->flags, &flags);
	if (err < 0)
		return err;
	err = pmu_raise(p, &where, e, u, tag && tag->flags ? &flags : NULL, level, n, &inside);
	if (err == BXS_ENOTSUP && e->binding == CAT_BIND_CLOCK)
		return api_fail(m, err, "%s counts clocks of %s: advance them", cat_str(e->name),
				cat_str(cat_clocks[t->clock].name));
	if (err == BXS_ENOTSUP && e->binding != CAT_BIND_COUNTER0)
		return api_fail(m, err, "%s of %s has no level: pulse it", cat_str(e->name), box);
	if (err == BXS_ENOTSUP)
		return api_fail(m, err, "%s counts what counter 0 counts: raise that",
				cat_str(e->name));
	return err;
}

/* More in one clock than any counter holds is a slip, and sums of them would overflow. */
#define MOST (UINT64_C(1) << 48)

static int check_amount(bxs_machine *m, uint64_t n)
{
	if (n <= MOST)
		return 0;
	return api_fail(m, BXS_EINVAL, "%" PRIu64 " is more than 2^48", n);
}

/* A packet goes as it is, after the opcode that it has in common with requests. */
static void record(bxs_machine *m, const char *kind, const char *box, const char *event, uint64_t n,
		   const struct bxs_tag *t)
{
	static const struct bxs_tag none;
	char line[600] = "";
	size_t used = 0;

	if (!t)
		t = &none;

	const struct { const char *name; uint64_t value; } tags[] = {
		{ "addr", t->addr }, { "opc", t->opc }, { "nid", t->nid }, { "tid", t->tid },
		{ "state", t->state }, { "link", t->link }, { "nc", t->nc }, { "isoc", t->isoc },
		{ "c6", t->c6 }, { "freq", t->freq }, { "packet", t->packet[0] },
		{ "packet2", t->packet[1] },
	};

	for (size_t i = 0; i < LEN(tags); i++)
		if (tags[i].value || (i == 10 && t->opc))
			used += (size_t)snprintf(line + used, sizeof line - used, " %s=%#" PRIx64,
						 tags[i].name, tags[i].value);
	event_file_put(m, "%s %s %s %" PRIu64 "%s%s%s", kind, box, event, n, line,
		       t->flags ? " flags=" : "", t->flags ? t->flags : "");
}

int bxs_pulse(bxs_machine *m, const char *box, const char *event, uint64_t n,
	      const struct bxs_tag *tag)
{
	int err = check_amount(m, n);

	if (err == 0)
		err = raise_event(m, box, event, n, false, tag);
	if (err == 0 && m->record)
		record(m, "pulse", box, event, n, tag);
	return err;
}

int bxs_level(bxs_machine *m, const char *box, const char *event, uint64_t n,
	      const struct bxs_tag *tag)
{
	int err = check_amount(m, n);

	if (err == 0)
		err = raise_event(m, box, event, n, true, tag);
	if (err == 0 && m->record)
		record(m, "level", box, event, n, tag);
	return err;
}

static bool number(const char *text, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	*value = strtoull(text, &end, hex ? 16 : 10);
	return *end == '\0' && end > text + (hex ? 2 : 0);
}

/* The fields of a packet header and the most that each holds, match0 | match1 << 32; rnid is in two pieces. */
static bool set_packet(uint64_t *packet, const char *name, size_t len, uint64_t value, uint64_t *most)
{
	static const struct { const char *name; uint8_t hi, lo; } fields[] = {
		{ "vnw", 4, 3 }, { "opc", 8, 5 }, { "mc", 12, 9 }, { "dnid", 17, 13 },
		{ "rds", 51, 48 },
	};

	for (size_t i = 0; i < LEN(fields); i++)
		if (strlen(fields[i].name) == len && strncasecmp(fields[i].name, name, len) == 0) {
			*packet = bits_put(*packet, fields[i].hi, fields[i].lo, value);
			*most = bits_low(fields[i].hi - fields[i].lo + 1u);
			return true;
		}
	if (len != 4 || strncasecmp(name, "rnid", len) != 0)
		return false;
	*packet = bits_put(*packet, 31, 31, value >> 4);
	*packet = bits_put(*packet, 35, 32, value);
	*most = bits_low(5);
	return true;
}

static int set_state(struct bxs_tag *tag, const char *text)
{
	static const char *const states[] = { "I", "S", "E", "M", "F", "D", "M'" };
	uint64_t value;

	for (size_t i = 0; i < LEN(states); i++)
		if (strcasecmp(states[i], text) == 0) {
			tag->state = (uint8_t)i;
			return 0;
		}
	if (!number(text, &value) || value >= LEN(states))
		return BXS_EINVAL;
	tag->state = (uint8_t)value;
	return 0;
}

/* Members that are plain numbers, and the most that each holds. */
static int set_number(struct bxs_tag *tag, const char *name, uint64_t value)
{
	static const struct { const char *name; uint64_t most; } rows[] = {
		{ "addr", UINT64_MAX }, { "opc", UINT32_MAX }, { "nid", 63 }, { "tid", 63 },
		{ "link", 15 }, { "nc", 1 }, { "isoc", 1 }, { "c6", 1 }, { "freq", 255 },
	};
	size_t i = 0;

	while (i < LEN(rows) && strcasecmp(rows[i].name, name) != 0)
		i++;
	if (i == LEN(rows))
		return BXS_ENOENT;
	if (value > rows[i].most)
		return BXS_EINVAL;
	switch (i) {
	case 0: tag->addr = value; break;
	case 1: tag->opc = (uint32_t)value; break;
	case 2: tag->nid = (uint16_t)value; break;
	case 3: tag->tid = (uint8_t)value; break;
	case 4: tag->link = (uint8_t)value; break;
	case 5: tag->nc = (uint8_t)value; break;
	case 6: tag->isoc = (uint8_t)value; break;
	case 7: tag->c6 = (uint8_t)value; break;
	default: tag->freq = (uint8_t)value; break;
	}
	return 0;
}

/*
 * An opcode by its packet's name, DRd or SNP.SnpData, as filters have it: a request's, or a class of the link above its
 * opcode.  A name of both is the request unless its class stands before it.  No two families differ in these.
 */
static bool opcode_called(const char *text, uint64_t *value)
{
	static const char *const link_classes[] = { "HOM0", "HOM1", "NDR", "SNP" };
	const char *dot = strchr(text, '.'), *name = dot ? dot + 1 : text;
	size_t cls = dot ? (size_t)(dot - text) : 0;
	bool found = false;

	for (unsigned f = 0; f < cat_family_count; f++)
		for (unsigned i = cat_families[f].packet0; i < (unsigned)cat_families[f].packet0 + cat_families[f].packets; i++) {
			const struct cat_packet *p = cat_packets + i;
			const char *of = cat_str(p->cls);

			if (strcasecmp(name, cat_str(p->name)) != 0 || (dot && (strlen(of) != cls || strncasecmp(of, text, cls) != 0)))
				continue;
			if (strcmp(of, "IDI") == 0) {
				*value = p->opcode;
				return true;
			}
			for (unsigned c = 0; c < LEN(link_classes) && !found; c++)
				if (strcmp(of, link_classes[c]) == 0) {
					*value = (uint64_t)c << 4 | p->opcode;
					found = true;
				}
		}
	return found;
}

int bxs_tag_set(struct bxs_tag *tag, const char *name, const char *value)
{
	size_t len = strlen(name);
	uint64_t v, most = 0;
	bool packet;
	int err;

	if (strcasecmp(name, "flags") == 0) {
		tag->flags = value;
		return 0;
	}
	if (strcasecmp(name, "state") == 0)
		return set_state(tag, value);
	if (!number(value, &v) && (strcasecmp(name, "opc") != 0 || !opcode_called(value, &v))) {
		v = 0;
		value = NULL;
	}
	if (value && (strcasecmp(name, "packet") == 0 || strcasecmp(name, "packet2") == 0)) {
		tag->packet[name[6] == '2'] = v;
		return 0;
	}
	/* A request has an opcode, and a packet has: the box that is told takes what it knows. */
	packet = set_packet(&tag->packet[0], name, len, v, &most);
	if (!packet && len > 1 && name[len - 1] == '2') {
		packet = set_packet(&tag->packet[1], name, len - 1, v, &most);
		if (packet)
			tag->packet[1] |= SIGNAL_SLOT;
	}
	err = set_number(tag, name, v);
	if (err == BXS_ENOENT && packet)
		err = v > most ? BXS_EINVAL : 0;
	return err == 0 && !value ? BXS_EINVAL : err;
}
