/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's verbs for what happens: occurrences, clocks, interrupts, event files. */
#include <inttypes.h>

#include "shell.h"

enum shell_result shell_pulse(struct shell *s, char **word, int words)
{
	struct bxs_tag tag;
	uint64_t n;

	if (!shell_occurrence(s, word, words, &n, &tag))
		return SHELL_BAD;
	return shell_outcome(s, bxs_pulse(s->m, word[1], word[2], n, &tag), NULL);
}

enum shell_result shell_level(struct shell *s, char **word, int words)
{
	struct bxs_tag tag;
	uint64_t n;

	if (!shell_occurrence(s, word, words, &n, &tag))
		return SHELL_BAD;
	return shell_outcome(s, bxs_level(s->m, word[1], word[2], n, &tag), NULL);
}

/* What a core does; the verb is the occurrence. */
enum shell_result shell_tell(struct shell *s, char **word, int words)
{
	char attributes[SHELL_LINE] = "";
	size_t n = 0;

	for (int i = 1; i < words; i++)
		n += (size_t)snprintf(attributes + n, sizeof attributes - n, "%s%s ",
				      i == 1 ? "thread=" : "", word[i]);
	return shell_outcome(s, bxs_tell(s->m, word[0], attributes), NULL);
}

enum shell_result shell_advance(struct shell *s, char **word, int words)
{
	uint64_t n;

	(void)words;
	if (!shell_number(s, "N", word[2], UINT64_MAX, &n))
		return SHELL_BAD;
	return shell_outcome(s, bxs_advance(s->m, word[1], n), NULL);
}

/* Prints the interrupts and takes them. */
enum shell_result shell_pending(struct shell *s, char **word, int words)
{
	struct bxs_interrupt one;

	(void)word;
	(void)words;
	while (bxs_take_interrupt(s->m, &one))
		if (one.vector)
			printf("interrupt thread %u vector 0x%x\n", one.thread, one.vector);
		else
			printf("pmi socket %u cores 0x%" PRIx64 "%s\n", one.socket, one.cores,
		       one.wake ? " wake" : "");
	return SHELL_DONE;
}

enum shell_result shell_play(struct shell *s, char **word, int words)
{
	bxs_events *events;
	int err = bxs_events_open(s->m, word[1], &events);
	enum shell_result r;

	(void)words;
	if (err < 0)
		return shell_outcome(s, err, NULL);
	do
		err = bxs_events_run(events);
	while (err > 0);
	r = shell_outcome(s, err, NULL);
	bxs_events_close(events);
	return r;
}

/* Without a file: no longer. */
enum shell_result shell_record(struct shell *s, char **word, int words)
{
	if (words == 1)
		return shell_outcome(s, bxs_record_end(s->m), NULL);
	return shell_outcome(s, bxs_record(s->m, word[1], s->spec), NULL);
}
