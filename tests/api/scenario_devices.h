/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests that play scenarios on machines of their own do first. */
#ifndef BXS_TESTS_SCENARIO_DEVICES_H
#define BXS_TESTS_SCENARIO_DEVICES_H

#include "boxscore.h"
#include "check.h"

/* The scenario's devices and faults onto the machine. */
static inline void attach(bxs_machine *m, const bxs_scenario *sc)
{
	const char *text;

	for (unsigned i = 0; (text = bxs_scenario_text(sc, BXS_SCENARIO_DMA, i)); i++)
		CHECK_EQ(__LINE__, bxs_dma(m, text), 0);
	for (unsigned i = 0; (text = bxs_scenario_text(sc, BXS_SCENARIO_FAULT, i)); i++)
		CHECK_EQ(__LINE__, bxs_fault(m, text), 0);
}

#endif
