/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boxscore: performance-monitoring hardware as software.
 *
 * Easiest first: the catalogue (what there is), the machine (registers and
 * signals), the session (measuring).  Calls return 0 or a count, or a negative
 * enum bxs_err; what they hand out through pointers is untouched on error.  The
 * library never prints and never exits.
 */
#ifndef BOXSCORE_H
#define BOXSCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bxs_err {
	BXS_ENOMEM = -1,	/* out of memory */
	BXS_ENOENT = -2,	/* no such family, box, event, register, file */
	BXS_EINVAL = -3,	/* cannot be understood */
	BXS_ECONFLICT = -4,	/* each is possible, but not together */
	BXS_EFAULT = -5,	/* the modelled hardware faulted (#GP) */
	BXS_EIO = -6,		/* the system failed to read or write */
	BXS_ENOTSUP = -7,	/* not available here */
	BXS_EBUG = -8,		/* a fault of ours */
};

/* How far a reading can be trusted; from best to worst. */
enum bxs_validity {
	BXS_EXACT,		/* counted all the time */
	BXS_SCALED,		/* counted a part of the time and scaled; has an error */
	BXS_SATURATED,		/* stuck at the counter's greatest value: at least this */
	BXS_WRAPPED,		/* the counter went round more often than can be known: at least this */
	BXS_NOT_MODELLED,	/* the simulated machine does not drive this event: no value */
	BXS_NOT_THERE,		/* no such box here, or not counted at all: no value */
};

/* The version of the library, as "1.2.3". */
#define BXS_VERSION "0.1.0"

/* One plain sentence for an enum bxs_err; never NULL. */
const char *bxs_strerror(int err);

/* ---- The catalogue: what the hardware has -------------------------------------------------- */

#define BXS_ABSENT UINT32_MAX	/* a number that the manual does not print */

struct bxs_family {
	const char *name, *text, *source;
};

/* A product, and what it is made of: `params` names and values, in the catalogue's order. */
struct bxs_part {
	const char *family, *name;
	bool is_default;
	unsigned params;
	const char *const *keys;
	const uint64_t *values;
};

struct bxs_box_type {
	const char *family, *name, *text, *clock;
	unsigned boxes, counters, registers, events;
};

/* One instance of a register.  address is "0xe01" (msr), "D18:F1+0xd8" (pci), "0x3808" (csr), "PMC4". */
struct bxs_register {
	const char *family, *box, *name, *type, *space, *address, *source;
	unsigned instance;	/* number of the box */
	unsigned width;		/* bits */
	uint32_t device;	/* PCI device id, or BXS_ABSENT */
	uint64_t reset;
};

/* A field of a register type. */
struct bxs_field {
	const char *family, *box, *reg, *name, *attr, *text;
	unsigned hi, lo;
	uint64_t reset;
};

struct bxs_event {
	const char *family, *box, *name, *counters, *filter, *keys, *text;
	uint32_t code, max_inc;	/* max_inc may be BXS_ABSENT */
	unsigned ext;
	bool live;		/* the machine drives it; otherwise it is not modelled */
};

struct bxs_subevent {
	const char *family, *box, *event, *name, *filter, *keys, *text, *kind;
	uint32_t umask;
};

struct bxs_metric {
	const char *family, *box, *name, *unit, *equation, *text;
};

struct bxs_packet {
	const char *family, *cls, *name, *text;
	uint32_t opcode;
};

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

#ifdef __cplusplus
}
#endif

#endif
