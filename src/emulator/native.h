/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An emulator of x86-64 on x86-64: runs a program's own instructions, copied block by block into a
 * cache of code, with the plugin's calls between them.  To the plugin it is what QEMU is
 * (plugin/qemu_plugin.h), but many times faster where a program computes.
 *
 *	program's code --> block (decoded) --> plugin: which calls where --> translation
 *	                                                        |
 *	run loop <-- exits: code not seen yet, system calls --- code cache
 *
 * The program's registers are the processor's while its code runs, but two: fs belongs to this
 * emulator's C code, and gs leads to struct native_env: the program's bases are kept there.
 * C code that is called in the midst of a block must not touch vector registers.
 */
#ifndef BXS_NATIVE_H
#define BXS_NATIVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/plugin.h"
#include "plugin/watch.h"
#include "plugin/qemu_plugin.h"

enum { NATIVE_RAX, NATIVE_RCX, NATIVE_RDX, NATIVE_RBX, NATIVE_RSP, NATIVE_RBP, NATIVE_RSI, NATIVE_RDI,
       NATIVE_NO_REGISTER = 16 };

enum {
	NATIVE_PAGE = 4096,
	NATIVE_SIGNALS = 65,
	NATIVE_QUEUE = 4,		/* signals that wait: one, and faults */
	NATIVE_VECTOR = 1024,		/* bytes: x87, SSE and AVX as XSAVE lays them out, 832 */
	NATIVE_STATES = 832,
};

/* Why code in the cache was left. */
enum native_exit {
	NATIVE_JUMP,		/* to code at a known place, not linked yet */
	NATIVE_INDIRECT,	/* to native_env.pointer */
	NATIVE_CALL_SYSTEM,
	NATIVE_CPUID, NATIVE_XGETBV,
	NATIVE_SIGNAL,		/* interrupted at native_env.pointer */
	NATIVE_RARE,		/* one that C code runs */
	NATIVE_ILLEGAL,		/* an instruction that cannot be run here */
	NATIVE_BREAK,		/* int3 */
};

struct emit;
struct native_action;
struct native_block;

/* A way out of a block.  Of the kinds with a target: jumps there once that is translated. */
struct native_link {
	uint8_t kind;			/* enum native_exit */
	uint64_t target;		/* the program's address to go on at */
	uint8_t *jump;			/* four bytes to patch; NULL: none */
	bool again;			/* from a block to its own start */
	uint8_t *stub;			/* where it leads as long as it is not linked */
	struct native_block *to;	/* linked to; */
	struct native_link *next;	/* ... as is this */
	struct native_link *sibling;	/* of the same block */
};

/* Where an instruction's translation begins, for faults. */
struct native_place {
	uint32_t code;			/* from native_block.code on */
	uint16_t from;			/* the instruction, from native_block.pc on */
	uint8_t scratch;		/* register that is in native_env.scratch[0], if any */
	uint8_t size;			/* bytes of its translation; 0: it leaves the block */
};

struct native_block {
	uint64_t pc, end;		/* the program's addresses */
	uint8_t *indirect, *entry, *code_end;
	uint8_t *again;			/* entry from its own end */
	uint8_t *poll_end;		/* behind the instruction that may be interrupted */
	const uint8_t *copy;		/* of the program's code, to be compared; NULL: that is watched */
	uint8_t *as_it_was, *changed;	/* where the comparison leads */
	struct native_link *out, *in;
	struct native_block *same;	/* hash */
	struct native_block *page_next[2];
	struct native_place *place;
	unsigned places;
	bool gone;
};

/* A thread of the program; gs leads here.  Begins as struct plugin_registers. */
struct native_env {
	uint64_t general[16];
	uint64_t pointer, flags;
	uint64_t conditions[3];
	uint32_t operation;
	int32_t direction;
	volatile uint64_t queued;	/* signals not delivered yet; at a place that enter.c knows */
	uint64_t host_sp;		/* stack of C code */
	uint64_t scratch[2];
	uint64_t saved_flags;		/* around calls: lahf, seto */
	uint64_t address[4];		/* of accesses that calls are made for */
	uint64_t fs, gs;		/* the program's: bases of segments */
	uint16_t selector[2];		/* ... what it has loaded into the registers */
	struct native_env *self;
	struct native_link *link;	/* the way out that was taken */
	uint8_t *target;		/* where to enter */
	uint32_t vcpu;
	bool in_cache;			/* between native_enter() and its return */
	uint8_t masked[2][32];		/* indices and mask of an instruction */
	_Alignas(16) uint8_t kept[4][16];	/* xmm0 to xmm3 around calls: the plugin's code uses no others */
	_Alignas(64) uint8_t vector[NATIVE_VECTOR];
	/* Signals: not delivered yet; the program's alternative stack. */
	siginfo_t queue[NATIVE_QUEUE];
	siginfo_t later;		/* one that the program blocks and the kernel cannot */
	uint64_t mask;			/* what the program blocks */
	struct native_action *actions;	/* what it wants done: one for each signal, of its process */
	struct native_action *own_actions;
	stack_t alternative;
	uint64_t awaited;		/* signals that it waits for, though it blocks them */
	uint64_t clear_tid;		/* CLONE_CHILD_CLEARTID */
	bool over;			/* the thread has ended */
	struct native_env *next;	/* thread of the program */
	_Atomic uint32_t away;		/* see others.c */
	bool shares;			/* a process in its parent's memory, see vfork.c */
	struct plugin_watch watch;	/* of that */
	struct native_env *spare;	/* for such a child of this thread's */
	const void *slow_data;		/* of inline.c's routines: what it is about, the address, where to go on */
	uint64_t slow_address;
	uint8_t *slow_back, *slow_end;
	_Alignas(64) struct plugin_core core;
	uint8_t *table[65536];		/* by the low bits of an address: where code jumps to that is found there */
};

#define NATIVE_ENV(member) ((int32_t)offsetof(struct native_env, member))
#define NATIVE_POLL (-NATIVE_PAGE)	/* a store there, at each block's start, faults when a signal waits */

/* main.c: says why this program cannot go on, and which command can, if the program has begun. */
_Noreturn void native_die(const char *why, ...);

/*
 * fallback.c: QEMU goes on with the program, argv[program]; mask: of signals, 0: as it is.  Then: the command that `plugin`, the
 * text of that option, was made for, with QEMU as its emulator; false: that is not known.
 */
_Noreturn void native_fall_back(int argc, char **argv, int program, uint64_t mask, const char *why);
bool native_advice(const char *plugin, char *out, size_t room);

/*
 * cpus.c: where the program runs, if it sees the machine's CPUs.  A call about that; false: the kernel answers.  What RDTSCP
 * reads of it; false: the processor's.  And what a thread wishes, as text for the emulator of the program that its process goes on as.
 */
const struct ring_cpus *native_cpus(void);	/* NULL: it sees this computer's */
bool native_cpu_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result);
/* numa.c: likewise a call about where its memory lies. */
bool native_memory_policy(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result);
bool native_cpu_number(struct native_env *env, uint32_t *out);
enum { NATIVE_WISHES_TEXT = 17 * (RING_CPU_WORDS + 3) + 1 };
/* machine_files.c: a call that names a file by which they are described; false: it does not. */
bool native_machine_file(uint64_t num, const uint64_t arg[6], int64_t *result);
void native_tell_wishes(char text[NATIVE_WISHES_TEXT]);
void native_hear_wishes(const char *text);

struct native_hooks {
	qemu_plugin_vcpu_fn thread_start, thread_end;
	qemu_plugin_trans_fn translate;
	qemu_plugin_syscall_fn call_start;
	qemu_plugin_syscall_ret_fn call_end;
	void (*flush)(uint64_t id);
	void (*at_exit)(uint64_t id, void *data);
	void *at_exit_data;
};
extern struct native_hooks native_hooks;
extern char native_program[4096];	/* what /proc/self/exe is to the program */

/* The first thread's stack as the program finds it: arguments lie from `args` on, the environment from `env` to `env_end`. */
struct native_stack {
	uint64_t sp, args, env, env_end, aux;
	uint32_t aux_bytes;
};

/* names.c: to the kernel, and who asks it, this process is the program of that name, with this stack. */
void native_show_name(const char *path);
void native_show_stack(const struct native_stack *s);

/*
 * proc.c: a file that the program opens to learn of itself; false: it is none of those that tell of the emulator.  And what
 * getdents64() has found of a directory, `bytes` of it, without the thread that is not the program's.
 */
bool native_open_own(uint64_t path, int flags, int64_t *result);
int64_t native_hide_thread(int fd, uint64_t at, int64_t bytes);

/* load.c: the program, by its name or, unless -1, open as `file`, and its stack; where it starts. */
struct native_start {
	uint64_t pc, sp;
};
struct native_start native_load(const char *path, int file, char **argv, char **envp);
/* The memory that a program wants for itself at fixed places: from, to; 0, 0: any will do, or it cannot be read. */
void native_extent(const char *path, int file, uint64_t *from, uint64_t *to);

/* code.c */
/* All of it lies from `at` on, NATIVE_CACHE bytes at most; most: bytes of code to keep. */
#define NATIVE_CACHE (UINT64_C(464) << 20)
void native_code_init(uint64_t at, uint64_t most);
struct native_block *native_find(uint64_t pc);		/* translates if need be; NULL: cannot be read */
struct native_block *native_block_at(const uint8_t *code);	/* whose translation holds it; NULL: nobody's */
void native_connect(struct native_link *l, struct native_block *to);
/* The instruction whose translation holds it. */
const struct native_place *native_place_at(const struct native_block *b, const uint8_t *code);
/*
 * The instruction at `code` has been let change what is in its own page, and b is gone with all that was translated of
 * that.  What comes behind the instruction may be other code by then, so its translation ends there, with a fault.
 */
void native_stop_behind(const struct native_block *b, const uint8_t *code);
bool native_is_stop(const struct native_block *b, const uint8_t *code);
uint64_t native_behind_stop(const struct native_block *b, const uint8_t *code);	/* where the program goes on */
/* Called by b's own code, with the registers aside: is the program's still what was translated?  Sets env->target. */
void native_compare(struct native_env *env, struct native_block *b);
/* The program's memory there is changed: translations go. */
void native_drop(uint64_t from, uint64_t to);
void native_lock(void);
void native_unlock(void);
/* A process that shared memory was killed: it may have had the lock. */
void native_unlock_for(const struct native_env *dead);
/* Is there no room for another block?  Then all translations go, once nobody is in the cache or on his way there; with the lock. */
bool native_code_full(void);
void native_code_flush(void);
/* Memory in the lower 2 GB, until translations go. */
void *native_keep(size_t size);
/* Room for the translation of a block; how much of it was used. */
uint8_t *native_code_room(void);
void native_code_used(uint8_t *end);
extern uint8_t *native_exit_all, *native_exit_indirect;	/* code that leaves the cache */

/* translate.c */
enum { NATIVE_INSNS = 120, NATIVE_BLOCK_CALLS = 3, NATIVE_ACCESSES = 4 };
struct native_block *native_translate(uint64_t pc);
/* Code that all translations share. */
void native_translate_shared(void);

/* enter.c: code at the beginning of the cache. */
void native_enter_init(struct emit *e);
extern void (*native_enter)(void);	/* the calling thread's registers, and on at native_env.target */
extern uint8_t *native_leave;		/* back out of native_enter() */
extern uint8_t *native_spill;		/* all registers into the env, then native_leave */
int64_t native_system(int64_t num, const uint64_t arg[6]);
/* Answers that the kernel never gives: a signal came before the call; it ended one that the kernel would make again. */
#define NATIVE_UNMADE (-512)
#define NATIVE_BROKEN (-513)
extern char native_system_begin[], native_system_end[];	/* around its `syscall` */
extern char native_restorer[];		/* where handlers return to */
/* Copies; how many bytes could not be, because the program's memory is not there. */
size_t native_copy(void *to, const void *from, size_t n);
extern char native_copy_begin[], native_copy_end[];	/* around its only access */
/* From the program's memory and into it. */
static inline bool native_get(void *to, uint64_t from, size_t n)
{
	return !native_copy(to, (const void *)(uintptr_t)from, n);
}
static inline bool native_put(uint64_t to, const void *from, size_t n)
{
	return !native_copy((void *)(uintptr_t)to, from, n);
}

/* run.c */
struct native_env *native_env_new(void);
void native_env_free(struct native_env *env);
struct native_env *native_here(void);
/* From here on gs leads to env, of the calling thread. */
void native_settle(struct native_env *env);
/* Nothing that leads to translations is left in it, and in that of its next child. */
void native_forget_code(struct native_env *env);
void native_run(struct native_env *env);

/* syscall.c */
void native_syscall(struct native_env *env);
/* Call `num` with these arguments; its answer is in rax then. */
void native_make_call(struct native_env *env, uint64_t num, uint64_t arg[6]);

/* old_calls.c */

/* One that the program has made by `int 0x80`: the number and the arguments are those of 32-bit programs. */
void native_syscall_32(struct native_env *env);
/* Is there a call at this address of the kernel's page for programs of old?  Then it is made, and the program has returned. */
bool native_vsyscall(struct native_env *env);
_Noreturn void native_process_over(int status);

/* process.c: false: the kernel is to answer. */
bool native_prctl(const struct native_env *env, const uint64_t arg[6], int64_t *result);
bool native_unshare(const struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result);
void native_note_debugger(const uint64_t arg[6]);

/* memory.c */
/* The program has [from, to) whatever happens: nothing else is put there.  Where the cache of code goes; 0: nowhere. */
uint64_t native_place_cache(uint64_t from, uint64_t to);
int64_t native_brk(uint64_t to);
/* What the kernel calls the program's memory there: its stack or heap; NULL: nothing. */
const char *native_memory_name(uint64_t at);
int64_t native_mmap(const uint64_t arg[6]);
int64_t native_munmap(const uint64_t arg[6]);
int64_t native_mprotect(const uint64_t arg[6]);
int64_t native_mremap(const uint64_t arg[6]);
int64_t native_madvise(const uint64_t arg[6]);
int64_t native_shmat(const uint64_t arg[6]);
int64_t native_shmdt(const uint64_t arg[6]);
/* The first thread's stack: where it begins.  runs: code on it does. */
uint64_t native_new_stack(bool runs);
/* Where the next library of so many bytes goes; 0: wherever the kernel likes. */
uint64_t native_place_image(uint64_t bytes);

/*
 * own.c: memory [from, to) is the program's; is not.  Does it own all of that?  The first piece that it owns of [*from, *to);
 * false: none.
 */
void native_own(uint64_t from, uint64_t to);
void native_disown(uint64_t from, uint64_t to);
bool native_owns(uint64_t from, uint64_t to);
bool native_next_own(uint64_t *from, uint64_t *to);

/* watch.c: the program's memory is new, has other rights, is gone. */
void native_watch_mapped(uint64_t from, uint64_t bytes, int prot, int flags, int fd, uint64_t offset);
void native_watch_protected(uint64_t from, uint64_t bytes, int prot);
void native_watch_unmapped(uint64_t from, uint64_t bytes);
/* It may go elsewhere; it has. */
void native_watch_moves(uint64_t from, uint64_t bytes);
void native_watch_moved(uint64_t from, uint64_t bytes, uint64_t to, uint64_t new_bytes);
/* Code from this page is translated: changes to it must be noticed.  With the lock. */
void native_watch_page(uint64_t page);
/* Is that given up, because it changes all the time?  Code must then be looked at before it runs. */
bool native_watch_in_vain(uint64_t page);
/* Too many pages have been watched to remember another one: none is from now on, once no translation is left. */
bool native_watch_full(void);
void native_watch_none(void);
/* A store to a watched page?  Then it may go ahead now. */
bool native_watch_hit(uint64_t address);
/* The kernel may write wherever the program may.  False: it could before. */
bool native_watch_release(void);

/* signal.c */
/* The thread leaves its blocks at the next one's start. */
void native_arm(struct native_env *env);
int64_t native_sigprocmask(struct native_env *env, const uint64_t arg[6]);
void native_sigreturn(struct native_env *env);
/*
 * Deliver what waits.  broken: a system call was, and is made again unless its handler says otherwise.  during: what the
 * call blocked in the mask's place, or NULL.
 */
void native_deliver(struct native_env *env, bool broken, const uint64_t *during);
/* A fault of the program's own. */
void native_raise(struct native_env *env, int sig, int code, uint64_t address);
/* The program's mask: a new one, that of the process that was here before. */
void native_set_mask(struct native_env *env, uint64_t mask);
void native_inherit_mask(struct native_env *env);
/* No signal comes until native_set_mask().  False: one has come. */
bool native_hold(struct native_env *env);
/*
 * Of a process that shares memory, which no signal ends in C code (it could have a lock): now they may come, until
 * native_hold().  False: nothing is changed by that.
 */
bool native_heed(struct native_env *env);
/* Of whoever had the env before: none waits. */
void native_forget_signals(struct native_env *env);
/* The thread ends with signals that it has not delivered. */
void native_pass_on(struct native_env *env);

/* action.c */
void native_signals_init(void);
int64_t native_sigaction(struct native_env *env, const uint64_t arg[6]);
int64_t native_sigpending(const struct native_env *env, const uint64_t arg[6]);
/* A table for itself, the same as the other's at first.  False: no memory. */
bool native_own_actions(struct native_env *env, const struct native_env *of);

/* frame.c */
int64_t native_sigaltstack(struct native_env *env, const uint64_t arg[6]);

/* thread.c */
int64_t native_clone(struct native_env *env, const uint64_t arg[6]);
void native_thread_over(struct native_env *env);
/* What `of` has that a new thread or process begins with: registers (sp, if not 0), signals. */
void native_env_take(struct native_env *env, const struct native_env *of, uint64_t sp);
void native_put_tid(uint64_t at, int64_t tid);

/* vfork.c: a child in the same memory, for which the thread waits until it has another program or ends. */
int64_t native_vfork(struct native_env *env, const uint64_t arg[6]);

/*
 * others.c: a thread of the program is there, with a number; it is not any more.  True: it was the last.  A process that
 * shares its parent's memory gets a number, too, but is nobody to wait for when its parent's process ends.
 */
void native_join(struct native_env *env);
bool native_part(struct native_env *env);
/* Into a system call; back again, when nobody else has the process to himself. */
void native_away(struct native_env *env);
void native_back(struct native_env *env);
/* Does somebody want it? */
bool native_wanted(const struct native_env *env);
/* Returns when all others are away, and stay so until they may go on. */
void native_stop_others(struct native_env *env);
void native_let_others_go(const struct native_env *env);
/* The cache is full: it is emptied, while all others are away, those in its parent's memory, too. */
void native_make_room(struct native_env *env);
/* Around a fork; in the child, only this thread is there. */
void native_others_lock(void);
void native_others_unlock(void);
void native_alone(struct native_env *env);

/* rare.c: the instruction at env->pointer. */
void native_rare(struct native_env *env);

/* cpuid.c */
bool native_has_bases(void);		/* RDFSBASE and its kin */
void native_cpuid_init(const char *model);
void native_cpuid(struct native_env *env);
uint32_t native_hwcap(void);

#endif
