// SPDX-License-Identifier: BSD-2-Clause
/* Disassembles the bundles on standard input, a line an instruction, for fuzz_encodings.py. */
#include <stdio.h>

#include "ia64/op.h"

int main(void)
{
	struct ia64_bundle bundle;
	uint64_t ip = 0;

	for (; fread(&bundle, sizeof bundle, 1, stdin) == 1; ip += 16)
		for (unsigned slot = 0; slot < 3; slot++) {
			char text[128];
			struct ia64_op op;
			enum run run;
			unsigned stops;
			const char *units = ia64_template(&bundle, &stops);

			if (units && units[1] == 'L' && slot == 2)
				continue;
			ia64_disassemble(text, sizeof text, &bundle, slot, ip);
			printf("%s%s%s\n", text, stops >> (units && units[1] == 'L' && slot ? 2 : slot) & 1 ? ";;" : "",
			       ia64_decode(&bundle, slot, &op, &run) ? "" : " reserved");
		}
	return 0;
}
