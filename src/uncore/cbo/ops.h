/* SPDX-License-Identifier: BSD-2-Clause */
/* What each kind of request of a core asks for, in the words of the slice, the home agent and the links. */
#ifndef BXS_UNCORE_CBO_OPS_H
#define BXS_UNCORE_CBO_OPS_H

#include "signal_ids.h"
#include "uncore/transaction.h"

enum {
	READ = CBO_LOOKUP_ANY | CBO_LOOKUP_READ,
	DATA_READ = READ | CBO_LOOKUP_DATA_READ,
	WRITE = CBO_LOOKUP_ANY | CBO_LOOKUP_WRITE,
};

/* The L2's own prefetches and the program's look like demands; what only fills the slice has opcodes of
 * its own (Table 2-20).  CLFLUSH is not in that table. */
static const struct fabric_op ops[LEAVE_KINDS] = {
	[LEAVE_DRD] = { CBO_DRD, HA_RD_DATA, QPI_SNP_DATA, .to_core = true, .data = true, .lookup = DATA_READ },
	[LEAVE_RFO] = { CBO_RFO, HA_RD_INV_OWN, QPI_SNP_INV_OWN, .own = true, .to_core = true, .data = true,
			.writes = true, .lookup = READ },
	[LEAVE_CRD] = { CBO_CRD, HA_RD_CODE, QPI_SNP_CODE, .code = true, .to_core = true, .data = true,
			.lookup = READ },
	[LEAVE_PF_DRD] = { CBO_DRD, HA_RD_DATA, QPI_SNP_DATA, .to_core = true, .data = true,
			   .lookup = DATA_READ },
	[LEAVE_PF_RFO] = { CBO_RFO, HA_RD_INV_OWN, QPI_SNP_INV_OWN, .own = true, .to_core = true, .data = true,
			   .lookup = READ },
	[LEAVE_PF_CRD] = { CBO_CRD, HA_RD_CODE, QPI_SNP_CODE, .code = true, .to_core = true, .data = true,
			   .lookup = READ },
	[LEAVE_PF_LLC_DRD] = { CBO_PREF_DATA, HA_RD_DATA, QPI_SNP_DATA, .data = true, .lookup = DATA_READ },
	[LEAVE_PF_LLC_RFO] = { CBO_PREF_RFO, HA_RD_INV_OWN, QPI_SNP_INV_OWN, .own = true, .data = true,
			       .lookup = READ },
	[LEAVE_PF_LLC_CRD] = { CBO_PREF_CODE, HA_RD_CODE, QPI_SNP_CODE, .code = true, .data = true,
			       .lookup = READ },
	[LEAVE_ITOM] = { CBO_I_TO_M, HA_INV_ITOE, QPI_SNP_INV_I_TO_E, .own = true, .to_core = true,
			 .writes = true, .lookup = CBO_LOOKUP_ANY },
	[LEAVE_WB_M] = { .opc = CBO_WB_M_TO_I, .lookup = WRITE },
	[LEAVE_WCIL] = { CBO_WCIL, HA_INV_ITOE, QPI_SNP_INV_I_TO_E, .lookup = WRITE },
	[LEAVE_WCILF] = { CBO_WCILF, HA_INV_ITOE, QPI_SNP_INV_I_TO_E, .lookup = WRITE },
	[LEAVE_CLFLUSH] = { 0, HA_INV_ITOE, QPI_SNP_INV_I_TO_E, .lookup = CBO_LOOKUP_ANY },
	[LEAVE_AHEAD] = { CBO_DRD, HA_RD_DATA, QPI_SNP_DATA, .to_core = true, .data = true, .lookup = DATA_READ },
	[LEAVE_UC_READ] = { .opc = CBO_PRD },
	[LEAVE_UC_WRITE] = { .opc = CBO_WIL },
};

#endif
