/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files answer.  Registers as the drivers of Linux do (arch/x86/kernel/msr.c, drivers/pci/proc.c):
 * 8 bytes at the number of the MSR, any bytes of configuration space.  Nothing is cached: every read is a read of
 * the register.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "virtual/config_space.h"
#include "virtual/cpu_answer.h"
#include "virtual/files.h"
#include "virtual/mount_private.h"
#include "virtual/physical.h"

enum {
	MSR_SIZE = 8,
	CPUID_SIZE = 16,
	MOST_READ = 1 << 20,
	PCI_CONTROLLER = 'P' << 24 | 'C' << 16 | 'I' << 8,	/* ioctl: which domain? */
};

static unsigned pid_of(fuse_req_t req)
{
	return (unsigned)fuse_req_ctx(req)->pid;
}

void mount_file_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct tree_node *n = mount_node(req, ino);

	if (ino >= MOUNT_FIRST_EVENT) {
		mount_event_open(req, ino, fi);
		return;
	}
	if (!n || n->kind == TREE_DIR) {
		fuse_reply_err(req, n ? EISDIR : ENOENT);
		return;
	}
	fi->direct_io = 1;
	fi->keep_cache = 0;
	fuse_reply_open(req, fi);
}

/* Where accesses of a register of a CPU go, each of 8 bytes as the driver makes them; else an error number. */
static int msr_at(fuse_req_t req, unsigned cpu, size_t size, off_t offset, struct access_address *at)
{
	if (size % MSR_SIZE)
		return EINVAL;
	return virtual_msr(mount_of(req)->machine, cpu, (uint32_t)offset, at) < 0 ? ENXIO : 0;
}

/* As the driver: each 8 bytes are one access of the same register; anything else is an error. */
static void read_msr(fuse_req_t req, unsigned cpu, size_t size, off_t offset, char *buf)
{
	struct mount *m = mount_of(req);
	struct access_address at;
	size_t done = 0;
	int err = msr_at(req, cpu, size, offset, &at);

	for (; !err && done < size; done += MSR_SIZE) {
		uint64_t value;

		if (virtual_read(m->machine, pid_of(req), &at, &value) < 0) {
			err = EIO;
			break;
		}
		memcpy(buf + done, &value, sizeof value);
	}
	if (err && !done)
		fuse_reply_err(req, err);
	else
		fuse_reply_buf(req, buf, done);
}

static void write_msr(fuse_req_t req, unsigned cpu, const char *buf, size_t size, off_t offset)
{
	struct mount *m = mount_of(req);
	struct access_address at;
	size_t done = 0;
	int err = msr_at(req, cpu, size, offset, &at);

	for (; !err && done < size; done += MSR_SIZE) {
		uint64_t value;

		memcpy(&value, buf + done, sizeof value);
		if (virtual_write(m->machine, pid_of(req), &at, value) < 0) {
			err = EIO;
			break;
		}
	}
	if (err && !done)
		fuse_reply_err(req, err);
	else
		fuse_reply_write(req, done);
}

/* As the driver: 16 bytes are EAX to EDX of the leaf that the offset names, with ECX in its upper half, the next ones those of the next
 * leaf. */
static void read_cpuid(fuse_req_t req, unsigned cpu, size_t size, off_t offset, char *buf)
{
	uint64_t at = (uint64_t)offset;

	if (size % CPUID_SIZE) {
		fuse_reply_err(req, EINVAL);
		return;
	}
	for (size_t done = 0; done < size; done += CPUID_SIZE, at++) {
		struct cpu_leaf leaf = cpu_answer(mount_of(req)->cpu, cpu, (uint32_t)at, (uint32_t)(at >> 32));
		const uint32_t answer[] = { leaf.eax, leaf.ebx, leaf.ecx, leaf.edx };

		memcpy(buf + done, answer, sizeof answer);
	}
	fuse_reply_buf(req, buf, size);
}

/* The node of the configuration space that lies at a physical address of the window; NULL: nobody is there. */
static const struct tree_node *function_at(const struct tree *t, uint64_t at)
{
	for (uint32_t i = 0; i < t->nodes; i++) {
		const struct tree_node *n = &t->node[i];

		if (n->kind == TREE_CONFIG && n->function.number == at >> 20 &&
		    n->function.dev_fn == (at >> 12 & 0xff))
			return n;
	}
	return NULL;
}

/* What an access to the window of configuration space meets, up to the end of its function. */
struct window {
	const struct tree_node *node;	/* NULL: no function lies there */
	uint32_t at;			/* in its configuration space */
	size_t size;
};

/* Of the rest of physical memory nothing but the first megabyte is shown: then false, and the request is answered. */
static bool in_window(fuse_req_t req, off_t offset, size_t size, struct window *w)
{
	uint64_t at = (uint64_t)offset - PHYSICAL_CONFIG;

	if (!physical_is_config((uint64_t)offset, 1)) {
		fuse_reply_err(req, EPERM);
		return false;
	}
	w->node = function_at(&mount_of(req)->tree, at);
	w->at = at % CONFIG_SPACE_SIZE;
	w->size = size < CONFIG_SPACE_SIZE - w->at ? size : CONFIG_SPACE_SIZE - w->at;
	return true;
}

/* The first megabyte is the firmware's and does not change: what is written has no effect. */
static size_t in_low_memory(size_t size, off_t offset)
{
	uint64_t left = physical_is_low((uint64_t)offset, 1) ? PHYSICAL_LOW_SIZE - (uint64_t)offset : 0;

	return left < size ? left : size;
}

static void read_memory(fuse_req_t req, const struct tree_node *n, size_t size, off_t offset, char *buf)
{
	size_t low = in_low_memory(size, offset);
	struct window w;

	if (low) {
		fuse_reply_buf(req, n->text + offset, low);
		return;
	}
	if (!in_window(req, offset, size, &w))
		return;
	if (w.node)
		config_space_read(mount_of(req)->machine, pid_of(req), &w.node->function, w.at, w.size, buf);
	else
		memset(buf, 0xff, w.size);
	fuse_reply_buf(req, buf, w.size);
}

static void write_memory(fuse_req_t req, const char *buf, size_t size, off_t offset)
{
	size_t low = in_low_memory(size, offset);
	struct window w;

	if (low) {
		fuse_reply_write(req, low);
		return;
	}
	if (!in_window(req, offset, size, &w))
		return;
	if (w.node)
		config_space_write(mount_of(req)->machine, pid_of(req), &w.node->function, w.at, w.size, buf);
	fuse_reply_write(req, w.size);
}

static void read_text(fuse_req_t req, const struct tree_node *n, size_t size, off_t offset)
{
	size_t from = offset < (off_t)n->length ? (size_t)offset : n->length;
	size_t left = n->length - from;

	fuse_reply_buf(req, n->text + from, left < size ? left : size);
}

/* A text of now: as long as that of the beginning, so that the pieces of several reads fit together. */
static void read_stat(fuse_req_t req, const struct tree_node *n, size_t size, off_t offset)
{
	struct tree_node now = { .text = NULL };
	size_t length = 0;

	now.text = files_stat_now(mount_of(req)->machine, n, &length);
	now.length = (uint32_t)length;
	if (now.text)
		read_text(req, &now, size, offset);
	else
		fuse_reply_err(req, ENOMEM);
	free(now.text);
}

static void read_number(fuse_req_t req, const struct tree_node *n, size_t size, off_t offset)
{
	struct tree_node now = { .text = NULL };
	char text[32];
	int64_t value;

	if (n->number.read(mount_of(req)->machine, &n->number, &value) < 0) {
		fuse_reply_err(req, EIO);
		return;
	}
	now.length = (uint32_t)snprintf(text, sizeof text, "%" PRId64 "\n", value);
	now.text = text;
	read_text(req, &now, size, offset);
}

static void write_number(fuse_req_t req, const struct tree_node *n, const char *buf, size_t size)
{
	char text[64];
	int err = !n->number.write ? EACCES : size >= sizeof text ? EINVAL : 0;

	if (!err) {
		memcpy(text, buf, size);
		text[size] = '\0';
		text[strcspn(text, "\n")] = '\0';
		err = n->number.write(mount_of(req)->machine, &n->number, text);
	}
	if (err)
		fuse_reply_err(req, err);
	else
		fuse_reply_write(req, size);
}

void mount_file_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	struct mount *m = mount_of(req);
	const struct tree_node *n = mount_node(req, ino);
	char small[CONFIG_SPACE_SIZE], *buf = small;

	if (ino >= MOUNT_FIRST_EVENT) {
		mount_event_read(req, size, fi);
		return;
	}
	if (!n || size > MOST_READ || offset < 0) {
		fuse_reply_err(req, EINVAL);
		return;
	}
	if (n->kind == TREE_TEXT || n->kind == TREE_NOTE) {
		read_text(req, n, size, offset);
		return;
	}
	if (n->kind == TREE_NUMBER) {
		read_number(req, n, size, offset);
		return;
	}
	if (n->kind == TREE_STAT) {
		read_stat(req, n, size, offset);
		return;
	}
	if (size > sizeof small)
		buf = malloc(size);
	if (!buf)
		fuse_reply_err(req, ENOMEM);
	else if (n->kind == TREE_MSR)
		read_msr(req, n->cpu, size, offset, buf);
	else if (n->kind == TREE_CPUID)
		read_cpuid(req, n->cpu, size, offset, buf);
	else if (n->kind == TREE_CONFIG)
		fuse_reply_buf(req, buf, config_space_read(m->machine, pid_of(req), &n->function,
							   (uint64_t)offset, size, buf));
	else if (n->kind == TREE_MEMORY)
		read_memory(req, n, size, offset, buf);
	else
		fuse_reply_err(req, EISDIR);
	if (buf != small)
		free(buf);
}

void mount_file_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t offset,
		     struct fuse_file_info *fi)
{
	struct mount *m = mount_of(req);
	const struct tree_node *n = mount_node(req, ino);

	(void)fi;
	if (!n || offset < 0)
		fuse_reply_err(req, EINVAL);
	else if (n->kind == TREE_NOTE)
		fuse_reply_write(req, size);
	else if (n->kind == TREE_NUMBER)
		write_number(req, n, buf, size);
	else if (n->kind == TREE_MSR)
		write_msr(req, n->cpu, buf, size, offset);
	else if (n->kind == TREE_CONFIG)
		fuse_reply_write(req, config_space_write(m->machine, pid_of(req), &n->function,
							 (uint64_t)offset, size, buf));
	else if (n->kind == TREE_MEMORY)
		write_memory(req, buf, size, offset);
	else
		fuse_reply_err(req, EACCES);
}

void mount_file_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned int cmd, void *arg,
		     struct fuse_file_info *fi, unsigned flags, const void *in, size_t in_size,
		     size_t out_size)
{
	const struct tree_node *n = mount_node(req, ino);

	(void)flags, (void)in_size;
	if (ino >= MOUNT_FIRST_EVENT)
		mount_event_ioctl(req, cmd, arg, fi, in, out_size);
	else if (n && n->kind == TREE_CONFIG && cmd == PCI_CONTROLLER)
		fuse_reply_ioctl(req, 0, NULL, 0);
	else
		fuse_reply_err(req, ENOTTY);
}

