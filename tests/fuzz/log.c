/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing logs of accesses, as `with --log` writes them and `replay-log` feeds them back, on an idle machine. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bxs_tools tools = { .load_output = -1 };
	const char *path = fuzz_file(data, size);
	char why[512] = "";
	struct bxs_logged said;
	struct bxs_replayed did;
	bxs_machine *m;

	if (fuzz_refused(bxs_log_machine(path, &said, why, sizeof why), why))
		return 0;
	m = fuzz_machine("hsx,sockets=1,cores=1,llc_ways=1", 0);
	if (!fuzz_refused(bxs_replay_log(m, &tools, path, &did, NULL, NULL), bxs_why(m)))
		fuzz_expect(did.reads <= did.accesses && did.differ <= did.accesses, "the counts fit together");
	bxs_machine_free(m);
	return 0;
}
