/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of LIKWID to accesses of the machine and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/product.h"
#include "feed/module.h"
#include "machine/machine.h"
#include "virtual/likwid_door.h"

enum { MSR = 0, DEVICE_WIDTH = 32 };

static int msr_address(const struct virtual *v, const struct likwid_record *r, struct access_address *at)
{
	return virtual_msr(v, r->cpu, r->reg, at) < 0 ? LIKWID_NOT_OPEN : LIKWID_OK;
}

/* 0: none. */
static uint8_t function_of(const struct virtual *v, uint32_t device)
{
	const struct cat_family *family = machine_spec(virtual_machine(v))->family;

	for (unsigned i = 0; i < cat_likwid_count; i++)
		if (&cat_families[cat_likwids[i].family] == family && cat_likwids[i].device == device)
			return cat_likwids[i].function;
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
