/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the code in the midst of the program's and what C does for it. */
#ifndef BXS_NATIVE_INLINE_PRIVATE_H
#define BXS_NATIVE_INLINE_PRIVATE_H

#include "feed/plugin.h"
#include "native/inline.h"

enum { NO_NEIGHBOUR = 0x40000000 };
enum out_kind { OUT_DUE, OUT_FETCH, OUT_KNOWN, OUT_LEAD, OUT_ACCESS, OUT_REST, OUT_KINDS };

/* What C gets to know of an access that has a call of its own. */
struct inline_site {
	const struct plugin_site *site;
	uint32_t info;
	uint8_t pieces;
	bool store;
};

/* inline_slow.c: where the code of the shared routines begins, by what C does in them. */
extern uint8_t *inline_shared[OUT_KINDS];

#endif
