/* SPDX-License-Identifier: BSD-2-Clause */
/* The identity of a machine's processors: the family's facts (catalog/FAMILY/cpu), for its part and shape. */
#include "virtual/identity.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "catalog/find.h"
#include "catalog/product.h"
#include "machine/machine.h"

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

static void caches(const struct cat_cpu *cpu, const struct spec *spec, struct identity *id)
{
	static const struct { uint8_t level; char type; } own[] = { { 1, 'D' }, { 1, 'I' }, { 2, 'U' } };
	unsigned ways = (unsigned)spec->value[SPEC_LLC_WAYS];
	/* A slice has 2048 sets of 64 bytes. */
	unsigned slice_kb = ways * 128;

	_Static_assert(LEN(own) == IDENTITY_CACHES - 1 && LEN(own) == LEN(cpu->cache), "a core's, and the last level");
	for (unsigned i = 0; i < LEN(own); i++)
		id->cache[i] = (struct identity_cache){ .level = own[i].level, .type = own[i].type,
							.size_kb = cpu->cache[i].kb, .ways = cpu->cache[i].ways };
	id->cache[3] = (struct identity_cache){ .level = 3, .type = 'U', .ways = ways, .shared = true,
						.size_kb = slice_kb * id->cores };
	for (unsigned i = 0; i < IDENTITY_CACHES; i++) {
		struct identity_cache *c = &id->cache[i];

		c->line = 64;
		c->sets = c->size_kb * 1024 / c->line / c->ways;
	}
}

static unsigned stepping(const struct cat_cpu *cpu, const struct cat_part *part)
{
	const char *other = cat_str(cpu->other);

	return *other && part && strncmp(cat_str(part->name), other, strlen(other)) == 0 ? cpu->other_stepping : cpu->stepping;
}

bool identity_of(const struct machine *m, struct identity *out)
{
	const struct spec *spec = machine_spec(m);
	const struct cat_cpu *cpu = cat_cpu_of(spec->family);
	char part[32] = "";
	unsigned mhz;

	if (!cpu->known)
		return false;
	*out = (struct identity){
		.family = 6, .model = spec->family->model, .stepping = stepping(cpu, spec->part),
		.microcode = machine_microcode(m), .flags = cat_str(cpu->flags),
		.highest_leaf = cpu->highest_leaf, .address_bits = cpu->address_bits,
		.sockets = machine_sockets(m), .cores = machine_cores(m) / machine_sockets(m),
		.threads = (unsigned)spec->value[SPEC_THREADS], .nodes = machine_nodes(m),
		.base_mhz = (unsigned)spec->value[SPEC_BASE_MHZ],
	};
	out->turbo_mhz = (unsigned)part_value(spec, "turbo_mhz", out->base_mhz);
	if (spec->part)
		product(cat_str(spec->part->name), part, sizeof part);
	mhz = (out->base_mhz + 5) % 100000;
	snprintf(out->name, sizeof out->name, "Intel(R) Xeon(R) CPU %.12s%.2s @ %u.%02uGHz", part, cat_str(cpu->version),
		 mhz / 1000, mhz % 1000 / 10);
	caches(cpu, spec, out);
	return true;
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
