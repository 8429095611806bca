// SPDX-License-Identifier: BSD-2-Clause
/* What a process is to the kernel: its end, its names and limits. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "linux.h"
#include "user.h"

int64_t linux_exit(struct ia64 *m, const uint64_t *a)
{
	m->stop = (struct ia64_stop){ .why = IA64_EXITED, .status = (int)a[0] & 255 };
	return CALL_ENDS;
}

int64_t linux_getpid(struct ia64 *m, const uint64_t *a)
{
	(void)m;
	(void)a;
	return getpid();
}

int64_t linux_getppid(struct ia64 *m, const uint64_t *a)
{
	(void)m;
	(void)a;
	return getppid();
}

int64_t linux_getuid(struct ia64 *m, const uint64_t *a)
{
	(void)m;
	(void)a;
	return getuid();
}

int64_t linux_geteuid(struct ia64 *m, const uint64_t *a)
{
	(void)m;
	(void)a;
	return geteuid();
}

int64_t linux_getgid(struct ia64 *m, const uint64_t *a)
{
	(void)m;
	(void)a;
	return getgid();
}

int64_t linux_getegid(struct ia64 *m, const uint64_t *a)
{
	(void)m;
	(void)a;
	return getegid();
}

int64_t linux_umask(struct ia64 *m, const uint64_t *a)
{
	unsigned was = m->linux_state.umask;

	m->linux_state.umask = a[0] & 0777;
	return was;
}

int64_t linux_uname(struct ia64 *m, const uint64_t *a)
{
	struct utsname name;

	if (uname(&name) < 0)
		return -errno;
	snprintf(name.machine, sizeof name.machine, "ia64");
	return user_write(m, a[0], &name, sizeof name) ? 0 : -EFAULT;
}

/* --- Limits and usage --- */

static const struct rlimit no_limit = { RLIM_INFINITY, RLIM_INFINITY };

static struct rlimit limit_of(uint64_t resource)
{
	switch (resource) {
	case RLIMIT_STACK: return (struct rlimit){ IA64_STACK, IA64_STACK };
	case RLIMIT_NOFILE: return (struct rlimit){ LINUX_FILES, LINUX_FILES };
	default: return no_limit;
	}
}

int64_t linux_getrlimit(struct ia64 *m, const uint64_t *a)
{
	const struct rlimit limit = limit_of(a[0]);

	if (a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	return user_write(m, a[1], &limit, sizeof limit) ? 0 : -EFAULT;
}

int64_t linux_setrlimit(struct ia64 *m, const uint64_t *a)
{
	(void)m;
	return a[0] < RLIM_NLIMITS ? -EPERM : -EINVAL;
}

int64_t linux_prlimit(struct ia64 *m, const uint64_t *a)
{
	if (a[2])
		return -EPERM;
	return linux_getrlimit(m, (const uint64_t[]){ a[1], a[3] });
}

int64_t linux_getrusage(struct ia64 *m, const uint64_t *a)
{
	uint64_t us = (linux_now(m) - m->linux_state.slept) / 1000;
	const struct rusage usage = { .ru_utime = { (time_t)(us / 1000000), (suseconds_t)(us % 1000000) } };

	return user_write(m, a[1], &usage, sizeof usage) ? 0 : -EFAULT;
}

int64_t linux_sysinfo(struct ia64 *m, const uint64_t *a)
{
	const struct sysinfo info = { .uptime = (long)(linux_now(m) / 1000000000), .totalram = UINT64_C(4) << 30,
				      .freeram = UINT64_C(2) << 30, .procs = 1, .mem_unit = 1 };

	return user_write(m, a[0], &info, sizeof info) ? 0 : -EFAULT;
}

/* The same numbers in every run, so that readings are the same (Marsaglia's xorshift64*). */
int64_t linux_getrandom(struct ia64 *m, const uint64_t *a)
{
	uint64_t *x = &m->linux_state.random;

	for (uint64_t done = 0; done < a[1]; done++) {
		uint8_t byte;

		*x ^= *x >> 12;
		*x ^= *x << 25;
		*x ^= *x >> 27;
		byte = (uint8_t)(*x * UINT64_C(0x2545f4914f6cdd1d) >> 56);
		if (!user_write(m, a[0] + done, &byte, 1))
			return -EFAULT;
	}
	return (int64_t)a[1];
}

/* The processors that the program's threads run on, all of them for each. */
int64_t linux_affinity(struct ia64 *m, const uint64_t *a)
{
	const struct ia64_processors *on = m->linux_state.on;
	const uint64_t mask = on ? (UINT64_C(1) << on->n) - 1 : 1;

	if (a[1] < sizeof mask)
		return -EINVAL;
	return user_write(m, a[2], &mask, sizeof mask) ? (int64_t)sizeof mask : -EFAULT;
}
