/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way by perf_event_open(2): Linux's uncore driver has the registers, sees to it that users do not disturb each other, and
 * counts for whoever may (CAP_PERFMON, or /proc/sys/kernel/perf_event_paranoid below 1).  The registers that measuring accesses are
 * played (perf_box.c); those of a core that count instructions and clocks are events of its PMU.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "local/perf_box.h"

#define PMUS "/sys/bus/event_source/devices"

/* Of a core, in the order of its fixed counters. */
static const uint64_t core_events[FIXED_COUNTERS] = {
	PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES,
};

struct perf_core {
	int fd[FIXED_COUNTERS];
	uint64_t control, global;
};

struct perf_state {
	struct perf_box *box;
	unsigned boxes, room;
	bool *stopped;			/* each socket as a whole */
	struct perf_core *core;		/* as l->cpu */
};

static unsigned slots(const struct local *l)
{
	return l->processor.sockets * 2 * l->processor.cores;
}

/* The socket of a CPU. */
static unsigned socket_of(const struct local *l, int cpu)
{
	for (unsigned i = 0; i < slots(l); i++)
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
		/* One that the part has only one of has no number. */
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

/* May we count?  The event that any PMU has does for a try. */
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

static void close_core(struct perf_core *c)
{
	for (unsigned k = 0; k < FIXED_COUNTERS; k++) {
		if (c->fd[k] >= 0)
			close(c->fd[k]);
		c->fd[k] = -1;
	}
}

static void close_perf(struct local *l)
{
	struct perf_state *p = l->state;

	for (unsigned i = 0; i < p->boxes; i++)
		perf_box_close(p->box + i);
	for (unsigned i = 0; p->core && i < slots(l); i++)
		close_core(p->core + i);
	free(p->box);
	free(p->core);
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
	p->core = calloc(slots(l) + 1, sizeof *p->core);
	for (unsigned i = 0; p->core && i < slots(l); i++)
		memset(p->core[i].fd, -1, sizeof p->core[i].fd);
	if (p->stopped && p->core)
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

/* As IA32_PLATFORM_INFO has it: the ratio of the base frequency to the bus. */
static uint64_t platform_info(const struct local *l)
{
	unsigned bus = l->processor.family->bus_khz;

	return (uint64_t)((l->processor.base_mhz * 1000 + bus / 2) / bus) << 8;
}

static int read_core(struct local *l, const struct access_address *at, uint64_t *value)
{
	struct perf_state *p = l->state;
	struct perf_core *c = &p->core[at->socket * 2 * l->processor.cores + at->thread];

	if (at->offset - MSR_FIXED_CTR0 < FIXED_COUNTERS) {
		int fd = c->fd[at->offset - MSR_FIXED_CTR0];

		return fd >= 0 && perf_read_event(fd, value) ? 0 : BXS_EFAULT;
	}
	if (at->offset == MSR_FIXED_CTR_CTRL)
		*value = c->control;
	else if (at->offset == MSR_PERF_GLOBAL_CTRL)
		*value = c->global;
	else if (at->offset == MSR_PLATFORM_INFO && l->processor.base_mhz)
		*value = platform_info(l);
#ifdef __x86_64__
	else if (at->offset == MSR_TSC)
		*value = __rdtsc();
#endif
	else
		return BXS_EFAULT;
	return 0;
}

/* The events of a core begin when its counters are let go. */
static int write_core(struct local *l, const struct access_address *at, uint64_t value)
{
	struct perf_state *p = l->state;
	struct perf_core *c = &p->core[at->socket * 2 * l->processor.cores + at->thread];
	int cpu = local_cpu(l, at->socket, at->thread);

	if (at->offset == MSR_FIXED_CTR_CTRL) {
		c->control = value;
		return 0;
	}
	if (at->offset != MSR_PERF_GLOBAL_CTRL || cpu < 0)
		return BXS_EFAULT;
	c->global = value;
	close_core(c);
	for (unsigned k = 0; k < FIXED_COUNTERS; k++)
		if (c->control >> 4 * k & 3 && value >> (32 + k) & 1)
			c->fd[k] = perf_open_event(PERF_TYPE_HARDWARE, (const uint64_t[3]){ core_events[k] }, cpu, true);
	return 0;
}

static int read_perf(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t *value)
{
	struct perf_box *b = place ? box_at(l, at, place) : NULL;

	if (b)
		return perf_box_read(b, place, value);
	if (place || at->space != CAT_MSR || at->thread >= 2 * l->processor.cores)
		return BXS_EFAULT;
	return read_core(l, at, value);
}

static int write_perf(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t value)
{
	struct perf_state *p = l->state;
	struct perf_box *b = place ? box_at(l, at, place) : NULL;
	char name[64];
	int err;

	if (place && cat_regs[place->reg].role == CAT_GLOBAL_CTL)
		return write_global(l, at, cat_regs + place->reg, value);
	if (!place && at->space == CAT_MSR && at->thread < 2 * l->processor.cores)
		return write_core(l, at, value);
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
