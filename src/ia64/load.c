// SPDX-License-Identifier: BSD-2-Clause
/* Loads static ELF programs for IA-64 and sets up the state that Linux starts them with. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

enum { STACK_SIZE = 8 << 20 };

#define STACK_TOP UINT64_C(0xa000000000000000)
#define BACKING_STORE UINT64_C(0x9fffffff7f600000)

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

static bool copy(struct ia64 *m, uint64_t to, const uint8_t *from, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		struct page *page = memory_page(m, to + i, 0);

		if (!page)
			return false;
		page->data[(to + i) & (PAGE_SIZE - 1)] = from[i];
	}
	return true;
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
	copy(m, segment->p_vaddr, elf + segment->p_offset, segment->p_filesz);
	if (end > m->brk)
		m->brk = (end + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
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

/* argc, argv and an empty environment above sp + 16, the strings above them, a null auxiliary vector. */
static bool make_stack(struct ia64 *m, char *const argv[])
{
	uint64_t words[72] = { 0 }, top = STACK_TOP - 32, sp;
	unsigned argc = 0;

	if (!memory_map(m, STACK_TOP - STACK_SIZE, STACK_SIZE, IA64_READ | IA64_WRITE) ||
	    !memory_map(m, BACKING_STORE, STACK_SIZE / 8, IA64_READ | IA64_WRITE))
		return false;
	for (; argv[argc] && argc < 64; argc++) {
		top -= strlen(argv[argc]) + 1;
		copy(m, top, (const uint8_t *)argv[argc], strlen(argv[argc]) + 1);
		words[1 + argc] = top;
	}
	words[0] = argc;
	sp = (top - 8 * (argc + 7) - 16) & ~15ull;
	if (sp > STACK_TOP - 0x140)
		sp = STACK_TOP - 0x140;
	copy(m, sp + 16, (const uint8_t *)words, 8 * (argc + 5));
	m->gr[12].v = sp;
	return !argv[argc];
}

static const char *prepare(struct ia64 *m, const uint8_t *elf, size_t length, char *const argv[])
{
	Elf64_Ehdr head;
	const char *wrong;

	memcpy(&head, elf, length < sizeof head ? length : sizeof head);
	wrong = check(&head, length);
	if (!wrong)
		wrong = load_segments(m, elf, length, &head);
	if (!wrong && !make_stack(m, argv))
		wrong = "it has more than 64 arguments or too little memory";
	m->stop.ip = head.e_entry;
	return wrong;
}

struct ia64 *ia64_load(const uint8_t *elf, size_t length, const struct ia64_limits *limits, char *const argv[], char *why,
		       size_t size)
{
	struct ia64 *m = calloc(1, sizeof *m);
	const char *wrong = m ? prepare(m, elf, length, argv) : "there is no memory";

	if (wrong) {
		snprintf(why, size, "cannot load the program: %s", wrong);
		ia64_free(m);
		return NULL;
	}
	for (unsigned i = 0; i < 32; i++)
		m->map[i] = m->fmap[i] = (uint8_t)i;
	m->limits = *limits;
	m->bsp = m->bspstore = BACKING_STORE;
	m->fr[1] = FP_ONE;
	m->pr = 1;
	fpsr_changed(m);
	frame_changed(m);
	dahr_clear(m);
	return m;
}
