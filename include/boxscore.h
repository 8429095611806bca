/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boxscore: performance-monitoring hardware as software.
 *
 * Easiest first: the catalogue (what there is), the machine (registers and
 * signals), the session (measuring), accesses of one's own, traces, the machine as files for unmodified tools.
 *
 * Calls return 0 or a count, or a negative enum bxs_err; what they hand out through pointers is untouched
 * on error.  The library never prints and never exits.  Strings that are passed in need not outlive the call, unless
 * it says so.  A machine, and what was made of it, is for one thread at a time.
 */
#ifndef BOXSCORE_H
#define BOXSCORE_H

#include "boxscore/result.h"
#include "boxscore/catalog.h"
#include "boxscore/machine.h"
#include "boxscore/local.h"
#include "boxscore/session.h"
#include "boxscore/access.h"
#include "boxscore/trace.h"
#include "boxscore/tools.h"

#endif
