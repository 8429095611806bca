/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of fields: numbers, and the names that a field's meaning gives to them: packets,
 * line states, nodes.
 */
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/field_private.h"
#include "measure/near.h"

const char *apply_box(const struct apply *a)
{
	return cat_str(cat_types[a->spec->type].name);
}

static int does_not_fit(struct apply *a, struct span value, struct span field, unsigned width)
{
	return event_fail(a->s, value.s, BXS_EINVAL, "%s: %.*s does not fit %.*s, which has %u bit%s",
			  apply_box(a), (int)value.n, value.s, (int)field.n, field.s, width,
			  width == 1 ? "" : "s");
}

/* The opcode of a packet.  Where a field holds the opcodes of several classes, the class
 * stands above the opcode and the name may need it: SNP.SnpData. */
static bool packet_value(const struct names *n, struct span word, bool classes, uint64_t *value)
{
	static const char *const link_classes[] = { "HOM0", "HOM1", "NDR", "SNP" };
	const struct cat_family *f = names_family(n);
	const char *dot = memchr(word.s, '.', word.n);
	struct span cls = { word.s, dot ? (size_t)(dot - word.s) : 0 };
	struct span name = word;

	if (dot)
		name = (struct span){ dot + 1, word.n - cls.n - 1 };
	for (unsigned i = f->packet0; i < (unsigned)f->packet0 + f->packets; i++) {
		const struct cat_packet *p = cat_packets + i;

		if (!names_same(name, cat_str(p->name)) || (cls.n && !names_same(cls, cat_str(p->cls))))
			continue;
		if (!classes) {
			if (strcmp(cat_str(p->cls), "IDI") != 0)
				continue;
			*value = p->opcode;
			return true;
		}
		for (unsigned c = 0; c < LEN(link_classes); c++)
			if (strcmp(cat_str(p->cls), link_classes[c]) == 0) {
				*value = (uint64_t)c << 4 | p->opcode;
				return true;
			}
	}
	return false;
}

static bool is_opcode(const struct cat_field *f)
{
	return strcmp(cat_str(f->name), "opc") == 0;
}

/* Of a line, as the state filter has them. */
static const char *const states[] = { "I", "S", "E", "M", "F", "D", "M'" };

static bool state_value(struct span word, uint64_t *value)
{
	for (unsigned i = 0; i < LEN(states); i++)
		if (names_same(word, states[i])) {
			*value = UINT64_C(1) << i;
			return true;
		}
	return false;
}

/* One word of a value: a number or a name that the field's tag gives meaning to. */
static bool word_value(const struct apply *a, const struct cat_field *f, unsigned width,
		       struct span word, uint64_t *value, uint8_t *symbol)
{
	enum cat_tag tag = f ? f->tag : CAT_TAG_NONE;

	if (event_number(word, value))
		return true;
	if (tag == CAT_TAG_NID && names_same(word, "my_node"))
		*symbol = EVENT_MY_NODE;
	else if (tag == CAT_TAG_NID && names_same(word, "other_nodes"))
		*symbol = EVENT_OTHER_NODES;
	else if (f && names_same(word, "all"))
		*value = bits_low(width);
	else if (tag == CAT_TAG_STATE)
		return state_value(word, value);
	else if (f && is_opcode(f))
		return packet_value(a->n, word, width < 9, value);
	else
		return false;
	return true;
}

static void offer_opcodes(const struct apply *a, unsigned width, struct near *near)
{
	const struct cat_family *family = names_family(a->n);
	uint64_t value;

	for (unsigned i = family->packet0; i < (unsigned)family->packet0 + family->packets; i++) {
		const char *name = cat_str(cat_packets[i].name);

		if (packet_value(a->n, (struct span){ name, strlen(name) }, width < 9, &value))
			near_offer(near, name);
	}
}

/* The words that stand for values of the field. */
static void offer_words(const struct apply *a, const struct cat_field *f, unsigned width, struct near *near)
{
	enum cat_tag tag = f->tag;

	if (is_opcode(f))
		offer_opcodes(a, width, near);
	for (unsigned i = 0; tag == CAT_TAG_STATE && i < LEN(states); i++)
		near_offer(near, states[i]);
	if (tag == CAT_TAG_NID) {
		near_offer(near, "my_node");
		near_offer(near, "other_nodes");
	}
	if (near->names)
		near_offer(near, "all");
}

static int fail_value(struct apply *a, const struct cat_field *f, unsigned width, struct span field, struct span word)
{
	struct near near = { .names = 0 };
	struct span like = word;
	char hint[160];

	if (f)
		offer_words(a, f, width, &near);
	/* Those of one letter: none is nearer than another. */
	if (f && f->tag == CAT_TAG_STATE)
		like.n = 0;
	return event_fail(a->s, word.s, BXS_EINVAL, "%s: %.*s is no value for %.*s%s", apply_box(a),
			  (int)word.n, word.s, (int)field.n, field.s,
			  near.names ? near_or_all(&near, like, "write a number or", hint, sizeof hint) : "; write a number");
}

int apply_value(struct apply *a, const struct event_field *w, struct span shown,
		const struct cat_field *f, unsigned width, uint64_t *value, uint8_t *symbol)
{
	const char *p = w->value.s, *end;

	*symbol = EVENT_NUMBER;
	*value = 1;
	if (!p) {
		if (width == 1)
			return 0;
		return event_fail(a->s, shown.s, BXS_EINVAL, "%s: %.*s needs a value: %.*s=...",
				  apply_box(a), (int)shown.n, shown.s, (int)shown.n, shown.s);
	}
	*value = 0;
	end = p + w->value.n;
	for (;;) {
		const char *from = p;
		uint64_t one = 0;

		while (p < end && *p != '|' && *p != '+')
			p++;

		struct span word = { from, (size_t)(p - from) };

		if (!word_value(a, f, width, word, &one, symbol))
			return fail_value(a, f, width, shown, word);
		if (one & ~bits_low(width))
			return does_not_fit(a, word, shown, width);
		*value |= one;
		if (p == end)
			return 0;
		p++;
	}
}
