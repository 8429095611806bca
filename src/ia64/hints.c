// SPDX-License-Identifier: BSD-2-Clause
/* Data access hint registers and their stack (Itanium 9500 manual, 2.3.1.1 and table 2-19). */
#include "machine.h"

enum {
	FLD_NO_ALLOCATE = 2, MLD_NRU = 1 << 2, MLD_NO_ALLOCATE = 2 << 2, LLC_NRU = 1 << 4,
	PF_NO_FLD = 1 << 5, PF_NO_MLD = 2 << 5, PF_NONE = 3 << 5, PIPE_BLOCK = 1 << 9,
};

static const uint16_t defaults[8] = {
	PIPE_BLOCK,
	FLD_NO_ALLOCATE | PF_NO_FLD | PIPE_BLOCK,
	FLD_NO_ALLOCATE | MLD_NRU | PF_NO_FLD | PIPE_BLOCK,
	FLD_NO_ALLOCATE | LLC_NRU | PF_NO_FLD | PIPE_BLOCK,
	0,
	FLD_NO_ALLOCATE | PF_NO_FLD,
	FLD_NO_ALLOCATE | MLD_NO_ALLOCATE | PF_NO_MLD,
	FLD_NO_ALLOCATE | MLD_NO_ALLOCATE | LLC_NRU | PF_NONE,
};

void hints_reset(struct hints *h)
{
	memcpy(h->dahr, defaults, sizeof defaults);
	h->frames = 0;
}

void hints_push(struct hints *h)
{
	memcpy(h->stack[h->top], h->dahr, sizeof h->dahr);
	memcpy(h->dahr, defaults, sizeof defaults);
	h->top = (h->top + 1) % DAHS_FRAMES;
	h->frames += h->frames < DAHS_FRAMES;
}

bool hints_pop(struct hints *h)
{
	if (!h->frames) {
		memcpy(h->dahr, defaults, sizeof defaults);
		return false;
	}
	h->top = (h->top + DAHS_FRAMES - 1) % DAHS_FRAMES;
	h->frames--;
	memcpy(h->dahr, h->stack[h->top], sizeof h->dahr);
	return true;
}
