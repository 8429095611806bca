/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated hardware of a Xeon: built from a specification, wired to the PMU's ports. */
#ifndef BXS_MACHINE_XEON_H
#define BXS_MACHINE_XEON_H

#include <stddef.h>

#include "machine/spec.h"

struct machine;

/* See struct families_entry. */
int xeon_check(const struct spec *spec, char *why, size_t size);
int xeon_build(struct machine *m);
void xeon_release(struct machine *m);

#endif
