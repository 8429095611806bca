/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients that no library can be loaded into: they run under the emulator, whose processor is a Haswell-EP as well. */
#ifndef BXS_STATIC_CLIENT_H
#define BXS_STATIC_CLIENT_H

/*
 * What to execute in place of the command argv: argv itself, or the emulator (qemu NULL: from PATH) with it where
 * its program is static.  The caller's to free() where it is not argv; NULL: no memory.
 */
char **static_client_command(char **argv, const char *qemu);

#endif
