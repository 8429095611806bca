/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the firmware leaves behind: the inventory (SMBIOS), the table of where configuration space lies, and the first
 * megabyte of physical memory, where tools without sysfs look for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "virtual/cpu_answer.h"
#include "virtual/cpuid.h"
#include "virtual/files.h"
#include "virtual/physical.h"
#include "virtual/smbios.h"

enum {
	/* In the data area of the firmware: the segment of its extended one, and KB of memory below that. */
	EXTENDED_DATA = 0x40e, BASE_KB = 0x413,
	EXTENDED_DATA_AT = 0x9fc00,
	GRAPHICS = 0xa0000, GRAPHICS_END = 0xc0000,	/* no memory there: ones */
	ENTRY_AT = 0xf0000, TABLE_AT = 0xf0100,
};

static void put(char *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (char)(value >> 8 * i);
}

/* ACPI's header of a table, then one segment of 256 buses (PCI firmware specification, 4.1.2). */
static void mcfg(struct tree *t)
{
	enum { HEADER = 36, RESERVED = 8, ENTRY = 16, SIZE = HEADER + RESERVED + ENTRY, CHECKSUM = 9 };
	char *table = calloc(1, SIZE);
	uint8_t sum = 0;

	if (!table) {
		t->failed = true;
		return;
	}
	memcpy(table, "MCFG", 4);
	put(table + 4, SIZE, 4);
	table[8] = 1;			/* revision */
	memcpy(table + 10, "BXSCOR" "BOXSCORE", 14);
	put(table + 24, 1, 4);
	memcpy(table + 28, "BXSC", 4);
	put(table + 32, 1, 4);
	put(table + HEADER + RESERVED, PHYSICAL_CONFIG, 8);
	put(table + HEADER + RESERVED + 10, 0, 1);	/* segment 0, buses 0 .. 255 */
	put(table + HEADER + RESERVED + 11, 255, 1);
	for (unsigned i = 0; i < SIZE; i++)
		sum = (uint8_t)(sum + (uint8_t)table[i]);
	table[CHECKSUM] = (char)-sum;
	tree_bytes(t, tree_path(t, TREE_ROOT, "sys/firmware/acpi/tables"), "MCFG", table, SIZE);
}

/* The first megabyte: memory that reads 0, and the firmware's with its inventory. */
static void memory(struct tree *t, const uint8_t entry[SMBIOS_ENTRY_SIZE], const char *table, size_t size)
{
	uint32_t dev = tree_dir(t, TREE_ROOT, "dev"), n;
	char *low = calloc(1, PHYSICAL_LOW_SIZE);

	if (!low || size > PHYSICAL_LOW_SIZE - TABLE_AT) {
		free(low);
		t->failed = true;
		return;
	}
	put(low + EXTENDED_DATA, EXTENDED_DATA_AT >> 4, 2);
	put(low + BASE_KB, EXTENDED_DATA_AT >> 10, 2);
	put(low + EXTENDED_DATA_AT, (GRAPHICS - EXTENDED_DATA_AT) >> 10, 1);
	memset(low + GRAPHICS, 0xff, GRAPHICS_END - GRAPHICS);
	memcpy(low + ENTRY_AT, entry, SMBIOS_ENTRY_SIZE);
	memcpy(low + TABLE_AT, table, size);
	n = tree_bytes(t, dev, "mem", low, PHYSICAL_LOW_SIZE);
	t->node[n].kind = TREE_MEMORY;
	t->node[n].mode = 0640;
	t->node[n].size = PHYSICAL_END;
}

/* Lines of the inventory that anybody may read. */
static void names(struct tree *t, const struct spec *spec)
{
	uint32_t class = tree_path(t, TREE_ROOT, "sys/class/dmi"), dir = tree_path(t, TREE_ROOT, "sys/devices/virtual/dmi/id");
	char product[SMBIOS_PRODUCT];

	smbios_product(spec, product);
	tree_text(t, dir, "bios_date", SMBIOS_DATE "\n");
	tree_text(t, dir, "bios_vendor", SMBIOS_VENDOR "\n");
	tree_text(t, dir, "bios_version", SMBIOS_VERSION "\n");
	tree_text(t, dir, "board_name", "%s\n", product);
	tree_text(t, dir, "board_vendor", SMBIOS_VENDOR "\n");
	tree_text(t, dir, "board_version", SMBIOS_VERSION "\n");
	tree_text(t, dir, "chassis_type", "%d\n", SMBIOS_RACK);
	tree_text(t, dir, "chassis_vendor", SMBIOS_VENDOR "\n");
	tree_text(t, dir, "chassis_version", SMBIOS_VERSION "\n");
	tree_text(t, dir, "product_family", "%s\n", cat_str(spec->family->name));
	tree_text(t, dir, "product_name", "%s\n", product);
	tree_text(t, dir, "product_version", SMBIOS_VERSION "\n");
	tree_text(t, dir, "sys_vendor", SMBIOS_VENDOR "\n");
	tree_link(t, dir, "subsystem", "../../../../class/dmi");
	tree_link(t, class, "id", "../../devices/virtual/dmi/id");
}

static void inventory(struct tree *t, const struct machine *m, const struct identity *id, const struct cpu_page *page)
{
	struct cpu_leaf leaf = cpu_answer(page, 0, 1, 0);
	const struct smbios_machine of = {
		.spec = machine_spec(m), .id = id, .signature = leaf.eax, .features = leaf.edx, .address = TABLE_AT,
	};
	uint32_t dir = tree_path(t, TREE_ROOT, "sys/firmware/dmi/tables"), n;
	uint8_t entry[SMBIOS_ENTRY_SIZE];
	char *copy = malloc(sizeof entry), *table;
	size_t size;

	table = copy ? smbios_make(&of, entry, &size) : NULL;
	if (!table) {
		free(copy);
		t->failed = true;
		return;
	}
	memory(t, entry, table, size);
	memcpy(copy, entry, sizeof entry);
	n = tree_bytes(t, dir, "smbios_entry_point", copy, sizeof entry);
	t->node[n].mode = 0400;
	n = tree_bytes(t, dir, "DMI", table, size);
	t->node[n].mode = 0400;
}

void files_firmware(struct tree *t, const struct machine *m, const struct identity *id)
{
	struct cpu_page *page = malloc(sizeof *page);

	if (!page || cpuid_fill(m, page) < 0)
		t->failed = true;
	else
		inventory(t, m, id, page);
	free(page);
	names(t, machine_spec(m));
	mcfg(t);
}
