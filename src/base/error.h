/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of the library and outcomes of the modelled hardware. */
#ifndef BXS_ERROR_H
#define BXS_ERROR_H

#include "boxscore/result.h"

/* What the modelled hardware answers to a register access: a result, not an error. */
enum outcome {
	OUTCOME_OK,
	OUTCOME_GP,	/* general protection: the register does not exist or a reserved bit was set */
	OUTCOME_NONE,	/* nobody answers: reads give all ones, writes are lost */
};

#endif
