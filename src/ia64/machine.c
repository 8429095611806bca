// SPDX-License-Identifier: BSD-2-Clause
/* Code and the loop that executes it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "linux.h"

/* The page whose code holds an operation: mostly the last one that was entered. */
uint64_t machine_ip(struct ia64 *m, const struct ia64_op *op)
{
	return (m->code_page->number << PAGE_BITS) + (uint64_t)(op - m->code_page->code->op) / 3 * 16;
}

const struct ia64_op *machine_stop(struct ia64 *m, const struct ia64_op *op, const char *reason, uint64_t address)
{
	uint64_t ip = machine_ip(m, op);
	struct ia64_bundle bundle;
	char text[128];

	memcpy(&bundle, m->code_page->data + (ip & (PAGE_SIZE - 1)), sizeof bundle);
	ia64_disassemble(text, sizeof text, &bundle, op->slot, ip);
	m->stop = (struct ia64_stop){ .why = IA64_FAULTED, .ip = ip, .slot = op->slot, .address = address };
	snprintf(m->stop.reason, sizeof m->stop.reason, "%s at %#" PRIx64 " slot %u %s: %#" PRIx64, text, ip, op->slot,
		 m->exhausted ? "finds no memory of this computer's left" : reason, address);
	return NULL;
}

static ia64_run_fn *const runs[RUNS] = {
#define ENCODING_RUN(name, number) [number] = run_##name,
#include "ia64_encodings.h"
#undef ENCODING_RUN
};

/* Details that an operation needs beside its operands: the own predicate of .unc, multiply-add's kind and precision. */
static void complete(struct ia64_op *op, enum run run, uint64_t insn)
{
	unsigned major = insn >> 37 & 15;
	bool unc = ((run == RUN_CMP || run == RUN_CMP_IMM) && op->x[2]) || (run == RUN_FCMP && op->x[1]) ||
		   ((run == RUN_TBIT || run == RUN_TNAT || run == RUN_TF || run == RUN_FCLASS) && op->x[0]);

	if (unc) {
		op->k = op->qp;
		op->qp = 0;
	}
	if (run == RUN_FMA || run == RUN_FPMA) {
		op->x[3] = insn >> 34 & 3;
		op->k = (uint8_t)((major - 8) / 2 << 4 | (insn >> 36 & 1 ? FP_PC_S : major & 1 ? FP_PC_D : FP_PC_DYN));
	}
	if (run == RUN_FRCPA || run == RUN_FRSQRTA)
		op->r4 = (uint8_t)major;
}

static ia64_run_fn decode_first;

/* The second half of a wide instruction: never counted, only met by a jump into the middle. */
static const struct ia64_op *skip(struct ia64 *m, const struct ia64_op *op)
{
	m->uncounted++;
	return op + 1;
}

/* An operation that has not been decoded: decode it and count what it does then, not this. */
static const struct ia64_op *decode_first(struct ia64 *m, const struct ia64_op *op)
{
	struct ia64_op *into = &m->code_page->code->op[op - m->code_page->code->op];
	unsigned slot = (unsigned)(op - m->code_page->code->op) % 3;
	uint64_t ip = machine_ip(m, op);
	struct ia64_bundle bundle;
	enum run run = RUN_NOP;

	memcpy(&bundle, m->code_page->data + (ip & (PAGE_SIZE - 1)), sizeof bundle);
	if (!ia64_decode(&bundle, slot, into, &run))
		return machine_stop(m, op, "is a reserved encoding", bundle.low);
	m->uncounted++;
	into->run = into->form ? runs[run] : skip;
	complete(into, run, ia64_slot(&bundle, into->wide ? 2 : slot));
	return into;
}

static const struct ia64_op *next_page(struct ia64 *m, const struct ia64_op *op)
{
	m->uncounted++;
	(void)op;
	return machine_jump(m, NULL, (m->code_page->number + 1) << PAGE_BITS);
}

void machine_forget_code(struct page *page)
{
	enum { LAST = PAGE_SIZE / 16 * 3 };

	for (unsigned i = 0; i < LAST; i++)
		page->code->op[i] = (struct ia64_op){ .run = decode_first, .slot = i % 3 };
	page->code->op[LAST].run = next_page;
}

static bool make_code(struct page *page)
{
	page->code = calloc(1, sizeof *page->code);
	if (page->code)
		machine_forget_code(page);
	return page->code;
}

const struct ia64_op *machine_jump(struct ia64 *m, const struct ia64_op *op, uint64_t ip)
{
	struct page *page = m->code_page;

	if (!page || m->code_left || page->number != ip >> PAGE_BITS) {
		page = memory_page(m, ip, IA64_EXEC);
		if (!page || (!page->code && !make_code(page))) {
			m->stop = (struct ia64_stop){ .why = IA64_FAULTED, .ip = ip };
			snprintf(m->stop.reason, sizeof m->stop.reason, "no code is mapped at %#" PRIx64 "%s", ip,
				 op ? ", where a branch leads" : "");
			return NULL;
		}
		m->code_page = page;
		m->code_left = false;
	}
	return &page->code->op[(ip & (PAGE_SIZE - 1)) / 16 * 3];
}

static inline const struct ia64_op *step(struct ia64 *m, const struct ia64_op *op, const struct ia64_observer *observer,
					 const bool observed)
{
	bool on = m->pr >> op->qp & 1;

	if (observed && op->form)
		observer->retire(observer->context, m, op, machine_ip(m, op), on);
	return on ? op->run(m, op) : next_op(op);
}

static inline void loop(struct ia64 *m, const struct ia64_op *op, const struct ia64_observer *observer, const bool observed,
			const bool timed, uint64_t until)
{
	uint64_t done = m->retired;

	m->uncounted = 0;
	while (op && done - m->uncounted < until && (!timed || m->itc < m->linux_state.turn_end)) {
		op = step(m, op, observer, observed);
		done++;
	}
	m->retired = done - m->uncounted;
	if (op)
		m->stop = (struct ia64_stop){ .why = IA64_RUNNING, .ip = machine_ip(m, op), .slot = op->slot };
}

static void limit_reached(struct ia64 *m)
{
	m->stop.why = IA64_LIMIT;
	snprintf(m->stop.reason, sizeof m->stop.reason, "the limit of %" PRIu64 " instructions is reached", m->limit);
}

/* In a handler of a fault, or with another thread. */
static bool goes_on(struct ia64 *m)
{
	return m->stop.why == IA64_FAULTED ? linux_fault(m) : m->stop.why == IA64_RUNNING && linux_turn(m);
}

/* Until so many have retired, or the turn is over. */
static void run_turn(struct ia64 *m, const struct ia64_op *op, const struct ia64_observer *observer, uint64_t until)
{
	if (observer && m->linux_state.on && m->linux_state.turn_end != NEVER)
		loop(m, op, observer, true, true, until);
	else if (observer)
		loop(m, op, observer, true, false, until);
	else
		loop(m, op, NULL, false, false, until);
}

static const struct ia64_stop *run(struct ia64 *m, const struct ia64_observer *observer, uint64_t instructions)
{
	const struct linux_state *l = &m->linux_state;
	uint64_t limit = m->limit ? m->limit : UINT64_MAX;
	uint64_t until = instructions < limit - m->retired ? m->retired + instructions : limit;

	if (!observer && !l->on)
		m->itc = m->retired;
	do {
		const struct ia64_op *op = m->stop.why == IA64_RUNNING ? machine_jump(m, NULL, m->stop.ip) : NULL;

		if (op)
			run_turn(m, op + m->stop.slot, l->on ? l->on->observer[l->here] : observer,
				 l->slice_end < until ? l->slice_end : until);
	} while (goes_on(m) && m->retired < until);
	if (m->stop.why == IA64_RUNNING && m->retired >= limit)
		limit_reached(m);
	return &m->stop;
}

const struct ia64_stop *ia64_run_some(struct ia64 *m, const struct ia64_observer *observer, uint64_t instructions)
{
	return run(m, observer, instructions);
}

const struct ia64_stop *ia64_run_on(struct ia64 *m, const struct ia64_processors *on, uint64_t instructions)
{
	struct linux_state *l = &m->linux_state;

	if (!l->on) {
		l->processor[0] = (struct linux_processor){ .thread = l->thread, .on = true };
		l->thread->runs = true;
		l->turn_end = NEVER;
	}
	l->on = on;
	return run(m, NULL, instructions);
}

const struct ia64_stop *ia64_run(struct ia64 *m, const struct ia64_observer *observer)
{
	enum { SLICE = 1 << 20 };	/* time passes between slices where nobody keeps it */
	const struct ia64_stop *stop;

	do {
		stop = ia64_run_some(m, observer, SLICE);
	} while (stop->why == IA64_RUNNING);
	return stop;
}

const char *ia64_note(const struct ia64 *m)
{
	return m->note;
}

uint64_t ia64_retired(const struct ia64 *m)
{
	return m->retired;
}

uint64_t ia64_gr(struct ia64 *m, unsigned r)
{
	return gr(m, r);
}

void ia64_free(struct ia64 *m)
{
	if (!m)
		return;
	linux_end(&m->linux_state);
	memory_free(m);
	free(m);
}
