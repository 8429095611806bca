/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding things in the catalogue by name, and where instances of registers lie. */
#ifndef BXS_CATALOG_FIND_H
#define BXS_CATALOG_FIND_H

#include "catalog/catalog.h"

/* Each finder compares names without regard to case and returns NULL when there is none.
 * Names are (text, length): nothing needs to be zero-terminated. */
const struct cat_family *cat_find_family(const char *name, size_t len);
const struct cat_type *cat_find_type(const struct cat_family *f, const char *name, size_t len);
const struct cat_part *cat_find_part(const struct cat_family *f, const char *name, size_t len);
const struct cat_event *cat_find_event(const struct cat_type *t, const char *name, size_t len);
const struct cat_umask *cat_find_umask(const struct cat_event *e, const char *name, size_t len);

/* As the catalogue writes it: "entry-clocks". */
const char *cat_unit_name(enum cat_unit unit);

/* The event that the control of one of these counters selects; NULL: the catalogue has no such code for them. */
const struct cat_event *cat_event_of_code(const struct cat_type *t, uint32_t code, unsigned ext,
					  uint32_t counters);

/*
 * Exact encodings are a mask after all when, but for bits that all subevents share, each bit that one of them
 * uses is a subevent of its own (HA requests, CAS counts, cache look-ups, which all share bit 0): then they may
 * be ORed.  Returns the bits that all share, or CAT_ABSENT.
 */
uint32_t cat_shared_bits(const struct cat_event *e);

/* The family's default part, or NULL when it names no parts. */
const struct cat_part *cat_default_part(const struct cat_family *f);

/* A part's parameter; false and *value untouched when the part does not give it. */
bool cat_param(const struct cat_part *p, const char *key, uint64_t *value);

/* An address in the terms of its space. */
struct cat_where {
	enum cat_space space;
	enum cat_bus bus;
	uint32_t base;		/* CAT_PCI: dev << 3 | fn; CAT_PMC, CAT_PMD, CAT_CPU: the thread; else 0 */
	uint32_t offset;	/* CAT_PCI: bytes in the function; else the whole address */
};

/* Where element i of register r of a box is. */
struct cat_where cat_reg_where(const struct cat_reg *r, unsigned box, unsigned i);

/*
 * The name of element i of register r in box b ("C3_MSR_PMON_CTL0"), written to buf of `size` bytes and cut
 * to fit; returns its full length without the final zero.
 */
size_t cat_reg_instance(const struct cat_reg *r, unsigned box, unsigned i, char *buf, size_t size);

/* A register as measuring leaves it where nobody says otherwise. */
uint64_t cat_presets(const struct cat_reg *r);

/* Reserved bits that the manual wants written 1 each time; they need not read so. */
uint64_t cat_wanted_ones(const struct cat_reg *r);

/* The field that the engine calls `as` ("ev_sel", "frz"), or NULL. */
const struct cat_field *cat_reg_field(const struct cat_reg *r, const char *as);

/*
 * The closest of `count` names to a mistyped one, for "did you mean"; name_of(ctx, i) gives them.  Returns its
 * number, or -1 when none is near (more than a third of the letters differ).
 */
int cat_nearest(const char *name, size_t len, unsigned count,
		const char *(*name_of)(const void *ctx, unsigned i), const void *ctx);

#endif
