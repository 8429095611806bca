/* SPDX-License-Identifier: BSD-2-Clause */
/* The PCI functions of the boxes of all sockets. */
#ifndef BXS_LOCAL_DIRECT_H
#define BXS_LOCAL_DIRECT_H

#include "local/local_private.h"

struct direct_pci;

/* Those of the family's functions that are here.  BXS_ENOMEM; BXS_ENOTSUP: their registers cannot be reached; why says so. */
int direct_pci_find(const struct local *l, struct direct_pci **out, char *why, size_t size);
void direct_pci_free(struct direct_pci *p);	/* NULL is allowed */
/* The descriptor of the function's configuration space; -1: there is no such function. */
int direct_pci_file(struct direct_pci *p, const struct access_address *at);

#endif
