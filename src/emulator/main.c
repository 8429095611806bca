/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boxscore-native: runs a program with the plugin that is built into it.  Its command line is the part of QEMU's that
 * the feed uses: -cpu MODEL -seed N -plugin FILE,KEY=VALUE,... [-0 NAME] PROGRAM [ARGUMENT...].  And some of its own.  When a
 * program goes on as another one: -mask HEX, its signals; -wishes HEX:..., where it wants to run; -file N, where that is open.  -code N: MB of translations, for tests.
 * -client LIBRARY: the program is a client of a machine (client.c); -plain 1: it runs by itself, only its signals are seen to.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/client.h"
#include "emulator/clock.h"
#include "emulator/native.h"

enum { FAILED = 70, USAGE = 64, PLUGIN_ARGUMENTS = 8 };

struct native_hooks native_hooks;
char native_program[4096];

static char *asked;			/* the text of -plugin, once the program has begun */

int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc, char **argv);

void native_die(const char *why, ...)
{
	char advice[8192];
	va_list args;

	fputs("boxscore-native: ", stderr);
	va_start(args, why);
	vfprintf(stderr, why, args);
	va_end(args);
	if (native_advice(asked, advice, sizeof advice))
		fprintf(stderr, "; another emulator may do it:%s", advice);
	fputc('\n', stderr);
	_exit(FAILED);
}

/* What the plugin registers. */

void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_plugin_vcpu_fn fn)
{
	(void)id;
	native_hooks.thread_start = fn;
}

void qemu_plugin_register_vcpu_exit_cb(uint64_t id, qemu_plugin_vcpu_fn fn)
{
	(void)id;
	native_hooks.thread_end = fn;
}

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_trans_fn fn)
{
	(void)id;
	native_hooks.translate = fn;
}

void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, qemu_plugin_syscall_fn fn)
{
	(void)id;
	native_hooks.call_start = fn;
}

void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, qemu_plugin_syscall_ret_fn fn)
{
	(void)id;
	native_hooks.call_end = fn;
}

void qemu_plugin_register_flush_cb(uint64_t id, void (*fn)(uint64_t id))
{
	(void)id;
	native_hooks.flush = fn;
}

void qemu_plugin_register_atexit_cb(uint64_t id, void (*fn)(uint64_t id, void *data), void *data)
{
	(void)id;
	native_hooks.at_exit = fn;
	native_hooks.at_exit_data = data;
}

static void install(char *text)
{
	static const struct qemu_plugin_info info = { .target_name = "x86_64", .version = { 0, 1 } };
	char *argv[PLUGIN_ARGUMENTS];
	int argc = 0;

	/* The first is the plugin's file. */
	for (char *at = strchr(text, ','); at && argc < PLUGIN_ARGUMENTS; at = strchr(at, ',')) {
		*at++ = 0;
		argv[argc++] = at;
	}
	plugin_hears_hints = true;
	if (qemu_plugin_install(1, &info, argc, argv) != 0)
		native_die("the plugin's arguments are wrong");
}

struct options {
	const char *cpu, *name;
	const char *client;		/* the library that shows the program a machine; NULL: it is measured */
	bool plain;			/* it runs by itself */
	const char *mask;		/* of signals: what the program blocks that was in this process before; NULL: as it is */
	char *plugin;
	uint64_t code;			/* bytes of translations that are kept; as many as there is room for */
	int file;			/* the program, open; -1: by its name */
	int program;			/* in argv */
};

static struct options parse(int argc, char **argv)
{
	struct options o = { .cpu = "Haswell", .file = -1, .code = UINT64_MAX };
	int i = 1;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "-cpu"))
			o.cpu = argv[i + 1];
		else if (!strcmp(argv[i], "-0"))
			o.name = argv[i + 1];
		else if (!strcmp(argv[i], "-mask"))
			o.mask = argv[i + 1];
		else if (!strcmp(argv[i], "-file"))
			o.file = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "-wishes"))
			native_hear_wishes(argv[i + 1]);
		else if (!strcmp(argv[i], "-client"))
			o.client = argv[i + 1];
		else if (!strcmp(argv[i], "-plain"))
			o.plain = true;
		else if (!strcmp(argv[i], "-code"))
			o.code = strtoull(argv[i + 1], NULL, 10) << 20;
		else if (!strcmp(argv[i], "-plugin"))
			o.plugin = argv[i + 1];
		else if (strcmp(argv[i], "-seed") != 0)
			break;
	}
	o.program = i;
	if (i >= argc || argv[i][0] == '-') {
		fprintf(stderr, "usage: boxscore-native [-cpu MODEL] [-plugin FILE,KEY=VALUE...] [-0 NAME] PROGRAM [ARGUMENT...]\n");
		exit(USAGE);
	}
	return o;
}

/* Its whole name: an open file's is the kernel's to say. */
static bool find_program(const char *path, int file)
{
	char link[64];
	ssize_t n;

	if (file < 0)
		return realpath(path, native_program);
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	n = readlink(link, native_program, sizeof native_program - 1);
	return n > 0;
}

/* By itself, with the signals that the one before it in this process blocked. */
static _Noreturn void run_plainly(const struct options *o, char **argv)
{
	char **words = argv + o->program, *path = words[0];
	sigset_t mask;

	if (o->name)
		words[0] = (char *)(uintptr_t)o->name;
	if (o->mask) {
		uint64_t set = strtoull(o->mask, NULL, 16);

		sigemptyset(&mask);
		memcpy(&mask, &set, sizeof set);
		sigprocmask(SIG_SETMASK, &mask, NULL);
	}
	if (o->file >= 0) {
		fcntl(o->file, F_SETFD, FD_CLOEXEC);
		fexecve(o->file, words, environ);
	} else {
		execv(path, words);
	}
	native_die("%s: %s", path, strerror(errno));
}

static _Noreturn void give_up(int argc, char **argv, const struct options *o, uint64_t from, uint64_t to)
{
	char why[4200];

	if (o->client) {
		native_client_init(o->client);
		native_client_unserved(native_program);
		run_plainly(o, argv);
	}
	snprintf(why, sizeof why, "%s has to lie at %#lx to %#lx, where the emulator has something of its own", argv[o->program], from, to);
	native_fall_back(argc, argv, o->program, o->mask ? strtoull(o->mask, NULL, 16) : 0, why);
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct native_start start;
	struct native_env *env;
	stack_t stack = { .ss_size = 65536 };
	char *path = argv[o.program];
	uint64_t from, to, cache;
	char *named;

	if (o.plain)
		run_plainly(&o, argv);

	if (!find_program(path, o.file))
		native_die("%s: %s", path, strerror(errno));
	native_extent(path, o.file, &from, &to);
	cache = native_place_cache(from, to);
	if (!cache)
		give_up(argc, argv, &o, from, to);
	native_code_init(cache, o.code);
	native_signals_init();
	native_cpuid_init(o.cpu);
	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	if (o.client)
		native_client_init(o.client);
	if (o.plugin) {
		asked = strdup(o.plugin);
		install(o.plugin);
	}
	if (o.name)
		argv[o.program] = (char *)(uintptr_t)o.name;
	/* A script's interpreter has no name of its own, but options and the script behind it. */
	named = o.name ? path : argv[o.program + 1] && argv[o.program + 1][0] == '-' ? argv[o.program + 2] : argv[o.program + 1];
	native_show_name(named ? named : path);
	start = native_load(path, o.file, argv + o.program, environ);
	env = native_env_new();
	if (!env)
		native_die("out of memory");
	env->pointer = start.pc;
	env->general[NATIVE_RSP] = start.sp;
	native_join(env);
	native_settle(env);
	if (o.mask)
		native_set_mask(env, strtoull(o.mask, NULL, 16));
	else
		native_inherit_mask(env);
	if (native_hooks.thread_start)
		native_hooks.thread_start(0, env->vcpu);
	native_clock_start(env);
	native_run(env);
	native_thread_over(env);
	syscall(SYS_exit, (int)env->address[1]);
	return 0;
}
