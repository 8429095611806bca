/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's memory is this process's, page by page.  Looked after here: where its heap grows, and that libraries lie
 * low, near the code cache.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native/native.h"

#define IMAGES_AT UINT64_C(0x20000000)
#define IMAGES_END UINT64_C(0x60000000)
#define HEAP_AT UINT64_C(0x1000000000)
#define MAPS_AT UINT64_C(0x2000000000)	/* whatever the program leaves to the kernel: the same place in each run */
#define MAPS_END UINT64_C(0x500000000000)
#define MAP_LIBRARY 0x800		/* MAP_DENYWRITE: without effect today, but ld.so still says it */

enum { MOST_STACK = 64 << 20, LARGE = 2 << 20, HUGE = 1 << 30 };

static struct {
	uint64_t image;			/* where the next library goes */
	uint64_t map;			/* and all else */
	uint64_t heap, heap_end, heap_mapped;
	uint64_t stack;			/* the lowest address of the first thread's */
	uint64_t stack_end;
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

/* Where anything else goes, as native_place_image() has it for libraries. */
static uint64_t place_map(uint64_t bytes)
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

uint64_t native_new_stack(bool runs)
{
	int prot = PROT_READ | PROT_WRITE | (runs ? PROT_EXEC : 0);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
	struct rlimit limit;
	uint64_t bytes = 8 << 20;
	char *p;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		bytes = round_up(limit.rlim_cur);
	bytes = bytes > MOST_STACK ? MOST_STACK : bytes;
	p = mmap((void *)place_map(bytes), bytes, prot, flags, -1, 0);
	if (p == MAP_FAILED)
		native_die("no memory for the stack");
	native_watch_mapped((uint64_t)p, bytes, prot, flags, -1, 0);
	memory.stack = (uint64_t)p;
	memory.stack_end = (uint64_t)p + bytes;
	return memory.stack_end;
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
		uint64_t low = flags & MAP_LIBRARY ? native_place_image(arg[1]) : place_map(arg[1]);

		if (low)
			got = syscall(SYS_mmap, low, arg[1], arg[2], (uint64_t)(flags | MAP_FIXED_NOREPLACE), arg[4], arg[5]);
	}
	if (got == -1)
		got = answer(syscall(SYS_mmap, at, arg[1], arg[2], arg[3], arg[4], arg[5]));
	if (got > 0) {
		native_watch_mapped((uint64_t)got, arg[1], (int)arg[2], flags, (int)arg[4], arg[5]);
		enlarge((uint64_t)got, arg[1], flags);
	}
	return got;
}

int64_t native_munmap(const uint64_t arg[6])
{
	int64_t got = answer(syscall(SYS_munmap, arg[0], arg[1]));

	if (!got)
		native_watch_unmapped(arg[0], arg[1]);
	return got;
}

int64_t native_mprotect(const uint64_t arg[6])
{
	uint64_t from = arg[0], bytes = arg[1], prot = arg[2];
	int64_t got;

	/* The stack does not grow, but is one that does to the program. */
	if (prot & PROT_GROWSDOWN && from >= memory.stack && from < memory.stack_end) {
		bytes += from - memory.stack;
		from = memory.stack;
		prot &= ~(uint64_t)PROT_GROWSDOWN;
	}
	got = answer(syscall(SYS_mprotect, from, bytes, prot));
	if (!got)
		native_watch_protected(from, bytes, (int)prot);
	return got;
}

int64_t native_mremap(const uint64_t arg[6])
{
	int64_t got;

	native_watch_moves(arg[0], arg[1] > arg[2] ? arg[1] : arg[2]);
	got = answer(syscall(SYS_mremap, arg[0], arg[1], arg[2], arg[3], arg[4]));
	if (got > 0)
		native_watch_moved(arg[0], arg[1], (uint64_t)got, arg[2]);
	return got;
}
