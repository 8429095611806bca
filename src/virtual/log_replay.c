/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a log line by line, and doing what it says. */
#include "virtual/log_replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "machine/machine.h"

#define MAGIC "# boxscore log 1 "
#define LOAD "# load "
#define FAULTS "# fault "

/* One line, taken apart. */
struct entry {
	uint64_t time, run, value;
	struct access_address at;
	unsigned pid;
	bool write, faulted;
};

struct reader {
	FILE *file;
	char *line;
	size_t room;
	uint64_t number;
	struct complaint c;
	const char *path;
};

/* The next line without its end; false: there is none. */
static bool next(struct reader *r)
{
	ssize_t n = getline(&r->line, &r->room, r->file);

	if (n < 0)
		return false;
	r->number++;
	if (n && r->line[n - 1] == '\n')
		r->line[n - 1] = '\0';
	return true;
}

static int open_log(struct reader *r, const char *path, char *why, size_t size)
{
	*r = (struct reader){ .path = path, .c = { .why = why, .size = size } };
	r->file = fopen(path, "re");
	if (!r->file)
		return complain(&r->c, BXS_ENOENT, "%s: %s", path, strerror(errno));
	if (next(r) && strncmp(r->line, MAGIC, strlen(MAGIC)) == 0)
		return 0;
	fclose(r->file);
	free(r->line);
	return complain(&r->c, BXS_EINVAL, "%s is no log of accesses: it does not begin with \"%s\"", path, MAGIC);
}

static void close_log(struct reader *r)
{
	fclose(r->file);
	free(r->line);
}

int log_header(const char *path, struct log_header *out, char *why, size_t size)
{
	struct reader r;
	int err = open_log(&r, path, why, size);

	if (err < 0)
		return err;
	*out = (struct log_header){ 0 };
	snprintf(out->spec, sizeof out->spec, "%s", r.line + strlen(MAGIC));
	while (next(&r) && r.line[0] == '#') {
		if (strncmp(r.line, LOAD, strlen(LOAD)) == 0)
			snprintf(out->load, sizeof out->load, "%s", r.line + strlen(LOAD));
		if (strncmp(r.line, FAULTS, strlen(FAULTS)) == 0)
			snprintf(out->faults, sizeof out->faults, "%s", r.line + strlen(FAULTS));
	}
	close_log(&r);
	return 0;
}

static bool take_time(const char *word, uint64_t *ps)
{
	uint64_t seconds, rest;
	int used = 0;

	if (sscanf(word, "%" SCNu64 ".%12" SCNu64 "%n", &seconds, &rest, &used) != 2 || word[used] ||
	    seconds > UINT64_MAX / 1000000000000 - 1)
		return false;
	*ps = seconds * 1000000000000 + rest;
	return true;
}

static bool take_number(const char *word, uint64_t most, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(word, &end, 0);
	return *word >= '0' && *word <= '9' && !*end && !errno && *out <= most;
}

/* The socket and bus of a bus number. */
static bool find_bus(struct virtual *v, unsigned number, struct access_address *at)
{
	for (unsigned s = 0; s < machine_sockets(virtual_machine(v)); s++)
		for (unsigned b = CAT_BUS_UNCORE; b <= CAT_BUS_IIO; b++)
			if (virtual_bus(v, s, b) == (int)number) {
				at->socket = (uint16_t)s;
				at->bus = b;
				return true;
			}
	return false;
}

static bool take_function(struct virtual *v, const char *word, const char *offset, const char *width,
			  struct access_address *at)
{
	unsigned bus, dev, fn;
	uint64_t where, bits;
	int used = 0;

	if (sscanf(word, "%2x:%2x.%1x%n", &bus, &dev, &fn, &used) != 3 || word[used] || dev > 31 || fn > 7 ||
	    !take_number(offset, 4095, &where) || !take_number(width, 64, &bits) ||
	    (bits != 8 && bits != 16 && bits != 32))
		return false;
	*at = virtual_function(0, CAT_BUS_UNCORE, dev << 3 | fn);
	at->offset = (uint32_t)where;
	at->width = (uint8_t)bits;
	return find_bus(v, bus, at);
}

enum { WORDS = 10 };

static bool take_entry(struct virtual *v, char *line, struct entry *e)
{
	char *word[WORDS] = { NULL }, *save = NULL, *comment = strstr(line, " ;");
	unsigned n = 0, value;
	uint64_t number, cpu;

	if (comment)
		*comment = '\0';
	for (char *w = strtok_r(line, " ", &save); w && n < WORDS; w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	if (n < 7 || !take_time(word[0], &e->time) || !take_time(word[1], &e->run) ||
	    !take_number(word[2], UINT32_MAX, &number))
		return false;
	e->pid = (unsigned)number;
	e->write = strncmp(word[3], "wr", 2) == 0;
	if (!e->write && strncmp(word[3], "rd", 2) != 0)
		return false;
	if (strcmp(word[3] + 2, "msr") == 0) {
		if (!take_number(word[4], UINT32_MAX, &cpu) || !take_number(word[5], UINT32_MAX, &number) ||
		    virtual_msr(v, (unsigned)cpu, (uint32_t)number, &e->at) < 0)
			return false;
		value = 6;
	} else {
		if (n < 8 || strcmp(word[3] + 2, "pci") != 0 || !take_function(v, word[4], word[5], word[6], &e->at))
			return false;
		value = 7;
	}
	e->faulted = strcmp(word[n - 1], "#GP") == 0;
	return (!e->write && e->faulted) || take_number(word[value], UINT64_MAX, &e->value);
}

/* Do it; true: it came out as logged. */
static bool repeat(struct virtual *v, const struct entry *e, char *got, size_t size)
{
	uint64_t value = e->value;
	int err;

	err = e->write ? virtual_write(v, e->pid, &e->at, e->value) : virtual_read(v, e->pid, &e->at, &value);
	if (err < 0)
		snprintf(got, size, "#GP");
	else
		snprintf(got, size, "%#" PRIx64, value);
	return (err < 0) == e->faulted && (e->write || e->faulted || value == e->value);
}

int log_replay(struct virtual *v, const char *path, struct log_result *out,
	       void (*differ)(void *ctx, uint64_t number, const char *line, const char *got), void *ctx, char *why,
	       size_t size)
{
	struct log_result result = { 0 };
	struct reader r;
	int err = open_log(&r, path, why, size);

	if (err < 0)
		return err;
	while (err == 0 && next(&r)) {
		struct entry e = { 0 };
		char *copy, got[32];

		if (r.line[0] == '#' || r.line[0] == '\0')
			continue;
		copy = strdup(r.line);
		if (!copy) {
			err = BXS_ENOMEM;
		} else if (!take_entry(v, copy, &e)) {
			err = complain(&r.c, BXS_EINVAL, "%s:%" PRIu64 ": cannot be understood: %s", path, r.number,
				       r.line);
		} else {
			virtual_run_to(v, e.run, e.time);
			result.accesses++;
			result.reads += !e.write;
			if (!repeat(v, &e, got, sizeof got)) {
				result.differ++;
				differ(ctx, r.number, r.line, got);
			}
		}
		free(copy);
	}
	close_log(&r);
	if (err == 0)
		*out = result;
	return err;
}
