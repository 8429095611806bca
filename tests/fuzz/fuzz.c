/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts, files and machines for the fuzz harnesses. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_expect(bool so, const char *what)
{
	if (so)
		return;
	fprintf(stderr, "fuzz: it does not hold that %s\n", what);
	abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	fuzz_expect(text != NULL, "there is memory");
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[40];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	fuzz_expect(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size, "files can be written");
	return path;
}

bxs_machine *fuzz_machine(const char *spec, unsigned flags)
{
	bxs_machine *m = NULL;
	char why[256] = "";

	if (bxs_machine_new(spec, flags, &m, why, sizeof why) < 0)
		fuzz_expect(false, why);
	return m;
}

bxs_machine *fuzz_each(unsigned n)
{
	static const char *const specs[] = {
		"hsx,sockets=1,cores=2", "snbep,sockets=1,cores=2", "nhmex,sockets=1,cores=2", "poulson,sockets=1,cores=2",
	};
	static bxs_machine *machines[sizeof specs / sizeof *specs];

	if (n == sizeof specs / sizeof *specs)
		return NULL;
	if (!machines[n])
		machines[n] = fuzz_machine(specs[n], BXS_BARE);
	return machines[n];
}

bool fuzz_refused(int err, const char *why)
{
	fuzz_expect(err >= 0 || err == BXS_ENOMEM || *why, "an error has a sentence");
	fuzz_expect(err != BXS_EBUG, "there is no fault of ours");
	return err < 0;
}

int fuzz_reading(void *ctx, const struct bxs_reading *r)
{
	(void)ctx;
	fuzz_expect(r->name && *r->name && r->box && r->unit && r->why, "a reading is named");
	fuzz_expect(isfinite(r->value) && isfinite(r->error), "a reading is a number");
	fuzz_expect(*bxs_validity_name(r->validity) != '\0', "a validity has a name");
	return 0;
}

void fuzz_measure(bxs_machine *m, bxs_session *s, int err)
{
	if (!fuzz_refused(err, bxs_why(m)) && !fuzz_refused(bxs_session_start(s), bxs_why(m))) {
		fuzz_refused(bxs_session_read(s), bxs_why(m));
		bxs_session_each(s, BXS_BY_BOX, fuzz_reading, NULL);
		bxs_session_each(s, BXS_BY_SUM, fuzz_reading, NULL);
	}
	bxs_session_free(s);
}
