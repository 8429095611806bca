/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a client's program is made to see the machine's processor: by the preloaded library, or under the emulator if the library could
 * not intercept everything.  Nothing here allocates memory or takes a lock.
 */
#ifndef BXS_CLIENT_PROGRAM_H
#define BXS_CLIENT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "feed/target.h"
#include "virtual/cpu_page.h"

enum client_way {
	CLIENT_UNKNOWN,		/* not a readable program or script: the kernel decides */
	CLIENT_PRELOADED,
	CLIENT_EMULATED,	/* static, built for another C library, or with instructions that the library cannot intercept */
	CLIENT_32_BIT,		/* neither way works */
	CLIENT_PRIVILEGED,	/* set-ID: the dynamic linker preloads nothing into it */
};

/* The path of a command, by PATH, written to room; `file` itself if it has a slash or is in no folder of PATH. */
const char *client_find(const char *file, char room[TARGET_PATH]);

/* How the program at `path` is served.  t: the program to run, which for a script is its interpreter. */
enum client_way client_way_of(const char *path, struct target *t);

/* Note that a program sees the host, and why (CLIENT_EMULATED: no emulator, or it cannot run this program).  Only the first note is kept. */
void client_unserved(struct cpu_page *page, enum client_way way, const char *program);
/* The sentence to print about it; false: there is no note. */
bool client_unserved_note(const struct cpu_page *page, char *out, size_t size);

struct client_parts {
	const char *emulator, *library;	/* files */
	const char *page;		/* value of CPU_PAGE_VARIABLE */
	const char *mask;		/* signals that the program starts with blocked, hexadecimal; NULL: the current ones */
	const char *file;		/* number of the program's open descriptor; NULL: executed by path */
};

enum { CLIENT_WORDS = 14 + 2 * TARGET_SCRIPTS, CLIENT_VARIABLES = 3, CLIENT_TEXT = 2 * TARGET_PATH };

/* The number of words or variables before NULL. */
size_t client_count(char *const list[]);

/* The command that runs argv's program, t, under the emulator: out has room for argv and CLIENT_WORDS more. */
void client_emulated(char **out, const struct client_parts *p, const struct target *t, char *const argv[]);

/* The command by which an emulated program executes one that runs natively, at `path`, with its signal mask restored. */
void client_plain(char **out, const struct client_parts *p, const char *path, char *const argv[]);

/*
 * The environment of a client: `envp`, with or without the preloaded library, and with the page's name.  out has room for envp and
 * CLIENT_VARIABLES more; text holds the new strings.
 */
void client_environment(char **out, char text[CLIENT_TEXT], const struct client_parts *p, bool preloaded, char *const envp[]);

#endif
