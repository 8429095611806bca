/* SPDX-License-Identifier: BSD-2-Clause */
/* What C does for the code in the midst of the program's; each function returns where that goes on. */
#include "emulator/inline_private.h"

uint8_t *inline_shared[OUT_SHARED];

static uint8_t *slow_due(struct native_env *env)
{
	const struct plugin_block *b = env->slow_data;

	env->core.x.left += b->instructions;
	plugin_core_due(env->vcpu, (void *)(uintptr_t)b, env->general);
	return env->slow_back;
}

static uint8_t *slow_fetch(struct native_env *env)
{
	const uint64_t *line = env->slow_data;

	plugin_core_fetch(&env->core, *line);
	return env->slow_back;
}

static uint8_t *slow_known(struct native_env *env)
{
	const struct plugin_known *k = env->slow_data;
	unsigned flags = k->site->flags & (SITE_LOAD | SITE_STORE);
	uint64_t at = env->slow_address;
	bool follow;

	if ((at & 63) > k->room || (flags != SITE_LOAD && flags != SITE_STORE))
		follow = plugin_core_miss(&env->core, k, at);
	else
		follow = flags == SITE_LOAD ? plugin_core_miss_load(&env->core, k, at) : plugin_core_miss_store(&env->core, k, at);
	/* What follows a value needs all registers. */
	return follow ? inline_shared[OUT_REST] : env->slow_back;
}

static uint8_t *slow_rest(struct native_env *env)
{
	const struct plugin_known *k = env->slow_data;
	const struct plugin_block *b = k->site->block;

	plugin_core_rest(&env->core, b, (unsigned)(k + 1 - b->known), env->general);
	return env->slow_end;
}

static uint8_t *slow_lead(struct native_env *env)
{
	const struct inline_site *i = env->slow_data;

	__builtin_prefetch((const void *)(uintptr_t)env->slow_address);
	env->core.x.left += i->site->block->instructions;
	(i->store ? plugin_core_store_leader : plugin_core_load_leader)(env->vcpu, i->info, env->slow_address,
									(void *)(uintptr_t)i->site);
	return env->slow_back;
}

static uint8_t *slow_access(struct native_env *env)
{
	const struct inline_site *i = env->slow_data;

	__builtin_prefetch((const void *)(uintptr_t)env->slow_address);
	for (unsigned n = 0; n < i->pieces; n++)
		(i->store ? plugin_core_store : plugin_core_load)(env->vcpu, i->info, env->slow_address + 8 * n,
								  (void *)(uintptr_t)i->site);
	return env->slow_back;
}

/* C leaves rbx, rbp and r12 to r15 as they are. */
static bool is_changed(unsigned reg)
{
	return reg != NATIVE_RBX && reg != NATIVE_RBP && reg < 12;
}

/* all: fn looks at the program's registers */
static void put_shared(struct emit *e, uint8_t *(*fn)(struct native_env *env), bool all)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		if (all || is_changed(reg))
			put_spill(e, reg);
	}
	put_keep_vectors(e);
	put_load(e, NATIVE_RDI, NATIVE_ENV(self));
	put_load(e, NATIVE_RSP, NATIVE_ENV(host_sp));
	put_constant(e, NATIVE_RAX, (uintptr_t)fn);
	PUT(e, "\xff\xd0");			/* call rax */
	put_save(e, NATIVE_RAX, NATIVE_ENV(target));
	put_kept_vectors(e);
	for (unsigned reg = 0; reg < 16; reg++) {
		if (is_changed(reg))
			put_fill(e, reg);
	}
	PUT(e, "\x65\xff\x24\x25");		/* jmp gs:[target] */
	put32(e, (uint32_t)NATIVE_ENV(target));
}

void native_inline_shared(struct emit *e)
{
	static uint8_t *(*const fn[])(struct native_env *) = {
		[OUT_DUE] = slow_due, [OUT_FETCH] = slow_fetch, [OUT_KNOWN] = slow_known, [OUT_LEAD] = slow_lead,
		[OUT_ACCESS] = slow_access, [OUT_REST] = slow_rest,
	};

	for (unsigned k = 0; k < OUT_SHARED; k++) {
		inline_shared[k] = e->at;
		put_shared(e, fn[k], k == OUT_DUE || k == OUT_REST);
	}
}
