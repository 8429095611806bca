/* SPDX-License-Identifier: BSD-2-Clause */
/* The public machine: what its calls answer to wrong input, and that two machines do not share. */
#include "boxscore.h"

#include "check.h"

static bxs_machine *make(const char *spec)
{
	bxs_machine *m = NULL;
	char why[200];

	CHECK(bxs_machine_new(spec, BXS_BARE, &m, why, sizeof why) == 0);
	return m;
}

static const struct bad_spec {
	int line;
	const char *spec;
	int err;
	const char *culprit;
} bad_specs[] = {
	{ LINE, "skylake", BXS_ENOENT, "skylake" },
	{ LINE, "hsx:e5-9999", BXS_ENOENT, "e5-9999" },
	{ LINE, "hsx,colour=3", BXS_ENOENT, "colour" },
	{ LINE, "hsx,sockets=0", BXS_EINVAL, "sockets" },
	{ LINE, "hsx,cores=19", BXS_EINVAL, "cores" },
	{ LINE, "", BXS_ENOENT, "" },
};

static void specs(void)
{
	for (const struct bad_spec *r = bad_specs; r < bad_specs + LEN(bad_specs); r++) {
		bxs_machine *m = NULL;
		char why[200] = "";

		CHECK_EQ(r->line, bxs_machine_new(r->spec, BXS_BARE, &m, why, sizeof why), r->err);
		CHECK_EQ(r->line, m == NULL, 1);
		CHECK_EQ(r->line, strstr(why, r->culprit) != NULL, 1);
	}
	/* Nobody has to want the sentence. */
	bxs_machine *m = NULL;

	CHECK(bxs_machine_new("nothing", 0, &m, NULL, 0) == BXS_ENOENT);
	bxs_machine_free(NULL);
}

static void numbers(void)
{
	bxs_machine *m = make("hsx,sockets=1,cores=4");
	uint64_t v = 77;

	CHECK_EQ(__LINE__, bxs_sockets(m), 1);
	CHECK_EQ(__LINE__, bxs_cores(m), 4);
	CHECK(bxs_rdmsr(m, 7, 0xe00, &v) == 0 && v == 0);
	v = 77;
	CHECK(bxs_rdmsr(m, 8, 0xe00, &v) == BXS_ENOENT && v == 77);
	CHECK(bxs_rdmsr(m, 0, 0x999, &v) == BXS_EFAULT && v == 77);
	CHECK(bxs_wrmsr(m, 0, 0x999, 0) == BXS_EFAULT);
	CHECK(bxs_rdpci(m, 1, 18, 1, 0, 32, &v) == BXS_ENOENT && v == 77);
	CHECK(bxs_rdpci(m, 0, 18, 1, 0, 12, &v) == BXS_EINVAL && v == 77);
	CHECK(bxs_rdpci(m, 0, 18, 8, 0, 32, &v) == BXS_EINVAL && v == 77);
	CHECK(bxs_rdpci(m, 0, 1, 1, 0, 32, &v) == 0 && v == UINT32_MAX);
	CHECK(bxs_rdreg(m, BXS_CSR, 0, 0, &v) == BXS_EFAULT);
	CHECK(bxs_rdreg(m, BXS_PMC, 100, 0, &v) == BXS_ENOENT);
	CHECK(bxs_read(m, "cbo0", "NOPE", &v) == BXS_ENOENT && strstr(bxs_why(m), "NOPE"));
	CHECK(bxs_read(m, "s1.cbo0", "CTR0", &v) == BXS_ENOENT);
	CHECK(bxs_read(m, "", "CTR0", &v) == BXS_ENOENT);
	CHECK(bxs_advance(m, "tick", 1) == BXS_ENOENT && strstr(bxs_why(m), "uclk"));
	CHECK(bxs_advance(m, "uclk", UINT64_MAX) == BXS_EINVAL);
	CHECK(bxs_pulse(m, "cbo0", "RxR_INSERTS.IRQ", UINT64_MAX, NULL) == BXS_EINVAL);
	CHECK(bxs_time(m) == 0);
	bxs_machine_free(m);
}

static const struct tag_row {
	int line;
	const char *name, *value;
	int err;
} tags[] = {
	{ LINE, "opc", "0x182", 0 },
	{ LINE, "OPC", "386", 0 },
	{ LINE, "state", "M'", 0 },
	{ LINE, "state", "6", 0 },
	{ LINE, "state", "7", BXS_EINVAL },
	{ LINE, "state", "", BXS_EINVAL },
	{ LINE, "nid", "64", BXS_EINVAL },
	{ LINE, "nid", "x", BXS_EINVAL },
	{ LINE, "nid", "", BXS_EINVAL },
	{ LINE, "nid", "0x", BXS_EINVAL },
	{ LINE, "nc", "2", BXS_EINVAL },
	{ LINE, "rds2", "8", 0 },
	{ LINE, "2", "8", BXS_ENOENT },
	{ LINE, "", "8", BXS_ENOENT },
	{ LINE, "colour", "8", BXS_ENOENT },
	{ LINE, "mc", "red", BXS_EINVAL },
	{ LINE, "flags", "tx", 0 },
};

static void tag_names(void)
{
	struct bxs_tag t = { 0 };

	for (const struct tag_row *r = tags; r < tags + LEN(tags); r++)
		CHECK_EQ(r->line, bxs_tag_set(&t, r->name, r->value), r->err);
	t = (struct bxs_tag){ 0 };
	CHECK(bxs_tag_set(&t, "mc", "0xe") == 0 && bxs_tag_set(&t, "opc", "2") == 0);
	CHECK(bxs_tag_set(&t, "rnid", "0x13") == 0 && bxs_tag_set(&t, "dnid", "5") == 0);
	CHECK(bxs_tag_set(&t, "vnw", "1") == 0 && bxs_tag_set(&t, "rds", "8") == 0);
	CHECK_EQ(__LINE__, t.packet[0], UINT64_C(0x000800038000bc48));
	CHECK_EQ(__LINE__, t.packet[1], 0);
	CHECK_EQ(__LINE__, t.opc, 2);
}

/* Two machines in one process, stepped in turns. */
static void separate(void)
{
	bxs_machine *a = make("hsx"), *b = make("hsx");
	uint64_t va = 0, vb = 0;

	CHECK(bxs_write(a, "ha0", "CTL0", 0x400000) == 0);
	CHECK(bxs_advance(a, "uclk", 10) == 0 && bxs_advance(b, "uclk", 20) == 0);
	CHECK(bxs_read(a, "ha0", "CTR0", &va) == 0 && va == 10);
	CHECK(bxs_read(b, "ha0", "CTR0", &vb) == 0 && vb == 0);
	CHECK(bxs_time(a) == 4348 && bxs_time(b) == 8696);
	bxs_machine_free(a);
	bxs_machine_free(b);
}

int main(void)
{
	specs();
	numbers();
	tag_names();
	separate();
	return check_done();
}
