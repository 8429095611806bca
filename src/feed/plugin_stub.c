// SPDX-License-Identifier: BSD-2-Clause
/*
 * A stub is called with the thread's number in edi and the block in rsi, and finds the
 * guest's registers at rbp (plugin_registers.h):
 *
 *	r8 = plugin_cores[edi]; return if there is none
 *	the code's lines used last?  instructions retired, none of them due?	else plugin_core_known
 *	no taint?								else plugin_core_rest
 *	each known access: one of the two lines used last in its set?		else plugin_core_rest
 *
 * An access near the one before it is in the same line if its offset says so; that of the last line
 * looked up is kept in r9.
 */
#include "feed/plugin_stub.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "feed/plugin.h"
#include "feed/plugin_registers.h"

#ifdef __x86_64__

#define POOL_BYTES (1U << 20)
#define STUB_MOST 16384			/* bytes: 64 accesses of at most 120 with their way out, and the rest */

enum { RAX, RCX };
enum { JAE = 0x83, JE = 0x84, JNE = 0x85, JBE = 0x86, JA = 0x87, JMP = 0xe9 };

struct pool {
	struct pool *next;
	size_t used;
	uint8_t *code;
};

static struct pool *pools;

struct stub {
	uint8_t *at;
	const struct plugin_block *b;
	uint8_t *leave[PLUGIN_KNOWN_MAX];	/* jumps to plugin_core_rest, a chain by index */
	uint8_t *to_start;			/* jumps to plugin_core_known */
	const struct plugin_known *kept;	/* whose offset is in r9; NULL: none */
	bool written;				/* its line was looked up for a store */
};

static void put(struct stub *s, const char *bytes, size_t n)
{
	memcpy(s->at, bytes, n);
	s->at += n;
}

#define PUT(s, bytes) put(s, bytes, sizeof(bytes) - 1)

static void put8(struct stub *s, unsigned n)
{
	*s->at++ = (uint8_t)n;
}

static void put32(struct stub *s, uint32_t n)
{
	memcpy(s->at, &n, sizeof n);
	s->at += sizeof n;
}

static void put64(struct stub *s, uint64_t n)
{
	memcpy(s->at, &n, sizeof n);
	s->at += sizeof n;
}

#define CORE(member) ((uint32_t)offsetof(struct plugin_core, member))

/* A jump forward, into a chain: until it is known where, its place holds the next of the chain. */
static void jump(struct stub *s, unsigned condition, uint8_t **chain)
{
	uint32_t back;

	if (condition != JMP)
		put8(s, 0x0f);
	put8(s, condition);
	back = *chain ? (uint32_t)(s->at - *chain) : 0;
	*chain = s->at;
	put32(s, back);
}

/* All jumps of the chain lead here. */
static void land(struct stub *s, uint8_t *chain)
{
	while (chain) {
		uint32_t back, by = (uint32_t)(s->at - (chain + 4));

		memcpy(&back, chain, sizeof back);
		memcpy(chain, &by, sizeof by);
		chain = back ? chain - back : NULL;
	}
}

static void jump_to(struct stub *s, uint64_t where)
{
	PUT(s, "\x48\xb8");			/* mov rax, where */
	put64(s, where);
	PUT(s, "\xff\xe0");			/* jmp rax */
}

static void check_line(struct stub *s, uint64_t line)
{
	PUT(s, "\x48\xb9");			/* mov rcx, line */
	put64(s, line);
	PUT(s, "\x49\x3b\x88");			/* cmp rcx, [r8 + last_fetch] */
	put32(s, CORE(x.last_fetch) + 8 * (uint32_t)(line % XCORE_SETS));
	jump(s, JNE, &s->to_start);
}

static void put_start(struct stub *s, uint8_t **out)
{
	PUT(s, "\x89\xff\x48\xb8");		/* mov edi, edi; mov rax, plugin_cores */
	put64(s, (uintptr_t)plugin_cores);
	PUT(s, "\x4c\x8b\x04\xf8\x4d\x85\xc0");	/* mov r8, [rax + rdi * 8]; test r8, r8 */
	jump(s, JE, out);
	check_line(s, s->b->code);
	if (s->b->lines > 1)
		check_line(s, s->b->code2);
	PUT(s, "\x41\x8b\x88");			/* mov ecx, [r8 + retired] */
	put32(s, CORE(x.retired));
	PUT(s, "\x81\xc1");			/* add ecx, instructions */
	put32(s, s->b->instructions);
	PUT(s, "\x41\x3b\x88");			/* cmp ecx, [r8 + attend] */
	put32(s, CORE(x.attend));
	jump(s, JAE, &s->to_start);
	PUT(s, "\x41\x89\x88");			/* mov [r8 + retired], ecx */
	put32(s, CORE(x.retired));
	PUT(s, "\x66\x41\x83\xb8");		/* cmp word [r8 + tainted], 0 */
	put32(s, CORE(tainted));
	put8(s, 0);
	jump(s, JNE, &s->leave[0]);
}

static bool is_store(const struct plugin_known *k)
{
	return k->state != 0;
}

/* mov reg, [rbp + 8 * n]: a register of the guest. */
static void put_guest(struct stub *s, unsigned reg, unsigned n)
{
	PUT(s, "\x48\x8b");
	put8(s, 0x45 | reg << 3);
	put8(s, 8 * n);
}

/* rax = the address. */
static void put_address(struct stub *s, const struct plugin_known *k)
{
	bool near = (int64_t)k->disp == (int32_t)k->disp;

	if (k->keep && k->scale && near) {
		put_guest(s, RAX, k->base);
		put_guest(s, RCX, k->index);
		PUT(s, "\x48\x8d\x84");		/* lea rax, [rax + rcx * scale + disp] */
		put8(s, 0x08 | (unsigned)__builtin_ctz(k->scale) << 6);
		put32(s, (uint32_t)k->disp);
	} else if (k->keep && !k->scale && near) {
		put_guest(s, RAX, k->base);
		PUT(s, "\x48\x05");		/* add rax, disp */
		put32(s, (uint32_t)k->disp);
	} else {
		PUT(s, "\x48\xb8");		/* mov rax, disp */
		put64(s, k->disp);
		if (k->keep) {
			put_guest(s, RCX, k->base);
			PUT(s, "\x48\x01\xc8");	/* add rax, rcx */
		}
		if (k->scale) {
			put_guest(s, RCX, k->index);
			PUT(s, "\x48\x8d\x04");	/* lea rax, [rax + rcx * scale] */
			put8(s, 0x08 | (unsigned)__builtin_ctz(k->scale) << 6);
		}
	}
}

/* Compare the line of rax with the entry of set rdx in the table at `table`, and jump if it serves. */
static void put_compare(struct stub *s, uint32_t table, bool written, uint8_t **serves)
{
	PUT(s, "\x49\x8b\xbc\xd0");		/* mov rdi, [r8 + rdx * 8 + table] */
	put32(s, table);
	if (written) {
		PUT(s, "\x48\x31\xcf"		/* xor rdi, rcx */
		       "\x48\x83\xe7\xe3"	/* and rdi, ~(ways) */
		       "\x48\x83\xff");		/* cmp rdi, modified */
		put8(s, CACHE_MODIFIED);
		jump(s, JE, serves);
	} else {
		PUT(s, "\x48\x31\xc7"		/* xor rdi, rax */
		       "\x48\x83\xff\x3f");	/* cmp rdi, 63 */
		jump(s, JBE, serves);
	}
}

static void put_newer(struct stub *s, unsigned newer)
{
	PUT(s, "\x41\xc6\x84\x10");		/* mov byte [r8 + rdx + newer], */
	put32(s, CORE(x.newer));
	put8(s, newer);
}

/* What xcore_again() does; leaves the offset in the line in r9. */
static void put_look_up(struct stub *s, const struct plugin_known *k, bool written, uint8_t **miss)
{
	uint8_t *last = NULL, *before = NULL, *done = NULL;

	put_address(s, k);
	PUT(s, "\x41\x89\xc1\x41\x83\xe1\x3f"	/* mov r9d, eax; and r9d, 63 */
	       "\x41\x83\xf9");			/* cmp r9d, room */
	put8(s, k->room);
	jump(s, JA, miss);
	PUT(s, "\x89\xc2\xc1\xea\x06"		/* mov edx, eax; shr edx, 6 */
	       "\x83\xe2\x3f");			/* and edx, 63 */
	if (written)
		PUT(s, "\x48\x89\xc1\x48\x83\xe1\xc0");	/* mov rcx, rax; and rcx, -64 */
	put_compare(s, CORE(x.last), written, &last);
	put_compare(s, CORE(x.before), written, &before);
	jump(s, JMP, miss);
	land(s, before);
	put_newer(s, 1);
	jump(s, JMP, &done);
	land(s, last);
	put_newer(s, 0);
	land(s, done);
}

static bool same_registers(const struct plugin_known *a, const struct plugin_known *b)
{
	return a->base == b->base && a->keep == b->keep && a->index == b->index &&
	       a->scale == b->scale;
}

static bool close_by(const struct plugin_known *a, const struct plugin_known *b)
{
	uint64_t by = b->disp - a->disp;

	return same_registers(a, b) && by + 63 < 127;
}

/* Is there a store near k further on?  Then its line is looked at as one to be written. */
static bool written_later(const struct plugin_block *b, const struct plugin_known *k)
{
	for (const struct plugin_known *o = k; o < b->known + b->n; o++) {
		if (is_store(o) && close_by(k, o))
			return true;
	}
	return false;
}

/* In the line looked up last: only its offset needs a look. */
static void put_neighbour(struct stub *s, const struct plugin_known *k, uint8_t **miss)
{
	uint8_t *done = NULL;

	PUT(s, "\x41\x8d\x41");			/* lea eax, [r9 + distance] */
	put8(s, (unsigned)(k->disp - s->kept->disp));
	PUT(s, "\x83\xf8");			/* cmp eax, room */
	put8(s, k->room);
	jump(s, JBE, &done);
	put_look_up(s, k, is_store(k), miss);	/* in another line after all */
	PUT(s, "\x41\xb9\x00\x00\x00\x80");	/* mov r9d, INT_MIN: no neighbours any more */
	land(s, done);
}

static void put_access(struct stub *s, const struct plugin_known *k)
{
	uint8_t **miss = &s->leave[k - s->b->known];

	if (s->kept && close_by(s->kept, k) && (s->written || !is_store(k))) {
		put_neighbour(s, k, miss);
		return;
	}
	s->kept = k;
	s->written = written_later(s->b, k);
	put_look_up(s, k, s->written, miss);
}

/* To plugin_core_rest(core, block, from, registers). */
static void put_leave(struct stub *s, unsigned from)
{
	land(s, s->leave[from]);
	PUT(s, "\x4c\x89\xc7\xba");		/* mov rdi, r8; mov edx, from */
	put32(s, from);
	PUT(s, "\x48\x89\xe9");			/* mov rcx, rbp */
	jump_to(s, (uintptr_t)plugin_core_rest);
}

/* Room for one more stub, or NULL. */
static struct pool *open_pool(void)
{
	struct pool *p = pools;

	if (p && p->used + STUB_MOST <= POOL_BYTES)
		return p;
	p = malloc(sizeof *p);
	if (!p)
		return NULL;
	p->code = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->code == MAP_FAILED) {
		free(p);
		return NULL;
	}
	p->used = 0;
	p->next = pools;
	pools = p;
	return p;
}

qemu_plugin_exec_fn plugin_stub_make(const struct plugin_block *b)
{
	struct pool *p = open_pool();
	uint8_t *start, *out = NULL;
	struct stub s = { .b = b };
	qemu_plugin_exec_fn fn;

	if (!p)
		return NULL;
	start = s.at = p->code + p->used;
	put_start(&s, &out);
	for (unsigned i = 0; i < b->n; i++)
		put_access(&s, b->known + i);
	land(&s, out);
	PUT(&s, "\xc3");			/* ret */
	for (unsigned i = 0; i < LEN(s.leave); i++) {
		if (s.leave[i])
			put_leave(&s, i);
	}
	land(&s, s.to_start);
	PUT(&s, "\x48\x89\xea");		/* mov rdx, rbp */
	jump_to(&s, (uintptr_t)plugin_core_known);
	p->used = (size_t)(s.at - p->code + 15) & ~(size_t)15;
	memcpy(&fn, &start, sizeof fn);
	return fn;
}

void plugin_stub_flush(void)
{
	while (pools) {
		struct pool *next = pools->next;

		munmap(pools->code, POOL_BYTES);
		free(pools);
		pools = next;
	}
}

#else

qemu_plugin_exec_fn plugin_stub_make(const struct plugin_block *b)
{
	(void)b;
	return NULL;
}

void plugin_stub_flush(void)
{
}

#endif
