/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An Itanium machine: one box "core" of the PMU for each thread of a socket, threads 2c and 2c + 1 being those
 * of core c, and the simulated uncores of its sockets.
 */
#include "machine/itanium.h"
#include "machine/itanium_cores.h"

#include <inttypes.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "catalog/find.h"
#include "machine/private.h"
#include "pmu/pmu.h"

enum { THREADS = 2, QPI_MOST = 6400, DDR_MOST = 1066 };

/* Keys that would change nothing here. */
static const uint8_t without[] = {
	SPEC_LLC_WAYS, SPEC_VMSE, SPEC_PPD, SPEC_VNA, SPEC_L0P, SPEC_TADS, SPEC_OSB, SPEC_D2C, SPEC_TURBO, SPEC_POWER, SPEC_ERMS,
};

static int check_counts(const struct spec *spec, const struct complaint *c)
{
	const uint64_t *v = spec->value;
	const char *family = cat_str(spec->family->name);

	if (v[SPEC_THREADS] != THREADS)
		return complain(c, BXS_EINVAL, "threads=%" PRIu64 ": a core of %s has %d", v[SPEC_THREADS], family, THREADS);
	if (v[SPEC_CORES] > P9500_CORES)
		return complain(c, BXS_EINVAL, "cores=%" PRIu64 ": a socket of %s has at most %d", v[SPEC_CORES], family,
				P9500_CORES);
	if (v[SPEC_SOCKETS] & (v[SPEC_SOCKETS] - 1))
		return complain(c, BXS_EINVAL, "sockets=%" PRIu64 ": the links of %s join 1, 2, 4 or 8", v[SPEC_SOCKETS], family);
	if (v[SPEC_QPI_LINKS] > 2)
		return complain(c, BXS_EINVAL, "qpi_links=%" PRIu64 ": two sockets of %s have 1 or 2 between them",
				v[SPEC_QPI_LINKS], family);
	return 0;
}

static int check_memory(const struct spec *spec, const struct complaint *c)
{
	const uint64_t *v = spec->value;
	const char *family = cat_str(spec->family->name);

	if (v[SPEC_HAS] != P9500_HOMES || v[SPEC_CHANNELS] != P9500_HOMES * 2)
		return complain(c, BXS_EINVAL, "has=%" PRIu64 " channels=%" PRIu64 ": a socket of %s has %d and %d", v[SPEC_HAS],
				v[SPEC_CHANNELS], family, P9500_HOMES, P9500_HOMES * 2);
	if (v[SPEC_DDR_MTS] > DDR_MOST || v[SPEC_QPI_MTS] > QPI_MOST)
		return complain(c, BXS_EINVAL, "ddr_mts=%" PRIu64 " qpi_mts=%" PRIu64 ": %s has at most %d and %d",
				v[SPEC_DDR_MTS], v[SPEC_QPI_MTS], family, DDR_MOST, QPI_MOST);
	if (v[SPEC_DIMMS] * v[SPEC_RANKS] > DRAM_MAX_RANKS || v[SPEC_DIMMS] * v[SPEC_RANKS] % 3 == 0)
		return complain(c, BXS_EINVAL, "ranks=%" PRIu64 " dimms_per_channel=%" PRIu64 ": a channel has "
				"1, 2, 4 or 8 ranks in all", v[SPEC_RANKS], v[SPEC_DIMMS]);
	if (v[SPEC_SNOOP] != SPEC_SNOOP_DIRECTORY)
		return complain(c, BXS_EINVAL, "snoop=%s: home agents of %s keep a directory; they take snoop=directory",
				v[SPEC_SNOOP] == SPEC_SNOOP_EARLY ? "early" : v[SPEC_SNOOP] == SPEC_SNOOP_HOME ? "home" : "cod",
				family);
	return 0;
}

int itanium_check(const struct spec *spec, char *why, size_t size)
{
	const struct complaint c = { why, size };
	int err = check_counts(spec, &c);

	for (size_t i = 0; err == 0 && i < LEN(without); i++) {
		const struct spec_key_info *key = spec_key_info((enum spec_key)without[i]);

		if (spec->value[without[i]] != key->def)
			return complain(&c, BXS_EINVAL, "%s: %s has nothing that this would change", key->name,
					cat_str(spec->family->name));
	}
	return err == 0 ? check_memory(spec, &c) : err;
}

void itanium_boxes(const struct spec *spec, struct pmu_config *config)
{
	const struct cat_type *core = cat_find_type(config->family, "core", 4);

	if (core)
		config->boxes[core - &cat_types[config->family->type0]] =
			(uint16_t)(THREADS * spec->value[SPEC_CORES]);
}

int itanium_clocks(const struct spec *spec, struct pmu *pmu)
{
	int err = 0;

	for (unsigned s = 0; err == 0 && s < spec->value[SPEC_SOCKETS]; s++) {
		err = pmu_clock_change(pmu, s, "core", 0, (uint32_t)spec->value[SPEC_CORE_MHZ] * 1000);
		if (err == 0 && spec->value[SPEC_UCLK_MHZ])
			err = pmu_clock_change(pmu, s, "uclk", 0,
					       (uint32_t)spec->value[SPEC_UCLK_MHZ] * 1000);
	}
	return err;
}

static bool snoop_core(void *ctx, const struct p9500_snoop *snoop)
{
	struct machine *m = ctx;

	if (m->itanium_cores)
		return itanium_cores_snoop(m->itanium_cores, snoop);
	if (snoop->core < m->together)
		machine_ask_core(m, snoop->socket * m->together + snoop->core, snoop->line, snoop->kind);
	return false;
}

static void wire(struct machine *m)
{
	static const char *const types[] = { "cbox", "sbox", "bbox", "zbox", "rbox" };

	for (unsigned t = 0; t < LEN(types); t++)
		for (unsigned s = 0; s < m->sockets; s++)
			for (unsigned b = 0; pmu_port(m->pmu, s, types[t], b); b++)
				p9500_port(m->p9500, s, types[t], b, pmu_port(m->pmu, s, types[t], b));
}

int itanium_build(struct machine *m)
{
	const uint64_t *v = m->spec.value;
	struct p9500_config config = {
		.sockets = m->sockets,
		.cores = (unsigned)v[SPEC_CORES],
		.slices = (unsigned)core_part(m, "llc_slices", P9500_CORES),
		.links = (unsigned)v[SPEC_QPI_LINKS],
		.uclk_khz = pmu_clock(m->pmu, 0, "uclk")->khz,
		.core_khz = (uint32_t)v[SPEC_CORE_MHZ] * 1000,
		.qpi_mts = (uint32_t)v[SPEC_QPI_MTS],
		.ddr_mts = (uint32_t)v[SPEC_DDR_MTS],
		.ranks = (unsigned)(v[SPEC_RANKS] * v[SPEC_DIMMS]),
		.dimms = (unsigned)v[SPEC_DIMMS],
		.memory = m->map.memory,
		.snoop_core = snoop_core,
		.ctx = m,
	};
	int err = p9500_new(&config, &m->p9500);

	if (err < 0)
		return err;
	wire(m);
	return itanium_build_power(m);
}

void itanium_release(struct machine *m)
{
	pcu_free(m->pcu);
	p9500_free(m->p9500);
}
