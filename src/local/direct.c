/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way by devices: MSRs through /dev/cpu/N/msr (msr(4)), configuration space through sysfs.  It needs root, or
 * CAP_SYS_RAWIO and CAP_SYS_ADMIN with the devices' permissions.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "local/direct.h"
#include "local/local_private.h"

struct direct {
	int *msr;			/* descriptor by CPU as l->cpu has them; -1: not open */
	struct direct_pci *pci;
};

static int open_msr(int cpu)
{
	char path[48];
	int fd;

	snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 && errno == EACCES ? open(path, O_RDONLY | O_CLOEXEC) : fd;
}

/* The descriptor of a thread's MSRs, or -1. */
static int msr_of(struct local *l, unsigned socket, unsigned thread)
{
	struct direct *d = l->state;
	int cpu = local_cpu(l, socket, thread), *fd;

	if (cpu < 0)
		return -1;
	fd = &d->msr[local_slot(l, socket, thread)];
	if (*fd < 0)
		*fd = open_msr(cpu);
	return *fd;
}

/* Every CPU of a socket reaches the MSRs of its boxes; takes the first one that is online. */
static int msr_at(struct local *l, const struct access_address *at)
{
	if (at->thread || local_cpu(l, at->socket, 0) >= 0)
		return msr_of(l, at->socket, at->thread);
	for (unsigned t = 1; t < 2 * l->processor.cores; t++)
		if (local_cpu(l, at->socket, t) >= 0)
			return msr_of(l, at->socket, t);
	return -1;
}

static int file_at(struct local *l, const struct access_address *at, off_t *offset, size_t *size)
{
	*offset = at->offset;
	*size = at->space == CAT_PCI ? at->width / 8u : 8;
	if (at->space == CAT_MSR)
		return msr_at(l, at);
	if (at->space == CAT_CPU)
		return msr_of(l, at->socket, at->base);
	return at->space == CAT_PCI ? direct_pci_file(((struct direct *)l->state)->pci, at) : -1;
}

static int read_device(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t *value)
{
	uint64_t read = 0;
	off_t offset;
	size_t size;
	int fd = file_at(l, at, &offset, &size);

	(void)place;
	if (fd < 0 || pread(fd, &read, size, offset) != (ssize_t)size)
		return BXS_EFAULT;
	*value = read & bits_low(at->width);
	return 0;
}

static int write_device(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t value)
{
	off_t offset;
	size_t size;
	int fd = file_at(l, at, &offset, &size);

	(void)place;
	return fd < 0 || pwrite(fd, &value, size, offset) != (ssize_t)size ? BXS_EFAULT : 0;
}

/* Can MSRs be read and written?  Tries the time stamp counter, which every processor has. */
static int try_msr(struct local *l, char *why, size_t size)
{
	const struct access_address at = { .space = CAT_MSR, .offset = MSR_TSC, .width = 64 };
	uint64_t ignored;
	int fd = msr_of(l, 0, 0), flags;

	if (fd < 0 && errno == ENOENT) {
		snprintf(why, size, "there is no /dev/cpu/%d/msr: `modprobe msr`", local_cpu(l, 0, 0));
		return BXS_ENOTSUP;
	}
	if (fd < 0 || read_device(l, &at, NULL, &ignored) < 0) {
		snprintf(why, size, "/dev/cpu/%d/msr: %s: run as root", local_cpu(l, 0, 0), strerror(errno));
		return BXS_ENOTSUP;
	}
	flags = fcntl(fd, F_GETFL);
	if ((flags & O_ACCMODE) == O_RDWR)
		return 0;
	snprintf(why, size, "/dev/cpu/%d/msr can only be read: run as root", local_cpu(l, 0, 0));
	return BXS_ENOTSUP;
}

static void close_direct(struct local *l)
{
	struct direct *d = l->state;

	for (unsigned i = 0; d->msr && i < local_slots(l); i++)
		if (d->msr[i] >= 0)
			close(d->msr[i]);
	direct_pci_free(d->pci);
	free(d->msr);
	free(d);
}

static int open_direct(struct local *l, char *why, size_t size)
{
	struct direct *d = calloc(1, sizeof *d);
	int err = BXS_ENOMEM;

	if (!d)
		return err;
	l->state = d;
	d->msr = malloc((local_slots(l) + 1) * sizeof *d->msr);
	for (unsigned i = 0; d->msr && i < local_slots(l); i++)
		d->msr[i] = -1;
	if (d->msr)
		err = try_msr(l, why, size);
	if (err == 0)
		err = direct_pci_find(l, &d->pci, why, size);
	if (err < 0)
		close_direct(l);
	return err;
}

const struct local_door local_direct = {
	.name = "direct", .open = open_direct, .close = close_direct, .read = read_device, .write = write_device,
};
