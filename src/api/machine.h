/* SPDX-License-Identifier: BSD-2-Clause */
/* The public machine, for the files of this layer. */
#ifndef BXS_API_MACHINE_H
#define BXS_API_MACHINE_H

#include "boxscore.h"
#include "machine/machine.h"

struct event_record;
struct feed;
struct local;
struct names;

struct bxs_machine {
	struct machine *machine;
	/* This computer's registers, in place of the machine's, which then is bare and stands for names and numbers alone;
	 * NULL: the machine is simulated. */
	struct local *local;
	char about[64];			/* which it is, and the way; "" of a simulated machine */
	char why[512];
	const char *note;	/* of the last read */
	struct names *names;	/* NULL: no other tool's name has been asked for */
	bool has_devices;	/* that read and write its memory (bxs_dma()) */
	struct event_record *record;	/* NULL: nothing is recorded */
	struct feed *own;		/* the embedding program's accesses; NULL: there were none */
	bxs_session *driven;		/* started, and something else drives the machine; NULL: none */
	bxs_session *measuring;		/* started, of accesses of the embedding program's own; NULL: none */
};

/* Store the sentence that bxs_why() gives out; returns err. */
int api_fail(bxs_machine *m, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Its registers, or this computer's. */
struct access *api_registers(const bxs_machine *m);
/* 0, or BXS_ENOTSUP with a sentence: it is this computer, of which nothing is simulated. */
int api_simulated(bxs_machine *m);

/* The machine's feed of accesses of the embedding program's own, made if there is none; BXS_ENOTSUP, BXS_ENOMEM. */
int api_own(bxs_machine *m, struct feed **out);

struct pmu_box;

/* The box of that name; BXS_ENOENT with a sentence in m->why. */
int api_find_box(bxs_machine *m, const char *box, struct pmu_box *out);

/*
 * EVENT or EVENT.SUBEVENT of the catalogue that another tool calls `text` in boxes of this type (index into cat_types), such
 * as UNC_M_CAS_COUNT.RD or cas_count_read.  false: none does, or it has fields, or there was no memory.
 */
bool api_event_called(bxs_machine *m, unsigned type, const char *text, char *out, size_t size);

#endif
