/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Observed and batched runs.
 *
 * Where somebody watches when things happen, a run is observed: each signal is raised at its time.  Where all that is asked
 * for are sums, it is batched: a few signals are counted, and raised together later (signal/lump.h); no others are looked at.
 * Both do the same and take the same times.  A function that raises signals has a last parameter `const bool observed`:
 *
 *	on the path of most requests	it is inlined always, and every caller passes a constant, so that batched runs
 *					contain no trace of signals
 *	too long for that		it exists twice, as NAME_observed and NAME_batched; NAME chooses
 *	rare				it looks at the parameter
 */
#ifndef BXS_UNCORE_OBSERVED_H
#define BXS_UNCORE_OBSERVED_H

#define UNCORE_INLINE static inline __attribute__((always_inline))
/* Keeps what is rare out of the code of what is frequent. */
#define UNCORE_COLD __attribute__((noinline))

#endif
