/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event strings: from what a person writes to what the registers hold.
 *
 *	cbo.LLC_LOOKUP.ANY                     a box type, an event, a subevent
 *	s1.cbo3.LLC_VICTIMS.M_STATE+E_STATE    one socket, one box, subevents ORed
 *	cbo.TOR_INSERTS.OPCODE:opc=DRd,thresh=2,edge
 *	TOR_INSERTS.OPCODE{edge_det,thresh=0x1} with:Cn_MSR_PMON_BOX_FILTER1.opc=0x182
 *	cbo.0x34.0x11                          raw event select and umask
 *	imc.CAS_COUNT.*                        patterns, in any part
 *	{a,b}                                  in a list: measured at the same time
 *	rbox.FLITS_SENT:port=3                 on one port; without, each port by itself
 *	core.CPU_OP_CYCLES.HALTED              names of events and subevents may have dots
 *
 * and, where that is none of these, events as other tools spell them (spelling.h).
 *
 * Reading goes in two steps.  Words are cut out of the text without looking at the
 * catalogue (event_read_*); then they are resolved (event_resolve).  The equation of a
 * metric uses the same words with another grammar around them.
 */
#ifndef BXS_MEASURE_EVENT_H
#define BXS_MEASURE_EVENT_H

#include "measure/names.h"

enum { EVENT_SETTINGS = 32, EVENT_FIELDS = 16, EVENT_PARTS = 6 };

/* A value that only the socket on which it is programmed can tell. */
enum event_symbol { EVENT_NUMBER, EVENT_MY_NODE, EVENT_OTHER_NODES };

/* Bits of a filter register that an event needs to have a value. */
struct event_setting {
	uint64_t value;
	uint16_t reg;		/* index into cat_regs */
	uint8_t element, hi, lo, symbol;
	/* Where registers hold two selections and the event may use the second: that lies so many
	 * elements and bits further. */
	uint8_t step, shift;
};

enum event_kind {
	EVENT_COUNTED,		/* on a counter of the box */
	EVENT_FIXED,		/* the fixed counter of the box */
	EVENT_FREE,		/* a counter that always runs */
};

/* What to measure. */
struct event_spec {
	int16_t socket, box;	/* -1: all of them */
	uint16_t type;		/* index into cat_types */
	uint8_t kind;
	uint8_t group;		/* 0, or events of one group are measured at the same time */
	bool loose;		/* came out of a pattern: may be measured in turns */
	bool undriven;		/* none of its subevents is what the model's hardware does */
	uint8_t element;	/* EVENT_FREE: of the register */
	uint8_t unit;		/* enum cat_unit, of what is counted before thresholds */
	uint32_t event;		/* index into cat_events, NAMES_NONE: raw, or not EVENT_COUNTED */
	uint32_t reg;		/* EVENT_FIXED, EVENT_FREE: index into cat_regs */
	uint32_t counters;	/* mask of the counters that can count it */
	uint64_t control;	/* the control register without en */
	/* The event may use the second of two selections as well, if this is not 0: it is to be added to
	 * the control then. */
	uint64_t second;
	/* The counter sees overflows of a sum, each worth `scale`; what is left over is this field modulo
	 * scale, and NAMES_NONE where the box does not show it. */
	uint32_t scale, rest_reg, rest_field;
	unsigned settings;
	struct event_setting setting[EVENT_SETTINGS];
};

/* What is wrong, and at which character of the text it starts. */
struct event_error {
	char text[320];
	size_t at;
	/* What a pattern meant but could not be measured so: how many, the first of them, and why the
	 * first.  Set by event_list(), whatever it returns. */
	unsigned left_out;
	char left[200], left_why[160];
};

/* field, reg.field or reg[hi:lo], with or without a value (value.s NULL). */
struct event_field {
	struct span reg, range, name, value;
};

struct event_words {
	struct span part[EVENT_PARTS];		/* socket, box, event, subevent: what is there */
	unsigned parts, fields;
	struct event_field field[EVENT_FIELDS];
	unsigned patterns;			/* bit i: part i has * or ? */
	bool ored;				/* some part has + or | */
	struct span text;			/* all of it */
	int port;				/* where none is written; -1: none at all */
};

struct event_scan {
	const char *start, *p, *end;	/* a zero is at end */
	bool equation;		/* * and + are arithmetic, not patterns and ORs */
	struct event_error *err;
};

/* Called for each event; name is what was written, or the full name if it came out of
 * a pattern.  Returns 0, or a negative error that stops everything. */
typedef int (*event_fn)(void *ctx, const struct event_spec *spec, struct span name);

void event_skip_blanks(struct event_scan *s);
/* The dotted name.  0 or BXS_EINVAL. */
int event_read_name(struct event_scan *s, struct event_words *w);
/* {field,field=value} */
int event_read_braces(struct event_scan *s, struct event_words *w);
/* with:... at s->p; fields are added to w. */
int event_read_with(struct event_scan *s, struct event_words *w);
bool event_at_with(const struct event_scan *s);

/*
 * context: index of the box type to look in when the words name none, or -1.
 * Returns 0, BXS_ENOENT, BXS_EINVAL, or what emit returned.
 */
int event_resolve(const struct names *n, struct event_scan *s, const struct event_words *w,
		  int context, unsigned group, event_fn emit, void *ctx);

/*
 * A list separated by commas, with patterns and groups; allocates nothing.
 * 0, BXS_ENOENT or BXS_EINVAL with *err filled, or what emit returned.
 */
int event_list(const struct names *n, const char *text, event_fn emit, void *ctx,
	       struct event_error *err);

/* What only the cores count is an equation (metric.h); name as of event_fn. */
typedef int (*event_equation_fn)(void *ctx, struct span name, const char *equation);

/* The same, and equations for what other tools call an event though no box counts it. */
int event_list_all(const struct names *n, const char *text, event_fn emit, event_equation_fn equation, void *ctx,
		   struct event_error *err);

/* Fill control and settings from the fields of w and from what the event looks at
 * (field.c).  umask: index into cat_umasks or NAMES_NONE. */
int event_apply_fields(const struct names *n, struct event_scan *s, const struct event_words *w,
		       const uint32_t *umasks, unsigned count, struct event_spec *spec);
/* Is this the name of a field of some control or filter register of the family? */
bool event_is_field(const struct names *n, struct span name);

/* Fill s->err; returns code. */
int event_fail(struct event_scan *s, const char *at, int code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* 0x..., decimal.  false: not a number. */
bool event_number(struct span s, uint64_t *value);

/* The value of a setting on one socket of `sockets`, which have so many nodes each. */
uint64_t event_setting_value(const struct event_setting *set, unsigned socket, unsigned sockets, unsigned nodes);

/* A setting as it is when the event uses selection `way`, 0 or 1. */
static inline struct event_setting event_setting_way(const struct event_setting *set, unsigned way)
{
	struct event_setting s = *set;

	s.element = (uint8_t)(s.element + way * s.step);
	s.hi = (uint8_t)(s.hi + way * s.shift);
	s.lo = (uint8_t)(s.lo + way * s.shift);
	return s;
}

/* May all subevents of the event be ORed?  Then an equation that names none of them means all. */
bool event_all_bits(const struct cat_event *e);

/* Does the simulated machine drive this event, its cores by a program of theirs at least? */
bool event_modelled(const struct event_spec *spec);

#endif
