/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who the processors of a family are.  Signatures: SDM volume 4, chapter 2; cache geometries: SDM
 * volume 1 and optimization manual, Haswell, Sandy Bridge and Nehalem; names as the products print them.
 */
#include "virtual/identity.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "catalog/find.h"
#include "machine/machine.h"

#define FLAGS_NEHALEM \
	"fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts acpi mmx fxsr sse " \
	"sse2 ss ht tm pbe syscall nx rdtscp lm constant_tsc arch_perfmon pebs bts rep_good nopl xtopology " \
	"nonstop_tsc cpuid aperfmperf pni dtes64 monitor ds_cpl vmx est tm2 ssse3 cx16 xtpr pdcm dca sse4_1 " \
	"sse4_2 x2apic popcnt lahf_lm"
#define FLAGS_SANDY_BRIDGE FLAGS_NEHALEM " pdpe1gb pclmulqdq smx pcid tsc_deadline_timer aes xsave avx xsaveopt"
#define FLAGS_HASWELL \
	FLAGS_SANDY_BRIDGE " fma movbe f16c rdrand abm fsgsbase tsc_adjust bmi1 avx2 smep bmi2 erms invpcid"

/* version: what the product's name has behind the part's number.  The parts for more than two sockets, whose
 * names start with ex, are a stepping of their own. */
static const struct processor {
	const char *family, *version, *flags, *ex;
	unsigned stepping, ex_stepping;
	unsigned highest_leaf, address_bits, l1i_ways, l2_kb;
} processors[] = {
	{ .family = "hsx", .flags = FLAGS_HASWELL, .stepping = 2,
	  .ex = "e7", .ex_stepping = 4, .highest_leaf = 0xf,
	  .address_bits = 46, .l1i_ways = 8, .l2_kb = 256 },
	{ .family = "snbep", .version = " 0", .flags = FLAGS_SANDY_BRIDGE,
	  .stepping = 7, .highest_leaf = 0xd, .address_bits = 46, .l1i_ways = 8, .l2_kb = 256 },
	{ .family = "nhmex", .flags = FLAGS_NEHALEM, .stepping = 6,
	  .highest_leaf = 0xb, .address_bits = 44, .l1i_ways = 4, .l2_kb = 256 },
};

/* "e5-2699v3" is sold as "E5-2699 v3". */
static void product(const char *part, char *out, size_t size)
{
	size_t n = 0;

	for (; *part && n + 2 < size; part++) {
		if (*part == 'v' && n && isdigit((unsigned char)out[n - 1])) {
			out[n++] = ' ';
			out[n++] = 'v';
		} else {
			out[n++] = (char)toupper((unsigned char)*part);
		}
	}
	out[n] = '\0';
}

static uint64_t part_value(const struct spec *spec, const char *key, uint64_t otherwise)
{
	uint64_t value;

	return spec->part && cat_param(spec->part, key, &value) ? value : otherwise;
}

static void caches(const struct processor *p, const struct spec *spec, struct identity *id)
{
	unsigned ways = (unsigned)spec->value[SPEC_LLC_WAYS];
	/* A slice has 2048 sets of 64 bytes. */
	unsigned slice_kb = ways * 128;

	id->cache[0] = (struct identity_cache){ .level = 1, .type = 'D', .size_kb = 32, .ways = 8 };
	id->cache[1] = (struct identity_cache){ .level = 1, .type = 'I', .size_kb = 32,
						.ways = p->l1i_ways };
	id->cache[2] = (struct identity_cache){ .level = 2, .type = 'U', .size_kb = p->l2_kb, .ways = 8 };
	id->cache[3] = (struct identity_cache){ .level = 3, .type = 'U', .ways = ways, .shared = true,
						.size_kb = slice_kb * id->cores };
	for (unsigned i = 0; i < IDENTITY_CACHES; i++) {
		struct identity_cache *c = &id->cache[i];

		c->line = 64;
		c->sets = c->size_kb * 1024 / c->line / c->ways;
	}
}

bool identity_of(const struct machine *m, struct identity *out)
{
	const struct spec *spec = machine_spec(m);
	char part[32] = "";

	for (size_t i = 0; i < LEN(processors); i++) {
		const struct processor *p = &processors[i];
		unsigned mhz;

		if (strcmp(p->family, cat_str(spec->family->name)) != 0)
			continue;
		*out = (struct identity){
			.family = 6, .model = spec->family->model, .stepping = p->stepping,
			.microcode = machine_microcode(m), .flags = p->flags,
			.highest_leaf = p->highest_leaf, .address_bits = p->address_bits,
			.sockets = machine_sockets(m), .cores = machine_cores(m) / machine_sockets(m),
			.threads = (unsigned)spec->value[SPEC_THREADS], .nodes = machine_nodes(m),
			.base_mhz = (unsigned)spec->value[SPEC_BASE_MHZ],
		};
		if (p->ex && spec->part && strncmp(cat_str(spec->part->name), p->ex, strlen(p->ex)) == 0)
			out->stepping = p->ex_stepping;
		out->turbo_mhz = (unsigned)part_value(spec, "turbo_mhz", out->base_mhz);
		if (spec->part)
			product(cat_str(spec->part->name), part, sizeof part);
		mhz = (out->base_mhz + 5) % 100000;
		snprintf(out->name, sizeof out->name, "Intel(R) Xeon(R) CPU %.12s%.2s @ %u.%02uGHz", part,
			 p->version ? p->version : "", mhz / 1000, mhz % 1000 / 10);
		caches(p, spec, out);
		return true;
	}
	return false;
}

struct identity_place identity_place(const struct identity *id, unsigned cpu)
{
	unsigned all = id->sockets * id->cores;

	return (struct identity_place){
		.socket = cpu % all / id->cores, .core = cpu % id->cores, .thread = cpu / all,
		.node = cpu % all / (all / id->nodes),
	};
}

unsigned identity_core_bits(const struct identity *id)
{
	unsigned bits = 0;

	while (1U << bits < id->cores)
		bits++;
	return bits;
}

uint32_t identity_apic_id(const struct identity *id, unsigned cpu)
{
	struct identity_place at = identity_place(id, cpu);

	return at.socket << (identity_core_bits(id) + 1) | at.core << 1 | at.thread;
}
