/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of the PCI functions: procfs and sysfs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "base/memory_file.h"
#include "virtual/files.h"

enum {
	VENDOR = 0x00, CLASS = 0x08, SUBSYSTEM = 0x2c,
	SPACE = 4096,
	BARS = 7,			/* with the ROM, in /proc/bus/pci/devices */
	RESOURCES = 13,			/* lines of a function without bridges in sysfs */
	DEV_FNS = 256,
};

struct pci {
	struct tree *t;
	struct virtual *v;
	const struct identity *id;
	uint32_t proc, devices, buses;	/* proc/bus/pci, sys/bus/pci/devices, sys/class/pci_bus */
	FILE *list;			/* proc/bus/pci/devices */
	char text[FILES_LIST];
};

/* A dword of a header; all ones when nobody answers. */
static uint32_t header(struct pci *p, const struct tree_function *f, unsigned offset)
{
	struct access_address at = virtual_function(f->socket, f->bus, f->dev_fn);
	uint64_t value;

	at.offset = offset;
	return virtual_read(p->v, 0, &at, &value) < 0 ? UINT32_MAX : (uint32_t)value;
}

static uint32_t config_file(struct pci *p, uint32_t dir, const char *name, const struct tree_function *f)
{
	uint32_t n = tree_node(p->t, dir, name, TREE_CONFIG, 0644, SPACE);

	p->t->node[n].function = *f;
	return n;
}

static void proc_function(struct pci *p, const struct tree_function *f, uint32_t vendor)
{
	char name[16];
	uint32_t dir;

	snprintf(name, sizeof name, "%02x", f->number);
	dir = tree_dir(p->t, p->proc, name);
	snprintf(name, sizeof name, "%02x.%x", f->dev_fn >> 3, f->dev_fn & 7);
	config_file(p, dir, name, f);
	fprintf(p->list, "%02x%02x\t%04x%04x\t0", f->number, f->dev_fn, vendor & 0xffff, vendor >> 16);
	for (unsigned i = 0; i < 2 * BARS; i++)
		fprintf(p->list, "\t%16x", 0);
	fprintf(p->list, "\t\n");
}

static struct files_set cpus_of(const struct pci *p, unsigned socket)
{
	struct files_set cpus = { .n = virtual_cpus(p->v) };

	for (unsigned i = 0; i < cpus.n; i++)
		if (identity_place(p->id, i).socket == socket)
			files_set_add(&cpus, i);
	return cpus;
}

/* The bus itself, and the class that lists all of them: tools look there for the CPUs close to a device. */
static void sysfs_bus(struct pci *p, unsigned socket, unsigned number)
{
	const struct files_set cpus = cpus_of(p, socket);
	char path[96];
	uint32_t dir;

	snprintf(path, sizeof path, "sys/devices/pci0000:%02x/pci_bus/0000:%02x", number, number);
	dir = tree_path(p->t, TREE_ROOT, path);
	tree_text(p->t, dir, "cpuaffinity", "%s\n", files_mask(&cpus, p->text));
	tree_text(p->t, dir, "cpulistaffinity", "%s\n", files_list(&cpus, p->text));
	tree_link(p->t, dir, "subsystem", "../../../../class/pci_bus");
	snprintf(path, sizeof path, "../../devices/pci0000:%02x/pci_bus/0000:%02x", number, number);
	tree_link(p->t, p->buses, path + strlen(path) - strlen("0000:00"), path);
}

static void sysfs_function(struct pci *p, const struct tree_function *f, uint32_t vendor)
{
	uint32_t class = header(p, f, CLASS), sub = header(p, f, SUBSYSTEM), dir;
	const struct files_set cpus = cpus_of(p, f->socket);
	char name[32], path[96];
	size_t used = 0;

	snprintf(name, sizeof name, "0000:%02x:%02x.%x", f->number, f->dev_fn >> 3, f->dev_fn & 7);
	snprintf(path, sizeof path, "sys/devices/pci0000:%02x/%s", f->number, name);
	dir = tree_path(p->t, TREE_ROOT, path);
	snprintf(path, sizeof path, "../../../devices/pci0000:%02x/%s", f->number, name);
	tree_link(p->t, p->devices, name, path);
	tree_link(p->t, dir, "subsystem", "../../../bus/pci");
	config_file(p, dir, "config", f);
	tree_text(p->t, dir, "vendor", "0x%04x\n", vendor & 0xffff);
	tree_text(p->t, dir, "device", "0x%04x\n", vendor >> 16);
	tree_text(p->t, dir, "subsystem_vendor", "0x%04x\n", sub & 0xffff);
	tree_text(p->t, dir, "subsystem_device", "0x%04x\n", sub >> 16);
	tree_text(p->t, dir, "class", "0x%06x\n", class >> 8);
	tree_text(p->t, dir, "revision", "0x%02x\n", class & 0xff);
	tree_text(p->t, dir, "irq", "0\n");
	tree_text(p->t, dir, "enable", "0\n");
	tree_text(p->t, dir, "numa_node", "%u\n", f->socket * (p->id->nodes / p->id->sockets));
	tree_text(p->t, dir, "local_cpus", "%s\n", files_mask(&cpus, p->text));
	tree_text(p->t, dir, "local_cpulist", "%s\n", files_list(&cpus, p->text));
	for (unsigned i = 0; i < RESOURCES; i++)
		used += (size_t)snprintf(p->text + used, sizeof p->text - used,
					 "0x%016x 0x%016x 0x%016x\n", 0, 0, 0);
	tree_text(p->t, dir, "resource", "%s", p->text);
	snprintf(p->text, sizeof p->text, "pci:v%08Xd%08Xsv%08Xsd%08Xbc%02Xsc%02Xi%02X", vendor & 0xffff,
		 vendor >> 16, sub & 0xffff, sub >> 16, class >> 24, class >> 16 & 0xff,
		 class >> 8 & 0xff);
	tree_text(p->t, dir, "modalias", "%s\n", p->text);
	tree_text(p->t, dir, "uevent",
		  "PCI_CLASS=%X\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=%s\n"
		  "MODALIAS=%s\n", class >> 8, vendor & 0xffff, vendor >> 16, sub & 0xffff, sub >> 16,
		  name, p->text);
}

static void bus(struct pci *p, unsigned socket, enum cat_bus which, unsigned number)
{
	sysfs_bus(p, socket, number);
	for (unsigned dev_fn = 0; dev_fn < DEV_FNS; dev_fn++) {
		struct tree_function f = { .socket = (uint8_t)socket, .bus = (uint8_t)which,
					   .number = (uint8_t)number, .dev_fn = (uint8_t)dev_fn };
		uint32_t vendor = header(p, &f, VENDOR);

		if (vendor == UINT32_MAX)
			continue;
		proc_function(p, &f, vendor);
		sysfs_function(p, &f, vendor);
	}
}

void files_pci(struct tree *t, struct virtual *v, const struct identity *id)
{
	struct pci *p;
	char *list = NULL;
	size_t size = 0;
	uint32_t n;

	p = calloc(1, sizeof *p);
	if (p)
		p->list = open_memstream(&list, &size);
	if (!p || !p->list) {
		free(p);
		t->failed = true;
		return;
	}
	p->t = t;
	p->v = v;
	p->id = id;
	p->proc = tree_path(t, TREE_ROOT, "proc/bus/pci");
	p->devices = tree_path(t, TREE_ROOT, "sys/bus/pci/devices");
	p->buses = tree_path(t, TREE_ROOT, "sys/class/pci_bus");
	for (unsigned s = 0; s < id->sockets && virtual_bus(v, s, CAT_BUS_IIO) >= 0; s++) {
		bus(p, s, CAT_BUS_IIO, (unsigned)virtual_bus(v, s, CAT_BUS_IIO));
		bus(p, s, CAT_BUS_UNCORE, (unsigned)virtual_bus(v, s, CAT_BUS_UNCORE));
	}
	if (memory_file_close(p->list, &list) < 0) {
		t->failed = true;
	} else {
		n = tree_bytes(t, p->proc, "devices", list, size);
		t->node[n].size = 0;
	}
	free(p);
}
