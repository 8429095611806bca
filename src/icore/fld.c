/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The FLD (2.3.4.2.1): its lines, and the sixteen that may be on their way to it.  A fill arrives when its cycle has come, unless
 * a store to the line has cancelled it.
 */
#include "icore/private.h"

static void arrive(struct icore *c, const struct fill *f)
{
	uint64_t address = f->line << c->fld.shift;
	struct line *line = icore_cache_victim(&c->fld, address);

	tell_free(c, POULSON_CORE_FLD_FILL, 1);
	*line = (struct line){ .tag = f->line, .valid = 1, .mark = f->mark };
	if (f->demoted)
		tell_free(c, POULSON_CORE_FLD_FILL_LRU, 1);
	else
		icore_cache_use(&c->fld, line, address);
	c->fills.last[1] = c->fills.last[0];
	c->fills.last[0] = *f;
}

static void next_of(struct fills *fills)
{
	fills->next = UINT64_MAX;
	for (unsigned i = 0; i < fills->n; i++)
		fills->next = fills->entry[i].ready < fills->next ? fills->entry[i].ready : fills->next;
}

static void take(struct fills *fills, unsigned i)
{
	fills->entry[i] = fills->entry[--fills->n];
}

static void arrivals(struct icore *c, uint64_t cycle)
{
	struct fills *fills = &c->fills;

	while (fills->n && fills->next <= cycle) {
		for (unsigned i = 0; i < fills->n; i++)
			if (fills->entry[i].ready == fills->next) {
				arrive(c, &fills->entry[i]);
				take(fills, i);
				break;
			}
		next_of(fills);
	}
}

void icore_fld_finish(struct icore *c)
{
	arrivals(c, UINT64_MAX - 1);
}

struct line *icore_fld(struct icore *c, uint64_t address)
{
	if (c->fills.n && c->fills.next <= c->cycle)
		arrivals(c, c->cycle);
	return icore_cache_find(&c->fld, address);
}

static bool on_its_way(const struct icore *c, uint64_t line)
{
	for (unsigned i = 0; i < c->fills.n; i++)
		if (c->fills.entry[i].line == line)
			return true;
	return false;
}

bool icore_fld_room(const struct icore *c, uint64_t address)
{
	return c->fills.n < FLD_FILLS && !on_its_way(c, address >> c->fld.shift);
}

bool icore_fld_fill(struct icore *c, const struct access *a, uint64_t ready, unsigned request, enum mark mark)
{
	if (hint_fld(a->hints) == HINT_NO_ALLOCATE) {
		tell(c, POULSON_CORE_FLD_HINT_NOALLOC, 1);
		return false;
	}
	if (!icore_fld_room(c, a->address))
		return false;
	tell(c, POULSON_CORE_FLD_FILL_REQ_ANY, 1);
	tell(c, request, 1);
	c->fills.entry[c->fills.n++] = (struct fill){ .line = a->address >> c->fld.shift, .ready = ready, .mark = (uint8_t)mark,
						       .demoted = hint_fld(a->hints) == HINT_NRU };
	next_of(&c->fills);
	return true;
}

void icore_fld_use(struct icore *c, struct line *line, const struct access *a)
{
	tell(c, POULSON_CORE_FLD_HIT_ANY, 1);
	if (hint_fld(a->hints) == HINT_NRU && a->type != HW_PREF) {
		line->used = 0;
		tell(c, POULSON_CORE_FLD_LINE_DEMOTE, 1);
	} else if (!a->store && !a->prefetch) {
		icore_cache_use(&c->fld, line, a->address);
	}
	if (line->mark && !a->store && !a->prefetch) {
		icore_prefetch_neighbours(c, a, line->mark == MARK_FWD ? PREFETCH_FWD : PREFETCH_BWD);
		line->mark = MARK_NONE;
	}
}

/* A write and a fill that want the data array in the same cycle or the next (2.3.4.2.1). */
static void collide(struct icore *c, const struct access *a, const struct line *line, const struct fill *f)
{
	uint64_t away = f->line << c->fld.shift ^ a->address;
	unsigned code = line ? POULSON_CORE_CYC_BE_DET_REPLAY_WRITE_HIT_VS_FILL : POULSON_CORE_CYC_BE_DET_REPLAY_WRITE_MISS_VS_FILL;
	bool st = a->type != STORE_FP && a->type != SEMAPHORE && a->size <= 8, same = f->ready == c->cycle,
	     before = f->ready + 1 == c->cycle, after = f->ready == c->cycle + 1, meets;

	if (line)
		meets = (st && same && !(away & 0xc0) && (away & 0xf00)) || ((same || before) && !(away & 0xfc0));
	else
		meets = !(away & 0x3fc0) && ((st && (same || after)) || before);
	if (!meets)
		return;
	icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
	icore_lose(c, POULSON_CORE_CYC_BE_DET_REPLAY_ANY, code, REPLAY_DET);
}

static void cancel(struct icore *c, const struct access *a)
{
	struct prefetch again = { .address = a->address, .left = 1, .fill = true, .again = true,
				  .hints = (uint16_t)(DROP_TLB_MLD << DROP_SHIFT) };

	for (unsigned i = 0; i < c->fills.n; i++)
		if (c->fills.entry[i].line == a->address >> c->fld.shift) {
			take(&c->fills, i);
			next_of(&c->fills);
			tell(c, POULSON_CORE_FLD_FILL_CANCEL_ANY, 1);
			tell(c, POULSON_CORE_FLD_FILL_CANCEL_INFAB, 1);
			icore_prefetch_target(c, &again, POULSON_CORE_FLD_HWPREF_INS_CANCEL_FILL);
			return;
		}
}

bool icore_fld_snoop(struct icore *c, uint64_t address)
{
	struct line *line = icore_fld(c, address);

	for (unsigned i = 0; i < c->fills.n; i++)
		if (c->fills.entry[i].line == address >> c->fld.shift) {
			take(&c->fills, i);
			next_of(&c->fills);
			tell_free(c, POULSON_CORE_FLD_FILL_CANCEL_ANY, 1);
			tell_free(c, POULSON_CORE_FLD_FILL_CANCEL_POSTFAB, 1);
			break;
		}
	if (line)
		line->valid = 0;
	return line;
}

void icore_fld_write(struct icore *c, const struct access *a, const struct line *line)
{
	struct fill last[2] = { c->fills.last[0], c->fills.last[1] };
	uint64_t cycle = c->cycle;

	for (unsigned i = 0; i < 2 && c->cycle == cycle; i++)
		if (last[i].ready + 1 >= c->cycle)
			collide(c, a, line, &last[i]);
	for (unsigned i = 0; i < c->fills.n && c->cycle == cycle; i++)
		if (c->fills.entry[i].ready <= cycle + 1)
			collide(c, a, line, &c->fills.entry[i]);
	if (c->fills.n)
		cancel(c, a);
}
