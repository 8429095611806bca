/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulator/wait_for.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "plugin/life.h"
#include "emulator/clock.h"
#include "emulator/timer.h"

#define BILLION UINT64_C(1000000000)
#define LONGEST (UINT64_C(1) << 33)	/* seconds, so that ns of them are a number of 64 bits: beyond is for ever */

enum { MEMORY_DEVICES = 1, MOST_FILES = 1024 };

/* Sleep. */

bool native_sleep_until(struct native_env *env, struct plugin_core *c, uint64_t deadline)
{
	enum native_wait why = NATIVE_GIVEN;

	/* Given for another reason, it waits on. */
	while (why != NATIVE_TIMED_OUT && !ring_lost(&c->writer)) {
		why = native_wait_turn(env, c, RING_WAITS, deadline);
		if (why == NATIVE_SIGNALLED)
			return false;
	}
	return true;
}

/* When a sleep of, or until, `ns` ends. */
static uint64_t end_of(const struct native_env *env, int32_t id, bool absolute, uint64_t ns)
{
	return absolute ? native_clock_when(env, id, ns) : native_clock(env) + ns;
}

bool native_sleep(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	bool plain = num == SYS_nanosleep, absolute = !plain && (arg[1] & TIMER_ABSTIME);
	int32_t id = plain ? CLOCK_MONOTONIC : (int32_t)arg[0];
	uint64_t from = arg[plain ? 0 : 2], rest = arg[plain ? 1 : 3], end, now;
	int64_t t[2];

	if (!native_clock_runs(id))
		return false;
	*result = -EFAULT;
	if (!native_get(t, from, sizeof t))
		return true;
	*result = -EINVAL;
	if (t[0] < 0 || t[1] < 0 || (uint64_t)t[1] >= BILLION)
		return true;
	*result = 0;
	end = (uint64_t)t[0] > LONGEST ? UINT64_MAX : end_of(env, id, absolute, (uint64_t)t[0] * BILLION + (uint64_t)t[1]);
	if (native_sleep_until(env, c, end))
		return true;
	*result = -EINTR;
	now = native_clock(env);
	t[0] = end > now ? (int64_t)((end - now) / BILLION) : 0;
	t[1] = end > now ? (int64_t)((end - now) % BILLION) : 0;
	if (rest && !absolute && !native_put(rest, t, sizeof t))
		*result = -EFAULT;
	return true;
}

/* Outside. */

static bool was_given(const struct stat *st)
{
	const struct ring_clock *c = &plugin_life.segment->clock;

	for (unsigned i = 0; i < LEN(c->outside); i++) {
		if (c->outside[i].inode == st->st_ino && c->outside[i].device == st->st_dev)
			return true;
	}
	return false;
}

static bool is_traced(pid_t pid)
{
	const struct ring_segment *s = plugin_life.segment;

	for (uint32_t i = 0; i < RING_SLOTS; i++) {
		if (atomic_load(&s->ring[i].holder) == pid)
			return true;
	}
	return false;
}

/* Who listens waits for anybody. */
static bool is_socket_outside(int file)
{
	int domain = 0, listens = 0;
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof domain, peer_size = sizeof peer;

	if (getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0 || domain != AF_UNIX)
		return true;
	size = sizeof listens;
	if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens)
		return true;
	return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) < 0 || !is_traced(peer.pid);
}

/* What the kernel has no file for: these are ready by what somebody here does, or by a timer of ours. */
static bool is_nameless_outside(int file)
{
	char link[40], name[64];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	n = readlink(link, name, sizeof name - 1);
	name[n > 0 ? n : 0] = '\0';
	return n > 0 && strcmp(name, "anon_inode:[eventfd]") != 0 && strcmp(name, "anon_inode:[eventpoll]") != 0 &&
	       !(strcmp(name, "anon_inode:[timerfd]") == 0 && native_timer_file(file));
}

static bool is_outside(int file)
{
	struct stat st;

	if (fstat(file, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return false;
	if (S_ISCHR(st.st_mode))
		return major(st.st_rdev) != MEMORY_DEVICES;
	if (S_ISFIFO(st.st_mode))
		return was_given(&st);
	if (S_ISSOCK(st.st_mode))
		return was_given(&st) || is_socket_outside(file);
	return is_nameless_outside(file);
}

bool native_is_outside(int file)
{
	if (!native_has_clock() || !is_outside(file))
		return false;
	plugin_note(RING_NOTE_OUTSIDE);
	return true;
}

static bool polls_outside(const uint64_t arg[6])
{
	struct pollfd p;

	for (uint64_t i = 0; i < arg[1] && i < MOST_FILES && native_get(&p, arg[0] + i * sizeof p, sizeof p); i++) {
		if (p.fd >= 0 && native_is_outside(p.fd))
			return true;
	}
	return false;
}

static bool selects_outside(const uint64_t arg[6])
{
	for (uint64_t i = 0; i < arg[0] && i < MOST_FILES; i++) {
		uint8_t byte = 0, all = 0;

		for (unsigned set = 1; set <= 3; set++) {
			if (arg[set] && native_get(&byte, arg[set] + i / 8, 1))
				all |= byte;
		}
		if ((all >> i % 8 & 1) && native_is_outside((int)i))
			return true;
	}
	return false;
}

static bool epolls_outside(int file)
{
	char name[40], line[128];
	bool outside = false;
	FILE *f;
	int in;

	snprintf(name, sizeof name, "/proc/self/fdinfo/%d", file);
	f = fopen(name, "re");
	while (f && !outside && fgets(line, sizeof line, f))
		outside = sscanf(line, "tfd: %d", &in) == 1 && native_is_outside(in);
	if (f)
		fclose(f);
	return outside;
}

bool native_looks_outside(uint64_t num, const uint64_t arg[6])
{
	if (!native_has_clock())
		return false;
	switch (num) {
	case SYS_poll: case SYS_ppoll:
		return polls_outside(arg);
	case SYS_select: case SYS_pselect6:
		return selects_outside(arg);
	default:
		return epolls_outside((int)arg[0]);
	}
}
