/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What drivers ask of the bus of a function, "PCI" and a number (linux/pci.h): the argument means nothing.  Read as other requests
 * are, by which FUSE goes, these numbers say that 4163 bytes are handed over; a NULL, as everybody passes it, would be a fault.
 */
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "virtual/preload/preload.h"

enum { OF_BUSES = 'P' << 16 | 'C' << 8 | 'I', MOST_HANDED_OVER = 1 << 14 };

PRELOAD_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	static char nothing[MOST_HANDED_OVER];
	void *argument;
	va_list list;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (preload_page() && request >> 8 == OF_BUSES)
		argument = nothing;
	return (int)syscall(SYS_ioctl, fd, request, argument);
}
