/* SPDX-License-Identifier: BSD-2-Clause */
/* What the file system answers about names, attributes and directories: the tree as it was built. */
#include <errno.h>
#include <stdlib.h>

#include "virtual/mount_private.h"

#define FOR_EVER 3600.0			/* seconds that the kernel may keep names and attributes */

struct mount *mount_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

const struct tree_node *mount_node(fuse_req_t req, fuse_ino_t ino)
{
	const struct tree *t = &mount_of(req)->tree;

	return ino - 1 < t->nodes ? &t->node[ino - 1] : NULL;
}

static mode_t type_of(const struct tree_node *n)
{
	switch (n->kind) {
	case TREE_DIR:
		return S_IFDIR;
	case TREE_LINK:
		return S_IFLNK;
	default:
		return S_IFREG;
	}
}

static struct stat attributes(const struct mount *m, const struct tree_node *n)
{
	unsigned mode = n->mode;

	if (m->share)
		mode |= (mode >> 3 & 0070) | (mode >> 6 & 0007);
	return (struct stat){
		.st_ino = (ino_t)(n - m->tree.node) + 1,
		.st_mode = type_of(n) | mode,
		.st_nlink = n->kind == TREE_DIR ? 2 : 1,
		.st_uid = m->owner,
		.st_gid = m->group,
		.st_size = n->size,
		.st_blksize = 4096,
		.st_atim = m->since,
		.st_mtim = m->since,
		.st_ctim = m->since,
	};
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct mount *m = mount_of(req);
	struct fuse_entry_param e = { .attr_timeout = FOR_EVER, .entry_timeout = FOR_EVER };
	uint32_t found;

	if (m->perf && parent == m->events + 1) {
		mount_event_lookup(req, name);
		return;
	}
	if (!mount_node(req, parent) || !tree_find(&m->tree, (uint32_t)parent - 1, name, &found)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	e.ino = found + 1;
	e.attr = attributes(m, &m->tree.node[found]);
	fuse_reply_entry(req, &e);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct tree_node *n = mount_node(req, ino);
	struct stat st;

	(void)fi;
	if (ino >= MOUNT_FIRST_EVENT) {
		mount_event_getattr(req, ino);
		return;
	}
	if (!n) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	st = attributes(mount_of(req), n);
	fuse_reply_attr(req, &st, FOR_EVER);
}

/* Registers and memory are devices: these have no length to set.  (O_TRUNC, as in a shell's `>`, comes with the opening and changes
 * nothing of them.)  Of other files the kernel takes a new length and makes nothing of it. */
static bool is_device(const struct tree_node *n)
{
	return n->kind == TREE_MSR || n->kind == TREE_CPUID || n->kind == TREE_MEMORY;
}

static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int which,
		       struct fuse_file_info *fi)
{
	const struct tree_node *n = mount_node(req, ino);

	(void)attr;
	if (n && is_device(n) && (which & FUSE_SET_ATTR_SIZE))
		fuse_reply_err(req, EINVAL);
	else if (which & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		fuse_reply_err(req, EPERM);
	else
		op_getattr(req, ino, fi);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	const struct tree_node *n = mount_node(req, ino);

	if (!n || n->kind != TREE_LINK)
		fuse_reply_err(req, EINVAL);
	else
		fuse_reply_readlink(req, n->text);
}

/* One entry; false: the buffer is full. */
static bool entry(fuse_req_t req, char *buf, size_t size, size_t *used, const char *name, uint32_t index,
		  off_t next)
{
	const struct tree_node *n = &mount_of(req)->tree.node[index];
	struct stat st = { .st_ino = index + 1, .st_mode = type_of(n) };
	size_t len = fuse_add_direntry(req, buf + *used, size - *used, name, &st, next);

	if (len > size - *used)
		return false;
	*used += len;
	return true;
}

/* The offset after "." is 1, after ".." 2, after the node n n + 2. */
static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		       struct fuse_file_info *fi)
{
	const struct tree *t = &mount_of(req)->tree;
	const struct tree_node *n = mount_node(req, ino);
	size_t used = 0;
	bool room = true;
	uint32_t child;
	char *buf;

	(void)fi;
	if (!n || n->kind != TREE_DIR || offset < 0 || offset >= (off_t)t->nodes + 2) {
		fuse_reply_err(req, n ? ENOTDIR : ENOENT);
		return;
	}
	buf = malloc(size);
	if (!buf) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	if (offset == 0)
		room = entry(req, buf, size, &used, ".", (uint32_t)ino - 1, 1);
	if (room && offset <= 1)
		room = entry(req, buf, size, &used, "..", n->parent, 2);
	child = offset <= 2 ? n->child : t->node[offset - 2].next;
	for (; room && child; child = t->node[child].next)
		room = entry(req, buf, size, &used, t->node[child].name, child, (off_t)child + 2);
	fuse_reply_buf(req, buf, used);
	free(buf);
}

const struct fuse_lowlevel_ops mount_ops = {
	.lookup = op_lookup,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.readdir = op_readdir,
	.open = mount_file_open,
	.read = mount_file_read,
	.write = mount_file_write,
	.ioctl = mount_file_ioctl,
	.poll = mount_event_poll,
	.release = mount_event_release,
};
