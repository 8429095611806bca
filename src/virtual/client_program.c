/* SPDX-License-Identifier: BSD-2-Clause */
/* Inspects a client's program before it is executed, and builds the command and environment to execute it with. */
#include "virtual/client_program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "virtual/preload/sites.h"

#define LINKER "ld-linux-x86-64.so.2"
#define PRELOAD "LD_PRELOAD="
#define PAGE_OF CPU_PAGE_VARIABLE "="

enum { PAGE = 4096, OVERFLOW_ID = 65534 };
#define MOST_CODE (UINT64_C(1) << 31)

/* Code. */

/* Does the code hold an instruction that a preloaded library cannot intercept?  Unwind tables rule out bytes within other instructions. */
static bool escapes(const struct frames *f, const uint8_t *code, size_t size)
{
	const uint8_t *end = code + size;

	for (const uint8_t *at = code; at < end && (at = memchr(at, 0x0f, (size_t)(end - at))) != NULL; at++) {
		enum site_kind kind = sites_kind(at, (size_t)(end - at));
		enum site_place place = kind == SITE_NONE ? SITE_WITHIN : sites_place(f, (uintptr_t)at);

		if (place == SITE_UNKNOWN || (place == SITE_BOUNDARY && kind == SITE_SYSCALL))
			return true;
	}
	return false;
}

/* A program's file and its headers. */
enum { HEADERS = 64 };

struct program {
	int fd;
	Elf64_Ehdr elf;
	Elf64_Phdr part[HEADERS];
	uint64_t first, span;		/* the memory that it occupies, from `first` on */
	uint8_t *image;			/* that memory, mapped from the file */
};

static bool read_headers(struct program *p)
{
	uint64_t low = UINT64_MAX, high = 0;

	if (pread(p->fd, &p->elf, sizeof p->elf, 0) != (ssize_t)sizeof p->elf || p->elf.e_phentsize != sizeof *p->part ||
	    p->elf.e_phnum > HEADERS ||
	    pread(p->fd, p->part, p->elf.e_phnum * sizeof *p->part, (off_t)p->elf.e_phoff) !=
		    (ssize_t)(p->elf.e_phnum * sizeof *p->part))
		return false;
	for (unsigned i = 0; i < p->elf.e_phnum; i++) {
		const Elf64_Phdr *part = p->part + i;

		if (part->p_type != PT_LOAD)
			continue;
		if (part->p_memsz > MOST_CODE || part->p_filesz > part->p_memsz)
			return false;
		low = part->p_vaddr < low ? part->p_vaddr : low;
		high = part->p_vaddr + part->p_memsz > high ? part->p_vaddr + part->p_memsz : high;
	}
	p->first = low / PAGE * PAGE;
	p->span = high > p->first ? high - p->first : 0;
	return p->span && p->span <= MOST_CODE;
}

static bool map_part(const struct program *p, const Elf64_Phdr *part)
{
	uint64_t skip = part->p_vaddr % PAGE;
	struct stat st;

	return skip == part->p_offset % PAGE && fstat(p->fd, &st) == 0 && part->p_offset <= (uint64_t)st.st_size &&
	       part->p_filesz <= (uint64_t)st.st_size - part->p_offset &&
	       mmap(p->image + (part->p_vaddr - p->first - skip), part->p_filesz + skip, PROT_READ, MAP_PRIVATE | MAP_FIXED, p->fd,
		    (off_t)(part->p_offset - skip)) != MAP_FAILED;
}

static bool map_image(struct program *p)
{
	void *image = mmap(NULL, p->span, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool mapped = image != MAP_FAILED;

	p->image = image;
	for (unsigned i = 0; mapped && i < p->elf.e_phnum; i++) {
		if (p->part[i].p_type == PT_LOAD && p->part[i].p_filesz && !map_part(p, p->part + i)) {
			munmap(p->image, p->span);
			mapped = false;
		}
	}
	return mapped;
}

/* Do these bytes of the file lie in the image? */
static bool is_mapped(const struct program *p, uint64_t at, uint64_t bytes)
{
	for (unsigned i = 0; i < p->elf.e_phnum; i++) {
		const Elf64_Phdr *part = p->part + i;

		if (part->p_type == PT_LOAD && at >= part->p_vaddr && bytes <= part->p_filesz &&
		    at - part->p_vaddr <= part->p_filesz - bytes)
			return true;
	}
	return false;
}

/* Search the sections of code, since constants may lie between them; without section headers, all executable segments. */
static bool code_escapes(const struct program *p, const struct frames *f)
{
	Elf64_Shdr section;
	bool any = false;

	for (unsigned i = 0; i < p->elf.e_shnum && p->elf.e_shentsize == sizeof section; i++) {
		if (pread(p->fd, &section, sizeof section, (off_t)(p->elf.e_shoff + i * sizeof section)) != (ssize_t)sizeof section)
			break;
		if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_EXECINSTR) || !is_mapped(p, section.sh_addr, section.sh_size))
			continue;
		any = true;
		if (escapes(f, p->image + (section.sh_addr - p->first), section.sh_size))
			return true;
	}
	for (unsigned i = 0; !any && i < p->elf.e_phnum; i++) {
		const Elf64_Phdr *part = p->part + i;

		if (part->p_type == PT_LOAD && (part->p_flags & PF_X) && escapes(f, p->image + (part->p_vaddr - p->first), part->p_filesz))
			return true;
	}
	return false;
}

static bool image_escapes(const struct program *p)
{
	struct frames f = { .low = (uintptr_t)p->image, .high = (uintptr_t)p->image + p->span };

	for (unsigned i = 0; i < p->elf.e_phnum; i++) {
		const Elf64_Phdr *part = p->part + i;

		if (part->p_type == PT_GNU_EH_FRAME && (!is_mapped(p, part->p_vaddr, part->p_filesz) ||
							!frames_open(&f, p->image + (part->p_vaddr - p->first), part->p_filesz)))
			f.count = 0;
	}
	return code_escapes(p, &f);
}

/* Does the program use glibc, for which the preloaded library is built?  The name of its dynamic linker tells. */
static bool fits(const struct program *p)
{
	char name[256] = "";

	for (unsigned i = 0; i < p->elf.e_phnum; i++) {
		const Elf64_Phdr *part = p->part + i;
		size_t n = part->p_filesz < sizeof name ? part->p_filesz : sizeof name - 1;

		if (part->p_type == PT_INTERP && pread(p->fd, name, n, (off_t)part->p_offset) != (ssize_t)n)
			return false;
	}
	return strlen(name) >= strlen(LINKER) && !strcmp(name + strlen(name) - strlen(LINKER), LINKER);
}

static bool needs_emulator(const char *path)
{
	struct program p = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	bool readable = p.fd >= 0 && read_headers(&p), needs = readable && !fits(&p);

	if (readable && !needs && map_image(&p)) {
		needs = image_escapes(&p);
		munmap(p.image, p.span);
	}
	if (p.fd >= 0)
		close(p.fd);
	return needs;
}

/* Rights. */

/* Does the kernel change the program's user or group (set-ID)?  It does not for an owner that this user namespace does not map. */
static bool gets_rights(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	return ((st.st_mode & S_ISUID) && st.st_uid != getuid() && st.st_uid != OVERFLOW_ID) ||
	       ((st.st_mode & S_ISGID) && st.st_gid != getgid() && st.st_gid != OVERFLOW_ID);
}

static bool is_32_bit(const char *path)
{
	unsigned char head[EI_NIDENT + 4];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head && !memcmp(head, ELFMAG, SELFMAG) &&
		  head[EI_CLASS] == ELFCLASS32 && (head[18] == EM_386 || head[18] == EM_X86_64);

	if (fd >= 0)
		close(fd);
	return is;
}

const char *client_find(const char *file, char room[TARGET_PATH])
{
	const char *path = getenv("PATH");
	struct stat st;

	if (strchr(file, '/') || !*file)
		return file;
	for (path = path ? path : "/bin:/usr/bin"; ; path++) {
		size_t n = strcspn(path, ":");

		snprintf(room, TARGET_PATH, "%.*s%s%s", (int)n, path, n ? "/" : "./", file);
		if (access(room, X_OK) == 0 && stat(room, &st) == 0 && S_ISREG(st.st_mode))
			return room;
		path += n;
		if (!*path)
			return file;
	}
}

enum client_way client_way_of(const char *path, struct target *t)
{
	char why[TARGET_PATH + 64];

	if (target_inspect(path, t, why, sizeof why) < 0)
		return is_32_bit(path) ? CLIENT_32_BIT : CLIENT_UNKNOWN;
	if (!t->extras && gets_rights(t->path))
		return CLIENT_PRIVILEGED;
	return needs_emulator(t->path) ? CLIENT_EMULATED : CLIENT_PRELOADED;
}

void client_unserved(struct cpu_page *page, enum client_way way, const char *program)
{
	struct cpu_unserved *u = &page->unserved;
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&u->state, &none, 1))
		return;
	u->way = way;
	snprintf(u->name, sizeof u->name, "%s", program);
	atomic_store(&u->state, 2);
}

bool client_unserved_note(const struct cpu_page *page, char *out, size_t size)
{
	const struct cpu_unserved *u = &page->unserved;
	const char *because = u->way == CLIENT_32_BIT ? "it is a 32-bit program"
			      : u->way == CLIENT_PRIVILEGED ? "it gets rights of its owner's"
			      : !page->emulator[0] ? "it cannot take a preloaded library, and boxscore-native is not installed"
						   : "it has to lie where the emulator does";

	if (atomic_load(&u->state) != 2)
		return false;
	snprintf(out, size, "%.*s saw this computer's processor, CPUs and clocks: %s", (int)sizeof u->name, u->name, because);
	return true;
}

/* Commands. */

size_t client_count(char *const list[])
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* Write the emulator's options to out; returns the number of words. */
static size_t put_options(char **out, const struct client_parts *p, const char *name)
{
	size_t n = 0;

	out[n++] = word(p->emulator);
	out[n++] = word("-client");
	out[n++] = word(p->library);
	if (p->mask) {
		out[n++] = word("-mask");
		out[n++] = word(p->mask);
	}
	if (p->file) {
		out[n++] = word("-file");
		out[n++] = word(p->file);
	}
	if (name) {
		out[n++] = word("-0");
		out[n++] = word(name);
	}
	return n;
}

static void put_rest(char **out, char *const argv[])
{
	for (size_t i = 1; i < client_count(argv); i++)
		*out++ = argv[i];
	*out = NULL;
}

/* As in the kernel, argv[0] of a script's interpreter is the interpreter's own name. */
void client_emulated(char **out, const struct client_parts *p, const struct target *t, char *const argv[])
{
	size_t n = put_options(out, p, t->extras ? NULL : client_count(argv) ? argv[0] : t->path);

	out[n++] = word(t->path);
	for (unsigned i = 0; i < t->extras; i++)
		out[n++] = word(t->extra[i]);
	put_rest(out + n, argv);
}

void client_plain(char **out, const struct client_parts *p, const char *path, char *const argv[])
{
	size_t n = put_options(out, p, client_count(argv) ? argv[0] : path);

	out[n++] = word("-plain");
	out[n++] = word("1");
	out[n++] = word(path);
	put_rest(out + n, argv);
}

/* Environments. */

static bool is_named(const char *variable, const char *prefix)
{
	return strncmp(variable, prefix, strlen(prefix)) == 0;
}

/* Write LD_PRELOAD with our library first, or without it, to text.  False: the list is empty. */
static bool put_list(char *text, size_t size, const char *library, bool preloaded, const char *list)
{
	size_t n = (size_t)snprintf(text, size, PRELOAD "%s", preloaded ? library : ""), begun = strlen(PRELOAD);

	while (list && *list && n < size) {
		size_t length = strcspn(list, ": ");

		if (length && (length != strlen(library) || strncmp(list, library, length) != 0))
			n += (size_t)snprintf(text + n, size - n, "%s%.*s", n > begun ? ":" : "", (int)length, list);
		list += length + (list[length] != '\0');
	}
	return n > begun;
}

void client_environment(char **out, char text[CLIENT_TEXT], const struct client_parts *p, bool preloaded, char *const envp[])
{
	const char *list = NULL;
	size_t n = 0, used;

	for (size_t i = 0; i < client_count(envp); i++) {
		if (is_named(envp[i], PRELOAD))
			list = envp[i] + strlen(PRELOAD);
		else if (!is_named(envp[i], PAGE_OF))
			out[n++] = envp[i];
	}
	used = (size_t)snprintf(text, CLIENT_TEXT, PAGE_OF "%s", p->page) + 1;
	out[n++] = text;
	if (used < CLIENT_TEXT && put_list(text + used, CLIENT_TEXT - used, p->library, preloaded, list))
		out[n++] = text + used;
	out[n] = NULL;
}
