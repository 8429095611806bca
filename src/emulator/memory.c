/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's memory is this process's, page by page.  Looked after here: where its heap grows, and that libraries lie
 * low, near the code cache.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "emulator/native.h"

#define IMAGES_AT UINT64_C(0x20000000)
#define LOW_END UINT64_C(0x7f000000)	/* of what 32 bits reach, and libraries and the cache of code share */
#define HEAP_AT UINT64_C(0x1000000000)
#define MAPS_AT UINT64_C(0x2000000000)	/* whatever the program leaves to the kernel: the same place in each run */
#define MAPS_END UINT64_C(0x500000000000)
#define USER_END UINT64_C(0x7ffffffff000)
#define MAP_LIBRARY 0x800		/* MAP_DENYWRITE: without effect today, but ld.so still says it */

enum { MOST_STACK = 64 << 20, LARGE = 2 << 20, HUGE = 1 << 30 };

static struct {
	uint64_t image, image_end;	/* where the next library goes */
	uint64_t map;			/* and all else */
	uint64_t heap, heap_end, heap_mapped;
	uint64_t stack;			/* the lowest address of the first thread's */
	uint64_t stack_end;
} memory = { .map = MAPS_AT, .heap = HEAP_AT, .heap_end = HEAP_AT, .heap_mapped = HEAP_AT };

static int64_t answer(long result)
{
	return result == -1 ? -errno : result;
}

static uint64_t round_up(uint64_t n)
{
	return (n + NATIVE_PAGE - 1) & ~(uint64_t)(NATIVE_PAGE - 1);
}

static bool overlap(uint64_t from, uint64_t to, uint64_t from2, uint64_t to2)
{
	return from < to2 && from2 < to;
}

static bool is_free(uint64_t from, uint64_t to)
{
	void *p = from == to ? NULL : mmap((void *)from, to - from, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
					   MAP_FIXED_NOREPLACE, -1, 0);

	if (p && p != MAP_FAILED)
		munmap(p, to - from);
	return p != MAP_FAILED;
}

uint64_t native_place_cache(uint64_t from, uint64_t to)
{
	static const uint64_t places[] = { 0x60000000, 0x40000000, 0x20000000 };
	unsigned n = 0;
	uint64_t at;

	while (n < LEN(places) && overlap(from, to, places[n], places[n] + NATIVE_CACHE))
		n++;
	if (n == LEN(places) || !is_free(from, to))
		return 0;
	at = places[n];
	memory.image = at == IMAGES_AT ? at + NATIVE_CACHE : IMAGES_AT;
	memory.image_end = at == IMAGES_AT ? LOW_END : at;
	if (overlap(from, to, memory.image, memory.image_end))
		memory.image = to < memory.image_end ? round_up(to) : memory.image_end;
	return at;
}

uint64_t native_place_image(uint64_t bytes)
{
	uint64_t at = memory.image;

	bytes = round_up(bytes) + NATIVE_PAGE;
	if (bytes > memory.image_end - at)
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
	native_own((uint64_t)p, (uint64_t)p + bytes);
	native_watch_mapped((uint64_t)p, bytes, prot, flags, -1, 0);
	memory.stack = (uint64_t)p;
	memory.stack_end = (uint64_t)p + bytes;
	return memory.stack_end;
}

const char *native_memory_name(uint64_t at)
{
	if (at >= memory.stack && at < memory.stack_end)
		return "[stack]";
	return at >= HEAP_AT && at < memory.heap_mapped ? "[heap]" : NULL;
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
		native_own(memory.heap_mapped, memory.heap_mapped + more);
		memory.heap_mapped += more;
	} else if (round_up(to) < memory.heap_mapped) {
		native_disown(round_up(to), memory.heap_mapped);
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

/*
 * May the program put something there, whatever it has there?  Where the emulator has something there is no room for it.  What
 * is free is reserved, so that it stays so.
 */
static bool may_replace(uint64_t from, uint64_t bytes)
{
	uint64_t at = from, to = round_up(from + bytes), own, end;

	if (from % NATIVE_PAGE || !bytes || to <= from || native_owns(from, to))
		return true;			/* or the kernel's to refuse */
	for (; at < to; at = end) {
		own = at;
		end = to;
		if (!native_next_own(&own, &end))
			own = end = to;
		if (own > at && mmap((void *)at, own - at, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				     -1, 0) == MAP_FAILED)
			return false;
		if (own > at)
			native_own(at, own);
	}
	return true;
}

/* To each piece of [from, to) that is the program's.  The answer: the first error, or 0. */
static int64_t each_own(uint64_t from, uint64_t to, int64_t (*fn)(uint64_t from, uint64_t bytes, uint64_t what), uint64_t what)
{
	int64_t got = 0;

	for (uint64_t at = from, end = to; native_next_own(&at, &end) && !got; at = end, end = to)
		got = fn(at, end - at, what);
	return got;
}

/* A range that the kernel would look at, and whether it is all the program's. */
static bool is_range(uint64_t from, uint64_t bytes)
{
	return !(from % NATIVE_PAGE) && bytes && round_up(from + bytes) > from;
}

int64_t native_mmap(const uint64_t arg[6])
{
	uint64_t at = arg[0];
	int flags = (int)arg[3];
	int64_t got = -1;

	if ((flags & MAP_FIXED) && (flags & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE && !may_replace(at, arg[1]))
		return -ENOMEM;
	if (!at && !(flags & (MAP_FIXED | MAP_32BIT))) {
		uint64_t low = flags & MAP_LIBRARY ? native_place_image(arg[1]) : place_map(arg[1]);

		if (low)
			got = syscall(SYS_mmap, low, arg[1], arg[2], (uint64_t)(flags | MAP_FIXED_NOREPLACE), arg[4], arg[5]);
	}
	if (got == -1)
		got = answer(syscall(SYS_mmap, at, arg[1], arg[2], arg[3], arg[4], arg[5]));
	if (got > 0) {
		native_own((uint64_t)got, round_up((uint64_t)got + arg[1]));
		native_watch_mapped((uint64_t)got, arg[1], (int)arg[2], flags, (int)arg[4], arg[5]);
		enlarge((uint64_t)got, arg[1], flags);
	}
	return got;
}

static int64_t unmap(uint64_t from, uint64_t bytes, uint64_t unused)
{
	int64_t got;

	(void)unused;
	native_disown(from, from + bytes);
	got = answer(syscall(SYS_munmap, from, bytes));
	if (got)
		native_own(from, from + bytes);
	else
		native_watch_unmapped(from, bytes);
	return got;
}

int64_t native_munmap(const uint64_t arg[6])
{
	if (!is_range(arg[0], arg[1]) || round_up(arg[0] + arg[1]) > USER_END)
		return -EINVAL;
	return each_own(arg[0], round_up(arg[0] + arg[1]), unmap, 0);
}

int64_t native_mprotect(const uint64_t arg[6])
{
	uint64_t from = arg[0], bytes = arg[1], prot = arg[2], first = from, end;
	bool whole = true;
	int64_t got;

	/* The stack does not grow, but is one that does to the program. */
	if (prot & PROT_GROWSDOWN && from >= memory.stack && from < memory.stack_end) {
		bytes += from - memory.stack;
		from = memory.stack;
		prot &= ~(uint64_t)PROT_GROWSDOWN;
	}
	if (is_range(from, bytes)) {
		end = round_up(from + bytes);
		whole = native_owns(from, end);
		/* The kernel goes as far as there is something. */
		if (!whole && (!native_next_own(&first, &end) || first != from))
			return -ENOMEM;
		bytes = end - from;
	}
	got = answer(syscall(SYS_mprotect, from, bytes, prot));
	if (!got)
		native_watch_protected(from, bytes, (int)prot);
	return got || whole ? got : -ENOMEM;
}

int64_t native_mremap(const uint64_t arg[6])
{
	int64_t got;

	if (is_range(arg[0], arg[1]) && !native_owns(arg[0], round_up(arg[0] + arg[1])))
		return -EFAULT;
	if ((arg[3] & MREMAP_FIXED) && !may_replace(arg[4], arg[2]))
		return -ENOMEM;
	native_watch_moves(arg[0], arg[1] > arg[2] ? arg[1] : arg[2]);
	got = answer(syscall(SYS_mremap, arg[0], arg[1], arg[2], arg[3], arg[4]));
	if (got > 0) {
		if (arg[1] && !(arg[3] & MREMAP_DONTUNMAP))
			native_disown(arg[0], round_up(arg[0] + arg[1]));
		native_own((uint64_t)got, round_up((uint64_t)got + arg[2]));
		native_watch_moved(arg[0], arg[1], (uint64_t)got, arg[2]);
	}
	return got;
}

static int64_t advise(uint64_t from, uint64_t bytes, uint64_t advice)
{
	return answer(syscall(SYS_madvise, from, bytes, advice));
}

int64_t native_madvise(const uint64_t arg[6])
{
	uint64_t to = round_up(arg[0] + arg[1]);
	int64_t got;

	if (!is_range(arg[0], arg[1]) || native_owns(arg[0], to))
		return advise(arg[0], arg[1], arg[2]);
	got = each_own(arg[0], to, advise, arg[2]);
	return got ? got : -ENOMEM;
}

static uint64_t bytes_of(int segment)
{
	struct shmid_ds ds;

	return shmctl(segment, IPC_STAT, &ds) == 0 ? ds.shm_segsz : NATIVE_PAGE;
}

int64_t native_shmat(const uint64_t arg[6])
{
	uint64_t bytes = bytes_of((int)arg[0]);
	int64_t got;

	if (arg[1] && (arg[2] & SHM_REMAP) && !may_replace(arg[1], bytes))
		return -EINVAL;
	got = answer(syscall(SYS_shmat, arg[0], arg[1], arg[2]));
	if (got > 0)
		native_own((uint64_t)got, round_up((uint64_t)got + bytes));
	return got;
}

/* How much goes is known to the kernel alone: what the program then still has is asked for page by page. */
int64_t native_shmdt(const uint64_t arg[6])
{
	uint64_t from = arg[0], end = UINT64_MAX;
	unsigned char there;
	int64_t got;

	if (from % NATIVE_PAGE || !native_next_own(&from, &end) || from != arg[0])
		return -EINVAL;
	got = answer(syscall(SYS_shmdt, arg[0]));
	for (; !got && from < end && mincore((void *)from, NATIVE_PAGE, &there) < 0; from += NATIVE_PAGE)
		native_disown(from, from + NATIVE_PAGE);
	return got;
}
