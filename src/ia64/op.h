/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoded instructions of IA-64, and their table of forms, which tools/ia64gen.py makes from encodings.txt.
 *
 * An operation is what the table says of one instruction, ready to execute: registers as the instruction names them,
 * immediates extended, the alternatives of the completers by their number in encodings.txt.
 */
#ifndef BXS_IA64_OP_H
#define BXS_IA64_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ia64;
struct ia64_op;

/* Execute an operation; the next one, or NULL when the machine stopped (struct ia64_stop says why). */
typedef const struct ia64_op *ia64_run_fn(struct ia64 *m, const struct ia64_op *op);

struct ia64_op {
	ia64_run_fn *run;
	int64_t imm;		/* the immediate, target (relative to the bundle), position or count */
	uint8_t qp;		/* the predicate that the loop tests: 0 for forms that execute always */
	uint8_t r1, r2, r3, r4;	/* registers of any file; r4 also holds f4 */
	uint8_t p1, p2;		/* predicate targets; frame sizes of alloc */
	uint8_t k;		/* a second number: length, application register, mask; the own qp of "always" forms */
	uint8_t x[4];		/* the completers' alternatives */
	uint8_t wide;		/* 1 for forms of two slots */
	uint8_t slot;
	uint16_t form;		/* its row in the table, from 1; 0: not an instruction */
};

struct alternative { uint8_t value; const char *text; };

struct group {
	uint8_t count;
	struct { uint8_t pos, width; } piece[3];
	const struct alternative *alternatives;
};

struct form {
	char unit;
	bool same;		/* f2 and f3 are the same register */
	bool always, alias;
	uint16_t run;
	uint8_t groups;
	uint64_t mask, match;
	const char *name;	/* bytes 1..4 stand for the completers */
	const char *operands;	/* bytes from 0x80 stand for operands */
	struct group group[4];
};

#define ENCODING_NAMES
#include "ia64_encodings.h"
#undef ENCODING_NAMES

/* A bundle's words as memory has them, little-endian. */
struct ia64_bundle { uint64_t low, high; };

/* The template's name ("MII"), NULL if it is reserved; *stops has bit i for a stop after slot i. */
const char *ia64_template(const struct ia64_bundle *bundle, unsigned *stops);

/* The 41 bits of a slot. */
uint64_t ia64_slot(const struct ia64_bundle *bundle, unsigned slot);

/* The row of an instruction of a unit ('M', 'I', 'B', 'F', 'X'), without or with aliases; NULL if it is reserved. */
const struct form *ia64_form(char unit, uint64_t insn, bool aliases);

/* The row of an operation's form. */
const struct form *ia64_form_of(const struct ia64_op *op);

/* The value of an operand: the register's number or the immediate.  low is the slot before, for 'X'. */
int64_t ia64_operand(enum operand operand, uint64_t insn, uint64_t low);

/* The completer's value within an instruction. */
unsigned ia64_group_value(const struct group *group, uint64_t insn);

/*
 * Decode one slot; false if the template or the encoding is reserved.  Slot 1 of an MLX bundle is the instruction of both, its
 * slot 2 is none and decodes to form 0 with true.  op->run is left to the caller; *run is its number.
 */
bool ia64_decode(const struct ia64_bundle *bundle, unsigned slot, struct ia64_op *op, enum run *run);

/*
 * Write the instruction of a slot as binutils does, with its qualifying predicate and without its stop; ip is the bundle's
 * address.  The length is that of snprintf.
 */
int ia64_disassemble(char *text, size_t size, const struct ia64_bundle *bundle, unsigned slot, uint64_t ip);

#endif
