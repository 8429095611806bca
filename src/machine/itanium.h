/* SPDX-License-Identifier: BSD-2-Clause */
/* An Itanium machine: what its specification decides, its sockets, and what leaves its cores. */
#ifndef BXS_MACHINE_ITANIUM_H
#define BXS_MACHINE_ITANIUM_H

#include <stddef.h>
#include <stdint.h>

#include "machine/spec.h"

struct leave_record;
struct machine;
struct pmu;
struct pmu_config;

/* See struct families_entry. */
int itanium_check(const struct spec *spec, char *why, size_t size);
void itanium_boxes(const struct spec *spec, struct pmu_config *config);
int itanium_clocks(const struct spec *spec, struct pmu *pmu);
int itanium_build(struct machine *m);
int itanium_build_power(struct machine *m);	/* after the sockets */
void itanium_release(struct machine *m);

/* A record of a core that is a transaction, or says what one did with its line.  *last: no earlier than its reply. */
void itanium_feed(struct machine *m, unsigned core, const struct leave_record *rec, uint64_t *last);

/* Nothing more comes before `until`: what passes with time alone is told. */
void itanium_advance(struct machine *m, uint64_t until);

#endif
