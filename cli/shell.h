/* SPDX-License-Identifier: BSD-2-Clause */
/* A console: its state, and the verbs that it has; for shell*.c only. */
#ifndef BXS_CLI_SHELL_H
#define BXS_CLI_SHELL_H

#include "cli.h"

enum {
	SHELL_WORDS = 32,	/* of a line, at most */
	SHELL_LINE = 4096,	/* bytes of a line, with its end */
};

/* What a line came to. */
enum shell_result { SHELL_DONE, SHELL_BAD, SHELL_QUIT };

struct shell {
	bxs_machine *m;
	bxs_session *session;	/* what `measure` and `compute` have begun, or NULL */
	const char *spec;
	unsigned line;
	bool bad;		/* some line was bad */
	bool terminal;
	char why[300];		/* what is wrong with this line */
};

/* shell_words.c: what returns false has said what is wrong. */

/* Say what is wrong with the line; SHELL_BAD. */
enum shell_result shell_bad(struct shell *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A number of at most `most`, such as 10 or 0xa; what: its name in the usage. */
bool shell_number(struct shell *s, const char *what, const char *text, uint64_t most, uint64_t *out);
/* "18:1" or "D18:F1"; cuts the text apart. */
bool shell_function(struct shell *s, char *text, uint64_t *dev, uint64_t *fn);
/* BOX EVENT[.SUBEVENT] N [tag=value...]: N and the tags, which point into the words. */
bool shell_occurrence(struct shell *s, char **word, int words, uint64_t *n, struct bxs_tag *tag);
/* What a library call came to; value: what a read prints, or NULL. */
enum shell_result shell_outcome(struct shell *s, int err, const uint64_t *value);

/* The verbs.  word[0] is the verb; there are as many words as its row in shell.c allows. */

/* shell_registers.c */
enum shell_result shell_rdmsr(struct shell *s, char **word, int words);
enum shell_result shell_wrmsr(struct shell *s, char **word, int words);
enum shell_result shell_rdpci(struct shell *s, char **word, int words);
enum shell_result shell_wrpci(struct shell *s, char **word, int words);
enum shell_result shell_rdreg(struct shell *s, char **word, int words);
enum shell_result shell_wrreg(struct shell *s, char **word, int words);
enum shell_result shell_read(struct shell *s, char **word, int words);
enum shell_result shell_write(struct shell *s, char **word, int words);

/* shell_signals.c */
enum shell_result shell_pulse(struct shell *s, char **word, int words);
enum shell_result shell_level(struct shell *s, char **word, int words);
enum shell_result shell_tell(struct shell *s, char **word, int words);
enum shell_result shell_advance(struct shell *s, char **word, int words);
enum shell_result shell_pending(struct shell *s, char **word, int words);
enum shell_result shell_play(struct shell *s, char **word, int words);
enum shell_result shell_record(struct shell *s, char **word, int words);

/* shell_measure.c */
enum shell_result shell_measure(struct shell *s, char **word, int words);
enum shell_result shell_compute(struct shell *s, char **word, int words);
enum shell_result shell_readings(struct shell *s, char **word, int words);

#endif
