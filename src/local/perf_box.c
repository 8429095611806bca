/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A box whose registers are played by events of Linux's uncore driver: what measuring writes to a control becomes an event's
 * config, what it writes to filters config1 and config2 (docs/reference/catalogue.md, linux), and a counter's value is what the event
 * has counted.  The driver chooses the real counter.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "local/perf_box.h"

enum { FIXED = PERF_COUNTERS - 1, FIXED_CONFIG = 0xff };

#define ENABLE (UINT64_C(1) << 22)

int perf_open_event(uint32_t type, const uint64_t config[3], int cpu, unsigned how)
{
	struct perf_event_attr attr = {
		.size = sizeof attr, .type = type, .config = config[0], .config1 = config[1], .config2 = config[2],
		.disabled = !(how & PERF_ENABLED), .exclude_user = (how & PERF_NOT_USER) != 0,
		.exclude_kernel = (how & PERF_NOT_KERNEL) != 0, .pinned = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

bool perf_read_event(int fd, uint64_t *count)
{
	uint64_t value;

	/* A pinned event that has no counter is at the end of its file. */
	if (read(fd, &value, sizeof value) != sizeof value)
		return false;
	*count = value;
	return true;
}

void perf_box_init(struct perf_box *b)
{
	for (unsigned i = 0; i < PERF_COUNTERS; i++)
		b->counter[i].fd = -1;
}

void perf_end_event(struct perf_counter *c)
{
	uint64_t count = 0;

	if (c->fd < 0)
		return;
	if (perf_read_event(c->fd, &count))
		c->offset += count;
	else
		c->lost = true;
	close(c->fd);
	c->fd = -1;
}

void perf_box_close(struct perf_box *b)
{
	for (unsigned i = 0; i < PERF_COUNTERS; i++)
		if (b->counter[i].fd >= 0)
			close(b->counter[i].fd);
}

/* Bits of the filter, as in config1, that a control's event looks at. */
static uint64_t looks_at(const struct perf_box *b, unsigned filter0, unsigned filters)
{
	uint64_t mask = 0;

	for (unsigned i = filter0; i < filter0 + filters; i++) {
		const struct cat_field *f = cat_fields + cat_filters[i].field;

		for (unsigned n = 0; n < b->pmu->filter_regs && n < 2; n++)
			if (b->pmu->filter_reg[n] == cat_filters[i].reg)
				mask |= bits_mask(f->hi, f->lo) << 32 * n;
	}
	return mask;
}

static uint64_t event_filter(const struct perf_box *b, uint64_t control)
{
	const struct cat_type *t = cat_types + b->pmu->type;
	const struct cat_event *e = cat_event_of_code(t, control & 0xff, control >> 21 & 1, (uint32_t)bits_low(t->counters));
	uint64_t mask = e ? looks_at(b, e->filter0, e->filters) : 0;

	for (unsigned i = 0; e && i < e->umasks; i++)
		if (cat_umasks[e->umask0 + i].umask == (control >> 8 & 0xff))
			mask |= looks_at(b, cat_umasks[e->umask0 + i].filter0, cat_umasks[e->umask0 + i].filters);
	return mask;
}

/* What of config1 the driver writes to the filter for a control. */
static uint64_t driver_filter(const struct cat_pmu *p, uint64_t control)
{
	uint64_t mask = 0;

	for (unsigned i = p->look0; i < p->look0 + (unsigned)p->looks; i++)
		for (unsigned part = 0; (control & cat_pmu_looks[i].mask) == cat_pmu_looks[i].code && part < p->parts; part++)
			if (cat_pmu_looks[i].parts >> part & 1)
				mask |= cat_pmu_parts[p->part0 + part];
	return mask;
}

/*
 * config1 and config2 from the registers of the filter: two halves of each, the lower first.  Events of a box share the registers, so
 * each asks for what it looks at alone; false: of that the driver would leave something out.
 */
static bool filter_config(const struct perf_box *b, uint64_t control, uint64_t config[3])
{
	uint64_t looks;

	for (unsigned i = 0; i < b->pmu->filter_regs; i++)
		config[1 + i / 2] |= b->filter[i] << 32 * (i % 2);
	if (b->pmu->filter != CAT_PMU_FILTER_FIELDS)
		return true;
	looks = event_filter(b, control);
	config[1] &= looks;
	return !(config[1] & ~driver_filter(b->pmu, control));
}

static void begin_event(struct perf_box *b, unsigned i, bool running)
{
	struct perf_counter *c = &b->counter[i];
	uint64_t config[3] = { i == FIXED ? FIXED_CONFIG : c->control & b->pmu->accepts & ~ENABLE };

	/* If the driver dropped any of these bits, the event would count something else. */
	c->lost = i != FIXED && (c->control & ~(b->pmu->accepts | ENABLE) || !filter_config(b, c->control, config));
	if (c->lost)
		return;
	c->fd = perf_open_event(b->type, config, b->cpu, running ? PERF_ENABLED : 0);
	c->lost = c->fd < 0;
}

static int write_control(struct perf_box *b, unsigned i, uint64_t value, bool running)
{
	struct perf_counter *c = &b->counter[i];

	if (c->fd >= 0 && c->control == value)
		return 0;
	perf_end_event(c);
	c->control = value;
	if (value & ENABLE)
		begin_event(b, i, running);
	return c->lost ? BXS_EFAULT : 0;
}

int perf_read_counter(struct perf_counter *c, unsigned width, uint64_t *value)
{
	uint64_t count = 0;

	if (c->fd >= 0 && !perf_read_event(c->fd, &count))
		c->lost = true;
	*value = (c->offset + count) & bits_low(width);
	return c->lost ? BXS_EFAULT : 0;
}

void perf_write_counter(struct perf_counter *c, uint64_t value)
{
	uint64_t count = 0;

	if (c->fd >= 0)
		perf_read_event(c->fd, &count);
	c->offset = value - count;
}

void perf_box_stop(struct perf_box *b, bool stopped)
{
	for (unsigned i = 0; i < PERF_COUNTERS; i++)
		if (b->counter[i].fd >= 0)
			ioctl(b->counter[i].fd, stopped || b->frozen ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
}

static void write_box_control(struct perf_box *b, const struct cat_reg *r, uint64_t value, bool stopped)
{
	const struct cat_field *frz = cat_reg_field(r, "frz"), *counters = cat_reg_field(r, "rst_ctrs"),
			       *controls = cat_reg_field(r, "rst_ctrl");

	if (frz)
		b->frozen = bits_get(value, frz->hi, frz->lo);
	for (unsigned i = 0; i < PERF_COUNTERS; i++) {
		if (counters && bits_get(value, counters->hi, counters->lo))
			perf_write_counter(&b->counter[i], 0);
		if (controls && bits_get(value, controls->hi, controls->lo))
			write_control(b, i, 0, false);
	}
	perf_box_stop(b, stopped);
}

/* Which of the registers of the filter; PERF_FILTERS: none that the driver writes, as the match of what a link sends. */
static unsigned filter_number(const struct perf_box *b, const struct local_place *place)
{
	if (place->element || (b->pmu->filter == CAT_PMU_FILTER_MATCH && b->box >= b->pmu->filter_number))
		return PERF_FILTERS;
	for (unsigned i = 0; i < b->pmu->filter_regs; i++)
		if (b->pmu->filter_reg[i] == place->reg)
			return i;
	return PERF_FILTERS;
}

int perf_box_read(struct perf_box *b, const struct local_place *place, uint64_t *value)
{
	const struct cat_reg *r = cat_regs + place->reg;
	unsigned filter = filter_number(b, place);

	*value = 0;
	if (r->role == CAT_CTR || r->role == CAT_FIXED_CTR)
		return perf_read_counter(&b->counter[r->role == CAT_CTR ? place->element : FIXED], b->pmu->width, value);
	if (r->role == CAT_CTL || r->role == CAT_FIXED_CTL)
		*value = b->counter[r->role == CAT_CTL ? place->element : FIXED].control;
	else if (filter < PERF_FILTERS)
		*value = b->filter[filter];
	return 0;
}

int perf_box_write(struct perf_box *b, const struct local_place *place, uint64_t value, bool stopped)
{
	const struct cat_reg *r = cat_regs + place->reg;
	unsigned filter = filter_number(b, place);
	bool running = !stopped && !b->frozen;

	if (r->role == CAT_CTL)
		return write_control(b, place->element, value, running);
	if (r->role == CAT_FIXED_CTL)
		return write_control(b, FIXED, value, running);
	if (r->role == CAT_CTR || r->role == CAT_FIXED_CTR)
		perf_write_counter(&b->counter[r->role == CAT_CTR ? place->element : FIXED], value);
	else if (r->role == CAT_BOX_CTL)
		write_box_control(b, r, value, stopped);
	else if (filter < PERF_FILTERS)
		b->filter[filter] = value;
	else if (r->role == CAT_PLAIN || r->role == CAT_FILTER)
		return value ? BXS_EFAULT : 0;	/* the driver has no way to set it */
	return 0;
}
