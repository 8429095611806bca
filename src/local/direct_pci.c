/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which PCI function is which box of which socket.  A socket's uncore has a bus of its own; its I/O buses have lower numbers.  The
 * UBox there knows the node it is, and which socket a node is (Linux's uncore driver reads the same); where that is not to be had,
 * sockets are numbered as their buses are.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "local/direct.h"

#define DEVICES "/sys/bus/pci/devices"

enum { INTEL_VENDOR = 0x8086, SOCKETS_MOST = 8, NODE_BITS = 3, UNREAD = -2, HEADER = 64 };

struct function {
	uint32_t where;			/* domain and bus */
	uint32_t base;			/* dev << 3 | fn */
	uint16_t device;
	uint16_t socket;
	enum cat_bus bus;
	int fd;				/* UNREAD: not opened yet */
};

struct direct_pci {
	struct function *function;
	unsigned functions, room;
	uint32_t bus[SOCKETS_MOST];	/* of the uncores, ascending, and the socket that each is of */
	unsigned socket[SOCKETS_MOST], buses;
};

/* Is a function with this id, at this place of its bus, a box of the family?  On which bus? */
static bool is_box(const struct cat_family *f, uint16_t device, uint32_t base, enum cat_bus *bus)
{
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		for (unsigned w = cat_types[t].window0; w < (unsigned)cat_types[t].window0 + cat_types[t].windows; w++) {
			const struct cat_window *win = cat_windows + w;

			for (unsigned b = 0; win->space == CAT_PCI && win->device0 != CAT_ABSENT && b < cat_types[t].boxes; b++)
				if (cat_numbers[win->device0 + b] == device && cat_numbers[win->base0 + b] == base) {
					*bus = win->bus;
					return true;
				}
		}
	}
	return false;
}

/* The UBox function that knows the node. */
static const struct cat_dword *node_register(const struct cat_family *f, enum cat_dword_what what)
{
	for (unsigned i = f->dword0; i < (unsigned)f->dword0 + f->dwords; i++)
		if (cat_dwords[i].what == what)
			return cat_dwords + i;
	return NULL;
}

static int open_function(const struct function *f)
{
	char path[96];

	snprintf(path, sizeof path, DEVICES "/%04x:%02x:%02x.%x/config", f->where >> 8, f->where & 0xff, f->base >> 3, f->base & 7);
	return open(path, O_RDWR | O_CLOEXEC);
}

static bool take_function(struct direct_pci *p, const struct cat_family *family, const char *name)
{
	unsigned domain, bus, dev, fn, vendor, device;
	struct function f = { .fd = UNREAD }, *more;
	const struct cat_dword *node = node_register(family, CAT_DWORD_NODE);
	char path[300];

	if (sscanf(name, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) != 4)
		return true;
	snprintf(path, sizeof path, DEVICES "/%s/vendor", name);
	if (!local_number(path, &vendor) || vendor != INTEL_VENDOR)
		return true;
	snprintf(path, sizeof path, DEVICES "/%s/device", name);
	if (!local_number(path, &device))
		return true;
	f.where = domain << 8 | bus;
	f.base = dev << 3 | fn;
	f.device = (uint16_t)device;
	if (!is_box(family, f.device, f.base, &f.bus) && !(node && node->device == f.device))
		return true;
	more = array_grow(p->function, p->functions, &p->room, sizeof *more);
	if (!more)
		return false;
	p->function = more;
	p->function[p->functions++] = f;
	return true;
}

static void add_bus(struct direct_pci *p, uint32_t bus)
{
	unsigned i = p->buses;

	for (unsigned k = 0; k < p->buses; k++)
		if (p->bus[k] == bus)
			return;
	if (p->buses == SOCKETS_MOST)
		return;
	for (; i > 0 && p->bus[i - 1] > bus; i--)
		p->bus[i] = p->bus[i - 1];
	p->bus[i] = bus;
	p->buses++;
}

static bool read_dword(int fd, uint32_t offset, uint32_t *out)
{
	return pread(fd, out, sizeof *out, offset) == sizeof *out;
}

/* The socket that the UBox on the bus says it is in; false: it does not. */
static bool ask_node(struct direct_pci *p, const struct cat_family *family, uint32_t bus, unsigned *socket)
{
	const struct cat_dword *node = node_register(family, CAT_DWORD_NODE), *map = node_register(family, CAT_DWORD_NODE_MAP);
	uint32_t id, ids;

	for (unsigned i = 0; node && map && i < p->functions; i++) {
		struct function *f = p->function + i;

		if (f->where != bus || f->device != node->device)
			continue;
		if (f->fd == UNREAD)
			f->fd = open_function(f);
		if (!read_dword(f->fd, node->offset, &id) || !read_dword(f->fd, map->offset, &ids))
			return false;
		for (*socket = 0; *socket < SOCKETS_MOST; ++*socket)
			if ((ids >> NODE_BITS * *socket & 7) == (id & 7))
				return true;
	}
	return false;
}

/* By what the UBoxes say if they name each socket once, else in the order of the buses. */
static void number_sockets(struct direct_pci *p, const struct cat_family *family)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < p->buses; i++)
		if (ask_node(p, family, p->bus[i], &p->socket[i]) && p->socket[i] < p->buses)
			seen |= 1u << p->socket[i];
	for (unsigned i = 0; seen != (1u << p->buses) - 1 && i < p->buses; i++)
		p->socket[i] = i;
}

/* A function belongs to the socket of the next uncore bus at or above its own. */
static unsigned socket_of(const struct direct_pci *p, uint32_t where)
{
	for (unsigned i = 0; i < p->buses; i++)
		if (where <= p->bus[i])
			return p->socket[i];
	return SOCKETS_MOST;
}

static bool list_functions(struct direct_pci *p, const struct cat_family *family)
{
	DIR *d = opendir(DEVICES);
	struct dirent *entry;
	bool room = true;

	while (d && room && (entry = readdir(d)))
		room = take_function(p, family, entry->d_name);
	if (d)
		closedir(d);
	return room;
}

/* Without root only the header of a function can be read, and its counters would look as if they were missing. */
static int try_reading(struct direct_pci *p, char *why, size_t size)
{
	uint32_t ignored;

	for (unsigned i = 0; i < p->functions; i++) {
		struct function *f = p->function + i;

		if (f->fd == UNREAD)
			f->fd = open_function(f);
		if (f->fd >= 0 && read_dword(f->fd, HEADER, &ignored))
			return 0;
	}
	if (!p->functions)
		return 0;
	snprintf(why, size, "configuration space (" DEVICES "/*/config): %s: run as root", strerror(errno ? errno : EACCES));
	return BXS_ENOTSUP;
}

int direct_pci_find(const struct local *l, struct direct_pci **out, char *why, size_t size)
{
	struct direct_pci *p = calloc(1, sizeof *p);
	int err;

	if (!p || !list_functions(p, l->processor.family)) {
		direct_pci_free(p);
		return BXS_ENOMEM;
	}
	for (unsigned i = 0; i < p->functions; i++)
		if (p->function[i].bus == CAT_BUS_UNCORE)
			add_bus(p, p->function[i].where);
	number_sockets(p, l->processor.family);
	for (unsigned i = 0; i < p->functions; i++)
		p->function[i].socket = (uint16_t)socket_of(p, p->function[i].where);
	err = try_reading(p, why, size);
	if (err < 0)
		direct_pci_free(p);
	else
		*out = p;
	return err;
}

void direct_pci_free(struct direct_pci *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->functions; i++)
		if (p->function[i].fd >= 0)
			close(p->function[i].fd);
	free(p->function);
	free(p);
}

int direct_pci_file(struct direct_pci *p, const struct access_address *at)
{
	for (unsigned i = 0; i < p->functions; i++) {
		struct function *f = p->function + i;

		if (f->socket != at->socket || f->base != at->base || f->bus != at->bus)
			continue;
		if (f->fd == UNREAD)
			f->fd = open_function(f);
		return f->fd;
	}
	return -1;
}
