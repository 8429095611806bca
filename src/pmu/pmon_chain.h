/* SPDX-License-Identifier: BSD-2-Clause */
/* Mechanisms of Nehalem-EX: the chain of enables and overflows, match registers.  Sections are those of its manual. */
#ifndef BXS_PMU_PMON_CHAIN_H
#define BXS_PMU_PMON_CHAIN_H

#include "pmu/engine.h"

/* The enable of each counter, box and of all; the way of an overflow to the U-Box. */
bool pmon_chain_runs(const struct box *b, const struct counter *c);
void pmon_chain_restart(struct box *b);
void pmon_chain_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
void pmon_chain_overflowed(struct box *b, struct counter *c, uint64_t when);
/* The same where each control says whether its counter wraps. */
void pmon_chain_wrap_overflowed(struct box *b, struct counter *c, uint64_t when);

/* B-, M- and S-Box: what match and mask registers let pass. */
void agent_match_narrow(struct box *b, struct counter *c, const struct cat_event *e);
void controller_match_narrow(struct box *b, struct counter *c, const struct cat_event *e);
void bridge_match_narrow(struct box *b, struct counter *c, const struct cat_event *e);

/* R-Box: the control leads to a port and to one of its selections. */
uint32_t port_match_element(const struct box *b, const struct counter *c, const struct cat_reg *r,
			    bool *second);
void port_match_narrow(struct box *b, struct counter *c, const struct cat_event *e);

#endif
