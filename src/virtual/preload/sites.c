/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds instructions in loaded code and replaces them by ud2.
 *
 * What belongs to no function that the unwind tables know stays as it is.
 *
 * The dynamic linker calls an empty function, for debuggers, when it has mapped new
 * objects and not yet run their constructors.  Replacing that as well tells of dlopen() in time.
 */
#include <elf.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "virtual/preload/preload.h"

enum { SITES = 4096, OBJECTS = 1024, PAGE = 4096 };

/* Open addressing by address; sites are added and never taken away while threads look. */
static struct site {
	_Atomic uintptr_t address;	/* 0: free */
	_Atomic int kind;
} sites[SITES];
static unsigned used;

/* Objects that have been looked at; `seen` in the scan of this number. */
static struct object {
	const ElfW(Phdr) *header;
	unsigned seen;
} objects[OBJECTS];
static unsigned scans;

static unsigned slot_of(uintptr_t address)
{
	return (unsigned)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 52) % SITES;
}

enum site_kind preload_site(uintptr_t address)
{
	for (unsigned i = slot_of(address), n = 0; n < SITES; i = (i + 1) % SITES, n++) {
		uintptr_t at = atomic_load_explicit(&sites[i].address, memory_order_acquire);

		if (at == address)
			return (enum site_kind)sites[i].kind;
		if (at == 0)
			break;
	}
	return SITE_NONE;
}

/* false: there is no room for more. */
static bool remember(uintptr_t address, enum site_kind kind)
{
	unsigned i = slot_of(address);

	while (sites[i].address && sites[i].address != address)
		i = (i + 1) % SITES;
	if (!sites[i].address && used++ >= SITES / 2)
		return false;
	sites[i].kind = kind;
	atomic_store_explicit(&sites[i].address, address, memory_order_release);
	return true;
}

static void replace(uintptr_t address, enum site_kind kind)
{
	static const uint8_t ud2[2] = { 0x0f, 0x0b };
	uintptr_t first = address & ~(uintptr_t)(PAGE - 1);
	size_t size = ((address + 1) & ~(uintptr_t)(PAGE - 1)) - first + PAGE;

	/* Executable all the time: it may be a page of the linker, which mprotect() itself needs. */
	if (mprotect((void *)first, size, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return;
	if (remember(address, kind))
		memcpy((void *)address, ud2, sizeof ud2);
	mprotect((void *)first, size, PROT_READ | PROT_EXEC);
}

static void scan_code(const struct frames *f, const uint8_t *code, size_t size)
{
	const uint8_t *end = code + size;

	for (const uint8_t *at = code; (at = memchr(at, 0x0f, (size_t)(end - at))) != NULL; at++) {
		enum site_kind kind = sites_kind(at, (size_t)(end - at));

		if (kind != SITE_NONE && kind != SITE_SYSCALL && sites_place(f, (uintptr_t)at) == SITE_BOUNDARY)
			replace((uintptr_t)at, kind);
	}
}

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address - info->dlpi_addr - p->p_vaddr < p->p_memsz)
			return true;
	}
	return false;
}

/* The C library, its linker, the kernel's page and this library see the real processor: they
 * choose their functions by it, and turn its time stamp counter into the time of day. */
static bool is_own(const struct dl_phdr_info *info)
{
	return holds(info, (uintptr_t)preload_scan) || holds(info, (uintptr_t)gnu_get_libc_version) ||
	       holds(info, _r_debug.r_brk) || holds(info, getauxval(AT_SYSINFO_EHDR));
}

static bool is_new(const ElfW(Phdr) *header)
{
	struct object *room = NULL;

	for (unsigned i = 0; i < OBJECTS; i++) {
		if (objects[i].seen && objects[i].header == header) {
			objects[i].seen = scans;
			return false;
		}
		if (!room && !objects[i].seen)
			room = &objects[i];
	}
	if (room)
		*room = (struct object){ .header = header, .seen = scans };
	return room != NULL;
}

static int scan_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct frames frames = { 0 };
	bool known = false;

	(void)size;
	(void)unused;
	if (!is_new(info->dlpi_phdr) || is_own(info))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_EH_FRAME)
			known = frames_open(&frames, (const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
	}
	for (unsigned i = 0; known && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X))
			scan_code(&frames, (const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
	}
	return 0;
}

void preload_scan(void)
{
	if (_r_debug.r_state != RT_CONSISTENT)
		return;
	scans++;
	dl_iterate_phdr(scan_object, NULL);
	/* What is gone may come again, unchanged, at the same place. */
	for (unsigned i = 0; i < OBJECTS; i++)
		if (objects[i].seen != scans)
			objects[i].seen = 0;
	if (preload_site(_r_debug.r_brk) == SITE_NONE)
		replace(_r_debug.r_brk, SITE_LOADED);
}
