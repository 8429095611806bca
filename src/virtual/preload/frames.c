/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of a loaded object, from the binary search table of .eh_frame_hdr (Linux Standard Base,
 * core specification, 10.6): it is there in stripped programs as well.
 */
#include <string.h>

#include "virtual/preload/sites.h"

/* How a pointer is written: format, and what it is relative to. */
enum { UDATA4 = 0x03, SDATA4 = 0x0b, DATAREL = 0x30 };

enum { HEAD = 4, ENTRY = 8, FRAME = 16 /* of a frame description, what is read */ };

static int32_t word(const uint8_t *at)
{
	int32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

bool frames_open(struct frames *f, const uint8_t *header, size_t size)
{
	/* version; encodings of the pointer to the frames, of the count, of the table */
	if (size < HEAD + 8 || header[0] != 1 || (header[1] & 0xf) % 8 != UDATA4 ||
	    header[2] != UDATA4 || header[3] != (DATAREL | SDATA4))
		return false;
	f->header = header;
	f->count = (uint32_t)word(header + HEAD + 4);
	f->table = header + HEAD + 8;
	return f->count > 0 && f->count <= (size - HEAD - 8) / ENTRY;
}

static uintptr_t start_of(const struct frames *f, uint32_t i)
{
	return (uintptr_t)f->header + (uintptr_t)(intptr_t)word(f->table + i * (size_t)ENTRY);
}

/*
 * How long the function is that frame description `at` is about: behind two words (its length, the
 * distance of its common part) stand start and length, each of four bytes in all code models in
 * use.  0: this one is written otherwise.
 */
static uint32_t length_of(const uint8_t *at, uintptr_t start)
{
	uintptr_t own = (uintptr_t)(at + 8) + (uintptr_t)(intptr_t)word(at + 8);

	return own == start ? (uint32_t)word(at + 12) : 0;
}

bool frames_find(const struct frames *f, uintptr_t address, uintptr_t *start, uintptr_t *end)
{
	uint32_t low = 0, high = f->count;
	const uint8_t *frame;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (start_of(f, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*start = start_of(f, low - 1);
	frame = f->header + word(f->table + (low - 1) * (size_t)ENTRY + 4);
	if (f->high && (*start < f->low || (uintptr_t)frame < f->low || (uintptr_t)frame + FRAME > f->high))
		return false;
	*end = *start + length_of(frame, *start);
	if (f->high && *end > f->high)
		*end = f->high;
	return address < *end;
}
