/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing the log: see log.h for what a line looks like. */
#include "virtual/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "machine/machine.h"
#include "virtual/decode.h"

enum { BUSES = 2, SOCKETS = 8 };

struct log {
	FILE *file;
	struct decode *decode;
	struct virtual *machine;
	int bus[SOCKETS][BUSES];
	unsigned each, cores;		/* cores of a socket, of the machine */
};

static void put_time(FILE *f, uint64_t ps)
{
	fprintf(f, "%" PRIu64 ".%012" PRIu64 " ", ps / 1000000000000, ps % 1000000000000);
}

/* The logical CPU behind the address of an MSR: see virtual_msr(). */
static unsigned cpu_of(const struct log *l, const struct access_address *at)
{
	return at->thread / l->each * l->cores + at->socket * l->each + at->thread % l->each;
}

static void put_place(const struct log *l, const struct virtual_event *e)
{
	const struct access_address *at = e->at;
	const char *verb = e->write ? "wr" : "rd";

	if (at->space == CAT_PCI)
		fprintf(l->file, "%spci %02x:%02x.%x %#x %u ", verb, (unsigned)l->bus[at->socket][at->bus] & 0xff,
			at->base >> 3, at->base & 7, at->offset, at->width);
	else
		fprintf(l->file, "%smsr %u %#x ", verb, cpu_of(l, at), at->offset);
}

static void observe(void *ctx, struct machine *m, const struct virtual_event *e)
{
	struct log *l = ctx;
	const struct decode_register *r = decode_find(l->decode, e->at);
	char name[96], fields[300];

	put_time(l->file, e->time);
	put_time(l->file, e->run);
	fprintf(l->file, "%u ", e->pid);
	put_place(l, e);
	if (!e->write && e->outcome < 0)
		fprintf(l->file, "#GP");
	else
		fprintf(l->file, "%#" PRIx64 "%s", e->value, e->outcome < 0 ? " #GP" : "");
	if (r)
		fprintf(l->file, " ; %s%s%s", decode_name(r, e->at->socket, name, sizeof name),
			*decode_fields(r, e->at, e->value, fields, sizeof fields) ? " " : "", fields);
	else if (e->at->space == CAT_MSR && machine_core_name(m, e->at->offset, name, sizeof name))
		fprintf(l->file, " ; %s", name);
	fputc('\n', l->file);
}

int log_open(struct virtual *v, const char *path, const char *spec, const char *faults, struct log **out, char *why,
	     size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	struct machine *m = virtual_machine(v);
	struct log *l = calloc(1, sizeof *l);

	if (!l || decode_new(m, &l->decode) < 0) {
		free(l);
		return complain(&c, BXS_ENOMEM, "out of memory");
	}
	l->file = fopen(path, "we");
	if (!l->file) {
		complain(&c, BXS_EIO, "%s cannot be written: %s", path, strerror(errno));
		log_close(l);
		return BXS_EIO;
	}
	/* A line is there when the access is over, whoever is killed afterwards. */
	setvbuf(l->file, NULL, _IOLBF, 0);
	l->machine = v;
	l->cores = machine_cores(m);
	l->each = l->cores / machine_sockets(m);
	for (unsigned s = 0; s < machine_sockets(m) && s < SOCKETS; s++)
		for (unsigned b = 0; b < BUSES; b++)
			l->bus[s][b] = virtual_bus(v, s, b);
	fprintf(l->file, "# boxscore log 1 %s\n", spec);
	if (virtual_load(v))
		fprintf(l->file, "# load %s\n", virtual_load(v));
	if (faults && *faults)
		fprintf(l->file, "# fault %s\n", faults);
	virtual_observe(v, observe, l);
	*out = l;
	return 0;
}

int log_close(struct log *l)
{
	int err = 0;

	if (!l)
		return 0;
	if (l->file && (ferror(l->file) | fclose(l->file)) != 0)
		err = BXS_EIO;
	decode_free(l->decode);
	free(l);
	return err;
}
