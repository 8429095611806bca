/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory policies, where the program sees the machine's nodes: set_mempolicy(2), mbind(2), get_mempolicy(2).  A page stays on the node
 * where it was touched first.  The machine's process applies a policy with the thread's next turn, so setting one ends the turn.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/syscall.h>

#include "emulator/turns.h"
#include "plugin/life.h"
#include "plugin/shared.h"

enum { MOST_NODES = 8, MASK_BITS = 1024, PAGE_LINES = NATIVE_PAGE / 64 };

struct policy {
	uint32_t policy, nodes;		/* as in struct ring_wishes */
};

static uint32_t all_nodes(void)
{
	return (1u << plugin_life.segment->cpus.nodes) - 1;
}

/* Read a node mask as the kernel does, bits below maxnode - 1, cut to the machine's nodes.  -EINVAL: it has other nodes only. */
static int64_t get_mask(uint64_t at, uint64_t maxnode, uint32_t *out)
{
	uint64_t words[MASK_BITS / 64] = { 0 }, bits = maxnode ? maxnode - 1 : 0, bytes;

	*out = 0;
	if (!at || !bits)
		return 0;
	if (bits > MASK_BITS)
		bits = MASK_BITS;
	bytes = (bits + 63) / 64 * 8;
	if (!native_get(words, at, bytes))
		return -EFAULT;
	if (bits % 64)
		words[bits / 64] &= (UINT64_C(1) << bits % 64) - 1;
	*out = (uint32_t)words[0] & all_nodes();
	return !*out && words[0] ? -EINVAL : 0;
}

/* Translate mode and mask.  0 or -errno. */
static int64_t parse(uint64_t mode, uint64_t at, uint64_t maxnode, struct policy *out)
{
	int64_t err = get_mask(at, maxnode, &out->nodes);

	out->policy = RING_MEMORY_NEAR;
	if (err < 0)
		return err;
	switch (mode & ~(uint64_t)MPOL_MODE_FLAGS) {
	case MPOL_DEFAULT:
		return out->nodes ? -EINVAL : 0;
	case MPOL_LOCAL:
		err = out->nodes ? -EINVAL : 0;
		out->nodes = all_nodes();
		return err;
	case MPOL_PREFERRED:
		out->nodes = out->nodes ? out->nodes & -out->nodes : all_nodes();
		return 0;
	case MPOL_INTERLEAVE:
		out->policy = RING_MEMORY_IN_TURN;
		return out->nodes ? 0 : -EINVAL;
	case MPOL_BIND:
	case MPOL_PREFERRED_MANY:
		return out->nodes ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

/* End the turn, so that the machine's process applies the request and answers it. */
static void ask(struct native_env *env, struct plugin_core *c)
{
	atomic_fetch_add(&c->writer.ring->asks, 1);
	native_take_turns(env);
	plugin_turn_yield(c);
}

static int64_t set_policy(struct native_env *env, struct plugin_core *c, const uint64_t arg[6])
{
	struct policy p;
	int64_t err = parse(arg[0], arg[1], arg[2], &p);

	if (err < 0)
		return err;
	c->writer.ring->wishes.policy = p.policy;
	c->writer.ring->wishes.nodes = p.nodes;
	c->writer.ring->wishes.mode = (uint32_t)arg[0];
	ask(env, c);
	return 0;
}

/* The line as the machine knows it: lines of shared mappings have another name there. */
static struct leave_record named(const struct plugin_core *c, uint64_t line)
{
	struct leave_record rec = { .line = line, .kind = LEAVE_DRD, .space = c->x.space };

	if (plugin_shared_ranges)
		plugin_shared_name(&rec);
	return rec;
}

static void ask_range(struct native_env *env, struct plugin_core *c, enum ring_ask what, uint64_t at, uint64_t bytes, struct policy p)
{
	uint64_t line = at / 64 / PAGE_LINES * PAGE_LINES, lines = (bytes + NATIVE_PAGE - 1) / NATIVE_PAGE * PAGE_LINES;
	struct leave_record rec = named(c, line);

	c->writer.ring->range = (struct ring_range){
		.ask = what, .space = rec.space, .first = rec.line, .last = rec.line + lines - 1, .policy = p.policy, .nodes = p.nodes,
	};
	ask(env, c);
}

static int64_t bind_range(struct native_env *env, struct plugin_core *c, const uint64_t arg[6])
{
	struct policy p;
	int64_t err = parse(arg[2], arg[3], arg[4], &p);

	if (err < 0)
		return err;
	if (arg[0] % NATIVE_PAGE || arg[5] & ~(uint64_t)MPOL_MF_VALID)
		return -EINVAL;
	if (arg[1] && !native_owns(arg[0], arg[0] + arg[1]))
		return -EFAULT;
	if (arg[1])
		ask_range(env, c, RING_ASKS_RANGE, arg[0], arg[1], p);
	return 0;
}

static int64_t put_mask(uint64_t at, uint64_t maxnode, uint32_t nodes)
{
	uint64_t words[MASK_BITS / 64] = { nodes }, bytes = (maxnode + 63) / 64 * 8;

	if (!at)
		return 0;
	if (maxnode < plugin_life.segment->cpus.nodes)
		return -EINVAL;
	return native_put(at, words, bytes < sizeof words ? bytes : sizeof words) ? 0 : -EFAULT;
}

/* The node of an address; for a page that has not been touched, the node that it would get now. */
static int64_t node_of(struct native_env *env, struct plugin_core *c, uint64_t at, uint32_t *node)
{
	const struct ring *r = c->writer.ring;
	uint32_t here;

	if (!native_owns(at / NATIVE_PAGE * NATIVE_PAGE, at / NATIVE_PAGE * NATIVE_PAGE + 1))
		return -EFAULT;
	ask_range(env, c, RING_ASKS_NODE, at, 1, (struct policy){ 0 });
	*node = r->node;
	if (*node < MOST_NODES || !native_cpu_number(env, &here))
		return 0;
	here >>= 12;
	*node = !r->wishes.nodes || r->wishes.nodes >> here & 1 ? here : (uint32_t)__builtin_ctz(r->wishes.nodes);
	return 0;
}

static int64_t get_policy(struct native_env *env, struct plugin_core *c, const uint64_t arg[6])
{
	const struct ring *r = c->writer.ring;
	uint64_t flags = arg[4];
	uint32_t mode = r->wishes.mode, nodes = (mode & ~MPOL_MODE_FLAGS) == MPOL_LOCAL ? 0 : r->wishes.nodes, node;
	int64_t err;

	if (flags == MPOL_F_MEMS_ALLOWED)
		return put_mask(arg[1], arg[2], all_nodes());
	if (flags == (MPOL_F_NODE | MPOL_F_ADDR)) {
		err = node_of(env, c, arg[3], &node);
		return err < 0 ? err : !arg[0] || native_put(arg[0], &node, sizeof node) ? 0 : -EFAULT;
	}
	if (flags || arg[3])
		return -EINVAL;
	if (arg[0] && !native_put(arg[0], &mode, sizeof mode))
		return -EFAULT;
	return put_mask(arg[1], arg[2], nodes);
}

bool native_memory_policy(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	bool mine = num == SYS_set_mempolicy || num == SYS_mbind || num == SYS_get_mempolicy;
	struct plugin_core *c = mine && native_cpus() ? native_core(env) : NULL;

	if (!c || ring_lost(&c->writer))
		return false;
	*result = num == SYS_set_mempolicy ? set_policy(env, c, arg) : num == SYS_mbind ? bind_range(env, c, arg) : get_policy(env, c, arg);
	return true;
}
