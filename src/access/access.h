/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How measuring reaches registers: read, write, wait.  Whatever is measured, the
 * model or a real processor, stands behind these three.
 */
#ifndef BXS_ACCESS_H
#define BXS_ACCESS_H

#include <stdint.h>

#include "catalog/catalog.h"

/* One register of one socket.  base is what the catalogue's window says: nothing for
 * CAT_MSR, dev << 3 | fn for CAT_PCI, the thread of the socket for CAT_PMC and CAT_PMD; offset
 * counts as the space does. */
struct access_address {
	enum cat_space space;
	enum cat_bus bus;		/* CAT_PCI only */
	uint16_t socket;
	uint16_t thread;		/* CAT_MSR: which core of the socket */
	uint32_t base, offset;
	uint8_t width;			/* bits */
};

struct access;

struct access_ops {
	/* 0, BXS_EFAULT (#GP or no such register), BXS_EIO; *value untouched on error. */
	int (*read)(struct access *a, const struct access_address *at, uint64_t *value);
	int (*write)(struct access *a, const struct access_address *at, uint64_t value);
	/* Let ns nanoseconds of the measured machine's time pass. */
	int (*wait)(struct access *a, uint64_t ns);
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

static inline int access_wait(struct access *a, uint64_t ns)
{
	return a->ops->wait(a, ns);
}

#endif
