/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's memory as a kernel sees it: byte by byte across pages, with the page's permissions. */
#ifndef BXS_IA64_USER_H
#define BXS_IA64_USER_H

#include <sys/uio.h>

#include "machine.h"

enum { USER_PIECES = 64 };

/* Memory of the program as pieces of this process's; it is no longer than its pages allow. */
struct user_pieces { struct iovec v[USER_PIECES]; int n; };

/* size bytes from or to the program; false where the pages do not allow it (then part may have been copied). */
bool user_read(struct ia64 *m, void *to, uint64_t from, size_t size);
bool user_write(struct ia64 *m, uint64_t to, const void *from, size_t size);

/* To the program, whatever its pages allow; false where none is mapped. */
bool user_load(struct ia64 *m, uint64_t to, const void *from, size_t size);

/* A string with its end; 0, -EFAULT or -ENAMETOOLONG. */
int user_string(struct ia64 *m, char *to, size_t size, uint64_t from);

/*
 * Add what lies there to the pieces: all of it, or as much as there are pieces for.  prot says what is done with it.
 * False if not even its first byte may be used so.
 */
bool user_add(struct ia64 *m, struct user_pieces *p, uint64_t address, uint64_t size, unsigned prot);

#endif
