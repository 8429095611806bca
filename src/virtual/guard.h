/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small process that takes a mount away when the process that serves it dies.  (The program fusermount3 has an option
 * for that, but it gives up when it comes to look before the dead process is quite gone.)
 */
#ifndef BXS_GUARD_H
#define BXS_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

struct guard {
	unsigned major, minor;		/* device of the file system */
	pid_t pid;			/* 0: none */
	int life;			/* open as long as we live; its other end is the guard's */
};

/*
 * Watch over what this process has mounted on dir.  Before there are threads; the file system need not answer yet.  0
 * or BXS_EIO with errno set.
 */
int guard_open(struct guard *g, const char *dir);

#define GUARD_TYPE "fuse.boxscore"	/* of our file systems */

/*
 * Is it still mounted for us?  Another mount namespace that was made meanwhile keeps a mount of its own, so that the file
 * system lives on when ours is taken away.
 */
bool guard_mounted(const struct guard *g);

/* Is a file system of this type mounted with this device number? */
bool guard_finds(unsigned major, unsigned minor, const char *type);

/* We have unmounted it: the guard goes without doing anything.  None is allowed. */
void guard_close(struct guard *g);

#endif
