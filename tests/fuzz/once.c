/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a harness without libFuzzer: every file of the folders named as arguments once, in the order of their names.  What the
 * parsers print goes nowhere; the file at hand is told of on standard error, so that the last one is the one that failed.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST = 1 << 20 };

static void run_file(const char *path)
{
	static uint8_t data[MOST];
	FILE *in = fopen(path, "rb");
	uint8_t *exact;
	size_t n;

	fuzz_expect(in != NULL, "a file of the corpus can be read");
	n = fread(data, 1, sizeof data, in);
	fclose(in);
	/* As long as it is and no longer: a sanitizer sees who reads on. */
	exact = malloc(n ? n : 1);
	fuzz_expect(exact && n < sizeof data, "a file of the corpus is small");
	memcpy(exact, data, n);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
}

static unsigned run_folder(const char *folder)
{
	struct dirent **list;
	int n = scandir(folder, &list, NULL, alphasort);
	unsigned files = 0;
	char path[PATH_MAX];

	fuzz_expect(n >= 0, "the corpus is there");
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.') {
			snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
			run_file(path);
			files++;
		}
		free(list[i]);
	}
	free(list);
	return files;
}

int main(int argc, char **argv)
{
	int out = dup(STDOUT_FILENO);
	unsigned files = 0;

	fuzz_expect(out >= 0 && freopen("/dev/null", "w", stdout), "there is somewhere to print to");
	for (int i = 1; i < argc; i++)
		files += run_folder(argv[i]);
	dprintf(out, "%u checks, 0 failed\n", files);
	return files == 0;
}
