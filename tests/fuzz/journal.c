/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing the journal from which --on local puts registers back after a kill: a letter for the family, then the journal's lines.  Only
 * registers that the catalogue has, of sockets that are there, may be written.
 */
#include <stdio.h>
#include <stdlib.h>

#include "catalog/find.h"
#include "local/local_private.h"

#include "fuzz.h"

enum { SOCKETS = 2, CORES = 4, FAMILIES = 16 };

static int write_nothing(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t value)
{
	(void)value;
	fuzz_expect(place != NULL, "the catalogue has what is written");
	fuzz_expect(at->socket < l->processor.sockets, "its socket is there");
	fuzz_expect(at->width == cat_regs[place->reg].width, "it is as wide as the catalogue says");
	return 0;
}

static const struct local_door door = { .name = "nothing", .write = write_nothing };

/* Made once for each family. */
static struct local *local_of(unsigned family)
{
	static struct local all[FAMILIES];
	struct local *l = all + family;

	fuzz_expect(family < FAMILIES, "there is room for all families");
	if (!l->place) {
		l->processor.family = cat_families + family;
		l->processor.sockets = SOCKETS;
		l->processor.cores = CORES;
		l->door = &door;
		fuzz_expect(local_find_places(l) == 0, "there is memory");
	}
	return l;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f;

	if (size == 0)
		return 0;
	f = fopen(fuzz_file(data + 1, size - 1), "r");
	fuzz_expect(f != NULL, "files can be read");
	local_replay_lines(local_of(data[0] % cat_family_count), f);
	fclose(f);
	return 0;
}
