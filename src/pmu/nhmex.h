/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of Nehalem-EX that have a file of their own.  Sections are those of its manual. */
#ifndef BXS_PMU_NHMEX_H
#define BXS_PMU_NHMEX_H

#include "pmu/engine.h"

/* Global control and the way of an overflow: what all boxes share. */
bool nhmex_runs(const struct box *b, const struct counter *c);
void nhmex_restart(struct box *b);
void nhmex_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
void nhmex_overflowed(struct box *b, struct counter *c, uint64_t when);

/* Events that count overflows of a sum inside the box: key scale of the event. */
bool nhmex_sum(const struct box *b, const struct counter *c, const struct cat_event *e,
	       struct pmu_sum *out);

/* B-, M- and S-Box: what match and mask registers let pass. */
void nhmex_bbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);
void nhmex_mbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);
void nhmex_sbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);

/* R-Box: the control leads to a port and to one of its selections. */
uint32_t nhmex_rbox_element(const struct box *b, const struct counter *c, const struct cat_reg *r,
			    bool *second);
void nhmex_rbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);

#endif
