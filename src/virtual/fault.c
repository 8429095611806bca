/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the list of faults, and standing between the doors and the machine. */
#include "virtual/fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "machine/faults.h"
#include "machine/machine.h"
#include "pmu/pmu.h"
#include "virtual/decode.h"
#include "virtual/fault_private.h"

enum { CHANNEL0 = 20 << 3, VENDOR = 0x8086 };

static bool hide(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
		 uint64_t *value)
{
	(void)m, (void)value;
	if (e->at->space != CAT_PCI || e->at->base != f->at.base ||
	    (f->socket >= 0 && e->at->socket != (unsigned)f->socket))
		return false;
	*outcome = BXS_EFAULT;
	return true;
}

static bool gp(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
	       uint64_t *value)
{
	(void)m, (void)value;
	*outcome = BXS_EFAULT;
	return e->at->space == CAT_MSR && e->at->offset == f->at.offset;
}

/* Bytes of the register that an access covers; false: none. */
static bool touches(const struct fault *f, const struct access_address *at)
{
	if (at->space != f->at.space || at->socket != f->at.socket)
		return false;
	if (at->space == CAT_MSR)
		return at->offset == f->at.offset;
	return at->base == f->at.base && at->bus == f->at.bus && at->offset >= f->at.offset &&
	       at->offset < f->at.offset + f->at.width / 8;
}

static bool stuck(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
		  uint64_t *value)
{
	unsigned shift = 8 * (e->at->offset - f->at.offset);
	uint64_t mask;

	(void)m;
	if (!touches(f, e->at))
		return false;
	mask = bits_low(e->at->width) << shift;
	if (e->write)
		f->held = (f->held & ~mask) | (*value << shift & mask);
	else
		*value = (f->held & mask) >> shift;
	*outcome = 0;
	return true;
}

/* Answers with the first channel's registers, under its own name. */
static bool phantom(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
		    uint64_t *value)
{
	struct access_address other = *e->at;

	if (e->at->space != CAT_PCI || e->at->bus != f->at.bus || e->at->base != f->at.base ||
	    e->at->socket != f->at.socket)
		return false;
	other.base = CHANNEL0;
	*outcome = e->write ? access_write(machine_registers(m), &other, *value)
			    : access_read(machine_registers(m), &other, value);
	if (!e->write && e->at->offset < 4)
		*value = (VENDOR | f->held << 16) >> 8 * e->at->offset & bits_low(e->at->width);
	return true;
}

static bool intercept(void *ctx, struct machine *m, const struct virtual_event *e, int *outcome,
		      uint64_t *value)
{
	struct faults *all = ctx;

	for (unsigned i = 0; i < all->count; i++)
		if (all->fault[i].act(&all->fault[i], m, e, outcome, value))
			return true;
	return false;
}

/* "s1.D20:F0": socket, or -1 for all; device and function. */
static int parse_hide(struct fault *f, struct machine *m, const char *text, const struct complaint *c)
{
	unsigned socket, dev, fn;
	int used = 0;

	f->act = hide;
	f->socket = -1;
	if (text[0] == 's' && sscanf(text, "s%u.%n", &socket, &used) == 1 && used) {
		if (socket >= machine_sockets(m))
			return complain(c, BXS_ENOENT, "hide=%s: the machine has %u sockets", text,
					machine_sockets(m));
		f->socket = (int)socket;
		text += used;
	}
	used = 0;
	if (sscanf(text, "D%u:F%u%n", &dev, &fn, &used) != 2 || text[used] || dev > 31 || fn > 7)
		return complain(c, BXS_EINVAL, "hide=%s: a function such as D20:F0 is expected", text);
	f->at = virtual_function(0, CAT_BUS_UNCORE, dev << 3 | fn);
	return 0;
}

static int parse_gp(struct fault *f, struct machine *m, const char *text, const struct complaint *c)
{
	char *end;
	unsigned long number = strtoul(text, &end, 0);

	(void)m;
	f->act = gp;
	f->at.offset = (uint32_t)number;
	if (*text < '0' || *text > '9' || *end || number > UINT32_MAX)
		return complain(c, BXS_EINVAL, "gp=%s: the number of an MSR is expected, such as 0x606", text);
	return 0;
}

static int find_register(struct fault *f, struct machine *m, const char *box, size_t len, const char *reg)
{
	struct pmu_address found;
	struct pmu_box where;
	int err = pmu_find_box(machine_pmu(m), box, len, &where);

	if (err == 0)
		err = pmu_find_register(machine_pmu(m), &where, reg, strlen(reg), &found);
	if (err == 0)
		f->at = (struct access_address){ .space = found.space, .bus = found.bus,
						 .socket = (uint16_t)found.socket, .base = found.base,
						 .offset = found.offset, .width = found.width };
	return err;
}

static int parse_stuck(struct fault *f, struct machine *m, const char *text, const struct complaint *c)
{
	const char *dot = strrchr(text, '.');

	f->act = stuck;
	if (!dot || find_register(f, m, text, (size_t)(dot - text), dot + 1) < 0)
		return complain(c, BXS_ENOENT, "stuck=%s: no such register; a box and a counter are expected, such as "
				"cbo3.CTR1", text);
	return 0;
}

/* The channel's function and the device id that the catalogue gives it. */
static int parse_phantom(struct fault *f, struct machine *m, const char *text, const struct complaint *c)
{
	const struct cat_family *family = machine_spec(m)->family;
	unsigned socket = 0, box;
	int used = 0;

	f->act = phantom;
	if (text[0] == 's' && sscanf(text, "s%u.%n", &socket, &used) == 1 && used)
		text += used;
	used = 0;
	if (sscanf(text, "imc%u%n", &box, &used) != 1 || text[used] || socket >= machine_sockets(m))
		return complain(c, BXS_EINVAL, "phantom=%s: a channel such as imc3 or s1.imc3 is expected", text);
	for (unsigned t = family->type0; t < family->type0 + (unsigned)family->types; t++) {
		const struct cat_window *w = &cat_windows[cat_types[t].window0];

		if (strcmp(cat_str(cat_types[t].name), "imc") != 0 || box >= cat_types[t].boxes ||
		    w->space != CAT_PCI)
			continue;
		f->at = virtual_function(socket, w->bus, cat_numbers[w->base0 + box]);
		f->held = w->device0 == CAT_ABSENT ? 0 : cat_numbers[w->device0 + box];
		if (f->at.base != CHANNEL0)
			return 0;
	}
	return complain(c, BXS_ENOENT, "phantom=%s: no such channel, or it is the first one", text);
}

/* Keys of the machine's own faults, for people. */
#define X(id, name, kind, text) ", " name "="
static const char of_hardware[] = FAULTS_KEYS(X);
#undef X

static int parse_one(struct faults *all, struct machine *m, char *text, const struct complaint *c)
{
	static const struct {
		const char *name;
		int (*parse)(struct fault *f, struct machine *m, const char *text, const struct complaint *c);
	} kinds[] = {
		{ "hide", parse_hide }, { "phantom", parse_phantom }, { "stuck", parse_stuck },
		{ "gp", parse_gp }, { "erratum", fault_parse_erratum },
	};
	char *equals = strchr(text, '=');

	if (all->count == FAULTS)
		return complain(c, BXS_EINVAL, "more than %d faults of registers", FAULTS);
	all->fault[all->count].decode = all->decode;
	if (equals)
		*equals = '\0';
	for (size_t i = 0; equals && i < LEN(kinds); i++)
		if (strcmp(kinds[i].name, text) == 0)
			return kinds[i].parse(&all->fault[all->count++], m, equals + 1, c);
	return complain(c, BXS_EINVAL, "no fault \"%s\"; there are hide=, phantom=, stuck=, gp=, erratum=%s", text,
			of_hardware);
}

/* Each fault of registers as it comes; those of hardware at the end and together, since a seed belongs to all. */
static int parse_list(struct faults *all, struct machine *m, char *list, const struct complaint *c)
{
	char *hardware = calloc(1, strlen(list) + 2), *save = NULL;
	int err = hardware ? 0 : complain(c, BXS_ENOMEM, "out of memory");

	for (char *one = strtok_r(list, ",", &save); err == 0 && one; one = strtok_r(NULL, ",", &save)) {
		if (!machine_fault_has(one, strcspn(one, "="))) {
			err = parse_one(all, m, one, c);
			continue;
		}
		strcat(hardware, *hardware ? "," : "");
		strcat(hardware, one);
	}
	if (err == 0 && *hardware)
		err = machine_fault(m, hardware, c->why, c->size);
	free(hardware);
	return err;
}

int faults_open(struct virtual *v, const char *list, struct faults **out, char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	struct faults *all = calloc(1, sizeof *all);
	char *copy = strdup(list);
	int err = 0;

	if (!all || !copy || decode_new(virtual_machine(v), &all->decode) < 0)
		err = complain(&c, BXS_ENOMEM, "out of memory");
	if (err == 0)
		err = parse_list(all, virtual_machine(v), copy, &c);
	free(copy);
	if (err < 0) {
		faults_close(all);
		return err;
	}
	virtual_intercept(v, intercept, all);
	*out = all;
	return 0;
}

void faults_close(struct faults *f)
{
	if (f)
		decode_free(f->decode);
	free(f);
}
