/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin without an emulator: blocks of code written out by hand are translated, run as
 * the emulator would run them, and what comes out of the ring is counted; once with a call for
 * every access, once with the registers at the start of a block.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "emulate.h"
#include "plugin/plugin.h"
#include "plugin/region.h"
#include "plugin/registers.h"
#include "plugin/qemu_plugin.h"

/* The emulator's side, played. */

struct qemu_plugin_insn {
	const char *code;
	size_t size;
	uint64_t vaddr;
	qemu_plugin_mem_fn on_access;
	qemu_plugin_exec_fn on_execution;
	void *data;
};

struct qemu_plugin_tb {
	size_t n;
	struct qemu_plugin_insn insn[8];
	unsigned calls;
	qemu_plugin_exec_fn on_block[2];
	void *data[2];
};

enum { SHIFT_MASK = 15, IS_STORE = 16 };	/* our own layout of an access's info */

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->n;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i)
{
	return (struct qemu_plugin_insn *)(uintptr_t)&tb->insn[i];
}

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->code;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->vaddr;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_fn fn,
					  int flags, void *data)
{
	CHECK_EQ(__LINE__, flags, QEMU_PLUGIN_CB_NO_REGS);
	CHECK_EQ(__LINE__, tb->calls < LEN(tb->on_block), 1);
	tb->on_block[tb->calls] = fn;
	tb->data[tb->calls++] = data;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_fn fn,
				      int flags, int rw, void *data)
{
	CHECK_EQ(__LINE__, flags, QEMU_PLUGIN_CB_NO_REGS);
	CHECK_EQ(__LINE__, rw, QEMU_PLUGIN_MEM_RW);
	insn->on_access = fn;
	insn->data = data;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_fn fn,
					    int flags, void *data)
{
	CHECK_EQ(__LINE__, flags, QEMU_PLUGIN_CB_NO_REGS);
	insn->on_execution = fn;
	insn->data = data;
}

/* None of these programs marks a region. */
void plugin_region_find(struct qemu_plugin_insn *insn)
{
	(void)insn;
}

unsigned qemu_plugin_mem_size_shift(uint32_t info)
{
	return info & SHIFT_MASK;
}

bool qemu_plugin_mem_is_store(uint32_t info)
{
	return info & IS_STORE;
}

/* One access of instruction `insn` of the block; the table of accesses ends with size 0. */
struct access {
	unsigned insn;
	char way;			/* r, w; h: a hint; -: none, but the instruction is told of */
	unsigned size;			/* bytes, in pieces of at most 8 */
	uint64_t addr;
};

struct instruction {
	const char *code;
	unsigned size;
};

struct totals {
	unsigned kind[LEAVE_KINDS];
	unsigned dependent;
	uint64_t instructions;
};

enum { RCX = 1, STACK = 4, RSI = 6, RDI = 7 };

#define CODE UINT64_C(0x400100)
#define DATA UINT64_C(0x7f0000000000)

static const struct row {
	int line;
	struct instruction block[8];
	unsigned rounds;		/* times the block runs; addresses move a page on each time */
	struct access access[8];
	uint64_t instructions;
	unsigned drd, rfo, dirty, lock, wcil, wcilf, dependent;
	/* Of a repeated instruction: rcx, and how many of the RFO are ItoM if it can be seen. */
	uint64_t count;
	unsigned itom;
	bool downwards;
	unsigned ahead, flush, written;
	bool unheard;			/* not seen where hints have no calls */
} rows[] = {
	/* mov rax, [rdi]; add rax, 1; je */
	{ LINE, { { "\x48\x8b\x07", 3 }, { "\x48\x83\xc0\x01", 4 }, { "\x74\x05", 2 } }, 10,
	  { { 0, 'r', 8, 0 } }, .instructions = 30, .drd = 10 },
	/* No access: a call of its own counts. */
	{ LINE, { { "\x48\x83\xc0\x01", 4 }, { "\x74\x05", 2 } }, 7, { { 0 } }, .instructions = 14 },
	/* A vector of 16 bytes is one access, even as what the block is counted by; of 32, too. */
	{ LINE, { { "\x66\x0f\x28\x07", 4 }, { "\x74\x05", 2 } }, 10,
	  { { 0, 'r', 16, 0 } }, .instructions = 20, .drd = 10 },
	{ LINE, { { "\xc5\xfd\x6f\x07", 4 }, { "\x74\x05", 2 } }, 10,
	  { { 0, 'r', 32, 32 } }, .instructions = 20, .drd = 10 },
	/* The same across two lines: two accesses. */
	{ LINE, { { "\x66\x0f\x28\x07", 4 }, { "\x74\x05", 2 } }, 10,
	  { { 0, 'r', 16, 56 } }, .instructions = 20, .drd = 20 },
	{ LINE, { { "\x48\x8b\x07", 3 } }, 10, { { 0, 'r', 8, 60 } }, .instructions = 10, .drd = 20 },
	{ LINE, { { "\x48\x89\x07", 3 } }, 10, { { 0, 'w', 8, 60 } }, .instructions = 10, .rfo = 20 },
	/* add [rdi], rax: a load, then the first write of an exclusive line.  With lock: RFO. */
	{ LINE, { { "\x48\x01\x07", 3 } }, 5, { { 0, 'r', 8, 0 }, { 0, 'w', 8, 0 } },
	  .instructions = 5, .drd = 5, .dirty = 5 },
	{ LINE, { { "\xf0\x48\x01\x07", 4 } }, 5, { { 0, 'r', 8, 0 }, { 0, 'w', 8, 0 } },
	  .instructions = 5, .rfo = 5 },
	{ LINE, { { "\xf0\x48\x01\x07", 4 } }, 5, { { 0, 'r', 8, 60 }, { 0, 'w', 8, 60 } },
	  .instructions = 5, .rfo = 10, .lock = 5 },
	/* As one call, the way it comes when threads run in parallel. */
	{ LINE, { { "\xf0\x48\x01\x07", 4 } }, 5, { { 0, 'w', 8, 0 } }, .instructions = 5, .rfo = 5 },
	/* movntdq: half a line is pushed out by the next ones, or at the end. */
	{ LINE, { { "\x66\x0f\xe7\x07", 4 }, { "\x66\x0f\xe7\x47\x10", 5 } }, 5,
	  { { 0, 'w', 16, 0 }, { 1, 'w', 16, 16 } }, .instructions = 10, .wcil = 5 },
	{ LINE, { { "\x66\x0f\xe7\x07", 4 } }, 5,
	  { { 0, 'w', 16, 0 }, { 0, 'w', 16, 16 }, { 0, 'w', 16, 32 }, { 0, 'w', 16, 48 } },
	  .instructions = 5, .wcilf = 5 },
	/* movnti, sfence, movnti: two parts of each line.  With mfence, and with a locked instruction elsewhere. */
	{ LINE, { { "\x0f\xc3\x07", 3 }, { "\x0f\xae\xf8", 3 }, { "\x0f\xc3\x47\x04", 4 } }, 5,
	  { { 0, 'w', 4, 0 }, { 1, '-', 1, 0 }, { 2, 'w', 4, 4 } }, .instructions = 15, .wcil = 10 },
	{ LINE, { { "\x0f\xc3\x07", 3 }, { "\x0f\xae\xf0", 3 }, { "\x0f\xc3\x47\x04", 4 } }, 5,
	  { { 0, 'w', 4, 0 }, { 1, '-', 1, 0 }, { 2, 'w', 4, 4 } }, .instructions = 15, .wcil = 10 },
	{ LINE, { { "\x0f\xc3\x07", 3 }, { "\xf0\x48\x01\x07", 4 }, { "\x0f\xc3\x47\x04", 4 } }, 5,
	  { { 0, 'w', 4, 0 }, { 1, 'r', 8, 64 }, { 1, 'w', 8, 64 }, { 2, 'w', 4, 4 } }, .instructions = 15,
	  .wcil = 10, .rfo = 5 },
	/* mov rax, [rax]: each made with the last; mov rax, [rdi]: none. */
	{ LINE, { { "\x48\x8b\x00", 3 }, { "\x74\x05", 2 } }, 10,
	  { { 0, 'r', 8, 0 } }, .instructions = 20, .drd = 10, .dependent = 9 },
	/* mov rcx, [rdi]; lea rdx, [rcx+rcx]; mov rdx, [rdx]; movzx ecx, al; mov rdx, [rcx] */
	{ LINE, { { "\x48\x8b\x0f", 3 }, { "\x48\x8d\x14\x09", 4 }, { "\x48\x8b\x12", 3 } }, 10,
	  { { 0, 'r', 8, 0 }, { 2, 'r', 8, 1 << 20 } },
	  .instructions = 30, .drd = 20, .dependent = 10 },
	{ LINE, { { "\x48\x8b\x0f", 3 }, { "\x0f\xb6\xc8", 3 }, { "\x48\x8b\x11", 3 } }, 10,
	  { { 0, 'r', 8, 0 }, { 2, 'r', 8, 1 << 20 } }, .instructions = 30, .drd = 20 },
	/* mov rax, [rdi]; mov [rsi+8], rdx: a load, then the first write of an exclusive line. */
	{ LINE, { { "\x48\x8b\x07", 3 }, { "\x48\x89\x56\x08", 4 } }, 10,
	  { { 0, 'r', 8, 0 }, { 1, 'w', 8, 8 } }, .instructions = 20, .drd = 10, .dirty = 10 },
	/* push rax; push rbx; pop rcx: the two stores are to one line, the load hits it. */
	{ LINE, { { "\x50", 1 }, { "\x53", 1 }, { "\x59", 1 } }, 10,
	  { { 0, 'w', 8, 56 }, { 1, 'w', 8, 48 }, { 2, 'r', 8, 48 } },
	  .instructions = 30, .rfo = 10 },
	/* rep stosb: rounds of one instruction. */
	{ LINE, { { "\xf3\xaa", 2 } }, 10, { { 0, 'w', 1, 0 } }, .instructions = 1, .rfo = 10, .count = 64,
	  .itom = 10 },
	{ LINE, { { "\xf3\xaa", 2 } }, 10, { { 0, 'w', 1, 0 } }, .instructions = 1, .rfo = 10, .count = 63 },
	{ LINE, { { "\xf3\xaa", 2 } }, 10, { { 0, 'w', 1, 1 } }, .instructions = 1, .rfo = 10, .count = 640 },
	{ LINE, { { "\xf3\xaa", 2 } }, 10, { { 0, 'w', 1, 0 } }, .instructions = 1, .rfo = 10, .count = 640,
	  .downwards = true },
	{ LINE, { { "\x67\xf3\xaa", 3 } }, 10, { { 0, 'w', 1, 0 } }, .instructions = 1, .rfo = 10, .count = 640 },
	/* rep stosq across two lines: the second is filled by this word's last 4 bytes and 8 words more. */
	{ LINE, { { "\xf3\x48\xab", 3 } }, 10, { { 0, 'w', 8, 60 } }, .instructions = 1, .rfo = 20, .count = 9,
	  .itom = 10 },
	{ LINE, { { "\xf3\x48\xab", 3 } }, 10, { { 0, 'w', 8, 60 } }, .instructions = 1, .rfo = 20, .count = 8 },
	/* All that there are. */
	{ LINE, { { "\xf3\x48\xab", 3 } }, 10, { { 0, 'w', 8, 0 } }, .instructions = 1, .rfo = 10,
	  .count = UINT64_MAX, .itom = 10 },
	/* rep movsq, from far away and from the line before. */
	{ LINE, { { "\xf3\x48\xa5", 3 } }, 10, { { 0, 'r', 8, 1 << 20 }, { 0, 'w', 8, 0 } }, .instructions = 1,
	  .drd = 10, .rfo = 10, .count = 8, .itom = 10 },
	{ LINE, { { "\xf3\x48\xa5", 3 } }, 10, { { 0, 'r', 8, 0 }, { 0, 'w', 8, 64 } }, .instructions = 1,
	  .drd = 10, .rfo = 10, .count = 8, .itom = 10 },
	{ LINE, { { "\xf3\x48\xa5", 3 } }, 10, { { 0, 'r', 8, 8 }, { 0, 'w', 8, 64 } }, .instructions = 1,
	  .drd = 10, .rfo = 10, .count = 8 },
	{ LINE, { { "\xf3\x48\xa5", 3 } }, 10, { { 0, 'r', 8, 120 }, { 0, 'w', 8, 64 } }, .instructions = 1,
	  .drd = 10, .dirty = 10, .count = 8 },
	/* prefetcht0 [rdi]; mov rax, [rdi]: a load that hits.  What is not mapped is left alone. */
	{ LINE, { { "\x0f\x18\x0f", 3 }, { "\x48\x8b\x07", 3 } }, 10,
	  { { 0, 'h', 1, 0 }, { 1, 'r', 8, 0 } }, .instructions = 20, .ahead = 10 },
	{ LINE, { { "\x0f\x18\x0f", 3 }, { "\x74\x05", 2 } }, 10, { { 0, 'h', 1, 1 << 30 } }, .instructions = 20 },
	/* mov rax, [rdi]; prefetchnta [rax]: made with what is loaded, as is what mov rcx, [rax+64] then loads. */
	{ LINE, { { "\x48\x8b\x07", 3 }, { "\x0f\x18\x00", 3 }, { "\x48\x8b\x48\x40", 4 } }, 10,
	  { { 0, 'r', 8, 0 }, { 1, 'h', 1, 1 << 16 }, { 2, 'r', 8, (1 << 16) + 64 } }, .instructions = 30, .drd = 20, .ahead = 10,
	  .dependent = 20, .unheard = true },
	/* mov [rdi], rax; clflush [rdi]; mov rax, [rdi]: in this order. */
	{ LINE, { { "\x48\x89\x07", 3 }, { "\x0f\xae\x3f", 3 }, { "\x48\x8b\x07", 3 } }, 10,
	  { { 0, 'w', 8, 0 }, { 1, 'h', 1, 0 }, { 2, 'r', 8, 0 } }, .instructions = 30, .rfo = 10, .drd = 10, .flush = 10,
	  .written = 10, .unheard = true },
	/* A jump at the end of which only a part is listed belongs to the next block. */
	{ LINE, { { "\x48\x8b\x07", 3 }, { "\x0f\x84\0", 3 } }, 4,
	  { { 0, 'r', 8, 0 } }, .instructions = 4, .drd = 4 },
};

static void translate(const struct row *r, struct qemu_plugin_tb *tb)
{
	uint64_t at = CODE;

	memset(tb, 0, sizeof *tb);
	for (; tb->n < LEN(r->block) && r->block[tb->n].size; tb->n++) {
		tb->insn[tb->n].code = r->block[tb->n].code;
		tb->insn[tb->n].size = r->block[tb->n].size;
		tb->insn[tb->n].vaddr = at;
		at += r->block[tb->n].size;
	}
	plugin_site_translate(tb);
}

/* All registers hold the address of the first access, the stack pointer that of a push; those of strings theirs. */
static struct plugin_registers set_registers(const struct row *r, uint64_t page)
{
	struct plugin_registers reg = { .direction = r->downwards ? -1 : 1 };

	for (unsigned i = 0; i < LEN(reg.general); i++)
		reg.general[i] = page + r->access[0].addr;
	reg.general[STACK] += 8;		/* a push stores below */
	if (!r->count)
		return reg;
	reg.general[RCX] = r->count;
	for (const struct access *a = r->access; a->size; a++)
		reg.general[a->way == 'w' ? RDI : RSI] = page + a->addr;
	return reg;
}

/* known: those calls that the block needs. */
static void execute(const struct row *r, struct qemu_plugin_tb *tb, unsigned round, bool known)
{
	uint64_t page = DATA + 4096 * (uint64_t)round;
	struct plugin_registers reg = set_registers(r, page);

	for (unsigned i = 0; i < tb->calls; i++)
		emulate_call(0, tb->data[i], &reg, tb->on_block[i]);
	for (unsigned i = 0; i < LEN(r->access) && r->access[i].size; i++) {
		const struct access *a = r->access + i;
		struct qemu_plugin_insn *insn = &tb->insn[a->insn];

		if (a->way == '-') {
			CHECK_EQ(r->line, insn->on_execution != NULL, 1);
			insn->on_execution(0, insn->data);
			continue;
		}
		CHECK_EQ(r->line, insn->on_access != NULL || known, 1);
		for (unsigned done = 0; insn->on_access && done < a->size; done += 8) {
			unsigned size = a->size < 8 ? a->size : 8;

			emulate_access(0, (uint32_t)__builtin_ctz(size) | (a->way == 'w' ? IS_STORE : 0),
				       page + a->addr + done, insn->data, &reg, insn->on_access);
		}
	}
}

static void count(struct ring *ring, struct totals *t)
{
	uint64_t n = ring_waiting(ring);

	for (uint64_t i = 0; i < n; i++) {
		const struct leave_record *rec = ring_at(ring, i);

		t->kind[rec->kind]++;
		/* Of a store the same bit says that it is locked. */
		t->dependent += rec->kind != LEAVE_RFO && (rec->flags & LEAVE_DEPENDENT);
		t->instructions += rec->instructions;
	}
}

static void run(const struct row *r, bool known)
{
	struct qemu_plugin_tb tb;
	struct ring_segment *s;
	struct totals t = { 0 };
	int fd;

	CHECK_EQ(r->line, ring_create(&fd, &s), 0);
	plugin_cores[0] = plugin_core_new(s, 0);
	CHECK_EQ(r->line, plugin_cores[0] != NULL, 1);
	/* Hardware prefetches are counted elsewhere. */
	plugin_cores[0]->x.prefetch.enabled = 0;
	plugin_registers_found = known;
	translate(r, &tb);
	for (unsigned i = 0; i < r->rounds; i++)
		execute(r, &tb, i, known);
	plugin_core_flush(plugin_cores[0], LEAVE_TICK);
	count(&s->ring[0], &t);
	CHECK_EQ(r->line, t.instructions, r->instructions);
	CHECK_EQ(r->line, t.kind[LEAVE_DRD], r->drd);
	CHECK_EQ(r->line, t.kind[LEAVE_RFO], r->rfo - (known ? r->itom : 0));
	CHECK_EQ(r->line, t.kind[LEAVE_ITOM], known ? r->itom : 0);
	CHECK_EQ(r->line, t.kind[LEAVE_DIRTY], r->dirty);
	CHECK_EQ(r->line, t.kind[LEAVE_LOCK], r->lock);
	CHECK_EQ(r->line, t.kind[LEAVE_WCIL], r->wcil);
	CHECK_EQ(r->line, t.kind[LEAVE_WCILF], r->wcilf);
	CHECK_EQ(r->line, t.kind[LEAVE_AHEAD], r->ahead);
	CHECK_EQ(r->line, t.kind[LEAVE_CLFLUSH], r->flush);
	CHECK_EQ(r->line, t.kind[LEAVE_WB_M], r->written);
	CHECK_EQ(r->line, t.dependent, r->dependent);
	CHECK_EQ(r->line, t.kind[LEAVE_CRD], 1);
	plugin_core_free(plugin_cores[0]);
	plugin_cores[0] = NULL;
	/* A thread that is not traced costs nothing and breaks nothing. */
	execute(r, &tb, 0, known);
	plugin_site_flush();
	ring_unmap(s);
	close(fd);
}

/* The first block that is translated tells whether the registers are where they should be. */
static void find_registers(void)
{
	struct qemu_plugin_tb tb;
	struct plugin_registers reg = { .pointer = CODE };

	translate(rows, &tb);
	CHECK_EQ(__LINE__, tb.calls, 1);
	reg.pointer++;
	emulate_call(0, tb.data[0], &reg, tb.on_block[0]);
	CHECK_EQ(__LINE__, plugin_registers_found, 0);
	reg.pointer--;
	emulate_call(0, tb.data[0], &reg, tb.on_block[0]);
	CHECK_EQ(__LINE__, plugin_registers_found, 1);
	plugin_site_flush();
}

/* Memory that prefetches find. */
static void map_data(void)
{
	void *want = (void *)(uintptr_t)DATA;

	CHECK(mmap(want, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == want);
}

int main(void)
{
	map_data();
	find_registers();
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		plugin_hears_hints = true;
		run(r, false);
		run(r, true);
		plugin_hears_hints = false;
		if (!r->unheard)
			run(r, true);
	}
	return check_done();
}
