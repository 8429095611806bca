/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the code in the midst of the program's and what C does for it. */
#ifndef BXS_NATIVE_INLINE_PRIVATE_H
#define BXS_NATIVE_INLINE_PRIVATE_H

#include "plugin/plugin.h"
#include "emulator/inline.h"

enum { NO_NEIGHBOUR = 0x40000000 };
enum out_kind { OUT_DUE, OUT_FETCH, OUT_KNOWN, OUT_LEAD, OUT_ACCESS, OUT_REST, OUT_SHARED, OUT_GROUP = OUT_SHARED, OUT_WHOLE };

/* What C gets to know of an access that has a call of its own. */
struct inline_site {
	const struct plugin_site *site;
	uint32_t info;
	uint8_t pieces;
	bool store;
};

/* inline.c: known accesses from displacement disp on, in the line used last of their set, with so much room behind it? */
void inline_put_look(struct inline_code *c, const struct plugin_known *k, uint64_t disp, unsigned room, bool written,
		     uint8_t **no);
/* The block's code and its known accesses, whose addresses are made of these registers. */
void inline_put_whole(struct inline_code *c, const struct plugin_block *b);
uint32_t inline_known_registers(const struct plugin_block *b);
/* Where all ways out from number `first` on go on when nothing is left to do. */
void inline_set_end(struct inline_code *c, unsigned first, uint8_t *end);

/* inline_slow.c: where the code of the shared routines begins, by what C does in them. */
extern uint8_t *inline_shared[OUT_SHARED];

#endif
