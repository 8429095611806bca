// SPDX-License-Identifier: BSD-2-Clause
/*
 * The program's memory is this process's, page by page.  Looked after here: where its heap grows, that libraries lie
 * low, near the code cache, and that code which changes is translated anew.
 *
 * Pages that may be written and run: once code from one is translated it loses the right to be written; a store to it
 * faults, the translations go, and it gets the right back.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native/native.h"

#define IMAGES_AT UINT64_C(0x20000000)
#define IMAGES_END UINT64_C(0x60000000)
#define HEAP_AT UINT64_C(0x1000000000)
#define MAPS_AT UINT64_C(0x2000000000)	/* whatever the program leaves to the kernel: the same place in each run */
#define MAPS_END UINT64_C(0x500000000000)
#define MAP_LIBRARY 0x800		/* MAP_DENYWRITE: without effect today, but ld.so still says it */

enum { RANGES = 256, WATCHED = 4096, LARGE = 2 << 20, HUGE = 1 << 30 };

static struct {
	uint64_t image;			/* where the next library goes */
	uint64_t map;			/* and all else */
	uint64_t heap, heap_end, heap_mapped;
	struct {
		uint64_t from, to;
	} loose[RANGES];		/* may be written and run */
	unsigned ranges;
	uint64_t watched[WATCHED];	/* pages; 0: free */
} memory = { .image = IMAGES_AT, .map = MAPS_AT, .heap = HEAP_AT, .heap_end = HEAP_AT, .heap_mapped = HEAP_AT };

static int64_t answer(long result)
{
	return result == -1 ? -errno : result;
}

static uint64_t round_up(uint64_t n)
{
	return (n + NATIVE_PAGE - 1) & ~(uint64_t)(NATIVE_PAGE - 1);
}

uint64_t native_place_image(uint64_t bytes)
{
	uint64_t at = memory.image;

	bytes = round_up(bytes) + NATIVE_PAGE;
	if (bytes > IMAGES_END - at)
		return 0;
	memory.image += bytes;
	return at;
}

uint64_t native_place_map(uint64_t bytes)
{
	uint64_t step = bytes >= LARGE ? LARGE : NATIVE_PAGE, at;

	if (bytes > MAPS_END / 2)
		return 0;
	native_lock();
	at = (memory.map + step - 1) & ~(step - 1);
	memory.map = at + round_up(bytes) + NATIVE_PAGE;
	if (memory.map > MAPS_END)
		at = 0;
	native_unlock();
	return at;
}

int64_t native_brk(uint64_t to)
{
	if (to < HEAP_AT)
		return (int64_t)memory.heap_end;
	if (round_up(to) > memory.heap_mapped) {
		uint64_t more = round_up(to) - memory.heap_mapped;
		void *p = mmap((void *)memory.heap_mapped, more, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (p != (void *)memory.heap_mapped)
			return (int64_t)memory.heap_end;
		memory.heap_mapped += more;
	} else if (round_up(to) < memory.heap_mapped) {
		munmap((void *)round_up(to), memory.heap_mapped - round_up(to));
		memory.heap_mapped = round_up(to);
	}
	memory.heap_end = to;
	return (int64_t)to;
}

static void forget_loose(uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < memory.ranges; i++) {
		if (memory.loose[i].from >= from && memory.loose[i].to <= to)
			memory.loose[i--] = memory.loose[--memory.ranges];
	}
}

/* The program's memory there is new, or has new rights. */
static void changed(uint64_t from, uint64_t bytes, int prot)
{
	uint64_t to = from + round_up(bytes);
	bool loose = (prot & (PROT_WRITE | PROT_EXEC)) == (PROT_WRITE | PROT_EXEC);

	if (!bytes)
		return;
	native_lock();
	native_drop(from, to);
	forget_loose(from, to);
	if (loose && memory.ranges < RANGES) {
		memory.loose[memory.ranges].from = from;
		memory.loose[memory.ranges++].to = to;
	}
	for (unsigned i = 0; i < WATCHED; i++) {
		if (memory.watched[i] >= from && memory.watched[i] < to)
			memory.watched[i] = 0;
	}
	native_unlock();
}

/* What misses in this computer's tables of pages is time lost; the program cannot tell. */
static void enlarge(uint64_t at, uint64_t bytes, int flags)
{
	if ((flags & MAP_ANONYMOUS) && (flags & MAP_PRIVATE) && !(flags & MAP_NORESERVE) && bytes >= LARGE && bytes <= HUGE)
		madvise((void *)at, bytes, MADV_HUGEPAGE);
}

int64_t native_mmap(const uint64_t arg[6])
{
	uint64_t at = arg[0];
	int flags = (int)arg[3];
	int64_t got = -1;

	if (!at && !(flags & (MAP_FIXED | MAP_32BIT))) {
		uint64_t low = flags & MAP_LIBRARY ? native_place_image(arg[1]) : native_place_map(arg[1]);

		if (low)
			got = syscall(SYS_mmap, low, arg[1], arg[2], (uint64_t)(flags | MAP_FIXED_NOREPLACE), arg[4], arg[5]);
	}
	if (got == -1)
		got = answer(syscall(SYS_mmap, at, arg[1], arg[2], arg[3], arg[4], arg[5]));
	if (got > 0) {
		changed((uint64_t)got, arg[1], (int)arg[2]);
		enlarge((uint64_t)got, arg[1], flags);
	}
	return got;
}

int64_t native_munmap(const uint64_t arg[6])
{
	int64_t got = answer(syscall(SYS_munmap, arg[0], arg[1]));

	if (!got)
		changed(arg[0], arg[1], 0);
	return got;
}

int64_t native_mprotect(const uint64_t arg[6])
{
	int64_t got = answer(syscall(SYS_mprotect, arg[0], arg[1], arg[2]));

	if (!got)
		changed(arg[0], arg[1], (int)arg[2]);
	return got;
}

int64_t native_mremap(const uint64_t arg[6])
{
	int64_t got = answer(syscall(SYS_mremap, arg[0], arg[1], arg[2], arg[3], arg[4]));

	if (got > 0) {
		changed(arg[0], arg[1], 0);
		changed((uint64_t)got, arg[2], 0);
	}
	return got;
}

void native_watch_page(uint64_t page)
{
	uint64_t at = page * NATIVE_PAGE;
	unsigned place = WATCHED;

	for (unsigned i = 0; i < memory.ranges; i++) {
		if (at < memory.loose[i].from || at >= memory.loose[i].to)
			continue;
		for (unsigned w = 0; w < WATCHED; w++) {
			if (memory.watched[w] == at)
				return;
			if (!memory.watched[w])
				place = w;
		}
		if (place == WATCHED)
			native_die("too many pages of code that changes");
		memory.watched[place] = at;
		mprotect((void *)at, NATIVE_PAGE, PROT_READ | PROT_EXEC);
		return;
	}
}

bool native_watch_hit(uint64_t address)
{
	uint64_t at = address & ~(uint64_t)(NATIVE_PAGE - 1);
	bool hit = false;

	native_lock();
	for (unsigned w = 0; w < WATCHED && at; w++) {
		if (memory.watched[w] != at)
			continue;
		memory.watched[w] = 0;
		native_drop(at, at + NATIVE_PAGE);
		mprotect((void *)at, NATIVE_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
		hit = true;
		break;
	}
	native_unlock();
	return hit;
}
