/* SPDX-License-Identifier: BSD-2-Clause */
/* Itanium 9500: what a core does, made into events, captures and traces. */
#include <stdio.h>

#include "pmu/poulson_core.h"

struct why {
	char *text;
	size_t size;
};

static int refuse(const struct why *why, const char *text)
{
	snprintf(why->text, why->size, "%s", text);
	return BXS_EINVAL;
}

/* 4.2.18: each retirement that the register stack minds adds its sizes as they were just before. */
static void retire_rse(struct core_thread *t, const struct door *d)
{
	uint64_t sof = t->psr[DOOR_SOF_], dirty = t->psr[DOOR_DIRTY_];

	core_count(t, EV_RSE_CURRENT, sof >> 3, NULL);
	core_count(t, EV_RSE_CURRENT + 1, sof & 7, NULL);
	core_count(t, EV_RSE_DIRTY, dirty >> 3, NULL);
	core_count(t, EV_RSE_DIRTY + 1, dirty & 7, NULL);
	if (door_has(d, DOOR_SOF_))
		t->psr[DOOR_SOF_] = d->v[DOOR_SOF_];
	if (door_has(d, DOOR_DIRTY_))
		t->psr[DOOR_DIRTY_] = d->v[DOOR_DIRTY_];
}

static void retire(struct core_thread *t, const struct door *d, const struct core_tags *tags)
{
	const uint64_t *v = d->v;
	uint64_t n = v[DOOR_N_];
	bool tagging = tags->tag[0] || (t->tagging && !tags->tag[1]);

	for (unsigned c = 0; c < CHANNELS; c++)
		if (tags->tag[c])
			core_count(t, EV_INST_TAGGED + c, n, NULL);
	if (v[DOOR_SQUASHED_] && !v[DOOR_NOP_])
		core_count(t, EV_SQUASHED, n, tags);
	if (v[DOOR_NOP_])
		core_count(t, EV_NOP, n, tags);
	else if (!v[DOOR_SQUASHED_]) {
		if (v[DOOR_ITYPE_] == 2)
			core_count(t, EV_INST_FP, n, tags);
		if (v[DOOR_ITYPE_] == 0)
			core_count(t, EV_INST_M, n, tags);
		core_count(t, EV_FLOP, n * v[DOOR_FLOPS_], tags);
	}
	if (tagging != t->tagging) {
		core_levels_down(t);
		t->tagging = tagging;
		core_levels_up(t);
	}
	if (v[DOOR_RSE_])
		retire_rse(t, d);
	core_ipear_retire(t, d, tags);
}

/* The subevent of DATA_REF for each kind; 0: the kind is no data reference (4.2.7.3). */
static const uint16_t refs[] = {
	0, 0x0de, 0x0df, 0x0e0, 0x0e1, 0x0e2, 0x0e3, 0x0e4, 0x0e5, 0, 0x0e6, 0x0e7, 0, 0, 0, 0,
};

static void dataref(struct core_thread *t, const struct door *d, const struct core_tags *tags)
{
	const uint64_t *v = d->v;
	uint64_t type = v[DOOR_TYPE_], n = v[DOOR_N_];
	bool load = (type >= 1 && type <= 3) || type == 11, store = type >= 4 && type <= 6;
	/* A check that finds its entry refers to nothing; buddies and physical lfetch are not counted. */
	bool none = v[DOOR_PREF_] == 3 || (load && v[DOOR_ALAT_] == 2) || (type == 7 && v[DOOR_PHYS_]);

	if (v[DOOR_SQUASHED_])
		return;
	core_dear(t, d, tags);
	if (none || !refs[type])
		return;
	core_count(t, EV_DATA_REF, n, tags);
	core_count(t, refs[type], n, tags);
	if (load)
		core_count(t, EV_REF_LOAD, n, tags);
	if (store)
		core_count(t, EV_REF_STORE, n, tags);
	if (v[DOOR_UC_] && load)
		core_count(t, EV_REF_LOAD_UC, n, tags);
	if (v[DOOR_UC_] && store)
		core_count(t, EV_REF_STORE_UC, n, tags);
}

/* The state of the thread changes, and with it what stands for clocks on end. */
struct change {
	struct core_thread *t;
	uint64_t cpl;
};

static struct change change_begin(struct core_thread *t)
{
	core_levels_down(t);
	if (t->other)
		core_levels_down(t->other);
	return (struct change){ t, t->psr[DOOR_CPL_] };
}

static void change_end(const struct change *c)
{
	struct core_thread *t = c->t;

	core_levels_up(t);
	core_ipear_cut(t);
	if (t->other) {
		core_levels_up(t->other);
		core_ipear_cut(t->other);
	}
	if (t->psr[DOOR_CPL_] != c->cpl) {
		uint64_t to = t->psr[DOOR_CPL_];

		/* It belongs to where it came from. */
		t->psr[DOOR_CPL_] = c->cpl;
		core_count(t, EV_CPL_CHANGE, 1, NULL);
		core_count(t, EV_CPL_CHANGE + 1 + (uint32_t)c->cpl, 1, NULL);
		t->psr[DOOR_CPL_] = to;
	}
	core_interrupt(t);
}

static void set_front(struct core_thread *t, uint64_t fg)
{
	t->psr[DOOR_FG_] = fg;
	if (t->other)
		t->other->psr[DOOR_FG_] &= ~fg;
}

static int thread(struct core_thread *t, const struct door *d, const struct why *why)
{
	struct change c;

	for (unsigned a = 0; a < DOOR_CPL_; a++)
		if (door_has(d, (enum door_attribute)a))
			return refuse(why, "a thread has cpl vm up pp sp i ic dcr.pp pmv tpr halted fg prio "
				      "exec every ibr0 to ibr7 dbr0 to dbr7");
	c = change_begin(t);
	for (unsigned a = DOOR_CPL_; a < DOOR_ATTRIBUTE_COUNT; a++)
		if (door_has(d, (enum door_attribute)a) && a != DOOR_FG_)
			t->psr[a] = d->v[a];
	if (door_has(d, DOOR_FG_))
		set_front(t, d->v[DOOR_FG_]);
	change_end(&c);
	return 0;
}

/* 3.3.14: by the offset in the interruption table; neither counts without one of the traces. */
static void count_interruption(struct core_thread *t, const struct door *d)
{
	uint64_t msk = *t->pmc[PMC_IVAEV_MSK], offs = bits_get(d->v[DOOR_OFFSET_], 14, 4);

	if (!bits_get(*t->pmc[PMC_ETB_CFG], 3, 0) && !bits_get(*t->pmc[PMC_IPEAR_CFG], 3, 0))
		return;
	core_count(t, EV_INTERRUPT, 1, NULL);
	if (((offs ^ bits_get(msk, 10, 0)) & ~bits_get(msk, 21, 11) & bits_low(11)) == 0)
		core_count(t, EV_INTERRUPT_MASKED, 1, NULL);
}

/* An interruption: privilege level 0, nothing else comes in, PSR.pp as DCR.pp says (3.2.3.2). */
static void interrupt(struct core_thread *t, const struct door *d)
{
	struct change c;

	count_interruption(t, d);
	core_etb_flow(t, d);
	c = change_begin(t);
	t->psr[DOOR_CPL_] = 0;
	t->psr[DOOR_I_] = t->psr[DOOR_IC_] = 0;
	t->psr[DOOR_PP_] = t->psr[DOOR_DCR_PP_];
	change_end(&c);
}

/* rfi restores the state that the line gives. */
static void rfi(struct core_thread *t, const struct door *d)
{
	struct change c;

	core_etb_flow(t, d);
	c = change_begin(t);
	for (unsigned a = DOOR_CPL_; a <= DOOR_IC_; a++)
		if (door_has(d, (enum door_attribute)a))
			t->psr[a] = d->v[a];
	change_end(&c);
}

static bool within(uint32_t code, uint32_t first, uint32_t last)
{
	return code >= first && code <= last;
}

/* Events whose description says when, though told of, they do not count. */
static bool excluded(const struct door *d, uint32_t code)
{
	enum { BIAS = 1 << 10 };

	/* 4.2.19.3: ld.bias and lfetch.excl are no reads. */
	if (code == EV_LLC_MISS_READ)
		return d->v[DOOR_HINTS_] & BIAS;
	/* 4.2.8.3: only when valid instructions go to the buffer; a hit just in time counts all the same. */
	if (d->kind == DOOR_FETCH && (within(code, EV_FLI_READ, EV_FLI_READ + 2) ||
				      within(code, EV_FLI_READ + 4, EV_FLI_READ + 6)))
		return !d->v[DOOR_VALID_] || d->v[DOOR_REPLAY_];
	return false;
}

/* 4.2.18.3: what the register stack loads for rfi carries a tag in any case. */
static bool untagged(const struct door *d, uint32_t code)
{
	return d->kind == DOOR_RFI && within(code, EV_RSE_REF, EV_RSE_REF + 2);
}

/* 4.2.2.4, 4.2.9: filtered, or at random, these go to the wrong thread. */
static struct core_thread *owner(struct core_thread *t, const struct door *d, uint32_t code)
{
	bool may = (within(code, EV_ASYNC, EV_ASYNC_LAST) && core_filters(t)) || code == EV_DPFQ_MLD;

	return d->v[DOOR_ASTRAY_] && may && t->other ? t->other : t;
}

static void also(struct core_thread *t, const struct door *d, const struct core_tags *tags)
{
	for (unsigned i = 0; i < d->events; i++) {
		uint32_t code = d->event[i];

		if (!excluded(d, code))
			core_count(owner(t, d, code), code, d->v[DOOR_N_],
				   untagged(d, code) ? NULL : tags);
	}
}

/* What happens at another privilege level than before says so. */
static void set_level(struct core_thread *t, const struct door *d)
{
	struct change c;

	if (!door_has(d, DOOR_CPL_) || d->kind == DOOR_RFI || d->kind == DOOR_THREAD ||
	    d->kind == DOOR_INTERRUPT || t->psr[DOOR_CPL_] == d->v[DOOR_CPL_])
		return;
	c = change_begin(t);
	t->psr[DOOR_CPL_] = d->v[DOOR_CPL_];
	change_end(&c);
}

/* Only the thread in front does what is told of the pipeline (4.1.2, type A). */
static bool needs_front(enum door_kind kind)
{
	return kind == DOOR_RETIRE || kind == DOOR_BRANCH || kind == DOOR_CHK || kind == DOOR_RFI ||
	       kind == DOOR_CYCLES;
}

int core_tell(struct pmu *p, const struct door *d, char *text, size_t size)
{
	const struct why why = { text, size };
	struct signal_port *port = pmu_port(p, d->socket, "core", d->thread);
	struct core_tags tags;
	struct core_thread *t;

	if (!port)
		return BXS_ENOENT;
	t = core_of((struct box *)port);
	if (needs_front(d->kind) && !(t->psr[DOOR_FG_] & 2))
		return refuse(&why, "the thread is in the background; `thread T fg=both` brings it forward");
	set_level(t, d);
	core_tag(t, d, &tags);
	switch (d->kind) {
	case DOOR_RETIRE:
		retire(t, d, &tags);
		break;
	case DOOR_FETCH:
		core_iear(t, d, &tags);
		break;
	case DOOR_DATAREF:
		dataref(t, d, &tags);
		break;
	case DOOR_BRANCH:
		core_etb_branch(t, d, &tags);
		core_branch(t, d, &tags);
		break;
	case DOOR_CHK:
		core_etb_flow(t, d);
		break;
	case DOOR_RFI:
		rfi(t, d);
		break;
	case DOOR_INTERRUPT:
		interrupt(t, d);
		break;
	case DOOR_THREAD:
		return thread(t, d, &why);
	default:
		return core_account(t, d, &tags, text, size);
	}
	also(t, d, &tags);
	return 0;
}
