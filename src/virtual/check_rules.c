/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the manual forbids or warns of, a function a rule.  The sections are those of the Xeon E5 and E7 v3 manual; other
 * families share the rules where their registers have the same fields.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "pmu/pmu.h"
#include "machine/machine.h"
#include "virtual/check_private.h"
#include "virtual/fault.h"

/* A field of the value, if the register has it and the access covers it; 0 otherwise. */
static uint64_t field(const struct check_case *k, const char *name)
{
	const struct cat_field *f = k->reg ? cat_reg_field(k->reg->reg, name) : NULL;

	if (!f || !(k->covered & bits_mask(f->hi, f->lo)))
		return 0;
	return bits_get(k->value, f->hi, f->lo);
}

static bool writes_control(const struct check_case *k)
{
	return k->event->write && k->reg && k->reg->reg->role == CAT_CTL && k->event->outcome == 0;
}

/* Such an access enables a counter. */
static bool enables(const struct check_case *k)
{
	return writes_control(k) && field(k, "en");
}

/* What a register of the same box holds now. */
static uint64_t value_of(const struct check_case *k, const struct cat_reg *reg, unsigned element)
{
	struct cat_where at = cat_reg_where(reg, k->reg->box, element);
	struct pmu_address where = {
		.space = at.space, .bus = at.bus, .socket = k->event->at->socket, .base = at.base,
		.offset = at.offset, .width = at.space == CAT_PCI ? (reg->width > 32 ? 64 : reg->width) : 64,
	};
	uint64_t value = 0;

	return pmu_read(machine_pmu(k->machine), &where, &value) == OUTCOME_OK ? value : 0;
}

static bool faulted(const struct check_case *k, char *why, size_t size)
{
	if (k->event->outcome != BXS_EFAULT || k->event->at->space != CAT_MSR)
		return false;
	snprintf(why, size, !k->event->write ? "#GP, there is no such register" :
		 "#GP, there is no such register, or it holds bits that may not be written so");
	return true;
}

static bool reserved(const struct check_case *k, char *why, size_t size)
{
	uint64_t bits = 0;

	if (!k->event->write || !k->reg)
		return false;
	for (unsigned i = 0; i < k->reg->reg->fields; i++) {
		const struct cat_field *f = &cat_fields[k->reg->reg->field0 + i];

		if (f->attr == CAT_RV && !f->keep)
			bits |= bits_mask(f->hi, f->lo);
	}
	bits &= k->value & k->covered & bits_low(k->reg->reg->width);
	snprintf(why, size, "bits %#" PRIx64 " are reserved and have to be written 0", bits);
	return bits != 0;
}

/* Bits 17:16 of a box control. */
static bool wanted_ones(const struct check_case *k, char *why, size_t size)
{
	if (!k->event->write || !k->reg || k->reg->reg->role != CAT_BOX_CTL)
		return false;
	for (unsigned i = 0; i < k->reg->reg->fields; i++) {
		const struct cat_field *f = &cat_fields[k->reg->reg->field0 + i];
		uint64_t mask = bits_mask(f->hi, f->lo);

		if (f->attr == CAT_RV && f->keep && (k->covered & mask) == mask && (k->value & mask) != mask) {
			snprintf(why, size, "bits %u:%u of a box control have to be written 1 each time", f->hi, f->lo);
			return true;
		}
	}
	return false;
}

static bool written_once(const struct check_case *k, char *why, size_t size)
{
	const struct cat_field *select;

	if (!enables(k) || k->reg->reg->role != CAT_CTL || !fault_second_write(k->machine, k->reg->type))
		return false;
	select = cat_reg_field(k->reg->reg, "ev_sel");
	if (select && k->before.key &&
	    bits_get(k->before.value, select->hi, select->lo) == bits_get(k->value, select->hi, select->lo))
		return false;
	snprintf(why, size, "a new event takes effect with the second write only: write the control without its "
		 "enable first (2.4, 2.10, 2.11)");
	return true;
}

static bool chain_without_threshold(const struct check_case *k, char *why, size_t size)
{
	bool edge = field(k, "edge_det"), invert = field(k, "invert");

	if (!enables(k) || field(k, "thresh") || !(edge || invert) || !cat_reg_field(k->reg->reg, "thresh"))
		return false;
	snprintf(why, size, "%s needs a threshold of 1 or more; with 0 it does nothing (1.4)",
		 edge ? "edge_det" : "invert");
	return true;
}

static bool unknown_event(const struct check_case *k, char *why, size_t size)
{
	if (!enables(k) || !cat_reg_field(k->reg->reg, "ev_sel") || decode_event(k->reg, k->value))
		return false;
	snprintf(why, size, "%s has no event %#" PRIx64, cat_str(k->reg->type->name), field(k, "ev_sel"));
	return true;
}

static bool wrong_counter(const struct check_case *k, char *why, size_t size)
{
	const struct cat_event *e = enables(k) ? decode_event(k->reg, k->value) : NULL;
	unsigned core = k->select ? machine_core_elsewhere(k->machine, k->event->at->offset, k->select) : 0;

	if (core) {
		snprintf(why, size, "event %#" PRIx64 ", umask %#" PRIx64 ": hardware counts it with the counters %#x only, "
			 "here this one does too (docs/reference/model-pmu.md)",
			 bits_get(k->select, 7, 0), bits_get(k->select, 15, 8), core);
		return true;
	}
	if (!e || e->counters >> k->reg->element & 1)
		return false;
	snprintf(why, size, "%s cannot be counted by counter %u, its counters are %#x", cat_str(e->name),
		 k->reg->element, (unsigned)e->counters);
	return true;
}

static bool empty_mask(const struct check_case *k, char *why, size_t size)
{
	const struct cat_event *e = enables(k) ? decode_event(k->reg, k->value) : NULL;
	bool occupancy = k->reg && cat_reg_field(k->reg->reg, "occ_sel");
	uint64_t mask = occupancy ? field(k, "occ_sel") << 6 : field(k, "umask");

	if (!e || pmu_mask_selects(e, (uint32_t)mask))
		return false;
	if (occupancy)
		snprintf(why, size, "%s with occ_sel %#" PRIx64 " selects nothing and counts nothing", cat_str(e->name), mask >> 6);
	else
		snprintf(why, size, "%s with umask %#" PRIx64 " selects nothing and counts nothing", cat_str(e->name), mask);
	return true;
}

static bool not_modelled(const struct check_case *k, char *why, size_t size)
{
	const struct cat_event *e = enables(k) ? decode_event(k->reg, k->value) : NULL;
	const char *silent = k->select ? machine_core_silent(k->machine, k->select) : NULL;

	if (silent) {
		snprintf(why, size, "event %#" PRIx64 ", umask %#" PRIx64 ": %s, here it counts nothing (docs/reference/model-pmu.md)",
			 bits_get(k->select, 7, 0), bits_get(k->select, 15, 8), silent);
		return true;
	}
	if (!e || e->binding != CAT_BIND_NONE)
		return false;
	snprintf(why, size, "%s is not modelled, here it counts nothing", cat_str(e->name));
	return true;
}

/* The filters that a control's event and subevent look at, one after the other; NULL past the last. */
static const struct cat_filter *filter_of(const struct decode_register *r, uint64_t control, unsigned n)
{
	const struct cat_event *e = decode_event(r, control);
	const struct cat_field *mask = cat_reg_field(r->reg, "umask");
	uint64_t umask = mask ? bits_get(control, mask->hi, mask->lo) : 0;

	if (!e)
		return NULL;
	if (n < e->filters)
		return &cat_filters[e->filter0 + n];
	n -= e->filters;
	for (unsigned i = e->umask0; i < e->umask0 + (unsigned)e->umasks; i++) {
		if (cat_umasks[i].umask != umask || cat_umasks[i].kind == CAT_UMASK_PICK)
			continue;
		if (n < cat_umasks[i].filters)
			return &cat_filters[cat_umasks[i].filter0 + n];
		n -= cat_umasks[i].filters;
	}
	return NULL;
}

static bool empty_filter(const struct check_case *k, char *why, size_t size)
{
	const struct cat_filter *f;

	for (unsigned n = 0; enables(k) && (f = filter_of(k->reg, k->value, n)) != NULL; n++) {
		const struct cat_field *at = &cat_fields[f->field];
		char name[64];

		if (bits_get(value_of(k, &cat_regs[f->reg], 0), at->hi, at->lo))
			continue;
		cat_reg_instance(&cat_regs[f->reg], k->reg->box, 0, name, sizeof name);
		snprintf(why, size, "the event looks at %s of %s, which is 0: program the filter first",
			 cat_str(at->name), name);
		return true;
	}
	return false;
}

/* A counter of the box that counts by a filter register; false: none does. */
static bool filter_user(const struct check_case *k, const struct cat_reg *filter, unsigned *counter)
{
	const struct cat_type *t = k->reg->type;

	for (unsigned n = t->reg0; n < t->reg0 + (unsigned)t->regs; n++) {
		struct decode_register ctl = { .type = t, .reg = &cat_regs[n], .box = k->reg->box };
		const struct cat_field *en = cat_reg_field(ctl.reg, "en");
		const struct cat_filter *f;

		for (unsigned i = 0; ctl.reg->role == CAT_CTL && en && i < ctl.reg->count; i++) {
			uint64_t value = value_of(k, ctl.reg, i);

			*counter = i;
			for (unsigned j = 0; bits_get(value, en->hi, en->lo) &&
					     (f = filter_of(&ctl, value, j)) != NULL; j++)
				if (&cat_regs[f->reg] == filter)
					return true;
		}
	}
	return false;
}

static bool filter_in_use(const struct check_case *k, char *why, size_t size)
{
	unsigned counter;

	if (!k->event->write || !k->reg || k->reg->reg->role != CAT_FILTER || k->event->outcome < 0 ||
	    !k->before.key || k->before.value == k->value || !filter_user(k, k->reg->reg, &counter))
		return false;
	snprintf(why, size, "counter %u of the box counts by this filter, which all its counters share; it was %#" PRIx64,
		 counter, k->before.value);
	return true;
}

/* Is the control of this counter enabled? */
static bool counts(const struct check_case *k)
{
	const struct cat_type *t = k->reg->type;
	enum cat_role control = k->reg->reg->role == CAT_CTR ? CAT_CTL : CAT_FIXED_CTL;

	for (unsigned n = t->reg0; n < t->reg0 + (unsigned)t->regs; n++) {
		const struct cat_reg *ctl = &cat_regs[n];
		const struct cat_field *en = ctl->role == control ? cat_reg_field(ctl, "en") : NULL;

		if (en && k->reg->element < ctl->count)
			return bits_get(value_of(k, ctl, k->reg->element), en->hi, en->lo);
	}
	return true;
}

static bool half_read(const struct check_case *k, char *why, size_t size)
{
	const struct cat_type *t;

	if (k->event->write || !k->reg || k->event->at->width >= 64 ||
	    (k->reg->reg->role != CAT_CTR && k->reg->reg->role != CAT_FIXED_CTR) || !counts(k) ||
	    pmu_stopped(machine_pmu(k->machine), k->event->at->socket))
		return false;
	t = k->reg->type;
	for (unsigned n = t->reg0; n < t->reg0 + (unsigned)t->regs; n++) {
		const struct cat_reg *box = &cat_regs[n];
		const struct cat_field *frz = box->role == CAT_BOX_CTL ? cat_reg_field(box, "frz") : NULL;

		if (!frz || bits_get(value_of(k, box, 0), frz->hi, frz->lo))
			continue;
		snprintf(why, size, "the box runs: the halves of the counter are read at two moments and may not belong "
			 "together; freeze the box, or read the high half twice");
		return true;
	}
	return false;
}

/* Whoever enabled a counter and is alive has it. */
static bool somebody_elses(const struct check_case *k, char *why, size_t size)
{
	const struct cat_field *en = k->reg ? cat_reg_field(k->reg->reg, "en") : NULL;
	unsigned owner = k->before.pid;

	if (!writes_control(k) || !k->before.key || !en || !bits_get(k->before.value, en->hi, en->lo) || !owner ||
	    owner == k->event->pid || (kill((pid_t)owner, 0) < 0 && errno == ESRCH))
		return false;
	snprintf(why, size, "process %u has enabled this counter and still runs", owner);
	return true;
}

static bool freeze_and_unfreeze(const struct check_case *k, char *why, size_t size)
{
	if (!k->event->write || !field(k, "frz_all") || !field(k, "unfrz_all"))
		return false;
	snprintf(why, size, "frz_all and unfrz_all at once; the boxes stay frozen (2.1.1)");
	return true;
}

const struct check_rule check_rules[] = {
	{ "fault", faulted, false },
	{ "reserved", reserved, false },
	{ "wanted-ones", wanted_ones, false },
	{ "write-twice", written_once, false },
	{ "threshold", chain_without_threshold, false },
	{ "unknown-event", unknown_event, false },
	{ "wrong-counter", wrong_counter, false },
	{ "empty-mask", empty_mask, false },
	{ "not-modelled", not_modelled, true },
	{ "empty-filter", empty_filter, false },
	{ "filter-in-use", filter_in_use, false },
	{ "half-read", half_read, false },
	{ "in-use", somebody_elses, false },
	{ "freeze", freeze_and_unfreeze, false },
};

const unsigned check_rule_count = LEN(check_rules);
