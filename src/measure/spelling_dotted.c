/* SPDX-License-Identifier: BSD-2-Clause */
/* UNC_M_CAS_COUNT.RD (Intel's event files) and hswep_unc_imc0::UNC_M_CAS_COUNT:RD:t=1 (libpfm4). */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "measure/near.h"
#include "measure/spelling_private.h"

/* Of another family, then?  That is worth saying. */
static int fail_pmu(struct spelt *x, struct span pmu)
{
	const struct cat_family *own = names_family(x->n);
	struct near near = { .names = 0 };
	char hint[160];

	for (unsigned t = own->type0; t < (unsigned)own->type0 + own->types; t++)
		if (cat_types[t].called[CAT_TOOL_LIBPFM4])
			near_offer(&near, cat_str(cat_types[t].called[CAT_TOOL_LIBPFM4]));
	for (unsigned f = 0; f < cat_family_count; f++)
		for (unsigned t = cat_families[f].type0; t < (unsigned)cat_families[f].type0 + cat_families[f].types; t++) {
			const char *called = cat_str(cat_types[t].called[CAT_TOOL_LIBPFM4]);

			if (*called && spelt_begins(pmu, called))
				return spelt_fail(x, pmu, BXS_ENOENT, "%.*s is of %s, and this machine is a %s", (int)pmu.n, pmu.s,
						  cat_str(cat_families[f].name), cat_str(own->name));
		}
	return spelt_fail(x, pmu, BXS_ENOENT, "%s: libpfm4 has no %.*s there%s", cat_str(own->name), (int)pmu.n, pmu.s,
			  near_or_all(&near, pmu, "there are", hint, sizeof hint));
}

/* Behind UNC_M_: *name without its prefix; the longest that fits, so that R2 is no R. */
static uint32_t type_of_prefix(const struct names *n, struct span *name)
{
	const struct cat_family *f = names_family(n);

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		const char *prefix = cat_str(cat_types[t].called[CAT_TOOL_JSON]);
		size_t len = strlen(prefix);

		if (len && spelt_begins(*name, prefix) && name->n > len && name->s[len] == '_') {
			*name = (struct span){ name->s + len + 1, name->n - len - 1 };
			return t;
		}
	}
	return NAMES_NONE;
}

static int fail_prefix(struct spelt *x, struct span name)
{
	const struct cat_family *f = names_family(x->n);
	struct near near = { .names = 0 };
	char list[120];

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		if (cat_types[t].called[CAT_TOOL_JSON])
			near_offer(&near, cat_str(cat_types[t].called[CAT_TOOL_JSON]));
	if (!near.names)
		return spelt_fail(x, name, BXS_ENOENT, "%s: no event %.*s; Intel's event files do not have this family's uncore",
				  cat_str(f->name), (int)name.n, name.s);
	near_list(&near, list, sizeof list);
	return spelt_fail(x, name, BXS_ENOENT, "%s: no event %.*s; its events begin with %s", cat_str(f->name), (int)name.n, name.s, list);
}

/* The name of a subevent, as the tool has it beside this event; true: it is one. */
static bool is_subevent(const struct spelt *x, struct span event, struct span word)
{
	uint32_t e = names_find_event(x->n, x->type, event);

	return e != NAMES_NONE && names_find_umask(x->n, e, word) != NAMES_NONE;
}

/* EVENT.WORD by the catalogue's line about both; 1: it is in x->event. */
static int pair(struct spelt *x, enum cat_tool tool, struct span event, struct span word, bool first)
{
	char key[160], to[160];
	const char *sub;
	int rc;

	snprintf(key, sizeof key, "%.*s.%.*s", (int)(event.n < 70 ? event.n : 70), event.s, (int)(word.n < 70 ? word.n : 70), word.s);
	rc = spelt_alias(x, tool, x->type, (struct span){ key, strlen(key) }, to, sizeof to);
	if (rc < 0)
		x->s->err->at = (size_t)(event.s - x->s->start);
	if (rc != 1)
		return rc;
	sub = strchr(to, '.');
	if (first)
		*x->event = '\0';
	SPELT_PUT(x, event, "%s", first || !sub ? to : sub + 1);
	return 1;
}

/* A word behind a colon: a subevent, a filter's value that libpfm4 calls one, or a modifier. */
static int libpfm4_word(struct spelt *x, struct span event, bool *first)
{
	struct span word = spelt_word(x->s, x->s->p, "");
	struct span value = { NULL, 0 };
	int rc;

	if (!word.n)
		return spelt_fail(x, (struct span){ x->s->p, 0 }, BXS_EINVAL, "a unit mask or a modifier is missing here");
	x->s->p = word.s + word.n;
	if (event_accept(x->s, '=')) {
		value = spelt_word(x->s, x->s->p, "");
		x->s->p = value.s + value.n;
		return spelt_field(x, CAT_TOOL_LIBPFM4, word, value);
	}
	if (!*first)
		SPELT_PUT(x, event, "+");
	rc = pair(x, CAT_TOOL_LIBPFM4, event, word, *first);
	if (rc == 0 && is_subevent(x, event, word)) {
		SPELT_PUT(x, event, "%s%.*s", *first ? "." : "", (int)word.n, word.s);
		rc = 1;
	}
	if (rc == 1)
		*first = false;
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (!*first)
		x->event[strlen(x->event) - 1] = '\0';

	char key[64], to[64];

	snprintf(key, sizeof key, ":%.*s", (int)(word.n < 60 ? word.n : 60), word.s);
	if (spelt_alias(x, CAT_TOOL_LIBPFM4, x->type, (struct span){ key, strlen(key) }, to, sizeof to) == 1 ||
	    spelt_alias(x, CAT_TOOL_LIBPFM4, CAT_NOTYPE, (struct span){ key, strlen(key) }, to, sizeof to) == 1)
		return spelt_field(x, CAT_TOOL_LIBPFM4, word, value);
	/* No such unit mask: let our names say what there is. */
	SPELT_PUT(x, event, "%s%.*s", *first ? "." : "+", (int)word.n, word.s);
	*first = false;
	return 0;
}

/* The event by the catalogue's line about it alone, or as it is. */
static int put_event(struct spelt *x, enum cat_tool tool, struct span event)
{
	int rc = spelt_alias(x, tool, x->type, event, x->event, sizeof x->event);

	if (rc == 0)
		SPELT_PUT(x, event, "%.*s", (int)event.n, event.s);
	return rc;
}

/* EVENT.SUBEVENT; what may follow is of our own notation. */
static int read_json(struct spelt *x, struct span event)
{
	struct span sub = { NULL, 0 };
	bool dot = event_accept(x->s, '.');
	int rc = put_event(x, CAT_TOOL_JSON, event);

	if (rc < 0)
		return rc;
	if (dot) {
		sub = spelt_word(x->s, x->s->p, "+|*?");
		x->s->p = sub.s + sub.n;
		rc = pair(x, CAT_TOOL_JSON, event, sub, true);
		if (rc < 0)
			return rc;
		if (rc == 0)
			SPELT_PUT(x, event, ".%.*s", (int)sub.n, sub.s);
	}
	return 0;
}

int spelt_dotted(struct spelt *x, struct span pmu)
{
	const char *from = x->s->p;
	struct span word, event;
	uint32_t type = NAMES_NONE;
	bool first = true;
	int rc;

	if (pmu.s) {
		type = spelt_type(x->n, CAT_TOOL_LIBPFM4, pmu, &x->box);
		if (type == NAMES_NONE)
			return fail_pmu(x, pmu);
		x->s->p = pmu.s + pmu.n + 2;
	}
	word = event = spelt_word(x->s, x->s->p, "*?");
	x->type = type_of_prefix(x->n, &event);
	if (x->type == NAMES_NONE)
		return fail_prefix(x, word);
	if (type != NAMES_NONE && type != x->type)
		return spelt_fail(x, word, BXS_ENOENT, "%.*s has no event %.*s; its events begin with %s_", (int)pmu.n, pmu.s,
				  (int)word.n, word.s, cat_str(cat_types[type].called[CAT_TOOL_JSON]));
	x->s->p = event.s + event.n;
	if (!pmu.s && !event_peek(x->s, ':')) {
		rc = read_json(x, event);
	} else {
		rc = put_event(x, CAT_TOOL_LIBPFM4, event);
		rc = rc < 0 ? rc : 0;
		while (rc == 0 && event_accept(x->s, ':'))
			rc = libpfm4_word(x, event, &first);
	}
	x->name = (struct span){ from, (size_t)(x->s->p - from) };
	return rc < 0 ? rc : SPELLING_EVENT;
}
