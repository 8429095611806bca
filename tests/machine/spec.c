/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine specifications: what they mean, and what is said about wrong ones. */
#include "machine/spec.h"

#include "base/error.h"
#include "check.h"

/* From the family file and design: hsx alone is two sockets of E5-2699 v3, DDR4-2133. */
static const struct row {
	int line;
	const char *text;
	enum spec_key key;
	uint64_t want;
} rows[] = {
	{ LINE, "hsx", SPEC_SOCKETS, 2 },
	{ LINE, "hsx", SPEC_CORES, 18 },
	{ LINE, "hsx", SPEC_DDR_MTS, 2133 },
	{ LINE, "hsx", SPEC_BASE_MHZ, 2300 },
	{ LINE, "hsx", SPEC_CORE_MHZ, 2300 },
	{ LINE, "hsx", SPEC_BIND, SPEC_NONE },
	{ LINE, "hsx", SPEC_SNOOP, SPEC_SNOOP_EARLY },
	{ LINE, "hsx:e7-8890v3", SPEC_SOCKETS, 4 },
	{ LINE, "hsx:e7-8890v3", SPEC_CHANNELS, 8 },
	{ LINE, "hsx:e7-8890v3,sockets=2", SPEC_SOCKETS, 2 },
	{ LINE, "hsx:e7-8890v3,sockets=2", SPEC_CORE_MHZ, 2500 },
	{ LINE, "hsx:e5-2407v3", SPEC_CHANNELS, 3 },
	{ LINE, "hsx:e5-2407v3", SPEC_THREADS, 1 },
	{ LINE, "hsx", SPEC_THREADS, 2 },
	{ LINE, "hsx,threads=1", SPEC_THREADS, 1 },
	{ LINE, "hsx,sockets=1,cores=4,snoop=home", SPEC_SOCKETS, 1 },
	{ LINE, "hsx,sockets=1,cores=4,snoop=home", SPEC_CORES, 4 },
	{ LINE, "hsx,sockets=1,cores=4,snoop=home", SPEC_SNOOP, SPEC_SNOOP_HOME },
	{ LINE, "hsx,pages=interleave", SPEC_PAGES, SPEC_PAGES_INTERLEAVE },
	{ LINE, "hsx,memory=1G", SPEC_MEMORY, UINT64_C(1) << 30 },
	{ LINE, "hsx,memory=1048576K", SPEC_MEMORY, UINT64_C(1) << 30 },
	{ LINE, "hsx,bind=1", SPEC_BIND, 1 },
	{ LINE, "hsx,core_mhz=3000", SPEC_CORE_MHZ, 3000 },
	{ LINE, "HSX:E5-2680V3", SPEC_CORES, 12 },
	{ LINE, "nhmex", SPEC_CORES, 8 },
	{ LINE, "nhmex", SPEC_SOCKETS, 2 },
	{ LINE, "nhmex", SPEC_LLC_WAYS, 24 },
	{ LINE, "nhmex", SPEC_QPI_LINKS, 4 },
	{ LINE, "nhmex", SPEC_DDR_MTS, 1066 },
	{ LINE, "nhmex:x7550", SPEC_LLC_WAYS, 18 },
	{ LINE, "nhmex:x7550", SPEC_THREADS, 2 },
	{ LINE, "nhmex:x7542", SPEC_THREADS, 1 },
	{ LINE, "hsx:e7-8890v3", SPEC_SNOOP, SPEC_SNOOP_DIRECTORY },
	{ LINE, "hsx:e7-8890v3,snoop=early", SPEC_SNOOP, SPEC_SNOOP_EARLY },
	{ LINE, "hsx", SPEC_SNOOP, SPEC_SNOOP_EARLY },
	{ LINE, "nhmex:e7530,sockets=4", SPEC_CORES, 6 },
	{ LINE, "snbep", SPEC_CORES, 8 },
	{ LINE, "snbep", SPEC_HAS, 1 },
	{ LINE, "snbep", SPEC_CHANNELS, 4 },
	{ LINE, "snbep", SPEC_DDR_MTS, 1600 },
	{ LINE, "snbep", SPEC_QPI_MTS, 8000 },
	{ LINE, "snbep:e5-2680", SPEC_CORE_MHZ, 2700 },
	{ LINE, "snbep:e5-2603", SPEC_CORES, 4 },
	{ LINE, "snbep:e5-2603", SPEC_QPI_MTS, 6400 },
	{ LINE, "snbep:e5-2603", SPEC_THREADS, 1 },
	{ LINE, "snbep:e5-4650", SPEC_SOCKETS, 4 },
	{ LINE, "snbep,ddr_mts=1066,sockets=1", SPEC_DDR_MTS, 1066 },
};

/* The message has to name the culprit and what would be right. */
static const struct wrong {
	int line;
	const char *text;
	int err;
	const char *says;
} wrongs[] = {
	{ LINE, "", BXS_ENOENT, "no family \"\"" },
	{ LINE, "hsy", BXS_ENOENT, "hsx" },
	{ LINE, "zen", BXS_ENOENT, "no family \"zen\"" },
	{ LINE, "hsx:", BXS_ENOENT, "no part \"\"" },
	{ LINE, "hsx:e5-2699v4", BXS_ENOENT, "did you mean e5-2699v3?" },
	{ LINE, "hsx,", BXS_EINVAL, "key=value" },
	{ LINE, "hsx,cores", BXS_EINVAL, "\"cores\": a key needs a value" },
	{ LINE, "hsx,core=4", BXS_ENOENT, "did you mean cores?" },
	{ LINE, "hsx,colour=4", BXS_ENOENT, "no machine key \"colour\"" },
	{ LINE, "hsx,cores=", BXS_EINVAL, "cores=: has to be a number from 1 to" },
	{ LINE, "hsx,cores=0", BXS_EINVAL, "cores=0" },
	{ LINE, "hsx,cores=-1", BXS_EINVAL, "cores=-1" },
	{ LINE, "hsx,cores=19", BXS_EINVAL, "at most 18" },
	{ LINE, "hsx,cores=4x", BXS_EINVAL, "cores=4x" },
	{ LINE, "hsx,cores=18446744073709551617", BXS_EINVAL, "has to be a number" },
	{ LINE, "hsx,cores=4,sockets=9", BXS_EINVAL, "sockets=9: has to be a number from 1 to 8" },
	{ LINE, "hsx,cores=4,sockets=1,cores=4", BXS_EINVAL, "cores is given twice" },
	{ LINE, "hsx,snoop=directory,snoop=early", BXS_EINVAL, "snoop is given twice" },
	{ LINE, "hsx,memory=1", BXS_EINVAL, "from 67108864 to 1099511627776; K, M, G after it stand for 2^10, 2^20, 2^30" },
	{ LINE, "hsx,snoop=late", BXS_EINVAL, "early home directory" },
	{ LINE, "hsx,osb=on", BXS_EINVAL, "osb=on: there is no directory to be ahead of; it takes snoop=directory or cod" },
	{ LINE, "hsx,osb=on,snoop=home", BXS_EINVAL, "snoop=directory" },
	{ LINE, "snbep,erms=on", BXS_EINVAL, "erms: snbep has nothing that this would change" },
	{ LINE, "nhmex,erms=on", BXS_EINVAL, "erms: nhmex has nothing" },
	{ LINE, "hsx,erms=yes", BXS_EINVAL, "off on" },
	{ LINE, "hsx,bind=2", BXS_EINVAL, "nodes 0 to 1" },
	{ LINE, "hsx,memory=100000001", BXS_EINVAL, "multiple of 4M" },
	{ LINE, "hsx,channels=3", BXS_EINVAL, "share them evenly" },
	{ LINE, "hsx,ranks=3", BXS_EINVAL, "1, 2, 4 or 8 ranks" },
	{ LINE, "snbep,cores=9", BXS_EINVAL, "at most 8" },
	{ LINE, "snbep,ddr_mts=1866", BXS_EINVAL, "ddr_mts=1866 qpi_mts=8000: snbep has at most 1600 and 8000" },
	{ LINE, "snbep,qpi_mts=9600", BXS_EINVAL, "snbep has at most 1600 and 8000" },
	{ LINE, "snbep,has=2", BXS_EINVAL, "has=2: a socket of snbep has at most 1" },
	{ LINE, "snbep,qpi_links=3", BXS_EINVAL, "qpi_links=3: a socket of snbep has at most 2" },
	{ LINE, "snbep,channels=5", BXS_EINVAL, "at most 4 each" },
	{ LINE, "snbep,vmse=on", BXS_EINVAL, "vmse: snbep has nothing that this would change" },
	{ LINE, "snbep,snoop=directory,osb=on", BXS_EINVAL, "osb: snbep has nothing" },
	{ LINE, "nhmex,vna=3", BXS_EINVAL, "vna: nhmex has nothing" },
	{ LINE, "nhmex,qpi_l0p=on", BXS_EINVAL, "qpi_l0p: nhmex has nothing" },
	{ LINE, "nhmex,snoop=directory", BXS_EINVAL, "snoop=directory: nhmex keeps none; it takes early or home" },
	{ LINE, "snbep:e5-2699v3", BXS_ENOENT, "no part \"e5-2699v3\"" },
};

int main(void)
{
	char why[256];
	struct spec spec;

	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		CHECK_EQ(r->line, spec_parse(r->text, &spec, why, sizeof why), 0);
		CHECK_EQ(r->line, spec.value[r->key], r->want);
	}
	for (const struct wrong *w = wrongs; w < wrongs + LEN(wrongs); w++) {
		struct spec untouched = { .family = NULL };

		why[0] = 0;
		CHECK_EQ(w->line, spec_parse(w->text, &untouched, why, sizeof why), w->err);
		CHECK_EQ(w->line, untouched.family != NULL, 0);
		CHECK_STR(w->line, strstr(why, w->says) ? w->says : why, w->says);
	}
	/* Every part of the catalogue makes a machine. */
	CHECK_EQ(__LINE__, spec_parse("hsx", &spec, why, sizeof why), 0);
	for (unsigned i = 0; i < spec.family->parts; i++) {
		char text[64];

		snprintf(text, sizeof text, "hsx:%s",
			 cat_str(cat_parts[spec.family->part0 + i].name));
		CHECK_STR(__LINE__, spec_parse(text, &spec, why, sizeof why) ? why : "", "");
	}
	return check_done();
}
