/* SPDX-License-Identifier: BSD-2-Clause */
/* Between signal.c, which catches signals and says who gets them, and frame.c, which makes what a handler finds. */
#ifndef BXS_NATIVE_FRAME_H
#define BXS_NATIVE_FRAME_H

#include "native/native.h"

/* As the kernel has it. */
struct native_action {
	uint64_t handler, flags, restorer, mask;
};

extern const uint8_t native_places[16];	/* of registers in a context, by number as encoded */

/* A frame for the handler, which the program goes on with; false: there is no stack for it. */
bool native_put_frame(struct native_env *env, const struct native_action *a, const siginfo_t *info);
/* ... and what was before, when it returns.  False: there is none. */
bool native_take_frame(struct native_env *env, uint64_t *mask);

#endif
