/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boxscore: performance-monitoring hardware as software.
 *
 * Easiest first: the catalogue (what there is), the machine (registers and
 * signals), the session (measuring).  Calls return 0 or a count, or a negative
 * enum bxs_err; what they hand out through pointers is untouched on error.  The
 * library never prints and never exits.
 */
#ifndef BOXSCORE_H
#define BOXSCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bxs_err {
	BXS_ENOMEM = -1,	/* out of memory */
	BXS_ENOENT = -2,	/* no such family, box, event, register, file */
	BXS_EINVAL = -3,	/* cannot be understood */
	BXS_ECONFLICT = -4,	/* each is possible, but not together */
	BXS_EFAULT = -5,	/* the modelled hardware faulted (#GP) */
	BXS_EIO = -6,		/* the system failed to read or write */
	BXS_ENOTSUP = -7,	/* not available here */
	BXS_EBUG = -8,		/* a fault of ours */
};

/* How far a reading can be trusted; from best to worst. */
enum bxs_validity {
	BXS_EXACT,		/* counted all the time */
	BXS_SCALED,		/* counted a part of the time and scaled; has an error */
	BXS_SATURATED,		/* stuck at the counter's greatest value: at least this */
	BXS_WRAPPED,		/* the counter went round more often than can be known: at least this */
	BXS_NOT_MODELLED,	/* the simulated machine does not drive this event: no value */
	BXS_NOT_THERE,		/* no such box here, or not counted at all: no value */
};

/* The version of the library, as "1.2.3". */
#define BXS_VERSION "0.1.0"

/* One plain sentence for an enum bxs_err; never NULL. */
const char *bxs_strerror(int err);

/* ---- The catalogue: what the hardware has -------------------------------------------------- */

#define BXS_ABSENT UINT32_MAX	/* a number that the manual does not print */

struct bxs_family {
	const char *name, *text, *source;
};

/* A product, and what it is made of: `params` names and values, in the catalogue's order. */
struct bxs_part {
	const char *family, *name;
	bool is_default;
	unsigned params;
	const char *const *keys;
	const uint64_t *values;
};

struct bxs_box_type {
	const char *family, *name, *text, *clock;
	unsigned boxes, counters, registers, events;
};

/* One instance of a register.  address is "0xe01" (msr), "D18:F1+0xd8" (pci), "0x3808" (csr), "PMC4". */
struct bxs_register {
	const char *family, *box, *name, *type, *space, *address, *source;
	unsigned instance;	/* number of the box */
	unsigned element;	/* number within an array of such registers */
	unsigned width;		/* bits */
	uint32_t device;	/* PCI device id, or BXS_ABSENT */
	uint64_t reset;
};

/* A field of a register type. */
struct bxs_field {
	const char *family, *box, *reg, *name, *attr, *text;
	const char *as;		/* what all families call it: ev_sel, en, thresh ... */
	unsigned hi, lo;
	uint64_t reset;
};

struct bxs_event {
	const char *family, *box, *name, *counters, *filter, *keys, *text;
	uint32_t code, max_inc;	/* max_inc may be BXS_ABSENT */
	unsigned ext;
	bool live;		/* the machine drives it; otherwise it is not modelled */
};

struct bxs_subevent {
	const char *family, *box, *event, *name, *filter, *keys, *text, *kind;
	uint32_t umask;
};

struct bxs_metric {
	const char *family, *box, *name, *unit, *equation, *text;
};

struct bxs_packet {
	const char *family, *cls, *name, *text;
	uint32_t opcode;
};

struct bxs_message {
	const char *family, *name, *text;
	uint32_t match[2], mask[2];
};

/*
 * Walk the catalogue: fn is called for each row of a family (NULL: all families), in the manual's order,
 * until it returns other than 0; that value is returned.  The row and its strings live until fn
 * returns.  BXS_ENOENT: no such family.
 */
int bxs_each_family(int (*fn)(void *ctx, const struct bxs_family *row), void *ctx);
int bxs_each_part(const char *family, int (*fn)(void *ctx, const struct bxs_part *row), void *ctx);
int bxs_each_box_type(const char *family, int (*fn)(void *ctx, const struct bxs_box_type *row),
		      void *ctx);
int bxs_each_register(const char *family, int (*fn)(void *ctx, const struct bxs_register *row),
		      void *ctx);
int bxs_each_field(const char *family, int (*fn)(void *ctx, const struct bxs_field *row), void *ctx);
int bxs_each_event(const char *family, int (*fn)(void *ctx, const struct bxs_event *row), void *ctx);
int bxs_each_subevent(const char *family, int (*fn)(void *ctx, const struct bxs_subevent *row),
		      void *ctx);
int bxs_each_metric(const char *family, int (*fn)(void *ctx, const struct bxs_metric *row), void *ctx);
/* The metrics that `boxscore stat` prints by default; box is "all" for what belongs to no type. */
int bxs_each_default_metric(const char *family, int (*fn)(void *ctx, const struct bxs_metric *row), void *ctx);
/*
 * What it takes to measure a metric of a family, "imc.MEM_BW_READS": fn is called for each event of its equation, and whether the
 * machine drives it; *turns: in so many turns the counters of a box hold them all.  BXS_ENOENT: no such metric.
 */
int bxs_metric_needs(const char *family, const char *metric, unsigned *turns,
		     int (*fn)(void *ctx, const char *event, bool modelled), void *ctx);
int bxs_each_packet(const char *family, int (*fn)(void *ctx, const struct bxs_packet *row), void *ctx);
int bxs_each_message(const char *family, int (*fn)(void *ctx, const struct bxs_message *row),
		     void *ctx);

/* ---- The machine: registers and signals ----------------------------------------------------- */

typedef struct bxs_machine bxs_machine;

/* With registers, counters and clocks but no hardware that raises signals: who embeds it, or the
 * shell, does that. */
#define BXS_BARE 1u

/*
 * Build a machine out of reset.
 *
 * spec:  family[:part][,key=value...], such as "hsx" or "hsx:e7-8890v3,sockets=4".
 * flags: 0 or BXS_BARE.
 * out:   the machine; the caller owns it and ends it with bxs_machine_free().
 * why:   on failure a sentence that names the culprit, cut to size bytes; may be NULL with size 0.
 * Returns 0, BXS_ENOENT (family, part or key), BXS_EINVAL (value), BXS_ENOTSUP or BXS_ENOMEM.
 */
int bxs_machine_new(const char *spec, unsigned flags, bxs_machine **out, char *why, size_t size);
/* End m and all it owns.  NULL is allowed. */
void bxs_machine_free(bxs_machine *m);

/*
 * Attach a device that reads and writes memory, from now on: "read=4G,write=2G,size=4K,socket=0"; the manual
 * page has all keys.  BXS_EINVAL, BXS_ENOTSUP (no simulated I/O), BXS_ECONFLICT (too many).
 */
int bxs_dma(bxs_machine *m, const char *device);
/*
 * Let hardware fail, from now on: "ecc=1e-6,qpi-crc=1e-7,thermal=1ms+200us/2ms,seed=7".  The same faults in every
 * run with the same seed.  BXS_EINVAL, BXS_ENOTSUP (no simulated hardware).
 */
int bxs_fault(bxs_machine *m, const char *faults);

unsigned bxs_sockets(const bxs_machine *m);
unsigned bxs_cores(const bxs_machine *m);	/* of one socket */

/* What was wrong with the last call on m that failed, and what would be right; never NULL.  Lives
 * until the next call on m. */
const char *bxs_why(const bxs_machine *m);

/*
 * Registers.  An access sees all clocks that are closed and takes no time.
 *
 * cpu:    logical CPU; core c of socket s is s * cores + c, second threads follow after all cores.
 * socket: from 0.
 * Returns 0; BXS_EFAULT: #GP, no such register or a bit that must not be written; BXS_ENOENT: no such
 * cpu, socket or thread; BXS_EINVAL: impossible width or device number.
 */
int bxs_rdmsr(bxs_machine *m, unsigned cpu, uint32_t msr, uint64_t *value);
int bxs_wrmsr(bxs_machine *m, unsigned cpu, uint32_t msr, uint64_t value);
/*
 * Configuration space of function dev:fn on whichever bus of the socket has it.  width: 8, 16, 32 or 64
 * bits.  A function that does not exist reads as all ones and ignores writes.
 */
int bxs_rdpci(bxs_machine *m, unsigned socket, unsigned dev, unsigned fn, uint32_t offset,
	      unsigned width, uint64_t *value);
int bxs_wrpci(bxs_machine *m, unsigned socket, unsigned dev, unsigned fn, uint32_t offset,
	      unsigned width, uint64_t value);
/* Other spaces of a family: `where` is a socket for csr, a thread for pmc and pmd. */
enum bxs_space { BXS_CSR, BXS_PMC, BXS_PMD };
int bxs_rdreg(bxs_machine *m, enum bxs_space space, unsigned where, uint32_t number, uint64_t *value);
int bxs_wrreg(bxs_machine *m, enum bxs_space space, unsigned where, uint32_t number, uint64_t value);

/*
 * A register by name.  box: "cbo3", "s1.cbo3"; the number may be left out where there is one.
 * reg: the manual's name (C3_MSR_PMON_CTR0) or its end (CTR0, BOX_CTL, FILTER0).
 * BXS_ENOENT: no such box or register.
 */
int bxs_read(bxs_machine *m, const char *box, const char *reg, uint64_t *value);
int bxs_write(bxs_machine *m, const char *box, const char *reg, uint64_t value);

/* What the manual says of the value that the last read on m gave: "" or why it is undefined. */
const char *bxs_note(const bxs_machine *m);

/*
 * Signals.  What an occurrence carries for filters to look at; all zero is an occurrence that
 * passes filters that are not programmed.  packet: link packet headers of the two slots, as the
 * match registers see them (match0 | match1 << 32); bit 0 of packet[1] says that there is one.
 */
struct bxs_tag {
	uint64_t addr, packet[2];
	uint32_t opc;
	uint16_t nid;			/* bit number in the node filter */
	uint8_t tid, state;		/* state: 0..6 for I S E M F D M' */
	uint8_t link, nc, isoc, c6;
	uint8_t freq;			/* in 100 MHz */
	const char *flags;		/* "a,b": flags of the event's signal, in place of the subevent's */
};

/*
 * Set one member by the manual's name of the filter field: addr opc nid tid state link nc isoc c6 freq,
 * of a packet rds mc opc dnid rnid vnw, of the second slot's packet rds2 mc2 and so on, or packet and packet2 whole; or flags.
 * value: a number, or for state a letter.  BXS_ENOENT: no such tag; BXS_EINVAL: no such value.  tag->flags
 * keeps pointing to value.
 */
int bxs_tag_set(struct bxs_tag *tag, const char *name, const char *value);

/*
 * The event happened n times in the current clock of the box; or: its queue holds n from now on.
 * Only controls that select this event see it.
 *
 * event: EVENT.SUBEVENT, or EVENT for an occurrence that every subevent of it counts.
 * tag:   NULL for all zero.
 * Returns 0; BXS_ENOENT: no such box, event, subevent or flag; BXS_ENOTSUP: the event counts clocks, or
 * what another counter counts.
 */
int bxs_pulse(bxs_machine *m, const char *box, const char *event, uint64_t n,
	      const struct bxs_tag *tag);
int bxs_level(bxs_machine *m, const char *box, const char *event, uint64_t n,
	      const struct bxs_tag *tag);

/*
 * What a core does, for a family whose PMU follows it (poulson).  what: retire, fetch, dataref, branch, chk, rfi,
 * interrupt, thread or cycles; attributes: "thread=0 ip=0x4000 op=0x10800 event=DTLB_REF.ANY", as
 * docs/model.md lists them.  It happens in the current clock.
 * Returns 0; BXS_ENOENT: no such occurrence, attribute, thread or event; BXS_EINVAL: no such value, or the thread
 * cannot do that now; BXS_ENOTSUP: not on this family.
 */
int bxs_tell(bxs_machine *m, const char *what, const char *attributes);

/*
 * Event files (docs/events.md): play one from the machine's time on; write all that m is told from now on to one,
 * until bxs_record_end() or the end of m.  spec: what the file says of the machine, as given to bxs_machine_new().
 * BXS_ENOENT, BXS_EIO; BXS_EINVAL: bxs_why() names file and line, what stands before it has happened.
 */
typedef struct bxs_events bxs_events;
int bxs_events_open(bxs_machine *m, const char *path, bxs_events **out);
/* Play on.  1: an interrupt was raised, there is more; 0: the end. */
int bxs_events_run(bxs_events *e);
void bxs_events_close(bxs_events *e);
int bxs_record(bxs_machine *m, const char *path, const char *spec);
int bxs_record_end(bxs_machine *m);

/* Close n clocks of the domain (uclk, dclk, qclk, pclk, core); all others move along. */
int bxs_advance(bxs_machine *m, const char *clock, uint64_t n);
/* Time since reset that is closed, in picoseconds. */
uint64_t bxs_time(const bxs_machine *m);

/* An overflow's interrupt to the cores of a socket. */
struct bxs_interrupt {
	uint64_t when;		/* picoseconds: the clock of the overflow was over */
	uint64_t cores;		/* bit n for core n */
	unsigned socket;
	bool wake;		/* sleeping cores of the mask are to be woken first */
	unsigned vector;	/* not 0: an external interrupt of this vector to one thread, no cores */
	unsigned thread;	/* of the machine */
};

/* Take the oldest interrupt that was raised; false: none is pending. */
bool bxs_take_interrupt(bxs_machine *m, struct bxs_interrupt *out);

/* ---- The session: measuring ----------------------------------------------------------------- */

typedef struct bxs_session bxs_session;

/*
 * Measure on m, which outlives the session.  After a call on the session that failed, bxs_why(m)
 * says what was wrong.  BXS_ENOMEM.
 */
int bxs_session_new(bxs_machine *m, bxs_session **out);
/* Ends what is still running.  NULL is allowed. */
void bxs_session_free(bxs_session *s);

/* With true, what cannot be counted at once is counted in turns and scaled, even if the events
 * were asked for one by one.  turn_ns: length of a turn in machine time; 0: as we think best. */
void bxs_session_turns(bxs_session *s, bool always, uint64_t turn_ns);

/*
 * With true, readings also say what each event or metric really was: counted by the machine itself, all
 * events at once, without counters or turns.  Before anything is asked for.
 */
void bxs_session_truth(bxs_session *s, bool on);

/*
 * Ask for events, "cbo.LLC_LOOKUP.ANY,imc.CAS_COUNT.*" (docs/measuring.md has the whole notation); for metrics
 * of the catalogue or equations with a name, "imc.MEM_BW_READS,cbo.*,bytes=imc.CAS_COUNT.RD * 64"; for one
 * equation, with its unit and a text; for the set that `boxscore stat` prints by default.  Readings come in the order in which they were
 * asked for.  BXS_ENOENT, BXS_EINVAL, BXS_ENOMEM.
 */
int bxs_session_add(bxs_session *s, const char *events);
int bxs_session_add_metrics(bxs_session *s, const char *metrics);
int bxs_session_add_equation(bxs_session *s, const char *name, const char *equation, const char *unit,
			     const char *text);
int bxs_session_add_default(bxs_session *s);

/* Patterns leave out what cannot be measured as they are written, such as an event that compares an opcode
 * when none is given.  A sentence that says what and why, of the last pattern that did so, or "". */
const char *bxs_session_left_out(const bxs_session *s);

/* What drives the machine; one of these, once, before bxs_session_start(). */
struct bxs_program {
	char *const *argv;	/* the program and its arguments, NULL at the end */
	const char *qemu;	/* the emulator; NULL: qemu-x86_64 in PATH */
	const char *plugin;	/* our part in it; NULL: beside the executable, or as installed */
	bool compact;		/* threads fill one socket first; else sockets in turn */
};

/* BXS_ENOENT, BXS_EIO, BXS_ENOTSUP (not for x86-64, or there is no emulator), BXS_EINVAL. */
int bxs_session_program(bxs_session *s, const struct bxs_program *program);
/*
 * Up to 16 programs at once, each on cores of its own.  With the first all ends; signals and input are
 * its alone, all write where we do.
 */
int bxs_session_programs(bxs_session *s, const struct bxs_program *programs, unsigned count);
int bxs_session_kernel(bxs_session *s, const char *kernel);	/* "stream:size=64M,threads=4" */
int bxs_session_trace(bxs_session *s, const char *path);
/* Write what is fed to the machine to a trace file as well.  spec: as given to bxs_machine_new(). */
int bxs_session_record(bxs_session *s, const char *path, const char *spec);
/* The specification that a trace was recorded on, cut to size. */
int bxs_trace_machine(const char *path, char *spec, size_t size, char *why, size_t why_size);

/*
 * A scenario: a text file that says which kernels run on which cores, phase after phase (docs/scenarios.md).
 * name: of one that is shipped, or a file (with a slash, or ending in ".scenario").  BXS_ENOENT; BXS_EINVAL:
 * why says file, line and what is wrong.  Strings live as long as the scenario.
 */
typedef struct bxs_scenario bxs_scenario;

int bxs_scenario_open(const char *name, bxs_scenario **out, char *why, size_t size);
void bxs_scenario_free(bxs_scenario *sc);	/* NULL is allowed */
const char *bxs_scenario_name(const bxs_scenario *sc);
const char *bxs_scenario_about(const bxs_scenario *sc);
const char *bxs_scenario_machine(const bxs_scenario *sc);	/* NULL: any */
/* The n-th line of what is worth measuring there, or of the devices and faults it needs; NULL past the last. */
enum bxs_scenario_kind { BXS_SCENARIO_EVENTS, BXS_SCENARIO_METRICS, BXS_SCENARIO_DMA, BXS_SCENARIO_FAULT };
const char *bxs_scenario_text(const bxs_scenario *sc, enum bxs_scenario_kind kind, unsigned n);
/* Walk the shipped ones, by name; until fn returns other than 0, or one cannot be read. */
int bxs_each_scenario(int (*fn)(void *ctx, const bxs_scenario *sc), void *ctx, char *why, size_t size);

/* Drive the machine by a scenario, which outlives the session. */
int bxs_session_scenario(bxs_session *s, const bxs_scenario *sc);

/* Walk the built-in kernels: keys is "size threads ...". */
int bxs_each_kernel(int (*fn)(void *ctx, const char *name, const char *text, const char *keys),
		    void *ctx);

/* Program the counters and let them count.  BXS_ECONFLICT: two events cannot be counted together. */
int bxs_session_start(bxs_session *s);
/* After the start: does anything that was asked for have a chance of a value?  Not if all of it is not
 * modelled or about boxes that the machine has not. */
bool bxs_session_measurable(const bxs_session *s);
/* Go on until machine time `until_ns` after the start, UINT64_MAX: to the end.  1: there is more;
 * 0: the program has ended. */
int bxs_session_run(bxs_session *s, uint64_t until_ns);
/* Read all counters and go on, or stay stopped: ends the interval that the readings are of. */
int bxs_session_read(bxs_session *s);
int bxs_session_stop(bxs_session *s);
/* Begin the next interval; otherwise readings are of all the time since the start. */
void bxs_session_next(bxs_session *s);
/* Machine time since the start, and length of the interval that was read last. */
uint64_t bxs_session_ns(const bxs_session *s);
uint64_t bxs_session_interval_ns(const bxs_session *s);
/* How a program, or one of several, ended, as waitpid() tells; -1: it has not, or is none. */
int bxs_session_status(const bxs_session *s);
int bxs_session_status_of(const bxs_session *s, unsigned program);

/* Threads of the programs that ran untraced, because 256 others were traced at the time. */
unsigned bxs_session_lost_threads(const bxs_session *s);

enum bxs_by { BXS_BY_SUM, BXS_BY_SOCKET, BXS_BY_BOX };

struct bxs_reading {
	const char *name;	/* the event as asked for, or the metric */
	const char *box;	/* "cbo3", "cbo" for all of them, "" for none in particular */
	const char *unit, *text;
	const char *why;	/* what is missing when there is no value; "" */
	double value;		/* 0 when there is none; whole numbers to 2^53 are exact */
	double error;		/* when scaled: the truth lies within 95 times in 100 */
	double truth;		/* what it really was, if has_truth */
	int socket;		/* -1: summed over all */
	bool metric, has_truth;
	enum bxs_validity validity;
};

/* The readings of the interval.  fn is called until it returns other than 0; that is returned.
 * Strings live until fn returns. */
int bxs_session_each(bxs_session *s, enum bxs_by by,
		     int (*fn)(void *ctx, const struct bxs_reading *r), void *ctx);

/* What a validity is called: "exact", "not-modelled", ... */
const char *bxs_validity_name(enum bxs_validity v);

/* ---- Unmodified tools: the machine as files ------------------------------------------------- */

/* How a machine lives while tools look at it.  All zero but load_output = -1: idle, in step with the clock on the wall. */
struct bxs_tools {
	/* A kernel "stream:threads=4", a trace "FILE.bxt", a scenario "locks.scenario", a program "./prog args", or NULL: what keeps it busy,
	 * again and again unless `once`. */
	const char *load;
	bool once;
	double ratio;			/* seconds of the machine a second of wall time, at most; 0: 1 */
	int load_output;		/* descriptor for what a program prints; -1: nowhere */
	const char *qemu, *plugin, *cpu_library;	/* NULL: where they belong */
	/* Every register access to this file, a line each; spec: as given to bxs_machine_new().  NULL: no log. */
	const char *log, *spec;
	const char *faults;		/* "hide=D20:F0,gp=0x606": see docs/clients.md; NULL: none */
	bool check;			/* tell say() of each access that the manual forbids or warns of */
	bool allow_other;		/* other users may read and write, as the owner may */
	bool machine_time;		/* bxs_with(): the tool sleeps in the machine's time, not in the world's */
	bool likwid;			/* bxs_with(): registers through LIKWID's access daemon only, which needs no FUSE */
	bool native;			/* the client sees the processor it runs on, not the machine's */
	/* A sentence for people, from another thread or process; NULL: nobody listens. */
	void (*say)(void *ctx, const char *line);
	void *say_ctx;
};

/* The machine that a load wants: of a scenario its specification, else "".  The errors of bxs_scenario_open(). */
int bxs_load_machine(const char *load, char *spec, size_t spec_size, char *why, size_t size);

/*
 * Mount dev/cpu/N/msr, proc/bus/pci and what else tools read on directory dir, and answer until it is unmounted or one
 * of INT, TERM, HUP, QUIT comes.  ready, which may be NULL, is called when the files are there.  The machine
 * is in use until then.  BXS_ENOENT (directory, load), BXS_EINVAL (load), BXS_ENOTSUP (no FUSE, or no such files on this family).
 */
int bxs_mount(bxs_machine *m, const struct bxs_tools *tools, const char *dir, void (*ready)(void *ctx),
	      void *ctx);

/*
 * Run a command with the machine's files over the system's, in a mount namespace that this process, which must have
 * no threads, enters for good.  *status: how the command ended, as waitpid() tells.  BXS_ENOENT (no such
 * command), BXS_EIO (the process that serves the files was killed), and as above.
 */
int bxs_with(bxs_machine *m, const struct bxs_tools *tools, char *const *argv, int *status);

/* What a log says of itself: the machine, its load and faults ("": none), cut to size.  BXS_ENOENT, BXS_EINVAL. */
struct bxs_logged {
	char spec[512], load[512], faults[512];
};
int bxs_log_machine(const char *path, struct bxs_logged *out, char *why, size_t why_size);

struct bxs_replayed {
	uint64_t accesses, reads;
	uint64_t differ;		/* came out differently */
};

/*
 * Do on m what a log says, at the same moments of machine time, with the load of tools.  differ, which may be NULL, is
 * called with each line that came out differently, and how ("0x1f", "#GP").  BXS_ENOENT, BXS_EINVAL (a line that cannot be
 * understood, a load that cannot be).
 */
int bxs_replay_log(bxs_machine *m, const struct bxs_tools *tools, const char *path, struct bxs_replayed *out,
		   void (*differ)(void *ctx, uint64_t number, const char *line, const char *got), void *ctx);

/* Walk the errata that a fault can switch on. */
int bxs_each_erratum(int (*fn)(void *ctx, const char *name, const char *family, const char *text), void *ctx);

#ifdef __cplusplus
}
#endif

#endif
