/* SPDX-License-Identifier: BSD-2-Clause */
/* The architectural state of an IA-64 processor under Linux, and what the files that execute operations share. */
#ifndef BXS_IA64_MACHINE_H
#define BXS_IA64_MACHINE_H

#include <string.h>

#include "fp.h"
#include "ia64.h"
#include "linux_state.h"
#include "op.h"

enum { PAGE_BITS = 14, PAGE_SIZE = 1 << PAGE_BITS, TLB_ENTRIES = 1024, PAGE_CHAINS = 4096, STACKED = 96, ALAT_ENTRIES = 32,
       IA64_STACK = 8 << 20, DAHS_FRAMES = 7 };

/* A page's code: three operations a bundle and one that leads to the next page. */
struct code { struct ia64_op op[PAGE_SIZE / 16 * 3 + 1]; };

struct page {
	uint64_t number;
	struct page *next;
	struct code *code;
	unsigned prot;
	uint8_t data[PAGE_SIZE];
};

/* Pages that the program may use, from first to before end; they are made when it does. */
struct range { uint64_t first, end; unsigned prot; };

struct gr { uint64_t v; uint64_t nat; };

struct alat { uint64_t address; uint8_t size, reg; bool fp, valid; };

/* The data access hint registers, and those of the procedures that have called: the last DAHS_FRAMES of them. */
struct hints { uint16_t dahr[8], stack[DAHS_FRAMES][8]; unsigned frames, top; };

struct ia64 {
	struct gr gr[32 + STACKED];		/* r0..r31, then the physical stacked registers */
	uint8_t map[128];			/* where a register lies in gr */
	uint8_t fmap[128];
	struct fp_reg fr[128];
	uint64_t pr;				/* as the program names them: rotation rotates the bits */
	uint64_t br[8], ar[128];
	unsigned sof, sol, sor, rrb_gr, rrb_fr, rrb_pr;
	unsigned bof, dirty;			/* where the frame starts; registers between bspstore and bsp */
	uint64_t bsp, bspstore, rnat;
	uint64_t user_mask;
	struct hints hints;
	struct fp_mode mode[4][FP_PCS];
	uint32_t tiny, flushed;			/* results too small, and those of them that became zero, since someone looked */
	struct alat alat[ALAT_ENTRIES];
	unsigned alat_next, alat_valid;
	struct page *code_page;			/* the page that executes */
	bool code_left;				/* it may not execute any more */
	struct page *tlb_read[TLB_ENTRIES], *tlb_write[TLB_ENTRIES];
	struct page *pages[PAGE_CHAINS], *dropped;
	struct range *range;
	unsigned ranges;
	bool exhausted;			/* there was no memory for a page */
	uint64_t uncounted, retired;
	uint64_t itc;			/* ar.itc: the observer's cycles, without one instructions retired before the run at hand */
	uint64_t brk_start, brk;
	struct linux_state linux_state;
	struct ia64_stop stop;
	char note[128];
	bool alone;
	uint64_t limit;			/* instructions */
	uint32_t itc_khz;
};

static inline struct gr *gr_at(struct ia64 *m, unsigned r)
{
	return &m->gr[m->map[r]];
}

static inline uint64_t gr(struct ia64 *m, unsigned r)
{
	return gr_at(m, r)->v;
}

static inline struct fp_reg *fr_at(struct ia64 *m, unsigned f)
{
	return &m->fr[m->fmap[f]];
}

static inline const struct ia64_op *next_op(const struct ia64_op *op)
{
	return op + 1 + op->wide;
}

static inline void set_pr(struct ia64 *m, unsigned p, bool value)
{
	if (p)
		m->pr = (m->pr & ~(UINT64_C(1) << p)) | (uint64_t)value << p;
}

/* The address of an operation's bundle. */
uint64_t machine_ip(struct ia64 *m, const struct ia64_op *op);

/* Stop at an operation for a reason; answers NULL for the caller to return. */
const struct ia64_op *machine_stop(struct ia64 *m, const struct ia64_op *op, const char *reason, uint64_t address);

/* The page's memory has changed: its code is decoded anew. */
void machine_forget_code(struct page *page);
/* The operation at an address; NULL with a stop where no code lies. */
const struct ia64_op *machine_jump(struct ia64 *m, const struct ia64_op *op, uint64_t ip);

/* The page of an address if it allows what is asked (IA64_READ...), else NULL. */
struct page *memory_page(struct ia64 *m, uint64_t address, unsigned prot);

/* size bytes at an aligned address within a page; NULL if the page does not allow it. */
static inline uint8_t *memory_read(struct ia64 *m, uint64_t address)
{
	struct page *page = m->tlb_read[address >> PAGE_BITS & (TLB_ENTRIES - 1)];

	if (!page || page->number != address >> PAGE_BITS)
		page = memory_page(m, address, IA64_READ);
	return page ? page->data + (address & (PAGE_SIZE - 1)) : NULL;
}

static inline uint8_t *memory_write(struct ia64 *m, uint64_t address)
{
	struct page *page = m->tlb_write[address >> PAGE_BITS & (TLB_ENTRIES - 1)];

	if (!page || page->number != address >> PAGE_BITS)
		page = memory_page(m, address, IA64_WRITE);
	return page ? page->data + (address & (PAGE_SIZE - 1)) : NULL;
}

/* Let pages be used so, beside what they may be used for already.  False: more than 4 GiB, beyond the end, or no memory. */
bool memory_map(struct ia64 *m, uint64_t start, uint64_t size, unsigned prot);
/* Give pages that are all mapped a protection; false, and nothing done, if one is not, or without memory. */
bool memory_protect(struct ia64 *m, uint64_t start, uint64_t size, unsigned prot);
/* Pages that are mapped are no longer; false without memory. */
bool memory_unmap(struct ia64 *m, uint64_t start, uint64_t size);
/* Pages are zero again. */
void memory_clear(struct ia64 *m, uint64_t start, uint64_t size);
void memory_free(struct ia64 *m);

/* The frame's registers follow CFM. */
void frame_changed(struct ia64 *m);
bool frame_call(struct ia64 *m);		/* br.call's part: PFM and a frame of the outputs; false: stack not writable */
bool frame_return(struct ia64 *m);
bool frame_room(struct ia64 *m, unsigned registers);
bool frame_flush(struct ia64 *m);
bool frame_load(struct ia64 *m);
uint64_t frame_cfm(const struct ia64 *m);
void frame_rotate(struct ia64 *m);
void frame_set_rrb_pr(struct ia64 *m, unsigned rrb);
void fpsr_changed(struct ia64 *m);
/* hints.c: a call, a return (false: the caller's are lost), and all of them as they are by default. */
void hints_push(struct hints *h);
bool hints_pop(struct hints *h);
void hints_reset(struct hints *h);
/* Has the ALAT an entry of the register, does it have one of these bytes? */
bool ia64_alat_has(struct ia64 *m, unsigned reg, bool fp);
bool ia64_alat_meets(const struct ia64 *m, uint64_t address, unsigned size);
/* Loads that other threads have done ahead, on their processors, hear of a store. */
void linux_processors_store(struct ia64 *m, uint64_t address, unsigned size);
const struct ia64_op *system_call(struct ia64 *m, const struct ia64_op *op);

#define ENCODING_RUN(name, number) ia64_run_fn run_##name;
#include "ia64_encodings.h"
#undef ENCODING_RUN

#endif
