/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of LIKWID to accesses of the machine and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "catalog/catalog.h"
#include "feed/module.h"
#include "machine/machine.h"
#include "virtual/likwid_door.h"

#define FN(dev, fn) ((dev) << 3 | (fn))

/*
 * LIKWID's numbers of devices, as the library of Debian 12 (5.2.2) has them and prints them with -V 3, and the
 * functions of the uncore bus that it means on each processor.  0: none.
 */
static const uint8_t hsx_functions[] = {
	[1] = FN(11, 1), [2] = FN(11, 2),				/* R3QPI */
	[4] = FN(16, 1),						/* R2PCIe */
	[5] = FN(20, 0), [6] = FN(20, 1), [7] = FN(21, 0), [8] = FN(21, 1),	/* channels */
	[9] = FN(23, 0), [10] = FN(23, 1), [11] = FN(24, 0), [12] = FN(24, 1),
	[13] = FN(18, 1), [14] = FN(18, 5),				/* home agents */
	[17] = FN(8, 2), [18] = FN(9, 2),				/* links */
	[20] = FN(8, 6), [21] = FN(9, 6),				/* their packet filters */
	[23] = FN(8, 0), [24] = FN(9, 0),				/* and rates */
};

static const uint8_t snbep_functions[] = {
	[1] = FN(19, 5), [2] = FN(19, 6), [4] = FN(19, 1),
	[5] = FN(16, 0), [6] = FN(16, 1), [7] = FN(16, 4), [8] = FN(16, 5),
	[13] = FN(14, 1),
	[17] = FN(8, 2), [18] = FN(9, 2), [20] = FN(8, 6), [21] = FN(9, 6),
	[23] = FN(8, 0), [24] = FN(9, 0),
};

static const struct model {
	const char *family;
	const uint8_t *functions;
	unsigned n;
} models[] = {
	{ "hsx", hsx_functions, LEN(hsx_functions) },
	{ "snbep", snbep_functions, LEN(snbep_functions) },
};

enum { MSR = 0, DEVICE_WIDTH = 32 };

static int msr_address(const struct virtual *v, const struct likwid_record *r, struct access_address *at)
{
	return virtual_msr(v, r->cpu, r->reg, at) < 0 ? LIKWID_NOT_OPEN : LIKWID_OK;
}

/* 0: none. */
static uint8_t function_of(const struct virtual *v, uint32_t device)
{
	const char *family = cat_str(machine_spec(virtual_machine(v))->family->name);

	for (unsigned i = 0; i < LEN(models); i++)
		if (strcmp(models[i].family, family) == 0)
			return device < models[i].n ? models[i].functions[device] : 0;
	return 0;
}

static int address(struct virtual *v, const struct likwid_record *r, struct access_address *at)
{
	uint8_t function;

	if (r->device == MSR)
		return msr_address(v, r, at);
	function = function_of(v, r->device);
	if (!function || r->cpu > UINT16_MAX)
		return LIKWID_NO_DEVICE;
	*at = virtual_function(r->cpu, CAT_BUS_UNCORE, function);
	at->width = DEVICE_WIDTH;
	if (!virtual_has(v, at))
		return LIKWID_NO_DEVICE;
	at->offset = r->reg;
	return LIKWID_OK;
}

void likwid_answer(struct virtual *v, unsigned pid, struct likwid_record *r)
{
	struct access_address at;
	uint64_t value = 0;

	if (r->kind > LIKWID_CHECK) {
		r->error = LIKWID_UNKNOWN;
		return;
	}
	r->error = (uint32_t)address(v, r, &at);
	if (r->error != LIKWID_OK || r->kind == LIKWID_CHECK)
		return;
	if (r->kind == LIKWID_WRITE) {
		r->error = virtual_write(v, pid, &at, r->data) < 0 ? LIKWID_FAILED : LIKWID_OK;
		return;
	}
	r->error = virtual_read(v, pid, &at, &value) < 0 ? LIKWID_FAILED : LIKWID_OK;
	r->data = value;
}

int likwid_environment(const char *name, char *why, size_t size)
{
	const char *path = getenv("PATH");
	char daemon[4096], *list = NULL;
	int err;

	if (!module_find(LIKWID_DAEMON, daemon, sizeof daemon)) {
		module_missing(LIKWID_DAEMON, why, size);
		return BXS_ENOTSUP;
	}
	*strrchr(daemon, '/') = '\0';
	if (asprintf(&list, "%s:%s", daemon, path ? path : "/usr/bin:/bin") < 0)
		return BXS_EIO;
	err = setenv("PATH", list, 1) < 0 || setenv(LIKWID_DOOR_VARIABLE, name, 1) < 0 ? BXS_EIO : 0;
	free(list);
	return err;
}
