/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a machine's home agents are told to do, counted through PMU registers: data by way of the slices,
 * reads that come back damaged, the HitME cache, snoops ahead of the directory.
 */
#include "machine/faults.h"
#include "probe.h"

static struct probes machine(const char *spec)
{
	struct probes p = { .m = make_machine(spec) };

	p.family = machine_spec(p.m)->family;
	return p;
}

/* With d2c=off every clock is one without, no line goes straight to a core, from here or over a link. */
static void check_direct(void)
{
	for (unsigned off = 0; off < 2; off++) {
		struct probes p = machine(off ? "hsx,cores=2,d2c=off" : "hsx,cores=2");
		unsigned disabled = probe_add(&p, "ha", "DIRECT2CORE_CYCLES_DISABLED", NULL, 0);
		unsigned clocks = probe_add(&p, "ha", "CLOCKTICKS", NULL, 1);
		unsigned core = probe_add(&p, "ha", "TxR_BL", "DRS_CORE", 2);
		unsigned cache = probe_add(&p, "ha", "TxR_BL", "DRS_CACHE", 3);
		unsigned link = probe_add(&p, "qpi", "DIRECT2CORE", "SUCCESS_RBT_HIT", 0);

		probe_count(&p, "random:size=16M,count=3000,threads=2,step=2,node=0,prefetch=0");
		CHECK_EQ(__LINE__, probe_read(&p, disabled), off ? probe_read(&p, clocks) : 0);
		CHECK_EQ(__LINE__, probe_read(&p, core) > 1000, !off);
		CHECK_EQ(__LINE__, probe_read(&p, cache) > 1000, off);
		CHECK_EQ(__LINE__, probe_read(&p, core) == 0, off);
		CHECK_EQ(__LINE__, probe_read(&p, link) == 0, off);
		machine_free(p.m);
	}
}

/* A rate of r makes r + r^2 + ... tries more of each read, seven at most. */
static void check_retries(void)
{
	static const struct { int line; const char *fault; double more; unsigned within; } rows[] = {
		{ LINE, "reread=0", 0, 0 }, { LINE, "reread=1", 7, 0 },
		{ LINE, "reread=0.1,seed=3", 0.11111, 50 }, { LINE, "reread=0.5,seed=4", 0.9921875, 30 },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct probes p = machine("hsx,cores=2");
		unsigned retries = probe_add(&p, "ha", "IMC_RETRY", NULL, 0);
		unsigned reads = probe_add(&p, "ha", "REQUESTS", "READS", 1);
		unsigned normal = probe_add(&p, "ha", "IMC_READS", "NORMAL", 2);
		unsigned past = probe_add(&p, "ha", "BYPASS_IMC", "TAKEN", 3);
		unsigned inserts = probe_add(&p, "imc", "RPQ_INSERTS", NULL, 0);
		uint64_t want;
		char why[200] = "";

		CHECK_EQ(rows[i].line, machine_fault(p.m, rows[i].fault, why, sizeof why), 0);
		probe_count(&p, "random:size=16M,count=20000");
		want = (uint64_t)((double)probe_read(&p, reads) * rows[i].more);
		if (rows[i].within)
			CHECK_NEAR(rows[i].line, probe_read(&p, retries), want, rows[i].within);
		else
			CHECK_EQ(rows[i].line, probe_read(&p, retries), want);
		CHECK_EQ(rows[i].line, probe_read(&p, normal) + probe_read(&p, past),
			 probe_read(&p, reads) + probe_read(&p, retries));
		CHECK_EQ(rows[i].line, probe_read(&p, inserts), probe_read(&p, reads) + probe_read(&p, retries));
		machine_free(p.m);
	}
}

/* Lines of socket 0 that two cores of two sockets write now and then: each line goes away and comes back by turns. */
static void check_turns(void)
{
	enum { WRITTEN = 64 };
	struct probes p = machine("hsx,cores=2,snoop=directory");
	unsigned looked = probe_add(&p, "ha", "HITME_LOOKUP", "READ_OR_INVITOE", 0);
	unsigned hit = probe_add(&p, "ha", "HITME_HIT", "READ_OR_INVITOE", 1);
	unsigned away = probe_add(&p, "ha", "HITME_LOOKUP", "RSPFWDI_REMOTE", 2);
	unsigned back = probe_add(&p, "ha", "HITME_LOOKUP", "RSPFWDI_LOCAL", 3);
	uint64_t ways[2];

	probe_count(&p, "random:size=4K,count=4000,threads=2,step=2,node=0,writes=100,prefetch=0");
	ways[0] = probe_read(&p, away);
	ways[1] = probe_read(&p, back);
	/* Each line comes from memory once. */
	CHECK_EQ(__LINE__, probe_read(&p, looked), WRITTEN + ways[0] + ways[1]);
	CHECK_EQ(__LINE__, ways[0] > 1000 && ways[0] <= ways[1] + WRITTEN && ways[1] <= ways[0] + WRITTEN, 1);
	/* Who has it is known every other time: on its way back, or, if that came first, after it. */
	CHECK_EQ(__LINE__, probe_read(&p, hit) <= ways[1] && probe_read(&p, hit) + WRITTEN >= ways[1], 1);
	machine_free(p.m);
}

/* Whatever the HitME cache does not know is broadcast, or called off, and looked up in the directory. */
static void check_broadcasts(void)
{
	for (unsigned on = 0; on < 2; on++) {
		struct probes p = machine(on ? "hsx,cores=4,snoop=directory,osb=on" : "hsx,cores=4,snoop=directory");
		unsigned sent = probe_add(&p, "ha", "OSB", "REMOTE", 0);
		unsigned off = probe_add(&p, "ha", "OSB", "CANCELLED", 1);
		unsigned yes = probe_add(&p, "ha", "DIRECTORY_LOOKUP", "SNP", 2);
		unsigned no = probe_add(&p, "ha", "DIRECTORY_LOOKUP", "NO_SNP", 3);

		/* Everything is remote: socket 1 reads and writes what is socket 0's. */
		probe_count(&p, "random:size=16M,count=3000,threads=4,core=4,node=0,writes=30");
		CHECK_EQ(__LINE__, probe_read(&p, sent) + probe_read(&p, off),
			 on ? probe_read(&p, yes) + probe_read(&p, no) : 0);
		CHECK_EQ(__LINE__, probe_read(&p, sent) > 1000, on);
		machine_free(p.m);
	}
}

int main(void)
{
	check_direct();
	check_retries();
	check_turns();
	check_broadcasts();
	return check_done();
}
