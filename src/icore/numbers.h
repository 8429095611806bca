/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's numbers: sections are those of the 9500's reference manual; where it is silent, docs/reference/model-ia64.md says why so. */
#ifndef BXS_ICORE_NUMBERS_H
#define BXS_ICORE_NUMBERS_H

enum {
	REPLAY_EXE = 4, REPLAY_DET = 5, REPLAY_WB2 = 7,	/* 4.2.4: cycles of a replay, by its stage */
	FLUSH_BRANCH = 10,		/* table 2-20: a mispredicted branch */
	FLUSH_CHECK = 19,		/* 2.4: a chk.a or chk.s that fails */
	LAT_FLD = 1,			/* table 2-25 */
	LAT_MLD = 8, LAT_MLD_FP = 9,	/* table 2-25 */
	LAT_FP = 6,			/* table 2-13 */
	LAT_FCMP = 3, LAT_FCMP_BR = 2,	/* table 2-14 */
	LAT_MM = 2, LAT_MULT = 4,	/* table 2-12 */
	LAT_SETF = 9,			/* table 2-13 */
	LAT_SLOW = 13,			/* DCS reads (C of table 2-12): not printed, chosen */
	FLI_SETS = 64, FLI_WAYS = 4, MLI_SETS = 1024, MLI_WAYS = 8, LAT_MLI = 9,	/* table 2-3: lines of 64 bytes */
	FLD_SETS = 64, FLD_WAYS = 4, MLD_SETS = 512, MLD_WAYS = 8,	/* table 2-25: lines of 64 bytes, each with its buddy's set */
	FLITLB_ENTRIES = 32, MLITLB_ENTRIES = 128, LAT_MLITLB = 3,	/* tables 2-3, 2-20 */
	FLDTLB_ENTRIES = 32, DTB_ENTRIES = 128, LAT_TRANSFER = 5,	/* table 2-9 */
	OZQ_ENTRIES = 16, FAB_ENTRIES = 16, SMQ_ENTRIES = 16, OZDATA_ENTRIES = 32,	/* table 2-26, 4.2.13 */
	PREFETCH_PATIENCE = 16,		/* refusals before a prefetch preempts or is dropped: not printed, as the FLDTLB's transfer */
	FETCH_DEPTH = 4,		/* IPG to IBD (figure 2-1) */
	BUFFER_BUNDLES = 16,		/* 2.5: BQ */
	GROUP_BUNDLES = 4, PAGE_LOG = 14,
	LAT_WALK = 4,			/* the walker's own steps around its load: not printed, chosen */
	BRANCHES = 4096,		/* 2.7: about 12 000 branches in the MLB; direct-mapped here */
	RSE_FIRST_WAIT = 2,		/* 4.2.4.4: before the first load or store of the register stack engine */
	RIL_ENTRIES = 32, FRQ_ENTRIES = 16, SNQ_ENTRIES = 16,	/* 4.2.13.29, 4.2.17.11 to 4.2.17.33 */
	WRITE_WINDOW = 4,		/* of a register's write in which readers replay from EXE: not printed, chosen */
	HINTS_WINDOW = 6,		/* 2.3.1.1 */
	ACQUIRE_NEAR = 6,		/* 4.2.4.7, LOAD_ACQ */
	SWITCH_DELAY = 8,		/* 2.4.2.3: the MLD's latency; of other waits not printed, chosen */
};

#endif
