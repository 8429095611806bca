/* SPDX-License-Identifier: BSD-2-Clause */
/* Data access hint registers and their stack: the 9500's reference manual, 2.3.1.1 and table 2-19. */
#include "machine.h"

enum {
	FLD_NO_ALLOCATE = 2, MLD_NRU = 1 << 2, MLD_NO_ALLOCATE = 2 << 2, LLC_NRU = 1 << 4, PF_NO_FLD = 1 << 5, PF_NO_MLD = 2 << 5,
	PF_NONE = 3 << 5, PIPE_BLOCK = 1 << 9,
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

static void load_defaults(struct ia64 *m)
{
	memcpy(m->dahr, defaults, sizeof m->dahr);
}

void dahr_clear(struct ia64 *m)
{
	load_defaults(m);
	m->dahs_saved = 0;
}

/* A full stack loses its oldest frame. */
void dahr_push(struct ia64 *m)
{
	memcpy(m->dahs[m->dahs_next], m->dahr, sizeof m->dahr);
	m->dahs_next = (m->dahs_next + 1) % DAHS_FRAMES;
	m->dahs_saved += m->dahs_saved < DAHS_FRAMES;
	load_defaults(m);
}

void dahr_pop(struct ia64 *m)
{
	if (!m->dahs_saved) {
		load_defaults(m);
		return;
	}
	m->dahs_next = (m->dahs_next + DAHS_FRAMES - 1) % DAHS_FRAMES;
	m->dahs_saved--;
	memcpy(m->dahr, m->dahs[m->dahs_next], sizeof m->dahr);
}
