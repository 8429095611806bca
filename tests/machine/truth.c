// SPDX-License-Identifier: BSD-2-Clause
/*
 * The whole machine: programs whose traffic is known beforehand, counted through PMU
 * registers.  Expected values follow from what the program does and from conservation:
 * what misses one level is a request to the next.
 */
#include "probe.h"

#define MB UINT64_C(1048576)
#define LINE_BYTES 64

/* Two cores a socket have 5 MB of last-level cache; the arrays have 16 MB. */
#define SMALL "hsx,cores=2"

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

static void check_stream(const struct stream *s)
{
	struct probes p = { .m = probe_machine(SMALL) };
	unsigned reads, writes;

	p.family = machine_spec(p.m)->family;
	reads = probe_add(&p, "imc", "CAS_COUNT", "RD", 0);
	writes = probe_add(&p, "imc", "CAS_COUNT", "WR", 1);
	probe_run(p.m, s->kernel);	/* the caches fill; from here on as much leaves as comes */
	probe_count(&p, s->kernel);
	CHECK_NEAR(s->line, probe_read(&p, reads) * LINE_BYTES, s->reads * 16 * MB, 20);
	CHECK_NEAR(s->line, probe_read(&p, writes) * LINE_BYTES, s->writes * 16 * MB, 20);
	/* First touch: all of it on the socket of the threads; its four channels share evenly. */
	CHECK_EQ(s->line, probe_socket(&p, reads, 1), 0);
	for (unsigned b = 0; b < 8; b++)
		if (b % 4 < 2)
			CHECK_NEAR(s->line, probe_box(&p, reads, 0, b) * 4,
				   probe_socket(&p, reads, 0), 50);
	machine_free(p.m);
}

int main(void)
{
	for (const struct stream *s = streams; s < streams + LEN(streams); s++)
		check_stream(s);
	return check_done();
}
