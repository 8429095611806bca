/* SPDX-License-Identifier: BSD-2-Clause */
/* Serving, for serve.c (the files) and with.c (the command). */
#ifndef BXS_SERVE_PRIVATE_H
#define BXS_SERVE_PRIVATE_H

#include "virtual/serve.h"

struct cpu_page;

struct serve_job {
	struct machine *machine;
	const struct serve_config *config;
	const char *dir;
	bool tidy;
	struct cpu_page *page;		/* whose clock is to be kept; NULL: none */
	const char *likwid;		/* name of LIKWID's door; NULL: none */
	int perf;			/* where the client's filter for perf_event_open() comes from; -1: nowhere */
	bool plain;			/* in place of the mount plain files of what is text */
	void (*ready)(void *ctx);
	void *ctx;
};

/* Mount, or write plain files, and answer; see serve_mount(). */
int serve_files(const struct serve_job *job, char *why, size_t size);

#endif
