/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the uncore driver of Linux 6.1 shows the boxes of a family, and by which rules it puts events on their counters:
 * catalog/FAMILY/linux as the generator lays it out.  Members are named as in catalog.h.
 */
#ifndef BXS_CATALOG_LINUX_H
#define BXS_CATALOG_LINUX_H

#include <stdbool.h>
#include <stdint.h>

/* What config1 (and config2) of an event go to, beside its control. */
enum cat_pmu_filter {
	CAT_PMU_FILTER_NONE,
	CAT_PMU_FILTER_FIELDS,		/* parts of one or two registers, each of which events share if they want the same */
	CAT_PMU_FILTER_BANDS,		/* a byte for each of four events; filter_number: bits that the mask is moved a band */
	CAT_PMU_FILTER_MATCH,		/* match and mask of a link; filter_number: ports that the driver knows them of */
	CAT_PMU_FILTER_WHOLE,		/* one register for all events of the box; filter_number: its bits */
};

struct cat_pmu {
	uint32_t name;			/* without "uncore_" and number */
	uint16_t type;			/* of cat_types */
	uint8_t boxes, width;		/* as many as the driver knows; bits of a counter */
	bool of_cores;			/* no more boxes than a socket has cores */
	uint8_t filter;			/* enum cat_pmu_filter */
	uint32_t filter_number;
	uint16_t filter_reg[4], filter_regs;	/* of cat_regs */
	uint64_t accepts;		/* bits of config that reach the control */
	uint32_t init0;			/* into cat_numbers: what is written to the box control first, one after the other */
	uint16_t inits;
	uint16_t format0, formats, event0, events, limit0, limits, part0, parts, look0, looks;
};

struct cat_pmu_format {
	uint32_t name, bits;		/* "config:0-7,21" */
};

struct cat_pmu_event {
	uint32_t name, value, scale, unit;	/* scale, unit: 0 if there are none */
};

/* An event whose low byte is `code` counts in these counters only. */
struct cat_pmu_limit {
	uint32_t code, counters;
};

/* An event with (config & mask) == code looks at these parts of the filter. */
struct cat_pmu_look {
	uint32_t code, mask, parts;
};

extern const struct cat_pmu cat_pmus[];
extern const struct cat_pmu_format cat_pmu_formats[];
extern const struct cat_pmu_event cat_pmu_events[];
extern const struct cat_pmu_limit cat_pmu_limits[];
extern const uint64_t cat_pmu_parts[];	/* bits of config1 */
extern const struct cat_pmu_look cat_pmu_looks[];
extern const unsigned cat_pmu_count;

#endif
