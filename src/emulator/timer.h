/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's timers, where its clocks are the machine's (clock.h): alarms, interval timers, POSIX timers and timer files.  The
 * kernel makes and ends them, so that it says what is wrong with a call; when they run out is decided here.  All of it is read and
 * changed with the turn only.
 */
#ifndef BXS_NATIVE_TIMER_H
#define BXS_NATIVE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/native.h"
#include "plugin/turn.h"

enum native_timer_kind { NATIVE_TIMER_NONE, NATIVE_TIMER_INTERVAL, NATIVE_TIMER_POSIX, NATIVE_TIMER_FILE };

struct native_timer {
	uint8_t kind;			/* enum native_timer_kind */
	bool by_work;			/* it counts what the process has run, not time */
	bool lent;			/* the kernel's runs in its place */
	int32_t clock;			/* by which its absolute times are */
	int32_t number;			/* ITIMER_*, the kernel's number of a POSIX timer, or the descriptor of a file */
	int32_t signal, notify, thread;	/* of a POSIX timer: as struct sigevent has them */
	uint64_t value;			/* ... likewise; of a file: its mark */
	uint64_t due, every;		/* ns; 0: it does not run, or once only */
	uint64_t missed;		/* expirations since the last signal; of a file: that were last made readable */
};

/* The timer of this kind and number, or NULL. */
struct native_timer *native_timer_find(enum native_timer_kind kind, int32_t number);
/* The timer file with this mark in `value`, or NULL. */
struct native_timer *native_timer_marked(uint64_t mark);
/* A new one; NULL: there are too many. */
struct native_timer *native_timer_new(enum native_timer_kind kind, int32_t number);
/* ns that the timer's clock shows, for a thread that has just looked at it. */
uint64_t native_timer_now(const struct plugin_core *c, const struct native_timer *t);
/* There is none any more. */
void native_timer_end(struct native_timer *t);
/* Arm it (due: ns of its clock), or stop it (0). */
void native_timer_set(struct plugin_core *c, struct native_timer *t, uint64_t due, uint64_t every);

/* Does any run? */
bool native_timers_run(void);
/* Send the signals and make the files readable of all timers that are due.  The turn may have ended and come again then. */
void native_timers_expire(struct plugin_core *c);
/* The program has taken a signal: how many expirations it stands for. */
void native_timer_taken(siginfo_t *info);
/* While a thread is in the kernel for what comes from outside, the kernel's timers run in place of ours. */
void native_timers_lend(const struct plugin_core *c);
void native_timers_take_back(const struct plugin_core *c);

/* After a fork, in the child: timers are not inherited, and those of files are the parent's to run. */
void native_timers_forget(void);
/* An alarm survives an exec: the old program keeps it, the new one adopts it; or the old one (goes_on), if the exec failed. */
void native_timers_keep(void);
bool native_timers_adopt(bool goes_on);

/* timer_file.c: the kernel's timer file stands for ours, which its interval tells.  False: it is none. */
bool native_timer_file_mark(struct native_timer *t);
struct native_timer *native_timer_file(int file);
/* Nothing can be read from it until it runs out again. */
bool native_timer_file_stop(const struct native_timer *t);
/* n more expirations can be read.  False: the file has gone. */
bool native_timer_file_tell(struct native_timer *t, uint64_t n);
/* The kernel's timer runs by the host's time; false: what can be read already would be lost. */
bool native_timer_file_lend(const struct native_timer *t, uint64_t left);
/* ... has it run out meanwhile? */
bool native_timer_file_ran(const struct native_timer *t);

/* timer_calls.c.  Is it about timers? */
bool native_is_timer_call(uint64_t num);
/* A call that makes, sets, reads or ends one; false: it is none, or of a clock that the kernel has. */
bool native_timer_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result);

#endif
