/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frequencies and power as Linux 6.1 shows them: cpufreq with the driver that Linux uses for these processors, the energy
 * bias, and RAPL as powercap.  Each read computes its number from the registers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "machine/machine.h"
#include "virtual/files.h"

enum {
	PLATFORM_INFO = 0xce, PERF_STATUS = 0x198, ENERGY_BIAS = 0x1b0, POWER_UNIT = 0x606,
	MICRO = 1000000,
	UNIT_SCALE = 1000,		/* energy units are in nanojoules, results in microjoules */
	MEMORY_UNIT = 15300,		/* DRAM energy unit where it differs from the package's */
};

/* What a powercap file shows. */
enum part { ENERGY, ENERGY_RANGE, ENABLED, LIMIT1, WINDOW1, MOST1, LIMIT2, WINDOW2, MOST2 };

/* A machine has the zones whose limit register it has. */
static const struct zone {
	const char *name, *path;	/* %u: the socket */
	uint16_t limit, energy, info;
	bool of_memory;
} zones[] = {
	{ "package-%u", "intel-rapl:%u", 0x610, 0x611, 0x614, false },
	{ "core", "intel-rapl:%u/intel-rapl:%u:0", 0x638, 0x639, 0, false },
	{ "dram", "intel-rapl:%u/intel-rapl:%u:%u", 0x618, 0x619, 0x61c, true },
};
enum { PACKAGE_ZONE };

static bool has(struct virtual *v, uint32_t number)
{
	struct access_address at;
	uint64_t value;

	return virtual_msr(v, 0, number, &at) == 0 && virtual_peek(v, &at, &value) == 0;
}

/* Linux rounds units down: energy to a nanojoule, power to a microwatt, time to a microsecond. */
static uint64_t energy_unit(uint64_t units, const struct zone *z)
{
	uint64_t package = (uint64_t)UNIT_SCALE * MICRO >> bits_get(units, 12, 8);

	return z->of_memory && bits_get(units, 12, 8) != 16 ? MEMORY_UNIT : package;
}

static uint64_t power(uint64_t units, uint64_t raw)
{
	return raw * (MICRO >> bits_get(units, 3, 0));
}

/* The time window is 2^Y * (1 + Z/4) time units: SDM volume 3, power metering. */
static uint64_t window(uint64_t units, uint64_t raw)
{
	uint64_t unit = MICRO >> bits_get(units, 19, 16);

	return (UINT64_C(1) << bits_get(raw, 4, 0)) * (4 + bits_get(raw, 6, 5)) * unit / 4;
}

static int64_t part_of(enum part part, const struct zone *z, uint64_t units, uint64_t raw)
{
	switch (part) {
	case ENERGY:
		return (int64_t)((raw & UINT32_MAX) * energy_unit(units, z) / UNIT_SCALE);
	case ENERGY_RANGE:
		return (int64_t)(UINT32_MAX * energy_unit(units, z) / UNIT_SCALE);
	case ENABLED:
		return (int64_t)bits_get(raw, 15, 15);
	case LIMIT1:
		return (int64_t)power(units, bits_get(raw, 14, 0));
	case WINDOW1:
		return (int64_t)window(units, bits_get(raw, 23, 17));
	case LIMIT2:
		return (int64_t)power(units, bits_get(raw, 46, 32));
	case WINDOW2:
		return (int64_t)window(units, bits_get(raw, 55, 49));
	case MOST1:
		return (int64_t)power(units, bits_get(raw, 14, 0));
	default:
		return (int64_t)power(units, bits_get(raw, 46, 32));
	}
}

/* `what` holds the zone in bits 7:0 and the part above them. */
static int read_zone(struct virtual *v, const struct tree_number *n, int64_t *value)
{
	const struct zone *z = &zones[n->what & 0xff];
	enum part part = (enum part)(n->what >> 8);
	uint32_t number = part == ENERGY || part == ENERGY_RANGE ? z->energy :
			  part == MOST1 || part == MOST2 ? z->info : z->limit;
	uint64_t units, raw;
	int err = files_read_msr(v, n->cpu, POWER_UNIT, &units);

	if (err == 0)
		err = files_read_msr(v, n->cpu, number, &raw);
	if (err == 0)
		*value = part_of(part, z, units, raw);
	return err;
}

/* Of 7 bits that window() reads, those that come to the longest time not above `us`, as Linux works them out; 128: none do. */
static uint64_t window_bits(uint64_t units, uint64_t us)
{
	uint64_t unit = MICRO >> bits_get(units, 19, 16), n = us / unit, y = 0;

	while (n >> y > 1)
		y++;
	return n == 0 || y > 31 ? 128 : y | (4 * (n - (UINT64_C(1) << y)) >> y) << 5;
}

struct field {
	unsigned high, low;
};

static struct field field_of(enum part part)
{
	switch (part) {
	case ENABLED:
		return (struct field){ 15, 15 };
	case LIMIT1:
		return (struct field){ 14, 0 };
	case WINDOW1:
		return (struct field){ 23, 17 };
	case LIMIT2:
		return (struct field){ 46, 32 };
	default:
		return (struct field){ 55, 49 };
	}
}

/* Into the zone's register: what is no number or does not fit is EINVAL. */
static int write_zone(struct virtual *v, const struct tree_number *n, const char *text)
{
	const struct zone *z = &zones[n->what & 0xff];
	enum part part = (enum part)(n->what >> 8);
	struct field f = field_of(part);
	uint64_t value, units, raw;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || *end || *text == '-' || errno)
		return EINVAL;
	if (files_read_msr(v, n->cpu, POWER_UNIT, &units) < 0 || files_read_msr(v, n->cpu, z->limit, &raw) < 0)
		return EIO;
	if (part == WINDOW1 || part == WINDOW2)
		value = window_bits(units, value);
	else if (part != ENABLED)
		value /= MICRO >> bits_get(units, 3, 0);
	if (value >> (f.high - f.low + 1))
		return EINVAL;
	raw = bits_put(raw, f.high, f.low, value);
	return files_write_msr(v, n->cpu, z->limit, raw) < 0 ? EIO : 0;
}

static bool is_written(enum part part)
{
	return part != ENERGY && part != ENERGY_RANGE && part != MOST1 && part != MOST2;
}

static void zone_file(struct tree *t, uint32_t dir, const char *name, unsigned cpu, unsigned zone, enum part part)
{
	bool written = is_written(part);

	files_number(t, dir, name, written ? 0644 : part == ENERGY ? 0400 : 0444,
		     &(struct tree_number){ .read = read_zone, .write = written ? write_zone : NULL, .cpu = cpu,
					    .what = part << 8 | zone });
}

static void constraint(struct tree *t, uint32_t dir, unsigned number, const char *name)
{
	char file[64];

	snprintf(file, sizeof file, "constraint_%u_name", number);
	tree_text(t, dir, file, "%s\n", name);
}

/* `place` is the zone's number within its package. */
static void zone(struct tree *t, uint32_t top, unsigned which, unsigned socket, unsigned cpu, unsigned place)
{
	const struct zone *z = &zones[which];
	char text[64], link[128];
	uint32_t dir;

	snprintf(text, sizeof text, z->path, socket, socket, place);
	dir = tree_path(t, top, text);
	snprintf(link, sizeof link, "../../devices/virtual/powercap/intel-rapl/%s", text);
	tree_link(t, tree_path(t, TREE_ROOT, "sys/class/powercap"), strrchr(link, '/') + 1, link);
	snprintf(text, sizeof text, z->name, socket);
	tree_text(t, dir, "name", "%s\n", text);
	zone_file(t, dir, "energy_uj", cpu, which, ENERGY);
	zone_file(t, dir, "max_energy_range_uj", cpu, which, ENERGY_RANGE);
	zone_file(t, dir, "enabled", cpu, which, ENABLED);
	constraint(t, dir, 0, "long_term");
	zone_file(t, dir, "constraint_0_power_limit_uw", cpu, which, LIMIT1);
	zone_file(t, dir, "constraint_0_time_window_us", cpu, which, WINDOW1);
	if (z->info)
		zone_file(t, dir, "constraint_0_max_power_uw", cpu, which, MOST1);
	if (which != PACKAGE_ZONE)
		return;
	constraint(t, dir, 1, "short_term");
	zone_file(t, dir, "constraint_1_power_limit_uw", cpu, which, LIMIT2);
	zone_file(t, dir, "constraint_1_time_window_us", cpu, which, WINDOW2);
	zone_file(t, dir, "constraint_1_max_power_uw", cpu, which, MOST2);
}

static void powercap(struct tree *t, struct virtual *v, const struct identity *id)
{
	uint32_t class = tree_path(t, TREE_ROOT, "sys/class/powercap"), top;

	if (!has(v, POWER_UNIT))
		return;
	top = tree_path(t, TREE_ROOT, "sys/devices/virtual/powercap/intel-rapl");
	tree_link(t, class, "intel-rapl", "../../devices/virtual/powercap/intel-rapl");
	tree_text(t, top, "enabled", "1\n");
	for (unsigned socket = 0; socket < id->sockets; socket++) {
		unsigned place = 0;

		zone(t, top, PACKAGE_ZONE, socket, socket * id->cores, 0);
		for (unsigned i = PACKAGE_ZONE + 1; i < LEN(zones); i++)
			if (has(v, zones[i].limit))
				zone(t, top, i, socket, socket * id->cores, place++);
	}
}

static int read_bias(struct virtual *v, const struct tree_number *n, int64_t *value)
{
	uint64_t raw;
	int err = files_read_msr(v, n->cpu, ENERGY_BIAS, &raw);

	if (err == 0)
		*value = (int64_t)bits_get(raw, 3, 0);
	return err;
}

/* Linux takes a number from 0 to 15 or one of these words. */
static int write_bias(struct virtual *v, const struct tree_number *n, const char *text)
{
	static const struct { const char *word; uint64_t value; } words[] = {
		{ "performance", 0 }, { "balance-performance", 4 }, { "normal", 6 }, { "balance-power", 8 }, { "power", 15 },
	};
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end || value > 15) {
		size_t i = 0;

		while (i < LEN(words) && strcmp(words[i].word, text) != 0)
			i++;
		if (i == LEN(words))
			return EINVAL;
		value = words[i].value;
	}
	return files_write_msr(v, n->cpu, ENERGY_BIAS, value) < 0 ? EIO : 0;
}

/* `what` is the bus clock in kHz. */
static int read_frequency(struct virtual *v, const struct tree_number *n, int64_t *value)
{
	uint64_t raw;
	int err = files_read_msr(v, n->cpu, PERF_STATUS, &raw);

	if (err == 0)
		*value = (int64_t)(bits_get(raw, 15, 8) * n->what);
	return err;
}

struct range {
	unsigned bus, least, most;	/* kHz */
};

static struct range frequencies(struct virtual *v, const struct identity *id)
{
	const struct spec *spec = machine_spec(virtual_machine(v));
	unsigned bus = spec->family->bus_khz, running = (unsigned)spec->value[SPEC_CORE_MHZ];
	unsigned most = spec->value[SPEC_TURBO] ? id->turbo_mhz : running > id->base_mhz ? running : id->base_mhz;
	struct access_address at;
	uint64_t info = 0;

	if (virtual_msr(v, 0, PLATFORM_INFO, &at) < 0 || virtual_peek(v, &at, &info) < 0)
		info = 0;
	return (struct range){ .bus = bus, .least = (unsigned)bits_get(info, 47, 40) * bus, .most = (most * 1000 + bus / 2) / bus * bus };
}

static void note(struct tree *t, uint32_t dir, const char *name, const char *text)
{
	uint32_t n = tree_text(t, dir, name, "%s\n", text);

	t->node[n].kind = TREE_NOTE;
	t->node[n].mode = 0644;
}

static void frequency(struct tree *t, uint32_t system, unsigned cpu, const struct range *r, bool pstate)
{
	char text[64];
	uint32_t dir;

	snprintf(text, sizeof text, "cpufreq/policy%u", cpu);
	dir = tree_path(t, system, text);
	tree_text(t, dir, "affected_cpus", "%u\n", cpu);
	tree_text(t, dir, "related_cpus", "%u\n", cpu);
	tree_text(t, dir, "cpuinfo_min_freq", "%u\n", r->least);
	tree_text(t, dir, "cpuinfo_max_freq", "%u\n", r->most);
	tree_text(t, dir, "cpuinfo_transition_latency", "%d\n", pstate ? 20000 : 10000);
	tree_text(t, dir, "scaling_driver", "%s\n", pstate ? "intel_cpufreq" : "acpi-cpufreq");
	tree_text(t, dir, "scaling_available_governors", "performance schedutil\n");
	note(t, dir, "scaling_governor", "performance");
	snprintf(text, sizeof text, "%u", r->least);
	note(t, dir, "scaling_min_freq", text);
	snprintf(text, sizeof text, "%u", r->most);
	note(t, dir, "scaling_max_freq", text);
	note(t, dir, "scaling_setspeed", "<unsupported>");
	files_number(t, dir, "scaling_cur_freq", 0444, &(struct tree_number){ .read = read_frequency, .cpu = cpu, .what = r->bus });
}

/* Linux uses its intel_pstate driver from Sandy Bridge on, the generation that introduced RAPL: so the RAPL unit register decides. */
void files_power(struct tree *t, struct virtual *v, const struct identity *id)
{
	uint32_t system = tree_path(t, TREE_ROOT, "sys/devices/system/cpu"), dir;
	struct range r = frequencies(v, id);
	bool pstate = has(v, POWER_UNIT), bias = has(v, ENERGY_BIAS);
	char name[32], target[64];

	powercap(t, v, id);
	for (unsigned cpu = 0; cpu < virtual_cpus(v); cpu++) {
		frequency(t, system, cpu, &r, pstate);
		snprintf(name, sizeof name, "cpu%u", cpu);
		dir = tree_dir(t, system, name);
		snprintf(target, sizeof target, "../cpufreq/policy%u", cpu);
		tree_link(t, dir, "cpufreq", target);
		if (bias)
			files_number(t, tree_dir(t, dir, "power"), "energy_perf_bias", 0644,
				     &(struct tree_number){ .read = read_bias, .write = write_bias, .cpu = cpu });
	}
	if (!pstate)
		return;
	dir = tree_dir(t, system, "intel_pstate");
	note(t, dir, "status", "passive");
	note(t, dir, "no_turbo", machine_spec(virtual_machine(v))->value[SPEC_TURBO] ? "0" : "1");
	note(t, dir, "max_perf_pct", "100");
	snprintf(target, sizeof target, "%u", r.most ? 100 * r.least / r.most : 0);
	note(t, dir, "min_perf_pct", target);
}
