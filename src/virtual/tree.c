/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree of files: an array of nodes, and a hash to find them by parent and name. */
#include "virtual/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum { PAGE = 4096, FIRST_SLOTS = 1024 };

static uint32_t hash_of(uint32_t parent, const char *name, size_t len)
{
	uint32_t h = 2166136261u ^ parent * 2654435761u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619u;
	return h ^ h >> 15;
}

/* The slot where the node is, or where it would go. */
static uint32_t *slot_of(const struct tree *t, uint32_t parent, const char *name, size_t len)
{
	uint32_t i = hash_of(parent, name, len);

	for (;; i++) {
		uint32_t *s = &t->slot[i & (t->slots - 1)];
		const struct tree_node *n = &t->node[*s];

		if (*s == TREE_NONE || (n->parent == parent && strncmp(n->name, name, len) == 0 &&
					n->name[len] == '\0'))
			return s;
	}
}

int tree_init(struct tree *t)
{
	*t = (struct tree){ .room = 256, .nodes = 1, .slots = FIRST_SLOTS };
	t->node = calloc(t->room, sizeof *t->node);
	t->slot = calloc(t->slots, sizeof *t->slot);
	if (!t->node || !t->slot) {
		tree_release(t);
		return BXS_ENOMEM;
	}
	t->node[0] = (struct tree_node){ .kind = TREE_DIR, .mode = 0755 };
	return 0;
}

void tree_release(struct tree *t)
{
	for (uint32_t i = 0; t->node && i < t->nodes; i++) {
		free(t->node[i].name);
		free(t->node[i].text);
	}
	free(t->node);
	free(t->slot);
	*t = (struct tree){ 0 };
}

static bool grow(struct tree *t)
{
	struct tree_node *node = array_grow(t->node, t->nodes, &t->room, sizeof *node);

	if (!node)
		return false;
	t->node = node;
	if (t->nodes * 2 > t->slots) {
		uint32_t *old = t->slot, *slot = calloc(2 * t->slots, sizeof *slot);

		if (!slot)
			return false;
		t->slot = slot;
		t->slots *= 2;
		for (uint32_t i = 1; i < t->nodes; i++)
			*slot_of(t, t->node[i].parent, t->node[i].name, strlen(t->node[i].name)) = i;
		free(old);
	}
	return true;
}

static uint32_t fail(struct tree *t)
{
	t->failed = true;
	return TREE_NONE;
}

static uint32_t make(struct tree *t, uint32_t parent, const char *name, size_t len)
{
	uint32_t n = t->nodes;
	struct tree_node *up;
	char *own;

	if (t->failed || !grow(t))
		return fail(t);
	own = strndup(name, len);
	if (!own)
		return fail(t);
	*slot_of(t, parent, name, len) = n;
	t->node[n] = (struct tree_node){ .name = own, .parent = parent };
	t->nodes++;
	up = &t->node[parent];
	if (up->last)
		t->node[up->last].next = n;
	else
		up->child = n;
	up->last = n;
	return n;
}

static uint32_t dir_of(struct tree *t, uint32_t parent, const char *name, size_t len)
{
	uint32_t found = *slot_of(t, parent, name, len);

	if (found == TREE_NONE) {
		found = make(t, parent, name, len);
		if (found != TREE_NONE) {
			t->node[found].kind = TREE_DIR;
			t->node[found].mode = 0755;
		}
	}
	return found;
}

uint32_t tree_dir(struct tree *t, uint32_t parent, const char *name)
{
	return dir_of(t, parent, name, strlen(name));
}

uint32_t tree_path(struct tree *t, uint32_t parent, const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");

		parent = dir_of(t, parent, path, len);
		path += len + (path[len] == '/');
	}
	return parent;
}

uint32_t tree_node(struct tree *t, uint32_t parent, const char *name, enum tree_kind kind, unsigned mode,
		   uint32_t size)
{
	uint32_t n = make(t, parent, name, strlen(name));

	if (n == TREE_NONE)
		return n;
	t->node[n].kind = (uint8_t)kind;
	t->node[n].mode = (uint16_t)mode;
	t->node[n].size = size;
	return n;
}

static uint32_t with_text(struct tree *t, uint32_t n, char *text, size_t length)
{
	if (n == TREE_NONE || !text) {
		free(text);
		return fail(t);
	}
	t->node[n].text = text;
	t->node[n].length = (uint32_t)length;
	return n;
}

uint32_t tree_link(struct tree *t, uint32_t parent, const char *name, const char *target)
{
	uint32_t n = tree_node(t, parent, name, TREE_LINK, 0777, (uint32_t)strlen(target));

	return with_text(t, n, strdup(target), strlen(target));
}

uint32_t tree_text(struct tree *t, uint32_t parent, const char *name, const char *format, ...)
{
	uint32_t n = tree_node(t, parent, name, TREE_TEXT, 0444, PAGE);
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return with_text(t, n, length < 0 ? NULL : text, length < 0 ? 0 : (size_t)length);
}

uint32_t tree_bytes(struct tree *t, uint32_t parent, const char *name, char *bytes, size_t size)
{
	return with_text(t, tree_node(t, parent, name, TREE_TEXT, 0444, (uint32_t)size), bytes, size);
}

bool tree_find(const struct tree *t, uint32_t parent, const char *name, uint32_t *out)
{
	*out = *slot_of(t, parent, name, strlen(name));
	return *out != TREE_NONE;
}
