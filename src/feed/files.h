/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a program sees in place of this computer's, as the machine's process hands them to the emulator: a sequence of entries,
 * each a line "KIND BYTES /PATH" followed by so many bytes.  A directory comes before its contents.
 *
 *	d 0 /sys/devices/system/cpu		a directory
 *	f 5 /sys/devices/system/cpu/online	a file: its text
 *	l 16 /sys/devices/system/node/...	a symbolic link: where it leads
 */
#ifndef BXS_FEED_FILES_H
#define BXS_FEED_FILES_H

#include <stddef.h>
#include <sys/types.h>

enum files_kind { FILES_DIR = 'd', FILES_TEXT = 'f', FILES_LINK = 'l' };

/* Only these paths, and what is below them, are replaced. */
#define FILES_CPUS "/sys/devices/system/cpu"
#define FILES_NODES "/sys/devices/system/node"
#define FILES_CPUINFO "/proc/cpuinfo"

/*
 * The directory for the files of a program that lists directories; `machine` is the machine's process.  It is removed when that process
 * ends or, if it was killed, by the next one that needs such a directory.
 */
#define FILES_PLACE "/tmp/boxscore-"
enum { FILES_PLACE_SIZE = 40 };
void files_place(pid_t machine, char out[FILES_PLACE_SIZE]);
/* Remove a directory with its contents, if it exists and belongs to us. */
void files_remove(const char *path);

#endif
