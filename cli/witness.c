/* SPDX-License-Identifier: BSD-2-Clause */
/* With --truth: what the programs' own accesses did, beside what the machine has counted of it. */
#include "measure.h"
#include "output_private.h"

/* Threads that share a core make the two differ by some lines: further apart than this they are not of one kind any more. */
#define SHARE_OF_NOTE 0.001

enum { NUMBER = 40 };

static bool differ(double a, double b)
{
	return fabs(a - b) > SHARE_OF_NOTE * (a > b ? a : b);
}

static void show(struct measure *m, const struct bxs_witness *w)
{
	char number[6][NUMBER], text[600];
	const double values[] = { w->requests, w->lookups, w->forwards, w->answers, w->lost, w->kept };

	for (unsigned i = 0; i < sizeof number / sizeof *number; i++)
		output_value(i != 1 || w->has_lookups, values[i], number[i], sizeof number[i]);
	snprintf(text, sizeof text,
		 "%20s  requests left the programs' caches; the last-level caches count %s\n"
		 "%20s  of them were for a line that another core had modified; the machine had %s from other caches\n"
		 "%20s  lines were looked for in caches from which other threads had taken them; %s were still there\n",
		 number[0], number[1], number[2], number[3], number[4], number[5]);
	output_heading(&m->out, text);
}

static void warn(const struct measure *m, const struct bxs_witness *w)
{
	if (w->kept)
		measure_note(m, "warning: %.0f lines that other threads had taken were still in a thread's caches when it went on; "
				    "what it would have cost to fetch them again is not in the readings", w->kept);
	if (w->has_lookups && differ(w->requests, w->lookups))
		measure_note(m, "warning: %.0f requests left the programs' caches, but the last-level caches count %.0f look-ups for "
				    "cores", w->requests, w->lookups);
	if (w->forwards > w->answers && differ(w->forwards, w->answers))
		measure_note(m, "warning: %.0f requests were for a line that another core had modified, but the machine had only %.0f "
				    "from other caches", w->forwards, w->answers);
	if (w->blind)
		measure_note(m, "note: not all threads' lines were looked at: there were more than 64, or memory was short");
}

void witness_tell(struct measure *m, const bxs_session *s)
{
	struct bxs_witness w;

	/* A checked build looks at what programs do without being asked. */
	if (!m->out.truth || !bxs_session_witness(s, &w))
		return;
	if (!m->runs && !m->out.intervals && !m->quiet)
		show(m, &w);
	warn(m, &w);
}
