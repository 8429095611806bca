/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache of translated code: memory, look-up, links between blocks, what happens when code changes. */
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/emit.h"

/* All in the lower 2 GB, where instructions can name it in 32 bits. */
#define CODE_BYTES (UINT64_C(224) << 20)
#define KEEP_BYTES (UINT64_C(240) << 20)
_Static_assert(CODE_BYTES + KEEP_BYTES == NATIVE_CACHE, "as the place for it is chosen");
#define LOCK_WAITED (UINT32_C(1) << 31)	/* somebody sleeps */
#define ROOM UINT64_C(65536)		/* for one block: 200 instructions with their calls */

#define ROOM_TO_KEEP (UINT64_C(4) << 20)	/* and for what goes with it */

enum { HASH = 1 << 16, PAGES = 1 << 14, STOP = 0xf4 };	/* hlt, which faults */

static struct {
	_Atomic uint32_t lock;			/* 0: free; or who has it, | LOCK_WAITED */
	uint8_t *at, *end;
	char *keep, *keep_end;
	uint8_t *first_at;			/* behind what all translations share: blocks begin here */
	char *first_keep;
	bool half;				/* a process that shared this memory was killed while it threw all away */
	struct native_block *hash[HASH];
	struct native_block *page[PAGES];	/* blocks with code there; of several pages */
	struct native_block **order;		/* by place in the cache */
	size_t blocks, room;
} cache;

uint8_t *native_exit_all, *native_exit_indirect;

/*
 * Who has the lock is in its word from the first moment to the last: a process in this memory may be killed at any (vfork.c).
 */
static uint32_t lock_name(const struct native_env *env)
{
	return env ? env->vcpu + 1 : UINT32_MAX >> 1;
}

void native_lock(void)
{
	uint32_t name = lock_name(native_here()), seen = 0;

	if (atomic_compare_exchange_strong(&cache.lock, &seen, name))
		return;
	for (;;) {
		seen = atomic_load(&cache.lock);
		if (!seen && atomic_compare_exchange_strong(&cache.lock, &seen, name | LOCK_WAITED))
			return;
		if (!seen || (!(seen & LOCK_WAITED) && !atomic_compare_exchange_strong(&cache.lock, &seen, seen | LOCK_WAITED)))
			continue;
		syscall(SYS_futex, &cache.lock, FUTEX_WAIT_PRIVATE, seen | LOCK_WAITED, NULL, NULL, 0);
	}
}

void native_unlock(void)
{
	if (atomic_exchange(&cache.lock, 0) & LOCK_WAITED)
		syscall(SYS_futex, &cache.lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void native_unlock_for(const struct native_env *dead)
{
	if ((atomic_load(&cache.lock) & ~LOCK_WAITED) == lock_name(dead))
		native_unlock();
}

static void *reserve(uint64_t at, uint64_t bytes, int prot)
{
	void *p = mmap((void *)at, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != (void *)at)
		native_die("no memory at %#lx for translated code", at);
	return p;
}

void native_code_init(uint64_t at, uint64_t most)
{
	struct emit e;

	cache.at = reserve(at, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC);
	cache.end = cache.at + (most < CODE_BYTES ? most : CODE_BYTES);
	cache.keep = reserve(at + CODE_BYTES, KEEP_BYTES, PROT_READ | PROT_WRITE);
	cache.keep_end = cache.keep + KEEP_BYTES;
	cache.room = 1 << 20;
	cache.order = mmap(NULL, cache.room * sizeof(void *), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (cache.order == MAP_FAILED)
		native_die("out of memory");
	e.at = cache.at;
	native_enter_init(&e);
	native_code_used(e.at);
	native_translate_shared();
	cache.first_at = cache.at;
	cache.first_keep = cache.keep;
}

bool native_code_full(void)
{
	return cache.half || (uint64_t)(cache.end - cache.at) < 2 * ROOM || (uint64_t)(cache.keep_end - cache.keep) < ROOM_TO_KEEP ||
	       cache.blocks == cache.room || native_watch_full();
}

/* Nobody is in the cache, or holds anything of it, but for the tables of threads. */
void native_code_flush(void)
{
	cache.half = true;
	if (native_hooks.flush)
		native_hooks.flush(0);
	memset(cache.hash, 0, sizeof cache.hash);
	memset(cache.page, 0, sizeof cache.page);
	cache.blocks = 0;
	cache.at = cache.first_at;
	cache.keep = cache.first_keep;
	if (native_watch_full())
		native_watch_none();
	cache.half = false;
}

void *native_keep(size_t size)
{
	void *p = cache.keep;

	size = (size + 15) & ~(size_t)15;
	if (size > (size_t)(cache.keep_end - cache.keep))
		native_die("the program's code is too large");
	cache.keep += size;
	return p;
}

uint8_t *native_code_room(void)
{
	if ((size_t)(cache.end - cache.at) < ROOM)
		native_die("the program's code is too large");
	return cache.at;
}

void native_code_used(uint8_t *end)
{
	cache.at = (uint8_t *)(((uintptr_t)end + 15) & ~(uintptr_t)15);
}

static struct native_block **bucket(uint64_t pc)
{
	return &cache.hash[(pc ^ pc >> 16) % HASH];
}

static unsigned page_of(uint64_t page)
{
	return (unsigned)((page ^ page >> 14) % PAGES);
}

static struct native_block *look_up(uint64_t pc)
{
	for (struct native_block *b = *bucket(pc); b; b = b->same) {
		if (b->pc == pc)
			return b;
	}
	return NULL;
}

static void enlist(struct native_block *b)
{
	uint64_t page[2] = { b->pc / NATIVE_PAGE, (b->end - 1) / NATIVE_PAGE };

	if (cache.blocks == cache.room)
		native_die("the program's code is too large");
	cache.order[cache.blocks++] = b;
	b->same = *bucket(b->pc);
	*bucket(b->pc) = b;
	for (unsigned i = 0; i < 2; i++) {
		native_watch_page(page[i]);
		/* Once in a list, also where both pages have the same. */
		if (i && page_of(page[0]) == page_of(page[1]))
			break;
		b->page_next[i] = cache.page[page_of(page[i])];
		cache.page[page_of(page[i])] = b;
	}
}

struct native_block *native_find(uint64_t pc)
{
	struct native_block *b = look_up(pc);

	if (b)
		return b;
	b = native_translate(pc);
	if (b)
		enlist(b);
	return b;
}

struct native_block *native_block_at(const uint8_t *code)
{
	size_t low = 0, high = cache.blocks;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (cache.order[mid]->code_end <= code)
			low = mid + 1;
		else
			high = mid;
	}
	return low < cache.blocks && code >= cache.order[low]->indirect ? cache.order[low] : NULL;
}

static void point(const struct native_link *l, const uint8_t *to)
{
	uint32_t by = (uint32_t)(to - (l->jump + 4));

	/* The four bytes do not cross a boundary of eight: other threads see the old or the new. */
	__atomic_store_n((uint32_t *)(void *)l->jump, by, __ATOMIC_RELEASE);
}

void native_connect(struct native_link *l, struct native_block *to)
{
	if (!l->jump || l->to)
		return;
	l->to = to;
	l->next = to->in;
	to->in = l;
	point(l, l->again ? to->again : to->entry);
}

static void drop(struct native_block *b)
{
	struct native_block **p = bucket(b->pc);

	while (*p != b)
		p = &(*p)->same;
	*p = b->same;
	while (b->in) {
		struct native_link *l = b->in;

		b->in = l->next;
		l->to = NULL;
		point(l, l->stub);
	}
	b->gone = true;
}

/* Tables of threads may still lead to it: whoever comes that way goes on to the run loop. */
static void shut(struct native_block *b)
{
	struct emit e = { b->indirect };

	put_jump_to(&e, native_exit_indirect);
}

/* Between two blocks of the program, so without vector registers. */
__attribute__((target("general-regs-only"))) void native_compare(struct native_env *env, struct native_block *b)
{
	const volatile uint8_t *now = (const volatile uint8_t *)(uintptr_t)b->pc;
	size_t n = 0, all = b->end - b->pc;

	while (n < all && now[n] == b->copy[n])
		n++;
	env->target = n == all ? b->as_it_was : b->changed;
	if (n == all)
		return;
	native_lock();
	if (!b->gone) {
		drop(b);
		shut(b);
	}
	native_unlock();
}

static void drop_page(uint64_t page, uint64_t from, uint64_t to)
{
	struct native_block **p = &cache.page[page_of(page)];

	while (*p) {
		struct native_block *b = *p;
		unsigned i = page_of(b->pc / NATIVE_PAGE) == page_of(page) ? 0 : 1;

		if (!b->gone && (b->end <= from || b->pc >= to)) {
			p = &b->page_next[i];
			continue;
		}
		if (!b->gone) {
			drop(b);
			shut(b);
		}
		*p = b->page_next[i];
	}
}

void native_drop(uint64_t from, uint64_t to)
{
	uint64_t first = from / NATIVE_PAGE, last = (to - 1) / NATIVE_PAGE;

	if (last - first < PAGES) {
		for (uint64_t page = first; page <= last; page++)
			drop_page(page, from, to);
		return;
	}
	for (uint64_t page = 0; page < PAGES; page++) {
		for (struct native_block *b = cache.page[page]; b;) {
			struct native_block *next = b->page_next[page_of(b->pc / NATIVE_PAGE) == page ? 0 : 1];

			if (!b->gone && b->end > from && b->pc < to) {
				drop(b);
				shut(b);
			}
			b = next;
		}
	}
}

const struct native_place *native_place_at(const struct native_block *b, const uint8_t *code)
{
	unsigned n = b->places;

	while (n > 1 && b->indirect + b->place[n - 1].code > code)
		n--;
	return b->place + n - 1;
}

void native_stop_behind(const struct native_block *b, const uint8_t *code)
{
	const struct native_place *p = native_place_at(b, code);

	if (p->size)
		b->indirect[p->code + p->size] = STOP;
}

bool native_is_stop(const struct native_block *b, const uint8_t *code)
{
	return b->gone && *code == STOP;
}

uint64_t native_behind_stop(const struct native_block *b, const uint8_t *code)
{
	const struct native_place *p = native_place_at(b, code);

	if (code == b->indirect + p->code)
		return b->pc + p->from;
	return p + 1 < b->place + b->places ? b->pc + p[1].from : b->end;
}
