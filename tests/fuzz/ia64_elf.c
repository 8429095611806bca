/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing programs for IA-64: the file is loaded, and run for some instructions. */
#include "ia64/ia64.h"

#include "fuzz.h"

enum { INSTRUCTIONS = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "fuzz", why[256] = "";
	char *const argv[] = { name, NULL };
	const struct ia64_config config = { .instructions = INSTRUCTIONS, .itc_khz = 1000000, .alone = true, .argv = argv,
					    .env = argv + 1 };
	struct ia64 *m = ia64_load(data, size, &config, why, sizeof why);
	const struct ia64_stop *stop;

	fuzz_expect(m || *why, "a file that is no program is refused with a sentence");
	if (m) {
		stop = ia64_run(m, NULL);
		fuzz_expect(stop->why != IA64_RUNNING, "a program comes to an end");
		fuzz_expect(stop->why == IA64_EXITED || *stop->reason, "an end has a reason");
		fuzz_expect(ia64_retired(m) <= INSTRUCTIONS, "a limit holds");
	}
	ia64_free(m);
	return 0;
}
