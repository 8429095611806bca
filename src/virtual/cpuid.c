/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID of the modelled processors (SDM volume 2, CPUID).  What depends on the family stands in catalog/FAMILY/cpu. */
#include "virtual/cpuid.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "catalog/product.h"
#include "machine/machine.h"
#include "virtual/cpu_clock.h"
#include "virtual/identity.h"

enum {
	THREAD_BITS = 1,		/* of an APIC id, also where one thread is used */
	LINE_WORDS = 8,			/* CLFLUSH size in 8 bytes */
	TURBO = 1 << 1,			/* leaf 6 EAX */
	PERFEVTSEL0 = 0x186,
	VIRTUAL_BITS = 48,
};

/* What does not depend on the machine's shape, and is the same in all families. */
static const struct cpu_leaf common_leaves[] = {
	{ .leaf = 0x3, .subleaf = CPU_ANY_SUBLEAF },
	/* L1 data, L1 code, L2; the last level is the family's */
	{ .leaf = 0x4, .subleaf = 0, .eax = 0x101 },
	{ .leaf = 0x4, .subleaf = 1, .eax = 0x102 },
	{ .leaf = 0x4, .subleaf = 2, .eax = 0x103 },
	{ .leaf = 0x8, .subleaf = CPU_ANY_SUBLEAF },
	{ .leaf = 0x9, .subleaf = CPU_ANY_SUBLEAF, .eax = 1 },
	{ .leaf = 0xa, .subleaf = CPU_ANY_SUBLEAF, .eax = 0x7300003, .edx = 0x603 },
	{ .leaf = 0xb, .subleaf = 0, .ecx = 0x100, .own = CPU_OWN_X2APIC },
	{ .leaf = 0xb, .subleaf = 1, .ecx = 0x201, .own = CPU_OWN_X2APIC },
	{ .leaf = 0xb, .subleaf = CPU_ANY_SUBLEAF, .own = CPU_OWN_X2APIC },
	{ .leaf = 0x80000000, .subleaf = CPU_ANY_SUBLEAF, .eax = 0x80000008 },
	{ .leaf = 0x80000005, .subleaf = CPU_ANY_SUBLEAF },
	{ .leaf = 0x80000006, .subleaf = CPU_ANY_SUBLEAF, .ecx = 0x1006040 },
	{ .leaf = 0x80000007, .subleaf = CPU_ANY_SUBLEAF, .edx = 0x100 },
	{ .leaf = 0x80000008, .subleaf = CPU_ANY_SUBLEAF },
};

enum { NAME_LEAVES = 4 };

static struct cpu_leaf *find(struct cpu_page *page, uint32_t leaf, uint32_t subleaf)
{
	for (uint32_t i = 0; i < page->leaves; i++)
		if (page->leaf[i].leaf == leaf && page->leaf[i].subleaf == subleaf)
			return &page->leaf[i];
	return NULL;
}

static void add_text(struct cpu_page *page, uint32_t leaf, const char text[16])
{
	struct cpu_leaf *l = &page->leaf[page->leaves++];

	*l = (struct cpu_leaf){ .leaf = leaf, .subleaf = CPU_ANY_SUBLEAF };
	memcpy(&l->eax, text, 4);
	memcpy(&l->ebx, text + 4, 4);
	memcpy(&l->ecx, text + 8, 4);
	memcpy(&l->edx, text + 12, 4);
}

static void fill_names(const struct identity *id, struct cpu_page *page)
{
	static const char vendor[16] = "\0\0\0\0GenuntelineI";	/* EBX, ECX, EDX: Genu ntel ineI */
	char brand[48] = "";

	memcpy(brand, id->name, strnlen(id->name, sizeof brand - 1));
	add_text(page, 0, vendor);
	for (unsigned i = 0; i < 3; i++)
		add_text(page, 0x80000002 + i, brand + 16 * i);
	find(page, 0, CPU_ANY_SUBLEAF)->eax = page->highest;
}

/* CPUID leaf 1 EAX: stepping, model and family, the upper half of the model apart. */
static uint32_t signature(const struct identity *id)
{
	return id->stepping | (id->model & 0xf) << 4 | id->family << 8 | id->model >> 4 << 16;
}

static void fill_caches(const struct identity *id, struct cpu_page *page)
{
	uint32_t core_ids = 1U << identity_core_bits(id), package_ids = core_ids << THREAD_BITS;

	for (uint32_t i = 0; i < IDENTITY_CACHES; i++) {
		const struct identity_cache *c = &id->cache[i];
		uint32_t sharing = c->shared ? package_ids : 1U << THREAD_BITS;
		struct cpu_leaf *l = find(page, 4, i);

		l->eax |= c->level << 5 | (sharing - 1) << 14 | (core_ids - 1) << 26;
		l->ebx = (c->ways - 1) << 22 | (c->line - 1);
		l->ecx = c->sets - 1;
	}
}

/* Leaf 0xa: as many counters as there are registers that say what they count. */
static void fill_counters(const struct machine *machine, struct cpu_page *page)
{
	uint32_t n = 0;

	while (machine_core_selects(machine, PERFEVTSEL0 + n))
		n++;
	find(page, 0xa, CPU_ANY_SUBLEAF)->eax |= n << 8;
}

static void fill_shape(const struct identity *id, struct cpu_page *page)
{
	unsigned package_bits = THREAD_BITS + identity_core_bits(id);
	struct cpu_leaf *l = find(page, 1, CPU_ANY_SUBLEAF);

	l->eax = signature(id);
	l->ebx = LINE_WORDS << 8 | 1U << package_bits << 16;
	l = find(page, 0xb, 0);
	l->eax = THREAD_BITS;
	l->ebx = id->threads;
	l = find(page, 0xb, 1);
	l->eax = package_bits;
	l->ebx = id->threads * id->cores;
	for (uint32_t cpu = 0; cpu < page->cpus; cpu++)
		page->x2apic[cpu] = identity_apic_id(id, cpu);
	find(page, 0x80000008, CPU_ANY_SUBLEAF)->eax = id->address_bits | VIRTUAL_BITS << 8;
}

static void add_leaves(const struct cat_cpu *cpu, struct cpu_page *page)
{
	for (const struct cat_leaf *l = &cat_leaves[cpu->leaf0]; l < &cat_leaves[cpu->leaf0 + cpu->leaves]; l++)
		page->leaf[page->leaves++] = (struct cpu_leaf){ l->leaf, l->subleaf, l->eax, l->ebx, l->ecx, l->edx, l->own };
}

_Static_assert(CPU_ANY_SUBLEAF == CAT_ANY_SUBLEAF && (int)CPU_OWN_APIC == CAT_OWN_APIC && (int)CPU_OWN_X2APIC == CAT_OWN_X2APIC,
	       "clients and catalogue write them alike");

int cpuid_fill(const struct machine *machine, struct cpu_page *page)
{
	const struct spec *spec = machine_spec(machine);
	const struct cat_cpu *cpu = cat_cpu_of(spec->family);
	struct identity id;

	if (!identity_of(machine, &id) || machine_cpus(machine) > CPU_PAGE_CPUS ||
	    LEN(common_leaves) + cpu->leaves + NAME_LEAVES > CPU_PAGE_LEAVES)
		return BXS_ENOTSUP;
	memset(page, 0, sizeof *page);
	page->size = sizeof *page;
	page->sockets = id.sockets;
	page->nodes = id.nodes;
	page->cores = id.cores;
	page->threads = id.threads;
	page->cpus = machine_cpus(machine);
	memcpy(page->leaf, common_leaves, sizeof common_leaves);
	page->leaves = LEN(common_leaves);
	add_leaves(cpu, page);
	page->highest = id.highest_leaf;
	page->tsc_khz = id.base_mhz * 1000;
	page->memory = id.sockets * spec->value[SPEC_MEMORY];
	fill_names(&id, page);
	fill_caches(&id, page);
	fill_shape(&id, page);
	fill_counters(machine, page);
	if (spec->value[SPEC_TURBO] || spec->value[SPEC_CORE_MHZ] > spec->value[SPEC_BASE_MHZ])
		find(page, 6, CPU_ANY_SUBLEAF)->eax |= TURBO;
	page->magic = CPU_PAGE_MAGIC;
	return 0;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int cpuid_create(const char *path, const struct machine *m, struct cpu_page **out)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err = BXS_EIO, kept;
	void *map;

	if (fd < 0)
		return BXS_EIO;
	map = ftruncate(fd, sizeof **out) < 0 ? MAP_FAILED :
	      mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED) {
		err = cpuid_fill(m, map);
		if (err < 0) {
			munmap(map, sizeof **out);
		} else {
			*out = map;
			(*out)->monotonic = now(CLOCK_MONOTONIC);
			(*out)->realtime = now(CLOCK_REALTIME);
		}
	}
	kept = errno;
	close(fd);
	errno = kept;
	return err;
}

void cpuid_clock(struct cpu_page *page, uint64_t tsc, uint64_t from, uint64_t rate, uint64_t limit)
{
	struct cpu_clock *c = &page->clock;
	uint64_t version = atomic_load_explicit(&c->version, memory_order_relaxed) + 1;
	struct cpu_clock_line *l = &c->line[version % 2];

	/* Whoever sees what follows in the line sees that it is not the current one any more. */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&l->tsc, tsc, memory_order_relaxed);
	atomic_store_explicit(&l->from, from, memory_order_relaxed);
	atomic_store_explicit(&l->rate, rate, memory_order_relaxed);
	atomic_store_explicit(&l->limit, limit, memory_order_relaxed);
	atomic_store_explicit(&c->version, version, memory_order_release);
}

uint64_t cpuid_clock_read(const struct cpu_page *page, uint64_t now)
{
	uint64_t tsc = 0;

	cpu_clock_read(&page->clock, now, &tsc);
	return tsc;
}
