/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls about CPUs, where the program sees the machine's (ring.h, struct ring_cpus).  The machine's process places a thread when
 * it gives the thread its turn, so a thread that asks for other CPUs ends its turn.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/turns.h"
#include "plugin/life.h"

typedef uint64_t cpu_words[RING_CPU_WORDS];

const struct ring_cpus *native_cpus(void)
{
	const struct ring_segment *s = plugin_life.segment;

	return s && s->cpus.number && !ring_detached(s) ? &s->cpus : NULL;
}

static struct plugin_core *core_of(const struct native_env *env)
{
	struct plugin_core *c = native_core(env);

	return c && !ring_lost(&c->writer) ? c : NULL;
}

/* A thread by its number; 0: the caller.  NULL: it is not traced. */
static struct ring *ring_of(const struct plugin_core *c, int32_t thread)
{
	struct ring_segment *s = c->writer.segment;

	if (!thread || thread == (int32_t)syscall(SYS_gettid))
		return c->writer.ring;
	for (unsigned i = 0; i < RING_SLOTS; i++) {
		if (atomic_load(&s->ring[i].thread) == thread && atomic_load(&s->ring[i].state) == RING_LIVE)
			return s->ring + i;
	}
	return NULL;
}

static bool has(const uint64_t *words, uint32_t cpu)
{
	return words[cpu / 64] >> cpu % 64 & 1;
}

static void all_cpus(const struct ring_cpus *seen, cpu_words out)
{
	memset(out, 0, sizeof(cpu_words));
	for (uint32_t cpu = 0; cpu < seen->number; cpu++)
		out[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

/* The CPUs that a thread may run on: all, if it has set no affinity. */
static void allowed(const struct ring_cpus *seen, const struct ring *r, cpu_words out)
{
	uint64_t any = 0;

	for (unsigned n = 0; n < RING_CPU_WORDS; n++)
		any |= out[n] = r->wishes.cpus[n];
	if (!any)
		all_cpus(seen, out);
}

/* A mask of the kernel's is as long as its CPUs take, in words. */
static int64_t get_affinity(const struct ring_cpus *seen, const struct ring *r, const uint64_t arg[6])
{
	size_t bytes = (seen->number + 63) / 64 * 8;
	cpu_words mask;

	if ((uint32_t)arg[1] * UINT64_C(8) < seen->number || arg[1] % 8)
		return -EINVAL;
	allowed(seen, r, mask);
	bytes = bytes < arg[1] ? bytes : arg[1];
	return native_put(arg[2], mask, bytes) ? (int64_t)bytes : -EFAULT;
}

static int64_t set_affinity(struct native_env *env, const struct ring_cpus *seen, struct ring *r, const uint64_t arg[6])
{
	cpu_words mask = { 0 }, all;
	struct plugin_core *c;
	uint64_t any = 0;

	if (!native_get(mask, arg[2], arg[1] < sizeof mask ? arg[1] : sizeof mask))
		return -EFAULT;
	all_cpus(seen, all);
	for (unsigned n = 0; n < RING_CPU_WORDS; n++)
		any |= mask[n] &= all[n];
	if (!any)
		return -EINVAL;
	memcpy(r->wishes.cpus, mask, sizeof mask);
	atomic_fetch_add(&r->asks, 1);
	if (has(mask, r->cpu))
		return 0;
	/* Another thread moves with its next turn. */
	native_take_turns(env);
	c = native_turns(env);
	if (c && c->writer.ring == r)
		plugin_turn_yield(c);
	return 0;
}

static uint32_t node_of(const struct ring_cpus *seen, uint32_t cpu)
{
	return cpu % seen->cores / (seen->cores / seen->nodes);
}

/* Where the thread runs.  One that has just begun may not have been put where it is pinned yet. */
static uint32_t where(const struct native_env *env, const struct ring_cpus *seen, struct plugin_core *c)
{
	cpu_words mask;

	allowed(seen, c->writer.ring, mask);
	if (!has(mask, c->writer.ring->cpu)) {
		native_take_turns(env);
		plugin_turn_yield(c);
	}
	return c->writer.ring->cpu;
}

static int64_t get_cpu(const struct ring_cpus *seen, uint32_t cpu, const uint64_t arg[6])
{
	uint32_t node = node_of(seen, cpu);

	if ((arg[0] && !native_put(arg[0], &cpu, sizeof cpu)) || (arg[1] && !native_put(arg[1], &node, sizeof node)))
		return -EFAULT;
	return 0;
}

bool native_cpu_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	bool mine = num == SYS_getcpu || num == SYS_sched_getaffinity || num == SYS_sched_setaffinity;
	const struct ring_cpus *cpus = mine ? native_cpus() : NULL;
	struct plugin_core *c = cpus ? core_of(env) : NULL;
	struct ring *r = c ? ring_of(c, num == SYS_getcpu ? 0 : (int32_t)arg[0]) : NULL;

	if (!r)
		return false;
	*result = num == SYS_getcpu ? get_cpu(cpus, where(env, cpus, c), arg) :
		  num == SYS_sched_getaffinity ? get_affinity(cpus, r, arg) : set_affinity(env, cpus, r, arg);
	return true;
}

bool native_cpu_number(struct native_env *env, uint32_t *out)
{
	const struct ring_cpus *cpus = native_cpus();
	struct plugin_core *c = cpus ? core_of(env) : NULL;

	if (!c)
		return false;
	*out = where(env, cpus, c);
	*out |= node_of(cpus, *out) << 12;
	return true;
}

void native_tell_wishes(char text[NATIVE_WISHES_TEXT])
{
	size_t used = (size_t)snprintf(text, NATIVE_WISHES_TEXT, "%x:%x:%x:", plugin_wishes.policy, plugin_wishes.nodes,
				       plugin_wishes.mode);

	for (unsigned n = 0; n < RING_CPU_WORDS; n++)
		used += (size_t)snprintf(text + used, NATIVE_WISHES_TEXT - used, "%" PRIx64 ":", plugin_wishes.cpus[n]);
}

static uint64_t next_number(const char **text)
{
	char *end;
	uint64_t n = strtoull(*text, &end, 16);

	*text = *end ? end + 1 : end;
	return n;
}

void native_hear_wishes(const char *text)
{
	plugin_wishes.policy = (uint32_t)next_number(&text);
	plugin_wishes.nodes = (uint32_t)next_number(&text);
	plugin_wishes.mode = (uint32_t)next_number(&text);
	for (unsigned n = 0; n < RING_CPU_WORDS; n++)
		plugin_wishes.cpus[n] = next_number(&text);
}
