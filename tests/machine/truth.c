/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole machine: programs whose traffic is known beforehand, counted through PMU
 * registers.  Expected values follow from what the program does and from conservation:
 * what misses one level is a request to the next.
 */
#include "probe.h"

#define MB UINT64_C(1048576)
#define LINE_BYTES 64

/* Machines of both families; two cores a socket have 5 MB of last-level cache, the arrays 16 MB. */
static const struct small {
	const char *spec;
	const char *missed[2];			/* of a slice, event and subevent: what missed */
	const char *asked[2];			/* of a home agent: the same, or */
	bool all;				/* all requests, with all that goes on to memory above */
	unsigned together;			/* events of a slice that can be counted at once */
	uint64_t state_i, any_state;		/* of a slice's first filter */
	unsigned channels;			/* 0, 1, ... of each four boxes are there */
} smalls[] = {
	{ "hsx,cores=2", { "LLC_LOOKUP", "READ" }, { "REQUESTS", "READS" }, false, 4,
	  UINT64_C(1) << 17, UINT64_C(0x7f) << 17, 2 },
	{ "snbep,cores=2", { "TOR_INSERTS", "MISS_ALL" }, { "TRACKER_INSERTS", "ALL" }, true, 2,
	  UINT64_C(1) << 18, UINT64_C(0x1f) << 18, 4 },
};

static struct probes start(const struct small *small, const char *more)
{
	struct probes p = { 0 };
	char spec[200];

	snprintf(spec, sizeof spec, "%s%s", small->spec, more);
	p.m = make_machine(spec);
	p.family = machine_spec(p.m)->family;
	return p;
}

/*
 * Bytes between memory and caches, in arrays: what is read, what is read only to be
 * overwritten, what is written back.
 */
static const struct stream {
	int line;
	const char *kernel;
	unsigned reads, writes;		/* arrays */
} streams[] = {
	{ LINE, "stream:size=16M,op=read", 1, 0 },
	{ LINE, "stream:size=16M,op=copy", 2, 1 },
	{ LINE, "stream:size=16M,op=triad", 3, 1 },
	{ LINE, "stream:size=16M,op=triad,threads=2", 3, 1 },
	{ LINE, "stream:size=16M,op=triad,threads=2,prefetch=0", 3, 1 },
	{ LINE, "stream:size=16M,op=copy,nt=1", 1, 1 },
};

static void check_stream(const struct small *small, const struct stream *s)
{
	struct probes p = start(small, "");
	unsigned reads, writes;

	reads = probe_add(&p, "imc", "CAS_COUNT", "RD", 0);
	writes = probe_add(&p, "imc", "CAS_COUNT", "WR", 1);
	probe_run(p.m, s->kernel);	/* the caches fill; from here on as much leaves as comes */
	probe_count(&p, s->kernel);
	CHECK_NEAR(s->line, probe_read(&p, reads) * LINE_BYTES, s->reads * 16 * MB, 20);
	CHECK_NEAR(s->line, probe_read(&p, writes) * LINE_BYTES, s->writes * 16 * MB, 20);
	/* First touch: all of it on the socket of the threads; its four channels share evenly. */
	CHECK_EQ(s->line, probe_socket(&p, reads, 1), 0);
	for (unsigned b = 0; b < probe_boxes(&p, p.probe[reads].type); b++)
		if (b % 4 < small->channels)
			CHECK_NEAR(s->line, probe_box(&p, reads, 0, b) * 4,
				   probe_socket(&p, reads, 0), 50);
	machine_free(p.m);
}

/*
 * A chase finds its lines in the cache or it does not; its second pass is counted.  A random
 * order over 6 times the cache leaves next to nothing for the second pass to find.
 */
static const struct chase {
	int line;
	const char *kernel;
	uint64_t lines;
	unsigned missing;		/* permille that come from memory, at least and at most */
	unsigned at_most;
} chases[] = {
	{ LINE, "chase:size=2M", 2 * MB / LINE_BYTES, 0, 10 },
	{ LINE, "chase:size=32M", 32 * MB / LINE_BYTES, 950, 1000 },
};

static void check_chase(const struct small *small, const struct chase *c)
{
	struct probes p = start(small, "");
	unsigned cas, lookups;
	uint64_t permille;

	cas = probe_add(&p, "imc", "CAS_COUNT", "RD", 0);
	lookups = probe_add(&p, "cbo", "LLC_LOOKUP", "DATA_READ", 0);
	probe_filter(&p, "cbo", small->any_state);
	probe_run(p.m, c->kernel);
	probe_count(&p, c->kernel);
	permille = probe_read(&p, cas) * 1000 / c->lines;
	CHECK_EQ(c->line, permille >= c->missing && permille <= c->at_most, 1);
	/* All but what the private caches keep (256 KB and 32 KB) is looked up. */
	CHECK_EQ(c->line, probe_read(&p, lookups) <= c->lines, 1);
	CHECK_EQ(c->line, probe_read(&p, lookups) >= c->lines * 8 / 10, 1);
	machine_free(p.m);
}

/*
 * Look-ups that find nothing, requests to home agents, commands to memory: one number, but for
 * lines that meet in a channel's write queue.  A directory that changes without the line is
 * one more write.
 */
static const struct agree {
	int line;
	const char *more, *kernel;
	unsigned home;			/* socket whose memory it is */
	bool marks;			/* reads from elsewhere set the directory, a write */
} agrees[] = {
	{ LINE, "", "random:size=16M,count=100000,threads=2", 0 },
	{ LINE, "", "random:size=16M,count=100000,threads=2,writes=40", 0 },
	{ LINE, ",snoop=home", "random:size=16M,count=100000,threads=2,writes=40", 0 },
	{ LINE, ",snoop=directory", "random:size=16M,count=100000,threads=2,writes=40", 0 },
	{ LINE, "", "random:size=16M,count=100000,writes=40,node=1", 1 },
	{ LINE, ",snoop=home", "random:size=16M,count=100000,writes=40,node=1", 1 },
	{ LINE, ",snoop=directory", "random:size=16M,count=100000,writes=40,node=1", 1, true },
	{ LINE, ",sockets=1", "stream:size=16M,threads=2", 0 },
	{ LINE, ",sockets=1,has=1,channels=3", "stream:size=16M,threads=2", 0 },
};

enum { MISSES, VICTIMS, CLEAN, LATE, SLICE };

/* What the slices count, as many at a time as they can; each time on a new machine, which does the
 * same again. */
static void count_slices(const struct small *small, const struct agree *a, uint64_t *out)
{
	const char *const events[SLICE][2] = {
		[MISSES] = { small->missed[0], small->missed[1] },
		[VICTIMS] = { "LLC_VICTIMS", "M_STATE" }, [CLEAN] = { "LLC_VICTIMS", "E_STATE" },
		[LATE] = { "LLC_LOOKUP", "WRITE" },
	};

	for (unsigned first = 0; first < SLICE; first += small->together) {
		struct probes p = start(small, a->more);

		for (unsigned i = 0; i < small->together; i++)
			probe_add(&p, "cbo", events[first + i][0], events[first + i][1], i);
		probe_filter(&p, "cbo", small->state_i);
		probe_count(&p, a->kernel);
		for (unsigned i = 0; i < small->together; i++)
			out[first + i] = probe_read(&p, i);
		machine_free(p.m);
	}
}

static void check_agree(const struct small *small, const struct agree *a)
{
	struct probes p = start(small, a->more);
	unsigned reads, writes, cas_rd, cas_wr, found, merged, sent, asked;
	uint64_t sure, slice[SLICE];

	count_slices(small, a, slice);
	reads = probe_add(&p, "ha", "REQUESTS", "READS", 0);
	writes = probe_add(&p, "ha", "REQUESTS", "WRITES", 1);
	cas_rd = probe_add(&p, "imc", "CAS_COUNT", "RD", 0);
	cas_wr = probe_add(&p, "imc", "CAS_COUNT", "WR", 1);
	merged = probe_add(&p, "imc", "WPQ_WRITE_HIT", NULL, 2);
	found = probe_add(&p, "imc", "WPQ_READ_HIT", NULL, 3);
	sent = probe_add(&p, "ha", "IMC_WRITES", "ALL", 2);
	asked = probe_add(&p, "ha", small->asked[0], small->asked[1], 3);
	probe_count(&p, a->kernel);
	CHECK_EQ(a->line, slice[MISSES] > 40000, 1);
	/* Write-backs that find their line gone miss as well, and go on as writes. */
	CHECK_EQ(a->line, slice[MISSES] - (small->all ? slice[LATE] : 0),
		 probe_read(&p, asked) - (small->all ? probe_read(&p, writes) : 0));
	CHECK_EQ(a->line, slice[MISSES] - probe_read(&p, reads) <= 10, 1);
	CHECK_EQ(a->line, probe_read(&p, reads), probe_read(&p, cas_rd) + probe_read(&p, found));
	/*
	 * Written are lines that the slice knows to be modified and write-backs that find their
	 * line just driven out; and of its exclusive ones those that a core had written without
	 * telling.
	 */
	sure = slice[VICTIMS] + slice[LATE];
	CHECK_EQ(a->line, probe_read(&p, writes) >= sure, 1);
	CHECK_EQ(a->line, probe_read(&p, writes) <= sure + slice[CLEAN], 1);
	CHECK_EQ(a->line, probe_read(&p, writes) - sure <= 100, 1);
	CHECK_EQ(a->line, probe_read(&p, sent),
		 probe_read(&p, cas_wr) + probe_read(&p, merged));
	if (!a->marks)
		CHECK_EQ(a->line, probe_read(&p, sent), probe_read(&p, writes));
	CHECK_EQ(a->line, probe_socket(&p, cas_rd, a->home), probe_read(&p, cas_rd));
	machine_free(p.m);
}

/* Memory on the other socket: what moves there crosses the links, eight flits a line. */
static const struct remote {
	int line;
	const char *kernel;
	unsigned reads, writes;		/* arrays */
} remotes[] = {
	{ LINE, "remote:size=16M", 1, 0 },
	{ LINE, "remote:size=16M,op=triad", 3, 1 },
	{ LINE, "remote:size=16M,op=triad,threads=2", 3, 1 },
};

static void check_remote(const struct small *small, const struct remote *r)
{
	struct probes p = start(small, "");
	unsigned tx, rx, cas_rd, cas_wr;

	tx = probe_add(&p, "qpi", "TxL_FLITS_G1", "DRS_DATA", 0);
	rx = probe_add(&p, "qpi", "RxL_FLITS_G1", "DRS_DATA", 1);
	cas_rd = probe_add(&p, "imc", "CAS_COUNT", "RD", 0);
	cas_wr = probe_add(&p, "imc", "CAS_COUNT", "WR", 1);
	probe_run(p.m, r->kernel);
	probe_count(&p, r->kernel);
	CHECK_NEAR(r->line, probe_socket(&p, cas_rd, 1) * LINE_BYTES, r->reads * 16 * MB, 20);
	CHECK_EQ(r->line, probe_socket(&p, cas_rd, 0), 0);
	CHECK_NEAR(r->line, probe_socket(&p, cas_wr, 1) * LINE_BYTES, r->writes * 16 * MB, 20);
	CHECK_EQ(r->line, probe_socket(&p, tx, 1), probe_socket(&p, cas_rd, 1) * 8);
	CHECK_NEAR(r->line, probe_socket(&p, tx, 0), probe_socket(&p, cas_wr, 1) * 8, 20);
	/* What one end sends the other receives. */
	CHECK_EQ(r->line, probe_socket(&p, rx, 0), probe_socket(&p, tx, 1));
	CHECK_EQ(r->line, probe_socket(&p, rx, 1), probe_socket(&p, tx, 0));
	machine_free(p.m);
}

static void check_family(const struct small *small)
{
	for (const struct stream *s = streams; s < streams + LEN(streams); s++)
		check_stream(small, s);
	for (const struct chase *c = chases; c < chases + LEN(chases); c++)
		check_chase(small, c);
	for (const struct agree *a = agrees; a < agrees + LEN(agrees); a++)
		check_agree(small, a);
	for (const struct remote *r = remotes; r < remotes + LEN(remotes); r++)
		check_remote(small, r);
}

/* The argument is a family. */
int main(int argc, char **argv)
{
	bool found = false;

	for (const struct small *small = smalls; small < smalls + LEN(smalls); small++)
		if (argc == 2 && strncmp(small->spec, argv[1], strcspn(small->spec, ",")) == 0) {
			found = true;
			check_family(small);
		}
	CHECK(found);
	return check_done();
}
