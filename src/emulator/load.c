/* SPDX-License-Identifier: BSD-2-Clause */
/* A program into memory, its interpreter beside it, and the stack that it starts with, as the kernel does. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "emulator/native.h"

#define PROGRAM_AT UINT64_C(0x10000000)	/* those that may lie anywhere */

enum { HEADERS = 64, HWCAP2_FSGSBASE = 2 };

struct image {
	uint64_t base, entry, headers;
	unsigned header_count;
	bool stack_runs;
	char interpreter[4096];
};

static void read_at(int fd, void *to, size_t n, uint64_t at, const char *path)
{
	if (pread(fd, to, n, (off_t)at) != (ssize_t)n)
		native_die("%s: cannot be read", path);
}

static uint64_t page_down(uint64_t n)
{
	return n & ~(uint64_t)(NATIVE_PAGE - 1);
}

static uint64_t page_up(uint64_t n)
{
	return page_down(n + NATIVE_PAGE - 1);
}

static int rights(uint32_t flags)
{
	return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) | (flags & PF_X ? PROT_EXEC : 0);
}

static void map_segment(int fd, const Elf64_Phdr *p, uint64_t base, const char *path)
{
	uint64_t at = base + p->p_vaddr, from = page_down(at), file_end = at + p->p_filesz, end = at + p->p_memsz;
	int prot = rights(p->p_flags);

	if (p->p_filesz) {
		void *got = mmap((void *)from, file_end - from, prot, MAP_PRIVATE | MAP_FIXED, fd,
				 (off_t)(p->p_offset - (at - from)));

		if (got == MAP_FAILED)
			native_die("%s: cannot be mapped: %s", path, strerror(errno));
	}
	if (page_up(end) > page_up(file_end) || !p->p_filesz) {
		uint64_t rest = p->p_filesz ? page_up(file_end) : from;

		if (mmap((void *)rest, page_up(end) - rest, prot, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			native_die("%s: cannot be mapped: %s", path, strerror(errno));
	}
	if (end > file_end && (p->p_flags & PF_W) && p->p_filesz)
		memset((void *)file_end, 0, page_up(file_end) - file_end);
	native_watch_mapped(from, end - from, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void widen(const Elf64_Phdr *p, uint64_t *low, uint64_t *high)
{
	*low = p->p_vaddr < *low ? p->p_vaddr : *low;
	*high = p->p_vaddr + p->p_memsz > *high ? p->p_vaddr + p->p_memsz : *high;
}

void native_extent(const char *path, int file, uint64_t *from, uint64_t *to)
{
	int fd = file < 0 ? open(path, O_RDONLY | O_CLOEXEC) : file;
	uint64_t low = UINT64_MAX, high = 0;
	Elf64_Phdr p;
	Elf64_Ehdr h;

	*from = *to = 0;
	if (fd >= 0 && pread(fd, &h, sizeof h, 0) == sizeof h && h.e_type == ET_EXEC) {
		for (unsigned i = 0; i < h.e_phnum && pread(fd, &p, sizeof p, (off_t)(h.e_phoff + i * sizeof p)) == sizeof p; i++) {
			if (p.p_type == PT_LOAD)
				widen(&p, &low, &high);
		}
		*from = low < high ? page_down(low) : 0;
		*to = low < high ? page_up(high) : 0;
	}
	if (fd >= 0 && file < 0)
		close(fd);
}

/* The file is closed, if it was open. */
static struct image map_image(const char *path, int fd, uint64_t where)
{
	struct image out = { .header_count = 0 };
	uint64_t low = UINT64_MAX, high = 0;
	Elf64_Phdr p[HEADERS];
	Elf64_Ehdr h;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		native_die("%s: %s", path, strerror(errno));
	read_at(fd, &h, sizeof h, 0, path);
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_machine != EM_X86_64 || h.e_phnum > HEADERS)
		native_die("%s: not a program that can be run here", path);
	read_at(fd, p, h.e_phnum * sizeof *p, h.e_phoff, path);
	for (unsigned i = 0; i < h.e_phnum; i++) {
		if (p[i].p_type == PT_INTERP && p[i].p_filesz < sizeof out.interpreter)
			read_at(fd, out.interpreter, p[i].p_filesz, p[i].p_offset, path);
		if (p[i].p_type == PT_GNU_STACK)
			out.stack_runs = p[i].p_flags & PF_X;
		if (p[i].p_type != PT_LOAD)
			continue;
		widen(p + i, &low, &high);
	}
	if (h.e_type == ET_DYN)
		out.base = (where ? where : native_place_image(high - low)) - page_down(low);
	if (mmap((void *)(out.base + page_down(low)), page_up(high) - page_down(low), PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		native_die("%s: no room at %#lx", path, out.base + page_down(low));
	native_own(out.base + page_down(low), out.base + page_up(high));
	for (unsigned i = 0; i < h.e_phnum; i++) {
		if (p[i].p_type == PT_LOAD)
			map_segment(fd, p + i, out.base, path);
		if (p[i].p_type == PT_LOAD && h.e_phoff >= p[i].p_offset && h.e_phoff < p[i].p_offset + p[i].p_filesz)
			out.headers = out.base + p[i].p_vaddr + h.e_phoff - p[i].p_offset;
	}
	out.entry = out.base + h.e_entry;
	out.header_count = h.e_phnum;
	close(fd);
	return out;
}

static uint64_t push_text(uint64_t *sp, const char *text)
{
	size_t n = strlen(text) + 1;

	*sp -= n;
	memcpy((void *)*sp, text, n);
	return *sp;
}

static unsigned count(char **list)
{
	unsigned n = 0;

	while (list[n])
		n++;
	return n;
}

static void push(uint64_t **to, uint64_t word)
{
	*(*to)++ = word;
}

static uint64_t make_stack(const struct image *program, const struct image *interpreter, char **argv, char **envp,
			   const char *path)
{
	static const uint8_t random_bytes[16] = { 0x42, 0x6f, 0x78, 0x73, 0x63, 0x6f, 0x72, 0x65, 9, 8, 7, 6, 5, 4, 3, 2 };
	uint64_t sp = native_new_stack(program->stack_runs), name, arg_end, platform, random, *at;
	unsigned args = count(argv), vars = count(envp);
	uint64_t *arg = malloc((args + vars + 1) * sizeof *arg);
	size_t words;

	if (!arg)
		native_die("out of memory");
	name = push_text(&sp, path);
	for (unsigned i = vars; i-- > 0;)
		arg[args + i] = push_text(&sp, envp[i]);
	for (unsigned i = args; i-- > 0;)
		arg[i] = push_text(&sp, argv[i]);
	arg_end = vars ? arg[args] : name;
	platform = push_text(&sp, "x86_64");
	random = sp = (sp - 16) & ~UINT64_C(15);
	memcpy((void *)random, random_bytes, sizeof random_bytes);
	const uint64_t aux[][2] = {
		{ AT_PHDR, program->headers }, { AT_PHENT, sizeof(Elf64_Phdr) }, { AT_PHNUM, program->header_count },
		{ AT_PAGESZ, NATIVE_PAGE }, { AT_BASE, interpreter->base }, { AT_FLAGS, 0 },
		{ AT_ENTRY, program->entry }, { AT_UID, getuid() }, { AT_EUID, geteuid() }, { AT_GID, getgid() },
		{ AT_EGID, getegid() }, { AT_SECURE, 0 }, { AT_HWCAP, native_hwcap() }, { AT_HWCAP2, native_has_bases() ? HWCAP2_FSGSBASE : 0 },
		{ AT_CLKTCK, 100 },
		{ AT_RANDOM, random }, { AT_EXECFN, name }, { AT_PLATFORM, platform }, { AT_NULL, 0 },
	};

	words = 1 + args + 1 + vars + 1 + 2 * LEN(aux);
	sp = (sp - words * 8) & ~UINT64_C(15);
	at = (uint64_t *)sp;
	push(&at, args);
	for (unsigned i = 0; i < args; i++)
		push(&at, arg[i]);
	push(&at, 0);
	for (unsigned i = 0; i < vars; i++)
		push(&at, arg[args + i]);
	push(&at, 0);
	for (unsigned i = 0; i < LEN(aux); i++) {
		push(&at, aux[i][0]);
		push(&at, aux[i][1]);
	}
	native_show_stack(&(struct native_stack){ .sp = sp, .args = args ? arg[0] : arg_end, .env = arg_end, .env_end = name,
						  .aux = (uint64_t)(at - 2 * LEN(aux)), .aux_bytes = sizeof aux });
	free(arg);
	return sp;
}

struct native_start native_load(const char *path, int file, char **argv, char **envp)
{
	struct image program = map_image(path, file, PROGRAM_AT), interpreter = { .base = 0 };
	struct native_start start;

	if (program.interpreter[0])
		interpreter = map_image(program.interpreter, -1, 0);
	start.sp = make_stack(&program, &interpreter, argv, envp, path);
	start.pc = program.interpreter[0] ? interpreter.entry : program.entry;
	return start;
}
