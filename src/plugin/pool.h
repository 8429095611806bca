/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for machine code of our own; plugin_stub_flush() takes it back. */
#ifndef BXS_PLUGIN_POOL_H
#define BXS_PLUGIN_POOL_H

#include <stdint.h>

#define POOL_STUB_MOST 26624		/* bytes of a stub: 64 accesses of at most 400 with what is out of line, and the rest */

struct pool;

/* Room for one more stub, which begins at *code.  NULL: no memory that may be executed. */
struct pool *pool_open(uint8_t **code);

/* The stub ends before `end`.  Returns the address of the function that it is, as it lies in memory. */
const void *pool_close(struct pool *p, const uint8_t *end);

#endif
