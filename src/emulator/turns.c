/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulator/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "emulator/clock.h"
#include "emulator/wait_for.h"

bool plugin_makes_calls = true;

#define BILLION UINT64_C(1000000000)
#define PS UINT64_C(1000)		/* a nanosecond */
#define FOREVER UINT64_MAX
#define SET_BYTES 128			/* of a set of files as select() has it, for 1024 of them */

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
	{ SYS_nanosleep, SLEEPS, 0 }, { SYS_clock_nanosleep, SLEEPS, 0 }, { SYS_pause, AWAY, 0 },
	{ SYS_kill, KEEPS, SENDS }, { SYS_tkill, KEEPS, SENDS }, { SYS_tgkill, KEEPS, SENDS },
	{ SYS_rt_sigqueueinfo, KEEPS, SENDS }, { SYS_rt_tgsigqueueinfo, KEEPS, SENDS },
	{ SYS_rt_sigsuspend, AWAY, 0 }, { SYS_rt_sigtimedwait, SIGNALS, 0 }, { SYS_flock, AWAY, CAUSES_IO },
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

struct plugin_core *native_turns(const struct native_env *env)
{
	struct plugin_core *c = env->vcpu < PLUGIN_THREADS ? plugin_cores[env->vcpu] : NULL;

	return plugin_takes_turns(c) && !ring_lost(&c->writer) ? c : NULL;
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
		native_system(SYS_futex, arg);
	}
}

enum native_wait native_wait_turn(struct native_env *env, struct plugin_core *c, enum ring_turn why, uint64_t deadline)
{
	bool world = native_has_clock();
	struct ring *r = c->writer.ring;
	enum native_wait how;

	/* The machine lets it go on at a time of its own. */
	r->due = !world || deadline > RING_FAR / PS ? 0 : deadline * PS + !deadline;
	plugin_turn_pass(c, why);
	how = sleep_for_turn(env, c, why, world ? FOREVER : deadline);
	plugin_turn_take(c);
	r->due = 0;
	if (how != NATIVE_GIVEN)
		return how;
	return r->given & RING_DUE ? NATIVE_TIMED_OUT : r->given & RING_NOBODY_ELSE ? NATIVE_NOBODY : NATIVE_GIVEN;
}

/* The call blocks in the kernel while others have the turn. */
static int64_t go_away(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	int64_t result;

	plugin_turn_pass(c, RING_AWAY);
	result = native_call_kernel(env, num, arg);
	ring_end_turn(&c->writer, RING_WANTS);
	plugin_turn_take(c);
	return result;
}

/* Until one of these events (enum ring_event), after which the call is tried again. */
static enum native_wait await_event(struct native_env *env, struct plugin_core *c, unsigned events, uint64_t deadline)
{
	_Atomic uint32_t *tries = &c->writer.segment->tries;
	enum native_wait how;

	c->writer.ring->tries = events;
	atomic_fetch_add(tries, 1);
	how = native_wait_turn(env, c, RING_TRIES, deadline);
	atomic_fetch_sub(tries, 1);
	return how;
}

static bool is_ready(int file, short events)
{
	struct pollfd p = { .fd = file, .events = events };

	return poll(&p, 1, 0) != 0;
}

static bool is_fifo(int file)
{
	struct stat st;

	return fstat(file, &st) == 0 && S_ISFIFO(st.st_mode);
}

static bool never_blocks(uint64_t num, const uint64_t arg[6])
{
	bool asks = (num == SYS_recvfrom || num == SYS_sendto) ? arg[3] & MSG_DONTWAIT :
		    (num == SYS_recvmsg || num == SYS_sendmsg) && (arg[2] & MSG_DONTWAIT);
	int flags = fcntl((int)arg[0], F_GETFL);

	return asks || flags < 0 || (flags & O_NONBLOCK);
}

/* Wait until the file can be used.  True: the call is to be made now, by go_away() if *nobody; else *result is its answer. */
static bool await_file(struct native_env *env, struct plugin_core *c, int file, short events, bool *nobody, int64_t *result)
{
	*nobody = false;
	while (!is_ready(file, events)) {
		enum native_wait how = native_is_outside(file) ? NATIVE_NOBODY : await_event(env, c, RING_IO, FOREVER);

		if (how == NATIVE_NOBODY) {
			*nobody = true;
			return true;
		}
		if (how == NATIVE_SIGNALLED) {
			*result = NATIVE_BROKEN;
			return false;
		}
	}
	return true;
}

static int64_t use_file(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], short events)
{
	int64_t result;
	bool nobody;

	if (never_blocks(num, arg))
		return native_call_kernel(env, num, arg);
	if (!await_file(env, c, (int)arg[0], events, &nobody, &result))
		return result;
	return nobody ? go_away(env, c, num, arg) : native_call_kernel(env, num, arg);
}

/* A pipe that can be written has room for a page: more is written page by page, as there is room. */
static int64_t fill_pipe(struct native_env *env, struct plugin_core *c, const uint64_t arg[6])
{
	uint64_t done = 0;

	while (done < arg[2]) {
		uint64_t n = arg[2] - done < PIPE_BUF ? arg[2] - done : PIPE_BUF;
		int64_t result;
		bool nobody;

		if (!await_file(env, c, (int)arg[0], POLLOUT, &nobody, &result))
			return done ? (int64_t)done : result;
		if (nobody) {
			result = go_away(env, c, SYS_write, (const uint64_t[6]){ arg[0], arg[1] + done, arg[2] - done });
			return result > 0 ? (int64_t)done + result : done ? (int64_t)done : result;
		}
		result = native_call_kernel(env, SYS_write, (const uint64_t[6]){ arg[0], arg[1] + done, n });
		if (result <= 0)
			return done ? (int64_t)done : result;
		done += (uint64_t)result;
		plugin_turn_event(c, RING_IO);
	}
	return (int64_t)done;
}

/* More than a little may block in the midst of the call. */
static int64_t write_file(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	struct stat st;
	bool little = (num == SYS_write || num == SYS_sendto) && arg[2] <= PIPE_BUF;

	if (little || never_blocks(num, arg) || fstat((int)arg[0], &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return use_file(env, c, num, arg, POLLOUT);
	if (num == SYS_write && is_fifo((int)arg[0]))
		return fill_pipe(env, c, arg);
	return go_away(env, c, num, arg);
}

/* When a call with a time of this kind is to end.  *now: it asks to look only. */
static uint64_t deadline_of(const struct native_env *env, int64_t seconds, int64_t ns, bool *now)
{
	*now = seconds == 0 && ns == 0;
	if (*now || seconds < 0 || (uint64_t)seconds > UINT32_MAX)
		return FOREVER;
	return native_clock(env) + (uint64_t)seconds * BILLION + (uint64_t)ns;
}

static uint64_t deadline_ms(const struct native_env *env, uint64_t ms, bool *now)
{
	return deadline_of(env, (int32_t)ms < 0 ? -1 : (int32_t)ms / 1000, (int32_t)ms % 1000 * 1000000, now);
}

/* A time in memory: seconds, and parts of `part` ns. */
static uint64_t deadline_at(const struct native_env *env, uint64_t at, int64_t part, bool *now)
{
	int64_t t[2];

	*now = false;
	if (!at)
		return FOREVER;
	if (!native_get(t, at, sizeof t)) {
		*now = true;		/* the kernel says what is wrong */
		return 0;
	}
	return deadline_of(env, t[0], t[1] * part, now);
}

/* What is waited for comes in the host's time; that it has not come, in both. */
static int64_t look_outside(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], uint64_t deadline)
{
	int64_t result = go_away(env, c, num, arg);

	if (result == 0 && deadline != FOREVER)
		native_sleep_until(env, c, deadline);
	return result;
}

/*
 * A call that looks at files and waits until one is ready: looks only, again and again.  look: the call without a
 * wait; call: as the program makes it.
 */
static int64_t look_often(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t call[6],
			  const uint64_t look[6], uint64_t deadline, void (*again)(void *), void *what)
{
	if (native_looks_outside(num, call))
		return look_outside(env, c, num, call, deadline);
	for (;;) {
		int64_t result = native_call_kernel(env, num, look);
		enum native_wait how;

		if (result != 0)
			return result;
		how = await_event(env, c, RING_IO, deadline);
		if (how == NATIVE_TIMED_OUT)
			return 0;
		if (how == NATIVE_SIGNALLED)
			return -EINTR;
		if (again)
			again(what);
		if (how == NATIVE_NOBODY)
			return go_away(env, c, num, call);
	}
}

static const struct timespec no_time;

static int64_t poll_files(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	uint64_t look[6] = { arg[0], arg[1], arg[2], arg[3], arg[4], arg[5] };
	bool now;
	uint64_t deadline = num == SYS_poll ? deadline_ms(env, arg[2], &now) : deadline_at(env, arg[2], 1, &now);

	if (now)
		return native_call_kernel(env, num, arg);
	look[2] = num == SYS_poll ? 0 : (uintptr_t)&no_time;
	return look_often(env, c, num, arg, look, deadline, NULL, NULL);
}

static int64_t poll_epoll(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	uint64_t look[6] = { arg[0], arg[1], arg[2], 0, arg[4], arg[5] };
	bool now;
	uint64_t deadline = deadline_ms(env, arg[3], &now);

	if (now)
		return native_call_kernel(env, num, arg);
	return look_often(env, c, num, arg, look, deadline, NULL, NULL);
}

/* The sets that select() has emptied. */
struct sets {
	const uint64_t *arg;
	uint64_t bytes;
	uint8_t set[3][SET_BYTES];
};

static void put_sets(void *what)
{
	const struct sets *s = what;

	for (unsigned i = 0; i < LEN(s->set); i++) {
		if (s->arg[1 + i])
			native_put(s->arg[1 + i], s->set[i], s->bytes);
	}
}

static int64_t select_files(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	uint64_t look[6] = { arg[0], arg[1], arg[2], arg[3], (uintptr_t)&(struct timespec){ 0 }, arg[5] };
	struct sets s = { .arg = arg, .bytes = (arg[0] + 63) / 64 * 8 };
	bool now;
	uint64_t deadline = deadline_at(env, arg[4], num == SYS_select ? 1000 : 1, &now);
	int64_t result;

	if (now || s.bytes > SET_BYTES)
		return now ? native_call_kernel(env, num, arg) : go_away(env, c, num, arg);
	for (unsigned i = 0; i < LEN(s.set); i++) {
		if (arg[1 + i] && !native_get(s.set[i], arg[1 + i], s.bytes))
			return -EFAULT;
	}
	result = look_often(env, c, num, arg, look, deadline, put_sets, &s);
	if (result == -EINTR)
		put_sets(&s);
	return result;
}

static int64_t wait_child(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	unsigned options = num == SYS_wait4 ? 2 : 3;
	uint64_t look[6] = { arg[0], arg[1], arg[2], arg[3], arg[4], arg[5] };

	if (arg[options] & WNOHANG)
		return native_call_kernel(env, num, arg);
	if (num == SYS_waitid && !arg[2])
		return go_away(env, c, num, arg);
	look[options] |= WNOHANG;
	for (;;) {
		int64_t result = native_call_kernel(env, num, look);
		siginfo_t info = { .si_pid = 0 };
		enum native_wait how;

		if (num == SYS_waitid && result == 0)
			native_get(&info, arg[2], sizeof info);
		if (result != 0 || info.si_pid != 0)
			return result;
		how = await_event(env, c, RING_CHILD, FOREVER);
		if (how == NATIVE_SIGNALLED)
			return NATIVE_BROKEN;
		if (how == NATIVE_NOBODY)
			return go_away(env, c, num, arg);
	}
}

/* A signal that the program blocks, until a certain time. */
static int64_t await_signal(struct native_env *env, struct plugin_core *c, const uint64_t arg[6])
{
	const uint64_t look[6] = { arg[0], arg[1], (uintptr_t)&no_time, arg[3] };
	bool now;
	uint64_t deadline = deadline_at(env, arg[2], 1, &now);

	for (;;) {
		int64_t result = native_call_kernel(env, SYS_rt_sigtimedwait, now ? arg : look);
		enum native_wait how;

		if (result != -EAGAIN || now)
			return result;
		how = await_event(env, c, RING_IO | RING_CHILD, deadline);
		if (how == NATIVE_TIMED_OUT)
			return -EAGAIN;
		if (how == NATIVE_SIGNALLED)
			return -EINTR;
		if (how == NATIVE_NOBODY)
			return go_away(env, c, SYS_rt_sigtimedwait, arg);
	}
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
		*result = use_file(env, c, num, arg, POLLIN);
		return true;
	case WRITES:
		*result = write_file(env, c, num, arg);
		return true;
	case POLLS:
		*result = poll_files(env, c, num, arg);
		return true;
	case SELECTS:
		*result = select_files(env, c, num, arg);
		return true;
	case EPOLLS:
		*result = poll_epoll(env, c, num, arg);
		return true;
	case CHILDREN:
	case CHILDREN_ID:
		*result = wait_child(env, c, num, arg);
		return true;
	case FUTEX:
		if (!native_futex(env, c, arg, result))
			*result = go_away(env, c, num, arg);
		return true;
	case SLEEPS:
		if (!native_has_clock() || !native_sleep(env, c, num, arg, result))
			*result = go_away(env, c, num, arg);
		return true;
	case SIGNALS:
		*result = native_has_clock() && arg[2] ? await_signal(env, c, arg) : go_away(env, c, num, arg);
		return true;
	case YIELDS:
		plugin_turn_yield(c);
		*result = 0;
		return true;
	case AWAY:
		*result = go_away(env, c, num, arg);
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
