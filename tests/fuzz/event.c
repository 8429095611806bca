/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing event strings: "cbo.TOR_INSERTS.OPCODE:opc=DRd,s1.imc.*" on a machine of each family. */
#include <stdlib.h>

#include "fuzz.h"

/* A pattern may mean thousands of events, and a list many patterns. */
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
		bxs_session_turns(s, size & 1, 0);
		fuzz_measure(fuzz_each(n), s, bxs_session_add(s, text));
	}
	free(text);
	return 0;
}
