/* SPDX-License-Identifier: BSD-2-Clause */
/* What was measured, and on which machine. */
#include "report/head.h"

#include <stdlib.h>
#include <string.h>

enum { BOXES_MOST = 256, SOCKETS_MOST = 64 };

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

static bool is_number_up_to(const json_t *v, json_int_t most)
{
	return json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= most;
}

static bool are_boxes(json_t *boxes)
{
	const char *type;
	json_t *list, *number;
	size_t i;

	json_object_foreach(boxes, type, list) {
		if (!json_is_array(list) || json_array_size(list) > BOXES_MOST)
			return false;
		json_array_foreach(list, i, number)
			if (!is_number_up_to(number, BOXES_MOST))
				return false;
	}
	return !boxes || json_is_object(boxes);
}

static bool are_texts(const json_t *texts)
{
	size_t i;
	json_t *text;

	json_array_foreach(texts, i, text)
		if (!json_is_string(text))
			return false;
	return !texts || json_is_array(texts);
}

static bool is_text(const json_t *v)
{
	return !v || json_is_string(v);
}

const char *head_fault(const json_t *head)
{
	const json_t *keys = json_object_get(head, "keys"), *sockets = json_object_get(keys, "sockets");

	if (!is_text(json_object_get(head, "family")))
		return "family";
	if (!is_text(json_object_get(head, "machine")))
		return "machine";
	if (keys && !json_is_object(keys))
		return "keys";
	if (sockets && !is_number_up_to(sockets, SOCKETS_MOST))
		return "sockets";
	if (!are_boxes(json_object_get(head, "boxes")))
		return "boxes";
	return are_texts(json_object_get(head, "command")) ? NULL : "command";
}

json_t *head_text(const char *text)
{
	json_t *made = json_string(text);
	char *ascii = made ? NULL : strdup(text);

	for (char *c = ascii; c && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	if (ascii)
		made = json_string(ascii);
	free(ascii);
	return made;
}

json_t *head_of(const bxs_machine *m, const char *spec)
{
	json_t *keys = json_object(), *boxes = json_object();

	if (!keys || !boxes || bxs_each_key(m, add_key, keys) != 0 || bxs_each_used_box(m, add_box, boxes) != 0) {
		json_decref(keys);
		json_decref(boxes);
		return NULL;
	}
	return json_pack("{ss si ss so so so}", "boxscore", BXS_VERSION, "format", HEAD_FORMAT, "family", bxs_family_of(m), "machine",
			 head_text(spec), "keys", keys, "boxes", boxes);
}
