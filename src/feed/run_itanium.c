/* SPDX-License-Identifier: BSD-2-Clause */
/* IA-64 programs on an Itanium machine: loaded, run in slices on the cores of socket 0, ended. */
#include "feed/run_itanium.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog/find.h"
#include "feed/target.h"
#include "ia64/ia64.h"
#include "machine/itanium_cores.h"

/* Instructions between looks at the clock and at what is measured: a counter that is near its overflow is seen in time, since
 * none counts more than twelve a cycle. */
enum { SLICE = 4096 };

struct run_itanium {
	struct feed feed;
	struct ia64 *program;
	struct itanium_cores *cores;
	const struct ia64_stop *stop;
	uint64_t limit;			/* picoseconds that it may run; 0: as long as it likes */
	int status;
	char ending[300];
};

static void end(struct run_itanium *r, int status, const char *text)
{
	r->status = status;
	if (text)
		snprintf(r->ending, sizeof r->ending, "%s", text);
	itanium_cores_end(r->cores);
}

/* As waitpid() tells. */
static bool look(struct run_itanium *r)
{
	switch (r->stop->why) {
	case IA64_RUNNING:
		return true;
	case IA64_EXITED:
		end(r, r->stop->status << 8, NULL);
		return false;
	case IA64_LIMIT:
		end(r, SIGXCPU, r->stop->reason);
		return false;
	default:
		end(r, r->stop->signal ? r->stop->signal : SIGSEGV, r->stop->reason);
		return false;
	}
}

static bool in_time(struct run_itanium *r)
{
	if (!r->limit || itanium_cores_time(r->cores) - itanium_cores_began(r->cores) < r->limit)
		return true;
	end(r, SIGXCPU, "the limit of time is reached");
	return false;
}

static int run(struct feed *f, uint64_t until)
{
	struct run_itanium *r = (struct run_itanium *)f;

	if (r->status >= 0)
		return FEED_ENDED;
	do {
		r->stop = ia64_run_on(r->program, itanium_cores_processors(r->cores), SLICE);
		itanium_cores_keep_up(r->cores);
		if (!look(r) || !in_time(r))
			return FEED_ENDED;
	} while (itanium_cores_time(r->cores) < until);
	return FEED_MORE;
}

static void close_run(struct feed *f)
{
	struct run_itanium *r = (struct run_itanium *)f;

	itanium_cores_free(r->cores);
	ia64_free(r->program);
	free(r);
}

static void stop(struct feed *f)
{
	itanium_cores_end(((struct run_itanium *)f)->cores);
}

static const struct feed_ops ops = { .run = run, .close = close_run, .stop = stop };

static int load(struct run_itanium *r, const struct target *t, const struct run_config *cfg, char *why, size_t size)
{
	const struct ia64_config config = {
		.instructions = cfg->instructions, .argv = cfg->argv, .env = environ,
		.itc_khz = (uint32_t)machine_spec(r->feed.machine)->value[SPEC_CORE_MHZ] * 1000,
	};
	int fd = open(t->path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st = { .st_size = 0 };
	void *bytes;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0) {
		snprintf(why, size, "%s: %s", t->path, fd < 0 ? strerror(errno) : "is empty");
		err = BXS_EIO;
		goto out;
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		err = BXS_ENOMEM;
		goto out;
	}
	r->program = ia64_load(bytes, (size_t)st.st_size, &config, why, size);
	err = r->program ? 0 : BXS_EIO;
	munmap(bytes, (size_t)st.st_size);
out:
	if (fd >= 0)
		close(fd);
	return err;
}

static int find(struct run_itanium *r, const struct run_config *cfg, char *why, size_t size)
{
	const struct spec *spec = machine_spec(r->feed.machine);
	struct target *t = malloc(sizeof *t);
	int err = t ? target_find_for(cfg->argv[0], EM_IA_64, t, why, size) : BXS_ENOMEM;

	if (err == 0 && t->machine != EM_IA_64) {
		snprintf(why, size, "%s is a program for x86-64, which the cores of %s do not execute; this machine runs static "
			 "programs for IA-64, built-in kernels (--kernel) and scenarios (boxscore run)", cfg->argv[0],
			 cat_str(spec->family->name));
		err = BXS_ENOTSUP;
	}
	if (err == 0)
		err = load(r, t, cfg, why, size);
	free(t);
	return err;
}

int run_itanium_open(struct machine *m, const struct run_config *cfg, struct feed **out, char *why, size_t size)
{
	struct run_itanium *r = calloc(1, sizeof *r);
	int err;

	snprintf(why, size, "out of memory");
	if (!r)
		return BXS_ENOMEM;
	r->feed = (struct feed){ .ops = &ops, .machine = m };
	r->status = -1;
	r->limit = cfg->picoseconds;
	err = find(r, cfg, why, size);
	if (err == 0 && (cfg->background || cfg->places > 1)) {
		snprintf(why, size, "one program for IA-64 at a time; this machine runs no others beside it");
		err = BXS_ENOTSUP;
	}
	if (err == 0)
		err = itanium_cores_new(m, &r->cores);
	if (err < 0) {
		close_run(&r->feed);
		return err;
	}
	*out = &r->feed;
	return 0;
}

bool run_itanium_is(const struct feed *f)
{
	return f->ops == &ops;
}

int run_itanium_status(const struct feed *f)
{
	return ((const struct run_itanium *)f)->status;
}

const char *run_itanium_ending(const struct feed *f)
{
	return ((const struct run_itanium *)f)->ending;
}

const char *run_itanium_note(const struct feed *f)
{
	return ia64_note(((const struct run_itanium *)f)->program);
}
