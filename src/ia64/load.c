// SPDX-License-Identifier: BSD-2-Clause
/* Loads static ELF programs for IA-64 and sets up the state that Linux starts them with. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "linux.h"
#include "load.h"
#include "user.h"

/* ar.fpsr as Linux starts programs: no traps, 64 bits of significand (Linux 6.1, arch/ia64/include/asm/fpu.h). */
#define FPSR_OF_LINUX UINT64_C(0x9804c0270033f)

static const char *check(const Elf64_Ehdr *head, size_t length)
{
	if (length < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG))
		return "it is no ELF file";
	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB || head->e_machine != EM_IA_64)
		return "it is not a little-endian 64-bit IA-64 program";
	if (head->e_type != ET_EXEC || head->e_phentsize != sizeof(Elf64_Phdr))
		return "it is not a static program (ET_EXEC)";
	if (head->e_phoff > length || (length - head->e_phoff) / sizeof(Elf64_Phdr) < head->e_phnum)
		return "its program headers lie outside the file";
	return NULL;
}

static const char *load_segment(struct ia64 *m, const uint8_t *elf, size_t length, const Elf64_Phdr *segment)
{
	unsigned prot = (segment->p_flags & PF_R ? IA64_READ : 0) | (segment->p_flags & PF_W ? IA64_WRITE : 0) |
			(segment->p_flags & PF_X ? IA64_EXEC | IA64_READ : 0);
	uint64_t end = segment->p_vaddr + segment->p_memsz;

	if (segment->p_type == PT_INTERP)
		return "it needs a dynamic linker";
	if (segment->p_type != PT_LOAD)
		return NULL;
	if (segment->p_filesz > segment->p_memsz || segment->p_offset > length || length - segment->p_offset < segment->p_filesz)
		return "a segment is longer than the file or than its memory";
	if (!memory_map(m, segment->p_vaddr, segment->p_memsz, prot))
		return "a segment is larger than 4 GiB or wraps around";
	if (!user_load(m, segment->p_vaddr, elf + segment->p_offset, segment->p_filesz))
		return "there is no memory";
	if (end > m->brk)
		m->brk_start = m->brk = (end + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
	return NULL;
}

static const char *load_segments(struct ia64 *m, const uint8_t *elf, size_t length, const Elf64_Ehdr *head)
{
	const char *wrong = NULL;

	for (unsigned i = 0; i < head->e_phnum && !wrong; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, elf + head->e_phoff + i * sizeof segment, sizeof segment);
		wrong = load_segment(m, elf, length, &segment);
	}
	return wrong;
}

/* Where the program headers lie in memory, if a segment has them. */
static uint64_t headers_at(const uint8_t *elf, const Elf64_Ehdr *head)
{
	for (unsigned i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, elf + head->e_phoff + i * sizeof segment, sizeof segment);
		if (segment.p_type == PT_LOAD && head->e_phoff >= segment.p_offset &&
		    head->e_phoff - segment.p_offset < segment.p_filesz)
			return segment.p_vaddr + head->e_phoff - segment.p_offset;
	}
	return 0;
}

static const char *prepare(struct ia64 *m, const uint8_t *elf, size_t length, const struct ia64_config *config)
{
	Elf64_Ehdr head;
	const char *wrong;

	memcpy(&head, elf, length < sizeof head ? length : sizeof head);
	wrong = check(&head, length);
	if (!wrong)
		wrong = load_segments(m, elf, length, &head);
	if (wrong)
		return wrong;
	m->stop.ip = head.e_entry;
	return load_stack(m, config, &(struct load_headers){ headers_at(elf, &head), head.e_phnum, head.e_entry });
}

struct ia64 *ia64_load(const uint8_t *elf, size_t length, const struct ia64_config *config, char *why, size_t size)
{
	struct ia64 *m = calloc(1, sizeof *m);
	const char *wrong = "there is no memory";

	if (m) {
		linux_start(&m->linux_state);
		wrong = prepare(m, elf, length, config);
	}
	if (wrong) {
		snprintf(why, size, "cannot load the program: %s", wrong);
		ia64_free(m);
		return NULL;
	}
	for (unsigned i = 0; i < 32; i++)
		m->map[i] = m->fmap[i] = (uint8_t)i;
	m->limit = config->instructions;
	m->alone = config->alone;
	m->itc_khz = config->itc_khz;
	m->fr[1] = FP_ONE;
	m->pr = 1;
	if (config->env)
		m->ar[40] = FPSR_OF_LINUX;
	hints_reset(&m->hints);
	fpsr_changed(m);
	frame_changed(m);
	return m;
}
