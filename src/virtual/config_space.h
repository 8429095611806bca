/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of configuration space, cut into the accesses that Linux makes of them. */
#ifndef BXS_CONFIG_SPACE_H
#define BXS_CONFIG_SPACE_H

#include "virtual/tree.h"
#include "virtual/virtual.h"

enum { CONFIG_SPACE_SIZE = 4096 };

/*
 * Read or write up to `size` bytes from `offset` on, in aligned pieces of 1, 2 and 4 bytes, lowest first, as
 * drivers/pci/proc.c and pci-sysfs.c of Linux do.  Returns how many bytes lay within the space.  A function that
 * does not answer reads as all ones.
 */
size_t config_space_read(struct virtual *v, unsigned pid, const struct tree_function *f, uint64_t offset,
			 size_t size, char *out);
size_t config_space_write(struct virtual *v, unsigned pid, const struct tree_function *f, uint64_t offset,
			  size_t size, const char *in);

#endif
