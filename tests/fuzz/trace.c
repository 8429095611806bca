/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing trace files.  Bytes that do not begin as a trace are the records of one: they are packed into a block with its checksum,
 * which nobody finds by chance.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "feed/trace_format.h"

#include "fuzz.h"

enum { RUN_NS = 1000000 };

static const char spec[] = "hsx,sockets=1,cores=2,llc_ways=1";

static void put(uint8_t **to, uint32_t word)
{
	for (unsigned i = 0; i < 4; i++)
		*(*to)++ = (uint8_t)(word >> 8 * i);
}

/* A trace of two cores with these records, and no end. */
static const char *pack(const uint8_t *records, size_t size)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(size) + 64 + sizeof spec, packed;
	uint8_t *all = malloc(room), *p = all;
	const char *path;

	fuzz_expect(z && all, "there is memory");
	memcpy(p, TRACE_MAGIC, TRACE_MAGIC_SIZE);
	p += TRACE_MAGIC_SIZE;
	put(&p, TRACE_VERSION);
	put(&p, 2);
	put(&p, sizeof spec - 1);
	memcpy(p, spec, sizeof spec - 1);
	p += sizeof spec - 1;
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	packed = ZSTD_compress2(z, p + 8, room - (size_t)(p + 8 - all), records, size);
	fuzz_expect(!ZSTD_isError(packed), "records can be packed");
	put(&p, (uint32_t)size);
	put(&p, (uint32_t)packed);
	path = fuzz_file(all, (size_t)(p - all) + packed);
	free(all);
	ZSTD_freeCCtx(z);
	return path;
}

static void replay(bxs_machine *m, const char *path)
{
	bxs_session *s = NULL;

	fuzz_expect(bxs_session_new(m, &s) == 0, "there is a session");
	if (!fuzz_refused(bxs_session_trace(s, path), bxs_why(m)) &&
	    !fuzz_refused(bxs_session_add(s, "imc.CAS_COUNT.RD,cbo.LLC_LOOKUP.ANY"), bxs_why(m)) &&
	    !fuzz_refused(bxs_session_start(s), bxs_why(m))) {
		fuzz_refused(bxs_session_run(s, RUN_NS), bxs_why(m));
		fuzz_refused(bxs_session_stop(s), bxs_why(m));
		bxs_session_each(s, BXS_BY_SUM, fuzz_reading, NULL);
	}
	bxs_session_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool whole = size >= TRACE_MAGIC_SIZE && memcmp(data, TRACE_MAGIC, TRACE_MAGIC_SIZE) == 0;
	char named[TRACE_MAX_SPEC], why[512] = "";
	const char *path;
	bxs_machine *m;

	if (size > TRACE_BLOCK)
		return 0;
	path = whole ? fuzz_file(data, size) : pack(data, size);
	fuzz_refused(bxs_trace_machine(path, named, sizeof named, why, sizeof why), why);
	m = fuzz_machine(spec, 0);
	replay(m, path);
	bxs_machine_free(m);
	return 0;
}
