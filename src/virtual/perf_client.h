/* SPDX-License-Identifier: BSD-2-Clause */
/* The client's side of perf_event_open(): its calls go to the server, or fail. */
#ifndef BXS_PERF_CLIENT_H
#define BXS_PERF_CLIENT_H

/*
 * From now on perf_event_open() of this process, and of all that come from it, is answered by who has the other end of
 * `socket`; with -1, or where the kernel does not have that, with ENOSYS.  0, or -1 with errno.
 */
int perf_client_catch(int socket);

/* The other end: the descriptor that tells of the calls.  -1: there is none. */
int perf_client_listener(int socket);

#endif
