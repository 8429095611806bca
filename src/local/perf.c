/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way by perf_event_open(2): Linux's uncore driver has the registers, sees to it that users do not disturb each other, and
 * counts for whoever may (CAP_PERFMON, or /proc/sys/kernel/perf_event_paranoid below 1).  The registers that measuring accesses are
 * played, those of a box (perf_box.c) and those of a CPU (perf_cpu.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "local/perf_box.h"

#define PMUS "/sys/bus/event_source/devices"

struct perf_state {
	struct perf_box *box;
	unsigned boxes, room;
	bool *stopped;			/* each socket as a whole */
	struct perf_cpu *cpu;		/* as l->cpu */
};

/* The socket of a CPU. */
static unsigned socket_of(const struct local *l, int cpu)
{
	for (unsigned i = 0; i < local_slots(l); i++)
		if (l->cpu[i] == cpu)
			return i / (2 * l->processor.cores);
	return l->processor.sockets;
}

static bool add_box(struct local *l, const struct cat_pmu *pmu, unsigned box, uint32_t type, int cpu)
{
	struct perf_state *p = l->state;
	struct perf_box *more = array_grow(p->box, p->boxes, &p->room, sizeof *more);

	if (!more)
		return false;
	p->box = more;
	more += p->boxes++;
	*more = (struct perf_box){ .pmu = pmu, .box = box, .type = type, .cpu = cpu, .socket = socket_of(l, cpu) };
	perf_box_init(more);
	return true;
}

/* A box of all sockets: Linux gives it a type, and a CPU for each socket ("0,18").  False: out of memory. */
static bool add_pmu(struct local *l, const struct cat_pmu *pmu, unsigned box, const char *name)
{
	char path[128], cpus[256], *at = cpus, *end;
	unsigned type;

	snprintf(path, sizeof path, PMUS "/%s/type", name);
	if (!local_number(path, &type))
		return true;
	snprintf(path, sizeof path, PMUS "/%s/cpumask", name);
	if (!local_line(path, cpus, sizeof cpus))
		return true;
	for (int cpu = (int)strtol(at, &end, 10); end != at; cpu = (int)strtol(at, &end, 10)) {
		if (!add_box(l, pmu, box, type, cpu))
			return false;
		at = *end == ',' ? end + 1 : end;
	}
	return true;
}

static int find_boxes(struct local *l)
{
	for (unsigned i = 0; i < cat_pmu_count; i++) {
		const struct cat_pmu *pmu = cat_pmus + i;
		const struct cat_type *t = cat_types + pmu->type;
		char name[64];

		if (cat_families + t->family != l->processor.family)
			continue;
		/* Linux leaves the number out where a part has only one such box. */
		snprintf(name, sizeof name, "uncore_%s", cat_str(pmu->name));
		if (!add_pmu(l, pmu, 0, name))
			return BXS_ENOMEM;
		for (unsigned b = 0; b < t->boxes; b++) {
			snprintf(name, sizeof name, "uncore_%s_%u", cat_str(pmu->name), b);
			if (!add_pmu(l, pmu, b, name))
				return BXS_ENOMEM;
		}
	}
	return 0;
}

/* Are we allowed to count?  Tries event 0 of the first PMU. */
static int try_event(const struct local *l, char *why, size_t size)
{
	const struct perf_state *p = l->state;
	unsigned paranoid = 0;
	int fd;

	if (!p->boxes) {
		snprintf(why, size, "Linux shows no uncore PMUs (" PMUS "/uncore_*): `modprobe intel-uncore`");
		return BXS_ENOTSUP;
	}
	fd = perf_open_event(p->box[0].type, (const uint64_t[3]){ 0 }, p->box[0].cpu, false);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	local_number("/proc/sys/kernel/perf_event_paranoid", &paranoid);
	if (errno == EACCES || errno == EPERM)
		snprintf(why, size, "perf_event_paranoid is %d: `sysctl kernel.perf_event_paranoid=0`, or give the program CAP_PERFMON",
			 (int)paranoid);
	else
		snprintf(why, size, "perf_event_open: %s", strerror(errno));
	return BXS_ENOTSUP;
}

static void close_perf(struct local *l)
{
	struct perf_state *p = l->state;

	for (unsigned i = 0; i < p->boxes; i++)
		perf_box_close(p->box + i);
	for (unsigned i = 0; p->cpu && i < local_slots(l); i++)
		perf_cpu_close(p->cpu + i);
	free(p->box);
	free(p->cpu);
	free(p->stopped);
	free(p);
}

static int open_perf(struct local *l, char *why, size_t size)
{
	struct perf_state *p = calloc(1, sizeof *p);
	int err = BXS_ENOMEM;

	if (!p)
		return err;
	l->state = p;
	p->stopped = calloc(l->processor.sockets + 1, sizeof *p->stopped);
	p->cpu = calloc(local_slots(l) + 1, sizeof *p->cpu);
	for (unsigned i = 0; p->cpu && i < local_slots(l); i++)
		perf_cpu_init(p->cpu + i, l->cpu[i]);
	if (p->stopped && p->cpu)
		err = find_boxes(l);
	if (err == 0)
		err = try_event(l, why, size);
	if (err < 0)
		close_perf(l);
	return err;
}

static struct perf_box *box_at(struct local *l, const struct access_address *at, const struct local_place *place)
{
	struct perf_state *p = l->state;

	for (unsigned i = 0; i < p->boxes; i++)
		if (p->box[i].socket == at->socket && p->box[i].pmu->type == cat_regs[place->reg].type && p->box[i].box == place->box)
			return p->box + i;
	return NULL;
}

/* All boxes of the socket stop or go on. */
static int write_global(struct local *l, const struct access_address *at, const struct cat_reg *r, uint64_t value)
{
	struct perf_state *p = l->state;
	const struct cat_field *stop = cat_reg_field(r, "frz_all"), *run = cat_reg_field(r, "unfrz_all"), *on = cat_reg_field(r, "glb_en");

	if (stop && bits_get(value, stop->hi, stop->lo))
		p->stopped[at->socket] = true;
	if (run && bits_get(value, run->hi, run->lo))
		p->stopped[at->socket] = false;
	if (on)
		p->stopped[at->socket] = !bits_get(value, on->hi, on->lo);
	for (unsigned i = 0; i < p->boxes; i++)
		if (p->box[i].socket == at->socket)
			perf_box_stop(p->box + i, p->stopped[at->socket]);
	return 0;
}

/* NULL: there is no such CPU. */
static struct perf_cpu *cpu_at(struct local *l, const struct access_address *at)
{
	struct perf_state *p = l->state;

	if (at->space != CAT_CPU || local_cpu(l, at->socket, at->base) < 0)
		return NULL;
	return &p->cpu[local_slot(l, at->socket, at->base)];
}

static int read_perf(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t *value)
{
	struct perf_box *b = place ? box_at(l, at, place) : NULL;
	struct perf_cpu *c = cpu_at(l, at);

	if (b)
		return perf_box_read(b, place, value);
	return c ? perf_cpu_read(c, &l->processor, at->offset, value) : BXS_EFAULT;
}

static int write_perf(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t value)
{
	struct perf_state *p = l->state;
	struct perf_box *b = place ? box_at(l, at, place) : NULL;
	struct perf_cpu *c = cpu_at(l, at);
	char name[64];
	int err;

	if (place && cat_regs[place->reg].role == CAT_GLOBAL_CTL)
		return write_global(l, at, cat_regs + place->reg, value);
	if (c)
		return perf_cpu_write(c, at->offset, value);
	if (!b)
		return BXS_EFAULT;
	err = perf_box_write(b, place, value, p->stopped[at->socket]);
	if (err < 0) {
		cat_reg_instance(cat_regs + place->reg, place->box, place->element, name, sizeof name);
		snprintf(l->why, sizeof l->why, "Linux's driver has no way to write 0x%" PRIx64 " to %s (--via direct has)", value, name);
	}
	return err;
}

const struct local_door local_perf = {
	.name = "perf", .open = open_perf, .close = close_perf, .read = read_perf, .write = write_perf, .shared = true,
};
