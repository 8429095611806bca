/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the PMU engine.
 *
 *	pmu > socket > box > counter          what runs
 *	      box_type, slot                  what the catalogue says, shared by all sockets
 *
 * A slot is one register instance of a socket; its value lies in socket.value[slot], but for
 * counters, whose value is counter.value.
 */
#ifndef BXS_PMU_ENGINE_H
#define BXS_PMU_ENGINE_H

#include "pmu/ops.h"
#include "pmu/pmu.h"
#include "signal/watch.h"

enum {
	PMU_ALTS = 48,		/* alternatives of one selection */
	PMU_TESTS = 48,		/* tests of all its alternatives */
	PMU_NO_BIT = 255,
};

#define PMU_NO_SLOT UINT32_MAX

/* Bits of a register by the engine's name for them; width 0: the register has none. */
struct pmu_bits {
	uint8_t lo, width;
};

/* The fields of a control that the engine looks at. */
#define PMU_CTL_FIELDS(X) \
	X(ev_sel) X(ev_sel_ext) X(ev_sel_alt) X(umask) X(thresh) X(invert) X(edge_det) X(en) X(ov_en) X(rst) \
	X(tid_en) X(occ_sel) X(occ_invert) X(occ_edge_det) X(usr) X(any)

struct pmu_ctl_layout {
#define X(name) struct pmu_bits name;
	PMU_CTL_FIELDS(X)
#undef X
};

struct pmu_type {
	const struct cat_type *cat;
	/* Never NULL. */
	const struct pmu_select_ops *select;
	const struct pmu_register_ops *reg;
	const struct pmu_count_ops *count;
	unsigned boxes;				/* present in a socket */
	unsigned box0;				/* of the socket's boxes */
	unsigned slots;				/* of one box */
	unsigned counters;			/* of one box, all kinds */
	uint16_t *reg_slot;			/* first slot of each register, within the box */
	struct pmu_ctl_layout ctl, fixed_ctl;
	struct pmu_bits frz, frz_en, rst_ctrs, rst_ctrl, ov;
	uint32_t status_slot;			/* within the box, or PMU_NO_SLOT */
	bool filtered;				/* what its counters select depends on filters */
	uint32_t tid_reg, tid_field;		/* the thread filter; CAT_ABSENT: none */
};

/* A sum inside a box that a counter sees only the overflows of, each worth 1 << bits. */
struct pmu_sum {
	uint32_t slot;				/* of the register that shows it, or PMU_NO_SLOT */
	uint8_t bits;				/* 0: no sum */
	struct pmu_bits rest, live;		/* of that register: what is left over, the level */
};

enum counter_kind { COUNTER_PROGRAMMED, COUNTER_FIXED, COUNTER_FREE };

struct counter {
	struct signal_watch watch;
	struct signal_alt alt[PMU_ALTS];
	struct signal_test test[PMU_TESTS];
	uint64_t value;
	uint32_t ctl, ctr;			/* slots; ctl PMU_NO_SLOT: free running */
	uint16_t sig;
	uint8_t kind, number, width;
	uint8_t bit;				/* of what events call their counters */
	uint8_t status_bit, message_bit;	/* of BOX_STATUS, of GLOBAL_STATUS; PMU_NO_BIT */
	bool hung;				/* watch hangs on sig */
	bool live;				/* watch gives increments: hung, or clocks */
	bool enabled, held, ov_en;
	struct pmu_sum sum;
	uint64_t rest;				/* of the sum */
	/* Of a box whose counters are asked for: the total when `value` was right; whether it counts all threads of
	 * the core; what else narrows it: a register's `takes` and its value when c was bound. */
	uint64_t from, response;
	uint16_t take0, takes;
	bool any;
};

struct pmu_truth;

struct box {
	struct signal_port port;
	struct signal_port *outlet;		/* where its counters hang: its port; see truth.c */
	struct signal_latch latch;
	const struct pmu_type *type;
	struct socket *socket;
	unsigned index;				/* among the boxes of its type */
	uint32_t slot0;
	struct counter *counter;
	unsigned lives;				/* live counters */
	struct pmu_truth *truth;		/* what is known beside the counters, see truth.c */
	bool frozen;
	void *own;				/* what the mechanisms of its type keep */
	uint64_t since;				/* a clock that they remember */
	bool stood;				/* was frozen in the clocks that are being closed */
};

struct socket {
	struct pmu *pmu;
	struct box *box;
	uint64_t *value;
	struct signal_clock *clock;
	unsigned number;
	bool frozen;				/* global freeze */
	bool armed;				/* an overflow that would freeze may be near */
};

struct pmu_slot {
	uint64_t key;				/* space, bus, base, offset: sorts by address */
	uint32_t slot;
	uint32_t reg;				/* of cat_regs */
	uint16_t box;				/* of the socket's boxes */
	uint16_t element;
};

struct pmu {
	const struct cat_family *family;
	unsigned sockets, cores;
	struct pmu_type *type;
	struct socket *socket;
	unsigned boxes, slots;			/* of a socket */
	unsigned told;				/* of its boxes: those behind them are asked, see struct pmu_source */
	unsigned cpu_counters;
	const struct pmu_source *source;
	void *source_ctx;
	struct pmu_slot *by_slot, *by_key;
	unsigned keys;				/* of by_key: of logical CPUs, which are alike, the first one's alone */
	uint64_t now, horizon;
	struct pmu_interrupt *interrupt;
	unsigned interrupts, interrupt_room;
	uint32_t global_ctl, global_status;	/* slots, or PMU_NO_SLOT */
	bool broken;				/* out of memory: something was lost */
};

static inline uint64_t pmu_bits_get(uint64_t word, struct pmu_bits b)
{
	return word >> b.lo & bits_low(b.width);
}

static inline uint64_t pmu_bits_mask(struct pmu_bits b)
{
	return bits_low(b.width) << b.lo;
}

/* bind.c */
void pmu_bind(struct box *b, struct counter *c);	/* the control, a filter or reset changed */
void pmu_bind_all(struct box *b);

/* count.c */
void pmu_arm(struct socket *s);				/* a counter or its control changed */
void pmu_set_horizon(struct socket *s);
void pmu_interrupt_push(struct pmu *p, const struct pmu_interrupt *one);

/* truth.c */
/* Clocks up to `to` are being closed. */
void pmu_truth_close_clocks(struct box *b, uint64_t to);
void pmu_truth_free_all(struct box *b);

/* select.c */
struct pmu_selection {
	uint32_t code, ext, umask;
	uint16_t threshold;
	bool invert, edge, tid;
};

struct pmu_selection pmu_decode(const struct pmu_type *t, uint64_t ctl);
/*
 * What the control of counter c selects, into c's alternatives and c->watch.event; false: an event
 * that does not exist, or a combination that counts nothing.
 */
bool pmu_select(struct box *b, struct counter *c, const struct pmu_selection *s,
		const struct cat_event *e);
/* The flags that mark subevent u of an event that no signal drives, and its fellows'. */
uint64_t pmu_raise_flags(const struct pmu_type *t, const struct cat_event *e,
			 const struct cat_umask *u);

/* needs.c */
/*
 * Several events may share a code, told apart by what they need of other registers, and be
 * counted together: then they share the signal of the first of them.
 */
const struct cat_event *pmu_group(const struct pmu_type *t, const struct cat_event *e);
/* Do the registers of the box hold what event e needs for c to count it? */
bool pmu_needs_hold(const struct box *b, const struct counter *c, unsigned need0, unsigned needs);
/*
 * In a box whose events are views of few signals (CAT_RULE_BY_SIGNAL): the first event on e's signal,
 * which stands for all of them; else NULL.
 */
const struct cat_event *pmu_signal_head(const struct pmu_type *t, const struct cat_event *e);
/* The slot of the register of the box's type whose name ends so, or PMU_NO_SLOT. */
uint32_t pmu_slot_named(const struct box *b, const char *end);

/* packet.c */
/* What counter c takes is limited to occurrences that pass one more test; its alternatives have had the same tests. */
void pmu_also(struct counter *c, struct signal_test test);

/* register.c */
/* The counter that the hardware of the box keeps in a slot, or that a slot controls; or NULL. */
struct counter *pmu_counter_of(struct box *b, uint32_t slot);
struct counter *pmu_counter_of_control(struct box *b, uint32_t slot);

#endif
