/* SPDX-License-Identifier: BSD-2-Clause */
/* The mechanisms that a box type may ask for in its catalogue file (`uses`), and their tables of operations. */
#include "pmu/ops.h"

#include "base/bits.h"
#include "pmu/cpu.h"
#include "pmu/pmon_chain.h"
#include "pmu/poulson.h"
#include "pmu/poulson_core.h"
#include "pmu/xeon.h"

/* Sandy Bridge-EP and its successors. */
static const struct pmu_select_ops occupancy_select = { .decode = pmu_occupancy_decode };
static const struct pmu_select_ops link_match = { .narrow = pmu_link_narrow };
static const struct pmu_register_ops node_ids = { .restart = pmu_node_ids_restart };

/* Nehalem-EX. */
static const struct pmu_register_ops chain_reg = { .wrote = pmon_chain_wrote };
static const struct pmu_register_ops chain_global_reg = {
	.restart = pmon_chain_restart, .wrote = pmon_chain_wrote,
};
static const struct pmu_count_ops chain_count = { .runs = pmon_chain_runs, .overflowed = pmon_chain_overflowed };
static const struct pmu_count_ops chain_wrap_count = {
	.runs = pmon_chain_runs, .overflowed = pmon_chain_wrap_overflowed,
};
static const struct pmu_select_ops agent_match = { .narrow = agent_match_narrow };
static const struct pmu_select_ops controller_match = { .narrow = controller_match_narrow };
static const struct pmu_select_ops bridge_match = { .narrow = bridge_match_narrow };
static const struct pmu_select_ops port_match = { .narrow = port_match_narrow, .element = port_match_element };

/* Itanium 9500. */
static const struct pmu_select_ops thread_select = { .decode = core_decode, .narrow = core_narrow };
static const struct pmu_register_ops thread_reg = {
	.restart = core_restart, .wrote = core_wrote, .shown = core_shown, .undefined = core_undefined,
};
static const struct pmu_count_ops thread_count = {
	.init = core_init, .release = core_release, .overflowed = core_overflowed, .raise = core_raise,
	.door = core_tell,
};
static const struct pmu_register_ops master_reg = {
	.restart = poulson_restart, .wrote = poulson_wrote, .shown = poulson_shown,
};
static const struct pmu_count_ops master_count = { .runs = poulson_runs, .overflowed = poulson_overflowed };
static const struct pmu_select_ops agent_select = { .narrow = poulson_bbox_narrow };
static const struct pmu_register_ops agent_reg = {
	.restart = poulson_restart, .wrote = poulson_bbox_wrote, .shown = poulson_shown,
};
static const struct pmu_select_ops router_select = {
	.decode = poulson_rbox_decode, .narrow = poulson_rbox_narrow, .element = poulson_rbox_element,
};
static const struct pmu_count_ops router_count = {
	.runs = poulson_runs, .overflowed = poulson_overflowed, .tell = poulson_rbox_tell,
};
static const struct pmu_select_ops bridge_select = { .narrow = poulson_sbox_narrow };
static const struct pmu_register_ops bridge_reg = {
	.restart = poulson_restart, .locked = poulson_sbox_locked, .wrote = poulson_sbox_wrote,
	.shown = poulson_shown,
};
static const struct pmu_count_ops bridge_count = {
	.runs = poulson_runs, .overflowed = poulson_overflowed, .tell = poulson_sbox_tell,
};
static const struct pmu_select_ops memory_select = { .narrow = poulson_zbox_narrow };
static const struct pmu_register_ops memory_reg = {
	.restart = poulson_restart, .wrote = poulson_zbox_wrote, .shown = poulson_shown,
};
static const struct pmu_count_ops memory_count = {
	.runs = poulson_runs, .overflowed = poulson_zbox_overflowed,
};

/* Logical CPUs of Xeons. */
static const struct pmu_select_ops cpu_select = { .decode = cpu_decode, .bind = cpu_bind, .since = cpu_since };
static const struct pmu_register_ops cpu_reg = {
	.restart = cpu_restart, .there = cpu_there, .locked = cpu_locked, .wrote = cpu_wrote, .shown = cpu_shown,
};
static const struct pmu_count_ops cpu_count = { .init = cpu_init, .release = cpu_release, .raise = cpu_raise };

static const struct pmu_mechanism mechanisms[] = {
	[CAT_USES_OCCUPANCY_SELECT] = { .select = &occupancy_select },
	[CAT_USES_NODE_IDS] = { .reg = &node_ids },
	[CAT_USES_LINK_MATCH] = { .select = &link_match },
	[CAT_USES_PMON_CHAIN] = { .reg = &chain_reg, .count = &chain_count },
	[CAT_USES_PMON_CHAIN_GLOBAL] = { .reg = &chain_global_reg, .count = &chain_count },
	[CAT_USES_PMON_CHAIN_WRAP] = { .reg = &chain_reg, .count = &chain_wrap_count },
	[CAT_USES_AGENT_MATCH] = { .select = &agent_match },
	[CAT_USES_CONTROLLER_MATCH] = { .select = &controller_match },
	[CAT_USES_BRIDGE_MATCH] = { .select = &bridge_match },
	[CAT_USES_PORT_MATCH] = { .select = &port_match },
	[CAT_USES_THREAD] = { .select = &thread_select, .reg = &thread_reg, .count = &thread_count },
	[CAT_USES_PERF_MASTER] = { .reg = &master_reg, .count = &master_count },
	[CAT_USES_HOME_AGENT] = { .select = &agent_select, .reg = &agent_reg },
	[CAT_USES_ROUTER] = { .select = &router_select, .count = &router_count },
	[CAT_USES_BRIDGE] = { .select = &bridge_select, .reg = &bridge_reg, .count = &bridge_count },
	[CAT_USES_CPU] = { .select = &cpu_select, .reg = &cpu_reg, .count = &cpu_count },
	[CAT_USES_MEMORY] = { .select = &memory_select, .reg = &memory_reg, .count = &memory_count },
};

struct pmu_mechanism pmu_mechanisms(const struct cat_type *type)
{
	static const struct pmu_select_ops no_select;
	static const struct pmu_register_ops no_reg;
	static const struct pmu_count_ops no_count;
	struct pmu_mechanism all = { &no_select, &no_reg, &no_count };

	for (unsigned i = 0; i < type->uses; i++) {
		const struct pmu_mechanism *m = &mechanisms[cat_uses[type->use0 + i]];

		all.select = m->select ? m->select : all.select;
		all.reg = m->reg ? m->reg : all.reg;
		all.count = m->count ? m->count : all.count;
	}
	return all;
}
