/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of cores at a slice. */
#ifndef BXS_UNCORE_CBO_REQUEST_H
#define BXS_UNCORE_CBO_REQUEST_H

#include "uncore/fabric_core.h"

/* What a batched run does with a request of this kind: signals are only counted (see fabric_lumps.c). */
fabric_request_fn *fabric_batched(enum leave_kind kind);

/* What an observed run does with any request: it raises every signal at its time. */
fabric_request_fn fabric_observed;

#endif
