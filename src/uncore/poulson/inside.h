/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sockets are made of: for the files of this folder and their tests. */
#ifndef BXS_UNCORE_POULSON_INSIDE_H
#define BXS_UNCORE_POULSON_INSIDE_H

#include "uncore/poulson/bbox.h"
#include "uncore/poulson/cbox.h"
#include "uncore/poulson/p9500.h"
#include "uncore/poulson/pring.h"
#include "uncore/poulson/rbox.h"
#include "uncore/poulson/sbox.h"
#include "uncore/poulson/silent.h"
#include "uncore/poulson/tags.h"
#include "uncore/poulson/zbox.h"

struct p9500_socket {
	struct tags tags;
	struct pring ring;
	struct cbox cbox[P9500_CORES];
	struct sbox sbox[PRING_SBOXES];
	struct bbox bbox[P9500_HOMES];
	struct zbox zbox[P9500_HOMES];
};

struct p9500 {
	struct p9500_config config;
	struct rbox_config wires;
	struct p9500_socket *socket;		/* [config.sockets] */
	struct rbox *router;			/* of each */
	struct silent silent;
};

static inline uint8_t p9500_port_of_bbox(unsigned bbox)
{
	return bbox ? RBOX_B1 : RBOX_B0;
}

static inline uint8_t p9500_port_of_sbox(unsigned sbox)
{
	return sbox ? RBOX_S1 : RBOX_S0;
}

/* The socket whose memory a line is in. */
static inline unsigned p9500_home(const struct p9500 *p, uint64_t line)
{
	return (unsigned)(line / (p->config.memory >> 6));
}

#endif
