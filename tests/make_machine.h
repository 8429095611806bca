/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine of a specification, which must be a right one; free it with machine_free(). */
#ifndef BXS_TEST_MAKE_MACHINE_H
#define BXS_TEST_MAKE_MACHINE_H

#include "check.h"
#include "machine/machine.h"
#include "machine/spec.h"

static inline struct machine *make_machine(const char *text)
{
	struct machine *m = NULL;
	struct spec spec;
	char why[200] = "";

	CHECK_EQ(__LINE__, spec_parse(text, &spec, why, sizeof why), 0);
	CHECK_STR(__LINE__, why, "");
	CHECK_EQ(__LINE__, machine_new(&spec, &m), 0);
	return m;
}

#endif
