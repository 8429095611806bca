/* SPDX-License-Identifier: BSD-2-Clause */
/* Checking accesses, for check.c (what was told) and check_rules.c (what is wrong). */
#ifndef BXS_CHECK_ACCESS_PRIVATE_H
#define BXS_CHECK_ACCESS_PRIVATE_H

#include "virtual/decode.h"
#include "virtual/virtual.h"

/* What is known of a register that has been written. */
struct check_written {
	uint64_t key;			/* place and socket, or 0: free */
	uint64_t value;
	unsigned pid;
};

enum { CHECK_WRITTEN = 4096 };

/* One access, looked at. */
struct check_case {
	struct machine *machine;
	const struct virtual_event *event;
	const struct decode_register *reg;	/* NULL: none of the catalogue */
	uint64_t value;			/* of the whole register, where the access is in its place */
	uint64_t select;		/* what a core's counter is enabled to count; 0: the access is another */
	uint64_t covered;		/* bits of the register that the access covers */
	/* The register's last write before this one; key 0: none. */
	struct check_written before;
};

/* A rule's answer: false: nothing is wrong; true: a sentence is in why. */
typedef bool (*check_rule_fn)(const struct check_case *k, char *why, size_t size);

struct check_rule {
	const char *name;
	check_rule_fn broken;
	bool is_ours;			/* about what the machine lacks: no mistake of the tool's */
};

extern const struct check_rule check_rules[];
extern const unsigned check_rule_count;

#endif
