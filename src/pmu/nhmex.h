/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of Nehalem-EX that have a file of their own.  Sections are those of its manual. */
#ifndef BXS_PMU_NHMEX_H
#define BXS_PMU_NHMEX_H

#include "pmu/engine.h"

/* B-, M- and S-Box: what match and mask registers let pass. */
void nhmex_bbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);
void nhmex_mbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);
void nhmex_sbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);

/* R-Box: the control leads to a port and to one of its selections. */
uint32_t nhmex_rbox_element(const struct box *b, const struct counter *c, const struct cat_reg *r,
			    bool *second);
void nhmex_rbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);

#endif
