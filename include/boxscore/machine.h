/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine: registers, signals, clocks, interrupts.  Part of boxscore.h. */
#ifndef BOXSCORE_MACHINE_H
#define BOXSCORE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * run with the same seed, which is that of its own list.  Lists given at the same time add up, each fault once; a later
 * one changes what it names.  BXS_EINVAL, BXS_ENOTSUP (no simulated hardware).
 */
int bxs_fault(bxs_machine *m, const char *faults);

unsigned bxs_sockets(const bxs_machine *m);
unsigned bxs_cores(const bxs_machine *m);	/* of one socket */

/*
 * What the machine is made of.  bxs_each_key(): each key that a specification can have, and what it came to; word: the value's name
 * where values have names ("early"), else "".  bxs_each_used_box(): each box that a socket has and uses, "cbo" and 3.
 * Until fn returns other than 0; that value is returned.
 */
int bxs_each_key(const bxs_machine *m, int (*fn)(void *ctx, const char *key, uint64_t value, const char *word), void *ctx);
int bxs_each_used_box(const bxs_machine *m, int (*fn)(void *ctx, const char *type, unsigned number), void *ctx);
const char *bxs_family_of(const bxs_machine *m);	/* "hsx" */

/* What was wrong with the last call on m that failed, and what would be right; never NULL.  Lives
 * until the next call on m. */
const char *bxs_why(const bxs_machine *m);

/*
 * Registers.  An access sees all clocks that are closed and takes no time.
 *
 * value:  read, with bits above the register's width zero; or to be written.
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
 * value: a number, or for state a letter, for opc a packet's name, DRd or SNP.SnpData.  BXS_ENOENT: no such tag;
 * BXS_EINVAL: no such value.  tag->flags keeps pointing to value.
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
 * docs/reference/model-itanium.md lists them.  It happens in the current clock.
 * Returns 0; BXS_ENOENT: no such occurrence, attribute, thread or event; BXS_EINVAL: no such value, or the thread
 * cannot do that now; BXS_ENOTSUP: not on this family.
 */
int bxs_tell(bxs_machine *m, const char *what, const char *attributes);

/*
 * Event files (docs/reference/events.md): play one from the machine's time on; write all that m is told from now on to one,
 * until bxs_record_end() or the end of m.  spec: what the file says of the machine, as given to bxs_machine_new().
 * BXS_ENOENT, BXS_EIO, BXS_ENOMEM, BXS_ENOTSUP (to write one: a family without a clock of cores); BXS_EINVAL: bxs_why()
 * names file and line, what stands before it has happened.
 */
typedef struct bxs_events bxs_events;
int bxs_events_open(bxs_machine *m, const char *path, bxs_events **out);
/* Play on.  1: an interrupt was raised, there is more; 0: the end; or an error. */
int bxs_events_run(bxs_events *e);
/* Before the end of m, which stays as the file left it.  NULL is allowed. */
void bxs_events_close(bxs_events *e);
int bxs_record(bxs_machine *m, const char *path, const char *spec);
int bxs_record_end(bxs_machine *m);

/* Close n clocks of the domain (uclk, dclk, qclk, pclk, core); all others move along.  BXS_ENOENT: the family
 * has no such clock; BXS_EINVAL: more than 200 days. */
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

#ifdef __cplusplus
}
#endif

#endif
