/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a built-in kernel: reads its parameters, gives each thread a core with private
 * caches, and always lets the thread go on whose core is furthest behind.
 */
#include "feed/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "catalog/find.h"
#include "feed/caches.h"
#include "machine/options.h"

/* Instructions after which the machine hears of them at the latest: what a thread does without
 * leaving its core, such as spinning, must not let its time fall behind the others'. */
enum { TICK = 100 };

/* How far a thread may get ahead of the others before they have their turn. */
#define AHEAD UINT64_C(20000)		/* picoseconds */

static const struct spec_key_info keys[KERNEL_KEY_COUNT] = {
#define X(id, name_, def_, least_, most_, words_, text_) \
	[KERNEL_##id] = { .name = name_, .def = def_, .least = least_, .most = most_, \
			  .words = words_, .text = text_ },
	KERNEL_KEYS(X)
#undef X
};

const char *kernel_name(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!kernel_table[i].name)
			return NULL;
	return kernel_table[n].name;
}

const char *kernel_about(unsigned n)
{
	return kernel_name(n) ? kernel_table[n].about : NULL;
}

const struct spec_key_info *kernel_key(unsigned n, unsigned k)
{
	if (!kernel_name(n))
		return NULL;
	for (unsigned i = 0; i < KERNEL_KEY_COUNT; i++)
		if (kernel_table[n].keys >> i & 1 && k-- == 0)
			return &keys[i];
	return NULL;
}

static const char *name_of(const void *ctx, unsigned n)
{
	(void)ctx;
	return kernel_table[n].name;
}

static const char *key_of(const void *kernel, unsigned n)
{
	unsigned number = (unsigned)((const struct kernel *)kernel - kernel_table);

	return kernel_key(number, n)->name;
}

static int unknown(const struct complaint *c, const char *what, const char *word, size_t len,
		   const char *(*names)(const void *ctx, unsigned n), const void *ctx,
		   unsigned count)
{
	int near = cat_nearest(word, len, count, names, ctx);
	char list[200] = "";
	size_t used = 0;

	if (near >= 0)
		return complain(c, BXS_ENOENT, "no %s \"%.*s\"; did you mean %s?", what, (int)len,
				word, names(ctx, (unsigned)near));
	for (unsigned n = 0; n < count && used < sizeof list; n++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "",
					 names(ctx, n));
	return complain(c, BXS_ENOENT, "no %s \"%.*s\"; there are: %s", what, (int)len, word, list);
}

static int find_kernel(const struct kernel **out, const char *name, size_t len,
		       const struct complaint *c)
{
	unsigned count = 0;

	for (; kernel_table[count].name; count++)
		if (strlen(kernel_table[count].name) == len &&
		    memcmp(kernel_table[count].name, name, len) == 0) {
			*out = &kernel_table[count];
			return 0;
		}
	return unknown(c, "kernel", name, len, name_of, NULL, count);
}

static int set_key(struct kernel_feed *f, uint64_t *seen, const char *text, size_t len, const struct complaint *c)
{
	const char *equals = memchr(text, '=', len);
	size_t name_len = equals ? (size_t)(equals - text) : len;
	struct options_word value = { .s = NULL };
	unsigned key = 0, known = (unsigned)__builtin_popcount(f->kernel->keys);
	int err;

	while (key < KERNEL_KEY_COUNT &&
	       !(f->kernel->keys >> key & 1 && strlen(keys[key].name) == name_len &&
		 memcmp(keys[key].name, text, name_len) == 0))
		key++;
	if (key == KERNEL_KEY_COUNT)
		return unknown(c, "key of this kernel", text, name_len, key_of, f->kernel, known);
	if (!equals)
		return complain(c, BXS_EINVAL, "%s: a key needs a value: %s=value", keys[key].name,
				keys[key].name);
	value = (struct options_word){ equals + 1, len - name_len - 1 };
	err = options_once(seen, key, keys[key].name, c);
	return err < 0 ? err : options_value(&keys[key], &value, &f->value[key], c);
}

static int parse(struct kernel_feed *f, const char *spec, const struct complaint *c)
{
	size_t len = strcspn(spec, ":");
	uint64_t seen = 0;
	int err = find_kernel(&f->kernel, spec, len, c);

	if (err < 0)
		return err;
	for (unsigned i = 0; i < KERNEL_KEY_COUNT; i++)
		f->value[i] = keys[i].def;
	for (unsigned i = 0; i < LEN(f->kernel->defaults); i++)
		if (f->kernel->defaults[i].key || f->kernel->defaults[i].def)
			f->value[f->kernel->defaults[i].key] = f->kernel->defaults[i].def;
	spec += len;
	while (err == 0 && *spec) {
		spec++;
		len = strcspn(spec, ",");
		err = set_key(f, &seen, spec, len, c);
		spec += len;
	}
	f->threads = (unsigned)f->value[KERNEL_THREADS];
	return err;
}

/* What the machine has to have. */
static int check(const struct kernel_feed *f, const struct complaint *c)
{
	const struct machine *m = f->feed.machine;
	const uint64_t *v = f->value;
	uint64_t last = v[KERNEL_CORE] + (v[KERNEL_THREADS] - 1) * v[KERNEL_STEP];

	if (!machine_has_hardware(m))
		return complain(c, BXS_ENOTSUP, "%s: this machine is a PMU without hardware behind "
				"it; nothing can run on it", f->kernel->name);
	if (last >= machine_cores(m))
		return complain(c, BXS_EINVAL, "core=%" PRIu64 ",threads=%" PRIu64 ",step=%" PRIu64
				": the machine has cores 0 to %u", v[KERNEL_CORE],
				v[KERNEL_THREADS], v[KERNEL_STEP], machine_cores(m) - 1);
	if (v[KERNEL_NODE] != SPEC_NONE && v[KERNEL_NODE] >= machine_nodes(m))
		return complain(c, BXS_EINVAL, "node=%" PRIu64 ": the machine has nodes 0 to %u",
				v[KERNEL_NODE], machine_nodes(m) - 1);
	return 0;
}

static void leave(void *ctx, const struct leave_record *rec, unsigned n)
{
	struct kernel_thread *t = ctx;

	caches_leave(t->feed->feed.machine, t->core, t->x, rec, n);
}

static void halt(struct kernel_thread *t)
{
	caches_halt(t->feed->feed.machine, t->core, t->x);
}

void kernel_sleep(struct kernel_thread *t, uint64_t length)
{
	halt(t);
	t->wakes = machine_core_time(t->feed->feed.machine, t->core) + length;
}

static void wake(struct kernel_thread *t)
{
	machine_idle(t->feed->feed.machine, t->core, t->wakes);
	t->wakes = 0;
}

/* The thread has ended. */
static void finish(struct kernel_thread *t)
{
	if (!t->wakes)
		halt(t);
	t->done = true;
}

/* When the thread does something next. */
static uint64_t time_of(const struct kernel_thread *t)
{
	struct machine *m = t->feed->feed.machine;

	if (t->wakes)
		return t->wakes;
	return t->decides ? machine_core_answered(m, t->core) : machine_core_time(m, t->core);
}

/* The thread that is furthest behind, and how far the next one is. */
static struct kernel_thread *pick(const struct kernel_feed *f, uint64_t *next)
{
	struct kernel_thread *first = NULL;
	uint64_t least = UINT64_MAX, second = UINT64_MAX;

	for (unsigned i = 0; i < f->threads; i++) {
		struct kernel_thread *t = &f->thread[i];
		uint64_t when;

		if (t->done)
			continue;
		when = time_of(t);
		if (!first || when < least) {
			second = least;
			least = when;
			first = t;
		} else if (when < second) {
			second = when;
		}
	}
	*next = second;
	return first;
}

/* All threads start at one moment. */
static void wake_all(struct kernel_feed *f)
{
	uint64_t now = machine_horizon(f->feed.machine) + 1;

	for (unsigned i = 0; i < f->threads; i++)
		machine_idle(f->feed.machine, f->thread[i].core, now);
	f->awake = true;
}

static int kernel_run(struct feed *feed, uint64_t until)
{
	struct kernel_feed *f = (struct kernel_feed *)feed;
	struct machine *m = feed->machine;
	struct kernel_thread *t;
	uint64_t next;

	if (!f->awake)
		wake_all(f);
	while ((t = pick(f, &next)) != NULL) {
		uint64_t stop = next < UINT64_MAX - AHEAD ? next + AHEAD : UINT64_MAX;

		if (time_of(t) >= until || machine_interrupted(m))
			return FEED_MORE;
		if (stop > until)
			stop = until;
		caches_snoop(m, t->core, t->x);
		if (t->wakes) {
			wake(t);
			continue;
		}
		do {
			if (!f->kernel->step(t))
				finish(t);
		} while (!t->done && time_of(t) < stop && !t->wakes);
		if (machine_error(m) < 0)
			return machine_error(m);
	}
	return 0;
}

static void kernel_stop(struct feed *feed)
{
	struct kernel_feed *f = (struct kernel_feed *)feed;

	for (unsigned i = 0; f->awake && i < f->threads; i++)
		if (!f->thread[i].done)
			finish(&f->thread[i]);
}

static void kernel_close(struct feed *feed)
{
	struct kernel_feed *f = (struct kernel_feed *)feed;

	for (unsigned i = 0; f->thread && i < f->threads; i++)
		xcore_free(f->thread[i].x);
	free(f->thread);
	free(f->chain);
	free(f);
}

static const struct feed_ops kernel_ops = {
	.run = kernel_run, .stop = kernel_stop, .close = kernel_close,
};

uint8_t kernel_space(const struct kernel_feed *f)
{
	return arrays_space(f->value[KERNEL_DATA], f->value[KERNEL_NODE]);
}

static int start_threads(struct kernel_feed *f)
{
	f->thread = calloc(f->threads, sizeof *f->thread);
	if (!f->thread)
		return BXS_ENOMEM;
	machine_bind(f->feed.machine, kernel_space(f), f->value[KERNEL_NODE]);
	for (unsigned i = 0; i < f->threads; i++) {
		struct kernel_thread *t = &f->thread[i];
		struct xcore_config config = machine_caches(f->feed.machine);
		int err;

		t->feed = f;
		t->index = i;
		t->core = (unsigned)(f->value[KERNEL_CORE] + i * f->value[KERNEL_STEP]);
		config.space = kernel_space(f);
		config.tick = TICK;
		config.leave = leave;
		config.ctx = t;
		if (!f->value[KERNEL_PREFETCH])
			config.prefetch = 0;
		err = xcore_new(&config, &t->x);
		if (err == 0 && f->kernel->start)
			err = f->kernel->start(t);
		if (err < 0)
			return err;
	}
	return 0;
}

int kernel_check(struct machine *m, const char *spec, uint64_t *first, uint64_t *threads, uint64_t *step,
		 char *why, size_t size)
{
	struct complaint c = { .why = why, .size = size };
	struct kernel_feed f = { .feed.machine = m };
	int err = parse(&f, spec, &c);

	if (err == 0)
		err = check(&f, &c);
	*first = f.value[KERNEL_CORE];
	*threads = f.value[KERNEL_THREADS];
	*step = f.value[KERNEL_STEP];
	return err;
}

int kernel_open(struct machine *m, const char *spec, struct feed **out, char *why, size_t size)
{
	struct complaint c = { .why = why, .size = size };
	struct kernel_feed *f = calloc(1, sizeof *f);
	int err;

	if (!f)
		return complain(&c, BXS_ENOMEM, "out of memory");
	f->feed = (struct feed){ .ops = &kernel_ops, .machine = m };
	err = parse(f, spec, &c);
	if (err == 0)
		err = check(f, &c);
	if (err == 0) {
		err = start_threads(f);
		if (err < 0)
			complain(&c, err, "%s: cannot start: %s", spec, bxs_strerror(err));
	}
	if (err < 0) {
		kernel_close(&f->feed);
		return err;
	}
	*out = &f->feed;
	return 0;
}
