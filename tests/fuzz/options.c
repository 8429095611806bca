/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing devices and faults: "dma read=4G,size=4K", "fault ecc=1e-6,seed=7" and "tools hide=D20:F0,gp=0x606", a line each, the last of
 * which is those that unmodified tools meet.
 */
#include <stdlib.h>
#include <string.h>

#include "api/machine.h"
#include "virtual/fault.h"

#include "fuzz.h"

static void tools_line(bxs_machine *m, const char *list)
{
	const struct virtual_config config = { .load_output = -1 };
	struct virtual *v = NULL;
	struct faults *f = NULL;
	char why[256] = "";

	fuzz_expect(virtual_new(m->machine, &config, &v, why, sizeof why) == 0, "the machine lives");
	fuzz_refused(faults_open(v, list, &f, why, sizeof why), why);
	virtual_free(v);
	faults_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bxs_machine *m = fuzz_machine("hsx,sockets=1,cores=1,llc_ways=1", 0);
	char *text = fuzz_text(data, size), *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "dma ", 4) == 0)
			fuzz_refused(bxs_dma(m, line + 4), bxs_why(m));
		else if (strncmp(line, "fault ", 6) == 0)
			fuzz_refused(bxs_fault(m, line + 6), bxs_why(m));
		else if (strncmp(line, "tools ", 6) == 0)
			tools_line(m, line + 6);
	}
	bxs_machine_free(m);
	free(text);
	return 0;
}
