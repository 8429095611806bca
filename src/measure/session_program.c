/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programming the registers of a session.  The order is the one the manuals ask for:
 * freeze everything, reset each box, filters, controls (first without enable, then with,
 * because some boxes take an event select only when it is written twice), unfreeze the
 * boxes and last, at one stroke, the socket.  Overflow messages stay off: a session
 * polls, and nobody's freeze may stop it.
 */
#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "measure/session_private.h"

/* Core registers, the same for all Intel cores of these families (SDM volume 4). */
enum {
	MSR_TSC = 0x10,
	MSR_PLATFORM_INFO = 0xce,
	MSR_FIXED_CTR0 = 0x309,
	MSR_FIXED_CTR_CTRL = 0x38d,
	MSR_PERF_GLOBAL_CTRL = 0x38f,
};

/* All three fixed counters, in all rings. */
#define FIXED_CTRL_ALL UINT64_C(0x333)
#define GLOBAL_CTRL_FIXED (UINT64_C(7) << 32)

static int put(struct session *s, uint32_t reg, const struct box *b, unsigned i, uint64_t value)
{
	struct access_address at = session_address(reg, b->socket, b->number, i);

	return access_write(s->config.access, &at, value);
}

bool session_box_there(struct session *s, unsigned type, unsigned socket, unsigned box)
{
	const struct cat_type *t = cat_types + type;
	const struct names_type *l = names_layout(s->config.names, type);
	uint32_t reg = l->ctl != NAMES_NONE ? l->ctl : t->reg0;
	struct access_address at = session_address(reg, socket, box, 0);
	uint64_t value;

	/* Its clock would run, and halve a mean over all boxes. */
	if (s->config.hollow && s->config.hollow(s->config.lacks_ctx, type, socket, box))
		return false;
	if (access_read(s->config.access, &at, &value) < 0)
		return false;
	/* A PCI function that is not there reads as all ones. */
	return at.space != CAT_PCI || value != bits_low(at.width);
}

/* What the socket is told; a family without such a register freezes box by box. */
static int strobe(struct session *s, struct names_field field)
{
	int err = 0;

	if (s->global_ctl == NAMES_NONE)
		return 0;
	for (unsigned socket = 0; socket < s->config.sockets && err == 0; socket++) {
		struct access_address at = session_address(s->global_ctl, socket, 0, 0);

		err = access_write(s->config.access, &at, names_put(cat_presets(cat_regs + s->global_ctl), field, 1));
	}
	return err;
}

/* Boxes that the register for the whole socket stops and starts. */
static bool follows_global(const struct session *s, const struct box *b)
{
	const struct names_type *l = names_layout(s->config.names, b->type);

	if (s->global_ctl == NAMES_NONE || !s->level)
		return s->global_ctl != NAMES_NONE;
	return l->box_ctl != NAMES_NONE && cat_reg_field(cat_regs + l->box_ctl, "glb_lcl");
}

static int freeze_box(struct session *s, const struct box *b, bool frozen, uint64_t resets)
{
	const struct names_type *l = names_layout(s->config.names, b->type);

	if (l->box_ctl == NAMES_NONE && l->status != NAMES_NONE && l->status_frz.width)
		return put(s, l->status, b, 0, names_put(0, l->status_frz, frozen));
	if (l->box_ctl == NAMES_NONE)
		return 0;
	return put(s, l->box_ctl, b, 0, names_put(l->box_ones | resets, l->frz, frozen));
}

/* Boxes one by one only where there is no way to stop them all at once. */
int session_freeze(struct session *s)
{
	int err = strobe(s, s->frz_all);

	for (unsigned i = 0; i < s->boxes && err == 0; i++)
		if (!follows_global(s, s->box + i))
			err = freeze_box(s, s->box + i, true, 0);
	return err;
}

int session_unfreeze(struct session *s)
{
	int err = 0;

	for (unsigned i = 0; i < s->boxes && err == 0; i++)
		if (!follows_global(s, s->box + i))
			err = freeze_box(s, s->box + i, false, 0);
	return err < 0 ? err : strobe(s, s->unfrz_all);
}

static bool in_turn(const struct slot *slot, const struct box *b)
{
	return slot->turn == SESSION_ALWAYS || slot->turn == b->turn;
}

/* What the events of this turn want of a register, on top of what is set anyway. */
static uint64_t wanted_value(const struct session *s, const struct box *b, unsigned reg, unsigned i,
			     bool *used)
{
	uint64_t value = cat_presets(cat_regs + reg);

	for (unsigned k = b->slot0; k < b->slot0 + b->slots; k++) {
		const struct slot *slot = s->slot + k;
		const struct event_spec *spec = &s->want[slot->event].spec;

		if (!in_turn(slot, b))
			continue;
		for (unsigned m = 0; m < spec->settings; m++) {
			struct event_setting set = event_setting_way(spec->setting + m, slot->way);

			if (set.reg != reg || set.element != i)
				continue;
			*used = true;
			value = bits_put(value, set.hi, set.lo,
					 event_setting_value(&set, b->socket, s->config.sockets, s->config.nodes));
		}
	}
	return value;
}

/* Registers of which session_program() writes all, and those that it keeps for itself. */
static bool is_own(const struct cat_reg *r)
{
	return r->role == CAT_CTL || r->role == CAT_CTR || r->role == CAT_BOX_CTL ||
	       r->role == CAT_STATUS || r->role == CAT_GLOBAL_CTL;
}

static bool has_preset(const struct cat_reg *r)
{
	for (unsigned i = 0; i < r->fields; i++)
		if (cat_fields[r->field0 + i].has_preset)
			return true;
	return false;
}

enum pass { PASS_UNLOCK, PASS_WRITE, PASS_LOCK };

/* A register with a lock is written as 0 before the others, and as it shall be after them. */
static int write_register(struct session *s, const struct box *b, unsigned reg, enum pass pass)
{
	bool lock = cat_reg_field(cat_regs + reg, "lock"), preset = has_preset(cat_regs + reg);
	int err = 0;

	if (lock == (pass == PASS_WRITE))
		return 0;
	for (unsigned i = 0; i < cat_regs[reg].count && err == 0; i++) {
		bool used = preset;
		uint64_t value = wanted_value(s, b, reg, i, &used);

		if (used)
			err = put(s, reg, b, i, pass == PASS_UNLOCK ? 0 : value);
	}
	return err;
}

/* Filters and sub-controls hold what the events of this turn agree on. */
static int write_filters(struct session *s, const struct box *b)
{
	const struct cat_type *t = cat_types + b->type;
	int err = 0;

	for (enum pass pass = PASS_UNLOCK; pass <= PASS_LOCK; pass++)
		for (unsigned r = t->reg0; r < (unsigned)t->reg0 + t->regs && err == 0; r++)
			if (!is_own(cat_regs + r))
				err = write_register(s, b, r, pass);
	return err;
}

/* An address that faults makes the reading absent, not the session fail. */
static void start_counter(struct session *s, const struct box *b, struct slot *slot)
{
	const struct event_spec *spec = &s->want[slot->event].spec;
	const struct names_type *l = names_layout(s->config.names, b->type);
	int err = 0;

	if (spec->kind == EVENT_COUNTED) {
		uint64_t control = spec->control + slot->way * spec->second;
		uint64_t on = names_put(control, l->en, 1);

		err = put(s, l->ctl, b, slot->counter, control);
		if (err == 0)
			err = access_write(s->config.access, &slot->ctr, 0);
		if (err == 0)
			err = put(s, l->ctl, b, slot->counter, on);
	} else if (spec->kind == EVENT_FIXED && l->fixed_ctl != NAMES_NONE) {
		err = put(s, l->fixed_ctl, b, 0, names_put(0, l->fixed_en, 1));
	}
	if (err == 0)
		err = access_read(s->config.access, &slot->ctr, &slot->last);
	if (err == 0 && slot->rest.width)
		err = access_read(s->config.access, &slot->rest, &slot->rest_last);
	slot->dead = err < 0;
}

int session_program_turn(struct session *s, struct box *b)
{
	const struct names_type *l = names_layout(s->config.names, b->type);
	uint32_t used = 0;
	int err = write_filters(s, b);

	for (unsigned i = b->slot0; i < b->slot0 + b->slots && err == 0; i++) {
		if (!in_turn(s->slot + i, b))
			continue;
		/* What runs through all turns is not disturbed. */
		if (s->slot[i].turn == SESSION_ALWAYS && s->running)
			continue;
		if (s->slot[i].turn != SESSION_ALWAYS)
			used |= UINT32_C(1) << s->slot[i].counter;
		start_counter(s, b, s->slot + i);
	}
	if (l->ctl == NAMES_NONE)
		return err;
	for (unsigned i = 0; i < cat_regs[l->ctl].count && err == 0; i++)
		if (l->counters >> i & 1 && !(used >> i & 1))
			err = put(s, l->ctl, b, i, 0);
	return err;
}

int session_program(struct session *s)
{
	int err = session_freeze(s);

	for (unsigned i = 0; i < s->boxes && err == 0; i++) {
		struct box *b = s->box + i;
		const struct names_type *l = names_layout(s->config.names, b->type);
		uint64_t resets = names_put(names_put(0, l->rst_ctrs, 1), l->rst_ctrl, 1);

		err = freeze_box(s, b, true, resets);
		if (err == 0)
			err = session_program_turn(s, b);
		/* With a freeze of the whole socket the boxes are let go already. */
		if (err == 0 && follows_global(s, b))
			err = freeze_box(s, b, false, 0);
	}
	return err;
}

static struct access_address core_msr(unsigned socket, unsigned core, uint32_t msr)
{
	return (struct access_address){ .space = CAT_MSR, .socket = (uint16_t)socket,
					.thread = (uint16_t)core, .offset = msr, .width = 64 };
}

static bool start_core(struct session *s, unsigned socket, unsigned core, uint64_t *last)
{
	struct access *a = s->config.access;
	struct access_address ctrl = core_msr(socket, core, MSR_FIXED_CTR_CTRL);
	struct access_address global = core_msr(socket, core, MSR_PERF_GLOBAL_CTRL);
	uint64_t before;

	if (s->config.spared && s->config.spared(s->config.lacks_ctx, socket, core))
		return false;
	if (access_read(a, &global, &before) < 0 || access_write(a, &ctrl, FIXED_CTRL_ALL) < 0 ||
	    access_write(a, &global, before | GLOBAL_CTRL_FIXED) < 0)
		return false;
	for (unsigned k = 0; k < SESSION_CORE_KINDS; k++) {
		struct access_address at = core_msr(socket, core, MSR_FIXED_CTR0 + k);

		if (access_read(a, &at, last + k) < 0)
			return false;
	}
	return true;
}

/* Of the base frequency, in whole MHz and rounded down, as parts are named: 17 times 133.3 are 2266. */
static unsigned base_mhz(const struct session *s, uint64_t info)
{
	return (unsigned)bits_get(info, 15, 8) * (names_family(s->config.names)->bus_khz + 1) / 1000;
}

void session_start_cores(struct session *s)
{
	struct access_address tsc = core_msr(0, 0, MSR_TSC);
	struct access_address info = core_msr(0, 0, MSR_PLATFORM_INFO);
	uint64_t value;

	for (unsigned i = 0; i < s->config.sockets * s->config.cores; i++)
		s->core[i].there = start_core(s, i / s->config.cores, i % s->config.cores,
					      s->core[i].last);
	if (access_read(s->config.access, &tsc, &s->tsc_last) == 0 &&
	    access_read(s->config.access, &info, &value) == 0)
		s->tsc_mhz = base_mhz(s, value);
}

void session_read_cores(struct session *s)
{
	struct access_address tsc = core_msr(0, 0, MSR_TSC);
	uint64_t value;

	for (unsigned i = 0; i < s->config.sockets * s->config.cores; i++) {
		struct core *c = s->core + i;

		for (unsigned k = 0; k < SESSION_CORE_KINDS && c->there; k++) {
			struct access_address at = core_msr(i / s->config.cores, i % s->config.cores,
							    MSR_FIXED_CTR0 + k);

			c->there = access_read(s->config.access, &at, &value) == 0;
			if (!c->there)
				break;
			c->count[k] += s->paused ? 0 : (value - c->last[k]) & bits_low(48);
			c->last[k] = value;
		}
	}
	if (s->tsc_mhz && access_read(s->config.access, &tsc, &value) == 0) {
		s->tsc += s->paused ? 0 : value - s->tsc_last;
		s->tsc_last = value;
	}
}
