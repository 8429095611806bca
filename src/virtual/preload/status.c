/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What /proc/self/status says of CPUs and memory nodes that the process may use: libnuma goes by that, and numactl takes no other
 * CPUs.  Read by fopen() only; whoever opens the file by other means sees this computer's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtual/preload/preload.h"

static bool is_status(const char *path)
{
	char own[32];

	snprintf(own, sizeof own, "/proc/%d/status", (int)getpid());
	return strcmp(path, "/proc/self/status") == 0 || strcmp(path, own) == 0;
}

static bool has(const struct preload_mask *mask, uint32_t n)
{
	return n < CPU_PAGE_CPUS && mask->word[n / 64] >> n % 64 & 1;
}

/* Groups of 32 of the first `count`, the last ones first. */
static void put_groups(FILE *out, const struct preload_mask *mask, uint32_t count)
{
	for (uint32_t group = (count + 31) / 32; group-- > 0; )
		fprintf(out, "%08" PRIx32 "%c", (uint32_t)(mask->word[group / 2] >> group % 2 * 32), group ? ',' : '\n');
}

/* "0-3,8" */
static void put_list(FILE *out, const struct preload_mask *mask, uint32_t count)
{
	const char *before = "";

	for (uint32_t first = 0, last; first < count; first = last + 1) {
		last = first;
		if (!has(mask, first))
			continue;
		while (last + 1 < count && has(mask, last + 1))
			last++;
		fprintf(out, first == last ? "%s%" PRIu32 : "%s%" PRIu32 "-%" PRIu32, before, first, last);
		before = ",";
	}
	fputc('\n', out);
}

/* A line of the kernel's, or what the machine has in its place. */
static void put_line(FILE *out, const char *line)
{
	const struct cpu_page *page = preload_page();
	struct preload_mask cpus, nodes = { { (UINT64_C(1) << page->nodes) - 1 } };
	const struct { const char *name; const struct preload_mask *mask; uint32_t count; } lines[] = {
		{ "Cpus_allowed", &cpus, page->cpus }, { "Mems_allowed", &nodes, page->nodes },
	};

	preload_get_mask(0, &cpus);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		size_t name = strlen(lines[i].name);

		if (strncmp(line, lines[i].name, name) != 0)
			continue;
		fputs(lines[i].name, out);
		if (line[name] == ':') {
			fputs(":\t", out);
			put_groups(out, lines[i].mask, lines[i].count);
		} else {
			fputs("_list:\t", out);
			put_list(out, lines[i].mask, lines[i].count);
		}
		return;
	}
	fputs(line, out);
}

/* The machine's in place of the kernel's, which is closed. */
static FILE *of_machine(FILE *kernels)
{
	int fd = memfd_create("status", MFD_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w+");
	char *line = NULL;
	size_t size = 0;

	while (out && getline(&line, &size, kernels) > 0)
		put_line(out, line);
	free(line);
	if (out)
		rewind(out);
	else if (fd >= 0)
		close(fd);
	fclose(kernels);
	return out;
}

PRELOAD_EXPORT FILE *fopen64(const char *path, const char *mode)
{
	FILE *f = PRELOAD_NEXT(fopen64)(path, mode);

	return f && preload_page() && is_status(path) ? of_machine(f) : f;
}

/* The same under the name without a number, which the C library's header may have given to the one above. */
PRELOAD_EXPORT __typeof__(fopen64) preload_fopen __asm__("fopen") __attribute__((malloc, alias("fopen64")));
