/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's inventory of a server (SMBIOS 2.8, DMTF DSP0134): processors, caches, memory modules. */
#ifndef BXS_VIRTUAL_SMBIOS_H
#define BXS_VIRTUAL_SMBIOS_H

#include <stddef.h>
#include <stdint.h>

struct identity;
struct spec;

enum { SMBIOS_ENTRY_SIZE = 31 };

/* What the inventory is made from. */
struct smbios_machine {
	const struct spec *spec;
	const struct identity *id;
	uint32_t signature, features;	/* CPUID leaf 1: EAX and EDX */
	uint32_t address;		/* where the table lies in physical memory */
};

/* Names that other files repeat (/sys/class/dmi/id). */
#define SMBIOS_VENDOR "Boxscore"
#define SMBIOS_VERSION "1.0"
#define SMBIOS_DATE "01/01/2026"
enum { SMBIOS_PRODUCT = 64, SMBIOS_RACK = 0x17 };
/* The product's name in buf, which is returned: "Model of FAMILY:PART". */
const char *smbios_product(const struct spec *spec, char buf[SMBIOS_PRODUCT]);

/* The table, *size bytes, which the caller frees, and the entry point that says where it is.  NULL: out of memory. */
char *smbios_make(const struct smbios_machine *m, uint8_t entry[SMBIOS_ENTRY_SIZE], size_t *size);

#endif
