/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine specification: family[:part][,key=value...]
 *
 *	FAMILY    FAMILY:PART,sockets=4    FAMILY,sockets=1,cores=4,snoop=home
 *
 * A key takes the first of: the specification, the part (catalogue), its default.
 */
#ifndef BXS_MACHINE_SPEC_H
#define BXS_MACHINE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"

/* name, default, least, most, words ("a b c": the value is one of these, by its number), text */
#define SPEC_KEYS(X) \
	X(SOCKETS, "sockets", 2, 1, 8, NULL, "processor packages") \
	X(CORES, "cores", 18, 1, 64, NULL, "cores of a socket; each brings a cache slice") \
	X(THREADS, "threads", 2, 1, 2, NULL, "hardware threads of a core") \
	X(LLC_WAYS, "llc_ways", 20, 1, 24, NULL, "ways of a cache slice of 2048 sets") \
	X(BASE_MHZ, "base_mhz", 2300, 400, 6000, NULL, "nominal frequency, of the time stamp counter") \
	X(CORE_MHZ, "core_mhz", 0, 0, 6000, NULL, "frequency of a running core; 0: base_mhz") \
	X(UCLK_MHZ, "uclk_mhz", 0, 0, 6000, NULL, "frequency of the uncore; 0: the family's") \
	X(HAS, "has", 2, 1, 2, NULL, "home agents of a socket, each with a memory controller") \
	X(CHANNELS, "channels", 4, 1, 8, NULL, "memory channels of a socket, an equal share each home agent") \
	X(DDR_MTS, "ddr_mts", 2133, 800, 3200, NULL, "memory speed in million transfers a second") \
	X(DIMMS, "dimms_per_channel", 1, 1, 3, NULL, "memory modules of a channel") \
	X(RANKS, "ranks", 2, 1, 4, NULL, "ranks of a memory module") \
	X(VMSE, "vmse", 0, 0, 1, "off on", "memory is behind buffers that keep the writes") \
	X(PPD, "ppd", 0, 0, 1, "fast slow", "ranks power down with their DLL on, or off, which takes longer to wake") \
	X(QPI_LINKS, "qpi_links", 2, 1, 4, NULL, "links of a socket") \
	X(QPI_MTS, "qpi_mts", 9600, 4800, 9600, NULL, "link speed in million transfers a second") \
	X(VNA, "vna", 128, 1, 128, NULL, "shared credits of a link; 128: as many as the receiver has room for") \
	X(L0P, "qpi_l0p", 0, 0, 1, "off on", "links that are idle send at half width") \
	X(MEMORY, "memory", 64ULL << 30, 1ULL << 26, 1ULL << 40, NULL, "bytes of memory of a socket") \
	X(TADS, "tads", 1, 1, 12, NULL, "regions of its memory that a home agent tells apart") \
	X(SNOOP, "snoop", 0, 0, 3, "early home directory cod", "who sends the snoops; cod: with a directory, in two clusters a socket") \
	X(OSB, "osb", 0, 0, 1, "off on", "with a directory: snoops go out ahead of it while little is under way") \
	X(D2C, "d2c", 1, 0, 1, "off on", "data goes straight to the core that waits for it, past its slice") \
	X(PAGES, "pages", 0, 0, 1, "touch interleave", "where a page goes: node that touches it first, or in turn") \
	X(TURBO, "turbo", 0, 0, 1, "off on", "cores may run faster than base_mhz, as the part's table and power allow") \
	X(POWER, "power_w", 0, 0, 1000, NULL, "watts that a socket may draw with turbo; 0: what the part is made for") \
	X(ERMS, "erms", 0, 0, 1, "off on", "programs see a processor with fast repeated string instructions, as Haswell is") \
	X(BIND, "bind", SPEC_NONE, 0, 7, NULL, "node that all pages go to")

#define SPEC_NONE UINT64_MAX		/* for bind: nothing is bound */

enum spec_key {
#define X(id, name, def, least, most, words, text) SPEC_##id,
	SPEC_KEYS(X)
#undef X
	SPEC_KEY_COUNT,
};

enum { SPEC_SNOOP_EARLY, SPEC_SNOOP_HOME, SPEC_SNOOP_DIRECTORY, SPEC_SNOOP_COD };
enum { SPEC_PAGES_TOUCH, SPEC_PAGES_INTERLEAVE };

struct spec {
	const struct cat_family *family;
	const struct cat_part *part;		/* NULL: the family lists none */
	uint64_t value[SPEC_KEY_COUNT];
};

/*
 * Read text into *spec.  0; BXS_ENOENT (no such family, part or key) or BXS_EINVAL
 * (value), with a sentence for people in why (size bytes, always ended).
 */
int spec_parse(const char *text, struct spec *spec, char *why, size_t size);

/* What key n is called, may be and means; for listings.  words is NULL for numbers. */
struct spec_key_info {
	const char *name, *words, *text;
	uint64_t def, least, most;
};
const struct spec_key_info *spec_key_info(enum spec_key key);

/* Which of the words ("a b c": 0, 1, 2) the text of len characters is. */
bool spec_choice(const char *words, const char *text, size_t len, uint64_t *value);
/* A whole number of len characters with an optional K, M or G (powers of 1024); false: it is none. */
bool spec_number(const char *text, size_t len, uint64_t *value);

#endif
