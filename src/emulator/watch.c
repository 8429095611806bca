/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that changes.  A page of which code is translated loses the right to be written, wherever the program may write
 * it: in place, or where the same file is mapped a second time.  A store to it then faults, the translations go, and
 * the page gets its right back.  So remembered here is all memory that may be written and run, and all that has a file.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "emulator/native.h"

enum { RANGES = 1 << 16, PAGES = 1 << 16, FEW = 1 << 10, RESTLESS = 256, WATCHED = 1, TYPE = 15, SHARED = 1, MOST_PLACES = PAGES / 4 * 3 };

struct range {
	uint64_t from, to;
	uint64_t device, file, offset;	/* what is mapped there; device 0: nobody else's */
	int prot;
	bool shared;			/* stores go to the file */
};

static struct {
	struct range range[RANGES];	/* in no order */
	unsigned ranges;
	uint64_t page[PAGES];		/* each that has ever been watched has its place; | WATCHED while it is */
	uint16_t stores[PAGES];		/* how often it has been let write to */
	unsigned places, watched;
	uint64_t unnamed;		/* shared memory without a file, so far */
} watch;

static uint64_t page_down(uint64_t at)
{
	return at & ~(uint64_t)(NATIVE_PAGE - 1);
}

static uint64_t page_up(uint64_t at)
{
	return page_down(at + NATIVE_PAGE - 1);
}

/* Ranges. */

static void add(const struct range *r)
{
	if (watch.ranges == RANGES)
		native_die("too many mappings");
	watch.range[watch.ranges++] = *r;
}

static void split(uint64_t at)
{
	for (unsigned i = 0, n = watch.ranges; i < n; i++) {
		struct range *r = watch.range + i, upper = *r;

		if (at <= r->from || at >= r->to)
			continue;
		upper.offset += at - r->from;
		upper.from = at;
		r->to = at;
		add(&upper);
	}
}

static bool inside(const struct range *r, uint64_t from, uint64_t to)
{
	return r->from >= from && r->to <= to;
}

static void forget(uint64_t from, uint64_t to)
{
	split(from);
	split(to);
	for (unsigned i = 0; i < watch.ranges; i++) {
		if (inside(watch.range + i, from, to))
			watch.range[i--] = watch.range[--watch.ranges];
	}
}

static bool holds(const struct range *r, uint64_t at)
{
	return at >= r->from && at < r->to;
}

/* Of all that is remembered of a page. */
static int rights_of(uint64_t at)
{
	int prot = 0;

	for (const struct range *r = watch.range; r < watch.range + watch.ranges; r++)
		prot |= holds(r, at) ? r->prot : 0;
	return prot;
}

/* Where bytes [from, to) of r are in another range of the same file: bytes [*first, *last).  False: nowhere. */
static bool also_in(const struct range *r, uint64_t from, uint64_t to, const struct range *other, uint64_t *first,
		    uint64_t *last)
{
	uint64_t low = r->offset + (from - r->from), high = r->offset + (to - r->from);
	uint64_t end = other->offset + (other->to - other->from);

	if (other == r || !r->device || other->device != r->device || other->file != r->file)
		return false;
	low = low > other->offset ? low : other->offset;
	high = high < end ? high : end;
	*first = other->from + (low - other->offset);
	*last = other->from + (high - other->offset);
	return low < high;
}

/* Translations of the same bytes under other addresses go. */
static void drop_others(const struct range *r, uint64_t from, uint64_t to)
{
	uint64_t first, last;

	for (const struct range *o = watch.range; o < watch.range + watch.ranges; o++) {
		if (also_in(r, from, to, o, &first, &last))
			native_drop(first, last);
	}
}

/* Pages. */

static uint64_t *place_of(uint64_t at)
{
	uint64_t i = at / NATIVE_PAGE * UINT64_C(0x9e3779b97f4a7c15) >> 48;

	while (watch.page[i % PAGES] && (watch.page[i % PAGES] & ~(uint64_t)WATCHED) != at)
		i++;
	return watch.page + i % PAGES;
}

/* Has it been written to so often that watching costs more than looking at the code each time? */
static bool is_restless(uint64_t at, int prot)
{
	(void)prot;
	return watch.stores[place_of(at) - watch.page] >= RESTLESS;
}

static bool start(uint64_t at, int prot)
{
	uint64_t *p = place_of(at);

	if (*p & WATCHED || is_restless(at, prot))
		return false;
	watch.places += !*p;
	*p = at | WATCHED;
	watch.watched++;
	mprotect((void *)at, NATIVE_PAGE, prot & ~PROT_WRITE);
	return true;
}

static void stop(uint64_t *place)
{
	*place &= ~(uint64_t)WATCHED;
	watch.watched--;
}

/* The program may write there again, and what is translated of it goes. */
static void let_write(uint64_t *place)
{
	uint64_t at = *place & ~(uint64_t)WATCHED;

	stop(place);
	watch.stores[place - watch.page]++;
	native_drop(at, at + NATIVE_PAGE);
	for (const struct range *r = watch.range; r < watch.range + watch.ranges; r++) {
		if (holds(r, at))
			drop_others(r, at, at + NATIVE_PAGE);
	}
	mprotect((void *)at, NATIVE_PAGE, rights_of(at));
}

/* Pages that are watched in [from, to), each to fn. */
static void each_watched(uint64_t from, uint64_t to, void (*fn)(uint64_t *place))
{
	if (!watch.watched)
		return;
	for (uint64_t at = from; to - from < FEW * NATIVE_PAGE && at < to; at += NATIVE_PAGE) {
		if (*place_of(at) & WATCHED)
			fn(place_of(at));
	}
	for (uint64_t *p = watch.page; to - from >= FEW * NATIVE_PAGE && p < watch.page + PAGES; p++) {
		if (*p & WATCHED && *p >= from && *p < to)
			fn(p);
	}
}

/* What was there is not there any more. */
static void begin_change(uint64_t from, uint64_t to)
{
	native_drop(from, to);
	each_watched(from, to, stop);
}

void native_watch_mapped(uint64_t from, uint64_t bytes, int prot, int flags, int fd, uint64_t offset)
{
	struct range r = { .from = from, .to = page_up(from + bytes), .prot = prot, .offset = offset };
	struct stat st;

	r.shared = (flags & TYPE) != MAP_PRIVATE;
	native_lock();
	begin_change(r.from, r.to);
	forget(r.from, r.to);
	if (!(flags & MAP_ANONYMOUS) && fstat(fd, &st) == 0) {
		r.device = st.st_dev + 1;
		r.file = st.st_ino;
	} else if (r.shared) {
		r.device = UINT64_MAX;
		r.file = watch.unnamed++;
	}
	if (r.device || (prot & (PROT_WRITE | PROT_EXEC)) == (PROT_WRITE | PROT_EXEC))
		add(&r);
	if (r.shared && (prot & PROT_WRITE))
		drop_others(&r, r.from, r.to);
	native_unlock();
}

void native_watch_protected(uint64_t from, uint64_t bytes, int prot)
{
	uint64_t to = page_up(from + bytes);
	struct range plain = { .from = from, .to = to, .prot = prot };

	native_lock();
	begin_change(from, to);
	split(from);
	split(to);
	for (unsigned i = 0; i < watch.ranges; i++) {
		struct range *r = watch.range + i;

		if (!inside(r, from, to))
			continue;
		if (!r->device) {
			*r = watch.range[--watch.ranges];
			i--;
			continue;
		}
		r->prot = prot;
		if (r->shared && (prot & PROT_WRITE))
			drop_others(r, r->from, r->to);
	}
	if ((prot & (PROT_WRITE | PROT_EXEC)) == (PROT_WRITE | PROT_EXEC))
		add(&plain);
	native_unlock();
}

void native_watch_unmapped(uint64_t from, uint64_t bytes)
{
	uint64_t to = page_up(from + bytes);

	native_lock();
	begin_change(from, to);
	forget(from, to);
	native_unlock();
}

/* A page goes elsewhere with the rights that it has. */
void native_watch_moves(uint64_t from, uint64_t bytes)
{
	native_lock();
	each_watched(from, page_up(from + bytes), let_write);
	native_unlock();
}

void native_watch_moved(uint64_t from, uint64_t bytes, uint64_t to, uint64_t new_bytes)
{
	struct range moved = { 0 };

	native_lock();
	for (const struct range *r = watch.range; r < watch.range + watch.ranges && !moved.device; r++) {
		if (holds(r, from))
			moved = *r;
	}
	moved.offset += from - moved.from;
	moved.from = to;
	begin_change(from, page_up(from + bytes));
	begin_change(to, page_up(to + new_bytes));
	forget(from, page_up(from + bytes));
	forget(to, page_up(to + new_bytes));
	if (moved.to) {
		moved.to = page_up(to + new_bytes);
		add(&moved);
	}
	native_unlock();
}

/* Wherever the program may write what is at `at`.  Is fn true of any? */
static bool any_way(uint64_t at, bool (*fn)(uint64_t at, int prot))
{
	uint64_t first, last;
	bool any = false;

	for (const struct range *r = watch.range; r < watch.range + watch.ranges; r++) {
		if (!holds(r, at))
			continue;
		if (r->prot & PROT_WRITE)
			any |= fn(at, r->prot);
		for (const struct range *o = watch.range; r->device && o < watch.range + watch.ranges; o++) {
			if (o->shared && (o->prot & PROT_WRITE) && also_in(r, at, at + NATIVE_PAGE, o, &first, &last))
				any |= fn(first, o->prot);
		}
	}
	return any;
}

void native_watch_page(uint64_t page)
{
	any_way(page * NATIVE_PAGE, start);
}

bool native_watch_in_vain(uint64_t page)
{
	return any_way(page * NATIVE_PAGE, is_restless);
}

bool native_watch_hit(uint64_t address)
{
	uint64_t at = page_down(address), *place;
	bool hit = false;

	native_lock();
	place = place_of(at);
	if (at && *place & WATCHED) {
		let_write(place);
		hit = true;
	} else if (at && *place) {
		/* Another thread was here first. */
		hit = rights_of(at) & PROT_WRITE;
	}
	native_unlock();
	return hit;
}

bool native_watch_full(void)
{
	return watch.places >= MOST_PLACES;
}

void native_watch_none(void)
{
	each_watched(0, UINT64_MAX, let_write);
	memset(watch.page, 0, sizeof watch.page);
	memset(watch.stores, 0, sizeof watch.stores);
	watch.places = 0;
}

bool native_watch_release(void)
{
	bool any;

	native_lock();
	any = watch.watched;
	each_watched(0, UINT64_MAX, let_write);
	native_unlock();
	return any;
}
