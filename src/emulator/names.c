/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel tells of this process, by ps, pgrep or /proc: the program's name, arguments, and where they lie. */
#include <fcntl.h>
#include <linux/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/native.h"

enum { FIELDS = 52, NAME = 16 };

/* Fields of /proc/PID/stat, counted from 1 as proc(5) has them. */
enum { START_CODE = 26, END_CODE, START_DATA = 45, END_DATA, START_BRK };

/* False: it cannot be read. */
static bool read_fields(uint64_t *field)
{
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[1024], *at;
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	/* The name may have spaces and brackets in it. */
	at = strrchr(text, ')');
	if (!at || strlen(at) < 4)
		return false;
	at += 4;
	for (unsigned i = 4; i <= FIELDS && *at; i++)
		field[i] = strtoull(at, &at, 10);
	return true;
}

/* A script's name where one is run: its interpreter gets no name of its own (target_command()). */
void native_show_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[NAME];

	snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
	prctl(PR_SET_NAME, name);
}

/* The heap stays this emulator's: its C library asks the kernel for more. */
void native_show_stack(const struct native_stack *s)
{
	uint64_t field[FIELDS + 1] = { 0 };
	struct prctl_mm_map map = { 0 };

	if (!read_fields(field))
		return;
	map.start_code = field[START_CODE];
	map.end_code = field[END_CODE];
	map.start_data = field[START_DATA];
	map.end_data = field[END_DATA];
	map.start_brk = field[START_BRK];
	map.brk = (uint64_t)syscall(SYS_brk, 0);
	map.start_stack = s->sp;
	map.arg_start = s->args;
	map.arg_end = map.env_start = s->env;
	map.env_end = s->env_end;
	map.auxv = (void *)s->aux;
	map.auxv_size = s->aux_bytes;
	map.exe_fd = UINT32_MAX;
	/* Where the kernel has not been built for it, ps shows the emulator. */
	prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0);
}
