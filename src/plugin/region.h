/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks in a program's code that begin and end the region that is measured (include/boxscore/region.h). */
#ifndef BXS_PLUGIN_REGION_H
#define BXS_PLUGIN_REGION_H

struct qemu_plugin_insn;

/* The last instruction of a block that is translated: where it is a mark of the region, have it tell. */
void plugin_region_find(struct qemu_plugin_insn *insn);

#endif
