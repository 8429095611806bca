/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scripted access: registers that hold what was written, a log of the writes, and time
 * that only the test moves.  What is not known reads as 0 and takes writes, unless the test
 * made it fault.
 */
#ifndef BXS_TESTS_FAKE_H
#define BXS_TESTS_FAKE_H

#include <stdio.h>
#include <string.h>

#include "access/access.h"
#include "base/error.h"

enum { FAKE_REGS = 4096 };

struct fake_reg {
	uint64_t key, value;
	bool faults;
};

struct fake {
	struct access access;	/* first */
	unsigned regs;
	struct fake_reg reg[FAKE_REGS];
	char log[20000];	/* "0xe00=0x30103 D20:F0+0xf4=0x30103 ..."; core registers are left out */
};

static uint64_t fake_key(const struct access_address *at)
{
	return (uint64_t)at->space << 60 | (uint64_t)at->socket << 56 | (uint64_t)at->thread << 48 |
	       (uint64_t)at->base << 32 | at->offset;
}

static struct fake_reg *fake_find(struct fake *f, uint64_t key)
{
	for (unsigned i = 0; i < f->regs; i++)
		if (f->reg[i].key == key)
			return f->reg + i;
	f->reg[f->regs] = (struct fake_reg){ .key = key };
	return f->reg + f->regs++;
}

/* An MSR of socket s; a register of PCI function dev:fn of socket s. */
static inline struct fake_reg *fake_msr(struct fake *f, unsigned s, uint32_t msr)
{
	return fake_find(f, (uint64_t)CAT_MSR << 60 | (uint64_t)s << 56 | msr);
}

static inline struct fake_reg *fake_pci(struct fake *f, unsigned s, unsigned dev, unsigned fn,
					uint32_t offset)
{
	return fake_find(f, (uint64_t)CAT_PCI << 60 | (uint64_t)s << 56 |
				    (uint64_t)(dev << 3 | fn) << 32 | offset);
}

static int fake_read(struct access *a, const struct access_address *at, uint64_t *value)
{
	struct fake_reg *r = fake_find((struct fake *)a, fake_key(at));

	if (r->faults)
		return BXS_EFAULT;
	*value = r->value;
	return 0;
}

static int fake_write(struct access *a, const struct access_address *at, uint64_t value)
{
	struct fake *f = (struct fake *)a;
	struct fake_reg *r = fake_find(f, fake_key(at));
	size_t used = strlen(f->log);

	if (r->faults)
		return BXS_EFAULT;
	r->value = value;
	if (at->space == CAT_PCI)
		snprintf(f->log + used, sizeof f->log - used, "s%u.D%u:F%u+%#x=%#llx ", at->socket,
			 at->base >> 3, at->base & 7, at->offset, (unsigned long long)value);
	else if (at->offset != 0x38d && at->offset != 0x38f)
		snprintf(f->log + used, sizeof f->log - used, "s%u.%#x=%#llx ", at->socket, at->offset,
			 (unsigned long long)value);
	return 0;
}

static const struct access_ops fake_ops = {
	.read = fake_read, .write = fake_write,
};

static inline void fake_reset(struct fake *f)
{
	f->access.ops = &fake_ops;
	f->regs = 0;
	f->log[0] = '\0';
}

#endif
