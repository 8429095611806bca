/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/event_lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int event_lines_fail(struct event_lines *l, int err, const char *format, ...)
{
	char text[320];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	snprintf(l->why, sizeof l->why, "%s:%u: %s", l->path, l->line, text);
	return err;
}

int event_lines_read(struct event_lines *l)
{
	size_t n = 0;
	int c = getc(l->file);

	if (c == EOF)
		return ferror(l->file) ? event_lines_fail(l, BXS_EIO, "%s", strerror(errno)) : 0;
	l->line++;
	for (; c != EOF && c != '\n'; c = getc(l->file)) {
		if (c == '\0')
			return event_lines_fail(l, BXS_EINVAL, "the line holds a byte 0");
		if (n + 1 == EVENT_LINE_SIZE)
			return event_lines_fail(l, BXS_EINVAL, "the line is longer than %d characters",
						EVENT_LINE_SIZE - 1);
		l->text[n++] = (char)c;
	}
	l->text[n] = '\0';
	l->text[strcspn(l->text, "#")] = '\0';
	return 1;
}

static int split(struct event_lines *l)
{
	static const char blanks[] = " \t\r\f\v";

	l->words = 0;
	for (char *w = strtok(l->text, blanks); w; w = strtok(NULL, blanks)) {
		if (l->words == EVENT_LINE_WORDS)
			return event_lines_fail(l, BXS_EINVAL, "more than %d words", EVENT_LINE_WORDS);
		l->word[l->words++] = w;
	}
	return 0;
}

int event_lines_next(struct event_lines *l)
{
	int more;

	do {
		more = event_lines_read(l);
		if (more > 0 && split(l) < 0)
			more = BXS_EINVAL;
	} while (more > 0 && l->words == 0);
	return more;
}

bool event_lines_number(const char *text, const char **end, uint64_t *value)
{
	char *stop;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &stop, 0);
	*end = stop;
	return errno == 0;
}
