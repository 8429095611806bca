/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The default set of `boxscore stat`: chosen to fit the counters at once, so that every
 * line is exact.  Misses come from the table of requests rather than from look-ups by
 * state, because the state filter can hold only one value at a time; on snbep, where a slice has two
 * counters for either, they are those of data reads.  hsx's link moves one flit in a clock (four
 * transfers), so its share of use is not the manual's QPI_LINK_UTIL, which takes two.
 */
#include <string.h>
#include <strings.h>

#include "api/session.h"
#include "base/bits.h"

#define MISSES "(cbo.TOR_INSERTS.MISS_LOCAL + cbo.TOR_INSERTS.MISS_REMOTE)"
#define DATA_READS "cbo.TOR_INSERTS.OPCODE{opc=DRd}"
#define DATA_MISSES "cbo.TOR_INSERTS.MISS_OPCODE{opc=DRd}"
#define FLITS "(qpi.TxL_FLITS_G0.DATA + qpi.TxL_FLITS_G0.NON_DATA)"

enum { SOCKETS = 1u << BXS_BY_SOCKET, BOXES = 1u << BXS_BY_BOX };

#define BOTH "hsx snbep"
#define XEONS BOTH " nhmex"
#define LOOKUPS "(LLC_HITS.ALL + LLC_MISSES.ALL)"
#define M_READS "mbox.FVC_EV0.BBOX_CMDS_READS"
#define CLOCKS "CPU_OP_CYCLES"

/* family: or several, with blanks between. */
static const struct summary {
	const char *family, *box, *name, *equation, *unit, *text;
	unsigned detail;
} rows[] = {
	{ XEONS, NULL, "instructions", "INST_RETIRED.ALL", "instructions", "Instructions of all cores", 0 },
	{ XEONS, NULL, "ipc", "INST_RETIRED.ALL / CORE_CYCLES", "per clock",
	  "Instructions for each clock of a running core", 0 },
	{ "hsx", "cbo", "llc_lookups", "LLC_LOOKUP.READ", "events",
	  "Reads that looked up the last-level cache, prefetches included", 0 },
	{ "hsx", "cbo", "llc_misses", MISSES, "events", "Requests that missed the last-level cache", 0 },
	{ "hsx", "cbo", "llc_hit_ratio", "1 - " MISSES " / LLC_LOOKUP.READ", "ratio",
	  "Share of those look-ups that did not become misses", SOCKETS },
	{ "hsx", "cbo", "remote_share", "cbo.TOR_INSERTS.MISS_REMOTE / " MISSES, "ratio",
	  "Share of the misses whose memory is in another socket", SOCKETS },
	{ "snbep", "cbo", "llc_data_reads", DATA_READS, "events",
	  "Data reads of cores that came to the last-level cache", 0 },
	{ "snbep", "cbo", "llc_data_misses", DATA_MISSES, "events",
	  "Those of them that missed it", 0 },
	{ "snbep", "cbo", "llc_hit_ratio", "1 - " DATA_MISSES " / " DATA_READS, "ratio",
	  "Share of those reads that did not become misses", SOCKETS },
	{ "nhmex", "cbox", "llc_lookups", LOOKUPS, "events", "Look-ups in the last-level cache", 0 },
	{ "nhmex", "cbox", "llc_misses", "LLC_MISSES.ALL", "events", "Those of them that missed it", 0 },
	{ "nhmex", "cbox", "llc_hit_ratio", "LLC_HITS.ALL / " LOOKUPS, "ratio",
	  "Share of those look-ups that did not become misses", SOCKETS },
	{ "nhmex", "sbox", "remote_share", "TO_R_B_REQUESTS.REMOTE / TO_R_B_REQUESTS.ALL", "ratio",
	  "Share of the requests whose memory is in another socket", SOCKETS },
	{ "nhmex", "mbox", "memory_read_bw", M_READS " * 64 / SECONDS / 1000000000", "GB/s",
	  "Data read from memory", SOCKETS | BOXES },
	{ "nhmex", "bbox", "memory_write_bw", "IMT_INSERTS_WR * 64 / SECONDS / 1000000000", "GB/s",
	  "Data written to memory", SOCKETS | BOXES },
	{ "nhmex", "mbox", "memory_bytes", "(" M_READS " + bbox.IMT_INSERTS_WR) * 64", "bytes",
	  "Data read from and written to memory", 0 },
	{ "nhmex", "rbox", "qpi_data_bw", "(NEW_PACKETS_RECV.ANY_DRS{port=0} + NEW_PACKETS_RECV.ANY_DRS{port=1}) * 64"
	  " / SECONDS / 1000000000", "GB/s", "Data received over the links", SOCKETS },
	{ BOTH, "imc", "memory_read_bw", "CAS_COUNT.RD * 64 / SECONDS / 1000000000", "GB/s",
	  "Data read from memory", SOCKETS | BOXES },
	{ BOTH, "imc", "memory_write_bw", "CAS_COUNT.WR * 64 / SECONDS / 1000000000", "GB/s",
	  "Data written to memory", SOCKETS | BOXES },
	{ BOTH, "imc", "memory_bytes", "(CAS_COUNT.RD + CAS_COUNT.WR) * 64", "bytes",
	  "Data read from and written to memory", 0 },
	{ BOTH, "qpi", "qpi_data_bw", "TxL_FLITS_G0.DATA * 8 / SECONDS / 1000000000", "GB/s",
	  "Data sent over the links", SOCKETS },
	{ "hsx", "qpi", "qpi_utilisation", FLITS " / CLOCKTICKS", "ratio",
	  "Share of the links' clocks in which something was sent", SOCKETS },
	{ "snbep", "qpi", "qpi_utilisation", FLITS " / (2 * CLOCKTICKS)", "ratio",
	  "Share of the flits that the links could send", SOCKETS },
	{ "poulson", "core", "instructions", "IA64_INST_RETIRED", "instructions",
	  "Retired instructions, those with a false predicate among them", BOXES },
	{ "poulson", "core", "cycles", CLOCKS, "clocks", "Clocks of cores", BOXES },
	{ "poulson", "core", "ipc", "IA64_INST_RETIRED / " CLOCKS, "per clock",
	  "Retired instructions for each clock of a core", BOXES },
	{ "poulson", "core", "lost_cycles", "CYC_BE_BUBBLE.ANY / " CLOCKS, "ratio",
	  "Share of the clocks in which no whole issue group retired", BOXES },
	{ "poulson", "core", "loads", "DATA_REF.LOAD_INT + DATA_REF.LOAD_FP", "instructions",
	  "Loads of integers and floating-point numbers", BOXES },
	{ "poulson", "core", "stores", "DATA_REF.STORE_INT + DATA_REF.STORE_FP", "instructions",
	  "Stores of integers and floating-point numbers", BOXES },
	{ "snbep", "qpi", "remote_requests", "TxL_FLITS_G1.HOM_REQ", "events",
	  "Requests to the memory of another socket, writes included", SOCKETS },
};

static bool has_row(const struct summary *r, const char *family)
{
	size_t n = strlen(family);
	const char *at = strstr(r->family, family);

	return at && (at == r->family || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0');
}

static int add_row(bxs_session *s, const struct summary *r, unsigned detail)
{
	int type = -1;

	if (r->box)
		type = (int)names_find_type(s->names, (struct span){ r->box, strlen(r->box) });
	return api_add_equation(s, r->name, r->equation, r->unit, r->text, type, -1, detail);
}

int bxs_session_add_default(bxs_session *s)
{
	const char *family = cat_str(names_family(s->names)->name);
	int err = 0;
	bool any = false;

	for (const struct summary *r = rows; r < rows + LEN(rows) && err == 0; r++) {
		if (!has_row(r, family))
			continue;
		any = true;
		err = add_row(s, r, r->detail);
	}
	if (!any)
		return api_fail(s->machine, BXS_ENOTSUP, "%s has no default events; ask for some", family);
	return err;
}

int bxs_each_default_metric(const char *family, int (*fn)(void *ctx, const struct bxs_metric *row), void *ctx)
{
	int ret = 0;

	for (unsigned f = 0; f < cat_family_count && ret == 0; f++) {
		const char *name = cat_str(cat_families[f].name);

		for (const struct summary *r = rows; r < rows + LEN(rows) && ret == 0; r++) {
			const struct bxs_metric row = {
				.family = name, .box = r->box ? r->box : "all", .name = r->name, .unit = r->unit,
				.equation = r->equation, .text = r->text,
			};

			if ((!family || strcmp(name, family) == 0) && has_row(r, name))
				ret = fn(ctx, &row);
		}
	}
	return ret;
}

static bool same(const char *a, struct span b, bool exact)
{
	return strlen(a) == b.n && (exact ? strncmp : strncasecmp)(a, b.s, b.n) == 0;
}

int api_add_summary(bxs_session *s, struct span box, struct span name, bool exact)
{
	const char *family = cat_str(names_family(s->names)->name);

	for (const struct summary *r = rows; r < rows + LEN(rows); r++) {
		if (has_row(r, family) && same(r->name, name, exact) &&
		    (!box.n || (r->box && same(r->box, box, false))))
			return add_row(s, r, 0);
	}
	return BXS_ENOENT;
}
