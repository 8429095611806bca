/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine that lives: its time runs along with wall time while a load keeps it busy, and
 * many clients reach its registers at once.  The doors for unmodified tools (file system,
 * access daemon) stand on this and on nothing else of the machine.
 *
 *	client --> door --> virtual_read() --> fault, machine, check, log
 *	load -------------> thread of the machine
 *
 * One lock holds machine time still for the length of an access.  The machine runs in slices of
 * some microseconds between accesses, and a client that waits goes before the next slice.
 */
#ifndef BXS_VIRTUAL_H
#define BXS_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/access.h"

struct cpu_page;
struct machine;
struct virtual;

struct virtual_config {
	/*
	 * What keeps the machine busy: a built-in kernel ("stream:threads=4"), a trace (a file that ends
	 * in .bxt), a scenario (a file or the name of a shipped one, with .scenario at its end), a program with its
	 * arguments ("./prog 1 2"), NULL or "idle" for nothing.
	 */
	const char *load;
	const char *qemu, *plugin;	/* as in struct run_config */
	bool once;			/* a load that has ended is not started again: the machine idles */
	double ratio;			/* seconds of the machine a second of wall time, at most; 0: 1 */
	int load_output;		/* descriptor for what a program prints; -1: nowhere */
	/* Under a load the machine stands after so many nanoseconds of the world in which nobody has looked; 0: never. */
	uint64_t patience;
	/* A sentence for people, once a line, from any thread; NULL: nobody listens. */
	void (*say)(void *ctx, const char *line);
	void *say_ctx;
};

/*
 * A living machine on m, which has to outlive it and is its alone from now on.  Opens the load; time stands
 * still until virtual_start().  0, or the error of the load or BXS_ENOMEM with a sentence in why.
 */
int virtual_new(struct machine *m, const struct virtual_config *config, struct virtual **out,
		char *why, size_t size);

/*
 * The machine that a load wants, if it is a scenario: its specification, "" if it names none or the load is no
 * scenario.  0, or the error of the scenario with a sentence in why.
 */
int virtual_load_machine(const char *load, char *spec, size_t spec_size, char *why, size_t size);

/* Keep the clock of this page, which outlives v: what a client's RDTSC shows never gets ahead of the time stamp
 * counter that it reads later.  Before virtual_start(). */
void virtual_keep_clock(struct virtual *v, struct cpu_page *page);

/* Let time run, in a thread of its own with all signals blocked.  0 or BXS_EIO. */
int virtual_start(struct virtual *v);

/*
 * In place of virtual_start(): run the load up to `run` and let machine time go on to `time`, picoseconds.  For
 * repeating what has been logged.
 */
void virtual_run_to(struct virtual *v, uint64_t run, uint64_t time);

/* Stop the thread, end the load, free.  NULL is allowed. */
void virtual_free(struct virtual *v);

/* The machine, for what never changes: its specification and its numbers of sockets and cores. */
struct machine *virtual_machine(const struct virtual *v);

/* What keeps it busy, as it was named; NULL: nothing. */
const char *virtual_load(const struct virtual *v);

/* Logical CPUs: core c of socket s is s * cores + c, second threads follow after all cores. */
unsigned virtual_cpus(const struct virtual *v);

/*
 * Registers, from any thread.  An access sees the machine at one moment and takes no machine time.
 *
 * pid: the client's process, for the log; 0: unknown.
 * Returns 0; BXS_EFAULT: #GP, or no such PCI function.  *value is untouched on error.
 */
int virtual_read(struct virtual *v, unsigned pid, const struct access_address *at, uint64_t *value);
int virtual_write(struct virtual *v, unsigned pid, const struct access_address *at, uint64_t value);

/* As virtual_read(), for ourselves: nobody observes it. */
int virtual_peek(struct virtual *v, const struct access_address *at, uint64_t *value);

/*
 * Several accesses at one moment: between the two calls, of one thread, time stands still and nobody else reaches the machine.
 * virtual_time(), in between: picoseconds.
 */
void virtual_hold(struct virtual *v);
void virtual_release(struct virtual *v);
uint64_t virtual_time(const struct virtual *v);

/* Is there such a PCI function for clients?  An access of ours, which nobody observes. */
bool virtual_has(struct virtual *v, const struct access_address *function);

/* Where an MSR of a logical CPU lies.  0; BXS_ENOENT: no such CPU. */
int virtual_msr(const struct virtual *v, unsigned cpu, uint32_t msr, struct access_address *at);

/* The PCI function dev_fn (dev << 3 | fn) on one of a socket's buses; offset and width are the caller's to set. */
struct access_address virtual_function(unsigned socket, enum cat_bus bus, unsigned dev_fn);

/* The bus number of a socket's bus, as CPUBUSNO says; -1: the machine has no PCI functions. */
int virtual_bus(struct virtual *v, unsigned socket, enum cat_bus bus);

/*
 * See every access, when it is over and before the next: for the log and the checks.  Called with the lock held.
 * Up to four observers.
 */
struct virtual_event {
	const struct access_address *at;
	uint64_t time;			/* picoseconds */
	uint64_t run;			/* up to where the load had been run */
	uint64_t value;			/* read or written */
	unsigned pid;
	bool write;
	int outcome;			/* as virtual_read() returns */
};
typedef void (*virtual_observer_fn)(void *ctx, struct machine *m, const struct virtual_event *e);
void virtual_observe(struct virtual *v, virtual_observer_fn fn, void *ctx);

/*
 * Take the machine's place: called before an access with what it would write (reads: 0); true: the access is over with
 * *outcome and *value.  With the lock held.  For faults on demand; one at most.
 */
typedef bool (*virtual_intercept_fn)(void *ctx, struct machine *m, const struct virtual_event *e,
				     int *outcome, uint64_t *value);
void virtual_intercept(struct virtual *v, virtual_intercept_fn fn, void *ctx);

#endif
