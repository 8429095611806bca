/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How measuring reaches registers: read and write.  Whatever is measured, the model or a real
 * processor, stands behind these two.  What is measured may also know the truth, which no counter
 * shows; hardware does not.
 */
#ifndef BXS_ACCESS_H
#define BXS_ACCESS_H

#include <stdint.h>

#include "catalog/catalog.h"

/* One register of one socket.  base is what the catalogue's window says: nothing for
 * CAT_MSR, dev << 3 | fn for CAT_PCI, the thread of the socket for CAT_PMC, CAT_PMD and CAT_CPU; offset
 * counts as the space does. */
struct access_address {
	enum cat_space space;
	enum cat_bus bus;		/* CAT_PCI only */
	uint16_t socket;
	uint16_t thread;		/* CAT_MSR: which core of the socket; second threads follow
					 * after all cores */
	uint32_t base, offset;
	uint8_t width;			/* bits */
};

struct access;

enum { ACCESS_BITS = 32 };	/* of one question, at most */

/* Bits of a register of a box as an event needs them. */
struct access_bits {
	uint64_t value;
	uint32_t reg;			/* index into cat_regs */
	uint8_t element, hi, lo;
};

/*
 * What a counter of a box would count from now on if it had no limits: if it alone had the box's
 * registers, were never frozen, and never went round.
 */
struct access_question {
	uint16_t type, socket, box;	/* type: index into cat_types */
	uint32_t reg;			/* the counter: index into cat_regs, and which element */
	uint8_t element;
	uint64_t control;		/* of its control register; it is enabled in any case */
	uint64_t counter0;		/* control of counter 0, for what watches that one */
	const struct access_bits *bits;	/* of other registers; not given: the presets */
	unsigned bits_count;
	uint32_t worth;			/* of an overflow, where such are counted of a sum; else 1 */
};

struct access_answer;

struct access_truth {
	/* Begin to know.  0, BXS_ENOENT (no such box or counter) or BXS_ENOMEM. */
	int (*open)(struct access *a, const struct access_question *q, struct access_answer **out);
	/* The count since then. */
	uint64_t (*count)(struct access *a, const struct access_answer *answer);
	void (*close)(struct access *a, struct access_answer *answer);
};

struct access_ops {
	/* 0, BXS_EFAULT (#GP or no such register), BXS_EIO; *value untouched on error. */
	int (*read)(struct access *a, const struct access_address *at, uint64_t *value);
	int (*write)(struct access *a, const struct access_address *at, uint64_t value);
	const struct access_truth *truth;	/* NULL: nobody knows it */
};

struct access {
	const struct access_ops *ops;
};

static inline int access_read(struct access *a, const struct access_address *at, uint64_t *value)
{
	return a->ops->read(a, at, value);
}

static inline int access_write(struct access *a, const struct access_address *at, uint64_t value)
{
	return a->ops->write(a, at, value);
}

#endif
