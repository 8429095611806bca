/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door for what a core does: an instruction retires, a line is fetched, data is referenced.
 * A simulated core or the console tells the PMU through pmu_tell(); the mechanism of the
 * core makes counts, captures and traces of it.
 *
 * An occurrence is a kind and attributes by number; those that are not given have their
 * defaults, and has() tells the difference where it matters.
 */
#ifndef BXS_PMU_DOOR_H
#define BXS_PMU_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu;

/* id, name */
#define DOOR_KINDS(X) \
	X(RETIRE, "retire") X(FETCH, "fetch") X(DATAREF, "dataref") X(BRANCH, "branch") \
	X(CHK, "chk") X(RFI, "rfi") X(INTERRUPT, "interrupt") X(THREAD, "thread") X(CYCLES, "cycles")

/* id, name, default, greatest value, words ("a b c": the value is one of these, by its number) */
#define DOOR_ATTRIBUTES(X) \
	X(N, "n", 1, UINT64_C(1) << 32, NULL) \
	X(IP, "ip", 0, UINT64_MAX, NULL) \
	X(SLOT, "slot", 0, 2, NULL) \
	X(BN, "bn", 0, 3, NULL) \
	X(OP, "op", 0, (UINT64_C(1) << 41) - 1, NULL) \
	X(ITYPE, "itype", 0, 4, "m i f b a") \
	X(SQUASHED, "squashed", 0, 1, NULL) \
	X(NOP, "nop", 0, 1, NULL) \
	X(FLOPS, "flops", 0, 4, NULL) \
	X(FLUSH, "flush", 0, 1, NULL) \
	X(ADDR, "addr", 0, UINT64_MAX, NULL) \
	X(TYPE, "type", 1, 15, "none load_int load_fp load_rse store_int store_fp store_rse lfetch " \
	  "semaphore fc hw_pref load_hpw snoop ptc dtb_xfer misc") \
	X(PREF, "pref", 0, 3, "no trigger mld buddy") \
	X(LATENCY, "latency", 0, UINT64_C(1) << 32, NULL) \
	X(TLB, "tlb", 1, 4, "none fl ml hpw fault") \
	X(RESP, "resp", 0, 31, NULL) \
	X(RAB, "rab", 0, 1, NULL) \
	X(HINTS, "hints", 0, 0x7ff, NULL) \
	X(ALAT, "alat", 0, 2, "none miss hit") \
	X(UC, "uc", 0, 1, NULL) \
	X(BTYPE, "btype", 0, 5, "cond loop call ret ind indcall") \
	X(TAKEN, "taken", 1, 1, NULL) \
	X(PATH, "path", 1, 1, "wrong right") \
	X(TARGETS, "pred", 1, 1, "wrong right") \
	X(TARGET, "target", 0, UINT64_MAX, NULL) \
	X(TRAP, "trap", 0, UINT64_MAX, NULL) \
	X(FAULT, "fault", 0, 1, NULL) \
	X(REPLAY, "replay", 0, 1, NULL) \
	X(TEMPLATE, "template", 0, 2, "other mbb bbb") \
	X(SYNTH, "synth", 0, 1, NULL) \
	X(TWICE, "twice", 0, 1, NULL) \
	X(MISTAKEN, "mistaken", 0, 1, NULL) \
	X(ASYNC, "async", 0, 1, NULL) \
	X(OFFSET, "offset", 0x3000, 0x7fff, NULL) \
	X(REACHED, "reached", 1, 1, NULL) \
	X(BUNDLE, "bundle", 0, 3, "plain enc ovrsub enc_ovrsub") \
	X(REPLAYS, "replays", 1, 1 << 20, NULL) \
	X(LOST, "lost", 0, 11, NULL) \
	X(RSE, "rse", 0, 1, NULL) \
	X(TRIGGER, "trigger", 10, 15, "none load_int load_fp load_rse store_int store_fp store_rse lfetch " \
	  "semaphore fc hw_pref load_hpw snoop ptc dtb_xfer misc") \
	X(PHYS, "phys", 0, 1, NULL) \
	X(VALID, "valid", 1, 1, NULL) \
	X(FREE, "free", 0, 1, NULL) \
	X(ASTRAY, "astray", 0, 1, NULL) \
	X(CPL, "cpl", 0, 3, NULL) \
	X(VM, "vm", 0, 1, NULL) \
	X(UP, "up", 1, 1, NULL) \
	X(PP, "pp", 1, 1, NULL) \
	X(SP, "sp", 0, 1, NULL) \
	X(I, "i", 1, 1, NULL) \
	X(IC, "ic", 1, 1, NULL) \
	X(DCR_PP, "dcr.pp", 1, 1, NULL) \
	X(PMV, "pmv", 0xd2, 0x1ffff, NULL) \
	X(TPR, "tpr", 0, 0x1ffff, NULL) \
	X(HALTED, "halted", 0, 1, NULL) \
	X(FG, "fg", 0, 3, "no fe be both") \
	X(PRIO, "prio", 1, 2, "low nominal high") \
	X(EXEC, "exec", 2, 2, "stalled blocked unstalled") \
	X(EVERY, "every", 1, 1, "load eighth") \
	X(SOF, "sof", 0, 127, NULL) \
	X(DIRTY, "dirty", 0, 127, NULL) \
	X(IBR0, "ibr0", 0, UINT64_MAX, NULL) X(IBR1, "ibr1", 0, UINT64_MAX, NULL) \
	X(IBR2, "ibr2", 0, UINT64_MAX, NULL) X(IBR3, "ibr3", 0, UINT64_MAX, NULL) \
	X(IBR4, "ibr4", 0, UINT64_MAX, NULL) X(IBR5, "ibr5", 0, UINT64_MAX, NULL) \
	X(IBR6, "ibr6", 0, UINT64_MAX, NULL) X(IBR7, "ibr7", 0, UINT64_MAX, NULL) \
	X(DBR0, "dbr0", 0, UINT64_MAX, NULL) X(DBR1, "dbr1", 0, UINT64_MAX, NULL) \
	X(DBR2, "dbr2", 0, UINT64_MAX, NULL) X(DBR3, "dbr3", 0, UINT64_MAX, NULL) \
	X(DBR4, "dbr4", 0, UINT64_MAX, NULL) X(DBR5, "dbr5", 0, UINT64_MAX, NULL) \
	X(DBR6, "dbr6", 0, UINT64_MAX, NULL) X(DBR7, "dbr7", 0, UINT64_MAX, NULL)

enum door_kind {
#define X(id, name) DOOR_##id,
	DOOR_KINDS(X)
#undef X
};

enum door_attribute {
#define X(id, name, def, most, words) DOOR_##id##_,
	DOOR_ATTRIBUTES(X)
#undef X
	DOOR_ATTRIBUTE_COUNT,
};

enum { DOOR_EVENTS = 8 };

struct door {
	enum door_kind kind;
	unsigned socket, thread;		/* of the socket */
	uint64_t v[DOOR_ATTRIBUTE_COUNT];
	uint64_t given[2];			/* bit n % 64 of word n / 64: attribute n was given */
	unsigned events;			/* further events that this was, by code */
	uint32_t event[DOOR_EVENTS];
};

static inline bool door_has(const struct door *d, enum door_attribute a)
{
	return d->given[a / 64] >> a % 64 & 1;
}

/* An occurrence of a kind by its name, all attributes at their defaults; false: no such kind. */
bool door_start(struct door *d, const char *kind);

/*
 * Set attribute `name` to what `value` says: a number or a word.  0; BXS_ENOENT: there is no such
 * attribute; BXS_EINVAL: no such value.
 */
int door_set(struct door *d, const char *name, const char *value);
void door_put(struct door *d, enum door_attribute a, uint64_t value);

/* The words or the greatest value of an attribute, for messages; cut to size. */
void door_values(const char *name, char *buf, size_t size);

/*
 * Tell.  0; BXS_ENOTSUP: the family has no such door; BXS_ENOENT: no such thread; BXS_EINVAL: a core cannot do that,
 * with a sentence in why.
 */
int pmu_tell(struct pmu *p, const struct door *d, char *why, size_t size);

#endif
