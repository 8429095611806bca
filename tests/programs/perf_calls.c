/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client that calls perf_event_open() itself, by the number of the call: what is wrong gets the answer of Linux 6.1's
 * uncore driver, what is right counts.  Made for hsx,sockets=2,cores=4: CPU 0 and 4 stand for the sockets, CPUs are 0 to 15.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { DCLK_KHZ = 1066667, ANY = -1, OWN_SIZE = 128 };

#define FLAG(n) (UINT64_C(1) << (n))	/* of the bit field behind read_format */

enum {
	DISABLED = 0, PINNED = 2, EXCLUSIVE = 3, EXCLUDE_USER = 4, EXCLUDE_KERNEL = 5, FREQ = 10, EXCLUDE_GUEST = 20,
	USE_CLOCKID = 25, AUX_OUTPUT = 31, REMOVE_ON_EXEC = 36, TRAP = 37, UNKNOWN = 38,
};

static uint32_t type_of(const char *pmu)
{
	char path[128], text[16] = "";
	int fd;

	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type", pmu);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
		printf("%s: no type\n", path);
	close(fd);
	return (uint32_t)strtoul(text, NULL, 10);
}

/* The call with what the structure holds in numbers of its places; the descriptor, or -errno. */
struct call {
	const char *pmu;		/* NULL: type */
	uint32_t type, size;		/* size 0: as we know it */
	uint64_t config, config1, sample_period, sample_type, read_format, flags;
	int32_t clockid;
	int pid, cpu, group;		/* group 0: none; no event has that descriptor */
	unsigned long open_flags;
};

static void fill(const struct call *c, struct perf_event_attr *a)
{
	memset(a, 0, sizeof *a);
	a->type = c->pmu ? type_of(c->pmu) : c->type;
	a->size = c->size ? c->size : OWN_SIZE;
	a->config = c->config;
	a->config1 = c->config1;
	a->sample_period = c->sample_period;
	a->sample_type = c->sample_type;
	a->read_format = c->read_format;
	a->clockid = c->clockid;
	memcpy((char *)a + offsetof(struct perf_event_attr, read_format) + sizeof a->read_format, &c->flags, sizeof c->flags);
}

static int open_event(void *attr, int pid, int cpu, int group, unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);

	return fd < 0 ? -errno : (int)fd;
}

static int call(const struct call *c)
{
	struct perf_event_attr a;

	fill(c, &a);
	return open_event(&a, c->pid, c->cpu, c->group ? c->group : ANY, c->open_flags);
}

#define IMC .pmu = "uncore_imc_0", .pid = ANY
#define HA .pmu = "uncore_ha_0", .pid = ANY

static const struct row {
	int line;
	struct call call;
	int error;
} rows[] = {
	{ LINE, { IMC }, 0 },
	{ LINE, { IMC, .cpu = 3 }, 0 },			/* any CPU of the socket does */
	{ LINE, { IMC, .cpu = 15 }, 0 },			/* the last second thread */
	{ LINE, { IMC, .cpu = 16 }, EINVAL },
	{ LINE, { IMC, .cpu = ANY }, EINVAL },
	{ LINE, { .pmu = "uncore_imc_0", .pid = 0 }, EINVAL },
	{ LINE, { .pmu = "uncore_imc_0", .pid = 0, .cpu = ANY }, EINVAL },
	{ LINE, { .pmu = "uncore_imc_0", .pid = 0x3fffffff }, ESRCH },
	{ LINE, { .pmu = "uncore_imc_0", .pid = -2 }, ESRCH },
	{ LINE, { .type = 4711, .pid = ANY }, ENOENT },
	{ LINE, { IMC, .open_flags = PERF_FLAG_FD_CLOEXEC }, 0 },
	{ LINE, { IMC, .open_flags = 0x10 }, EINVAL },
	{ LINE, { IMC, .open_flags = PERF_FLAG_PID_CGROUP }, EINVAL },
	{ LINE, { IMC, .size = 63 }, E2BIG },
	{ LINE, { IMC, .size = 64 }, 0 },			/* the first structure that there was */
	{ LINE, { IMC, .size = 4097 }, E2BIG },
	{ LINE, { IMC, .flags = FLAG(UNKNOWN) }, EINVAL },
	{ LINE, { IMC, .flags = FLAG(63) }, EINVAL },
	{ LINE, { IMC, .read_format = PERF_FORMAT_LOST }, 0 },
	{ LINE, { IMC, .read_format = 1 << 5 }, EINVAL },
	{ LINE, { IMC, .sample_type = PERF_SAMPLE_IP }, 0 },	/* asks for nothing without a period */
	{ LINE, { IMC, .sample_type = 1 << 25 }, EINVAL },
	{ LINE, { IMC, .sample_period = 1000 }, EINVAL },
	{ LINE, { IMC, .sample_period = 1000, .flags = FLAG(FREQ) }, EINVAL },
	{ LINE, { IMC, .sample_period = FLAG(63) }, EINVAL },
	{ LINE, { IMC, .flags = FLAG(EXCLUDE_USER) }, EINVAL },
	{ LINE, { IMC, .flags = FLAG(EXCLUDE_KERNEL) }, EINVAL },
	{ LINE, { IMC, .flags = FLAG(EXCLUDE_GUEST) }, EINVAL },
	{ LINE, { IMC, .flags = FLAG(AUX_OUTPUT) }, EOPNOTSUPP },
	{ LINE, { IMC, .flags = FLAG(TRAP) | FLAG(REMOVE_ON_EXEC) }, EINVAL },
	{ LINE, { IMC, .flags = FLAG(TRAP) }, EINVAL },
	{ LINE, { IMC, .flags = FLAG(USE_CLOCKID), .clockid = CLOCK_MONOTONIC_RAW }, 0 },
	{ LINE, { IMC, .flags = FLAG(USE_CLOCKID), .clockid = CLOCK_REALTIME }, EINVAL },
	{ LINE, { IMC, .flags = FLAG(PINNED) }, 0 },
	{ LINE, { IMC, .flags = FLAG(EXCLUSIVE) }, 0 },
	{ LINE, { IMC, .config = 0xff }, 0 },			/* the fixed counter */
	{ LINE, { HA, .config = 0xff }, EINVAL },		/* there is none */
	{ LINE, { HA, .config = 0xffffffffffff0301 }, 0 },	/* bits that the control has not are left out */
	{ LINE, { IMC, .group = 1000 }, EBADF },
	{ LINE, { IMC, .group = 1 }, EBADF },			/* not an event */
	{ LINE, { IMC, .group = -2 }, EBADF },
	/* Of a core; no process is on one. */
	{ LINE, { .type = PERF_TYPE_HARDWARE, .pid = 0, .cpu = ANY }, ENOENT },
	{ LINE, { .type = PERF_TYPE_HARDWARE, .pid = ANY }, 0 },
	{ LINE, { .type = PERF_TYPE_HARDWARE, .pid = ANY, .cpu = 16 }, EINVAL },
	{ LINE, { .type = PERF_TYPE_HARDWARE, .pid = ANY, .flags = FLAG(EXCLUDE_KERNEL) }, 0 },
	{ LINE, { .type = PERF_TYPE_HARDWARE, .pid = ANY, .config = PERF_COUNT_HW_BRANCH_MISSES }, ENOENT },
	{ LINE, { .type = PERF_TYPE_HARDWARE, .pid = ANY, .config = PERF_COUNT_HW_MAX }, EINVAL },
	{ LINE, { .type = PERF_TYPE_HARDWARE, .pid = ANY, .sample_period = 1000 }, EOPNOTSUPP },
	{ LINE, { .type = PERF_TYPE_HW_CACHE, .pid = ANY, .config = 0x10000 }, 0 },	/* L1D, loads, misses */
	{ LINE, { .type = PERF_TYPE_HW_CACHE, .pid = ANY, .config = 0x10001 }, ENOENT },
	{ LINE, { .type = PERF_TYPE_HW_CACHE, .pid = ANY, .config = 0x20000 }, EINVAL },
	{ LINE, { .type = PERF_TYPE_RAW, .pid = ANY, .config = 0xc0 }, 0 },
	{ LINE, { .type = PERF_TYPE_RAW, .pid = ANY, .config = 0xff }, ENOENT },
	{ LINE, { .type = PERF_TYPE_SOFTWARE, .pid = ANY, .config = PERF_COUNT_SW_CPU_CLOCK }, 0 },
	{ LINE, { .type = PERF_TYPE_SOFTWARE, .pid = ANY, .config = PERF_COUNT_SW_PAGE_FAULTS }, ENOENT },
};

static void errors(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		int fd = call(&r->call);

		CHECK_EQ(r->line, fd < 0 ? -fd : 0, r->error);
		if (fd >= 0)
			close(fd);
	}
}

/* The structure's size is wrong: the kernel writes the right one. */
static void sizes(void)
{
	static char page[8192] __attribute__((aligned(4096)));
	struct perf_event_attr *a = (struct perf_event_attr *)page;
	const struct call c = { IMC };
	int fd;

	fill(&c, a);
	a->size = 8;
	CHECK_EQ(__LINE__, -open_event(a, ANY, 0, ANY, 0), E2BIG);
	CHECK_EQ(__LINE__, a->size, OWN_SIZE);
	a->size = 200;
	fd = open_event(a, ANY, 0, ANY, 0);
	CHECK(fd >= 0);
	close(fd);
	page[199] = 1;
	CHECK_EQ(__LINE__, -open_event(a, ANY, 0, ANY, 0), E2BIG);
	CHECK_EQ(__LINE__, a->size, OWN_SIZE);
	a->size = 0;
	fd = open_event(a, ANY, 0, ANY, 0);
	CHECK(fd >= 0);
	close(fd);
	CHECK_EQ(__LINE__, -open_event(NULL, ANY, 0, ANY, 0), EFAULT);
	CHECK_EQ(__LINE__, -open_event((void *)8, ANY, 0, ANY, 0), EFAULT);
}

/* Groups by what the members want of the counters. */
static const struct group_row {
	int line;
	const char *pmu;
	unsigned n;			/* of these, the first error is of the last */
	uint64_t config[6], config1[6];
	int error;
} group_rows[] = {
	{ LINE, "uncore_imc_0", 5, { 0x304, 0x304, 0x304, 0x304, 0xff }, { 0 }, 0 },
	{ LINE, "uncore_imc_0", 5, { 0x304, 0x304, 0x304, 0x304, 0x304 }, { 0 }, EINVAL },
	{ LINE, "uncore_imc_0", 2, { 0xff, 0xff }, { 0 }, EINVAL },
	/* Of a CBo's events 0x36 counts in counter 0 only, 0x38 in 0 and 1. */
	{ LINE, "uncore_cbox_0", 4, { 0, 0, 0x38, 0x36 }, { 0 }, 0 },
	{ LINE, "uncore_cbox_0", 2, { 0x36, 0x36 }, { 0 }, EINVAL },
	{ LINE, "uncore_cbox_0", 3, { 0x38, 0x38, 0x36 }, { 0 }, EINVAL },
	/* The state filter, bits 23:17, is one for all counters; who does not look at it does not mind. */
	{ LINE, "uncore_cbox_0", 2, { 0x334, 0x1134 }, { 0x7e0000, 0x7e0000 }, 0 },
	{ LINE, "uncore_cbox_0", 2, { 0x334, 0x1134 }, { 0x7e0000, 0x020000 }, EINVAL },
	{ LINE, "uncore_cbox_0", 2, { 0x334, 0x0037 }, { 0x7e0000, 0x020000 }, 0 },
	/* The opcode (60:52) and the node (47:32) are parts of their own. */
	{ LINE, "uncore_cbox_0", 2, { 0x4135, 0x0335 }, { UINT64_C(0x1820000100000000), UINT64_C(0x1820000200000000) }, 0 },
	{ LINE, "uncore_cbox_0", 2, { 0x4135, 0x4335 }, { UINT64_C(0x1820000100000000), UINT64_C(0x1820000200000000) }, EINVAL },
	/* Bands: the second event of a band with another value goes into the next band. */
	{ LINE, "uncore_pcu", 4, { 0xb, 0xb, 0xb, 0xb }, { 1, 2, 3, 4 }, 0 },
	{ LINE, "uncore_pcu", 4, { 0xb, 0xb, 0xc, 0xb }, { 1, 2, 0, 1 }, 0 },
	/* One match of a link for all. */
	{ LINE, "uncore_qpi_0", 2, { 0x200038, 0x200038 }, { 1, 1 }, 0 },
	{ LINE, "uncore_qpi_0", 2, { 0x200038, 0x200038 }, { 1, 2 }, EINVAL },
	/* A core: four programmable counters and three fixed ones, of which 0xc0 and 0x3c can have one each. */
	{ LINE, "cpu", 6, { 0xc0, 0xc0, 0x3c, 0x3c, 0x412e, 0x4f2e }, { 0 }, 0 },
	{ LINE, "cpu", 5, { 0x412e, 0x412e, 0x412e, 0x412e, 0x412e }, { 0 }, EINVAL },
	{ LINE, "uncore_r3qpi_0", 3, { 7, 8, 1 }, { 0 }, 0 },
	{ LINE, "uncore_r3qpi_0", 4, { 7, 8, 1, 0x10 }, { 0 }, EINVAL },
};

static void groups(void)
{
	for (const struct group_row *r = group_rows; r < group_rows + LEN(group_rows); r++) {
		int fd[6], last = 0;
		unsigned n = 0;

		for (; n < r->n && last >= 0; n++) {
			const struct call c = { .pmu = r->pmu, .config = r->config[n], .config1 = r->config1[n], .pid = ANY,
						.group = n ? fd[0] : 0 };

			fd[n] = last = call(&c);
		}
		CHECK_EQ(r->line, last < 0 ? -last : 0, r->error);
		CHECK_EQ(r->line, n, r->n);
		while (n-- > 0)
			if (fd[n] >= 0)
				close(fd[n]);
	}
}

/* Who may be a leader of whom. */
static void leaders(void)
{
	const struct call first = { IMC };
	struct call second = { IMC };
	int leader = call(&first), sibling;

	second.group = leader;
	sibling = call(&second);
	CHECK(sibling >= 0);
	second.flags = FLAG(PINNED);
	CHECK_EQ(__LINE__, -call(&second), EINVAL);
	second.flags = 0;
	second.cpu = 4;			/* the other socket */
	CHECK_EQ(__LINE__, -call(&second), EINVAL);
	second.cpu = 0;
	second.pmu = "uncore_imc_1";
	CHECK_EQ(__LINE__, -call(&second), EINVAL);
	second.open_flags = PERF_FLAG_FD_NO_GROUP;
	second.group = sibling;
	close(sibling);
	CHECK_EQ(__LINE__, -call(&second), EBADF);
	second.open_flags = 0;
	second.pmu = "uncore_imc_0";
	second.group = leader;
	sibling = call(&second);
	second.group = sibling;
	CHECK_EQ(__LINE__, -call(&second), EINVAL);
	second.group = leader;
	second.open_flags = PERF_FLAG_FD_OUTPUT;
	CHECK_EQ(__LINE__, -call(&second), EINVAL);
	close(sibling);
	close(leader);
}

static void pause_ms(long ms)
{
	struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

static void requests(void)
{
	const struct call c = { IMC, .config = 0xff };
	uint64_t id = 0, period = 5, got[5];
	struct pollfd p;
	int fd = call(&c), other = call(&c);

	CHECK(ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 && id != 0);
	CHECK(ioctl(fd, PERF_EVENT_IOC_ID, NULL) < 0 && errno == EFAULT);
	CHECK(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1) < 0 && errno == EINVAL);
	CHECK(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period) < 0 && errno == EINVAL);
	CHECK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1) == 0);
	CHECK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other) < 0 && errno == EINVAL);
	CHECK(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1) < 0);
	CHECK(ioctl(fd, _IO('$', 77), 0) < 0 && errno == ENOTTY);
	CHECK(ioctl(fd, TIOCGWINSZ, got) < 0 && errno == ENOTTY);
	CHECK(read(fd, got, 7) < 0 && errno == ENOSPC);
	CHECK(read(fd, got, sizeof got) == 8);
	CHECK(syscall(SYS_read, fd, 8L, 8L) < 0 && errno == EFAULT);
	CHECK(write(fd, got, 8) < 0 && errno == EINVAL);
	CHECK(pread(fd, got, 8, 0) < 0 && errno == ESPIPE);
	CHECK(lseek(fd, 0, SEEK_SET) < 0 && errno == ESPIPE);
	p = (struct pollfd){ fd, POLLIN, 0 };
	CHECK(poll(&p, 1, 0) == 1 && p.revents == POLLHUP);
	/* A page of it is what Linux has and we have not. */
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENODEV);
	close(fd);
	close(other);
}

static uint64_t count_of(int fd)
{
	uint64_t value = 0;

	CHECK(read(fd, &value, sizeof value) == sizeof value);
	return value;
}

static void switches(void)
{
	const struct call c = { IMC, .config = 0xff, .flags = FLAG(DISABLED) };
	int fd = call(&c), copy = dup(fd), status;
	uint64_t before;
	pid_t child;

	pause_ms(5);
	CHECK_EQ(__LINE__, count_of(fd), 0);
	CHECK(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0);
	pause_ms(5);
	CHECK(count_of(fd) > 0);
	CHECK(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0);
	before = count_of(fd);
	pause_ms(5);
	CHECK_EQ(__LINE__, count_of(copy), before);
	CHECK(ioctl(copy, PERF_EVENT_IOC_ENABLE, 0) == 0);
	close(fd);
	pause_ms(5);
	CHECK(count_of(copy) > before);
	/* A child has it as well, and its end changes nothing. */
	child = fork();
	if (child == 0)
		_exit(read(copy, &before, 8) == 8 && ioctl(copy, PERF_EVENT_IOC_DISABLE, 0) == 0 ? 0 : 1);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	before = count_of(copy);
	CHECK(before > 0);
	CHECK(ioctl(copy, PERF_EVENT_IOC_RESET, 0) == 0);
	CHECK_EQ(__LINE__, count_of(copy), 0);
	close(copy);
}

/* Are there so many DRAM clocks in so many nanoseconds, to a thousandth and a few at the edges? */
static int in_clocks(uint64_t count, uint64_t ns)
{
	uint64_t want = ns * (DCLK_KHZ / 1000) / 1000;

	return count <= want + want / 1000 + 100 && want <= count + want / 1000 + 100;
}

/* In a group: number, times, then value, id and lost of each. */
static void group_format(void)
{
	const uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED |
				PERF_FORMAT_TOTAL_TIME_RUNNING;
	struct call c = { IMC, .config = 0xff, .flags = FLAG(DISABLED), .read_format = format };
	uint64_t got[16], id[2];
	int leader = call(&c), sibling;

	c.config = 0;
	c.flags = 0;
	c.group = leader;
	sibling = call(&c);
	CHECK(sibling >= 0);
	ioctl(leader, PERF_EVENT_IOC_ID, &id[0]);
	ioctl(sibling, PERF_EVENT_IOC_ID, &id[1]);
	CHECK(read(leader, got, 8 * 8) < 0 && errno == ENOSPC);
	CHECK_EQ(__LINE__, read(sibling, got, sizeof got), 9 * 8);
	CHECK(got[0] == 2 && got[1] == 0 && got[2] == 0 && got[3] == 0 && got[6] == 0);
	CHECK(ioctl(sibling, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) == 0);
	pause_ms(20);
	CHECK(ioctl(leader, PERF_EVENT_IOC_DISABLE, 0) == 0);
	CHECK_EQ(__LINE__, read(leader, got, sizeof got), 9 * 8);
	CHECK_EQ(__LINE__, got[0], 2);
	CHECK_EQ(__LINE__, got[4], id[0]);
	CHECK_EQ(__LINE__, got[7], id[1]);
	CHECK(got[5] == 0 && got[8] == 0);
	CHECK_EQ(__LINE__, got[1], got[2]);
	/* Both count DRAM clocks, started and stopped together. */
	CHECK(got[3] > 0);
	CHECK(in_clocks(got[3], got[2]) && in_clocks(got[6], got[2]));
	close(leader);
	/* The sibling stands alone now. */
	CHECK_EQ(__LINE__, read(sibling, got, sizeof got), 6 * 8);
	CHECK_EQ(__LINE__, got[0], 1);
	close(sibling);
}

/* Six of four counters take turns; each has its time, and none all of it. */
static void turns(void)
{
	struct call c = { IMC, .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };
	uint64_t got[3], running = 0;
	int fd[6];

	for (unsigned i = 0; i < LEN(fd); i++)
		fd[i] = call(&c);
	pause_ms(200);
	for (unsigned i = 0; i < LEN(fd); i++) {
		CHECK_EQ(__LINE__, read(fd[i], got, sizeof got), sizeof got);
		CHECK(got[2] > 0 && got[2] < got[1]);
		CHECK(in_clocks(got[0], got[2]));
		running += got[2] * 1000 / got[1];
		close(fd[i]);
	}
	/* Four of six at any time, but for the time that changing takes. */
	CHECK(running > 3500 && running <= 4100);
}

/* A pinned event that does not fit has failed for good: nothing can be read. */
static void pinned(void)
{
	struct call c = { .pmu = "uncore_cbox_0", .config = 0x36, .pid = ANY, .flags = FLAG(PINNED) };
	int first = call(&c), second = call(&c);
	uint64_t value;

	CHECK(read(first, &value, sizeof value) == 8);
	CHECK(read(second, &value, sizeof value) == 0);
	close(first);
	CHECK(ioctl(second, PERF_EVENT_IOC_ENABLE, 0) == 0);
	CHECK(read(second, &value, sizeof value) == 8);
	close(second);
}

/* Without the right the machine is nobody's business. */
static void rights(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2];
	const struct call c = { IMC };
	pid_t child = fork();
	int status;

	memset(none, 0, sizeof none);
	if (child == 0) {
		if (syscall(SYS_capset, &header, none) < 0)
			_exit(2);
		_exit(call(&c) == -EACCES ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(__LINE__, status, 0);
}

/* The same number again and again: what is closed is free. */
static void many(void)
{
	const struct call c = { IMC };
	struct stat one, other;
	int first = call(&c), fd = -1;

	for (unsigned i = 0; i < 2000; i++) {
		fd = call(&c);
		if (fd < 0)
			break;
		if (i % 100 != 99)
			close(fd);
	}
	CHECK(fd >= 0);
	CHECK(fstat(first, &one) == 0 && fstat(fd, &other) == 0 && one.st_ino != other.st_ino);
	close(first);
	/* Twenty are left to the end of the process. */
}

int main(void)
{
	errors();
	sizes();
	groups();
	leaders();
	requests();
	switches();
	group_format();
	turns();
	pinned();
	rights();
	many();
	return check_done();
}
