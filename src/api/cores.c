/* SPDX-License-Identifier: BSD-2-Clause */
/* Which cores a session measures, and with them which sockets. */
#include "api/session.h"

#include <ctype.h>
#include <stdlib.h>

bool api_spares(const bxs_session *s, unsigned socket, int core)
{
	unsigned each = s->config.cores;

	if (!s->chosen)
		return false;
	if (core >= 0)
		return (unsigned)core < each && !s->chosen[socket * each + (unsigned)core];
	for (unsigned i = 0; i < each; i++)
		if (s->chosen[socket * each + i])
			return false;
	return true;
}

/* A number of a core at *at, which moves on behind it.  -1: there is none. */
static long take_number(const char **at)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**at))
		return -1;
	n = strtol(*at, &end, 10);
	*at = end;
	return n;
}

/* "3" or "3-5" at *at.  0, or BXS_EINVAL with a sentence. */
static int take_range(const bxs_session *s, const char *list, const char **at, bool *chosen)
{
	const long cores = (long)s->config.sockets * s->config.cores;
	long first = take_number(at), last = first;

	if (first >= 0 && **at == '-') {
		++*at;
		last = take_number(at);
	}
	if (first < 0 || last < 0 || (**at && **at != ','))
		return api_fail(s->machine, BXS_EINVAL, "%s is no list of cores; write 0,2-5", list);
	if (last >= cores || first >= cores)
		return api_fail(s->machine, BXS_EINVAL, "%s: the machine has cores 0 to %ld", list, cores - 1);
	if (last < first)
		return api_fail(s->machine, BXS_EINVAL, "%s: %ld-%ld runs backwards", list, first, last);
	for (long i = first; i <= last; i++)
		chosen[i] = true;
	return 0;
}

int bxs_session_cores(bxs_session *s, const char *list)
{
	bool *chosen;
	const char *at = list;
	int err = api_open(s);

	if (err < 0)
		return err;
	chosen = calloc((size_t)s->config.sockets * s->config.cores, sizeof *chosen);
	if (!chosen)
		return BXS_ENOMEM;
	do
		err = take_range(s, list, &at, chosen);
	while (err == 0 && *at++ == ',');
	if (err < 0) {
		free(chosen);
		return err;
	}
	free(s->chosen);
	s->chosen = chosen;
	return 0;
}
