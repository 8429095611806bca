/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door for perf_event_open().  A filter hands the client's call over to a thread of the server, which answers it with a
 * descriptor of a file of the mount; read() and ioctl() of that are the event's (mount_events.c), closing the last copy of it
 * is closing the event.
 */
#ifndef BXS_PERF_DOOR_H
#define BXS_PERF_DOOR_H

#include <stddef.h>
#include <stdint.h>

#include "perf/perf.h"
#include "virtual/virtual.h"

struct perf_door;

/* Find out the PMUs of v.  0 or BXS_ENOMEM. */
int perf_door_new(struct virtual *v, struct perf_door **out);
const struct perf *perf_door_perf(const struct perf_door *d);

/*
 * Answer the calls of the client, whose filter comes through `socket` (perf_client.h), with files of what is mounted on dir; in
 * a thread with all signals blocked.  socket is the door's from then on.  0 or BXS_EIO with errno.
 */
int perf_door_start(struct perf_door *d, int socket, const char *dir);
/* After the mount, by whose end the thread gets free if it has to do with a file of it.  NULL is allowed. */
void perf_door_free(struct perf_door *d);

/* For the files: the event of this number if it is just being opened by thread `tid`, once; NULL: it is not. */
struct perf_event *perf_door_take(struct perf_door *d, uint64_t id, int tid);

#endif
