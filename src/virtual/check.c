/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking at each access with every rule, and telling what is new. */
#include "virtual/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/error.h"
#include "machine/machine.h"
#include "virtual/check_private.h"

enum { TOLD = 8192, LINE_SIZE = 600, ENABLE = 1 << 22 /* of a core's counter */ };

struct check {
	struct decode *decode;
	void (*say)(void *ctx, const char *line);
	void *ctx;
	uint64_t findings;
	uint64_t told[TOLD];		/* open addressing; 0: free */
	unsigned tolds;
	struct check_written written[CHECK_WRITTEN];
	unsigned writtens;
};

static uint64_t mix(uint64_t key)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return key ^ key >> 29;
}

static uint64_t place_key(const struct access_address *at)
{
	unsigned thread = at->space == CAT_MSR ? at->thread : 0;

	return UINT64_C(1) << 63 | (uint64_t)at->space << 60 | (uint64_t)at->socket << 56 |
	       (uint64_t)(thread << 12 ^ at->bus << 20 ^ at->base) << 32 | at->offset;
}

/* What is wrong with one box is wrong with its brothers in the same way, and with one core with all. */
static uint64_t finding_key(const struct check_case *k, unsigned rule)
{
	uint64_t what = k->reg ? (uint64_t)(k->reg->reg - cat_regs) + 1 :
			k->select ? UINT64_C(1) << 62 | k->select : place_key(k->event->at);

	return what ^ (uint64_t)(rule + 1) << 52;
}

/* First time that this is told?  A full table tells nothing any more. */
static bool first_time(struct check *c, uint64_t key)
{
	uint64_t i = mix(key);

	for (;; i++) {
		uint64_t *slot = &c->told[i % TOLD];

		if (*slot == key)
			return false;
		if (*slot)
			continue;
		if (c->tolds == TOLD / 2)
			return false;
		*slot = key;
		c->tolds++;
		return true;
	}
}

/* Where the last write to a place stands; NULL: the table is full. */
static struct check_written *written_at(struct check *c, uint64_t key)
{
	uint64_t i = mix(key);

	for (;; i++) {
		struct check_written *w = &c->written[i % CHECK_WRITTEN];

		if (w->key == key)
			return w;
		if (w->key == 0)
			return c->writtens < CHECK_WRITTEN / 2 ? w : NULL;
	}
}

static void remember(struct check *c, const struct virtual_event *e, uint64_t value)
{
	uint64_t key = place_key(e->at);
	struct check_written *w = written_at(c, key);

	if (!w)
		return;
	c->writtens += w->key == 0;
	*w = (struct check_written){ .key = key, .value = value, .pid = e->pid };
}

static void tell(struct check *c, const struct check_case *k, const struct check_rule *rule, const char *why)
{
	const struct virtual_event *e = k->event;
	char name[96], line[LINE_SIZE], own[48] = "";

	if (k->reg)
		decode_name(k->reg, e->at->socket, name, sizeof name);
	else if (e->at->space == CAT_PCI)
		snprintf(name, sizeof name, "s%u D%u:F%u+%#x", e->at->socket, e->at->base >> 3,
			 e->at->base & 7, e->at->offset);
	else
		snprintf(name, sizeof name, "MSR %#x%s%s", e->at->offset,
			 machine_core_name(k->machine, e->at->offset, own, sizeof own) ? " " : "", own);
	if (e->write)
		snprintf(line, sizeof line, "check: process %u writes %#" PRIx64 " to %s: %s [%s]", e->pid, e->value,
			 name, why, rule->name);
	else
		snprintf(line, sizeof line, "check: process %u reads %s: %s [%s]", e->pid, name, why, rule->name);
	c->say(c->ctx, line);
}

/* What the access has a core's counter count from now on; 0: nothing. */
static uint64_t selected(struct machine *m, const struct virtual_event *e)
{
	return e->write && e->outcome == 0 && e->at->space == CAT_MSR &&
	       machine_core_selects(m, e->at->offset) && e->value & ENABLE ? e->value : 0;
}

static void observe(void *ctx, struct machine *m, const struct virtual_event *e)
{
	struct check *c = ctx;
	struct check_case k = { .machine = m, .event = e, .reg = decode_find(c->decode, e->at),
				.select = selected(m, e) };
	unsigned shift = k.reg ? decode_shift(k.reg, e->at) : 0;
	const struct check_written *before = written_at(c, place_key(e->at));
	char why[400];

	k.value = e->value << shift;
	k.covered = bits_low(e->at->width) << shift;
	if (before && before->key)
		k.before = *before;
	for (unsigned i = 0; i < check_rule_count; i++) {
		if (!check_rules[i].broken(&k, why, sizeof why))
			continue;
		c->findings += !check_rules[i].is_ours;
		if (first_time(c, finding_key(&k, i)))
			tell(c, &k, &check_rules[i], why);
	}
	if (e->write && e->outcome == 0)
		remember(c, e, k.value);
}

int check_open(struct virtual *v, void (*say)(void *ctx, const char *line), void *ctx, struct check **out)
{
	struct check *c = calloc(1, sizeof *c);

	if (!c || decode_new(virtual_machine(v), &c->decode) < 0) {
		free(c);
		return BXS_ENOMEM;
	}
	c->say = say;
	c->ctx = ctx;
	virtual_observe(v, observe, c);
	*out = c;
	return 0;
}

uint64_t check_close(struct check *c)
{
	uint64_t findings = c ? c->findings : 0;

	if (c)
		decode_free(c->decode);
	free(c);
	return findings;
}
