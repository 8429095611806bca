/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes static IA-64 Linux programs, functionally: docs/reference/model-ia64.md. */
#ifndef BXS_IA64_H
#define BXS_IA64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ia64;
struct ia64_op;

enum { IA64_READ = 1, IA64_WRITE = 2, IA64_EXEC = 4 };

enum ia64_why { IA64_RUNNING, IA64_EXITED, IA64_FAULTED, IA64_LIMIT };

/*
 * Why a program ended.  reason is a sentence; status is the exit status of IA64_EXITED, signal the number
 * that Linux would send for IA64_FAULTED, 0: not known; address is that of the data at fault, if any.
 */
struct ia64_stop { enum ia64_why why; int status, signal; uint64_t ip; unsigned slot; uint64_t address; char reason[256]; };

struct ia64_config {
	uint64_t instructions;		/* that may retire; 0: no limit */
	uint32_t itc_khz;		/* what ar.itc counts */
	bool alone;			/* of system calls it has exit alone; the others answer ENOSYS */
	char *const *argv, *const *env;	/* env NULL: neither an environment nor an auxiliary vector */
};

/* Told of every instruction that retires, before it executes: its predicate in on.  What it reads of the machine is the state before. */
struct ia64_observer {
	void *context;
	void (*retire)(void *context, struct ia64 *m, const struct ia64_op *op, uint64_t ip, bool on);
};

/*
 * Processors that a program's threads run on at once: each goes on while it is the one furthest behind in cycles of ar.itc, which
 * its observer counts.  observer has one for each of the first n; they may change between calls of ia64_run_on().
 */
enum { IA64_PROCESSORS = 16 };

struct ia64_processors {
	unsigned n;
	const struct ia64_observer *observer[IA64_PROCESSORS];
	void *context;
	void (*halts)(void *context, unsigned processor);	/* it has nothing more to run */
	/* It has something from a cycle on; the answer is the cycle, not before that, in which it begins. */
	uint64_t (*wakes)(void *context, unsigned processor, uint64_t cycle);
};

/*
 * Load a static ELF program from memory and set up its entry state.  NULL if it is none, with a sentence in why (size bytes).
 * The config's strings are copied.  The caller frees with ia64_free, which accepts NULL.
 */
struct ia64 *ia64_load(const uint8_t *elf, size_t length, const struct ia64_config *config, char *why, size_t size);
void ia64_free(struct ia64 *m);

/* Execute until the program ends; observer may be NULL.  The stop belongs to the machine. */
const struct ia64_stop *ia64_run(struct ia64 *m, const struct ia64_observer *observer);

/* The same for so many instructions; the stop says IA64_RUNNING where there is more. */
const struct ia64_stop *ia64_run_some(struct ia64 *m, const struct ia64_observer *observer, uint64_t instructions);

/* The same with processors, always the same ones for a program; the first thread begins on the first. */
const struct ia64_stop *ia64_run_on(struct ia64 *m, const struct ia64_processors *on, uint64_t instructions);

/* A sentence about what the program asked for and did not get, or "". */
const char *ia64_note(const struct ia64 *m);

/* Instructions retired so far: nops and those predicated off included, one for two slots. */
uint64_t ia64_retired(const struct ia64 *m);

/* A general register as the program names it now. */
uint64_t ia64_gr(struct ia64 *m, unsigned r);

#endif
