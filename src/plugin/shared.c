/* SPDX-License-Identifier: BSD-2-Clause */
#include "shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* A file has room for 16 GB of lines; which of 2^20 places it has is as good as random. */
#define FILE_BITS 28

static struct range {
	uint64_t from, to;		/* lines */
	uint64_t name;			/* of the first */
} ranges[PLUGIN_SHARED_RANGES];

unsigned plugin_shared_ranges;

static uint64_t name_of(uint64_t device, uint64_t inode, uint64_t offset)
{
	uint64_t file = (inode ^ device << 32) * UINT64_C(0x9e3779b97f4a7c15) >> 44;

	return file << FILE_BITS | (offset >> 6 & bits_low(FILE_BITS));
}

/* The emulator's own segment is not the program's. */
static bool is_ours(const char *text)
{
	return strstr(text, "memfd:boxscore") != NULL;
}

static void note_line(const char *line)
{
	uint64_t from, to, offset, inode;
	unsigned major, minor;
	char rights[8];

	if (plugin_shared_ranges == PLUGIN_SHARED_RANGES ||
	    sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64, &from, &to, rights, &offset, &major, &minor,
		   &inode) != 7 || rights[3] != 's' || is_ours(line))
		return;
	ranges[plugin_shared_ranges++] = (struct range){
		.from = from >> 6, .to = to >> 6, .name = name_of((uint64_t)major << 20 | minor, inode, offset),
	};
}

static void look_again(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	plugin_shared_ranges = 0;
	while (maps && fgets(line, sizeof line, maps))
		note_line(line);
	if (maps)
		fclose(maps);
}

void plugin_shared_called(int64_t num, const uint64_t arg[4], int64_t ret)
{
	bool maps = num == SYS_mmap && (arg[3] & MAP_TYPE) != MAP_PRIVATE;
	bool changes = num == SYS_mmap || num == SYS_munmap || num == SYS_mremap || num == SYS_shmdt;

	if (ret < 0 && ret > -4096)
		return;
	if (maps || num == SYS_shmat || (changes && plugin_shared_ranges))
		look_again();
}

void plugin_shared_name(struct leave_record *rec)
{
	if (rec->kind == LEAVE_TICK || rec->kind == LEAVE_WAKE || rec->kind == LEAVE_REGION || rec->kind == LEAVE_HALT)
		return;
	for (unsigned i = 0; i < plugin_shared_ranges; i++) {
		const struct range *r = ranges + i;

		if (rec->line >= r->from && rec->line < r->to) {
			rec->line = r->name + (rec->line - r->from);
			rec->space = PLUGIN_SHARED_SPACE;
			return;
		}
	}
}

/* Call fn with the number of each line by which this process has the shared one of this name. */
static void each_line(uint64_t name, void (*fn)(void *ctx, uint64_t line), void *ctx)
{
	for (unsigned i = 0; i < plugin_shared_ranges; i++) {
		const struct range *r = ranges + i;

		if (name - r->name < r->to - r->from)
			fn(ctx, name - r->name + r->from);
	}
}

struct done_to {
	struct plugin_core *core;
	struct leave_snoop snoop;
};

static void snoop_line(void *ctx, uint64_t line)
{
	struct done_to *to = ctx;

	to->snoop.line = line & bits_low(48);
	xcore_snoop(&to->core->x, &to->snoop);
}

void plugin_shared_snoop(struct plugin_core *c, const struct leave_snoop *snoop)
{
	struct done_to to = { .core = c, .snoop = *snoop };

	to.snoop.space = (uint8_t)c->x.space;
	each_line(snoop->line, snoop_line, &to);
}

struct held_by {
	const struct plugin_core *core;
	enum cache_state most;
};

static void look_at(void *ctx, uint64_t line)
{
	struct held_by *by = ctx;
	enum cache_state state = xcore_holds(&by->core->x, line);

	by->most = state > by->most ? state : by->most;
}

enum cache_state plugin_holds(const struct plugin_core *c, const struct leave_snoop *line)
{
	struct held_by by = { .core = c, .most = CACHE_NONE };

	if (line->space == PLUGIN_SHARED_SPACE)
		each_line(line->line, look_at, &by);
	else if (line->space == c->x.space)
		look_at(&by, line->line);
	return by.most;
}
