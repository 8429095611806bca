/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance-monitoring registers of the computer that this runs on: which processor it is, the ways to its registers, and
 * good manners on them.  What is behind the registers is real, so nothing here knows the truth, and time is the computer's.
 *
 * Whatever is written is put back by local_close(); a journal lets the next local_open() do so for a process that was killed.
 */
#ifndef BXS_LOCAL_H
#define BXS_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/access.h"

struct local;

/* What Linux says of this computer's processors. */
struct local_processor {
	char name[80];			/* as the product calls itself; "" if Linux does not say */
	const struct cat_family *family;	/* NULL: none of ours */
	bool virtual;			/* this is a virtual machine */
	unsigned base_mhz;		/* in the product's name; 0: not there */
	unsigned sockets, cores;	/* cores of the socket that has most */
	unsigned cpus;			/* that are online */
};

struct local_wish {
	const char *family;		/* that it has to be; NULL: any */
	const char *via;		/* "perf" or "direct"; NULL: the first of them that works */
	bool force;			/* take also what somebody else uses */
};

/*
 * Find the processor and a way to its registers.  BXS_ENOTSUP: it is none of ours or another one than wished, or no way is
 * open; BXS_EINVAL: there is no such way; BXS_ENOMEM; why says which and what would help.
 */
int local_open(const struct local_wish *wish, struct local **out, char *why, size_t size);
/* Put back what was written.  NULL is allowed. */
void local_close(struct local *l);

/* The family of this computer's processor; NULL: none of ours. */
const struct cat_family *local_family(void);
const struct local_processor *local_processor(const struct local *l);
const char *local_way(const struct local *l);		/* its name */
/* Registers that a process which was killed had left changed, and which have been put back. */
unsigned local_put_back(const struct local *l);

/* Reads answer BXS_EFAULT where there is no such register or no way to it, writes likewise, and BXS_ECONFLICT with a sentence in
 * local_why() for a box that somebody else uses. */
struct access *local_registers(struct local *l);
const char *local_why(const struct local *l);

/* Does box `box` of a type (index into cat_types) belong to a core that the part has not?  Its registers may answer all the same. */
bool local_is_fused(const struct local *l, unsigned type, unsigned box);

/* Picoseconds since local_open(). */
uint64_t local_time(const struct local *l);

/* What is here, what is missing and what would help, line by line: what the line is about ("": as the one before) and the text.  True: something can be measured. */
bool local_doctor(void (*tell)(void *ctx, const char *what, const char *text), void *ctx);

#endif
