/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening this computer's registers, and reading and writing them by whichever way is open. */
#include "local/local.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "catalog/find.h"
#include "catalog/linux.h"
#include "local/local_private.h"

static const struct local_door *const doors[] = { &local_perf, &local_direct };

enum { DOORS = sizeof doors / sizeof *doors };

uint64_t local_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int read_register(struct access *a, const struct access_address *at, uint64_t *value)
{
	struct local *l = (struct local *)a;
	struct access_address where = *at;
	const struct local_place *place = local_place_at(l, &where);

	return l->door->read(l, &where, place, value);
}

static int write_register(struct access *a, const struct access_address *at, uint64_t value)
{
	struct local *l = (struct local *)a;
	struct access_address where = *at;
	const struct local_place *place = local_place_at(l, &where);
	int err = l->door->shared || !place ? 0 : local_enter(l, &where, place);

	return err < 0 ? err : l->door->write(l, &where, place, value);
}

static const struct access_ops ops = { .read = read_register, .write = write_register };

/* The families of real computers, separated by commas. */
static void name_families(char *out, size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; i < cat_family_count && used < size; i++)
		if (cat_families[i].model)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", cat_str(cat_families[i].name));
}

static int check_processor(const struct local_processor *p, const char *wanted, char *why, size_t size)
{
	char families[80] = "";

	if (p->family && (!wanted || strcmp(wanted, cat_str(p->family->name)) == 0))
		return 0;
	name_families(families, sizeof families);
	if (p->family)
		snprintf(why, size, "this computer is %s, not %s", cat_str(p->family->name), wanted);
	else
		snprintf(why, size, "this computer's processor (%s) is none of those that Boxscore knows: %s", *p->name ? p->name : "unknown",
			 families);
	return BXS_ENOTSUP;
}

/* Opens the way that was asked for, or the first one that works.  If none does, why lists what each lacks. */
static int open_door(struct local *l, const char *via, char *why, size_t size)
{
	size_t used = 0;
	bool known = !via;

	for (unsigned i = 0; i < DOORS; i++) {
		char lacks[LOCAL_WHY] = "";
		int err;

		if (via && strcmp(via, doors[i]->name) != 0)
			continue;
		known = true;
		err = doors[i]->open(l, lacks, sizeof lacks);
		if (err == 0)
			l->door = doors[i];
		if (err != BXS_ENOTSUP)
			return err;
		if (used < size)
			used += (size_t)snprintf(why + used, size - used, "%s%s: %s", used ? "; " : "no way to the registers: ", doors[i]->name,
						 lacks);
	}
	if (!known)
		snprintf(why, size, "%s is no way to the registers; there are perf and direct", via);
	return known ? BXS_ENOTSUP : BXS_EINVAL;
}

int local_open(const struct local_wish *wish, struct local **out, char *why, size_t size)
{
	struct local *l = calloc(1, sizeof *l);
	int err;

	if (!l)
		return BXS_ENOMEM;
	l->access.ops = &ops;
	l->force = wish->force;
	local_find_processor(&l->processor);
	err = check_processor(&l->processor, wish->family, why, size);
	if (err == 0)
		err = local_find_cpus(l);
	if (err == 0)
		err = local_find_places(l);
	if (err == 0)
		err = open_door(l, wish->via, why, size);
	if (err < 0) {
		local_close(l);
		return err;
	}
	if (!l->door->shared)
		l->put_back = local_replay_journals(l);
	l->began = local_now();
	*out = l;
	return 0;
}

void local_close(struct local *l)
{
	if (!l)
		return;
	if (l->door) {
		local_restore(l);
		l->door->close(l);
	}
	free(l->cpu);
	free(l->place);
	free(l);
}

const struct cat_family *local_family(void)
{
	struct local_processor p;

	local_find_processor(&p);
	return p.family;
}

const struct local_processor *local_processor(const struct local *l)
{
	return &l->processor;
}

const char *local_way(const struct local *l)
{
	return l->door->name;
}

unsigned local_put_back(const struct local *l)
{
	return l->put_back;
}

struct access *local_registers(struct local *l)
{
	return &l->access;
}

const char *local_why(const struct local *l)
{
	return l->why;
}

bool local_is_fused(const struct local *l, unsigned type, unsigned box)
{
	for (unsigned i = 0; i < cat_pmu_count; i++)
		if (cat_pmus[i].type == type && cat_pmus[i].of_cores)
			return box >= l->processor.cores;
	return false;
}

uint64_t local_time(const struct local *l)
{
	return (local_now() - l->began) * 1000;
}
