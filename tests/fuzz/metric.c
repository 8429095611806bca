/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing lists of metrics, and equations: "imc.MEM_BW_READS,bytes=imc.CAS_COUNT.RD * 64". */
#include <stdlib.h>

#include "fuzz.h"

enum { MOST = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	bxs_session *s;

	if (size > MOST)
		return 0;
	text = fuzz_text(data, size);
	for (unsigned n = 0; fuzz_each(n); n++) {
		fuzz_expect(bxs_session_new(fuzz_each(n), &s) == 0, "there is a session");
		fuzz_measure(fuzz_each(n), s, bxs_session_add_metrics(s, text));
		fuzz_expect(bxs_session_new(fuzz_each(n), &s) == 0, "there is a session");
		fuzz_measure(fuzz_each(n), s, bxs_session_add_equation(s, "fuzz", text, "", ""));
	}
	free(text);
	return 0;
}
