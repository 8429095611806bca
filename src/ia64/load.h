/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that load a program share. */
#ifndef BXS_IA64_LOAD_H
#define BXS_IA64_LOAD_H

#include "machine.h"

/* What the auxiliary vector tells of a program's headers. */
struct load_headers { uint64_t address, number, entry; };

/* Both stacks, with what a program finds on its own; NULL, or what is wrong. */
const char *load_stack(struct ia64 *m, const struct ia64_config *config, const struct load_headers *headers);

#endif
