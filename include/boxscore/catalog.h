/* SPDX-License-Identifier: BSD-2-Clause */
/* The catalogue: what the hardware has, row by row.  Part of boxscore.h. */
#ifndef BOXSCORE_CATALOG_H
#define BOXSCORE_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BXS_ABSENT UINT32_MAX	/* a number that the manual does not print */

/*
 * Rows.  `family` and `box` are the names of a family and of a type of box, `text` is a sentence for people,
 * `keys` what else the catalogue says, "key=value ..." (docs/reference/catalogue.md), `filter` the fields that are
 * looked at, "opc,nid".  A string that has nothing to say is "".
 */

/* source: the manual that the family's rows are from. */
struct bxs_family {
	const char *name, *text, *source;
};

/* A product, and what it is made of: `params` names and values, in the catalogue's order.  is_default: it is
 * what a specification without a part means. */
struct bxs_part {
	const char *family, *name;
	bool is_default;
	unsigned params;
	const char *const *keys;
	const uint64_t *values;
};

/*
 * boxes: of a socket, the most that the family has; counters and registers: of one box.  clock: the domain that
 * it counts in, "uclk".
 */
struct bxs_box_type {
	const char *family, *name, *text, *clock;
	unsigned boxes, counters, registers, events;
};

/*
 * One instance of a register.  type: its name in the catalogue, with a letter for what instances number.
 * address: "0xe01" (space msr), "D18:F1+0xd8" (pci), "0x3808" (csr), "PMC4" (pmc), "PMD4" (pmd).
 * source: "manual", or who else names the register.
 */
struct bxs_register {
	const char *family, *box, *name, *type, *space, *address, *source;
	unsigned instance;	/* number of the box */
	unsigned element;	/* number within an array of such registers */
	unsigned width;		/* bits */
	uint32_t device;	/* PCI device id, or BXS_ABSENT */
	uint64_t reset;
};

/* A field of a register type.  attr: RW, RO, WO, RW1C, or RV for reserved; with -V, hardware changes it. */
struct bxs_field {
	const char *family, *box, *reg, *name, *attr, *text;
	const char *as;		/* what all families call it: ev_sel, en, thresh ... */
	unsigned hi, lo;
	uint64_t reset;
	/* A register may have other fields in another mode: the layout's name and when it holds; "" and "": always. */
	const char *layout, *when;
	/* What some of its values mean, n of them; valid during the call. */
	unsigned values;
	const uint64_t *value;
	const char *const *meaning;
};

/* counters: that can count the event, "0-1,3"; of an Itanium's core bit n of a mask for PMC n, "0xffff0". */
struct bxs_event {
	const char *family, *box, *name, *counters, *filter, *keys, *text;
	uint32_t code, max_inc;	/* max_inc: the most it adds in a clock, or BXS_ABSENT */
	unsigned ext;		/* 1: code is on the second page */
	bool live;		/* the machine drives it; otherwise it is not modelled */
	const char *unit;	/* of what it counts: "events", "clocks" or "entry-clocks" */
};

/*
 * kind: "bit", bits that OR with others; "exact", a whole mask; "mixed", bits that OR while some others are 0;
 * "pick", what other registers choose, with no mask of its own.
 */
struct bxs_subevent {
	const char *family, *box, *event, *name, *filter, *keys, *text, *kind;
	uint32_t umask;
	const char *unit;	/* the event's, but where the subevents of an event count different things */
	bool live;		/* as of an event */
};

/* An equation over events, and the unit of what it gives (docs/guide/measuring.md). */
struct bxs_metric {
	const char *family, *box, *name, *unit, *equation, *text;
};

/* An opcode of a class of packets, HOM or DRS, or of the transactions between cores and uncore, IDI. */
struct bxs_packet {
	const char *family, *cls, *name, *text;
	uint32_t opcode;
};

/* A packet by name: what the two pairs of match and mask registers of a link hold for it. */
struct bxs_message {
	const char *family, *name, *text;
	uint32_t match[2], mask[2];
};

/*
 * Walk the catalogue: fn is called for each row of a family (NULL: all families), in the manual's order,
 * until it returns other than 0; that value is returned.  The row and its strings live until fn
 * returns.  BXS_ENOENT: no such family.
 */
int bxs_each_family(int (*fn)(void *ctx, const struct bxs_family *row), void *ctx);
int bxs_each_part(const char *family, int (*fn)(void *ctx, const struct bxs_part *row), void *ctx);
int bxs_each_box_type(const char *family, int (*fn)(void *ctx, const struct bxs_box_type *row),
		      void *ctx);
int bxs_each_register(const char *family, int (*fn)(void *ctx, const struct bxs_register *row),
		      void *ctx);
int bxs_each_field(const char *family, int (*fn)(void *ctx, const struct bxs_field *row), void *ctx);
int bxs_each_event(const char *family, int (*fn)(void *ctx, const struct bxs_event *row), void *ctx);
int bxs_each_subevent(const char *family, int (*fn)(void *ctx, const struct bxs_subevent *row),
		      void *ctx);
int bxs_each_metric(const char *family, int (*fn)(void *ctx, const struct bxs_metric *row), void *ctx);
int bxs_each_packet(const char *family, int (*fn)(void *ctx, const struct bxs_packet *row), void *ctx);
int bxs_each_message(const char *family, int (*fn)(void *ctx, const struct bxs_message *row),
		     void *ctx);

/* The metrics that `boxscore stat` prints by default; box is "all" for what belongs to no type. */
int bxs_each_default_metric(const char *family, int (*fn)(void *ctx, const struct bxs_metric *row),
			    void *ctx);

/* Is that a name of the metric?  Case does not matter; RANKx is called RANK3, too. */
bool bxs_metric_called(const struct bxs_metric *m, const char *name);

/*
 * What it takes to measure a metric of a family, "imc.MEM_BW_READS": fn is called for each event of its
 * equation, and whether the machine drives it; *turns: in so many turns the counters of a box hold them all.
 * BXS_ENOENT: no such metric; BXS_ENOMEM.
 */
int bxs_metric_needs(const char *family, const char *metric, unsigned *turns,
		     int (*fn)(void *ctx, const char *event, bool modelled), void *ctx);

/*
 * How an event of a family is spelled: fn is called with "boxscore" and the event string that a session takes, then with
 * each other tool (perf, Intel, libpfm4, LIKWID, PCM) and what that calls it.  event: one event string without
 * patterns, spelled as any of them does.  What an event needs beside its control is not in what is told of perf and PCM.
 * BXS_ENOENT, BXS_EINVAL: no such family or event; BXS_ENOMEM.
 */
int bxs_each_spelling(const char *family, const char *event, void (*fn)(void *ctx, const char *tool, const char *text), void *ctx);

#ifdef __cplusplus
}
#endif

#endif
