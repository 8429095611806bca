/* SPDX-License-Identifier: BSD-2-Clause */
/* What boxscore-native asks for a client that it runs, see plugin/client.h: the processor, and which CPU a thread is on. */
#include "plugin/client.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>
#include <cpuid.h>

#include "virtual/client_program.h"
#include "virtual/cpu_answer.h"
#include "virtual/preload/preload.h"

enum { NODE_SHIFT = 12, FEATURES = 1, EXTENDED = 7 };

/*
 * Features whose instructions this computer has to execute.  Leaf 1, ECX: SSE3, PCLMULQDQ, SSSE3, FMA, CX16, SSE4.1, SSE4.2,
 * MOVBE, POPCNT, AES, AVX, F16C, RDRAND.  Leaf 7, EBX: BMI1, HLE, AVX2, BMI2, RTM, RDSEED, ADX.
 */
#define EXECUTED_1 (1u << 0 | 1u << 1 | 1u << 9 | 1u << 12 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 22 | 1u << 23 | 1u << 25 | \
		    1u << 28 | 1u << 29 | 1u << 30)
#define EXECUTED_7 (1u << 3 | 1u << 4 | 1u << 5 | 1u << 8 | 1u << 11 | 1u << 18 | 1u << 19)

static const struct client_host *host;

/* The program's own choice of instructions goes by it, so what cannot be executed is not announced. */
static void leave_out(uint32_t leaf, uint32_t subleaf, struct cpu_leaf *out)
{
	uint32_t eax, ebx, ecx, edx;

	if ((leaf != FEATURES && leaf != EXTENDED) || !__get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx))
		return;
	if (leaf == FEATURES)
		out->ecx &= ecx | ~EXECUTED_1;
	else
		out->ebx &= ebx | ~EXECUTED_7;
}

static void answer_cpuid(uint32_t reg[4])
{
	struct cpu_leaf out = cpu_answer(preload_page(), preload_cpu(), reg[0], reg[2]);

	leave_out(reg[0], reg[2], &out);
	reg[0] = out.eax;
	reg[1] = out.ebx;
	reg[2] = out.ecx;
	reg[3] = out.edx;
}

static void answer_tsc(uint64_t *tsc, uint32_t *number)
{
	uint32_t cpu = preload_cpu();

	if (!preload_tsc(tsc))
		*tsc = __rdtsc();
	*number = cpu_node(preload_page(), cpu) << NODE_SHIFT | cpu;
}

static int32_t this_thread(void)
{
	return (int32_t)syscall(SYS_gettid);
}

static void thread_start(int32_t maker)
{
	struct preload_mask mask;

	preload_get_mask(maker, &mask);
	preload_thread_start(&mask);
}

/* Executing. */

struct execution {
	char path[TARGET_PATH];
	uint64_t argv, envp;
	int file;			/* the program, open to be executed; -1: none */
};

static bool get_text(char *to, size_t room, uint64_t from)
{
	for (size_t i = 0; i < room; i++) {
		if (!host->get(to + i, from + i, 1))
			return false;
		if (!to[i])
			return true;
	}
	return false;
}

/* A file below a directory that is open, or the open file itself, which then stays open for the emulator. */
static bool name_below(struct execution *x, int directory, unsigned flags)
{
	char link[40], name[TARGET_PATH];
	ssize_t n;

	if (x->path[0] == '/' || (x->path[0] && directory == AT_FDCWD))
		return true;
	if (directory == AT_FDCWD || (!x->path[0] && !(flags & AT_EMPTY_PATH)))
		return false;
	snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
	if (!x->path[0]) {
		snprintf(x->path, sizeof x->path, "%s", link);
		x->file = fcntl(directory, F_DUPFD, 3);
		return x->file >= 0;
	}
	n = readlink(link, name, sizeof name - 1);
	if (n <= 0)
		return false;
	name[n] = '\0';
	if ((size_t)snprintf(name + n, sizeof name - (size_t)n, "/%s", x->path) >= sizeof name - (size_t)n)
		return false;
	memcpy(x->path, name, sizeof x->path);
	return true;
}

static bool understand(uint64_t number, const uint64_t arg[6], struct execution *x)
{
	unsigned at = number == SYS_execveat;

	*x = (struct execution){ .file = -1, .argv = arg[at + 1], .envp = arg[at + 2] };
	return get_text(x->path, sizeof x->path, arg[at]) &&
	       (number == SYS_execve || name_below(x, (int)arg[0], (unsigned)arg[4]));
}

/* Words of a list of the client's up to NULL; false: it is not all there. */
static bool count_words(uint64_t list, size_t *count)
{
	uint64_t word = 1;
	char first;

	for (*count = 0; list; ++*count) {
		if (!host->get(&word, list + *count * sizeof word, sizeof word) || (word && !host->get(&first, word, 1)))
			return false;
		if (!word)
			break;
	}
	return true;
}

/* The kernel refuses it, or does what is right. */
static bool has_lists(const struct execution *x, size_t *words, size_t *variables)
{
	return count_words(x->argv, words) && count_words(x->envp, variables);
}

/* By the emulator in any case: the program's signals are blocked here while it changes. */
static int64_t go_on(const struct execution *x, const struct target *t, enum client_way way, uint64_t mask, size_t words, size_t variables)
{
	char blocked[20], file[12], text[CLIENT_TEXT], *command[words + CLIENT_WORDS], *environment[variables + CLIENT_VARIABLES];
	char *const *argv = (char *const *)x->argv, *const *envp = (char *const *)x->envp;
	const struct client_parts parts = { .emulator = host->emulator, .library = preload_page()->library, .page = preload_page_name(),
					    .mask = blocked, .file = x->file < 0 ? NULL : file };

	snprintf(blocked, sizeof blocked, "%" PRIx64, mask);
	snprintf(file, sizeof file, "%d", x->file);
	if (way == CLIENT_EMULATED)
		client_emulated(command, &parts, t, argv);
	else
		client_plain(command, &parts, x->path, argv);
	if (way == CLIENT_32_BIT || way == CLIENT_PRIVILEGED)
		client_unserved(preload_page(), way, x->path);
	client_environment(environment, text, &parts, way == CLIENT_PRELOADED, envp);
	return host->kernel(SYS_execve, (const uint64_t[6]){ (uintptr_t)host->emulator, (uintptr_t)command, (uintptr_t)environment });
}

/* The answer of one that fails. */
static bool execute(uint64_t number, const uint64_t arg[6], uint64_t mask, int64_t *result)
{
	struct execution x;
	struct target t;
	size_t words, variables;
	enum client_way way = CLIENT_UNKNOWN;

	if (understand(number, arg, &x) && has_lists(&x, &words, &variables))
		way = client_way_of(x.path, &t);
	if (way != CLIENT_UNKNOWN)
		*result = go_on(&x, &t, way, mask, words, variables);
	if (x.file >= 0)
		close(x.file);
	return way != CLIENT_UNKNOWN;
}

static bool call(uint64_t number, const uint64_t arg[6], uint64_t mask, int64_t *result)
{
	if (number == SYS_execve || number == SYS_execveat)
		return execute(number, arg, mask, result);
	return preload_call(host, number, arg, result);
}

static int nap(const struct timespec *time, struct timespec *left, const sigset_t *mask)
{
	const uint64_t arg[6] = { CLOCK_MONOTONIC, 0, (uintptr_t)time, (uintptr_t)left };
	int64_t got = host->kernel(SYS_clock_nanosleep, arg);

	(void)mask;
	if (got == CLIENT_UNMADE && left)
		*left = *time;
	return got == 0 ? 0 : got > -4096 && got <= CLIENT_UNMADE ? EINTR : (int)-got;
}

static void unserved(const char *program)
{
	client_unserved(preload_page(), CLIENT_EMULATED, program);
}

PRELOAD_EXPORT client_open_fn boxscore_client;

PRELOAD_EXPORT const struct client_cpu *boxscore_client(const struct client_host *emulator)
{
	static const struct client_cpu cpu = {
		.cpuid = answer_cpuid, .tsc = answer_tsc, .call = call, .thread = this_thread, .thread_start = thread_start,
		.thread_end = preload_thread_end, .unserved = unserved,
	};

	if (!preload_page())
		return NULL;
	host = emulator;
	preload_nap = nap;
	return &cpu;
}
