/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing specifications of machines: "hsx:e7-8890v3,sockets=4,snoop=home"; of those that may be, machines are made. */
#include <stdlib.h>

#include "machine/spec.h"

#include "fuzz.h"

/* Larger machines take longer to make, which is all. */
static bool is_small(const struct spec *s)
{
	return s->value[SPEC_SOCKETS] * s->value[SPEC_CORES] <= 4;
}

static void make(const char *text, unsigned flags)
{
	bxs_machine *m = NULL;
	char why[256] = "";

	fuzz_refused(bxs_machine_new(text, flags, &m, why, sizeof why), why);
	bxs_machine_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), why[256] = "";
	struct spec s;

	if (!fuzz_refused(spec_parse(text, &s, why, sizeof why), why)) {
		make(text, BXS_BARE);
		if (is_small(&s))
			make(text, 0);
	}
	free(text);
	return 0;
}
