/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's verbs that measure: events and metrics, programmed as `boxscore stat` does. */
#include "shell.h"

static enum shell_result begin(struct shell *s, char **word, int words,
			 int (*add)(bxs_session *session, const char *list))
{
	char list[SHELL_LINE] = "";
	size_t n = 0;
	bxs_session *session;
	enum shell_result r;
	int err;

	for (int i = 1; i < words; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i > 1 ? " " : "", word[i]);
	bxs_session_free(s->session);
	s->session = NULL;
	err = bxs_session_new(s->m, &session);
	if (err < 0)
		return shell_outcome(s, err, NULL);
	err = add(session, list);
	if (err == 0)
		err = bxs_session_start(session);
	r = shell_outcome(s, err, NULL);
	if (err == 0)
		s->session = session;
	else
		bxs_session_free(session);
	return r;
}

enum shell_result shell_measure(struct shell *s, char **word, int words)
{
	return begin(s, word, words, bxs_session_add);
}

enum shell_result shell_compute(struct shell *s, char **word, int words)
{
	return begin(s, word, words, bxs_session_add_metrics);
}

static int print_reading(void *ctx, const struct bxs_reading *r)
{
	(void)ctx;
	if (r->validity >= BXS_NOT_MODELLED)
		printf("%s %s%s%s\n", r->name, bxs_validity_name(r->validity), *r->why ? ": " : "",
		       r->why);
	else if (r->validity == BXS_SCALED)
		printf("%s %.10g +- %.3g scaled\n", r->name, r->value, r->error);
	else
		printf("%s %.15g %s\n", r->name, r->value, bxs_validity_name(r->validity));
	return 0;
}

/* Of the time since `measure`. */
enum shell_result shell_readings(struct shell *s, char **word, int words)
{
	int err;

	(void)word;
	(void)words;
	if (!s->session)
		return shell_bad(s, "nothing is being measured; begin with `measure` or `compute`");
	err = bxs_session_read(s->session);
	if (err == 0)
		err = bxs_session_each(s->session, BXS_BY_SUM, print_reading, NULL);
	return shell_outcome(s, err, NULL);
}
