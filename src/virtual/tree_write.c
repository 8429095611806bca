/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a tree that are text, as plain files. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "virtual/tree.h"

static int write_text(const struct tree_node *n, int dir)
{
	int fd = openat(dir, n->name, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, n->mode);
	ssize_t written = fd < 0 ? -1 : write(fd, n->text, n->length);

	if (fd >= 0)
		close(fd);
	return written == (ssize_t)n->length ? 0 : -1;
}

static int write_children(const struct tree *t, const struct tree_node *parent, int dir);

static int write_dir(const struct tree *t, const struct tree_node *n, int parent)
{
	int dir, err;

	if (mkdirat(parent, n->name, 0755) < 0)
		return -1;
	dir = openat(parent, n->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	err = write_children(t, n, dir);
	close(dir);
	return err;
}

static int write_children(const struct tree *t, const struct tree_node *parent, int dir)
{
	int err = 0;

	for (uint32_t i = parent->child; i != TREE_NONE && err == 0; i = t->node[i].next) {
		const struct tree_node *n = &t->node[i];

		if (n->kind == TREE_DIR)
			err = write_dir(t, n, dir);
		else if (n->kind == TREE_LINK)
			err = symlinkat(n->text, dir, n->name);
		else if (n->kind == TREE_TEXT || n->kind == TREE_NOTE || n->kind == TREE_STAT)
			err = write_text(n, dir);
	}
	return err;
}

int tree_write(const struct tree *t, const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (dir < 0)
		return BXS_EIO;
	err = write_children(t, &t->node[TREE_ROOT], dir);
	close(dir);
	return err < 0 ? BXS_EIO : 0;
}
