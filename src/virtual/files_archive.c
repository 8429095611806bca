/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program under an emulator sees of the machine's CPUs, as one text. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory_file.h"
#include "feed/files.h"
#include "virtual/files.h"

/* All below the node whose whole name is the first `len` bytes of path. */
static void put(FILE *out, const struct tree *t, uint32_t parent, char *path, size_t len, size_t room)
{
	for (uint32_t i = t->node[parent].child; i != TREE_NONE; i = t->node[i].next) {
		const struct tree_node *n = &t->node[i];
		enum files_kind kind = n->kind == TREE_DIR ? FILES_DIR : n->kind == TREE_LINK ? FILES_LINK : FILES_TEXT;
		uint32_t bytes = kind == FILES_DIR ? 0 : n->length;
		size_t longer = len + (size_t)snprintf(path + len, room - len, "/%s", n->name);

		fprintf(out, "%c %u %s\n", kind, bytes, path);
		if (bytes)
			fwrite(n->text, 1, bytes, out);
		if (kind == FILES_DIR && longer < room)
			put(out, t, i, path, longer, room);
	}
}

static int write_archive(const struct tree *t, char **out, size_t *size)
{
	FILE *to = open_memstream(out, size);
	char path[256];

	if (!to)
		return BXS_ENOMEM;
	put(to, t, TREE_ROOT, path, 0, sizeof path);
	return memory_file_close(to, out);
}

int files_archive(const struct machine *m, char **out, size_t *size)
{
	struct tree t = { .node = NULL };
	struct identity id;
	int err;

	*out = NULL;
	if (!identity_of(m, &id))
		return BXS_ENOTSUP;
	err = tree_init(&t);
	if (err == 0) {
		files_topology(&t, m, &id);
		err = t.failed ? BXS_ENOMEM : write_archive(&t, out, size);
	}
	tree_release(&t);
	return err;
}
