/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Occurrences told late and in a lump.  Hardware that raises the same few signals many
 * millions of times counts them itself, and tells their number before anybody can look.
 * This loses their times, so it goes only where all who listen merely add.
 */
#ifndef BXS_SIGNAL_LUMP_H
#define BXS_SIGNAL_LUMP_H

#include "signal/watch.h"

/*
 * Could occurrences of sig be told in a lump?  When nobody listens, or when all who do only add and look
 * at nothing but the flags in `known` and the tags in `tags`, a bit for each enum
 * signal_tag_id.  To be asked again when watches change, or the port becomes or ends being exact.
 */
bool signal_lumps(const struct signal_port *p, unsigned sig, uint64_t known, unsigned tags);

/* The same for every signal of the port that is not in `but`, n of them: does nobody listen? */
bool signal_quiet(const struct signal_port *p, const uint16_t *but, unsigned n);

/* It has happened n times since this was told last.  Counts in the clocks that are closed next. */
void signal_lump(struct signal_port *p, unsigned sig, uint64_t n, uint64_t flags, const struct signal_tag *tag);

#endif
