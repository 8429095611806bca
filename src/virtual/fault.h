/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults on demand, for who writes tools: a machine that is not quite in order.
 *
 *	hide=D20:F0          the firmware hides the function, on all sockets; hide=s1.D20:F0 on one
 *	phantom=imc3         a channel without memory answers, with the counters of the socket's first one
 *	stuck=cbo3.CTR1      the counter shows what was last written to it
 *	gp=0x606             the MSR faults
 *	erratum=NAME         see fault_erratum()
 *
 * and beside these faults of registers those of hardware, as machine/faults.h has them.
 */
#ifndef BXS_FAULT_H
#define BXS_FAULT_H

#include <stddef.h>

#include "virtual/virtual.h"

struct faults;

/*
 * Let v have the faults of `list`, separated by commas.  Before its files are made.  0; BXS_EINVAL, BXS_ENOENT: a fault that
 * cannot be, with a sentence in why.
 */
int faults_open(struct virtual *v, const char *list, struct faults **out, char *why, size_t size);
void faults_close(struct faults *f);	/* after v has ended; NULL is allowed */

/* The n-th erratum that can be switched on, its family and a line about it; NULL past the last. */
const char *fault_erratum(unsigned n, const char **family, const char **text);
/* Does a control in boxes of this type take a new event only at its second write?  The manual then wants it written once without
 * its enable. */
bool fault_second_write(const struct machine *m, const struct cat_type *type);

#endif
