/* SPDX-License-Identifier: BSD-2-Clause */
/* Who keeps the record of stays. */
#include "machine/private.h"

void machine_stays(struct machine *m, struct stays *stays)
{
	if (m->fabric)
		fabric_stays(m->fabric, stays);
	for (size_t i = 0; i < LEN(m->ha); i++)
		if (m->ha[i])
			ha_stays(m->ha[i], stays);
	for (size_t i = 0; i < LEN(m->imc); i++)
		if (m->imc[i])
			imc_stays(m->imc[i], stays);
}
