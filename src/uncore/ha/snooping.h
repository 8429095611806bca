/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests for which the home agent asks the other caches itself. */
#ifndef BXS_UNCORE_HA_SNOOPING_H
#define BXS_UNCORE_HA_SNOOPING_H

#include "uncore/ha/inside.h"

struct ha_reply ha_ask_directory(struct ha_transaction *w, const bool observed);

struct ha_reply ha_ask_all(struct ha_transaction *w, const bool observed);

/* A line comes back in directory mode: who writes it back had it to himself. */
void ha_directory_written_back(struct ha *ha, const struct ha_request *rq, uint64_t posted, const bool observed);

#endif
