/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generated code against the C it stands for: random blocks of known accesses, run with random
 * registers on two cores, leave the same state and the same records.
 */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "emulate.h"
#include "plugin/plugin.h"
#include "plugin/stub.h"

#define DATA_AT(k) (UINT64_C(0x7f0000000000) + (uint64_t)(k) * 0x3000 + random_next(1 << 14))

enum { BLOCKS = 400, RUNS = 40, MOST = 12 };

static uint64_t seed = 88172645463325252;

static uint64_t random_next(uint64_t below)
{
	return check_random(&seed) % below;
}

struct code {
	struct plugin_block b;
	struct plugin_known known[MOST];
	struct plugin_site site[MOST];
};

/* The emulator's; blocks of known accesses do not ask it. */
unsigned qemu_plugin_mem_size_shift(uint32_t info)
{
	return info;
}

bool qemu_plugin_mem_is_store(uint32_t info)
{
	return info;
}

/* Mostly near each other, as a program's are, on few registers; some far, some absolute. */
static struct plugin_known make_known(const struct plugin_site *site)
{
	static const uint8_t bytes[] = { 1, 2, 4, 8, 16, 32 };
	struct plugin_known k = {
		.disp = random_next(4) ? random_next(160) - 80 : random_next(1 << 20),
		.room = (uint8_t)(64 - bytes[random_next(LEN(bytes))]), .site = site,
		.state = site->flags & SITE_STORE ? CACHE_MODIFIED : 0,
	};

	if (!random_next(16)) {
		k.disp = UINT64_C(0x555500000000) + random_next(1 << 13);
		return k;
	}
	if (random_next(8)) {
		k.base = (uint8_t)random_next(3);
		k.keep = UINT64_MAX;
	}
	if (!random_next(3) || !k.keep) {
		k.index = (uint8_t)(3 + random_next(2));
		k.scale = (uint8_t)(1 << random_next(4));
	}
	if (!random_next(32))
		k.disp += UINT64_C(1) << 33;
	return k;
}

static void make_code(struct code *code)
{
	uint64_t at = random_next(1 << 16);

	*code = (struct code){ .b = {
		.code = at, .code2 = at + 1, .lines = 2, .plain = true,
		.instructions = (uint16_t)(1 + random_next(40)), .n = (uint16_t)random_next(MOST + 1),
		.known = code->known, .first = code->site, .loops = random_next(2),
	} };
	if (random_next(2)) {
		code->b.lines = 1;
		code->b.code2 = at;
	}
	for (unsigned i = 0; i < code->b.n; i++) {
		code->site[i] = (struct plugin_site){
			.next = i + 1U < code->b.n ? code->site + i + 1 : NULL, .block = &code->b,
			.known = (uint16_t)i, .ip = (uint8_t)(7 * i), .to = (uint16_t)random_next(4),
			.flags = (uint8_t)(1 + random_next(3)), .address = (uint16_t)random_next(8),
		};
		code->known[i] = make_known(code->site + i);
		code->known[i].registers = code->site[i].address;
		code->b.touched |= code->site[i].address | code->site[i].to;
		if (code->site[i].to)
			code->b.loads |= UINT64_C(1) << i;
	}
	if (!code->b.n)
		code->b.first = NULL;
}

/* Everything but pointers of its own. */
static void compare(int line, const struct plugin_core *a, const struct plugin_core *b)
{
	CHECK_EQ(line, memcmp(a->x.recent, b->x.recent, sizeof a->x.recent), 0);
	CHECK_EQ(line, memcmp(a->x.last_fetch, b->x.last_fetch, sizeof a->x.last_fetch), 0);
	CHECK_EQ(line, a->x.left, b->x.left);
	CHECK_EQ(line, a->x.span, b->x.span);
	CHECK_EQ(line, a->x.held, b->x.held);
	CHECK_EQ(line, a->x.l1_misses, b->x.l1_misses);
	CHECK_EQ(line, a->x.l2_hits, b->x.l2_hits);
	CHECK_EQ(line, a->tainted, b->tainted);
	CHECK_EQ(line, a->tainted_until, b->tainted_until);
	CHECK_EQ(line, a->at == b->at, 1);
	CHECK_EQ(line, a->x.told, b->x.told);
	CHECK_EQ(line, a->writer.head, b->writer.head);
}

static void compare_records(int line, struct ring *a, struct ring *b)
{
	uint64_t tail = atomic_load(&a->tail), n = ring_waiting(a);

	CHECK_EQ(line, n, ring_waiting(b));
	for (uint64_t i = tail; i < tail + n; i++)
		CHECK_EQ(line, memcmp(ring_at(a, i), ring_at(b, i), sizeof *ring_at(a, i)), 0);
	ring_consume(a, tail + n);
	ring_consume(b, tail + n);
}

enum { SITES = 64 };

/* Calls of single accesses, one that leads its block or one within, beside the C they stand for. */
static void test_accesses(struct ring_segment *const segment[2])
{
	static struct code code[SITES];
	qemu_plugin_mem_fn stub[SITES], in_c[SITES];

	for (unsigned i = 0; i < SITES; i++) {
		struct plugin_site *s = code[i].site;
		bool leads = random_next(2), store = random_next(2);

		make_code(code + i);
		*s = (struct plugin_site){ .block = &code[i].b, .known = SITE_UNKNOWN, .parts = 1, .ip = (uint8_t)i,
					   .flags = store ? SITE_STORE : SITE_LOAD, .address = 1,
					   .to = store ? 0 : (uint16_t)random_next(4) };
		if (leads)
			s->flags |= SITE_FIRST;
		stub[i] = plugin_stub_access(s, leads);
		in_c[i] = leads ? store ? plugin_core_store_leader : plugin_core_load_leader :
				  store ? plugin_core_store : plugin_core_load;
	}
	for (unsigned i = 0; i < SITES * 400 && stub[0] && !check_failures; i++) {
		unsigned n = (unsigned)random_next(SITES), shift = (unsigned)random_next(4);
		uint64_t at = DATA_AT(random_next(3));

		for (unsigned again = 1 + (unsigned)random_next(6); again; again--, at += 1U << shift) {
			stub[n](0, shift, at, code[n].site);
			in_c[n](1, shift, at, code[n].site);
			plugin_here = plugin_cores[0];
			compare(__LINE__, plugin_cores[0], plugin_cores[1]);
		}
		compare_records(__LINE__, segment[0]->ring, segment[1]->ring);
	}
	for (unsigned i = 0; i < 2; i++)
		plugin_core_forget_sites(plugin_cores[i]);
}

int main(void)
{
	static struct code code[BLOCKS];
	qemu_plugin_exec_fn stub[BLOCKS];
	struct ring_segment *s[2];
	int fd[2];

	/* Each by itself: threads of one program would take turns. */
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(__LINE__, ring_create(&fd[i], &s[i]), 0);
		plugin_cores[i] = plugin_core_new(s[i], 0);
	}
	for (unsigned i = 0; i < BLOCKS; i++) {
		make_code(code + i);
		stub[i] = plugin_stub_make(&code[i].b);
#ifdef __x86_64__
		CHECK_EQ(__LINE__, stub[i] != NULL, 1);
#endif
	}
	for (unsigned i = 0; i < BLOCKS * RUNS && !check_failures; i++) {
		unsigned n = (unsigned)random_next(BLOCKS);
		uint64_t reg[17];

		if (!stub[n])
			break;
		for (unsigned k = 0; k < LEN(reg); k++)
			reg[k] = k < 3 ? DATA_AT(k) : random_next(512);
		/* Often in step with the run before: the lines used last; as a loop goes through arrays. */
		uint64_t step = random_next(3) * random_next(20);

		for (unsigned again = 1 + (unsigned)random_next(6); again; again--) {
			emulate_call(0, &code[n].b, reg, stub[n]);
			plugin_core_known(1, &code[n].b, reg);
			compare(__LINE__, plugin_cores[0], plugin_cores[1]);
			for (unsigned k = 0; k < LEN(reg); k++)
				reg[k] += step;
		}
		compare_records(__LINE__, s[0]->ring, s[1]->ring);
	}
	test_accesses(s);
	plugin_stub_flush();
	for (unsigned i = 0; i < 2; i++)
		plugin_core_free(plugin_cores[i]);
	for (unsigned i = 0; i < 2; i++) {
		ring_unmap(s[i]);
		close(fd[i]);
	}
	return check_done();
}
