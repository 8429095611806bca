/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs' own accesses did, beside what the machine has counted. */
#include "api/session.h"

#include "feed/run.h"
#include "feed/witness.h"
#include "measure/metric.h"

/* Look-ups of the last-level cache for the cores' requests, those for lines that will be written whole among them. */
#define LOOKUPS "cbo.LLC_LOOKUP.ANY - cbo.LLC_LOOKUP.WRITE - cbo.LLC_LOOKUP.REMOTE_SNOOP"

/* A family without such events has nothing to compare with; neither has who looks at some of the cores only, or lets devices look lines
 * up, too. */
int api_watch(bxs_session *s)
{
	struct session_config config = s->config;
	struct event_error error;
	char why[160];
	int err;

	s->forwards = machine_forwards(s->machine->machine);
	if (!s->config.truth || !s->programs || s->chosen || s->machine->has_devices)
		return 0;
	config.turns = true;
	if (session_new(&config, &s->watch) < 0)
		return BXS_ENOMEM;
	err = metric_new(s->watch, s->names, LOOKUPS, -1, -1, 0, &s->lookups, &error);
	if (err == 0)
		err = session_watch(s->watch, why, sizeof why);
	return err == BXS_ENOMEM ? err : 0;
}

static void add(struct bxs_witness *sum, const struct witness_totals *t)
{
	sum->requests += (double)t->requests;
	sum->forwards += (double)t->forwards;
	sum->lost += (double)t->lost;
	sum->kept += (double)t->kept;
	sum->blind |= t->blind;
}

bool bxs_session_witness(const bxs_session *s, struct bxs_witness *out)
{
	struct session_value v = { .validity = BXS_NOT_THERE };
	struct bxs_witness w = { 0 };
	struct witness_totals t;
	bool any = false;

	for (unsigned n = 0; s->started && n < s->programs; n++) {
		if (!run_witness(s->program[n], &t))
			continue;
		add(&w, &t);
		any = true;
	}
	if (!any)
		return false;
	if (s->lookups) {
		session_look(s->watch);
		metric_truth(s->lookups, s->watch, -1, -1, &v);
	}
	w.has_lookups = v.validity == BXS_EXACT;
	w.lookups = w.has_lookups ? v.value : 0;
	w.answers = (double)(machine_forwards(s->machine->machine) - s->forwards);
	*out = w;
	return true;
}
