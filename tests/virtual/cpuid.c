/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What CPUID says of machines, against values worked out by hand from the SDM and the parts' data sheets.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "machine/machine.h"
#include "virtual/cpuid.h"

static const struct row {
	int line;
	const char *machine;
	uint32_t leaf, subleaf;
	uint32_t eax, ebx, ecx, edx;
} rows[] = {
	{ LINE, "hsx", 0, CPU_ANY_SUBLEAF, 0xf, 0x756e6547, 0x6c65746e, 0x49656e69 },
	/* 18 cores take 5 bits, threads 1: 64 ids a package */
	{ LINE, "hsx", 1, CPU_ANY_SUBLEAF, 0x306f2, 0x400800, 0x7ffefbff, 0xbfebfbff },
	{ LINE, "hsx:e5-2650v3", 1, CPU_ANY_SUBLEAF, 0x306f2, 0x200800, 0x7ffefbff, 0xbfebfbff },
	{ LINE, "hsx:e7-8890v3", 1, CPU_ANY_SUBLEAF, 0x306f4, 0x400800, 0x7ffefbff, 0xbfebfbff },
	{ LINE, "hsx", 4, 0, 0x7c004121, 0x1c0003f, 63, 0 },
	{ LINE, "hsx", 4, 1, 0x7c004122, 0x1c0003f, 63, 0 },
	{ LINE, "hsx", 4, 2, 0x7c004143, 0x1c0003f, 511, 0 },
	/* 20 ways of 36864 sets of 64 bytes are 45 MB */
	{ LINE, "hsx", 4, 3, 0x7c0fc163, 0x4c0003f, 36863, 6 },
	{ LINE, "hsx:e5-2650v3", 4, 3, 0x3c07c163, 0x4c0003f, 20479, 6 },
	{ LINE, "hsx,llc_ways=16,cores=2", 4, 3, 0x0400c163, 0x3c0003f, 4095, 6 },
	{ LINE, "hsx", 0xa, CPU_ANY_SUBLEAF, 0x07300403, 0, 0, 0x603 },
	{ LINE, "hsx,threads=1", 0xa, CPU_ANY_SUBLEAF, 0x07300803, 0, 0, 0x603 },
	{ LINE, "hsx", 0xb, 0, 1, 2, 0x100, 0 },
	{ LINE, "hsx", 0xb, 1, 6, 36, 0x201, 0 },
	{ LINE, "hsx,threads=1", 0xb, 0, 1, 1, 0x100, 0 },
	{ LINE, "hsx,threads=1,cores=8", 0xb, 1, 4, 8, 0x201, 0 },
	{ LINE, "hsx,cores=1", 0xb, 1, 1, 2, 0x201, 0 },
	{ LINE, "hsx", 6, CPU_ANY_SUBLEAF, 0x75, 2, 9, 0 },
	{ LINE, "hsx,core_mhz=2800", 6, CPU_ANY_SUBLEAF, 0x77, 2, 9, 0 },
	{ LINE, "hsx,turbo=on", 6, CPU_ANY_SUBLEAF, 0x77, 2, 9, 0 },
	{ LINE, "hsx", 0x80000008, CPU_ANY_SUBLEAF, 0x302e, 0, 0, 0 },
	/* "Inte" "l(R)" " Xeo" "n(R)" */
	{ LINE, "hsx", 0x80000002, CPU_ANY_SUBLEAF, 0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e },
	/* " CPU" " E5-" "2699" " v3 " */
	{ LINE, "hsx", 0x80000003, CPU_ANY_SUBLEAF, 0x55504320, 0x2d354520, 0x39393632, 0x20337620 },
	/* "@ 2." "30GH" "z" */
	{ LINE, "hsx", 0x80000004, CPU_ANY_SUBLEAF, 0x2e322040, 0x48473033, 0x7a, 0 },
	{ LINE, "snbep", 0, CPU_ANY_SUBLEAF, 0xd, 0x756e6547, 0x6c65746e, 0x49656e69 },
	{ LINE, "snbep", 1, CPU_ANY_SUBLEAF, 0x206d7, 0x100800, 0x1fbee3ff, 0xbfebfbff },
	/* 20 ways of 16384 sets of 64 bytes are 20 MB */
	{ LINE, "snbep", 4, 3, 0x1c03c163, 0x4c0003f, 16383, 6 },
	{ LINE, "snbep", 0xa, CPU_ANY_SUBLEAF, 0x07300403, 0, 0, 0x603 },
	{ LINE, "snbep:e5-2603", 0xa, CPU_ANY_SUBLEAF, 0x07300803, 0, 0, 0x603 },
	{ LINE, "snbep", 0xb, 1, 4, 16, 0x201, 0 },
	{ LINE, "nhmex", 0, CPU_ANY_SUBLEAF, 0xb, 0x756e6547, 0x6c65746e, 0x49656e69 },
	{ LINE, "nhmex", 1, CPU_ANY_SUBLEAF, 0x206e6, 0x100800, 0xbce3bd, 0xbfebfbff },
	{ LINE, "nhmex", 4, 1, 0x1c004122, 0xc0003f, 127, 0 },
	/* 24 ways of 16384 sets of 64 bytes are 24 MB; 12 MB in 16 ways of 2048 sets in each of six slices */
	{ LINE, "nhmex", 4, 3, 0x1c03c163, 0x5c0003f, 16383, 2 },
	{ LINE, "nhmex:e7530", 4, 3, 0x1c03c163, 0x3c0003f, 12287, 2 },
	{ LINE, "nhmex", 6, CPU_ANY_SUBLEAF, 5, 2, 1, 0 },
	{ LINE, "nhmex,turbo=on", 6, CPU_ANY_SUBLEAF, 7, 2, 1, 0 },
	{ LINE, "nhmex", 0xa, CPU_ANY_SUBLEAF, 0x07300403, 0, 0, 0x603 },
	/* Counters of an only thread stay four: a sibling has none to lend. */
	{ LINE, "nhmex:x7542", 0xa, CPU_ANY_SUBLEAF, 0x07300403, 0, 0, 0x603 },
	{ LINE, "nhmex", 0xb, 1, 4, 16, 0x201, 0 },
	{ LINE, "nhmex", 0x80000001, CPU_ANY_SUBLEAF, 0, 0, 1, 0x28100800 },
	{ LINE, "nhmex", 0x80000008, CPU_ANY_SUBLEAF, 0x302c, 0, 0, 0 },
	/* "0  @" " 2.2" "6GHz", behind "X756" */
	{ LINE, "nhmex", 0x80000003, CPU_ANY_SUBLEAF, 0x55504320, 0x35375820, 0x40203036, 0x322e3220 },
	{ LINE, "snbep", 0x80000008, CPU_ANY_SUBLEAF, 0x302e, 0, 0, 0 },
};

static const struct id_row {
	int line;
	const char *machine;
	uint32_t cpu, x2apic, node;
} ids[] = {
	{ LINE, "hsx", 0, 0, 0 },
	{ LINE, "hsx", 17, 34, 0 },
	{ LINE, "hsx", 18, 64, 1 },
	{ LINE, "hsx", 35, 64 + 34, 1 },
	{ LINE, "hsx", 36, 1, 0 },		/* second thread of core 0 */
	{ LINE, "hsx", 71, 64 + 35, 1 },
	{ LINE, "hsx:e5-2650v3", 10, 32, 1 },
	{ LINE, "hsx,sockets=2,cores=2", 7, 7, 1 },
	/* Sockets of two nodes: cores 0 and 1, 2 and 3. */
	{ LINE, "hsx,sockets=2,cores=4,snoop=cod", 1, 2, 0 },
	{ LINE, "hsx,sockets=2,cores=4,snoop=cod", 2, 4, 1 },
	{ LINE, "hsx,sockets=2,cores=4,snoop=cod", 4, 8, 2 },
	{ LINE, "hsx,sockets=2,cores=4,snoop=cod", 15, 15, 3 },
};

static struct machine *make(const char *machine)
{
	struct machine *m = NULL;
	struct spec spec;
	char why[200];

	CHECK_EQ(__LINE__, spec_parse(machine, &spec, why, sizeof why), 0);
	CHECK_EQ(__LINE__, machine_new_bare(&spec, &m), 0);
	return m;
}

static int fill(const char *machine, struct cpu_page *page)
{
	struct machine *m = make(machine);
	int err = cpuid_fill(m, page);

	machine_free(m);
	return err;
}

static void check_leaf(const struct row *r)
{
	static struct cpu_page page;
	unsigned found = 0;

	CHECK_EQ(r->line, fill(r->machine, &page), 0);
	for (uint32_t i = 0; i < page.leaves; i++) {
		const struct cpu_leaf *l = &page.leaf[i];

		if (l->leaf != r->leaf || l->subleaf != r->subleaf)
			continue;
		found++;
		CHECK_EQ(r->line, l->eax, r->eax);
		CHECK_EQ(r->line, l->ebx, r->ebx);
		CHECK_EQ(r->line, l->ecx, r->ecx);
		CHECK_EQ(r->line, l->edx, r->edx);
	}
	CHECK_EQ(r->line, found, 1);
}

static void check_clock(void)
{
	static struct cpu_page page;

	CHECK_EQ(__LINE__, cpuid_clock_read(&page, 5), 0);
	cpuid_clock(&page, 1000, 100, UINT64_C(23) << 32, 3000);	/* 23 a nanosecond */
	CHECK_EQ(__LINE__, cpuid_clock_read(&page, 99), 1000);
	CHECK_EQ(__LINE__, cpuid_clock_read(&page, 100), 1000);
	CHECK_EQ(__LINE__, cpuid_clock_read(&page, 110), 1230);
	CHECK_EQ(__LINE__, cpuid_clock_read(&page, 1000000), 3000);
	cpuid_clock(&page, 3000, 200, UINT64_C(1) << 31, UINT64_MAX);
	CHECK_EQ(__LINE__, cpuid_clock_read(&page, 1200), 3500);
	/* Who writes it is stopped in the middle, or has died over it. */
	page.clock.line[(page.clock.version + 1) % 2].tsc = 7;
	CHECK_EQ(__LINE__, cpuid_clock_read(&page, 1200), 3500);
}

static void check_file(void)
{
	char path[] = "cpuid-test-XXXXXX";
	int fd = mkstemp(path);
	struct cpu_page *page = NULL;
	struct machine *m = make("hsx"), *other = make("poulson");

	CHECK(fd >= 0);
	CHECK_EQ(__LINE__, cpuid_create(path, m, &page), 0);
	CHECK(page && page->magic == CPU_PAGE_MAGIC && page->cpus == 72);
	if (page)
		munmap(page, sizeof *page);
	close(fd);
	unlink(path);
	errno = 0;
	CHECK(cpuid_create("/nowhere/page", m, &page) < 0 && errno == ENOENT);
	CHECK(cpuid_create(path, other, &page) < 0);
	unlink(path);
	machine_free(m);
	machine_free(other);
}

int main(void)
{
	static struct cpu_page page;

	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		check_leaf(r);
	for (const struct id_row *r = ids; r < ids + LEN(ids); r++) {
		CHECK_EQ(r->line, fill(r->machine, &page), 0);
		CHECK_EQ(r->line, page.x2apic[r->cpu], r->x2apic);
		CHECK_EQ(r->line, cpu_node(&page, r->cpu), r->node);
	}
	check_clock();
	check_file();
	return check_done();
}
