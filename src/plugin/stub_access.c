/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs for single accesses.  One is called with the thread's number in edi, the emulator's word on the access in esi,
 * its address in rdx and the site in rcx, and leaves these as they are until it is known whether C has to do
 * the access after all.
 */
#include "stub.h"

#include "plugin.h"
#include "pool.h"

#ifdef __x86_64__

#include "stub_parts.h"

struct stub {
	struct emit code;
	const struct plugin_block *b;
	uint8_t *to_start;			/* jumps to the call in C that leads */
};

/* The line used last, or the one before, of the set of the address; one of at most 8 bytes may cross behind 56. */
static void put_plain_compare(struct stub *s, unsigned i, bool written, uint8_t **no)
{
	PUT(s, "\x48\x89\xd0\x4b\x2b\x84\x08");	/* mov rax, rdx; sub rax, [r8 + r9 + at] */
	put32(&s->code, (written ? CORE(x.recent[0].written) : CORE(x.recent[0].line)) + 8 * i);
	PUT(s, "\x48\x83\xf8\x38");		/* cmp rax, 56 */
	jump(&s->code, JA, no);
	PUT(s, "\x43\xc6\x84\x08");		/* mov byte [r8 + r9 + newer], i */
	put32(&s->code, CORE(x.recent[0].newer));
	put8(&s->code, i);
	PUT(s, "\xc3");				/* ret */
}

/* The block is counted and its code among the lines used last, or else C does all of it. */
static void put_lead(struct stub *s)
{
	put_start(&s->code, s->b, &s->to_start);
	PUT(s, "\x49\xc7\x80");			/* mov qword [r8 + latest], 0 */
	put32(&s->code, CORE(latest));
	put32(&s->code, 0);
	for (uint64_t line = s->b->code; line < s->b->code + s->b->lines; line++) {
		PUT(s, "\x48\xb8");		/* mov rax, line */
		put64(&s->code, line);
		PUT(s, "\x49\x3b\x80");		/* cmp rax, [r8 + last_fetch] */
		put32(&s->code, CORE(x.last_fetch) + 8 * (uint32_t)(line % XCORE_SETS));
		jump(&s->code, JNE, &s->to_start);
	}
}

static void put_plain(struct stub *s, bool store, bool leads)
{
	uint8_t *other = NULL, *slow = NULL;

	if (leads) {
		put_lead(s);
	} else {
		put_here(&s->code);
		PUT(s, "\x41\x83\xb8");		/* cmp dword [r8 + left], 0 */
		put32(&s->code, CORE(x.left));
		put8(&s->code, 0);
		jump(&s->code, JLE, &slow);
	}
	PUT(s, "\x41\x89\xd1\x41\x81\xe1");	/* mov r9d, edx; and r9d, set of the address */
	put32(&s->code, (XCORE_SETS - 1) << 6);
	put_plain_compare(s, 0, store, &other);
	land(&s->code, other);
	put_plain_compare(s, 1, store, &slow);
	land(&s->code, slow);
	jump_to(&s->code, store ? (uintptr_t)plugin_core_store : (uintptr_t)plugin_core_load);
	if (!leads)
		return;
	land(&s->code, s->to_start);
	put_not_counted(&s->code, s->b);
	jump_to(&s->code, store ? (uintptr_t)plugin_core_store_leader : (uintptr_t)plugin_core_load_leader);
}

qemu_plugin_mem_fn plugin_stub_access(const struct plugin_site *site, bool leads)
{
	struct stub s = { .b = site->block };
	struct pool *p = pool_open(&s.code.at);
	qemu_plugin_mem_fn fn;

	if (!p)
		return NULL;
	put_plain(&s, site->flags & SITE_STORE, leads);
	memcpy(&fn, pool_close(p, s.code.at), sizeof fn);
	return fn;
}

#else

qemu_plugin_mem_fn plugin_stub_access(const struct plugin_site *site, bool leads)
{
	(void)site, (void)leads;
	return NULL;
}

#endif
