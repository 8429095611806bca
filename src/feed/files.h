/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that a program sees in place of this computer's, from the machine's process to the emulator: entries one behind another,
 * each a line "KIND BYTES /PATH" and then its bytes.  A directory comes before what is in it.
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

/* What stands for the machine below these, and nothing else does. */
#define FILES_CPUS "/sys/devices/system/cpu"
#define FILES_NODES "/sys/devices/system/node"
#define FILES_CPUINFO "/proc/cpuinfo"

/*
 * Where the files of a program that looks into directories are put, for the machine's process of that number; removed when that ends,
 * or, if it was killed, by the next one that needs such a place.
 */
#define FILES_PLACE "/tmp/boxscore-"
enum { FILES_PLACE_SIZE = 40 };
void files_place(pid_t machine, char out[FILES_PLACE_SIZE]);
/* A directory of our own with all that is in it; another one's, or none, stays as it is. */
void files_remove(const char *path);

#endif
