/* SPDX-License-Identifier: BSD-2-Clause */
/* The default set of `boxscore stat`: catalog/<family>/defaults. */
#include <string.h>
#include <strings.h>

#include "api/session.h"

static const char *box_name(const struct cat_default *r)
{
	return r->type == CAT_NOTYPE ? "all" : cat_str(cat_types[r->type].name);
}

static int add_row(bxs_session *s, const struct cat_default *r)
{
	int type = -1;

	if (r->type != CAT_NOTYPE)
		type = (int)names_find_type(s->names, (struct span){ box_name(r), strlen(box_name(r)) });
	return api_add_equation(s, cat_str(r->name), cat_str(r->equation), cat_str(r->unit), cat_str(r->text), type, -1);
}

int bxs_session_add_default(bxs_session *s)
{
	const struct cat_family *f = names_family(s->names);
	int err = api_open(s);

	if (err < 0)
		return err;
	if (f->defaults == 0)
		return api_fail(s->machine, BXS_ENOTSUP, "%s has no default events; ask for some", cat_str(f->name));
	for (unsigned i = 0; i < f->defaults && err == 0; i++)
		err = add_row(s, &cat_defaults[f->default0 + i]);
	return err;
}

int bxs_each_default_metric(const char *family, int (*fn)(void *ctx, const struct bxs_metric *row), void *ctx)
{
	int ret = 0;

	for (const struct cat_family *f = cat_families; f < cat_families + cat_family_count && ret == 0; f++) {
		const char *name = cat_str(f->name);

		if (family && strcmp(name, family) != 0)
			continue;
		for (unsigned i = 0; i < f->defaults && ret == 0; i++) {
			const struct cat_default *r = &cat_defaults[f->default0 + i];
			const struct bxs_metric row = {
				.family = name, .box = box_name(r), .name = cat_str(r->name), .unit = cat_str(r->unit),
				.equation = cat_str(r->equation), .text = cat_str(r->text),
			};

			ret = fn(ctx, &row);
		}
	}
	return ret;
}

static bool same(const char *a, struct span b, bool exact)
{
	return strlen(a) == b.n && (exact ? strncmp : strncasecmp)(a, b.s, b.n) == 0;
}

int api_add_summary(bxs_session *s, struct span box, struct span name, bool exact)
{
	const struct cat_family *f = names_family(s->names);

	for (unsigned i = 0; i < f->defaults; i++) {
		const struct cat_default *r = &cat_defaults[f->default0 + i];

		if (same(cat_str(r->name), name, exact) &&
		    (!box.n || (r->type != CAT_NOTYPE && same(box_name(r), box, false))))
			return add_row(s, r);
	}
	return BXS_ENOENT;
}
