/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing event files: what the file says of its machine, and all of it played on a machine of each family. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const specs[] = { "poulson,sockets=1,cores=2", "nhmex,sockets=1,cores=2" };
	const char *path = fuzz_file(data, size);
	char spec[512] = "", why[512] = "";

	fuzz_refused(bxs_trace_machine(path, spec, sizeof spec, why, sizeof why), why);
	for (unsigned n = 0; n < sizeof specs / sizeof *specs; n++) {
		bxs_machine *m = fuzz_machine(specs[n], BXS_BARE);
		bxs_events *e = NULL;
		int more = bxs_events_open(m, path, &e);

		if (!fuzz_refused(more, bxs_why(m)))
			do
				more = bxs_events_run(e);
			while (more > 0);
		fuzz_refused(more, bxs_why(m));
		bxs_events_close(e);
		bxs_machine_free(m);
	}
	return 0;
}
