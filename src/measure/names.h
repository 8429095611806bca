/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of one family, found in constant time: box types, events, subevents,
 * registers; and the layout of each box type's control register.
 *
 * The catalogue is constant and has no index; this one is built once per session
 * (a few tens of microseconds) and only read afterwards.
 */
#ifndef BXS_MEASURE_NAMES_H
#define BXS_MEASURE_NAMES_H

#include "catalog/catalog.h"

#define NAMES_NONE UINT32_MAX

/* Some characters of somebody else's text. */
struct span {
	const char *s;
	size_t n;
};

/* A field of a register; width 0: the register has none of that name. */
struct names_field {
	uint8_t lo, width;
};

/* What measuring needs to know of one box type.  Registers are indices into cat_regs,
 * NAMES_NONE if the type has none of that role. */
struct names_type {
	uint32_t ctl, ctr, box_ctl, status, fixed_ctl, fixed_ctr;
	struct names_field ev_sel, ev_sel_ext, ev_sel_alt, umask, thresh, invert, edge_det, en, ov_en, tid_en,
		rst, occ_sel;
	struct names_field frz, rst_ctrs, rst_ctrl;
	struct names_field status_frz;	/* where the status register stops the box */
	struct names_field fixed_en, fixed_rst;
	uint64_t box_ones;	/* bits of the box control that software always writes as 1 */
	uint64_t presets;	/* of the control register */
	uint32_t counters;	/* those that the machine has, a bit each */
	unsigned counter0;	/* bit of an event's counters that stands for element 0 of the controls */
	bool pages;		/* controls can select a second page of events */
	bool joined;		/* codes lie in ev_sel and umask together, ev_sel above */
	bool narrowed;		/* some register narrows events (cat_field.narrows) */
	bool dotted;		/* some event has a dot in its name */
};

struct names;

/* l, which is zeroed, from the catalogue (layout.c). */
void names_fill_layout(struct names_type *l, unsigned type);

/* family: index into cat_families.  0 or BXS_ENOMEM. */
int names_new(unsigned family, struct names **out);
void names_free(struct names *n);

/* The family that n was made for. */
const struct cat_family *names_family(const struct names *n);

/* type: absolute index into cat_types, of this family. */
const struct names_type *names_layout(const struct names *n, unsigned type);

/*
 * The absolute index of what `name` names, or NAMES_NONE.  Case counts only where
 * two names differ in nothing else; then an inexact name finds nothing.
 */
uint32_t names_find_type(const struct names *n, struct span name);
uint32_t names_find_event(const struct names *n, unsigned type, struct span name);
uint32_t names_find_umask(const struct names *n, unsigned event, struct span name);
uint32_t names_find_reg(const struct names *n, unsigned type, struct span name);
/*
 * A register by its type's name, in which one of several elements may be meant: NAME_{Rx,Tx}_X is
 * found as NAME_Rx_X, element 0, and NAME_Tx_X, element 1.
 */
uint32_t names_find_element(const struct names *n, unsigned type, struct span name,
			    unsigned *element);
/* Is it the name of a field of some control or filter register? */
bool names_is_field(const struct names *n, struct span name);
/* A field of a control or filter register by name, the manual's or the engine's, or NULL. */
const struct cat_field *names_find_field(const struct names *n, uint32_t reg, struct span name);
/* Does the field of this register narrow events down? */
bool names_is_filter(const struct cat_reg *reg, const struct cat_field *f);
/* The event of that encoding. */
uint32_t names_find_code(const struct names *n, unsigned type, uint32_t code, unsigned ext);

/* The control with an event's code in it. */
uint64_t names_put_code(const struct names_type *l, uint64_t control, uint32_t code, unsigned ext);
/* Boxes of a type, where the machine has more than the catalogue's two threads of a core. */
unsigned names_boxes(const struct names *n, unsigned type);
void names_set_boxes(struct names *n, unsigned type, unsigned boxes);
/* Of the counters of a type this machine has the first ones only. */
void names_set_counters(struct names *n, unsigned type, unsigned counters);
/* A field by its name, or REGISTER.FIELD, in any register of the type; reserved ones have no names. */
const struct cat_field *names_any_field(unsigned type, struct span name, unsigned *reg);
/* Cut the next word off a comma list; false: none is left. */
bool names_next(struct span *list, struct span *word);

/* Equal but for case. */
bool names_same(struct span a, const char *b);
/* Does the pattern, with * and ?, match name?  Case does not count. */
bool names_glob(struct span pattern, const char *name);

/* The field of that name, the manual's or the engine's, or NULL. */
const struct cat_field *names_field_of(const struct cat_reg *reg, struct span name);
/* The first register of a role, or NAMES_NONE. */
uint32_t names_role(unsigned type, enum cat_role role);

static inline uint64_t names_put(uint64_t word, struct names_field f, uint64_t value)
{
	uint64_t mask = ((UINT64_C(1) << f.width) - 1) << f.lo;

	return (word & ~mask) | (value << f.lo & mask);
}

#endif
