/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace files: what is written is read back, and no damage to a file is read as something
 * else, crashes the reader or lets it run away.
 */
#include "feed/trace.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "check.h"

enum { CORES = 36, RECORDS = 100000 };

static uint64_t state = 1;

static uint64_t draw(void)
{
	return check_random(&state);
}

/* Anything that a record may hold, the extremes often. */
static struct trace_record random_record(void)
{
	static const uint64_t extremes[] = { 0, 1, 127, 128, UINT64_MAX };
	struct trace_record r = { .core = draw() % CORES };
	bool extreme = draw() % 4 == 0;

#define ANY (extreme ? extremes[draw() % LEN(extremes)] : draw() >> draw() % 64)
	if (draw() % 50 == 0) {
		r.idle = true;
		r.sleep = ANY >> 8;
		return r;
	}
	r.rec.line = ANY & bits_low(48);
	r.rec.space = draw() % 3 ? 0 : ANY & 255;
	r.rec.kind = draw() % LEAVE_REGION;	/* marks of regions are not kept */
	r.rec.flags = draw() & 3;
	r.rec.instructions = (uint32_t)ANY;
	r.rec.l2_hits = (uint16_t)ANY;
	r.rec.l1_misses = (uint16_t)ANY;
#undef ANY
	return r;
}

static bool same(const struct trace_record *a, const struct trace_record *b)
{
	if (a->core != b->core || a->idle != b->idle)
		return false;
	if (a->idle)
		return a->sleep == b->sleep;
	return a->rec.line == b->rec.line && a->rec.space == b->rec.space &&
	       a->rec.kind == b->rec.kind && a->rec.flags == b->rec.flags &&
	       a->rec.instructions == b->rec.instructions && a->rec.l2_hits == b->rec.l2_hits &&
	       a->rec.l1_misses == b->rec.l1_misses;
}

static void check_round_trip(const char *path)
{
	struct trace_record *want = calloc(RECORDS, sizeof *want), got;
	struct trace_writer *w = NULL;
	struct trace_reader *r = NULL;
	char why[200] = "";
	unsigned differing = 0;

	CHECK_EQ(__LINE__, trace_create(path, CORES, "hsx,sockets=2", &w), 0);
	for (unsigned i = 0; i < RECORDS; i++) {
		want[i] = random_record();
		trace_write(w, &want[i]);
	}
	CHECK_EQ(__LINE__, trace_finish(w), 0);

	CHECK_EQ(__LINE__, trace_read_open(path, &r, why, sizeof why), 0);
	CHECK_EQ(__LINE__, trace_cores(r), CORES);
	CHECK_STR(__LINE__, trace_spec(r), "hsx,sockets=2");
	for (unsigned i = 0; i < RECORDS; i++)
		differing += trace_next(r, &got) != 1 || !same(&got, &want[i]);
	CHECK_EQ(__LINE__, differing, 0);
	CHECK_EQ(__LINE__, trace_next(r, &got), 0);
	CHECK_EQ(__LINE__, trace_next(r, &got), 0);
	trace_read_close(r);
	free(want);
}

struct bytes {
	uint8_t *b;
	size_t n;
};

static struct bytes load(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct bytes all = { .b = malloc(1 << 22) };

	all.n = fread(all.b, 1, 1 << 22, f);
	fclose(f);
	return all;
}

static void store(const char *path, const uint8_t *b, size_t n)
{
	FILE *f = fopen(path, "wb");

	fwrite(b, 1, n, f);
	fclose(f);
}

/* Read to the end or the first error; the sentence about it is in why.  *sum tells what was
 * read apart from something else. */
static int read_summed(const char *path, char *why, size_t size, uint64_t *sum)
{
	struct trace_reader *r;
	struct trace_record rec;
	int err = trace_read_open(path, &r, why, size);

	if (err < 0)
		return err;
	*sum = 0;
	while ((err = trace_next(r, &rec)) > 0) {
		uint64_t word[2] = { rec.sleep };

		if (!rec.idle)
			memcpy(word, &rec.rec, sizeof word);
		*sum = (*sum * 31 + word[0]) * 31 + word[1] + rec.core;
	}
	snprintf(why, size, "%s", trace_why(r));
	trace_read_close(r);
	return err;
}

static int read_all(const char *path, char *why, size_t size)
{
	uint64_t sum;

	return read_summed(path, why, size, &sum);
}

static void small_trace(const char *path, unsigned records)
{
	struct trace_writer *w;

	CHECK_EQ(__LINE__, trace_create(path, CORES, "hsx", &w), 0);
	for (unsigned i = 0; i < records; i++) {
		struct trace_record r = random_record();

		trace_write(w, &r);
	}
	CHECK_EQ(__LINE__, trace_finish(w), 0);
}

/*
 * Wherever the file is cut, the reader says so; whatever byte changes, it notices, unless
 * the byte means the same to zstd.
 */
static void check_damage(const char *path)
{
	struct bytes all;
	char why[200];
	unsigned unseen = 0;
	uint64_t right, sum;

	small_trace(path, 80);
	all = load(path);
	CHECK_EQ(__LINE__, read_summed(path, why, sizeof why, &right), 0);
	for (size_t n = 0; n < all.n; n++) {
		store(path, all.b, n);
		unseen += read_all(path, why, sizeof why) != BXS_EINVAL || !strstr(why, "at byte");
	}
	CHECK_EQ(__LINE__, unseen, 0);
	/* The specification's own three bytes (20 to 22) and the number of cores, as long as
	 * it is large enough, cannot be told from right ones. */
	for (size_t i = 0; i < all.n; i++) {
		uint8_t old = all.b[i];

		if (i >= 12 && i < 23)
			continue;
		all.b[i] ^= (uint8_t)(1U << draw() % 8);
		store(path, all.b, all.n);
		unseen += read_summed(path, why, sizeof why, &sum) != BXS_EINVAL && sum != right;
		all.b[i] = old;
	}
	CHECK_EQ(__LINE__, unseen, 0);
	all.b[all.n] = 0;
	store(path, all.b, all.n + 1);
	CHECK_EQ(__LINE__, read_all(path, why, sizeof why), BXS_EINVAL);
	CHECK(strstr(why, "goes on behind its end") != NULL);
	free(all.b);
}

/* Random bytes under a right header, and right files with several bytes changed. */
static void check_fuzz(const char *path)
{
	struct bytes all;
	char why[200];
	unsigned bad = 0;

	small_trace(path, 50);
	all = load(path);
	for (unsigned i = 0; i < 1000; i++) {
		struct bytes b = { .b = malloc(all.n), .n = all.n };
		int err;

		memcpy(b.b, all.b, all.n);
		for (unsigned k = 0; k < 1 + i % 9; k++)
			b.b[draw() % b.n] = (uint8_t)draw();
		store(path, b.b, draw() % 4 ? b.n : draw() % b.n);
		err = read_all(path, why, sizeof why);
		bad += err != 0 && err != BXS_EINVAL;
		free(b.b);
	}
	CHECK_EQ(__LINE__, bad, 0);
	free(all.b);
}

/* Blocks whose checksum is right and whose records are not. */
static const struct crafted {
	int line;
	uint8_t raw[12];
	unsigned n;
	const char *says;
} crafted[] = {
	{ LINE, { 0x80 }, 1, "cut off" },			/* other core, but which? */
	{ LINE, { 0x80, 36 }, 2, "no such core" },
	{ LINE, { 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 }, 11, "no such core" },
	{ LINE, { LEAVE_REGION }, 1, "kind of record" },
	{ LINE, { LEAVE_KINDS }, 1, "kind of record" },
	{ LINE, { 29 }, 1, "kind of record" },
	{ LINE, { 30 }, 1, "cut off" },
	{ LINE, { 31 }, 1, "sleep" },
	{ LINE, { 31, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 }, 11, "sleep" },
	{ LINE, { LEAVE_DRD, 2, 1 }, 3, "cut off" },
	{ LINE, { LEAVE_DRD, 2, 0x80, 0x80, 0x80, 0x80, 0x10, 0, 0 }, 9, "impossible" },
	{ LINE, { LEAVE_DRD, 2, 1, 0x80, 0x80, 0x04, 0 }, 7, "impossible" },
	{ LINE, { LEAVE_DRD, 2, 1, 0, 0 }, 5, "" },		/* right: for the end's sake */
};

/* zstd of bytes as they are: one raw block in a frame without checksum (RFC 8878). */
static size_t frame(uint8_t *out, const uint8_t *raw, unsigned n)
{
	const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, (uint8_t)n,
				 (uint8_t)(n << 3 | 1), 0, 0 };

	memcpy(out, head, sizeof head);
	memcpy(out + sizeof head, raw, n);
	return sizeof head + n;
}

static void check_crafted(const char *path)
{
	for (const struct crafted *c = crafted; c < crafted + LEN(crafted); c++) {
		uint8_t file[128] = "BXSTRACE\1\0\0\0\44\0\0\0\3\0\0\0hsx";
		size_t n = 8 + 4 + 4 + 4 + 3, packed = frame(file + n + 8, c->raw, c->n);
		char why[200];

		file[n] = (uint8_t)c->n;
		file[n + 4] = (uint8_t)packed;
		n += 8 + packed;
		memset(file + n, 0, 16);
		file[n + 8] = 1;	/* one record */
		store(path, file, n + 16);
		CHECK_EQ(c->line, read_all(path, why, sizeof why), *c->says ? BXS_EINVAL : 0);
		CHECK_STR(c->line, strstr(why, c->says) ? c->says : why, c->says);
	}
}

int main(void)
{
	char path[] = "/tmp/boxscore-trace-XXXXXX", why[200];
	struct trace_reader *r = NULL;
	struct trace_writer *w = NULL;
	int fd = mkstemp(path);

	close(fd);
	check_round_trip(path);
	check_damage(path);
	check_fuzz(path);
	check_crafted(path);
	unlink(path);
	CHECK_EQ(__LINE__, trace_read_open(path, &r, why, sizeof why), BXS_ENOENT);
	CHECK(strstr(why, path) != NULL);
	CHECK_EQ(__LINE__, trace_create("/no/such/folder/x", 1, "hsx", &w), BXS_EIO);
	/* A full disk is told at the end. */
	CHECK_EQ(__LINE__, trace_create("/dev/full", 1, "hsx", &w), 0);
	CHECK_EQ(__LINE__, trace_finish(w), BXS_EIO);
	return check_done();
}
