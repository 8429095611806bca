/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which core runs which thread.  A thread has a core of its own as long as there are enough, by the number of its ring; where
 * the program sees the machine's CPUs, it may say where it wants to run (sched_setaffinity()), as under Linux: a thread stays
 * where it is as long as it may, and otherwise goes where the fewest others are.  Likewise where its memory is to lie.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "feed/files.h"
#include "feed/run_private.h"
#include "machine/machine.h"

#define LINES ((UINT64_C(1) << 48) - 1)

unsigned run_home(const struct run *r, unsigned n)
{
	unsigned sockets = machine_sockets(r->feed.machine), each = machine_cores(r->feed.machine) / sockets;

	n = r->first + n % r->cores * r->step;
	return r->compact ? n : n % sockets * each + n / sockets;
}

void run_map_cores(struct run *r, const struct run_config *cfg)
{
	r->first = cfg->place;
	r->step = cfg->places ? cfg->places : 1;
	r->compact = cfg->compact;
	r->cores = (machine_cores(r->feed.machine) - r->first + r->step - 1) / r->step;
	for (unsigned i = 0; i < RING_SLOTS; i++)
		r->thread[i].core = run_home(r, i);
}

/* The n-th choice of a CPU for thread i: the defaults of this thread and of those after it, second hardware threads last. */
static unsigned candidate(const struct run *r, unsigned i, unsigned n)
{
	unsigned cores = machine_cores(r->feed.machine);

	n += i;
	return run_home(r, n) + n / cores * cores % r->cpus;
}

/* -1: there is no memory for them. */
static int keep_files(const char *text, size_t size)
{
	int fd = memfd_create("boxscore-cpus", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || write(fd, text, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -1;
}

/* The numbers of CPUs and nodes, beside the files. */
static void show_numbers(struct run *r)
{
	const struct spec *spec = machine_spec(r->feed.machine);
	struct ring_cpus *c = &r->segment->cpus;

	c->cores = machine_cores(r->feed.machine);
	c->nodes = machine_nodes(r->feed.machine);
	c->number = c->cores * (uint32_t)spec->value[SPEC_THREADS];
	r->cpus = c->number < RING_CPUS ? c->number : RING_CPUS;
	for (unsigned i = 0; i < RING_SLOTS; i++)
		run_ring(r, i)->cpu = candidate(r, i, 0);
}

int run_show_cpus(struct run *r, int (*files)(const struct machine *m, char **text, size_t *size))
{
	char *text = NULL;
	size_t size = 0;
	int err = files(r->feed.machine, &text, &size), fd = err < 0 ? -1 : keep_files(text, size);

	free(text);
	if (fd < 0)
		return err;
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
	r->segment->cpus.files = r->files = fd;
	show_numbers(r);
	return 0;
}

void run_hide_cpus(struct run *r)
{
	char place[FILES_PLACE_SIZE];

	if (!r->files)
		return;
	close(r->files);
	files_place(getpid(), place);
	files_remove(place);
}

static bool may_run(const struct run *r, const uint64_t *mask, unsigned cpu)
{
	return cpu < r->cpus && (mask[cpu / 64] >> cpu % 64 & 1);
}

/* The thread's affinity mask.  False: it has none, or none of its CPUs exists. */
static bool asked_for(const struct run *r, unsigned i, uint64_t mask[RING_CPU_WORDS])
{
	bool any = false;

	for (unsigned n = 0; n < RING_CPU_WORDS; n++)
		mask[n] = *(volatile uint64_t *)&run_ring(r, i)->wishes.cpus[n];
	for (unsigned cpu = 0; cpu < r->cpus && !any; cpu++)
		any = may_run(r, mask, cpu);
	return any;
}

struct crowd {
	unsigned core, cpu;		/* other threads on the core and on the CPU */
};

static struct crowd crowd(const struct run *r, unsigned i, unsigned cpu)
{
	unsigned cores = machine_cores(r->feed.machine);
	struct crowd c = { 0 };

	for (unsigned k = 0; k < run_used(r); k++) {
		if (k == i || !r->thread[k].placed || atomic_load(&run_ring(r, k)->state) != RING_LIVE)
			continue;
		c.core += r->thread[k].core == cpu % cores;
		c.cpu += r->thread[k].cpu == cpu;
	}
	return c;
}

static unsigned best(const struct run *r, unsigned i, const uint64_t *mask)
{
	struct crowd least = { UINT32_MAX, UINT32_MAX };
	unsigned found = r->thread[i].cpu;

	for (unsigned n = 0; n < r->cpus; n++) {
		unsigned cpu = candidate(r, i, n);
		struct crowd c;

		if (!may_run(r, mask, cpu))
			continue;
		c = crowd(r, i, cpu);
		if (c.core < least.core || (c.core == least.core && c.cpu < least.cpu)) {
			least = c;
			found = cpu;
		}
	}
	return found;
}

/* The old core goes idle; the thread goes on at the new one from that moment on, with empty private caches. */
static void move(struct run *r, unsigned i, unsigned core)
{
	struct run_thread *t = &r->thread[i];

	if (!t->halted) {
		run_halt(r, i);
		t->wake_at = machine_core_time(r->feed.machine, t->core);
	}
	t->core = core;
	run_ring(r, i)->moves++;
}

static struct map_wish wish_of(const struct run *r, uint32_t policy, uint32_t nodes)
{
	return (struct map_wish){
		.policy = policy == RING_MEMORY_IN_TURN ? MAP_INTERLEAVE : MAP_BIND,
		.nodes = (uint8_t)(nodes & ((1u << machine_nodes(r->feed.machine)) - 1)),
	};
}

/* Answer the thread's request, once.  A range beyond the most that the map holds has no effect. */
static void answer(struct run *r, struct ring *ring)
{
	struct ring_range ask = *(volatile struct ring_range *)&ring->range;

	ring->range.ask = RING_ASKS_NOTHING;
	ask.space %= RUN_SPACES;
	ask.first &= LINES;
	ask.last &= LINES;
	if (ask.ask == RING_ASKS_RANGE)
		machine_wish_range(r->feed.machine, ask.space, ask.first, ask.last, wish_of(r, ask.policy, ask.nodes));
	else if (ask.ask == RING_ASKS_NODE)
		ring->node = machine_node_of(r->feed.machine, ask.space, ask.first);
}

void run_place(struct run *r, unsigned i)
{
	struct run_thread *t = &r->thread[i];
	struct ring *ring = run_ring(r, i);
	uint32_t asks = atomic_load(&ring->asks);
	uint64_t mask[RING_CPU_WORDS];

	if (!r->cpus || (t->placed && t->asks == asks))
		return;
	if (!t->placed)
		t->cpu = candidate(r, i, 0);
	t->asks = asks;
	t->placed = true;
	t->wish = wish_of(r, *(volatile uint32_t *)&ring->wishes.policy, *(volatile uint32_t *)&ring->wishes.nodes);
	r->wishes |= t->wish.nodes != 0;
	answer(r, ring);
	if (asked_for(r, i, mask) && !may_run(r, mask, t->cpu))
		t->cpu = best(r, i, mask);
	if (t->cpu % machine_cores(r->feed.machine) != t->core)
		move(r, i, t->cpu % machine_cores(r->feed.machine));
	r->crowded |= crowd(r, i, t->cpu).core > 0;
	ring->cpu = t->cpu;
}
