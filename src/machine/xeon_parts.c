/* SPDX-License-Identifier: BSD-2-Clause */
/* Which machines can be made of a Xeon's parts. */
#include <inttypes.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "catalog/find.h"
#include "catalog/product.h"
#include "machine/core.h"
#include "machine/xeon_private.h"
#include "pmu/pmu.h"

enum { SMALL_DIE = 8 };		/* cores of the die with one ring */

unsigned xeon_links(const struct spec *spec)
{
	return (unsigned)spec->value[SPEC_QPI_LINKS] - cat_design_of(spec->family)->bridged;
}

static int check_boxes(const struct spec *spec, const struct complaint *c)
{
	static const struct { const char *type; enum spec_key key; } limits[] = {
		{ "cbo", SPEC_CORES }, { "ha", SPEC_HAS }, { "qpi", SPEC_QPI_LINKS },
	};
	const uint64_t *v = spec->value;
	const struct cat_design *d = cat_design_of(spec->family);

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
	const struct cat_design *d = cat_design_of(spec->family);

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

static int check_keys(const struct spec *spec, const struct complaint *c)
{
	static const struct { enum spec_key key; enum cat_lacks bit; } lacks[] = {
		{ SPEC_VMSE, CAT_LACKS_VMSE }, { SPEC_OSB, CAT_LACKS_OSB }, { SPEC_VNA, CAT_LACKS_VNA },
		{ SPEC_L0P, CAT_LACKS_L0P }, { SPEC_ERMS, CAT_LACKS_ERMS },
	};

	for (unsigned i = 0; i < LEN(lacks); i++) {
		const struct spec_key_info *key = spec_key_info(lacks[i].key);

		if (cat_design_of(spec->family)->lacks & lacks[i].bit && spec->value[lacks[i].key] != key->def)
			return complain(c, BXS_EINVAL, "%s: %s has nothing that this would change", key->name,
					cat_str(spec->family->name));
	}
	return 0;
}

static int check_snoops(const struct spec *spec, const struct complaint *c)
{
	const uint64_t *v = spec->value;

	if (v[SPEC_SNOOP] == SPEC_SNOOP_DIRECTORY && cat_design_of(spec->family)->bridged)
		return complain(c, BXS_EINVAL, "snoop=directory: %s keeps none; it takes early or home",
				cat_str(spec->family->name));
	if (v[SPEC_OSB] && v[SPEC_SNOOP] != SPEC_SNOOP_DIRECTORY && v[SPEC_SNOOP] != SPEC_SNOOP_COD)
		return complain(c, BXS_EINVAL, "osb=on: there is no directory to be ahead of; it takes "
				"snoop=directory or cod");
	if (v[SPEC_SNOOP] == SPEC_SNOOP_COD && !cat_design_of(spec->family)->clusters)
		return complain(c, BXS_EINVAL, "snoop=cod: a socket of %s cannot be split into clusters", cat_str(spec->family->name));
	if (v[SPEC_SNOOP] == SPEC_SNOOP_COD &&
	    (v[SPEC_HAS] != 2 || v[SPEC_CORES] % 2 ||
	     v[SPEC_SOCKETS] > FABRIC_MAX_SOCKETS / 2 || v[SPEC_MEMORY] % (2 * MAP_BLOCK_BYTES)))
		return complain(c, BXS_EINVAL, "snoop=cod: needs sockets with two home agents, an even number "
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
