/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator's plugin: it gives each thread a core when the thread starts and takes it back when the thread or process ends.  A forked
 * child gets a ring and an address space of its own; a child that shares its parent's memory gets only a ring.
 */
#include "plugin.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "life.h"
#include "shared.h"
#include "turn.h"
#include "watch.h"
#include "qemu_plugin.h"

#define EXPORT __attribute__((visibility("default")))

struct plugin_life plugin_life;

/* The emulator's number of the calling thread, once it has made a system call. */
static _Thread_local unsigned this_thread = PLUGIN_THREADS;

/* Arguments of the calling thread's current system call. */
static _Thread_local uint64_t call_arg[4];

/* The thread's current system call waits for a child that shares its memory. */
static _Thread_local bool waited_for_child;

/* The segment, opened for the child that the thread is about to fork; -1: it cannot be opened. */
static _Thread_local int for_child;

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc,
			       char **argv);

/* System calls in which a thread may sleep for long, and its core is idle. */
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

/* A vfork child keeps its parent's thread waiting until the child ends or executes another program. */
static bool waits_for_child(int64_t num, uint64_t flags)
{
	return num == SYS_vfork || (num == SYS_clone && (flags & CLONE_VFORK));
}

/* System calls that may block.  Unless the emulator makes the calls itself, other threads can have their turns meanwhile. */
static bool may_block(int64_t num)
{
	static const int16_t blocking[] = {
		SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_sendto, SYS_sendmsg, SYS_connect, SYS_flock, SYS_semop,
		SYS_semtimedop, SYS_msgsnd, SYS_msgrcv, SYS_fcntl, SYS_open, SYS_openat, SYS_sched_yield,
	};

	for (size_t i = 0; i < LEN(blocking); i++) {
		if (blocking[i] == num)
			return true;
	}
	return may_sleep(num);
}

/* System calls that may not return, because they may end the process or execute another program. */
static bool may_end(int64_t num)
{
	static const int16_t ending[] = {
		SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_execve, SYS_execveat,
	};

	for (size_t i = 0; i < LEN(ending); i++) {
		if (ending[i] == num)
			return true;
	}
	return false;
}

static bool makes_thread(int64_t num)
{
	return num == SYS_clone || num == SYS_fork || num == SYS_vfork;
}

static void end_core(unsigned vcpu)
{
	struct plugin_core *c = plugin_cores[vcpu];

	if (!c)
		return;
	plugin_cores[vcpu] = NULL;
	plugin_core_flush(c, LEAVE_HALT);
	ring_release(&c->writer);
	/* If the core is another thread's, that thread may still be using it. */
	if (vcpu == this_thread)
		plugin_core_free(c);
	else
		plugin_core_cut_off(c);
}

static void thread_start(uint64_t id, unsigned vcpu)
{
	(void)id;
	if (vcpu < PLUGIN_THREADS)
		plugin_cores[vcpu] = plugin_core_new(plugin_life.segment, plugin_life.space);
}

static void thread_end(uint64_t id, unsigned vcpu)
{
	(void)id;
	if (vcpu < PLUGIN_THREADS)
		end_core(vcpu);
}

/* End the calling thread's core last: while it has the turn, none of the other threads that end gets one. */
void plugin_end_cores(void)
{
	int process = getpid();

	for (unsigned i = 0; i < PLUGIN_THREADS; i++) {
		if (plugin_cores[i] && plugin_cores[i]->process == process && i != this_thread)
			end_core(i);
	}
	if (this_thread < PLUGIN_THREADS && plugin_cores[this_thread] && plugin_cores[this_thread]->process == process)
		end_core(this_thread);
}

void plugin_begin_core(void)
{
	thread_start(0, this_thread);
}

/* The process ends.  Other processes see that (status, signal, closed files) only after the machine has been fed its last record. */
static void process_end(uint64_t id, void *data)
{
	(void)id;
	(void)data;
	plugin_end_cores();
	if (plugin_life.segment)
		ring_settle(plugin_life.segment, getpid());
}

static void code_gone(uint64_t id)
{
	(void)id;
	plugin_site_flush();
}

static void before_fork(void)
{
	for_child = plugin_watch_file(plugin_watching);
}

static void after_fork_here(void)
{
	if (for_child >= 0)
		close(for_child);
}

/* In a forked child, where only the forking thread lives on: give it a ring and an address space of its own. */
static void after_fork(void)
{
	for (unsigned i = 0; i < PLUGIN_THREADS; i++) {
		plugin_core_free(plugin_cores[i]);
		plugin_cores[i] = NULL;
	}
	plugin_watch_start(plugin_watching, plugin_life.segment, for_child);
	plugin_life.space = ring_space(plugin_life.segment);
	if (this_thread < PLUGIN_THREADS)
		plugin_cores[this_thread] = plugin_core_new(plugin_life.segment, plugin_life.space);
}

static void start_in_turn(struct plugin_core *c, int64_t num, uint64_t flags)
{
	if (!c->has_turn)
		plugin_turn_take(c);
	if (waits_for_child(num, flags) || (!plugin_makes_calls && may_block(num)))
		plugin_turn_pass(c, RING_AWAY);
	else
		ring_publish(&c->writer, false);
}

/*
 * The calling thread has created a thread or process: wait until that has arrived or failed to.  The calling thread counts among the
 * arrivals, too, unless it waited for its child, so no turn is given before it has noticed.
 */
static void made_thread(struct plugin_core *c, int64_t num, bool waited, int64_t ret)
{
	struct ring_segment *s = plugin_life.segment;

	if (!makes_thread(num) || !s || ret == 0)
		return;
	if (ret < 0)
		ring_arrive(s);
	ring_await_arrivals(s, !waited, (int)ret);
	if (c && ret > 0 && !waited && atomic_load(&s->several))
		plugin_turn_wake(c, atomic_load(&s->newest));
	if (c && !c->turns && atomic_load(&s->several)) {
		plugin_turn_join(c);
		plugin_core_flush(c, LEAVE_TICK);
		ring_end_turn(&c->writer, RING_WANTS);
	}
	if (waited)
		return;
	ring_arrive(s);
	if (c)
		c->private_turns = 0;
	/* Another thread can run now.  End a turn alone here, instead of when the consumer asks: that moment depends on the host. */
	if (c && c->has_turn && c->alone_now)
		plugin_turn_yield(c);
}

static void call_start(uint64_t id, unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2,
		       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct plugin_core *c = vcpu < PLUGIN_THREADS ? plugin_cores[vcpu] : NULL;

	(void)id, (void)a6, (void)a7, (void)a8;
	this_thread = vcpu;
	memcpy(call_arg, (const uint64_t[4]){ a1, a2, a3, a4 }, sizeof call_arg);
	/* Resolve and remember the program's path before a call can change the directory or move the file. */
	plugin_program();
	if (c && (num == SYS_munmap || num == SYS_mremap))
		plugin_ahead_unmapped(c);
	if (c && (makes_thread(num) || num == SYS_execve || num == SYS_execveat))
		plugin_wishes = c->writer.ring->wishes;	/* another thread may have set this one's CPUs */
	waited_for_child = waits_for_child(num, a1);
	if (makes_thread(num) && plugin_life.segment)
		ring_announce(plugin_life.segment, 1u + !waited_for_child);
	if (plugin_takes_turns(c))
		start_in_turn(c, num, a1);
	else if (c && (may_sleep(num) || waits_for_child(num, a1)))
		plugin_core_flush(c, LEAVE_HALT);
	else if (c)
		ring_publish(&c->writer, true);
	/* Report all work before a call that may not return. */
	if (c && may_end(num))
		plugin_core_flush(c, LEAVE_TICK);
	if (c && num != SYS_exit && num != SYS_exit_group)
		atomic_store(&c->writer.ring->idle, may_end(num) ? RING_IDLE_TOLD : RING_IDLE);
	if (num == SYS_execve || num == SYS_execveat)
		plugin_execute(num, (const uint64_t[5]){ a1, a2, a3, a4, a5 });
}

static void call_end(uint64_t id, unsigned vcpu, int64_t num, int64_t ret)
{
	struct plugin_core *c = vcpu < PLUGIN_THREADS ? plugin_cores[vcpu] : NULL;

	(void)id, (void)ret;
	if (num == SYS_execve || num == SYS_execveat)
		plugin_not_executed();
	made_thread(c, num, waited_for_child, ret);
	plugin_shared_called(num, call_arg, ret);
	if (c)
		atomic_store(&c->writer.ring->idle, RING_NOT_IDLE);
	if (plugin_takes_turns(c) && !c->has_turn) {
		/* Code that the plugin does not know may have passed the turn on. */
		if (atomic_load(&c->writer.ring->turn) == RING_AWAY)
			ring_end_turn(&c->writer, RING_WANTS);
		plugin_turn_take(c);
	}
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
	char handed[16] = "";
	int file;

	if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0)
		return -1;
	if (argc < 2 || argc > 3 || !argument(argv[0], "segment=", plugin_life.path, sizeof plugin_life.path) ||
	    !argument(argv[1], "processor=", plugin_life.processor, sizeof plugin_life.processor) ||
	    (argc == 3 && !argument(argv[2], "handed=", handed, sizeof handed)))
		return -1;
	file = handed[0] ? atoi(handed) : open(plugin_life.path, O_RDWR | O_CLOEXEC);
	/* A program left in the background may start another one after the machine has ended: that runs untraced. */
	if (ring_map(file, &plugin_life.segment) < 0 || ring_detached(plugin_life.segment)) {
		close(file);
		return 0;
	}
	plugin_life.machine_clock = plugin_life.segment->clock.machine;
	if (!plugin_makes_calls && plugin_life.machine_clock)
		plugin_note(RING_NOTE_HOST_CLOCK);
	plugin_life.space = ring_space(plugin_life.segment);
	if (pthread_atfork(before_fork, after_fork_here, after_fork) != 0)
		return -1;
	plugin_watch_start(plugin_watching, plugin_life.segment, file);
	qemu_plugin_register_vcpu_init_cb(id, thread_start);
	qemu_plugin_register_vcpu_exit_cb(id, thread_end);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_vcpu_syscall_cb(id, call_start);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, call_end);
	qemu_plugin_register_flush_cb(id, code_gone);
	qemu_plugin_register_atexit_cb(id, process_end, NULL);
	return 0;
}

void plugin_note(unsigned what)
{
	if (plugin_life.segment)
		atomic_fetch_or(&plugin_life.segment->notes, what);
}

int plugin_before_vfork(void)
{
	return plugin_life.segment ? plugin_watch_file(plugin_watching) : -1;
}

void plugin_vforked(struct plugin_watch *w, int file)
{
	plugin_watching = w;
	if (plugin_life.segment)
		plugin_watch_start(w, plugin_life.segment, file);
}
