/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that tell of the processor, found in code: by sites.c in what is loaded, by client_program.c in files. */
#ifndef BXS_PRELOAD_SITES_H
#define BXS_PRELOAD_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum site_kind { SITE_NONE, SITE_CPUID, SITE_RDTSC, SITE_RDTSCP, SITE_LOADED, SITE_SYSCALL };

/* What the bytes at `at`, `left` of them, look like. */
enum site_kind sites_kind(const uint8_t *at, size_t left);

/* frames.c: where functions start, as an object's .eh_frame_hdr says. */

struct frames {
	const uint8_t *table, *header;
	uint32_t count;
	uintptr_t low, high;		/* all that can be read lies between them; 0: the table is to be trusted */
};

/* Of the header at `header` of size bytes; false: there is no sorted table. */
bool frames_open(struct frames *f, const uint8_t *header, size_t size);
/* The start of the function that holds address and its end; false: none is known. */
bool frames_find(const struct frames *f, uintptr_t address, uintptr_t *start, uintptr_t *end);

/* Does an instruction start at `address`, counted from the start of its function? */
enum site_place {
	SITE_BOUNDARY, SITE_WITHIN,	/* yes; no */
	SITE_UNKNOWN,			/* the function is not known, or cannot be decoded */
};
enum site_place sites_place(const struct frames *f, uintptr_t address);

#endif
