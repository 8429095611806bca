/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults, for fault.c and fault_errata.c. */
#ifndef BXS_FAULT_PRIVATE_H
#define BXS_FAULT_PRIVATE_H

#include "virtual/virtual.h"

struct cat_erratum;
struct complaint;
struct decode;

enum { FAULTS = 32 };

struct fault {
	/* As virtual_intercept_fn. */
	bool (*act)(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
		    uint64_t *value);
	struct access_address at;
	int socket;			/* -1: all */
	uint64_t held;
	const struct decode *decode;
	const struct cat_erratum *erratum;
	/* Of controls that have to be written twice: what the last write was to. */
	struct access_address last;
	uint64_t last_value;
	bool waits;
};

struct faults {
	struct decode *decode;
	unsigned count;
	struct fault fault[FAULTS];
};

/* The fault that an erratum of this name is, "sbo-gp".  BXS_ENOENT: no such erratum, or not of m's family. */
int fault_parse_erratum(struct fault *f, struct machine *m, const char *text, const struct complaint *c);

#endif
