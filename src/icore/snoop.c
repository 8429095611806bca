/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that other cores ask for, or that leave the last-level cache, which has all that its cores have (2.3.4.2.3, 4.2.17.28). */
#include "icore/private.h"

enum { LINE_LOG = 6 };

static const struct { uint16_t any, from; } requests[] = {
	[ICORE_SNOOP_CODE] = { POULSON_CORE_RIL_SNOOP_REQ_CODE_ANY, POULSON_CORE_RIL_SNOOP_REQ_CODE_SIBLING },
	[ICORE_SNOOP_DATA] = { POULSON_CORE_RIL_SNOOP_REQ_DATA_ANY, POULSON_CORE_RIL_SNOOP_REQ_DATA_SIBLING },
	[ICORE_SNOOP_OWN] = { POULSON_CORE_RIL_SNOOP_REQ_INVAL_ANY, POULSON_CORE_RIL_SNOOP_REQ_INVAL_SIBLING },
	[ICORE_SNOOP_EVICT] = { POULSON_CORE_RIL_SNOOP_REQ_INVAL_ANY, POULSON_CORE_RIL_SNOOP_REQ_INVAL_LLC_EVICT },
};

/* The MLD's answer, and what becomes of the line. */
static bool look_in_mld(struct icore *c, uint64_t address, bool keeps, uint64_t cycle)
{
	struct line *line = icore_cache_find(&c->mld, address);
	bool dirty = line && line->dirty;

	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_ANY, 1);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_SNOOP, 1);
	tell_free(c, !line ? POULSON_CORE_RIL_SNOOP_RESP_MLD_MISS : dirty ? POULSON_CORE_RIL_SNOOP_RESP_MLD_HIT_M : line->fetched ?
		  POULSON_CORE_RIL_SNOOP_RESP_MLD_HIT_E : POULSON_CORE_RIL_SNOOP_RESP_MLD_HIT_S, 1);
	if (!line)
		return false;
	if (line->ready > cycle) {
		tell_free(c, POULSON_CORE_RIL_SNOOP_RESP_MLD_DEFER, 1);
		tell_free(c, POULSON_CORE_MLD_SNOOP_DEFER, 1);
	}
	line->valid = keeps;
	line->fetched = line->dirty = 0;
	return dirty;
}

static void drop_code(struct icore *c, uint64_t address)
{
	struct line *fli = icore_cache_find(&c->fli, address), *mli = icore_cache_find(&c->mli, address);

	tell_free(c, POULSON_CORE_FLI_READ_SNOOP, 1);
	if (fli) {
		tell_free(c, POULSON_CORE_FLI_READ_SNOOP_HIT, 1);
		fli->valid = 0;
	}
	if (mli) {
		tell_free(c, POULSON_CORE_MLI_SNOOP_HIT, 1);
		mli->valid = 0;
	}
}

static void drop_data(struct icore *c, uint64_t address)
{
	if (!icore_fld_snoop(c, address))
		return;
	tell_free(c, POULSON_CORE_FLD_SPEC_INVAL_ANY, 1);
	tell_free(c, POULSON_CORE_FLD_SPEC_INVAL_SNOOP, 1);
}

bool icore_snoop(struct icore *c, uint64_t line, enum icore_snoop_kind kind, uint64_t cycle, unsigned cycles)
{
	uint64_t address = line << LINE_LOG;
	bool keeps = kind <= ICORE_SNOOP_DATA, dirty;

	tell_free(c, POULSON_CORE_RIL_SNOOP_REQ_ANY, 1);
	tell_free(c, requests[kind].any, 1);
	tell_free(c, requests[kind].from, 1);
	tell_free(c, POULSON_CORE_M_ASYNC_OP_ISSUE_ANY, 1);
	tell_free(c, keeps ? POULSON_CORE_M_ASYNC_OP_ISSUE_SNOOP_S : POULSON_CORE_M_ASYNC_OP_ISSUE_SNOOP, 1);
	icore_queue_take(c, &c->snq, c->cycle + cycles);
	dirty = look_in_mld(c, address, keeps, cycle);
	if (!keeps) {
		drop_data(c, address);
		drop_code(c, address);
	}
	if (dirty) {
		tell_free(c, POULSON_CORE_RIL_BL_WRITE_ANY, 1);
		tell_free(c, POULSON_CORE_RIL_BL_WRITE_SLB, 1);
	}
	return dirty;
}
