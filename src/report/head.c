/* SPDX-License-Identifier: BSD-2-Clause */
/* What was measured, and on which machine. */
#include "report/head.h"

enum { FORMAT = 1 };

static int add_key(void *ctx, const char *key, uint64_t value, const char *word)
{
	return json_object_set_new(ctx, key, *word ? json_string(word) : json_integer((json_int_t)value));
}

static int add_box(void *ctx, const char *type, unsigned number)
{
	json_t *boxes = ctx, *list = json_object_get(boxes, type);

	if (!list) {
		list = json_array();
		if (json_object_set_new(boxes, type, list) != 0)
			return BXS_ENOMEM;
	}
	return json_array_append_new(list, json_integer(number));
}

json_t *head_of(const bxs_machine *m, const char *spec)
{
	json_t *keys = json_object(), *boxes = json_object();

	if (!keys || !boxes || bxs_each_key(m, add_key, keys) != 0 || bxs_each_used_box(m, add_box, boxes) != 0) {
		json_decref(keys);
		json_decref(boxes);
		return NULL;
	}
	return json_pack("{ss si ss ss so so}", "boxscore", BXS_VERSION, "format", FORMAT, "family", bxs_family_of(m), "machine", spec,
			 "keys", keys, "boxes", boxes);
}
