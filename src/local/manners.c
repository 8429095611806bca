/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boxes in use are left alone, and every register that was changed gets its old value back: when the session ends or, if the process
 * was killed, when Boxscore is next started.
 *
 * Before the first write to a box, the values of all its registers are saved in memory and in a journal.  The journal stays locked while
 * its process lives, so a journal that can be locked belongs to a dead process.  Its first line identifies the boot and the devices,
 * because the devices of a simulated machine may hide this computer's (`boxscore with`).
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "local/local_private.h"

enum { BOXES = 64 };			/* of a type, at most */

struct kept {
	struct access_address at;
	uint64_t value;			/* that puts it back */
};

struct local_journal {
	struct kept *kept;		/* in the order of the first writes */
	unsigned keeps, room;
	uint8_t *seen;			/* a flag for each box of each socket, and each CPU: it is kept */
	FILE *file;			/* NULL: none can be written */
	char path[96];
};

/* Flags for the boxes of all sockets; those of the CPUs follow. */
static unsigned boxes(const struct local *l)
{
	return l->processor.family->types * BOXES * l->processor.sockets;
}

static unsigned number_of(const struct local *l, const struct access_address *at, const struct local_place *place)
{
	const struct local_processor *p = &l->processor;

	if (at->space == CAT_CPU)
		return boxes(l) + local_slot(l, at->socket, at->base);
	return ((cat_regs[place->reg].type - p->family->type0) * BOXES + place->box) * p->sockets + at->socket;
}

/* A directory that nobody else can write to: a journal there is ours. */
static bool is_own_directory(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return false;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077);
}

/* Find the directory of the journals.  False: none can be had. */
static bool journal_directory(char *path, size_t size)
{
	snprintf(path, size, "/run/boxscore");
	if (is_own_directory(path))
		return true;
	snprintf(path, size, "/tmp/boxscore-run-%u", (unsigned)geteuid());
	return is_own_directory(path);
}

/* Identifies the boot and the devices that a journal belongs to. */
static void describe_world(char *out, size_t size)
{
	char boot[64] = "";
	struct stat device = { 0 };

	local_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	stat("/dev/cpu", &device);
	snprintf(out, size, "boxscore 1 %.40s %ju %jd.%09ld", boot, (uintmax_t)device.st_dev, (intmax_t)device.st_ctim.tv_sec,
		 device.st_ctim.tv_nsec);
}

static void open_journal(struct local_journal *j)
{
	char world[160], where[64];
	int fd;

	if (!journal_directory(where, sizeof where))
		return;
	snprintf(j->path, sizeof j->path, "%s/journal-%d", where, (int)getpid());
	fd = open(j->path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	flock(fd, LOCK_EX);
	j->file = fdopen(fd, "w");
	if (!j->file) {
		close(fd);
		return;
	}
	describe_world(world, sizeof world);
	fprintf(j->file, "%s\n", world);
	fflush(j->file);
}

static void free_journal(struct local_journal *j)
{
	free(j->kept);
	free(j->seen);
	free(j);
}

static struct local_journal *journal_of(struct local *l)
{
	struct local_journal *j = l->journal;

	if (j)
		return j;
	j = calloc(1, sizeof *j);
	if (!j)
		return NULL;
	j->seen = calloc(boxes(l) + local_slots(l), 1);
	if (!j->seen) {
		free_journal(j);
		return NULL;
	}
	open_journal(j);
	l->journal = j;
	return j;
}

static void write_line(FILE *f, const struct kept *k)
{
	fprintf(f, "%d %d %u %u %" PRIu32 " %" PRIu32 " %u %" PRIx64 "\n", (int)k->at.space, (int)k->at.bus, k->at.socket, k->at.thread,
		k->at.base, k->at.offset, k->at.width, k->value);
	fflush(f);
}

/* False: write_line() does not write such a line. */
static bool read_line(const char *line, struct kept *k)
{
	unsigned space, bus, socket, thread, width;

	*k = (struct kept){ 0 };
	if (sscanf(line, "%u %u %u %u %" SCNu32 " %" SCNu32 " %u %" SCNx64, &space, &bus, &socket, &thread, &k->at.base, &k->at.offset,
		   &width, &k->value) != 8 || (space > CAT_PCI && space != CAT_CPU) || bus > CAT_BUS_IIO || socket > UINT16_MAX ||
	    thread > UINT16_MAX || width > 64)
		return false;
	k->at.space = (enum cat_space)space;
	k->at.bus = (enum cat_bus)bus;
	k->at.socket = (uint16_t)socket;
	k->at.thread = (uint16_t)thread;
	k->at.width = (uint8_t)width;
	return true;
}

/*
 * What has to be written to a register that reads `value`: a whole socket that was stopped runs again, and some bits of a box's
 * control have to be written 1 each time.
 */
static uint64_t to_put_back(const struct local_place *place, uint64_t value)
{
	const struct cat_reg *r = cat_regs + place->reg;
	const struct cat_field *run = cat_reg_field(r, "unfrz_all");

	if (r->role == CAT_BOX_CTL)
		return value | cat_wanted_ones(r);
	return run ? value | bits_mask(run->hi, run->lo) : value;
}

/* Writing a status back would clear overflows that have happened since. */
static bool can_put_back(const struct local_place *place, const struct access_address *at)
{
	const struct cat_reg *r = cat_regs + place->reg;

	/* Measuring writes a CPU's counters and their controls; its clocks and power limits are nobody's to restore. */
	if (at->space == CAT_CPU)
		return r->role == CAT_CTL || r->role == CAT_CTR || at->offset == MSR_FIXED_CTR_CTRL || at->offset == MSR_PERF_GLOBAL_CTRL;
	return !r->w1c && r->write && r->role != CAT_FREE;
}

static void keep(struct local_journal *j, const struct access_address *at, const struct local_place *place, uint64_t value)
{
	struct kept k = { .at = *at, .value = to_put_back(place, value) }, *more;

	more = array_grow(j->kept, j->keeps, &j->room, sizeof *more);
	if (!more)
		return;
	j->kept = more;
	j->kept[j->keeps++] = k;
	if (j->file)
		write_line(j->file, &k);
}

/* Stops all counters, then restores in reverse order, so that box controls and the socket's control come last. */
static void put_back(struct local *l, const struct kept *kept, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct access_address at = kept[i].at;
		const struct local_place *place = local_place_at(l, &at);

		if (place && cat_regs[place->reg].role == CAT_CTL)
			l->door->write(l, &at, place, 0);
	}
	while (n-- > 0) {
		struct access_address at = kept[n].at;
		const struct local_place *place = local_place_at(l, &at);

		l->door->write(l, &at, place, kept[n].value);
	}
}

void local_restore(struct local *l)
{
	struct local_journal *j = l->journal;

	if (!j)
		return;
	put_back(l, j->kept, j->keeps);
	if (j->file) {
		unlink(j->path);
		fclose(j->file);
	}
	free_journal(j);
	l->journal = NULL;
}

/* A damaged line must not reach a register that no session would have changed. */
static bool is_ours(const struct local *l, const struct kept *k)
{
	struct access_address at = k->at;
	const struct local_place *place = local_place_at(l, &at);

	return place && at.socket < l->processor.sockets && at.width == cat_regs[place->reg].width && can_put_back(place, &at);
}

unsigned local_replay_lines(struct local *l, FILE *f)
{
	struct local_journal j = { 0 };
	char line[160];
	struct kept k, *more;

	while (fgets(line, sizeof line, f) && strchr(line, '\n') && read_line(line, &k) && is_ours(l, &k) &&
	       (more = array_grow(j.kept, j.keeps, &j.room, sizeof *more))) {
		j.kept = more;
		j.kept[j.keeps++] = k;
	}
	put_back(l, j.kept, j.keeps);
	free(j.kept);
	return j.keeps;
}

/* Restores what a journal says, if it belongs to these devices.  Returns the number of registers. */
static unsigned replay(struct local *l, FILE *f)
{
	char world[160], line[160];

	describe_world(world, sizeof world);
	return fgets(line, sizeof line, f) && strncmp(line, world, strlen(world)) == 0 ? local_replay_lines(l, f) : 0;
}

static unsigned replay_file(struct local *l, const char *path)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	FILE *f;
	struct stat st;
	unsigned n = 0;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB) < 0 || !(f = fdopen(fd, "r"))) {
		close(fd);
		return 0;
	}
	n = replay(l, f);
	unlink(path);
	fclose(f);
	return n;
}

unsigned local_replay_journals(struct local *l)
{
	char pattern[80], where[64];
	unsigned n = 0;
	glob_t g;

	if (!journal_directory(where, sizeof where))
		return 0;
	snprintf(pattern, sizeof pattern, "%s/journal-*", where);
	if (glob(pattern, 0, NULL, &g) != 0)
		return 0;
	for (size_t i = 0; i < g.gl_pathc; i++)
		n += replay_file(l, g.gl_pathv[i]);
	globfree(&g);
	return n;
}

/* cpu: which one of the socket, for registers that each CPU has. */
static struct access_address address_of(const struct local_place *p, unsigned socket, unsigned cpu)
{
	struct cat_where w = cat_reg_where(cat_regs + p->reg, p->box, p->element);

	return (struct access_address){
		.space = w.space, .bus = w.bus, .socket = (uint16_t)socket, .base = w.space == CAT_CPU ? cpu : w.base,
		.offset = w.offset, .width = cat_regs[p->reg].width,
	};
}

/* Does a control of this value let its counter count?  All ones means that no box answers. */
static bool is_enabled(const struct cat_reg *r, const struct access_address *at, uint64_t value)
{
	const struct cat_field *en = r->role == CAT_CTL || r->role == CAT_FIXED_CTL ? cat_reg_field(r, "en") : NULL;

	if (at->space == CAT_CPU && at->offset == MSR_FIXED_CTR_CTRL)
		return value;
	return en && value != bits_low(r->width) && bits_get(value, en->hi, en->lo);
}

static int refuse(struct local *l, const struct local_place *p, unsigned socket, uint64_t value)
{
	char name[64];

	cat_reg_instance(cat_regs + p->reg, p->box, p->element, name, sizeof name);
	snprintf(l->why, sizeof l->why, "somebody else counts there: %s of socket %u holds 0x%" PRIx64 " (--force takes it all the same)", name,
		 socket, value);
	return BXS_ECONFLICT;
}

/* Saves all registers of a box or a CPU, since a reset of the box clears them together.  BXS_ECONFLICT: one of its counters is in use. */
static int enter_box(struct local *l, unsigned type, unsigned box, const struct access_address *where)
{
	for (unsigned i = 0; i < l->places; i++) {
		const struct local_place *p = l->place + i;
		struct access_address at = address_of(p, where->socket, where->base);
		uint64_t value;

		if (cat_regs[p->reg].type != type || p->box != box || !can_put_back(p, &at) || l->door->read(l, &at, p, &value) < 0)
			continue;
		if (!l->force && is_enabled(cat_regs + p->reg, &at, value))
			return refuse(l, p, where->socket, value);
		keep(l->journal, &at, p, value);
	}
	return 0;
}

int local_enter(struct local *l, const struct access_address *at, const struct local_place *place)
{
	struct local_journal *j = journal_of(l);
	uint8_t *seen;
	int err;

	if (!j)
		return BXS_ENOMEM;
	seen = &j->seen[number_of(l, at, place)];
	if (*seen)
		return 0;
	err = enter_box(l, cat_regs[place->reg].type, place->box, at);
	*seen = err == 0;
	return err;
}
