/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mechanisms of Itanium 9500's uncore that have a file of their own.  Sections and tables are
 * those of the Itanium 9500 manual.
 */
#ifndef BXS_PMU_POULSON_H
#define BXS_PMU_POULSON_H

#include "pmu/engine.h"

enum {
	POULSON_EN = 1 << 0,		/* of a PERF_MASTER; the Rbox has freeze there */
	POULSON_GLB_LCL = 1 << 1,
	POULSON_CLR = 1 << 2,
	POULSON_CK_EN = 1 << 3,
	POULSON_HALVES = 2,		/* Sboxes, each for one half of the socket */
};

/* The value of the register whose name ends so; it must exist. */
uint64_t *poulson_value(const struct box *b, const char *end);

/* Global control, roll-up of overflows and their interrupt: what all boxes share. */
bool poulson_runs(const struct box *b, const struct counter *c);
void poulson_restart(struct box *b);
void poulson_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
uint64_t poulson_shown(struct box *b, uint32_t slot, uint64_t value);
void poulson_overflowed(struct box *b, struct counter *c, uint64_t when);

/* A counter of thread 0 or 1 of core 0 to 7 overflowed. */
void poulson_thread_overflow(struct socket *s, unsigned core, unsigned thread, uint64_t when);

/* Bbox: selections by opcode and class, watermarks, the directory cache. */
void poulson_bbox_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
void poulson_bbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);

/* Rbox: side, port and set. */
void poulson_rbox_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s);
uint32_t poulson_rbox_element(const struct box *b, const struct counter *c,
			      const struct cat_reg *r, bool *second);
void poulson_rbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);

/* Sbox: packet filter, occupancy tallies, QEAR. */
bool poulson_sbox_locked(const struct box *b, uint32_t slot, uint64_t written);
void poulson_sbox_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
/* A request of latency *n is complete: capture it; *n becomes how often it counts. */
bool poulson_rbox_tell(struct box *b, const struct cat_event *e, const struct signal_tag *tag,
		       uint64_t *n);
bool poulson_sbox_tell(struct box *b, const struct cat_event *e, const struct signal_tag *tag,
		       uint64_t *n);
void poulson_sbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);

/* Zbox: freeze modes, single ranks, DIMMs and buffers. */
void poulson_zbox_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
void poulson_zbox_overflowed(struct box *b, struct counter *c, uint64_t when);
void poulson_zbox_narrow(struct box *b, struct counter *c, const struct cat_event *e);

#endif
