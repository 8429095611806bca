/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of an event file, and their words: inside event_file.c only. */
#ifndef BXS_API_EVENT_LINES_H
#define BXS_API_EVENT_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { EVENT_LINE_SIZE = 4096, EVENT_LINE_WORDS = 48 };

struct event_lines {
	FILE *file;
	unsigned line;			/* its number */
	int words;			/* of the line at hand */
	char *word[EVENT_LINE_WORDS];
	char text[EVENT_LINE_SIZE];
	char path[256], why[600];
};

/* Set why to FILE:LINE: and the sentence; returns err. */
int event_lines_fail(struct event_lines *l, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The next line as text, without its end and its comment: 1; 0 when the file is over; or an error. */
int event_lines_read(struct event_lines *l);

/* The next line that has words, in them: 1; 0 when the file is over; or an error. */
int event_lines_next(struct event_lines *l);

/* The number that text begins with, and where it ends. */
bool event_lines_number(const char *text, const char **end, uint64_t *value);

#endif
