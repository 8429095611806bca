/* SPDX-License-Identifier: BSD-2-Clause */
/* This computer: measuring on its own registers in place of a simulated machine's.  Part of boxscore.h. */
#ifndef BOXSCORE_LOCAL_H
#define BOXSCORE_LOCAL_H

#include <stdbool.h>
#include <stddef.h>

#include "boxscore/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bxs_local {
	const char *family;	/* that this computer has to be, "hsx"; NULL: any */
	/* The way to the registers: "perf" (Linux's PMUs, needs CAP_PERFMON or perf_event_paranoid below 1) or "direct" (the
	 * devices, needs root); NULL: the first of them that is open. */
	const char *via;
	bool force;		/* take boxes in which somebody else counts */
};

/*
 * This computer as a machine: registers, sessions and readings work as of any other, in this computer's time; a session's program runs
 * as it would without.  What only a simulation has (kernels, traces, faults, signals, the truth) is BXS_ENOTSUP.  Registers that
 * were changed are put back by bxs_machine_free(), or, if the process is killed, by the next call of this.
 *
 * wish: NULL: all of it zero.
 * Returns 0; BXS_ENOTSUP: not a processor of ours, not the family, or no way is open; BXS_EINVAL: there is no such way; BXS_ENOMEM;
 * why says what would help.
 */
int bxs_machine_local(const struct bxs_local *wish, bxs_machine **out, char *why, size_t size);

/* What it is and how it is reached: "hsx:e5-2699v3 by perf"; "" of a simulated machine.  Lives as long as m. */
const char *bxs_local_about(const bxs_machine *m);
/* Registers that a killed process had left changed and that have been put back. */
unsigned bxs_local_put_back(const bxs_machine *m);

/* The family of this computer's processor, NULL: none of ours. */
const char *bxs_local_family(void);

/*
 * Say what is here, what is missing, and what would help, line by line: what the line is about ("": as the one before), and the
 * text.  Changes nothing.  True: something can be measured.
 */
bool bxs_doctor(void (*tell)(void *ctx, const char *what, const char *text), void *ctx);

#ifdef __cplusplus
}
#endif

#endif
