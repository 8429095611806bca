/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C library's functions about CPUs, for the virtual processor.  Without a CPU page they do what the
 * C library does.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "virtual/preload/preload.h"

static struct preload_mask mask_of(size_t size, const cpu_set_t *set)
{
	struct preload_mask mask = { { 0 } };

	memcpy(mask.word, set, size < sizeof mask ? size : sizeof mask);
	return mask;
}

/* The kernel wants room for all CPUs, in whole words. */
static bool fits(size_t size)
{
	return size % sizeof(long) == 0 && size * 8 >= preload_page()->cpus;
}

static int put_mask(size_t size, cpu_set_t *set, const struct preload_mask *mask)
{
	if (!fits(size))
		return EINVAL;
	memset(set, 0, size);
	memcpy(set, mask->word, size < sizeof *mask ? size : sizeof *mask);
	return 0;
}

PRELOAD_EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	struct preload_mask mask;
	int err;

	if (!preload_page())
		return PRELOAD_NEXT(sched_setaffinity)(pid, size, set);
	mask = mask_of(size, set);
	err = preload_set_mask(pid, &mask);
	errno = err ? err : errno;
	return err ? -1 : 0;
}

PRELOAD_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	struct preload_mask mask;
	int err;

	if (!preload_page())
		return PRELOAD_NEXT(sched_getaffinity)(pid, size, set);
	err = preload_get_mask(pid, &mask) ? put_mask(size, set, &mask) : ESRCH;
	errno = err ? err : errno;
	return err ? -1 : 0;
}

/* The kernel's number of a thread; 0: it is the caller, negative: it has ended. */
static pid_t tid_of(pthread_t thread)
{
	clockid_t clock;

	if (pthread_equal(thread, pthread_self()))
		return 0;
	/* The clock of a thread holds its number, inverted, above three bits. */
	return pthread_getcpuclockid(thread, &clock) == 0 ? (pid_t)~(clock >> 3) : -1;
}

PRELOAD_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	struct preload_mask mask;
	pid_t tid;

	if (!preload_page())
		return PRELOAD_NEXT(pthread_setaffinity_np)(thread, size, set);
	mask = mask_of(size, set);
	tid = tid_of(thread);
	return tid < 0 ? ESRCH : preload_set_mask(tid, &mask);
}

PRELOAD_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	struct preload_mask mask;
	pid_t tid;

	if (!preload_page())
		return PRELOAD_NEXT(pthread_getaffinity_np)(thread, size, set);
	tid = tid_of(thread);
	return tid < 0 || !preload_get_mask(tid, &mask) ? ESRCH : put_mask(size, set, &mask);
}

PRELOAD_EXPORT int sched_getcpu(void)
{
	return preload_page() ? (int)preload_cpu() : PRELOAD_NEXT(sched_getcpu)();
}

PRELOAD_EXPORT int getcpu(unsigned *cpu, unsigned *node)
{
	uint32_t now;

	if (!preload_page())
		return PRELOAD_NEXT(getcpu)(cpu, node);
	now = preload_cpu();
	if (cpu)
		*cpu = now;
	if (node)
		*node = cpu_node(preload_page(), now);
	return 0;
}

/* The same asked for by number. */

long preload_kernel(long number, const long arg[6])
{
	register long a3 __asm__("r10") = arg[3], a4 __asm__("r8") = arg[4], a5 __asm__("r9") = arg[5];
	long result;

	__asm__ volatile("syscall" : "=a"(result)
			 : "a"(number), "D"(arg[0]), "S"(arg[1]), "d"(arg[2]), "r"(a3), "r"(a4), "r"(a5)
			 : "rcx", "r11", "memory");
	if (result < 0 && result >= -4095) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/* The kernel tells how many bytes of the mask it has filled. */
static long filled(pid_t pid, size_t size, cpu_set_t *set)
{
	size_t most = (preload_page()->cpus + 63) / 64 * sizeof(uint64_t);

	return sched_getaffinity(pid, size, set) < 0 ? -1 : (long)(size < most ? size : most);
}

static long with_errno(int err)
{
	errno = err ? err : errno;
	return err ? -1 : 0;
}

PRELOAD_EXPORT long syscall(long number, ...)
{
	long arg[6];
	va_list list;

	va_start(list, number);
	for (unsigned i = 0; i < LEN(arg); i++)
		arg[i] = va_arg(list, long);
	va_end(list);
	switch (preload_page() ? number : -1) {
	case SYS_sched_setaffinity:
		return sched_setaffinity((pid_t)arg[0], (size_t)arg[1], (const cpu_set_t *)arg[2]);
	case SYS_sched_getaffinity:
		return filled((pid_t)arg[0], (size_t)arg[1], (cpu_set_t *)arg[2]);
	case SYS_getcpu:
		return getcpu((unsigned *)arg[0], (unsigned *)arg[1]);
	case SYS_clock_gettime:
		return clock_gettime((clockid_t)arg[0], (struct timespec *)arg[1]);
	case SYS_gettimeofday:
		return gettimeofday((struct timeval *)arg[0], (void *)arg[1]);
	case SYS_futex:
		return preload_futex(arg);
	case SYS_nanosleep:
		return nanosleep((const struct timespec *)arg[0], (struct timespec *)arg[1]);
	case SYS_clock_nanosleep:
		return with_errno(clock_nanosleep((clockid_t)arg[0], (int)arg[1], (const struct timespec *)arg[2], (struct timespec *)arg[3]));
	case SYS_time:
		return time((time_t *)arg[0]);
	default:
		return preload_kernel(number, arg);
	}
}
