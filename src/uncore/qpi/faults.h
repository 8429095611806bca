/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What keeps the packets of a lane from going the plain way of qpi_send().
 *
 * Credits.  A packet takes a shared credit (VNA) for each of its flits, as long as the receiver has room for that
 * many; if there are too few, the one credit of its class (VN0); if that is taken, it waits for
 * whichever comes first.
 * Errors.  A packet that arrives damaged is asked for again: back over the wire, and once more.  Nothing else
 * is sent meanwhile.
 * Half width (L0p).  A lane that has been idle for long sends with half its wires, until some time after a packet.
 * Clocks.  While the clock of the receiver's ring changes, what arrives waits.
 */
#ifndef BXS_UNCORE_QPI_FAULTS_H
#define BXS_UNCORE_QPI_FAULTS_H

#include "uncore/chance.h"
#include "uncore/qpi/qpi.h"

enum { QPI_ROOM = 128 };		/* flits of the receive buffer: greatest increment of RxL_OCCUPANCY */

#define QPI_NARROW_AFTER UINT64_C(1000000)	/* ps idle until half width */
#define QPI_WIDEN UINT64_C(100000)		/* ps from a packet to full width */

struct qpi_conditions {
	unsigned vna;			/* shared credits; QPI_ROOM: never short */
	bool narrows;			/* L0p */
	struct chance error;		/* of a flit */
};

struct qpi_trouble {
	struct qpi_conditions is;
	bool always;			/* not only while a clock changes */
	uint64_t held;			/* until then what arrives waits */
	uint64_t shared[QPI_ROOM];	/* when each shared credit is back */
	uint64_t reserved[2][QPI_CLASSES];	/* and each class's own, on VN0 and VN1 */
	uint64_t idle;			/* nothing has been on the wire since */
	uint64_t wide;			/* half width ends, or ended */
	uint64_t told;			/* half width told up to here */
	bool asleep;			/* in L1, which is no L0p */
	struct depth empty;		/* shared credits in use: full when none is left */
	unsigned link;			/* number of the sender's link */
};

/* Put a lane under conditions, or under none worth mentioning. */
void qpi_trouble_init(struct qpi_trouble *t, const struct qpi_conditions *is, unsigned link, uint64_t stream);
void qpi_trouble_free(struct qpi_trouble *t);
/* What arrives before `until` waits for it. */
void qpi_hold(struct qpi_lane *l, struct qpi_trouble *t, uint64_t until);
/* Tell everything before `when`. */
/* Both ends shut the link down at `when`, or take it up again. */
void qpi_trouble_sleep(struct qpi_lane *l, struct qpi_trouble *t, uint64_t when, bool sleeps);
void qpi_trouble_advance(struct qpi_lane *l, struct qpi_trouble *t, uint64_t when);

#endif
