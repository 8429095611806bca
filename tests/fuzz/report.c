/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing JSON lines: whatever they are, what can be read of them becomes a page. */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

#include "fuzz.h"

static void feed(struct run *r, char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *next = text + n + (text[n] != '\0');

		text[n] = '\0';
		if (run_line(r, text, n) < 0)
			abort();
		text = next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *page = NULL;
	struct run r = { .file = "fuzz" };
	size_t length;
	FILE *to = open_memstream(&page, &length);

	feed(&r, text);
	if (!to || run_end(&r) < 0 || page_write(&r, 1, to) < 0)
		abort();
	fclose(to);
	run_free(&r);
	free(page);
	free(text);
	return 0;
}
