/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs to trace: what a name stands for, and the emulator's command line for it.
 */
#ifndef BXS_TARGET_H
#define BXS_TARGET_H

#include <stddef.h>

#define TARGET_PATH 4096
#define TARGET_SCRIPTS 4		/* a script's interpreter may be a script, this often */

struct target_emulator {
	const char *qemu;		/* path of qemu-x86_64 */
	const char *plugin;		/* path of the plugin */
	const char *segment;		/* path of the shared segment */
	const char *processor;		/* that the program sees: QEMU's model and its features, separated by commas or colons */
	int handed;			/* the segment, open for the emulator; 0: only by its path */
	const char *const *option;	/* more of them, NULL at the end; or NULL */
};

/*
 * A file that can be traced.  An ELF program runs by itself: path is the file and there are
 * no extra arguments.  A script stands for its interpreter: path is the
 * interpreter, extra[] what comes between its name and the script's own arguments.
 */
struct target {
	char path[TARGET_PATH];
	unsigned machine;			/* EM_X86_64, as in elf.h, or what target_find_for() was asked for */
	unsigned extras;
	char extra[2 * TARGET_SCRIPTS][TARGET_PATH];
};

/*
 * Look at the file at `path`.  0; BXS_ENOENT (no such file), BXS_EIO (cannot be read or
 * executed), BXS_ENOTSUP (not an x86-64 program for Linux): with a sentence in why.
 */
int target_inspect(const char *path, struct target *out, char *why, size_t size);

/*
 * The same for a name as a shell would look it up: a name without a slash is sought along
 * PATH.
 */
int target_find(const char *name, struct target *out, char *why, size_t size);
/* The same, also for programs of another 64-bit machine (EM_..., as in elf.h). */
int target_find_for(const char *name, unsigned also, struct target *out, char *why, size_t size);

/*
 * The command that runs target with argv (argv[0]: what the program is to see as its
 * name) under the emulator, as a NULL-terminated array in one malloc'd block that
 * free() ends; it points into its arguments.  NULL: out of memory.
 */
char **target_command(const struct target *t, char *const argv[], const struct target_emulator *e);

#endif
