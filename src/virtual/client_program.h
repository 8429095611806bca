/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a client's program can be shown the machine's processor: the library is preloaded into it, or, where that would leave
 * something of it on this computer's, it runs under the emulator.  Nothing here allocates or takes a lock.
 */
#ifndef BXS_CLIENT_PROGRAM_H
#define BXS_CLIENT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "feed/target.h"
#include "virtual/cpu_page.h"

enum client_way {
	CLIENT_UNKNOWN,		/* no program or script that can be read: the kernel says what is to become of it */
	CLIENT_PRELOADED,
	CLIENT_EMULATED,	/* static, of another C library, or with instructions that the library cannot answer */
	CLIENT_32_BIT,		/* neither is for it */
	CLIENT_PRIVILEGED,	/* it gets rights of its owner's, and with these no library */
};

/* Where PATH has a command: its name where that is one of a file, or in none of PATH's folders; else in room. */
const char *client_find(const char *file, char room[TARGET_PATH]);

/* Of the program at `path`; for CLIENT_EMULATED, t is what to run. */
enum client_way client_way_of(const char *path, struct target *t);

/* A program is shown this computer, for this reason (CLIENT_EMULATED: there is no emulator, or it cannot run this one): the first is kept. */
void client_unserved(struct cpu_page *page, enum client_way way, const char *program);
/* The sentence about it; false: there is none. */
bool client_unserved_note(const struct cpu_page *page, char *out, size_t size);

struct client_parts {
	const char *emulator, *library;	/* files */
	const char *page;		/* what CPU_PAGE_VARIABLE is set to */
	const char *mask;		/* of signals, which the program begins with, hexadecimal; NULL: as it is */
	const char *file;		/* the number under which the program is open; NULL: it goes by its name */
};

enum { CLIENT_WORDS = 14 + 2 * TARGET_SCRIPTS, CLIENT_VARIABLES = 3, CLIENT_TEXT = 2 * TARGET_PATH };

/* Words or variables up to NULL. */
size_t client_count(char *const list[]);

/* The command that runs argv's program, t, under the emulator: out has room for argv and CLIENT_WORDS more. */
void client_emulated(char **out, const struct client_parts *p, const struct target *t, char *const argv[]);

/* The command by which an emulated program becomes one that runs by itself, at `path`, with the mask of signals that it had. */
void client_plain(char **out, const struct client_parts *p, const char *path, char *const argv[]);

/*
 * The environment of a client: `envp` with the library preloaded, or not, and the page named.  out has room for envp and
 * CLIENT_VARIABLES more; text holds what is new in it.
 */
void client_environment(char **out, char text[CLIENT_TEXT], const struct client_parts *p, bool preloaded, char *const envp[]);

#endif
