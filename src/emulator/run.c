/* SPDX-License-Identifier: BSD-2-Clause */
/* The run loop of a thread: into the cache, and what to do when it comes out again. */
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plugin/registers.h"
#include "emulator/frame.h"

#define SAME_PLACE(member) \
	_Static_assert(offsetof(struct native_env, member) == offsetof(struct plugin_registers, member), "as the plugin reads it")
SAME_PLACE(general);
SAME_PLACE(pointer);
SAME_PLACE(direction);

static size_t env_bytes(void)
{
	return (sizeof(struct native_env) + NATIVE_PAGE - 1) & ~(size_t)(NATIVE_PAGE - 1);
}

struct native_env *native_env_new(void)
{
	char *p = mmap(NULL, NATIVE_PAGE + env_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct native_env *env = (struct native_env *)(void *)(p + NATIVE_PAGE);

	if (p == MAP_FAILED)
		return NULL;
	env->self = env;
	env->direction = 1;
	env->flags = 0x202;
	env->actions = native_actions;
	env->alternative.ss_flags = SS_DISABLE;
	env->vector[0] = 0x7f;			/* x87 control word 0x37f */
	env->vector[1] = 0x03;
	env->vector[24] = 0x80;			/* MXCSR 0x1f80 */
	env->vector[25] = 0x1f;
	native_forget_code(env);
	return env;
}

void native_forget_code(struct native_env *env)
{
	env->link = NULL;
	for (unsigned i = 0; i < 65536; i++)
		env->table[i] = native_exit_indirect;
	if (env->spare)
		native_forget_code(env->spare);
}

void native_env_free(struct native_env *env)
{
	if (env->spare)
		native_env_free(env->spare);
	free(env->own_actions);
	munmap((char *)env - NATIVE_PAGE, NATIVE_PAGE + env_bytes());
}

static _Thread_local struct native_env *here;

struct native_env *native_here(void)
{
	return here;
}

void native_settle(struct native_env *env)
{
	here = env;
	if (syscall(SYS_arch_prctl, ARCH_SET_GS, env) < 0)
		native_die("the kernel does not let gs be set: %s", strerror(errno));
}

/* The block to go on with, linked with the way that led here. */
static struct native_block *next_block(struct native_env *env)
{
	struct native_link *l = env->link;
	struct native_block *b;

	native_lock();
	b = native_find(env->pointer);
	if (b && l && l->kind == NATIVE_JUMP && l->target == b->pc)
		native_connect(l, b);
	if (b && l && l->kind == NATIVE_INDIRECT)
		env->table[env->pointer & 0xffff] = b->indirect;
	native_unlock();
	return b;
}

static void go_in(struct native_env *env)
{
	bool open = env->shares && native_heed(env);

	native_enter();
	if (open)
		native_hold(env);
}

static void come_out(struct native_env *env)
{
	struct native_link *l = env->link;

	switch ((enum native_exit)l->kind) {
	case NATIVE_JUMP:
		env->pointer = l->target;
		break;
	case NATIVE_INDIRECT:
		break;
	case NATIVE_SIGNAL:
		native_deliver(env, false, NULL);
		break;
	case NATIVE_CALL_SYSTEM:
		env->pointer = l->target;
		native_syscall(env);
		break;
	case NATIVE_CPUID:
		env->pointer = l->target;
		native_cpuid(env);
		break;
	case NATIVE_XGETBV:
		env->pointer = l->target;
		env->general[NATIVE_RAX] = 7;
		env->general[NATIVE_RDX] = 0;
		break;
	case NATIVE_RARE:
		env->pointer = l->target;
		native_rare(env);
		break;
	case NATIVE_ILLEGAL:
		env->pointer = l->target;
		native_raise(env, SIGILL, ILL_ILLOPN, l->target);
		break;
	case NATIVE_BREAK:
		env->pointer = l->target;
		native_raise(env, SIGTRAP, SI_KERNEL, 0);
		break;
	}
}

static void stand_still(struct native_env *env)
{
	native_away(env);
	native_back(env);
}

/* Something that takes its time: to the machine it is a system call, so nobody waits for this thread. */
static void meanwhile(struct native_env *env, void (*what)(struct native_env *env))
{
	if (native_hooks.call_start)
		native_hooks.call_start(0, env->vcpu, SYS_pause, 0, 0, 0, 0, 0, 0, 0, 0);
	what(env);
	if (native_hooks.call_end)
		native_hooks.call_end(0, env->vcpu, SYS_pause, 0);
}

void native_run(struct native_env *env)
{
	while (!env->over) {
		struct native_block *b;

		if (native_wanted(env))
			meanwhile(env, stand_still);
		if (native_code_full())
			meanwhile(env, native_make_room);
		b = next_block(env);
		if (!b && native_vsyscall(env))
			continue;
		if (!b) {
			env->link = NULL;
			native_raise(env, SIGSEGV, SEGV_MAPERR, env->pointer);
			continue;
		}
		env->target = b->entry;
		go_in(env);
		come_out(env);
	}
}

/* The plugin's memory: a core is part of its thread's env, so that code reaches it by gs. */

void *plugin_memory_core(size_t size)
{
	(void)size;
	return here ? &here->core : NULL;
}

void plugin_memory_core_free(struct plugin_core *c)
{
	(void)c;
}

void *plugin_memory_sites(size_t size)
{
	return native_keep(size);
}

void plugin_memory_sites_free(void *p)
{
	(void)p;
}

const char *plugin_file(void)
{
	return "built-in";
}

const char *plugin_program(void)
{
	return native_program;
}

/* The file, what it wishes, and which signals the program blocks: the kernel's own mask holds more while this goes on. */
const char *const *plugin_options(struct target *t, int file)
{
	static _Thread_local char mask[20], number[12], wishes[NATIVE_WISHES_TEXT];
	static _Thread_local const char *option[7];

	(void)t;
	option[0] = "-mask";
	option[1] = mask;
	option[2] = "-wishes";
	option[3] = wishes;
	option[4] = file ? "-file" : NULL;
	option[5] = number;
	native_tell_wishes(wishes);
	snprintf(mask, sizeof mask, "%" PRIx64, here->mask);
	snprintf(number, sizeof number, "%d", file);
	if (file)
		fcntl(file, F_SETFD, 0);
	return option;
}

/* For code that is called in the midst of a block: without vector registers.  Upwards only. */
void *native_memmove(void *to, const void *from, size_t n);
void *native_memset(void *to, int byte, size_t n);

void *native_memmove(void *to, const void *from, size_t n)
{
	void *at = to;

	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(n) : : "memory");
	return to;
}

void *native_memset(void *to, int byte, size_t n)
{
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(byte) : "memory");
	return to;
}
