/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a machine by subject; each function adds its part to the tree. */
#ifndef BXS_FILES_H
#define BXS_FILES_H

#include "virtual/identity.h"
#include "virtual/tree.h"
#include "virtual/virtual.h"

struct complaint;
struct perf;

/* Who the processors are, of a family that has files.  0 or BXS_ENOTSUP. */
int files_identity(const struct machine *m, struct identity *out, const struct complaint *c);

/* A tree of all of them, perf's if it is not NULL; release it in any case.  0, BXS_ENOTSUP (the family has none), BXS_ENOMEM. */
int files_all(struct tree *t, struct virtual *v, const struct perf *perf, const struct complaint *c);

/* proc/cpuinfo, sys/devices/system/cpu and node. */
void files_topology(struct tree *t, const struct machine *m, const struct identity *id);
/* These as a text (feed/files.h), for a program that runs on the machine; free it.  0, BXS_ENOTSUP (the family has none), BXS_ENOMEM. */
int files_archive(const struct machine *m, char **out, size_t *size);

/* dev/cpu, the topology, proc/meminfo. */
void files_cpu(struct tree *t, const struct virtual *v, const struct identity *id);

/* proc/bus/pci, sys/bus/pci, sys/devices/pci*; empty directories on a machine without PCI functions. */
void files_pci(struct tree *t, struct virtual *v, const struct identity *id);

/* sys/firmware/dmi/tables, sys/class/dmi, the table MCFG, dev/mem. */
void files_firmware(struct tree *t, const struct machine *m, const struct identity *id);

/* proc/stat. */
void files_stat(struct tree *t, struct virtual *v);
/* Its text of now, as long as that of its node; free it.  NULL: no memory. */
char *files_stat_now(struct virtual *v, const struct tree_node *first, size_t *size);

/* sys/bus/event_source/devices, and the PMUs in sys/devices. */
void files_perf(struct tree *t, const struct virtual *v, const struct perf *perf);

/* Frequencies, the energy bias and powercap; temperatures. */
void files_power(struct tree *t, struct virtual *v, const struct identity *id);
void files_heat(struct tree *t, struct virtual *v, const struct identity *id);

/* A file of a number, and registers for it.  0, BXS_ENOENT (no such CPU), BXS_EFAULT (#GP). */
void files_number(struct tree *t, uint32_t parent, const char *name, unsigned mode, const struct tree_number *number);
int files_read_msr(struct virtual *v, unsigned cpu, uint32_t msr, uint64_t *value);
int files_write_msr(struct virtual *v, unsigned cpu, uint32_t msr, uint64_t value);

/* Switches of the kernel that tools set before they begin. */
void files_kernel(struct tree *t);

/* Lists of numbers as the kernel writes them: "0-17,36-53", and masks "3,ffffffff"; n <= FILES_SET. */
enum { FILES_SET = 1024, FILES_LIST = 8 * FILES_SET };

struct files_set {
	unsigned n;			/* how many there could be */
	uint64_t word[FILES_SET / 64];
};

/* i < FILES_SET. */
void files_set_add(struct files_set *s, unsigned i);
/* The numbers that were added, as text in buf, which is returned. */
const char *files_list(const struct files_set *s, char buf[FILES_LIST]);
const char *files_mask(const struct files_set *s, char buf[FILES_LIST]);

#endif
