/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a machine shows: built once from its specification, never changed after, so that many
 * readers need no lock.  A node is named by its index; the root is 0.
 */
#ifndef BXS_TREE_H
#define BXS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"

enum tree_kind {
	TREE_DIR,
	TREE_LINK,		/* symbolic; text is its target */
	TREE_TEXT,		/* text is all there is to read */
	TREE_NOTE,		/* the same, and writing it is allowed and without effect */
	TREE_STAT,		/* how long each CPU has run; text is what a machine at its beginning would show */
	TREE_NUMBER,		/* a decimal number that `number` reads */
	TREE_MSR,		/* registers of logical CPU `cpu` */
	TREE_CONFIG,		/* configuration space of `function` */
	TREE_CPUID,		/* what CPUID says on logical CPU `cpu` */
	TREE_MEMORY,		/* physical memory: text is its first megabyte, then the window onto configuration space */
};

enum { TREE_ROOT = 0, TREE_NONE = 0 };

struct tree_function {
	uint8_t socket, bus;		/* bus: enum cat_bus */
	uint8_t number, dev_fn;		/* bus number; dev << 3 | fn */
};

struct virtual;

struct tree_number {
	int (*read)(struct virtual *v, const struct tree_number *n, int64_t *value);	/* 0 or BXS_EFAULT */
	/* The text is without its line end.  0 or an error number; NULL: it is not written. */
	int (*write)(struct virtual *v, const struct tree_number *n, const char *text);
	unsigned cpu, what;		/* whose, and what of it: for these two */
};

struct tree_node {
	char *name;
	uint32_t parent, child, next;	/* child: the first; next: brother; TREE_NONE ends */
	uint32_t last;			/* the last child */
	uint16_t mode;			/* permission bits */
	uint8_t kind;			/* enum tree_kind */
	uint32_t size;			/* as stat() shows it */
	char *text;
	uint32_t length;		/* of text */
	union {
		unsigned cpu;
		struct tree_function function;
		struct tree_number number;
	};
};

struct tree {
	struct tree_node *node;
	uint32_t nodes, room;
	uint32_t *slot;			/* hash of (parent, name), a power of two; TREE_NONE: free */
	uint32_t slots;
	bool failed;			/* memory ran out: some nodes are missing */
};

/* A tree that is its root.  0 or BXS_ENOMEM. */
int tree_init(struct tree *t);
void tree_release(struct tree *t);

/* Nodes are made below parent; a directory that exists is given out.  TREE_NONE and t->failed: out of memory. */
uint32_t tree_dir(struct tree *t, uint32_t parent, const char *name);
/* Several directories, "sys/devices/system". */
uint32_t tree_path(struct tree *t, uint32_t parent, const char *path);
uint32_t tree_link(struct tree *t, uint32_t parent, const char *name, const char *target);
uint32_t tree_node(struct tree *t, uint32_t parent, const char *name, enum tree_kind kind, unsigned mode,
		   uint32_t size);
/* A file of text; its size is that of a page, as sysfs shows it. */
uint32_t tree_text(struct tree *t, uint32_t parent, const char *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A file with these bytes, of which t takes over the allocation; size is theirs. */
uint32_t tree_bytes(struct tree *t, uint32_t parent, const char *name, char *bytes, size_t size);

/* The child of that name; false: there is none. */
bool tree_find(const struct tree *t, uint32_t parent, const char *name, uint32_t *out);

/* The directories, links and texts below the directory path, as plain files.  0 or BXS_EIO with errno. */
int tree_write(const struct tree *t, const char *path);

#endif
