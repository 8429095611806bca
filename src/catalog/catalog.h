/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue as the generator (tools/catgen.py) lays it out: constant
 * arrays of small numbers and one string pool.  Nothing here is written at run
 * time; all machines of a process share it.
 *
 * The vocabulary, used without exception:
 *
 *	family     one processor's whole set of performance-monitoring hardware
 *	box type   a kind of box (cbo); box: one instance of it (cbo3)
 *	register   something with an address; field: some of its bits
 *	space      where an address lives: msr, pci, csr, pmc, pmd, cpu (an MSR that each CPU has)
 *	counter    counts; control: the register paired with it
 *	chain      threshold, invert, edge: what a control does to an event
 *	event      what can be counted; subevent or umask: a part of it
 *	filter     a register field that narrows an event by a tag
 *	signal     what the hardware tells; pulse (happened n times in this
 *	           clock) or level (a queue holds n now)
 *	clock      a domain: uclk, dclk, qclk, pclk, core
 *
 * All `name` and `text` members are offsets into cat_strings; 0 is the empty
 * string.  `xxx0, xxxs` is a range: the first index and how many.
 */
#ifndef BXS_CATALOG_H
#define BXS_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAT_ABSENT UINT32_MAX	/* a number the manual does not print */

enum cat_space { CAT_MSR, CAT_PCI, CAT_CSR, CAT_PMC, CAT_PMD, CAT_CPU };

enum cat_bus { CAT_BUS_UNCORE, CAT_BUS_IIO };

enum cat_role {
	CAT_PLAIN, CAT_BOX_CTL, CAT_STATUS, CAT_CTL, CAT_CTR, CAT_FIXED_CTL,
	CAT_FIXED_CTR, CAT_FILTER, CAT_FREE, CAT_GLOBAL_CTL,
	CAT_GLOBAL_STATUS, CAT_GLOBAL_CONFIG, CAT_OVF_CTL,
	CAT_CTR_FULL,	/* another address of a counter, which takes all its bits */
};

enum cat_attr { CAT_RW, CAT_RWV, CAT_RO, CAT_ROV, CAT_WO, CAT_RW1C, CAT_RV };

/* Which logical CPUs have a register of CAT_CPU together. */
enum cat_per { CAT_PER_THREAD, CAT_PER_CORE, CAT_PER_PACKAGE };

/* How a filter field accepts the tag of an occurrence. */
enum cat_match {
	CAT_MATCH_NONE,
	CAT_MATCH_EQ,	/* tag == field */
	CAT_MATCH_BITS,	/* bit number `tag` is set in field */
	CAT_MATCH_ANY,	/* tag & field */
	CAT_MATCH_FLAG,	/* field 0, or tag not 0 */
	CAT_MATCH_GE,	/* tag >= field */
	CAT_MATCH_PART,	/* bits of the tag, from bit `part` on == field */
};

/* What a filter field is compared with: a member of struct signal_tag. */
enum cat_tag {
	CAT_TAG_NONE, CAT_TAG_ADDR, CAT_TAG_OPC, CAT_TAG_NID, CAT_TAG_TID, CAT_TAG_STATE, CAT_TAG_LINK, CAT_TAG_NC,
	CAT_TAG_ISOC, CAT_TAG_C6, CAT_TAG_FREQ,
};

/* The part of a message's match and mask that a register holds. */
enum cat_holds {
	CAT_HOLDS_NONE, CAT_HOLDS_MATCH0, CAT_HOLDS_MASK0, CAT_HOLDS_MATCH1, CAT_HOLDS_MASK1, CAT_HOLDS_MATCH,
	CAT_HOLDS_MASK,
};

/* By what an event of an Itanium's core can be narrowed; bits of `narrows` and `looks`. */
enum cat_scope { CAT_SCOPE_IAR = 1, CAT_SCOPE_OPC = 2, CAT_SCOPE_DAR = 4, CAT_SCOPE_DREF = 8 };

/* How many subevents go together: any; exactly one; one pick of each field. */
enum cat_choose { CAT_CHOOSE_ANY, CAT_CHOOSE_ONE, CAT_CHOOSE_BOTH };

/* What an event is told apart by beside its mask, for the mechanism that its box uses. */
enum cat_by {
	CAT_BY_PACKET = 1 << 0, CAT_BY_CLASS = 1 << 1, CAT_BY_OPCODE = 1 << 2, CAT_BY_ADDR = 1 << 3,
	CAT_BY_OUT = 1 << 4, CAT_BY_SNOOPS = 1 << 5, CAT_BY_MARK = 1 << 6, CAT_BY_DIRECTORY = 1 << 7,
	CAT_BY_BUFFER = 1 << 8, CAT_BY_DIMM = 1 << 9, CAT_BY_RANK = 1 << 10, CAT_BY_DISPATCH = 1 << 11,
	CAT_BY_LATENCY = 1 << 12, CAT_BY_WIDTH = 1 << 13, CAT_BY_PREFETCH = 1 << 14, CAT_BY_RING = 1 << 15,
	CAT_BY_QUEUE = 1 << 16,
};

/* What the engine does differently for a box type: `uses` (src/pmu/mechanism.c). */
enum cat_mechanism {
	CAT_USES_OCCUPANCY_SELECT, CAT_USES_NODE_IDS, CAT_USES_LINK_MATCH, CAT_USES_PMON_CHAIN,
	CAT_USES_PMON_CHAIN_GLOBAL, CAT_USES_PMON_CHAIN_WRAP, CAT_USES_AGENT_MATCH, CAT_USES_CONTROLLER_MATCH,
	CAT_USES_BRIDGE_MATCH, CAT_USES_PORT_MATCH, CAT_USES_THREAD, CAT_USES_PERF_MASTER, CAT_USES_HOME_AGENT,
	CAT_USES_ROUTER, CAT_USES_BRIDGE, CAT_USES_MEMORY, CAT_USES_CPU,
};

/* Rules of a box type, bits of cat_type.rules. */
enum cat_rule {
	/* The controls select signals, and what of a signal is counted the registers say: each event on the signal
	 * whose needs hold. */
	CAT_RULE_BY_SIGNAL = 1 << 0,
	/* An event that lacks what it needs counts the clocks of the box, not nothing. */
	CAT_RULE_UNMET_CLOCKS = 1 << 1,
	/* Sums (`scale`) live in the box: what happens goes into them.  Else the hardware tells of overflows. */
	CAT_RULE_SUMS = 1 << 2,
};

/* Tools that have names of their own: Linux perf, Intel's event files, libpfm4, LIKWID, Intel PCM. */
enum cat_tool { CAT_TOOL_PERF, CAT_TOOL_JSON, CAT_TOOL_LIBPFM4, CAT_TOOL_LIKWID, CAT_TOOL_PCM };

enum { CAT_TOOLS = CAT_TOOL_PCM + 1 };

#define CAT_NONE UINT16_MAX	/* an index that leads nowhere */
#define CAT_NOBIT UINT8_MAX

/* CAT_UMASK_PICK: no mask at all, what it needs of other registers selects it. */
enum cat_umask_kind { CAT_UMASK_BIT, CAT_UMASK_EXACT, CAT_UMASK_MIXED, CAT_UMASK_PICK };

/* What one count is worth: one happening; a clock in which something is so; an entry held for a clock. */
enum cat_unit { CAT_EVENTS, CAT_CLOCKS, CAT_ENTRY_CLOCKS };

enum cat_binding { CAT_BIND_NONE, CAT_BIND_SIGNAL, CAT_BIND_CLOCK, CAT_BIND_COUNTER0, CAT_BIND_OWN };

struct cat_family {
	uint32_t name, text, source;
	uint32_t bus_khz;		/* whose multiples the cores' frequencies are, rounded down */
	uint16_t clock0, clocks;
	uint16_t type0, types;
	uint16_t part0, parts;
	uint16_t metric0, metrics;
	uint16_t default0, defaults;
	uint16_t packet0, packets;
	uint16_t message0, messages;
	uint16_t function0, functions;
	uint16_t odd0, odds;		/* into cat_odds */
	uint16_t dword0, dwords;
	uint16_t alias0, aliases;
	uint16_t model;			/* of Intel's processor family 6, as CPUID has it; 0: not of that */
	uint16_t buses_id;		/* device id of the PCI function that has the socket's bus numbers, or 0 */
};

struct cat_clock {
	uint32_t name, khz;
};

/* A product of the family: params are (key, value) pairs for the machine. */
struct cat_part {
	uint32_t name;
	uint16_t param0, params;
	bool is_default;
};

struct cat_param {
	uint32_t key;
	uint64_t value;
};

struct cat_type {
	uint32_t name, text;
	uint32_t plays;			/* the role of the hardware behind it, such as cbo; by default the type's own name */
	uint16_t family;		/* index into cat_families */
	uint16_t boxes;
	uint16_t clock;			/* index into cat_clocks */
	uint16_t counters;		/* elements of the role ctl */
	uint16_t sets;			/* equal sets that the manual numbers them in */
	/* Ports, the same number for each set; a control says its port in a field of this name, or by
	 * port_step codes from port to port.  0: registers do not belong to ports. */
	uint16_t ports, port_step;
	uint32_t port_field;
	uint16_t sigtype;		/* index into cat_sigtypes, or CAT_NOSIG */
	uint16_t window0, windows;
	uint16_t reg0, regs;
	uint16_t event0, events;
	uint16_t use0, uses;		/* into cat_uses, in the order in which a later one stands for an earlier one */
	uint32_t called[CAT_TOOLS];	/* what other tools call such boxes, a comma list; 0: nothing */
	uint8_t rules;
	uint8_t fixed_status;		/* bit of the fixed counter in the global status, or CAT_NOBIT: that of the box */
	uint32_t status0;		/* into cat_numbers, one per box, CAT_ABSENT: none; or CAT_ABSENT */
};

/* Where the registers of a box start: bases holds one number a box.  In
 * CAT_PCI a base is dev << 3 | fn. */
struct cat_window {
	uint32_t name;
	uint8_t space, bus;
	uint32_t base0;			/* into cat_numbers, one per box */
	uint32_t device0;		/* PCI device ids likewise, each may be CAT_ABSENT; or CAT_ABSENT */
};

struct cat_reg {
	uint32_t name;			/* of the type, as the manual prints it */
	uint32_t pattern;		/* of the instances */
	uint32_t src;			/* other than the manual, or 0 */
	uint16_t type, window;		/* owner; absolute index of the window */
	uint16_t count;			/* elements; 1 for a single register */
	uint8_t width, role, holds;
	uint8_t thresh;			/* through which a free-running counter counts */
	uint16_t counts;		/* what it counts: of cat_events, or CAT_NONE */
	uint32_t counts_umask;
	bool undriven;			/* a free-running counter of what our machine never does */
	bool read_only;			/* any write faults */
	bool starts;			/* `shows` is only what it holds out of reset */
	uint8_t per;			/* enum cat_per: who shares it, in CAT_CPU */
	uint16_t shows;			/* number of a value of the type's signal file, or CAT_NONE: what is written */
	uint16_t take0, takes;		/* into cat_takes: what its fields let the events take whose `sub` it is */
	uint32_t offset0;		/* into cat_numbers, one per element */
	uint16_t field0, fields;
	uint16_t layout0, layouts;	/* into cat_layouts */
	/* Computed from the fields, applied by one write function. */
	uint64_t reset;
	uint64_t write;			/* bits a write stores */
	uint64_t read;			/* bits a read shows */
	uint64_t w1c;			/* bits that writing 1 clears */
	uint64_t gp;			/* bits that must not be written as 1 */
	uint64_t same;			/* bits that must not be written as anything but what they are */
};

struct cat_field {
	uint32_t name, text;
	uint32_t as;			/* the engine's name: `name` unless given */
	uint64_t reset;
	uint8_t hi, lo, attr, match;
	uint8_t tag, part;
	uint8_t narrows;		/* scopes: events that look at one of them look at the field */
	bool keep, gp, same;
	bool has_preset;
	uint16_t value0, values;	/* into cat_values: what some of its values mean */
	uint64_t preset;		/* what measuring sets it to when nobody says otherwise */
};

struct cat_value {
	uint64_t value;
	uint32_t text;
};

/* The fields of a register in another mode: for showing alone. */
struct cat_layout {
	uint32_t name, text;		/* text: when it holds */
	uint16_t field0, fields;
};

struct cat_event {
	uint32_t name, text;
	uint32_t keys;			/* all keys as the catalogue writes them, for showing alone; or 0 */
	uint32_t code, max_inc;		/* max_inc: CAT_ABSENT if not printed */
	uint32_t counters;		/* mask of the box's counters, all sets */
	uint16_t type;
	uint16_t umask0, umasks;
	uint16_t filter0, filters;	/* into cat_filters */
	uint8_t ext, unit, binding;
	uint16_t signal;		/* number within the sigtype, or of the event itself; see cat_signal_of */
	uint16_t cond0, conds;		/* into cat_conds: alternatives; none: always */
	uint16_t need0, needs;		/* into cat_needs: all must hold */
	bool undriven;			/* has a signal, but our machine never raises it for this */
	bool plain;			/* its code and mask are all that measuring has to set */
	bool once;			/* adds 1 in a clock, however many of the selected subevents hold */
	bool mask_ignored;		/* its subevents are names only */
	bool fixed;			/* only the fixed counter of the box counts it */
	uint8_t choose;
	uint32_t groups[2];		/* one bit of each of these masks has to be selected, and hold; 0: none */
	uint32_t by;			/* enum cat_by, together */
	uint32_t part;			/* the switch of a machine that has what it counts, by name; or 0 */
	uint16_t reg;			/* a register of its own counts it, or CAT_NONE */
	uint16_t sub0, subs;		/* into cat_subs */
	uint16_t ask0, asks;		/* into cat_asks */
	uint32_t scale;			/* what one count of the sum's overflows is worth; 0: it counts itself */
	uint16_t rest_reg, rest, live;	/* register and field of what is left over, the field of the level; CAT_NONE */
	/* Of an Itanium's core (chapter 4 of its manual). */
	uint8_t looks, looks_some;	/* scopes that narrow it; those that a part of it escapes */
	char mt;			/* A, C or F (4.1.2); 0: not printed */
	int8_t late;			/* L - P (3.3.12.3) */
	bool within_other;		/* `within` counts it of the other thread */
	uint16_t within;		/* an event that takes it in, or CAT_NONE */
};

struct cat_umask {
	uint32_t name, text, keys;
	uint32_t umask, zero;
	uint8_t kind, unit;
	bool undriven;		/* the event is driven, but our machine never does this */
	bool plain;		/* as of an event */
	bool qualifies;		/* narrows the others, and adds nothing of its own */
	bool alone;		/* counts nothing beside others */
	bool nothing;		/* selects nothing */
	uint32_t implied;	/* a mask with all these bits selects this one; 0: only its own */
	uint32_t counters;	/* other than those of the event, or 0 */
	uint64_t within;	/* subevents of the event, a bit each, that take it in */
	uint16_t message;	/* whose match and mask it is: of cat_messages, or CAT_NONE */
	uint16_t ask0, asks;
	uint32_t scale;		/* as of an event */
	uint16_t rest_reg, rest, live;
	uint16_t filter0, filters;
	uint16_t cond0, conds;
	uint16_t need0, needs;		/* into cat_needs: all must hold, beside the event's */
};

/* One alternative of a condition: (flags & care) == want. */
struct cat_cond {
	uint64_t care, want;
};

/* A field that is set, in all its bits, takes what fulfils one of the conditions; none: everything. */
struct cat_take {
	uint16_t field;			/* of cat_fields */
	uint8_t kind;			/* of each kind that the register's fields speak of, one has to take it */
	uint16_t cond0, conds;
};

/* A filter that an event uses: absolute indices of register and field. */
struct cat_filter {
	uint16_t reg, field;
};

/*
 * What an event needs of a register other than its control: lo <= field <= hi, or with
 * `bits` all bits of lo set.  field1 is the field to look at when the control leads to the
 * second of two selections in the register (Rbox: ev1_type, not ev0_type); else it is field.
 */
struct cat_need {
	uint16_t reg, field, field1;
	bool bits;
	uint32_t lo, hi;
};

/* A field that is the user's to choose, and its value where he does not. */
struct cat_ask {
	uint16_t reg, field;
	bool valued;
	uint64_t value;
};

/* The signals of one box type's hardware, the same for all families. */
struct cat_sigtype {
	uint32_t name;
	uint16_t signal0, signals;
};

struct cat_signal {
	uint32_t name, text;		/* "cbo.lookup" */
	uint16_t flag0, flags;		/* into cat_flags: their names */
	bool level;
};

struct cat_metric {
	uint32_t name, text, unit, equation;
	uint16_t type;			/* absolute index of the box type */
	bool of_nodes;			/* `x` in it is a node; else a rank */
};

/* A row of the default set of `boxscore stat`. */
struct cat_default {
	uint32_t name, text, unit, equation;
	uint16_t type;			/* as of a metric, or CAT_NOTYPE: of all */
};

#define CAT_NOTYPE UINT16_MAX

struct cat_packet {
	uint32_t cls, name, text, opcode;
};

struct cat_message {
	uint32_t name, text, match0, mask0, match1, mask1;
};

/* `count` PCI functions of a socket from `base` on that hold no counters, with ids from `device` on or all the same. */
struct cat_function {
	uint8_t bus, base, count;	/* base: dev << 3 | fn */
	bool same, per_core;		/* per_core: function i is there where core core0 + i is */
	uint8_t core0;
	uint16_t device;
};

/* What a dword of a PCI function holds. */
enum cat_dword_what {
	CAT_DWORD_NODE,			/* number of the socket's node */
	CAT_DWORD_NODE_MAP,		/* sockets by node, 3 bits each */
	CAT_DWORD_DIE,			/* CAPID4: which die it is */
};

struct cat_dword {
	uint16_t device, offset;
	uint8_t what;
};

/* A name of another tool that no rule turns into ours stands for `to`; has no counterpart, and `to` says why; or is
 * one of ours, which the tool lacks though a rule would make it (docs/reference/catalogue.md). */
enum cat_alias_kind { CAT_ALIAS_IS, CAT_ALIAS_NEVER, CAT_ALIAS_LACKS };

struct cat_alias {
	uint32_t name, to;
	uint16_t type;			/* of which it is said, or CAT_NOTYPE: of none */
	uint8_t tool, kind;
};

#define CAT_NOSIG UINT16_MAX

extern const char cat_strings[];
extern const uint32_t cat_numbers[];
extern const struct cat_family cat_families[];
extern const struct cat_clock cat_clocks[];
extern const struct cat_part cat_parts[];
extern const struct cat_param cat_params[];
extern const struct cat_type cat_types[];
extern const struct cat_window cat_windows[];
extern const struct cat_reg cat_regs[];
extern const struct cat_field cat_fields[];
extern const struct cat_layout cat_layouts[];
extern const struct cat_value cat_values[];
extern const struct cat_event cat_events[];
extern const struct cat_umask cat_umasks[];
extern const struct cat_cond cat_conds[];
extern const struct cat_take cat_takes[];
extern const struct cat_filter cat_filters[];
extern const struct cat_need cat_needs[];
extern const struct cat_ask cat_asks[];
extern const uint16_t cat_subs[];	/* registers */
extern const uint8_t cat_uses[];	/* enum cat_mechanism */
extern const struct cat_sigtype cat_sigtypes[];
extern const struct cat_signal cat_signals[];
extern const uint32_t cat_flags[];
extern const struct cat_metric cat_metrics[];
extern const struct cat_default cat_defaults[];
extern const struct cat_packet cat_packets[];
extern const struct cat_message cat_messages[];
extern const struct cat_function cat_functions[];
extern const uint16_t cat_odds[];	/* ids of PCI functions whose class is not what one would expect */
extern const struct cat_dword cat_dwords[];
extern const struct cat_alias cat_aliases[];
extern const unsigned cat_family_count;

static inline const char *cat_str(uint32_t offset)
{
	return cat_strings + offset;
}

#endif
