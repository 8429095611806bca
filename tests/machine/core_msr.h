/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of logical CPUs, as software on the machine reads and writes them. */
#ifndef BXS_TESTS_MACHINE_CORE_MSR_H
#define BXS_TESTS_MACHINE_CORE_MSR_H

#include "probe.h"

#define GP UINT64_C(0xdeadbeef)		/* in place of a value: the access faults */

static inline struct access_address msr(const struct machine *m, unsigned cpu, uint32_t number)
{
	unsigned cores = machine_cores(m), each = cores / machine_sockets(m);

	return (struct access_address){
		.space = CAT_MSR, .socket = (uint16_t)(cpu % cores / each),
		.thread = (uint16_t)(cpu / cores * each + cpu % each), .offset = number, .width = 64,
	};
}

static inline uint64_t get(struct machine *m, unsigned cpu, uint32_t number)
{
	struct access_address at = msr(m, cpu, number);
	uint64_t value = GP;

	return access_read(machine_registers(m), &at, &value) == 0 ? value : GP;
}

/* false: it faults. */
static inline bool set(struct machine *m, unsigned cpu, uint32_t number, uint64_t value)
{
	struct access_address at = msr(m, cpu, number);

	return access_write(machine_registers(m), &at, value) == 0;
}

#endif
