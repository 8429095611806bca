/* SPDX-License-Identifier: BSD-2-Clause */
/* The public machine: making, registers, time, interrupts. */
#include "api/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/find.h"
#include "feed/feed.h"
#include "local/local.h"
#include "machine/devices.h"
#include "machine/faults.h"
#include "measure/names.h"
#include "pmu/pmu.h"

int api_fail(bxs_machine *m, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(m->why, sizeof m->why, format, args);
	va_end(args);
	return err;
}

struct access *api_registers(const bxs_machine *m)
{
	return m->local ? local_registers(m->local) : machine_registers(m->machine);
}

int api_simulated(bxs_machine *m)
{
	return m->local ? api_fail(m, BXS_ENOTSUP, "this computer is measured, and nothing of it is simulated") : 0;
}

const char *bxs_why(const bxs_machine *m)
{
	return m->why;
}

const char *bxs_note(const bxs_machine *m)
{
	return m->note ? m->note : "";
}

/* Read, and note what is to be said of the value. */
static int read_register(bxs_machine *m, const struct access_address *at, uint64_t *value)
{
	const struct pmu_address where = {
		.space = at->space, .bus = at->bus, .socket = at->socket, .base = at->base,
		.offset = at->offset, .width = at->width,
	};
	int err = access_read(api_registers(m), at, value);

	m->note = err == 0 && !m->local && pmu_undefined(machine_pmu(m->machine), &where) ?
		  "undefined while the monitors are not frozen" : NULL;
	return err == BXS_EFAULT ? api_fail(m, err, "#GP") : err;
}

int bxs_machine_new(const char *spec, unsigned flags, bxs_machine **out, char *why, size_t size)
{
	struct spec parsed;
	bxs_machine *m;
	int err;

	if (size)
		why[0] = '\0';
	err = spec_parse(spec, &parsed, why, size);
	if (err < 0)
		return err;
	m = calloc(1, sizeof *m);
	if (!m)
		return BXS_ENOMEM;
	err = flags & BXS_BARE ? machine_new_bare(&parsed, &m->machine) :
				 machine_new(&parsed, &m->machine);
	if (err < 0) {
		free(m);
		return err;
	}
	*out = m;
	return 0;
}

void bxs_machine_free(bxs_machine *m)
{
	if (!m)
		return;
	bxs_record_end(m);
	feed_close(m->own);
	local_close(m->local);
	names_free(m->names);
	machine_free(m->machine);
	free(m);
}

int bxs_dma(bxs_machine *m, const char *device)
{
	char why[400] = "";
	int err = api_simulated(m);

	if (err < 0)
		return err;
	err = machine_dma(m->machine, device, why, sizeof why);
	m->has_devices |= err >= 0;
	return err < 0 ? api_fail(m, err, "%s", why) : 0;
}

int bxs_fault(bxs_machine *m, const char *faults)
{
	char why[400] = "";
	int err = api_simulated(m);

	if (err < 0)
		return err;
	err = machine_fault(m->machine, faults, why, sizeof why);
	return err < 0 ? api_fail(m, err, "%s", why) : 0;
}

unsigned bxs_sockets(const bxs_machine *m)
{
	return machine_sockets(m->machine);
}

unsigned bxs_cores(const bxs_machine *m)
{
	return machine_cores(m->machine) / machine_sockets(m->machine);
}

static int check_socket(bxs_machine *m, unsigned socket)
{
	if (socket < bxs_sockets(m))
		return 0;
	return api_fail(m, BXS_ENOENT, "no socket %u, there are %u", socket, bxs_sockets(m));
}

/* Where an MSR of a logical CPU lies: second threads share the first one's core. */
static int msr_address(bxs_machine *m, unsigned cpu, uint32_t msr, struct access_address *at)
{
	unsigned cores = machine_cores(m->machine);

	if (cpu >= 2 * cores)
		return api_fail(m, BXS_ENOENT, "no CPU %u, there are %u", cpu, 2 * cores);
	cpu %= cores;
	*at = (struct access_address){
		.space = CAT_MSR, .offset = msr, .width = 64,
		.socket = (uint16_t)(cpu / bxs_cores(m)), .thread = (uint16_t)(cpu % bxs_cores(m)),
	};
	return 0;
}

static int fault(bxs_machine *m, int err)
{
	return err == BXS_EFAULT ? api_fail(m, err, "#GP") : err;
}

int bxs_rdmsr(bxs_machine *m, unsigned cpu, uint32_t msr, uint64_t *value)
{
	struct access_address at;
	int err = msr_address(m, cpu, msr, &at);

	return err < 0 ? err : fault(m, access_read(api_registers(m), &at, value));
}

int bxs_wrmsr(bxs_machine *m, unsigned cpu, uint32_t msr, uint64_t value)
{
	struct access_address at;
	int err = msr_address(m, cpu, msr, &at);

	return err < 0 ? err : fault(m, access_write(api_registers(m), &at, value));
}

/* A device and function are on one bus only: the uncore's, or else the I/O bus. */
static enum cat_bus bus_of(bxs_machine *m, unsigned socket, uint32_t base)
{
	struct pmu_address at = { .space = CAT_PCI, .bus = CAT_BUS_UNCORE, .socket = socket,
				  .base = base, .width = 32 };
	uint64_t ignored;

	return pmu_read(machine_pmu(m->machine), &at, &ignored) == OUTCOME_NONE ? CAT_BUS_IIO :
										  CAT_BUS_UNCORE;
}

static int pci_address(bxs_machine *m, unsigned socket, unsigned dev, unsigned fn, uint32_t offset,
		       unsigned width, struct access_address *at)
{
	int err = check_socket(m, socket);

	if (err < 0)
		return err;
	if (dev > 31 || fn > 7)
		return api_fail(m, BXS_EINVAL,
				"no function %u:%u, devices are 0..31, functions 0..7", dev, fn);
	if (width != 8 && width != 16 && width != 32 && width != 64)
		return api_fail(m, BXS_EINVAL, "width %u, expected 8, 16, 32 or 64 bits", width);
	*at = (struct access_address){
		.space = CAT_PCI, .socket = (uint16_t)socket, .base = dev << 3 | fn,
		.offset = offset, .width = (uint8_t)width,
	};
	at->bus = bus_of(m, socket, at->base);
	return 0;
}

int bxs_rdpci(bxs_machine *m, unsigned socket, unsigned dev, unsigned fn, uint32_t offset,
	      unsigned width, uint64_t *value)
{
	struct access_address at;
	int err = pci_address(m, socket, dev, fn, offset, width, &at);

	if (err < 0)
		return err;
	*value = bits_low(width);
	err = access_read(api_registers(m), &at, value);
	return err == BXS_EFAULT ? 0 : err;
}

int bxs_wrpci(bxs_machine *m, unsigned socket, unsigned dev, unsigned fn, uint32_t offset,
	      unsigned width, uint64_t value)
{
	struct access_address at;
	int err = pci_address(m, socket, dev, fn, offset, width, &at);

	if (err < 0)
		return err;
	err = access_write(api_registers(m), &at, value);
	return err == BXS_EFAULT ? 0 : err;
}

static int space_address(bxs_machine *m, enum bxs_space space, unsigned where, uint32_t number,
			 struct access_address *at)
{
	static const enum cat_space spaces[] = {
		[BXS_CSR] = CAT_CSR, [BXS_PMC] = CAT_PMC, [BXS_PMD] = CAT_PMD,
	};
	unsigned threads = 2 * machine_cores(m->machine), per_socket = 2 * bxs_cores(m);
	int err = space == BXS_CSR ? check_socket(m, where) : 0;

	if (err < 0)
		return err;
	*at = (struct access_address){ .space = spaces[space], .offset = number, .width = 64 };
	if (space == BXS_CSR) {
		at->socket = (uint16_t)where;
		return 0;
	}
	if (number > 255)
		return api_fail(m, BXS_ENOENT, "no register %u, they are numbered from 0 to 255", number);
	if (where >= threads)
		return api_fail(m, BXS_ENOENT, "no thread %u, there are %u", where, threads);
	at->socket = (uint16_t)(where / per_socket);
	at->base = where % per_socket;
	return 0;
}

int bxs_rdreg(bxs_machine *m, enum bxs_space space, unsigned where, uint32_t number,
	      uint64_t *value)
{
	struct access_address at;
	int err = space_address(m, space, where, number, &at);

	return err < 0 ? err : read_register(m, &at, value);
}

int bxs_wrreg(bxs_machine *m, enum bxs_space space, unsigned where, uint32_t number, uint64_t value)
{
	struct access_address at;
	int err = space_address(m, space, where, number, &at);

	return err < 0 ? err : fault(m, access_write(api_registers(m), &at, value));
}

/* The names of a box's registers, for "did you mean". */
struct register_names {
	unsigned names;
	char name[64][64];
};

static const char *register_name(const void *ctx, unsigned i)
{
	return ((const struct register_names *)ctx)->name[i];
}

static int unknown_register(bxs_machine *m, const struct pmu_box *where, const char *box,
			    const char *reg)
{
	const struct cat_type *t = cat_types + pmu_family(machine_pmu(m->machine))->type0 + where->type;
	struct register_names n = { 0 };
	int near;

	for (unsigned r = t->reg0; r < t->reg0 + (unsigned)t->regs; r++)
		for (unsigned i = 0; i < cat_regs[r].count && n.names < LEN(n.name); i++)
			cat_reg_instance(&cat_regs[r], where->box, i, n.name[n.names++],
					 sizeof n.name[0]);
	near = cat_nearest(reg, strlen(reg), n.names, register_name, &n);
	if (near < 0 && n.names)
		return api_fail(m, BXS_ENOENT, "%s: no register %s; there are %s to %s", box, reg, n.name[0],
				n.name[n.names - 1]);
	return api_fail(m, BXS_ENOENT, "%s: no register %s%s%s%s", box, reg,
			n.names ? "; did you mean " : "", n.names ? n.name[near] : "", n.names ? "?" : "");
}

static int named(bxs_machine *m, const char *box, const char *reg, struct access_address *at)
{
	struct pmu *p = machine_pmu(m->machine);
	struct pmu_address found;
	struct pmu_box where;
	int err = api_find_box(m, box, &where);

	if (err < 0)
		return err;
	if (pmu_find_register(p, &where, reg, strlen(reg), &found) < 0)
		return unknown_register(m, &where, box, reg);
	*at = (struct access_address){
		.space = found.space, .bus = found.bus, .socket = (uint16_t)found.socket,
		.base = found.base, .offset = found.offset, .width = found.width,
	};
	return 0;
}

int bxs_read(bxs_machine *m, const char *box, const char *reg, uint64_t *value)
{
	struct access_address at;
	int err = named(m, box, reg, &at);

	return err < 0 ? err : read_register(m, &at, value);
}

int bxs_write(bxs_machine *m, const char *box, const char *reg, uint64_t value)
{
	struct access_address at;
	int err = named(m, box, reg, &at);

	return err < 0 ? err : fault(m, access_write(api_registers(m), &at, value));
}

int bxs_advance(bxs_machine *m, const char *clock, uint64_t n)
{
	const struct pmu *p = machine_pmu(m->machine);
	const struct signal_clock *c = pmu_clock(p, 0, clock);
	const struct cat_family *f = pmu_family(p);
	uint64_t now = machine_time(m->machine);

	if (api_simulated(m) < 0)
		return BXS_ENOTSUP;
	if (!c) {
		char known[128] = "";

		for (unsigned i = 0; i < f->clocks; i++) {
			strncat(known, " ", sizeof known - strlen(known) - 1);
			strncat(known, cat_str(cat_clocks[f->clock0 + i].name),
				sizeof known - strlen(known) - 1);
		}
		return api_fail(m, BXS_ENOENT, "no clock %s, there are%s", clock, known);
	}
	/* Picoseconds in 64 bits last for 213 days. */
	if (n > (uint64_t)c->khz * 1000 * 3600 * 24 * 200)
		return api_fail(m, BXS_EINVAL, "%" PRIu64 " clocks are more than 200 days", n);
	machine_advance(m->machine, signal_clock_time(c, signal_clocks(c, now) + n));
	return 0;
}

uint64_t bxs_time(const bxs_machine *m)
{
	return m->local ? local_time(m->local) : machine_time(m->machine);
}

bool bxs_take_interrupt(bxs_machine *m, struct bxs_interrupt *out)
{
	struct pmu_interrupt one;

	if (!pmu_take(machine_pmu(m->machine), &one))
		return false;
	*out = (struct bxs_interrupt){
		.when = one.when, .cores = one.cores, .socket = one.socket, .wake = one.wake,
		.vector = one.vector, .thread = one.socket * 2 * bxs_cores(m) + one.thread,
	};
	return true;
}
