/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DMA engines on the whole machine, counted through PMU registers.  How many lines a transfer is
 * follows from its size and alignment; that each of them crosses every box on the way from conservation.
 */
#include "machine/devices.h"
#include "probe.h"

#define SMALL "hsx,cores=2,"

static void attach(struct machine *m, const char *device)
{
	char why[400] = "";

	CHECK_EQ(__LINE__, machine_dma(m, device, why, sizeof why), 0);
	CHECK_STR(__LINE__, why, "");
}

/*
 * 100 transfers: lines read, lines written whole and in part, as the IRP, the slices, the home agents
 * and the channels see them.  In a buffer that fits the two ways each line is missed once.
 */
static const struct traffic {
	int line;
	const char *device;
	unsigned reads, whole, parts;	/* lines of all transfers */
	unsigned missed;		/* lines that writes have to get from home: the buffer's */
} traffics[] = {
	{ LINE, "read=1G,size=4096,count=100", 6400, 0, 0, 0 },
	{ LINE, "write=1G,size=4096,count=100,buffer=64K", 0, 6400, 0, 64 * 16 },
	{ LINE, "write=1G,size=256,count=100,buffer=64K", 0, 400, 0, 400 },
	/* 16 bytes into a line: 63 whole ones between parts of 48 and 16 bytes. */
	{ LINE, "write=100M,size=4096,align=16,count=100,buffer=64K", 0, 6300, 200, 64 * 15 + 1 },
	/* 60 and 4 bytes */
	{ LINE, "write=100M,size=64,align=4,count=100,buffer=64K", 0, 0, 200, 101 },
	{ LINE, "write=100M,size=8,count=100,buffer=64K", 0, 0, 100, 100 },
	{ LINE, "read=1G,write=1G,size=1024,count=100,buffer=128K", 1600, 1600, 0, 1600 },
	{ LINE, "read=2G,size=1000,count=100,node=1", 1600, 0, 0, 0 },
	{ LINE, "write=1G,size=1024,count=100,socket=1,buffer=128K", 0, 1600, 0, 1600 },
};

static void check_traffic(const struct traffic *t)
{
	struct probes p = { .m = make_machine(SMALL "sockets=2") };
	unsigned itoe, reads, writes, cas, drs, coherent, own;

	p.family = machine_spec(p.m)->family;
	drs = probe_add(&p, "irp", "RxR_BL_DRS_INSERTS", NULL, 0);
	coherent = probe_add(&p, "irp", "COHERENT_OPS", "WBMTOI", 1);
	writes = probe_add(&p, "irp", "TRANSACTIONS", "WRITES", 2);
	own = probe_add(&p, "irp", "COHERENT_OPS", "PCITOM", 3);
	itoe = probe_add(&p, "ha", "REQUESTS", "INVITOE_LOCAL", 0);
	reads = probe_add(&p, "ha", "REQUESTS", "READS", 1);
	cas = probe_add(&p, "imc", "CAS_COUNT", "RD", 0);
	attach(p.m, t->device);
	probe_count(&p, "idle:time=20000000");
	CHECK_EQ(t->line, probe_read(&p, drs), t->reads);
	CHECK_EQ(t->line, probe_read(&p, writes), t->whole + t->parts);
	CHECK_EQ(t->line, probe_read(&p, coherent), t->whole + t->parts);
	CHECK_EQ(t->line, probe_read(&p, own), t->whole);
	/* Ownership without data, or with it for parts. */
	if (!t->reads)
		CHECK_EQ(t->line, probe_read(&p, itoe) + probe_read(&p, reads), t->missed);
	else if (!t->whole)
		CHECK_EQ(t->line, probe_read(&p, reads), t->reads);
	else
		CHECK_EQ(t->line, probe_read(&p, itoe), t->missed);
	CHECK_EQ(t->line, probe_read(&p, reads), probe_read(&p, cas));
	machine_free(p.m);
}

/* A rate is a rate: what passes in 2 ms, but for the last transfers. */
static const struct rate { int line; const char *device; uint64_t bytes; } rates[] = {
	{ LINE, "read=1G", (1ULL << 30) / 500 }, { LINE, "read=8G,size=64K", (8ULL << 30) / 500 },
	/* The link carries 16 bytes a nanosecond and no more. */
	{ LINE, "write=64G,size=64K", 32000000 },
};

static void check_rate(const struct rate *r)
{
	struct probes p = { .m = make_machine(SMALL "sockets=1") };
	unsigned drs, backs;

	p.family = machine_spec(p.m)->family;
	drs = probe_add(&p, "irp", "RxR_BL_DRS_INSERTS", NULL, 0);
	backs = probe_add(&p, "irp", "COHERENT_OPS", "WBMTOI", 1);
	machine_drain(p.m);
	attach(p.m, r->device);
	probe_global(&p, PROBE_FREEZE);
	probe_zero(&p);
	probe_global(&p, PROBE_UNFREEZE);
	probe_rest(p.m, 2000000, __LINE__);
	probe_global(&p, PROBE_FREEZE);
	CHECK_NEAR(r->line, (probe_read(&p, drs) + probe_read(&p, backs)) * 64, r->bytes, 10);
	machine_free(p.m);
}

/* Doorbells, interrupts, writes of devices to devices: one a transfer, one a line. */
static void check_messages(void)
{
	struct probes p = { .m = make_machine(SMALL "sockets=2") };
	unsigned doorbells, told, ncb, ncs, other;

	p.family = machine_spec(p.m)->family;
	doorbells = probe_add(&p, "ubox", "EVENT_MSG", "DOORBELL_RCVD", 0);
	told = probe_add(&p, "ubox", "U2C_EVENTS", "OTHER", 1);
	ncb = probe_add(&p, "r2pcie", "RxR_INSERTS", "NCB", 0);
	ncs = probe_add(&p, "r2pcie", "RxR_INSERTS", "NCS", 1);
	other = probe_add(&p, "irp", "TRANSACTIONS", "OTHER", 0);
	attach(p.m, "write=100M,size=256,count=10,buffer=64K");
	attach(p.m, "peer_write=100M,peer_read=100M,size=256,node=1,count=7,interrupt=0,buffer=64K");
	probe_count(&p, "idle:time=1000000");
	CHECK_EQ(__LINE__, probe_socket(&p, doorbells, 0), 10 + 7 + 7);
	CHECK_EQ(__LINE__, probe_socket(&p, told, 0), 10);
	CHECK_EQ(__LINE__, probe_socket(&p, other, 0), 10);
	/* A doorbell is a write to the device's own socket, or to its node where there is one. */
	CHECK_EQ(__LINE__, probe_socket(&p, ncb, 0), 10);
	CHECK_EQ(__LINE__, probe_socket(&p, ncb, 1), 14 + 7 * 4);
	CHECK_EQ(__LINE__, probe_socket(&p, ncs, 1), 7 * 4);
	CHECK_EQ(__LINE__, probe_socket(&p, ncs, 0), 0);
	machine_free(p.m);
}

/* The same in every run, beside a program, to the last count. */
static void check_same(void)
{
	uint64_t first[4];

	for (unsigned run = 0; run < 2; run++) {
		struct probes p = { .m = make_machine(SMALL "sockets=2") };

		p.family = machine_spec(p.m)->family;
		probe_add(&p, "irp", "CACHE_TOTAL_OCCUPANCY", "ANY", 0);
		probe_add(&p, "r2pcie", "RxR_OCCUPANCY", "DRS", 0);
		probe_add(&p, "cbo", "TOR_OCCUPANCY", "MISS_ALL", 0);
		probe_add(&p, "imc", "PRE_COUNT", "PAGE_MISS", 0);
		attach(p.m, "read=3G,write=2G");
		probe_count(&p, "random:count=20000,writes=30,threads=2");
		for (unsigned i = 0; i < 4; i++) {
			if (run == 0)
				first[i] = probe_read(&p, i);
			else
				CHECK_EQ(__LINE__, probe_read(&p, i), first[i]);
			CHECK_EQ(__LINE__, first[i] > 0, 1);
		}
		machine_free(p.m);
	}
}

/* A device fills the array of a kernel, two pages: the kernel finds them in the cache; another array is in memory. */
static void check_shared(void)
{
	static const struct { int line; const char *kernel; unsigned missed; } rows[] = {
		{ LINE, "stride:size=8192,stride=64,count=128,core=2,data=3,node=1", 0 },
		{ LINE, "stride:size=8192,stride=64,count=128,core=2,data=3", 128 },
		{ LINE, "stride:size=8192,stride=64,count=128,core=2,data=4,node=1", 128 },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct probes p = { .m = make_machine(SMALL "sockets=2") };
		unsigned reads;

		p.family = machine_spec(p.m)->family;
		reads = probe_add(&p, "ha", "REQUESTS", "READS", 0);
		attach(p.m, "write=1G,size=4096,count=2,buffer=8K,data=3,node=1,socket=1");
		probe_count(&p, "idle:time=1000000");
		CHECK_EQ(rows[i].line, probe_read(&p, reads), 0);
		probe_count(&p, rows[i].kernel);
		CHECK_EQ(rows[i].line, probe_read(&p, reads), rows[i].missed);
		machine_free(p.m);
	}
}

#define SUFFIXES "; K, M, G after it stand for 2^10, 2^20, 2^30"
static const struct bad { int line; const char *device, *why; int err; } bads[] = {
	{ LINE, "", "a device that neither reads nor writes; give it a rate: read=4G", BXS_EINVAL },
	{ LINE, "size=64", "a device that neither reads nor writes; give it a rate: read=4G", BXS_EINVAL },
	{ LINE, "raed=1G", "no key \"raed\" of a DMA engine; did you mean read?", BXS_EINVAL },
	{ LINE, "read", "read: a key needs a value: read=value", BXS_EINVAL },
	{ LINE, "read=", "read=: has to be a number from 0 to 1099511627776" SUFFIXES, BXS_EINVAL },
	{ LINE, "read=-1", "read=-1: has to be a number from 0 to 1099511627776" SUFFIXES, BXS_EINVAL },
	{ LINE, "read=1X", "read=1X: has to be a number from 0 to 1099511627776" SUFFIXES, BXS_EINVAL },
	{ LINE, "read=1G,size=4", "size=4: has to be a number from 8 to 16777216" SUFFIXES, BXS_EINVAL },
	{ LINE, "read=1G,doorbell=2", "doorbell=2: has to be a number from 0 to 1", BXS_EINVAL },
	{ LINE, "read=1G,write=1G,read=2G", "read is given twice", BXS_EINVAL },
	{ LINE, "read=1G,socket=2", "socket=2: the machine has sockets 0 to 1", BXS_EINVAL },
	{ LINE, "read=1G,node=3", "node=3: the machine has nodes 0 to 1", BXS_EINVAL },
	{ LINE, "read=1G,align=48", "align=48: has to be a power of two", BXS_EINVAL },
	{ LINE, "read=1G,size=64K,buffer=64K", "size=65536: a transfer does not fit into buffer=65536", BXS_EINVAL },
	{ LINE, "read=1G,zzzzzz=1", "no key \"zzzzzz\" of a DMA engine; there are: read, write, atomic, peer_read, "
	  "peer_write, size, align, buffer, socket, node, data, count, doorbell, interrupt", BXS_EINVAL },
};

static void check_bad(void)
{
	struct machine *m = make_machine(SMALL "sockets=2"), *bare;
	char why[400] = "";

	for (const struct bad *b = bads; b < bads + LEN(bads); b++) {
		CHECK_EQ(b->line, machine_dma(m, b->device, why, sizeof why), b->err);
		CHECK_STR(b->line, why, b->why);
	}
	for (unsigned i = 0; i < DEVICES_ENGINES; i++)
		attach(m, "read=1M,count=1");
	CHECK_EQ(__LINE__, machine_dma(m, "read=1M", why, sizeof why), BXS_ECONFLICT);
	bare = make_machine("poulson");
	CHECK_EQ(__LINE__, machine_dma(bare, "read=1M", why, sizeof why), BXS_ENOTSUP);
	machine_free(bare);
	machine_free(m);
}

int main(void)
{
	for (const struct traffic *t = traffics; t < traffics + LEN(traffics); t++)
		check_traffic(t);
	for (const struct rate *r = rates; r < rates + LEN(rates); r++)
		check_rate(r);
	check_messages();
	check_same();
	check_shared();
	check_bad();
	return check_done();
}
