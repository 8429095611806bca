/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzz harnesses share.  Each of them is one file that gives bytes of anybody's to one parser of ours, and holds
 * that all is refused with a sentence or done.  libFuzzer calls it with bytes that it makes up, once.c with files.
 */
#ifndef BXS_TEST_FUZZ_H
#define BXS_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boxscore.h"

/* libFuzzer's name for it.  Returns 0; a fault ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a string, to be freed, which a byte 0 among them ends. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The path of a regular file with these bytes, until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A machine, or the end; flags as of bxs_machine_new(). */
bxs_machine *fuzz_machine(const char *spec, unsigned flags);

/* One machine without hardware of each family, made once; NULL past the last. */
bxs_machine *fuzz_each(unsigned n);

/* End the process unless that is so. */
void fuzz_expect(bool so, const char *what);

/* What err says is an error has a sentence; true: it is one. */
bool fuzz_refused(int err, const char *why);

/* For bxs_session_each(): a reading is a number and is named. */
int fuzz_reading(void *ctx, const struct bxs_reading *r);

/* Start what the session was asked for, unless asking failed with err; read it, look at all of it, end it. */
void fuzz_measure(bxs_machine *m, bxs_session *s, int err);

#endif
