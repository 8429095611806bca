/* SPDX-License-Identifier: BSD-2-Clause */
/* Which register of which box lies at an address, and what a value of it says. */
#ifndef BXS_DECODE_H
#define BXS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/access.h"

struct machine;
struct decode;

struct decode_register {
	uint64_t key;			/* where it lies; see decode.c */
	const struct cat_type *type;
	const struct cat_reg *reg;
	uint16_t box, element;
};

/* Of the family of m.  0 or BXS_ENOMEM. */
int decode_new(const struct machine *m, struct decode **out);
void decode_free(struct decode *d);	/* NULL is allowed */

/* The register at an address; of PCI registers also when only a part of it is accessed.  NULL: none of the catalogue. */
const struct decode_register *decode_find(const struct decode *d, const struct access_address *at);

/* The place in the register that an access begins at, in bits. */
unsigned decode_shift(const struct decode_register *r, const struct access_address *at);

/* "s0.cbo3 C3_MSR_PMON_CTL0", cut to size; returns buf. */
const char *decode_name(const struct decode_register *r, unsigned socket, char *buf, size_t size);

/*
 * What the value of an access says: "ev_sel=0x34 umask=0x3 en=1", fields that are not 0, and for a control the event;
 * cut to size; returns buf.
 */
const char *decode_fields(const struct decode_register *r, const struct access_address *at, uint64_t value,
			  char *buf, size_t size);


/* The event that a control selects; NULL: r is none, or the code is not in the catalogue. */
const struct cat_event *decode_event(const struct decode_register *r, uint64_t value);

#endif
