/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing bundles of IA-64, sixteen bytes each: they are disassembled, decoded, and run as a program of their own. */
#include <elf.h>
#include <string.h>

#include "ia64/ia64.h"
#include "ia64/op.h"

#include "fuzz.h"

enum { MOST = 64 * sizeof(struct ia64_bundle), INSTRUCTIONS = 500, BASE = 0x4000 };

struct program {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	uint8_t code[MOST];
};

static void read_bundle(const struct ia64_bundle *b, uint64_t ip)
{
	struct ia64_op op;
	enum run run;
	char text[128];

	for (unsigned slot = 0; slot < 3; slot++) {
		int n = ia64_disassemble(text, sizeof text, b, slot, ip);

		fuzz_expect(n >= 0 && n < (int)sizeof text, "an instruction's text is short");
		ia64_decode(b, slot, &op, &run);
	}
}

static void run_bundles(const uint8_t *code, size_t size)
{
	static struct program p;
	char name[] = "fuzz", why[256] = "";
	char *const argv[] = { name, NULL };
	const struct ia64_config config = { .instructions = INSTRUCTIONS, .itc_khz = 1000000, .alone = true, .argv = argv,
					    .env = argv + 1 };
	struct ia64 *m;

	p = (struct program){
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 }, .e_type = ET_EXEC, .e_machine = EM_IA_64,
			  .e_version = 1, .e_entry = BASE + offsetof(struct program, code), .e_phoff = offsetof(struct program, segment),
			  .e_phentsize = sizeof p.segment, .e_phnum = 1 },
		.segment = { .p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_vaddr = BASE, .p_filesz = sizeof p,
			     .p_memsz = sizeof p },
	};
	memcpy(p.code, code, size);
	m = ia64_load((const uint8_t *)&p, sizeof p, &config, why, sizeof why);
	fuzz_expect(m != NULL, "the program can be loaded");
	ia64_run(m, NULL);
	fuzz_expect(ia64_retired(m) <= INSTRUCTIONS, "a limit holds");
	ia64_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ia64_bundle b;

	if (size > MOST)
		return 0;
	for (size_t at = 0; at + sizeof b <= size; at += sizeof b) {
		memcpy(&b, data + at, sizeof b);
		read_bundle(&b, BASE + at);
	}
	run_bundles(data, size);
	return 0;
}
