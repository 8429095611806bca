/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions that are put between the program's own. */
#ifndef BXS_NATIVE_EMIT_H
#define BXS_NATIVE_EMIT_H

#include "plugin/emit.h"
#include "emulator/native.h"

#define PUT(e, bytes) put(e, bytes, sizeof(bytes) - 1)

/* gs:[at] = reg, or the other way */
static inline void put_env(struct emit *e, unsigned opcode, unsigned reg, int32_t at)
{
	put8(e, 0x65);
	put8(e, reg >= 8 ? 0x4c : 0x48);
	put8(e, opcode);
	put8(e, 0x04 | (reg & 7) << 3);
	put8(e, 0x25);
	put32(e, (uint32_t)at);
}

static inline void put_save(struct emit *e, unsigned reg, int32_t at)
{
	put_env(e, 0x89, reg, at);
}

static inline void put_load(struct emit *e, unsigned reg, int32_t at)
{
	put_env(e, 0x8b, reg, at);
}

static inline void put_spill(struct emit *e, unsigned reg)
{
	put_save(e, reg, NATIVE_ENV(general[0]) + 8 * (int32_t)reg);
}

static inline void put_fill(struct emit *e, unsigned reg)
{
	put_load(e, reg, NATIVE_ENV(general[0]) + 8 * (int32_t)reg);
}

static inline void put_constant(struct emit *e, unsigned reg, uint64_t n)
{
	if (n <= UINT32_MAX) {
		if (reg >= 8)
			put8(e, 0x41);
		put8(e, 0xb8 | (reg & 7));
		put32(e, (uint32_t)n);
		return;
	}
	put8(e, reg >= 8 ? 0x49 : 0x48);
	put8(e, 0xb8 | (reg & 7));
	put64(e, n);
}

static inline void put_jump_to(struct emit *e, const uint8_t *to)
{
	put_apart(e, 5);
	put8(e, JMP);
	put32(e, (uint32_t)(to - (e->at + 4)));
}

/* gs:[at] = a number of 32 bits, its sign carried on */
static inline void put_note(struct emit *e, int32_t at, int32_t n)
{
	put(e, "\x65\x48\xc7\x04\x25", 5);
	put32(e, (uint32_t)at);
	put32(e, (uint32_t)n);
}

/* xmm0 to xmm3: movdqa gs:[kept], xmm (0x7f), or the other way (0x6f); what is above their 128 bits stays. */
static inline void put_vectors(struct emit *e, unsigned opcode)
{
	for (unsigned n = 0; n < 4; n++) {
		put(e, "\x65\x66\x0f", 3);
		put8(e, opcode);
		put8(e, 0x04 | n << 3);
		put8(e, 0x25);
		put32(e, (uint32_t)(NATIVE_ENV(kept[0]) + 16 * (int32_t)n));
	}
}

static inline void put_keep_vectors(struct emit *e)
{
	put_vectors(e, 0x7f);
}

static inline void put_kept_vectors(struct emit *e)
{
	put_vectors(e, 0x6f);
}

/* The flags aside, and back; rax is lost. */
static inline void put_save_flags(struct emit *e)
{
	PUT(e, "\x9f\x0f\x90\xc0");		/* lahf; seto al */
	put_save(e, NATIVE_RAX, NATIVE_ENV(saved_flags));
}

static inline void put_load_flags(struct emit *e)
{
	put_load(e, NATIVE_RAX, NATIVE_ENV(saved_flags));
	PUT(e, "\x04\x7f\x9e");			/* add al, 127; sahf */
}

#endif
