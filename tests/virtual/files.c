/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the file-system door: sets of CPUs, the tree, pieces of configuration space, names of registers. */
#include "check.h"
#include "machine/machine.h"
#include "virtual/config_space.h"
#include "virtual/decode.h"
#include "virtual/files.h"
#include "virtual/tree.h"
#include "virtual/virtual.h"

/* Lists and masks, as lib/vsprintf.c of Linux writes them. */

static const struct set_row {
	int line;
	unsigned n;
	unsigned first[3], last[3];	/* ranges; 1, 0: none */
	const char *list, *mask;
} set_rows[] = {
	{ LINE, 1, { 0, 1, 1 }, { 0, 0, 0 }, "0", "1" },
	{ LINE, 8, { 0, 5, 1 }, { 2, 5, 0 }, "0-2,5", "27" },
	{ LINE, 12, { 0, 6, 1 }, { 2, 8, 0 }, "0-2,6-8", "1c7" },
	{ LINE, 32, { 0, 1, 1 }, { 31, 0, 0 }, "0-31", "ffffffff" },
	{ LINE, 33, { 32, 1, 1 }, { 32, 0, 0 }, "32", "1,00000000" },
	{ LINE, 64, { 63, 1, 1 }, { 63, 0, 0 }, "63", "80000000,00000000" },
	{ LINE, 72, { 0, 36, 1 }, { 17, 53, 0 }, "0-17,36-53", "00,003ffff0,0003ffff" },
	{ LINE, 72, { 71, 80, 1 }, { 71, 90, 0 }, "71", "80,00000000,00000000" },
	{ LINE, 72, { 1, 1, 1 }, { 0, 0, 0 }, "", "00,00000000,00000000" },
};

static void sets(void)
{
	static char buf[FILES_LIST];

	for (const struct set_row *r = set_rows; r < set_rows + LEN(set_rows); r++) {
		struct files_set s = { .n = r->n };

		for (unsigned i = 0; i < 3; i++)
			for (unsigned k = r->first[i]; r->first[i] <= r->last[i] && k <= r->last[i]; k++)
				files_set_add(&s, k);
		CHECK_STR(r->line, files_list(&s, buf), r->list);
		CHECK_STR(r->line, files_mask(&s, buf), r->mask);
	}
}

static void trees(void)
{
	uint32_t dir, same, found, text;
	struct tree t;
	char name[32];

	CHECK(tree_init(&t) == 0);
	dir = tree_path(&t, TREE_ROOT, "sys/devices/system");
	same = tree_path(&t, TREE_ROOT, "sys/devices/system");
	CHECK_EQ(__LINE__, dir, same);
	text = tree_text(&t, dir, "online", "0-%u\n", 3);
	CHECK_STR(__LINE__, t.node[text].text, "0-3\n");
	CHECK_EQ(__LINE__, t.node[text].length, 4);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "%u", i);
		tree_node(&t, i % 2 ? dir : TREE_ROOT, name, TREE_MSR, 0600, i);
	}
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "%u", i);
		CHECK_EQ(i, tree_find(&t, i % 2 ? dir : TREE_ROOT, name, &found), 1);
		CHECK_EQ(i, t.node[found].size, i);
		CHECK_EQ(i, tree_find(&t, i % 2 ? TREE_ROOT : dir, name, &found), 0);
	}
	CHECK(tree_find(&t, dir, "online", &found) && found == text);
	CHECK(!tree_find(&t, dir, "onlin", &found));
	CHECK(!tree_find(&t, dir, "online2", &found));
	CHECK_EQ(__LINE__, t.failed, 0);
	tree_release(&t);
}

/* Which accesses bytes of configuration space become: their widths in bytes, lowest address first. */

struct seen {
	unsigned n;
	char widths[64];
};

static void see(void *ctx, struct machine *m, const struct virtual_event *e)
{
	struct seen *s = ctx;

	(void)m;
	if (s->n + 1 < sizeof s->widths)
		s->widths[s->n++] = (char)('0' + e->at->width / 8);
}

static const struct piece_row {
	int line;
	uint64_t offset;
	size_t size, want;
	const char *widths;
} piece_rows[] = {
	{ LINE, 0, 4, 4, "4" },
	{ LINE, 0, 8, 8, "44" },
	{ LINE, 0, 0, 0, "" },
	{ LINE, 1, 7, 7, "124" },
	{ LINE, 2, 6, 6, "24" },
	{ LINE, 3, 1, 1, "1" },
	{ LINE, 0, 7, 7, "421" },
	{ LINE, 1, 1, 1, "1" },
	{ LINE, 1, 2, 2, "11" },
	{ LINE, 2, 3, 3, "21" },
	{ LINE, 4094, 8, 2, "2" },
	{ LINE, 4095, 8, 1, "1" },
	{ LINE, 4096, 8, 0, "" },
	{ LINE, UINT64_MAX, 8, 0, "" },
};

static void pieces(struct virtual *v)
{
	const struct tree_function f = { .socket = 0, .bus = CAT_BUS_UNCORE, .dev_fn = 20 << 3 };
	const struct tree_function none = { .socket = 0, .bus = CAT_BUS_UNCORE, .dev_fn = 1 };
	struct seen s = { 0 };
	char buf[16] = "";

	virtual_observe(v, see, &s);
	for (const struct piece_row *r = piece_rows; r < piece_rows + LEN(piece_rows); r++) {
		s = (struct seen){ 0 };
		CHECK_EQ(r->line, config_space_read(v, 0, &f, r->offset, r->size, buf), r->want);
		CHECK_STR(r->line, s.widths, r->widths);
		s = (struct seen){ 0 };
		CHECK_EQ(r->line, config_space_write(v, 0, &f, r->offset, r->size, buf), r->want);
		CHECK_STR(r->line, s.widths, r->widths);
	}
	CHECK_EQ(__LINE__, config_space_read(v, 0, &none, 0, 4, buf), 4);
	CHECK(memcmp(buf, "\xff\xff\xff\xff", 4) == 0);
	CHECK_EQ(__LINE__, config_space_read(v, 0, &f, 0, 4, buf), 4);
	CHECK(memcmp(buf, "\x86\x80\xb0\x2f", 4) == 0);
}

/* Addresses, what is there, and what a value says. */

static const struct name_row {
	int line;
	struct access_address at;
	uint64_t value;
	const char *name, *fields;
} name_rows[] = {
	{ LINE, { .space = CAT_MSR, .offset = 0xe01, .width = 64 }, 0x400334, "s0.cbo0 C0_MSR_PMON_CTL0",
	  "ev_sel=0x34 umask=3 en=1 (LLC_LOOKUP.DATA_READ)" },
	{ LINE, { .space = CAT_MSR, .socket = 1, .offset = 0xe1b, .width = 64 }, 5, "s1.cbo1 C1_MSR_PMON_CTR3",
	  "event_count=5" },
	{ LINE, { .space = CAT_MSR, .thread = 3, .offset = 0x710, .width = 64 }, 0, "s0.pcu PCU_MSR_PMON_BOX_CTL", "" },
	{ LINE, { .space = CAT_PCI, .base = 20 << 3, .offset = 0xda, .width = 8 }, 0x40, "s0.imc0 MC0_CH0_PCI_PMON_CTL0",
	  "en=1" },
	{ LINE, { .space = CAT_PCI, .base = 20 << 3, .offset = 0xa4, .width = 32 }, 1, "s0.imc0 MC0_CH0_PCI_PMON_CTR0",
	  "event_count=0x100000000" },
	{ LINE, { .space = CAT_MSR, .offset = 0xdff, .width = 64 }, 0, NULL, NULL },
	{ LINE, { .space = CAT_PCI, .base = 20 << 3, .offset = 0x9f, .width = 8 }, 0, NULL, NULL },
	{ LINE, { .space = CAT_PCI, .base = 1, .offset = 0xd8, .width = 32 }, 0, NULL, NULL },
};

static void names(struct machine *m)
{
	struct decode *d = NULL;
	char buf[300];

	CHECK(decode_new(m, &d) == 0);
	for (const struct name_row *r = name_rows; r < name_rows + LEN(name_rows); r++) {
		const struct decode_register *found = decode_find(d, &r->at);

		CHECK_EQ(r->line, found != NULL, r->name != NULL);
		if (!found || !r->name)
			continue;
		CHECK_STR(r->line, decode_name(found, r->at.socket, buf, sizeof buf), r->name);
		CHECK_STR(r->line, decode_fields(found, &r->at, r->value, buf, sizeof buf), r->fields);
	}
	decode_free(d);
}

int main(void)
{
	struct virtual_config config = { .load_output = -1 };
	struct machine *m = NULL;
	struct virtual *v = NULL;
	struct spec spec;
	char why[200];

	sets();
	trees();
	CHECK(spec_parse("hsx,cores=2", &spec, why, sizeof why) == 0);
	CHECK(machine_new(&spec, &m) == 0);
	CHECK(virtual_new(m, &config, &v, why, sizeof why) == 0);
	pieces(v);
	names(m);
	virtual_free(v);
	machine_free(m);
	return check_done();
}
