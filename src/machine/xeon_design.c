/* SPDX-License-Identifier: BSD-2-Clause */
/* What tells the Xeons apart, and which machines can be made of their parts. */
#include <inttypes.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "catalog/find.h"
#include "machine/core.h"
#include "machine/xeon_private.h"
#include "pmu/pmu.h"

enum { SMALL_DIE = 8 };		/* cores of the die with one ring */

#define WITHOUT(key) (UINT32_C(1) << SPEC_##key)

/* HSX manual 2.9.6: the link layer takes a flit of four transfers in a clock. */
const struct xeon_design xeon_haswell = {
	.memory = imc_config_ddr4, .ddr_most = 3200, .qpi_most = 9600, .link_transfers = 4, .hitme = 4096,
	.clusters = true,
};

/*
 * SNB-EP manual 2.7.1: two flits in a clock.  Ring and cache slices have no clock of their own.  Their times: a load finds
 * its line in the last-level cache after 30 clocks on a die of six cores (docs/reference/sources.md), here of eight.
 */
const struct xeon_design xeon_sandy_bridge = {
	.memory = imc_config_ddr3, .ddr_most = 1600, .qpi_most = 8000, .link_transfers = 8,
	.ring_at_core = true, .times = { .core_out = 3, .core_in = 5, .tag = 5, .hit = 4 },
	.without = WITHOUT(VMSE) | WITHOUT(OSB) | WITHOUT(ERMS),
};

static const char *const nehalem_names[][2] = {
	{ "cbo", "cbox" }, { "ha", "bbox" }, { "imc", "mbox" }, { "pcu", "wbox" }, { NULL, NULL },
};

/*
 * Between the memory controller and its modules are two serial links in lockstep and a buffer on each.  With these, and
 * the router on the way to other sockets, latencies come out as published (docs/reference/sources.md): 21 ns for the last-level
 * cache, 135 and 196 for local and remote memory.  tests/machine/latency.c holds both families to theirs.
 */
static void buffered_ddr3(struct imc_config *config, unsigned mts, unsigned ranks)
{
	enum { SERIAL = 8 };		/* clocks of memory, each way */

	imc_config_ddr3(config, mts, ranks);
	config->front += SERIAL;
	config->back += SERIAL;
}

/* All eight cores' dies have eight slices; four sockets need no node controller.  323535-001, 1.2 and 2.6. */
const struct xeon_design xeon_nehalem_ex = {
	.times = { .tag = 13, .hit = 12, .r3_out = 17, .r3_in = 17 },
	.memory = buffered_ddr3, .ddr_most = 1066, .qpi_most = 6400, .link_transfers = 4,
	.names = nehalem_names, .bridged = true, .cores_most = 8, .sockets_most = 4,
	.without = WITHOUT(VMSE) | WITHOUT(OSB) | WITHOUT(VNA) | WITHOUT(L0P) | WITHOUT(ERMS),
};

const struct xeon_design *xeon_design_of(const struct spec *spec)
{
	return families_find(spec->family)->xeon;
}

unsigned xeon_links(const struct spec *spec)
{
	return (unsigned)spec->value[SPEC_QPI_LINKS] - xeon_design_of(spec)->bridged;
}

static int check_boxes(const struct spec *spec, const struct complaint *c)
{
	static const struct { const char *type; enum spec_key key; } limits[] = {
		{ "cbo", SPEC_CORES }, { "ha", SPEC_HAS }, { "qpi", SPEC_QPI_LINKS },
	};
	const uint64_t *v = spec->value;
	const struct xeon_design *d = xeon_design_of(spec);

	for (size_t i = 0; i < LEN(limits); i++) {
		const struct cat_type *t =
			cat_find_type(spec->family, limits[i].type, strlen(limits[i].type));

		if (t && v[limits[i].key] > t->boxes)
			return complain(c, BXS_EINVAL, "%s=%" PRIu64 ": a socket of %s has at most %u",
					spec_key_info(limits[i].key)->name, v[limits[i].key],
					cat_str(spec->family->name), t->boxes);
	}
	if (xeon_links(spec) < 1 || xeon_links(spec) > FABRIC_MAX_LINKS)
		return complain(c, BXS_EINVAL, "qpi_links=%" PRIu64 ": a socket of %s has %u to %u",
				v[SPEC_QPI_LINKS], cat_str(spec->family->name), 1u + d->bridged,
				(unsigned)FABRIC_MAX_LINKS + d->bridged);
	if ((d->cores_most && v[SPEC_CORES] > d->cores_most) ||
	    (d->sockets_most && v[SPEC_SOCKETS] > d->sockets_most))
		return complain(c, BXS_EINVAL, "sockets=%" PRIu64 ",cores=%" PRIu64 ": %s has at most %u and %u",
				v[SPEC_SOCKETS], v[SPEC_CORES], cat_str(spec->family->name),
				d->sockets_most, d->cores_most);
	return 0;
}

static int check_memory(const struct spec *spec, const struct complaint *c)
{
	const uint64_t *v = spec->value;
	const struct xeon_design *d = xeon_design_of(spec);

	if (v[SPEC_CHANNELS] % v[SPEC_HAS] != 0 || v[SPEC_CHANNELS] / v[SPEC_HAS] > HA_CHANNELS)
		return complain(c, BXS_EINVAL, "channels=%" PRIu64 ": %" PRIu64 " home agents have to share "
				"them evenly, at most %d each", v[SPEC_CHANNELS], v[SPEC_HAS], HA_CHANNELS);
	if (v[SPEC_DIMMS] * v[SPEC_RANKS] > DRAM_MAX_RANKS || v[SPEC_DIMMS] * v[SPEC_RANKS] % 3 == 0)
		return complain(c, BXS_EINVAL, "ranks=%" PRIu64 " dimms_per_channel=%" PRIu64 ": a channel has "
				"1, 2, 4 or 8 ranks in all", v[SPEC_RANKS], v[SPEC_DIMMS]);
	if (v[SPEC_DDR_MTS] > d->ddr_most || v[SPEC_QPI_MTS] > d->qpi_most)
		return complain(c, BXS_EINVAL, "ddr_mts=%" PRIu64 " qpi_mts=%" PRIu64 ": %s has at most %u and %u",
				v[SPEC_DDR_MTS], v[SPEC_QPI_MTS], cat_str(spec->family->name),
				d->ddr_most, d->qpi_most);
	return 0;
}

_Static_assert(SPEC_KEY_COUNT <= 32, "a bit for each key");

static int check_keys(const struct spec *spec, const struct complaint *c)
{
	for (unsigned key = 0; key < SPEC_KEY_COUNT; key++)
		if (xeon_design_of(spec)->without >> key & 1 && spec->value[key] != spec_key_info((enum spec_key)key)->def)
			return complain(c, BXS_EINVAL, "%s: %s has nothing that this would change",
					spec_key_info((enum spec_key)key)->name, cat_str(spec->family->name));
	return 0;
}

static int check_snoops(const struct spec *spec, const struct complaint *c)
{
	const uint64_t *v = spec->value;

	if (v[SPEC_SNOOP] == SPEC_SNOOP_DIRECTORY && xeon_design_of(spec)->bridged)
		return complain(c, BXS_EINVAL, "snoop=directory: %s keeps none; it takes early or home",
				cat_str(spec->family->name));
	if (v[SPEC_OSB] && v[SPEC_SNOOP] != SPEC_SNOOP_DIRECTORY && v[SPEC_SNOOP] != SPEC_SNOOP_COD)
		return complain(c, BXS_EINVAL, "osb=on: there is no directory to be ahead of; it takes "
				"snoop=directory or cod");
	if (v[SPEC_SNOOP] == SPEC_SNOOP_COD &&
	    (!xeon_design_of(spec)->clusters || v[SPEC_HAS] != 2 || v[SPEC_CORES] % 2 ||
	     v[SPEC_SOCKETS] > FABRIC_MAX_SOCKETS / 2 || v[SPEC_MEMORY] % (2 * MAP_BLOCK_BYTES)))
		return complain(c, BXS_EINVAL, "snoop=cod: needs an hsx with two home agents, an even number "
				"of cores, and at most %d sockets", FABRIC_MAX_SOCKETS / 2);
	return 0;
}

int xeon_check(const struct spec *spec, char *why, size_t size)
{
	const struct complaint c = { why, size };
	int err = check_boxes(spec, &c);

	if (err == 0)
		err = check_keys(spec, &c);
	if (err == 0)
		err = check_memory(spec, &c);
	return err == 0 ? check_snoops(spec, &c) : err;
}

static void set_boxes(struct pmu_config *config, const char *type, unsigned boxes)
{
	const struct cat_type *t = cat_find_type(config->family, type, strlen(type));

	if (t)
		config->boxes[t - &cat_types[config->family->type0]] = (uint16_t)boxes;
}

/* Two ring switches on the die of up to 8 cores; a link without a port has no link layer.  The
 * slices of cores that are switched off stay, and so does R3QPI's link 2. */
void xeon_boxes(const struct spec *spec, struct pmu_config *config)
{
	set_boxes(config, "cbox", (unsigned)spec->value[SPEC_CORES]);
	set_boxes(config, "sbo", spec->value[SPEC_CORES] <= SMALL_DIE ? 2 : 4);
	set_boxes(config, "qpi", (unsigned)spec->value[SPEC_QPI_LINKS]);
	set_boxes(config, "ha", (unsigned)spec->value[SPEC_HAS]);
	set_boxes(config, "imc", (unsigned)spec->value[SPEC_HAS] * HA_CHANNELS);
	set_boxes(config, "core", (unsigned)(spec->value[SPEC_CORES] * spec->value[SPEC_THREADS]));
	/* Of two threads each has half of what an only one has; a Nehalem's catalogue has no more. */
	config->cpu_counters = spec->value[SPEC_THREADS] > 1 ? CORE_COUNTERS / 2 : CORE_COUNTERS;
}

/* A die's registers answer for slices whose core is switched off, and for channels that the part has no pins for; second
 * threads have registers and never run. */
bool xeon_uses(const struct spec *spec, unsigned type, unsigned box)
{
	const uint64_t *v = spec->value;
	const char *name = cat_str(cat_types[type].name);

	if (strcmp(name, "cbo") == 0 || strcmp(name, "core") == 0)
		return box < v[SPEC_CORES];
	if (strcmp(name, "imc") == 0)
		return box % HA_CHANNELS < v[SPEC_CHANNELS] / v[SPEC_HAS];
	return true;
}
