/* SPDX-License-Identifier: BSD-2-Clause */
/* Temperatures as Linux's driver coretemp shows them: of each package, where it has a sensor of its own, and of its cores. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "machine/machine.h"
#include "virtual/files.h"

enum { CORE_STATUS = 0x19c, TARGET = 0x1a2, PACKAGE_STATUS = 0x1b1, PACKAGE_SENSOR = 1, FIRST_CORE = 2, MILLI = 1000 };

/* `what`: the register with the reading, in degrees below the limit; 0: the limit itself. */
static int read_degrees(struct virtual *v, const struct tree_number *n, int64_t *value)
{
	uint64_t target, status = 0;
	int err = files_read_msr(v, n->cpu, TARGET, &target);

	if (err == 0 && n->what)
		err = files_read_msr(v, n->cpu, n->what, &status);
	if (err == 0)
		*value = MILLI * ((int64_t)bits_get(target, 23, 16) - (int64_t)bits_get(status, 22, 16));
	return err;
}

/* Has it been critically hot? */
static int read_alarm(struct virtual *v, const struct tree_number *n, int64_t *value)
{
	uint64_t status;
	int err = files_read_msr(v, n->cpu, n->what, &status);

	if (err == 0)
		*value = (int64_t)bits_get(status, 5, 5);
	return err;
}

static void file(struct tree *t, uint32_t dir, unsigned sensor, const char *name, const struct tree_number *n)
{
	char path[32];

	snprintf(path, sizeof path, "temp%u_%s", sensor, name);
	files_number(t, dir, path, 0444, n);
}

static void sensor(struct tree *t, uint32_t dir, unsigned number, unsigned cpu, uint32_t status)
{
	const struct tree_number limit = { .read = read_degrees, .cpu = cpu };

	file(t, dir, number, "input", &(struct tree_number){ .read = read_degrees, .cpu = cpu, .what = status });
	file(t, dir, number, "max", &limit);
	file(t, dir, number, "crit", &limit);
	file(t, dir, number, "crit_alarm", &(struct tree_number){ .read = read_alarm, .cpu = cpu, .what = status });
}

static uint32_t chip(struct tree *t, unsigned socket)
{
	char path[96];
	uint32_t device, dir;

	snprintf(path, sizeof path, "sys/devices/platform/coretemp.%u", socket);
	device = tree_path(t, TREE_ROOT, path);
	tree_link(t, device, "subsystem", "../../../bus/platform");
	tree_text(t, device, "modalias", "platform:coretemp\n");
	snprintf(path, sizeof path, "hwmon/hwmon%u", socket);
	dir = tree_path(t, device, path);
	snprintf(path, sizeof path, "../../devices/platform/coretemp.%u/hwmon/hwmon%u", socket, socket);
	tree_link(t, tree_path(t, TREE_ROOT, "sys/class/hwmon"), strrchr(path, '/') + 1, path);
	snprintf(path, sizeof path, "../../../coretemp.%u", socket);
	tree_link(t, dir, "device", path);
	tree_link(t, dir, "subsystem", "../../../../../class/hwmon");
	tree_text(t, dir, "name", "coretemp\n");
	return dir;
}

void files_heat(struct tree *t, struct virtual *v, const struct identity *id)
{
	struct access_address at;
	uint64_t value;
	bool package = virtual_msr(v, 0, PACKAGE_STATUS, &at) == 0 && virtual_peek(v, &at, &value) == 0;

	for (unsigned socket = 0; socket < id->sockets; socket++) {
		uint32_t dir = chip(t, socket);
		char label[32];

		if (package) {
			snprintf(label, sizeof label, "temp%d_label", PACKAGE_SENSOR);
			tree_text(t, dir, label, "Package id %u\n", socket);
			sensor(t, dir, PACKAGE_SENSOR, socket * id->cores, PACKAGE_STATUS);
		}
		for (unsigned core = 0; core < id->cores; core++) {
			snprintf(label, sizeof label, "temp%u_label", FIRST_CORE + core);
			tree_text(t, dir, label, "Core %u\n", core);
			sensor(t, dir, FIRST_CORE + core, socket * id->cores + core, CORE_STATUS);
		}
	}
}
