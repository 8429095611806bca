/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs for the start of blocks.  One is called with the thread's number in edi and the block in rsi, and finds the
 * guest's registers at rbp (registers.h):
 *
 *	r8 = plugin_here; count the block's instructions: none left?	plugin_core_due instead
 *	the block before was this one too, all in the same lines?	done
 *	each code line: used last in its set?				else plugin_core_fetch
 *	each known access: one of the two lines used last in its set?	else plugin_core_miss*
 *
 * What a call for one access cannot finish, because a value is to be followed, plugin_core_rest does.
 * Nothing is left while values are followed, and of a thread whose core is not known.
 *
 * Accesses that follow each other and are near each other are a group.  The first is looked up,
 * the others are in the same line if their offsets say so; rax keeps its offset.
 *
 * A block that jumps to its own start notes the line of each group.  When it runs again at once and
 * all groups are still there, every look-up would find what it found, and leave behind what it left:
 * so none is made.
 */
#include "stub.h"

#include "plugin.h"
#include "group.h"
#include "pool.h"

#ifdef __x86_64__

#include "stub_parts.h"

enum { RAX, RCX };

/* What is done out of line. */
struct way_out {
	uint8_t *from;				/* jumps to it, a chain */
	uint8_t *back;
	uint64_t line;				/* of code; or */
	const struct plugin_known *known;	/* not in the line used last in its set, or */
	bool neighbour;				/* ... not in that of its group */
	bool written;
};

struct stub {
	struct emit code;
	const struct plugin_block *b;
	struct way_out out[2 + PLUGIN_KNOWN_MAX];
	unsigned outs;
	struct group group[PLUGIN_KNOWN_MAX];
	unsigned groups;
	uint8_t *to_start;			/* jumps to plugin_core_due */
};

static struct way_out *way_out(struct stub *s, struct way_out o)
{
	s->out[s->outs] = o;
	return &s->out[s->outs++];
}

static void check_line(struct stub *s, uint64_t line)
{
	struct way_out *o = way_out(s, (struct way_out){ .line = line });

	PUT(s, "\x48\xb9");			/* mov rcx, line */
	put64(&s->code, line);
	PUT(s, "\x49\x3b\x88");			/* cmp rcx, [r8 + last_fetch] */
	put32(&s->code, CORE(x.last_fetch) + 8 * (uint32_t)(line % XCORE_SETS));
	jump(&s->code, JNE, &o->from);
	o->back = s->code.at;
}

static void put_code(struct stub *s)
{
	PUT(s, "\x49\x89\xb0");			/* mov [r8 + latest], rsi */
	put32(&s->code, CORE(latest));
	check_line(s, s->b->code);
	if (s->b->lines > 1)
		check_line(s, s->b->code2);
}

/* mov reg, [rbp + 8 * n]: a register of the guest. */
static void put_guest(struct stub *s, unsigned reg, unsigned n)
{
	PUT(s, "\x48\x8b");
	put8(&s->code, 0x45 | reg << 3);
	put8(&s->code, 8 * n);
}

/* rax = the address, with another displacement; rcx is lost. */
static void put_address(struct stub *s, const struct plugin_known *k, uint64_t disp)
{
	bool near = (int64_t)disp == (int32_t)disp;

	if (k->keep && k->scale && near) {
		put_guest(s, RAX, k->base);
		put_guest(s, RCX, k->index);
		PUT(s, "\x48\x8d\x84");		/* lea rax, [rax + rcx * scale + disp] */
		put8(&s->code, 0x08 | (unsigned)__builtin_ctz(k->scale) << 6);
		put32(&s->code, (uint32_t)disp);
	} else if (k->keep && !k->scale && near) {
		put_guest(s, RAX, k->base);
		if (disp) {
			PUT(s, "\x48\x05");	/* add rax, disp */
			put32(&s->code, (uint32_t)disp);
		}
	} else {
		PUT(s, "\x48\xb8");		/* mov rax, disp */
		put64(&s->code, disp);
		if (k->keep) {
			put_guest(s, RCX, k->base);
			PUT(s, "\x48\x01\xc8");	/* add rax, rcx */
		}
		if (k->scale) {
			put_guest(s, RCX, k->index);
			PUT(s, "\x48\x8d\x04");	/* lea rax, [rax + rcx * scale] */
			put8(&s->code, 0x08 | (unsigned)__builtin_ctz(k->scale) << 6);
		}
	}
}

/* edx = where the recent lines of its set stand. */
static void put_set(struct stub *s)
{
	_Static_assert(sizeof(struct xcore_recent) == 64, "as far apart as lines");
	PUT(s, "\x89\xc2\x81\xe2");		/* mov edx, eax; and edx, set of the address */
	put32(&s->code, (XCORE_SETS - 1) << 6);
}

/* rax -= recent line `i`, which goes into rcx if it is to be noted; jump unless there is room behind that. */
static void put_compare(struct stub *s, unsigned i, bool written, unsigned room, uint8_t **no)
{
	uint32_t at = (written ? CORE(x.recent[0].written) : CORE(x.recent[0].line)) + 8 * i;

	if (s->b->loops) {
		PUT(s, "\x49\x8b\x8c\x10");	/* mov rcx, [r8 + rdx + at] */
		put32(&s->code, at);
		PUT(s, "\x48\x29\xc8");		/* sub rax, rcx */
	} else {
		PUT(s, "\x49\x2b\x84\x10");	/* sub rax, [r8 + rdx + at] */
		put32(&s->code, at);
	}
	PUT(s, "\x48\x83\xf8");			/* cmp rax, room */
	put8(&s->code, room);
	jump(&s->code, JA, no);
}

static void put_newer(struct stub *s, unsigned newer)
{
	PUT(s, "\x41\xc6\x84\x10");		/* mov byte [r8 + rdx + newer], */
	put32(&s->code, CORE(x.recent[0].newer));
	put8(&s->code, newer);
}

/* What xcore_again() does for the first of the two lines. */
static void put_first(struct stub *s, const struct plugin_known *k, bool written, uint8_t **no)
{
	put_address(s, k, k->disp);
	put_set(s);
	put_compare(s, 0, written, k->room, no);
	put_newer(s, 0);
}

static void put_group(struct stub *s, unsigned i)
{
	const struct group *g = s->group + i;
	struct way_out *o = way_out(s, (struct way_out){ .known = g->first, .written = g->written });

	put_first(s, g->first, g->written, &o->from);
	o->back = s->code.at;
	if (s->b->loops) {
		PUT(s, "\x49\x89\x88");		/* mov [r8 + noted], rcx */
		put32(&s->code, CORE(noted) + 8 * i);
	}
	for (const struct plugin_known *k = g->first + 1; k < g->first + g->n; k++) {
		o = way_out(s, (struct way_out){ .known = k, .neighbour = true, .written = plugin_is_store(k) });
		PUT(s, "\x8d\x48");		/* lea ecx, [rax + distance] */
		put8(&s->code, (unsigned)(k->disp - g->first->disp));
		PUT(s, "\x83\xf9");		/* cmp ecx, room */
		put8(&s->code, k->room);
		jump(&s->code, JA, &o->from);
		o->back = s->code.at;
	}
}

/* The same block again, all groups in the lines where they were?  Else on. */
static void put_again(struct stub *s)
{
	uint8_t *no = NULL;

	PUT(s, "\x49\x3b\xb0");			/* cmp rsi, [r8 + latest] */
	put32(&s->code, CORE(latest));
	jump(&s->code, JNE, &no);
	for (unsigned i = 0; i < s->groups; i++) {
		put_address(s, s->group[i].first, s->group[i].lowest);
		PUT(s, "\x49\x2b\x80");		/* sub rax, [r8 + noted] */
		put32(&s->code, CORE(noted) + 8 * i);
		PUT(s, "\x48\x83\xf8");		/* cmp rax, room */
		put8(&s->code, s->group[i].room);
		jump(&s->code, JA, &no);
	}
	PUT(s, "\xc3");				/* ret */
	land(&s->code, no);
}

static void put_call(struct stub *s, uint64_t function)
{
	PUT(s, "\x41\x50\x4c\x89\xc7\x48\xb8");	/* push r8; mov rdi, r8; mov rax, function */
	put64(&s->code, function);
	PUT(s, "\xff\xd0\x41\x58");		/* call rax; pop r8 */
}

static void put_back(struct stub *s, const struct way_out *o)
{
	uint8_t *end = NULL;

	jump(&s->code, JMP, &end);
	land_at(end, o->back);
}

/* To plugin_core_rest(core, block, next, registers) */
static void put_rest(struct stub *s, const struct plugin_known *next)
{
	PUT(s, "\x4c\x89\xc7\x48\xbe");		/* mov rdi, r8; mov rsi, block */
	put64(&s->code, (uintptr_t)s->b);
	PUT(s, "\xba");				/* mov edx, next */
	put32(&s->code, (uint32_t)(next - s->b->known));
	PUT(s, "\x48\x89\xe9");			/* mov rcx, rbp */
	jump_to(&s->code, (uintptr_t)plugin_core_rest);
}

/* The call for an access that lies within a line, none of the two used last. */
static uint64_t missing(const struct way_out *o)
{
	unsigned flags = o->known->site->flags & (SITE_LOAD | SITE_STORE);

	if (flags == SITE_LOAD && !o->written)
		return (uintptr_t)plugin_core_miss_load;
	return flags == SITE_STORE ? (uintptr_t)plugin_core_miss_store : (uintptr_t)plugin_core_miss;
}

static void put_miss(struct stub *s, const struct way_out *o)
{
	uint8_t *across = NULL, *called = NULL, *followed = NULL;

	put_address(s, o->known, o->known->disp);
	PUT(s, "\x48\x89\xc2\x48\xbe");		/* mov rdx, rax; mov rsi, known */
	put64(&s->code, (uintptr_t)o->known);
	PUT(s, "\x83\xe0\x3f\x83\xf8");		/* and eax, 63; cmp eax, room */
	put8(&s->code, o->known->room);
	jump(&s->code, JA, &across);
	put_call(s, missing(o));
	jump(&s->code, JMP, &called);
	land(&s->code, across);
	put_call(s, (uintptr_t)plugin_core_miss);
	land(&s->code, called);
	PUT(s, "\x84\xc0");			/* test al, al */
	jump(&s->code, JNE, &followed);
	PUT(s, "\xb8\x00\x00\x00\x80");		/* mov eax, INT_MIN: no neighbours */
	put_back(s, o);
	land(&s->code, followed);
	put_rest(s, o->known + 1);
}

/* The second of the two lines, then a call. */
static void put_access(struct stub *s, const struct way_out *o)
{
	uint8_t *no = NULL, *miss = NULL, *done = NULL;

	if (o->neighbour) {
		put_first(s, o->known, o->written, &no);
		jump(&s->code, JMP, &done);
		land(&s->code, no);
	}
	put_address(s, o->known, o->known->disp);
	put_compare(s, 1, o->written, o->known->room, &miss);
	put_newer(s, 1);
	land(&s->code, done);
	if (o->neighbour) {
		PUT(s, "\xb8\x00\x00\x00\x80");	/* mov eax, INT_MIN: no neighbours */
		PUT(s, "\x31\xc9\x49\x89\x88");	/* xor ecx, ecx; mov [r8 + latest], rcx */
		put32(&s->code, CORE(latest));
	}
	put_back(s, o);
	land(&s->code, miss);
	put_miss(s, o);
}

static void put_way_out(struct stub *s, const struct way_out *o)
{
	land(&s->code, o->from);
	if (o->known) {
		put_access(s, o);
		return;
	}
	PUT(s, "\x48\xbe");			/* mov rsi, line */
	put64(&s->code, o->line);
	put_call(s, (uintptr_t)plugin_core_fetch);
	put_back(s, o);
}

static void put_stub(struct stub *s)
{
	s->groups = group_find(s->b, s->group);
	put_start(&s->code, s->b, &s->to_start);
	if (s->b->loops)
		put_again(s);
	put_code(s);
	for (unsigned i = 0; i < s->groups; i++)
		put_group(s, i);
	PUT(s, "\xc3");				/* ret */
	for (unsigned i = 0; i < s->outs; i++)
		put_way_out(s, s->out + i);
	land(&s->code, s->to_start);
	put_not_counted(&s->code, s->b);
	PUT(s, "\x48\x89\xea");			/* mov rdx, rbp */
	jump_to(&s->code, (uintptr_t)plugin_core_due);
}

qemu_plugin_exec_fn plugin_stub_make(const struct plugin_block *b)
{
	struct stub s = { .b = b };
	struct pool *p = pool_open(&s.code.at);
	qemu_plugin_exec_fn fn;

	if (!p)
		return NULL;
	put_stub(&s);
	memcpy(&fn, pool_close(p, s.code.at), sizeof fn);
	return fn;
}

#else

qemu_plugin_exec_fn plugin_stub_make(const struct plugin_block *b)
{
	(void)b;
	return NULL;
}

#endif
