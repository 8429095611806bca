/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulator/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "emulator/clock.h"
#include "emulator/frame.h"
#include "emulator/timer.h"
#include "emulator/wait_calls.h"
#include "emulator/wait_for.h"

bool plugin_makes_calls = true;

#define BILLION UINT64_C(1000000000)
#define PS UINT64_C(1000)		/* a nanosecond */
#define FOREVER UINT64_MAX

/* What a call does to the turn. */
enum kind {
	KEEPS,		/* it does not block */
	READS,		/* may block until the file arg[0] can be read */
	WRITES,		/* ... written */
	POLLS, SELECTS, EPOLLS,
	CHILDREN,	/* wait4 */
	CHILDREN_ID,	/* waitid */
	FUTEX,
	SLEEPS,
	SIGNALS,	/* rt_sigtimedwait */
	HANDLERS,	/* of signals: pause, rt_sigsuspend */
	YIELDS,
	AWAY,		/* blocks, and nobody knows when that is over */
};

enum { CAUSES_IO = 1, SENDS = 2 };	/* it may let others' calls succeed; by a signal */

static const struct {
	uint16_t num;
	uint8_t kind, causes;
} calls[] = {
	{ SYS_read, READS, CAUSES_IO }, { SYS_readv, READS, CAUSES_IO }, { SYS_recvfrom, READS, CAUSES_IO },
	{ SYS_recvmsg, READS, CAUSES_IO }, { SYS_recvmmsg, AWAY, CAUSES_IO }, { SYS_accept, READS, CAUSES_IO },
	{ SYS_accept4, READS, CAUSES_IO },
	{ SYS_write, WRITES, CAUSES_IO }, { SYS_writev, WRITES, CAUSES_IO }, { SYS_sendto, WRITES, CAUSES_IO },
	{ SYS_sendmsg, WRITES, CAUSES_IO }, { SYS_sendmmsg, AWAY, CAUSES_IO },
	{ SYS_sendfile, AWAY, CAUSES_IO }, { SYS_splice, AWAY, CAUSES_IO }, { SYS_tee, AWAY, CAUSES_IO },
	{ SYS_vmsplice, AWAY, CAUSES_IO },
	{ SYS_close, KEEPS, CAUSES_IO }, { SYS_shutdown, KEEPS, CAUSES_IO }, { SYS_dup2, KEEPS, CAUSES_IO },
	{ SYS_dup3, KEEPS, CAUSES_IO }, { SYS_close_range, KEEPS, CAUSES_IO }, { SYS_epoll_ctl, KEEPS, CAUSES_IO },
	{ SYS_connect, AWAY, CAUSES_IO },
	{ SYS_poll, POLLS, 0 }, { SYS_ppoll, POLLS, 0 }, { SYS_select, SELECTS, 0 }, { SYS_pselect6, SELECTS, 0 },
	{ SYS_epoll_wait, EPOLLS, 0 }, { SYS_epoll_pwait, EPOLLS, 0 },
	{ SYS_wait4, CHILDREN, 0 }, { SYS_waitid, CHILDREN_ID, 0 },
	{ SYS_futex, FUTEX, 0 }, { SYS_sched_yield, YIELDS, 0 },
	{ SYS_nanosleep, SLEEPS, 0 }, { SYS_clock_nanosleep, SLEEPS, 0 }, { SYS_pause, HANDLERS, 0 },
	{ SYS_kill, KEEPS, SENDS }, { SYS_tkill, KEEPS, SENDS }, { SYS_tgkill, KEEPS, SENDS },
	{ SYS_rt_sigqueueinfo, KEEPS, SENDS }, { SYS_rt_tgsigqueueinfo, KEEPS, SENDS },
	{ SYS_rt_sigsuspend, HANDLERS, 0 }, { SYS_rt_sigtimedwait, SIGNALS, 0 }, { SYS_flock, AWAY, CAUSES_IO },
	{ SYS_fcntl, AWAY, CAUSES_IO }, { SYS_semop, AWAY, CAUSES_IO }, { SYS_semtimedop, AWAY, CAUSES_IO },
	{ SYS_msgsnd, AWAY, CAUSES_IO }, { SYS_msgrcv, AWAY, CAUSES_IO }, { SYS_mq_timedsend, AWAY, CAUSES_IO },
	{ SYS_mq_timedreceive, AWAY, CAUSES_IO }, { SYS_io_getevents, AWAY, 0 }, { SYS_io_uring_enter, AWAY, CAUSES_IO },
	{ SYS_open, AWAY, 0 }, { SYS_openat, AWAY, 0 }, { SYS_ptrace, AWAY, 0 },
};

static unsigned call_index(uint64_t num)
{
	unsigned i = 0;

	while (i < LEN(calls) && calls[i].num != num)
		i++;
	return i;
}

struct plugin_core *native_core(const struct native_env *env)
{
	return env->vcpu < PLUGIN_THREADS ? plugin_cores[env->vcpu] : NULL;
}

struct plugin_core *native_turns(const struct native_env *env)
{
	struct plugin_core *c = native_core(env);

	return plugin_takes_turns(c) && !ring_lost(&c->writer) ? c : NULL;
}

void native_take_turns(const struct native_env *env)
{
	struct plugin_core *c = native_core(env);

	if (c && !c->turns && !ring_detached(c->writer.segment))
		plugin_turn_start(c);
}

static uint64_t host_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * BILLION + (uint64_t)t.tv_nsec;
}

/* The wait is over by itself, unless the turn has been given meanwhile. */
static bool want(struct plugin_core *c, enum ring_turn from)
{
	uint32_t was = from;

	if (!atomic_compare_exchange_strong(&c->writer.ring->turn, &was, RING_WANTS))
		return false;
	ring_publish(&c->writer, true);
	return true;
}

static enum native_wait sleep_for_turn(struct native_env *env, struct plugin_core *c, enum ring_turn why, uint64_t deadline)
{
	struct ring *r = c->writer.ring;
	bool late = false;

	ring_look_for_turn(&c->writer);
	for (;;) {
		uint64_t now = deadline == FOREVER ? 0 : host_clock();
		uint64_t left = now >= deadline ? 0 : deadline == FOREVER || deadline - now > BILLION ? BILLION : deadline - now;
		struct timespec t = { .tv_sec = (time_t)(left / BILLION), .tv_nsec = (long)(left % BILLION) };
		uint64_t arg[6] = { (uintptr_t)&r->turns, FUTEX_WAIT, atomic_load(&r->turns), (uintptr_t)&t };

		if (atomic_load(&r->turn) == RING_RUNS || ring_lost(&c->writer))
			return NATIVE_GIVEN;
		if (!left && want(c, why))
			return NATIVE_TIMED_OUT;
		if (env->queued && want(c, why))
			return NATIVE_SIGNALLED;
		/* Of signals from within the program an event tells; one from outside has waited for a second now. */
		if (late && env->awaited && (native_pending() & env->awaited) && want(c, why))
			return NATIVE_GIVEN;
		late = native_system(SYS_futex, arg) == -ETIMEDOUT;
		if (late)
			ring_say_again(&c->writer, why);
	}
}

static enum native_wait wait_turn(struct native_env *env, struct plugin_core *c, enum ring_turn why, uint64_t deadline)
{
	bool world = native_has_clock();
	struct ring *r = c->writer.ring;
	enum native_wait how;

	/* The machine lets it go on at a time of its own. */
	r->due = !world || deadline > RING_FAR / PS ? 0 : deadline * PS + !deadline;
	c->waits = true;
	plugin_turn_pass(c, why);
	how = sleep_for_turn(env, c, why, world ? FOREVER : deadline);
	plugin_turn_take(c);
	c->waits = false;
	r->due = 0;
	if (how != NATIVE_GIVEN)
		return how;
	return r->given & RING_DUE ? NATIVE_TIMED_OUT : r->given & RING_NOBODY_ELSE ? NATIVE_NOBODY : NATIVE_GIVEN;
}

enum native_wait native_wait_turn(struct native_env *env, struct plugin_core *c, enum ring_turn why, uint64_t deadline)
{
	bool queues = c->writer.ring->futex;
	enum native_wait how;

	/* It may have been woken for a timer of its process, which does not end the wait. */
	do {
		how = wait_turn(env, c, why, deadline);
		if (how != NATIVE_TIMED_OUT || !native_has_clock() || (c->writer.ring->time + PS - 1) / PS >= deadline)
			return how;
		native_timers_expire(c);
		if (env->queued)
			return NATIVE_SIGNALLED;
	} while (why == RING_WAITS && !(queues && !c->writer.ring->futex));
	return NATIVE_GIVEN;
}

int64_t native_go_away(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	int64_t result;

	native_timers_lend(c);
	plugin_turn_pass(c, RING_AWAY);
	result = native_call_kernel(env, num, arg);
	ring_end_turn(&c->writer, RING_WANTS);
	plugin_turn_take(c);
	native_timers_take_back(c);
	return result;
}

enum native_wait native_await_event(struct native_env *env, struct plugin_core *c, unsigned events, uint64_t deadline)
{
	_Atomic uint32_t *tries = &c->writer.segment->tries;
	enum native_wait how;

	c->writer.ring->tries = events;
	atomic_fetch_add(tries, 1);
	how = native_wait_turn(env, c, RING_TRIES, deadline);
	atomic_fetch_sub(tries, 1);
	return how;
}

/* Opening a pipe by its name waits for the other end. */
static bool opens_pipe(uint64_t num, const uint64_t arg[6])
{
	unsigned path = num == SYS_openat;
	char name[PATH_MAX];
	size_t have = sizeof name - native_copy(name, (const void *)(uintptr_t)arg[path], sizeof name);
	struct stat st;

	if (!memchr(name, 0, have) || (arg[path + 1] & (O_NONBLOCK | O_CREAT | O_PATH)))
		return false;
	return fstatat(num == SYS_openat ? (int)arg[0] : AT_FDCWD, name, &st, 0) == 0 && S_ISFIFO(st.st_mode);
}

static enum kind kind_of(unsigned i, uint64_t num, const uint64_t arg[6])
{
	if (i == LEN(calls))
		return KEEPS;
	if (num == SYS_fcntl && arg[1] != F_SETLKW && arg[1] != F_OFD_SETLKW)
		return KEEPS;
	if ((num == SYS_open || num == SYS_openat) && !opens_pipe(num, arg))
		return KEEPS;
	return calls[i].kind;
}

bool native_turn_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	unsigned i = call_index(num);
	struct plugin_core *c = i < LEN(calls) ? native_turns(env) : NULL;

	if (!c && num == SYS_futex && env->vcpu < PLUGIN_THREADS && !plugin_cores[env->vcpu])
		native_futex_outside(arg);
	if (!c)
		return false;
	switch (kind_of(i, num, arg)) {
	case KEEPS:
		return false;
	case READS:
		*result = native_use_file(env, c, num, arg, POLLIN);
		return true;
	case WRITES:
		*result = native_write_file(env, c, num, arg);
		return true;
	case POLLS:
		*result = native_poll_files(env, c, num, arg);
		return true;
	case SELECTS:
		*result = native_select_files(env, c, num, arg);
		return true;
	case EPOLLS:
		*result = native_poll_epoll(env, c, num, arg);
		return true;
	case CHILDREN:
	case CHILDREN_ID:
		*result = native_wait_child(env, c, num, arg);
		return true;
	case FUTEX:
		if (!native_futex(env, c, arg, result))
			*result = native_go_away(env, c, num, arg);
		return true;
	case SLEEPS:
		if (!native_has_clock() || !native_sleep(env, c, num, arg, result))
			*result = native_go_away(env, c, num, arg);
		return true;
	case SIGNALS:
		*result = native_has_clock() ? native_await_signal(env, c, arg) : native_go_away(env, c, num, arg);
		return true;
	case HANDLERS:
		*result = native_timers_run() ? native_await_handler(env, c, num, arg) : native_go_away(env, c, num, arg);
		return true;
	case YIELDS:
		plugin_turn_yield(c);
		*result = 0;
		return true;
	case AWAY:
		*result = native_go_away(env, c, num, arg);
		return true;
	}
	return false;
}

void native_turn_made(struct native_env *env, uint64_t num)
{
	unsigned i = call_index(num);
	struct plugin_core *c = i < LEN(calls) && calls[i].causes ? native_turns(env) : NULL;

	if (!c || !c->has_turn)
		return;
	if (calls[i].causes & SENDS && native_has_clock()) {
		atomic_fetch_add(&c->writer.segment->clock.kills, 1);
		plugin_turn_event(c, RING_IO);
		plugin_turn_yield(c);
	}
	if (calls[i].causes & CAUSES_IO)
		plugin_turn_event(c, RING_IO);
}
