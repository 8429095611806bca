/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside a Xeon's hardware: for xeon*.c only. */
#ifndef BXS_MACHINE_XEON_PRIVATE_H
#define BXS_MACHINE_XEON_PRIVATE_H

#include "machine/private.h"
#include "machine/xeon.h"

/* xeon_parts.c */
/* Links of a socket to others. */
unsigned xeon_links(const struct spec *spec);

/* xeon.c */

/* The port of a box, by the role that its type plays (catalog/FAMILY/design); NULL: the machine has no such box. */
struct signal_port *xeon_port(struct machine *m, unsigned socket, const char *type, unsigned box);
/* What the uncore runs at, by the clock of socket 0. */
uint32_t xeon_uclk_khz(const struct machine *m);

/* xeon_power.c: comes after the fabric, and leaves the uncore at rest.  0 or an error. */
int xeon_build_power(struct machine *m);

#endif
