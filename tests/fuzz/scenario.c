/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing scenario files: the text is read, and its kernels are held to a machine. */
#include "fuzz.h"

#include "api/machine.h"
#include "feed/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bxs_machine *m;
	struct scenario *s = NULL;
	struct feed *f = NULL;
	char why[512] = "";

	if (!m)
		m = fuzz_machine("hsx,sockets=1,cores=4,llc_ways=1", 0);
	if (fuzz_refused(scenario_parse("fuzz", (const char *)data, size, &s, why, sizeof why), why))
		return 0;
	if (!fuzz_refused(scenario_open(m->machine, s, &f, why, sizeof why), why))
		feed_close(f);
	scenario_free(s);
	return 0;
}
