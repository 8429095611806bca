/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public session: what it says stands in the registers, intervals add up, the same run gives
 * the same readings, and wrong questions get an answer that names the culprit.
 */
#include <string.h>

#include "boxscore.h"
#include "check.h"

/* 1 MB in three arrays: 3 x 16384 lines are read from memory, once. */
#define KERNEL "stream:size=1M"
#define LINES 49152

struct seen {
	unsigned count;
	double sum, last;
	char names[600];
	enum bxs_validity validity;
};

static int see(void *ctx, const struct bxs_reading *r)
{
	struct seen *s = ctx;
	size_t used = strlen(s->names);

	s->count++;
	s->sum += r->value;
	s->last = r->value;
	s->validity = r->validity;
	snprintf(s->names + used, sizeof s->names - used, "%s@%s ", r->name, r->box);
	return 0;
}

static struct seen readings(bxs_session *s, enum bxs_by by)
{
	struct seen seen = { .count = 0 };

	CHECK_EQ(__LINE__, bxs_session_each(s, by, see, &seen), 0);
	return seen;
}

static bxs_machine *new_machine(void)
{
	bxs_machine *m = NULL;
	char why[200];

	CHECK_EQ(__LINE__, bxs_machine_new("hsx,cores=2", 0, &m, why, sizeof why), 0);
	return m;
}

static void check_registers(void)
{
	bxs_machine *m = new_machine();
	bxs_session *s = NULL;
	uint64_t sum = 0, value;
	struct seen got;

	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, "imc.CAS_COUNT.RD"), 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(s, KERNEL), 0);
	CHECK_EQ(__LINE__, bxs_session_status(s), -1);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, bxs_session_run(s, 10000), 1);
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	CHECK_EQ(__LINE__, bxs_session_interval_ns(s), bxs_session_ns(s));
	got = readings(s, BXS_BY_SUM);
	CHECK_EQ(__LINE__, got.count, 1);
	CHECK_EQ(__LINE__, got.sum, LINES);
	CHECK_STR(__LINE__, got.names, "imc.CAS_COUNT.RD@imc ");
	CHECK_EQ(__LINE__, got.validity, BXS_EXACT);

	/* The counters stand frozen, as any reader finds them; channels 2 and 3 of both controllers have no pins. */
	for (unsigned box = 0; box < 8; box++) {
		char name[16];

		snprintf(name, sizeof name, "imc%u", box);
		CHECK_EQ(__LINE__, bxs_read(m, name, "CTR0", &value), 0);
		sum += value;
		CHECK_EQ(__LINE__, bxs_read(m, name, "CTL0", &value), 0);
		CHECK_EQ(__LINE__, value, box % 4 < 2 ? 0x400304 : 0);
	}
	CHECK_EQ(__LINE__, sum, LINES);
	got = readings(s, BXS_BY_SOCKET);
	CHECK_EQ(__LINE__, got.count, 2);
	CHECK_EQ(__LINE__, got.sum, LINES);
	CHECK_EQ(__LINE__, got.last, 0);
	got = readings(s, BXS_BY_BOX);
	CHECK_EQ(__LINE__, got.count, 2 * 4);
	CHECK_EQ(__LINE__, got.sum, LINES);
	CHECK_EQ(__LINE__, strncmp(got.names, "imc.CAS_COUNT.RD@imc0 imc.CAS_COUNT.RD@imc1 ", 44), 0);
	bxs_session_free(s);
	bxs_machine_free(m);
}

/* What the caches miss, the home agents are asked for, and the memory reads. */
static void check_conservation(void)
{
	static const char *const same[] = { "cbo.TOR_INSERTS.MISS_LOCAL", "ha.REQUESTS.READS",
					    "imc.CAS_COUNT.RD" };
	bxs_machine *m = new_machine();
	bxs_session *s = NULL;

	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	for (unsigned i = 0; i < LEN(same); i++)
		CHECK_EQ(__LINE__, bxs_session_add(s, same[i]), 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(s, KERNEL), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	CHECK_EQ(__LINE__, readings(s, BXS_BY_SUM).sum, LEN(same) * (uint64_t)LINES);
	CHECK_EQ(__LINE__, readings(s, BXS_BY_SUM).last, LINES);
	bxs_session_free(s);
	bxs_machine_free(m);
}

static void check_intervals(void)
{
	bxs_machine *m = new_machine();
	bxs_session *s = NULL;
	double sum = 0;
	uint64_t time = 0;
	unsigned n = 0;

	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	CHECK_EQ(__LINE__, bxs_session_add_equation(s, "bytes", "imc.CAS_COUNT.RD * 64", "bytes", "Read"),
		 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(s, KERNEL), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	for (int more = 1; more; n++) {
		more = bxs_session_run(s, (n + 1) * UINT64_C(50000));
		CHECK_EQ(__LINE__, more ? bxs_session_read(s) : bxs_session_stop(s), 0);
		sum += readings(s, BXS_BY_SUM).sum;
		time += bxs_session_interval_ns(s);
		bxs_session_next(s);
	}
	CHECK(n > 3);
	CHECK_EQ(__LINE__, sum, LINES * 64.0);
	/* Each interval is cut to whole nanoseconds. */
	CHECK(bxs_session_ns(s) - time < n);
	bxs_session_free(s);
	bxs_machine_free(m);
}

static const struct mistake {
	int line;
	const char *events, *metrics, *kernel, *why;
	int err;
} mistakes[] = {
	{ LINE, "cbo.TOR_INSERT.ALL", NULL, NULL,
	  "cbo: no event TOR_INSERT; did you mean TOR_INSERTS? (at character 5 of \"cbo.TOR_INSERT.ALL\")",
	  BXS_ENOENT },
	{ LINE, "imc.CAS_COUNT.RD,s5.imc.CAS_COUNT.WR", NULL, NULL,
	  "s5.imc.CAS_COUNT.WR: no socket 5; there are 2, from 0", BXS_EINVAL },
	{ LINE, NULL, "imc.MEM_BW_READ", NULL, "hsx: no metric MEM_BW_READ; did you mean MEM_BW_READS?",
	  BXS_ENOENT },
	{ LINE, NULL, "xyz.A", NULL, "hsx: no box xyz", BXS_ENOENT },
	{ LINE, NULL, "CYC_USED_UP", NULL, "metric CYC_USED_UP: which box? write r2pcie.CYC_USED_UP",
	  BXS_EINVAL },
	{ LINE, NULL, "a=1 +", NULL, "metric a: an event is missing here", BXS_EINVAL },
	{ LINE, NULL, ",", NULL, "the name of a metric is missing", BXS_EINVAL },
	{ LINE, NULL, NULL, NULL, "nothing drives the machine", BXS_EINVAL },
	{ LINE, "cbo.TOR_OCCUPANCY.ALL,cbo.TOR_OCCUPANCY.WB", NULL, KERNEL,
	  "cbo.TOR_OCCUPANCY.ALL and cbo.TOR_OCCUPANCY.WB both need counter 0; they can only be measured in "
	  "turns", BXS_ETURNS },
};

static void check_mistakes(void)
{
	for (const struct mistake *r = mistakes; r < mistakes + LEN(mistakes); r++) {
		bxs_machine *m = new_machine();
		bxs_session *s = NULL;
		int err;

		CHECK_EQ(r->line, bxs_session_new(m, &s), 0);
		err = r->events ? bxs_session_add(s, r->events) : 0;
		if (err == 0 && r->metrics)
			err = bxs_session_add_metrics(s, r->metrics);
		if (err == 0 && r->kernel)
			err = bxs_session_kernel(s, r->kernel);
		if (err == 0)
			err = bxs_session_start(s);
		CHECK_EQ(r->line, err, r->err);
		CHECK_STR(r->line, bxs_why(m), r->why);
		bxs_session_free(s);
		bxs_machine_free(m);
	}
}

/* What needs a session that has been started says so, and a bare machine has nothing to run. */
static void check_order(void)
{
	bxs_machine *m = new_machine(), *bare = NULL;
	bxs_session *s = NULL;
	struct seen seen = { .count = 0 };

	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, "imc.CAS_COUNT.RD"), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), BXS_EINVAL);
	CHECK_STR(__LINE__, bxs_why(m), "nothing drives the machine");
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), BXS_EINVAL);
	CHECK_STR(__LINE__, bxs_why(m), "the session has not been started");
	CHECK_EQ(__LINE__, bxs_session_read(s), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_session_each(s, BXS_BY_SUM, see, &seen), BXS_EINVAL);
	CHECK_EQ(__LINE__, seen.count, 0);
	bxs_session_next(s);
	CHECK(!bxs_session_measurable(s));
	CHECK_EQ(__LINE__, bxs_session_interval_ns(s), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);

	/* What is asked for, and what drives the machine, is settled at the start; it starts once. */
	CHECK_EQ(__LINE__, bxs_session_kernel(s, KERNEL), 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(s, KERNEL), BXS_EINVAL);
	CHECK_STR(__LINE__, bxs_why(m), "something drives the machine already");
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), BXS_EINVAL);
	CHECK_STR(__LINE__, bxs_why(m), "the session has been started already");
	CHECK_EQ(__LINE__, bxs_session_add(s, "cbo.LLC_LOOKUP.ANY"), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_session_add_metrics(s, "imc.MEM_BW_READS"), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_session_add_default(s), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	seen = readings(s, BXS_BY_SUM);
	CHECK_EQ(__LINE__, seen.count, 1);
	CHECK_EQ(__LINE__, (uint64_t)seen.sum, LINES);
	bxs_session_free(s);
	bxs_machine_free(m);

	CHECK_EQ(__LINE__, bxs_machine_new("hsx,cores=2", BXS_BARE, &bare, NULL, 0), 0);
	CHECK_EQ(__LINE__, bxs_session_new(bare, &s), 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, "imc.CAS_COUNT.RD"), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), BXS_EINVAL);
	CHECK_STR(__LINE__, bxs_why(bare), "nothing drives the machine");
	CHECK_EQ(__LINE__, bxs_session_read(s), 0);
	bxs_session_free(s);
	bxs_machine_free(bare);
}

int main(void)
{
	check_order();
	check_registers();
	check_conservation();
	check_intervals();
	check_mistakes();
	bxs_session_free(NULL);
	return check_done();
}
