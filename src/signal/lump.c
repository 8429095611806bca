/* SPDX-License-Identifier: BSD-2-Clause */
/* Occurrences told in a lump: who may be told so, and telling them. */
#include "signal/lump.h"

#include "signal/run.h"

static bool looks_at(const struct signal_alt *a, uint64_t known, unsigned tags)
{
	if ((a->care | a->any) & ~known)
		return false;
	for (unsigned i = 0; i < a->tests; i++) {
		const struct signal_test *t = &a->test[i];

		if (t->kind > SIGNAL_TEST_ANY || !(tags >> t->tag & 1))
			return false;
	}
	return true;
}

bool signal_lumps(const struct signal_port *p, unsigned sig, uint64_t known, unsigned tags)
{
	for (const struct signal_watch *w = p->watch[sig]; w; w = w->next) {
		if (p->exact || !w->adds)
			return false;
		for (unsigned i = 0; i < w->alts; i++)
			if (!looks_at(&w->alt[i], known, tags))
				return false;
	}
	return true;
}

bool signal_quiet(const struct signal_port *p, const uint16_t *but, unsigned n)
{
	for (unsigned sig = 0; p->any && sig < p->signals; sig++) {
		unsigned i = 0;

		while (i < n && but[i] != sig)
			i++;
		if (i == n && p->watch[sig])
			return false;
	}
	return true;
}

void signal_lump(struct signal_port *p, unsigned sig, uint64_t n, uint64_t flags, const struct signal_tag *tag)
{
	for (struct signal_watch *w = p->watch[sig]; w; w = w->next)
		w->sum += (int64_t)(n * signal_hits(w, flags, tag));
}
