/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator's plugin: a core for every thread, through the life of threads and
 * processes.  A forked child gets a ring and an address space of its own; a program that
 * executes another one is carried on under the emulator.
 */
#include "feed/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bits.h"
#include "feed/qemu_plugin.h"
#include "feed/target.h"

#define EXPORT __attribute__((visibility("default")))

/* The emulator calls by fixed names and without a context: this is the plugin's. */
static struct {
	struct ring_segment *segment;
	char path[256];			/* of the segment */
	char processor[64];			/* that the program sees, see struct target_emulator */
	uint8_t space;
} plugin;

/* The emulator's number of the calling thread, once it has made a system call. */
static _Thread_local unsigned this_thread = PLUGIN_THREADS;

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc,
			       char **argv);

/*
 * A thread beside the emulator's: when the process that runs the machine is gone, so is this one, even while the program
 * sleeps.  It has files of its own: the program finds no other numbers in use than it is used to, and may close all.
 */
static void *watch_consumer(void *arg)
{
	struct pollfd poll_fd = { .events = POLLIN };

	(void)arg;
	/* Without a watch, a program still ends when its ring is full (ring_wait). */
	if (syscall(SYS_close_range, 0, UINT_MAX, CLOSE_RANGE_UNSHARE) < 0)
		return NULL;
	poll_fd.fd = (int)syscall(SYS_pidfd_open, plugin.segment->consumer, 0);
	if (poll_fd.fd < 0)
		return NULL;
	while (poll(&poll_fd, 1, -1) < 0)
		;
	if (!atomic_load(&plugin.segment->detached))
		kill(getpid(), SIGKILL);
	close(poll_fd.fd);
	return NULL;
}

static void start_watch(void)
{
	sigset_t all, old;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (pthread_create(&thread, NULL, watch_consumer, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* System calls in which a thread may sleep for long: its core is idle meanwhile. */
static bool may_sleep(int64_t num)
{
	static const int16_t sleeping[] = {
		SYS_poll, SYS_select, SYS_pause, SYS_nanosleep, SYS_accept, SYS_recvfrom,
		SYS_recvmsg, SYS_wait4, SYS_futex, SYS_epoll_wait, SYS_clock_nanosleep,
		SYS_waitid, SYS_pselect6, SYS_ppoll, SYS_epoll_pwait, SYS_accept4,
		SYS_rt_sigtimedwait, SYS_rt_sigsuspend,
	};

	for (size_t i = 0; i < LEN(sleeping); i++) {
		if (sleeping[i] == num)
			return true;
	}
	return false;
}

/* A child in the same memory keeps its parent's thread waiting until it ends, or has another program. */
static bool waits_for_child(int64_t num, uint64_t flags)
{
	return num == SYS_vfork || (num == SYS_clone && (flags & CLONE_VFORK));
}

static void end_core(unsigned vcpu)
{
	struct plugin_core *c = plugin_cores[vcpu];

	if (!c)
		return;
	plugin_cores[vcpu] = NULL;
	plugin_core_flush(c, LEAVE_HALT);
	ring_release(&c->writer);
	/* Another thread may still be on its way through its core. */
	if (vcpu == this_thread)
		plugin_core_free(c);
	else
		plugin_core_cut_off(c);
}

static void thread_start(uint64_t id, unsigned vcpu)
{
	(void)id;
	if (vcpu < PLUGIN_THREADS)
		plugin_cores[vcpu] = plugin_core_new(plugin.segment, plugin.space);
}

static void thread_end(uint64_t id, unsigned vcpu)
{
	(void)id;
	if (vcpu < PLUGIN_THREADS)
		end_core(vcpu);
}

/* All of this process. */
static void end_cores(void)
{
	int process = getpid();

	for (unsigned i = 0; i < PLUGIN_THREADS; i++) {
		if (plugin_cores[i] && plugin_cores[i]->process == process)
			end_core(i);
	}
}

static void process_end(uint64_t id, void *data)
{
	(void)id;
	(void)data;
	end_cores();
}

static void code_gone(uint64_t id)
{
	(void)id;
	plugin_site_flush();
}

/* In a forked child: only the forking thread lives on, elsewhere. */
static void after_fork(void)
{
	for (unsigned i = 0; i < PLUGIN_THREADS; i++) {
		plugin_core_free(plugin_cores[i]);
		plugin_cores[i] = NULL;
	}
	start_watch();
	plugin.space = ring_space(plugin.segment);
	if (this_thread < PLUGIN_THREADS)
		plugin_cores[this_thread] = plugin_core_new(plugin.segment, plugin.space);
}

/*
 * Program memory is where the program thinks it is (the emulator maps x86-64 on x86-64 one
 * to one), but a bad pointer must be the program's fault, not ours.  This thread's number, not the
 * process's: that has no memory once its first thread has ended.
 */
static bool peek(uint64_t at, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };

	return process_vm_readv(gettid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

static bool peek_text(uint64_t at, char *to, size_t room)
{
	for (size_t i = 0; i < room; i++) {
		if (!peek(at + i, to + i, 1))
			return false;
		if (!to[i])
			return true;
	}
	return false;
}

/*
 * The program executes another: do it in its place, under the emulator again.  When
 * anything is not as it must be, return, and the emulator makes the system call itself: then the
 * error is its answer, or the new program runs untraced.
 */
static void execute(uint64_t path_at, uint64_t argv_at, uint64_t envp_at)
{
	/* Who goes never frees it; a child in the same memory leaves that to its parent's thread. */
	static _Thread_local char **command;
	struct target t;
	char path[TARGET_PATH], qemu[TARGET_PATH], why[TARGET_PATH + 64];
	ssize_t n = readlink("/proc/thread-self/exe", qemu, sizeof qemu - 1);
	char *none[] = { path, NULL };
	uint64_t word;
	struct stat st;
	Dl_info self;

	if (atomic_load(&plugin.segment->detached))
		return;
	if (n < 0 || !dladdr(&plugin, &self) || !peek_text(path_at, path, sizeof path))
		return;
	qemu[n] = 0;
	if (stat(path, &st) < 0 || (st.st_mode & (S_ISUID | S_ISGID)))
		return;
	if (target_inspect(path, &t, why, sizeof why) < 0 || (argv_at && !peek(argv_at, &word, 8)))
		return;
	free(command);
	command = target_command(&t, argv_at && word ? (char **)(uintptr_t)argv_at : none,
				 &(struct target_emulator){ qemu, self.dli_fname, plugin.path,
							    plugin.processor, plugin_options() });
	if (!command)
		return;
	end_cores();
	ring_settle(plugin.segment, getpid());
	execve(qemu, command, (char **)(uintptr_t)envp_at);
	thread_start(0, this_thread);
}

static void call_start(uint64_t id, unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2,
		       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct plugin_core *c = vcpu < PLUGIN_THREADS ? plugin_cores[vcpu] : NULL;

	(void)id, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	this_thread = vcpu;
	if (c && (num == SYS_munmap || num == SYS_mremap))
		plugin_ahead_unmapped(c);
	if (c && (may_sleep(num) || waits_for_child(num, a1)))
		plugin_core_flush(c, LEAVE_HALT);
	else if (c)
		ring_publish(&c->writer, true);
	/* Who ends is waited for. */
	if (c && num != SYS_exit && num != SYS_exit_group)
		atomic_store(&c->writer.ring->idle, 1);
	if (num == SYS_execve)
		execute(a1, a2, a3);
}

static void call_end(uint64_t id, unsigned vcpu, int64_t num, int64_t ret)
{
	struct plugin_core *c = vcpu < PLUGIN_THREADS ? plugin_cores[vcpu] : NULL;

	(void)id, (void)num, (void)ret;
	if (c)
		atomic_store(&c->writer.ring->idle, 0);
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	plugin_site_translate(tb);
}

static bool argument(const char *text, const char *key, char *value, size_t size)
{
	if (strncmp(text, key, strlen(key)) != 0)
		return false;
	return (size_t)snprintf(value, size, "%s", text + strlen(key)) < size;
}

EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc,
			       char **argv)
{

	if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0)
		return -1;
	if (argc != 2 || !argument(argv[0], "segment=", plugin.path, sizeof plugin.path) ||
	    !argument(argv[1], "processor=", plugin.processor, sizeof plugin.processor))
		return -1;
	/* A program left in the background starts another one after the machine has gone. */
	if (ring_map(plugin.path, &plugin.segment) < 0 || atomic_load(&plugin.segment->detached))
		return 0;
	plugin.space = ring_space(plugin.segment);
	if (pthread_atfork(NULL, NULL, after_fork) != 0)
		return -1;
	start_watch();
	qemu_plugin_register_vcpu_init_cb(id, thread_start);
	qemu_plugin_register_vcpu_exit_cb(id, thread_end);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_vcpu_syscall_cb(id, call_start);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, call_end);
	qemu_plugin_register_flush_cb(id, code_gone);
	qemu_plugin_register_atexit_cb(id, process_end, NULL);
	return 0;
}
