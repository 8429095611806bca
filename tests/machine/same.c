/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same input gives the same registers, bit for bit: run twice, run while it is
 * recorded, run from the recorded trace, whoever listens.
 */
#include "probe.h"

#include <stdlib.h>
#include <unistd.h>

#include "feed/trace.h"

/* All registers of all boxes of all sockets, in one number. */
static uint64_t all_registers(struct probes *p)
{
	uint64_t sum = 0;

	for (unsigned t = 0; t < p->family->types; t++) {
		const struct cat_type *type = &cat_types[p->family->type0 + t];

		for (unsigned n = 0; n < type->regs; n++) {
			const struct cat_reg *r = &cat_regs[type->reg0 + n];

			for (unsigned e = 0; e < r->count * machine_sockets(p->m) *
					     probe_boxes(p, type); e++) {
				unsigned boxes = probe_boxes(p, type);
				struct cat_where w = cat_reg_where(r, e / r->count % boxes,
								   e % r->count);
				struct access_address at = {
					.space = w.space, .bus = w.bus, .base = w.base,
					.socket = (uint16_t)(e / r->count / boxes),
					.offset = w.offset, .width = r->width,
				};
				uint64_t value = 0;

				/* With two threads a core, half of the counters are nobody's. */
				if (w.space == CAT_CPU && r->count == 8 && e % 8 >= 4)
					continue;
				CHECK_EQ(__LINE__, access_read(machine_registers(p->m), &at,
							       &value), 0);
				sum = (sum ^ value) * UINT64_C(0x100000001b3);
			}
		}
	}
	return sum;
}

static const char *machine_of = "hsx,cores=2";

static struct probes program(void)
{
	struct probes p = { .m = make_machine(machine_of) };

	p.family = machine_spec(p.m)->family;
	probe_global(&p, PROBE_FREEZE);
	probe_filter(&p, "cbo", UINT64_C(0x7f) << 17);
	probe_add(&p, "cbo", "TOR_OCCUPANCY", "ALL", 0);
	probe_add(&p, "cbo", "LLC_LOOKUP", "ANY", 1);
	probe_add(&p, "cbo", "RING_BL_USED", "ALL", 2);
	probe_add(&p, "ha", "TRACKER_OCCUPANCY", "READS_LOCAL", 0);
	probe_add(&p, "ha", "SNOOP_RESP", "RSPI", 1);
	probe_add(&p, "imc", "ACT_COUNT", "RD", 0);
	probe_add(&p, "imc", "RPQ_CYCLES_NE", NULL, 1);
	probe_add(&p, "qpi", "TxL_FLITS_G0", "DATA", 0);
	probe_add(&p, "pcu", "POWER_STATE_OCCUPANCY", "CORES_C0", 0);
	probe_global(&p, PROBE_UNFREEZE);
	return p;
}

static uint64_t finish(struct probes *p)
{
	uint64_t sum;

	probe_global(p, PROBE_FREEZE);
	sum = all_registers(p);
	machine_free(p->m);
	return sum;
}

static uint64_t run_once(const char *kernel)
{
	struct probes p = program();

	probe_run(p.m, kernel);
	return finish(&p);
}

static uint64_t run_recorded(const char *kernel, const char *path)
{
	struct probes p = program();
	struct trace_writer *w = NULL;

	CHECK_EQ(__LINE__, trace_create(path, machine_cores(p.m), machine_of, &w), 0);
	trace_record_machine(p.m, w);
	probe_run(p.m, kernel);
	trace_record_machine(p.m, NULL);
	CHECK_EQ(__LINE__, trace_finish(w), 0);
	return finish(&p);
}

static uint64_t run_replayed(const char *path)
{
	struct probes p = program();
	struct feed *feed = NULL;
	char why[200] = "";

	trace_open(p.m, path, &feed, why, sizeof why);
	CHECK_STR(__LINE__, why, "");
	if (feed)
		CHECK_EQ(__LINE__, feed_run(feed, UINT64_MAX), 0);
	feed_close(feed);
	return finish(&p);
}

static const struct row {
	int line;
	const char *kernel, *machine;
} rows[] = {
	{ LINE, "stream:size=1M,threads=4" },
	{ LINE, "random:size=8M,count=20000,writes=30,threads=4" },
	{ LINE, "chase:size=1M,threads=2,step=2" },
	{ LINE, "pingpong:count=500" },
	{ LINE, "pingpong:count=500,step=2" },
	{ LINE, "idle:time=700000,threads=4" },
	/* Every core a node of its own. */
	{ LINE, "random:size=1M,count=5000,writes=30,threads=4", "hsx,cores=2,snoop=cod" },
};

/*
 * Who listens changes nothing: the walk that only counts and those that tell of a box give the same machine.  What
 * it does is seen in its time, and in what the links and memory have moved.
 */
static const struct watch {
	const char *box, *event, *subevent;
} watches[] = {
	{ "imc", "CAS_COUNT", "RD" },			/* a mere sum: nobody is told */
	{ "imc", "RPQ_INSERTS", NULL },
	{ "ha", "REQUESTS", "READS" },
	{ "cbo", "TOR_OCCUPANCY", "ALL" },
	{ "sbo", "TxR_OCCUPANCY", "AD_CRD" },
	{ "qpi", "TxL_FLITS_G0", "DATA" },
};

static const struct unseen {
	int line;
	const char *spec, *kernel;
} unseen[] = {
	{ LINE, "hsx,cores=2", "random:size=32M,count=120000,threads=2,writes=40" },
	{ LINE, "hsx,cores=2", "stream:size=2M,threads=2" },
	{ LINE, "hsx,cores=10", "stream:size=256K,op=triad,threads=20" },
	{ LINE, "hsx,cores=4,snoop=directory", "random:size=8M,count=10000,writes=30,threads=8" },
	{ LINE, "hsx,cores=4,snoop=home", "remote:size=1M,op=triad,threads=4" },
	{ LINE, "hsx,cores=4", "pingpong:count=2000" },
};

static void check_unseen(const struct unseen *u)
{
	uint64_t time = 0, moved = 0;

	for (const struct watch *w = watches; w < watches + LEN(watches); w++) {
		struct probes p = { .m = make_machine(u->spec) };
		unsigned reads, writes;

		p.family = machine_spec(p.m)->family;
		probe_global(&p, PROBE_FREEZE);
		reads = probe_add(&p, "imc", "CAS_COUNT", "RD", 1);
		writes = probe_add(&p, "imc", "CAS_COUNT", "WR", 2);
		probe_add(&p, w->box, w->event, w->subevent, 0);
		probe_count(&p, u->kernel);

		uint64_t end = machine_time(p.m), lines = probe_read(&p, reads) << 32 | probe_read(&p, writes);

		if (w == watches) {
			time = end;
			moved = lines;
			CHECK_EQ(u->line, moved != 0, 1);
		}
		CHECK_EQ(u->line, end, time);
		CHECK_EQ(u->line, lines, moved);
		machine_free(p.m);
	}
}

int main(void)
{
	char path[] = "/tmp/boxscore-same-XXXXXX", why[200];
	struct machine *m;
	struct feed *feed;
	uint64_t nothing = run_once("idle:time=1");

	close(mkstemp(path));
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		uint64_t once;

		machine_of = r->machine ? r->machine : "hsx,cores=2";
		once = run_once(r->kernel);

		CHECK_EQ(r->line, once != nothing, 1);
		CHECK_EQ(r->line, run_once(r->kernel), once);
		CHECK_EQ(r->line, run_recorded(r->kernel, path), once);
		CHECK_EQ(r->line, run_replayed(path), once);
	}
	for (const struct unseen *u = unseen; u < unseen + LEN(unseen); u++)
		check_unseen(u);
	/* A trace of more cores than there are. */
	m = make_machine("hsx,cores=1,sockets=1");
	CHECK_EQ(__LINE__, trace_open(m, path, &feed, why, sizeof why), BXS_EINVAL);
	CHECK(strstr(why, "recorded on 4 cores; this machine has 1") != NULL);
	machine_free(m);
	unlink(path);
	return check_done();
}
