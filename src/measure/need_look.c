/* SPDX-License-Identifier: BSD-2-Clause */
/* What an event looks at beside its control: by its needs and parameters, its messages, the scopes that narrow it. */
#include "measure/field_private.h"

struct need_owner need_owner(const struct apply *a, unsigned i)
{
	const struct cat_event *e = a->e;

	if (i == 0)
		return (struct need_owner){
			.name = cat_str(e->name), .need0 = e->need0, .needs = e->needs, .ask0 = e->ask0, .asks = e->asks,
			.scale = e->scale, .rest_reg = e->rest_reg, .rest = e->rest, .message = CAT_NONE,
		};

	const struct cat_umask *u = cat_umasks + a->umasks[i - 1];

	return (struct need_owner){
		.name = cat_str(u->name), .need0 = u->need0, .needs = u->needs, .ask0 = u->ask0, .asks = u->asks,
		.scale = u->scale, .rest_reg = u->rest_reg, .rest = u->rest, .message = u->message,
	};
}

bool need_has_message(const struct cat_event *e)
{
	for (unsigned i = 0; i < e->umasks; i++)
		if (cat_umasks[e->umask0 + i].message != CAT_NONE)
			return true;
	return false;
}

bool need_narrows(const struct apply *a, const struct cat_field *f)
{
	return f->narrows & a->e->looks;
}

static bool is_param(const struct apply *a, const struct cat_field *f)
{
	for (unsigned i = 0; i <= a->count; i++) {
		struct need_owner o = need_owner(a, i);

		for (unsigned k = o.ask0; k < o.ask0 + o.asks; k++)
			if (f == cat_fields + cat_asks[k].field)
				return true;
		for (unsigned k = o.need0; k < o.need0 + o.needs; k++)
			if (f == cat_fields + cat_needs[k].field || f == cat_fields + cat_needs[k].field1)
				return true;
	}
	return false;
}

bool need_looks(const struct apply *a, unsigned reg, const struct cat_field *f)
{
	if (!a->e)
		return false;
	return is_param(a, f) || need_is_sub(a->e, reg) || need_narrows(a, f) ||
	       (cat_regs[reg].holds && need_has_message(a->e));
}

const struct cat_field *need_field(const struct apply *a, struct span name, unsigned *reg)
{
	const struct cat_type *t = cat_types + a->spec->type;
	const struct cat_field *found = NULL;

	for (unsigned i = t->reg0; a->e && i < (unsigned)t->reg0 + t->regs; i++)
		for (unsigned k = 0; k < cat_regs[i].fields; k++) {
			const struct cat_field *f = cat_fields + cat_regs[i].field0 + k;

			if (!names_same(name, cat_str(f->name)) || f->attr == CAT_RV ||
			    cat_regs[i].role == CAT_CTL || !need_looks(a, i, f))
				continue;
			if (found)
				return NULL;
			found = f;
			*reg = i;
		}
	return found;
}
