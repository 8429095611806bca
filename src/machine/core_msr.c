// SPDX-License-Identifier: BSD-2-Clause
/*
 * Registers of a core: time stamp counter, fixed counters and their controls, clock ratios.
 * (SDM volume 4, chapter 2; volume 3, section 19.2 on architectural performance monitoring.)
 */
#include "machine/private.h"

enum {
	MSR_TSC = 0x10,
	MSR_PLATFORM_INFO = 0xce,
	MSR_MPERF = 0xe7,
	MSR_APERF = 0xe8,
	MSR_FIXED_CTR0 = 0x309,		/* instructions; then clocks; then clocks at TSC rate */
	MSR_FIXED_CTR2 = MSR_FIXED_CTR0 + MACHINE_FIXED - 1,
	MSR_FIXED_CTR_CTRL = 0x38d,
	MSR_PERF_GLOBAL_CTRL = 0x38f,
};

enum {
	COUNTER_WIDTH = 48,
	CTRL_BITS = 4,			/* of FIXED_CTR_CTRL for each counter */
	GLOBAL_FIXED = 32,		/* first bit of the fixed counters in GLOBAL_CTRL */
};

static uint64_t clocks(uint64_t ps, uint64_t mhz)
{
	return (uint64_t)((bits_u128)ps * mhz / 1000000);
}

/* How long the core ran, all in all. */
static uint64_t awake(const struct machine_core *c)
{
	return c->timing.now - c->slept;
}

static uint64_t tsc(const struct machine *m)
{
	return clocks(m->now, m->spec.value[SPEC_BASE_MHZ]);
}

/* What fixed counter i would show had it always counted. */
static uint64_t done(const struct machine *m, const struct machine_core *c, unsigned i)
{
	switch (i) {
	case 0:
		return c->timing.retired;
	case 1:
		return clocks(awake(c), m->spec.value[SPEC_CORE_MHZ]);
	default:
		return clocks(awake(c), m->spec.value[SPEC_BASE_MHZ]);
	}
}

/* Programs run in ring 3. */
static bool counts(const struct machine_fixed *f, unsigned i)
{
	return f->global_ctrl >> (GLOBAL_FIXED + i) & 1 && f->fixed_ctrl >> i * CTRL_BITS & 2;
}

/* Bring the counters up to date, before their control changes. */
static void settle(const struct machine *m, struct machine_core *c)
{
	struct machine_fixed *f = &c->fixed;

	for (unsigned i = 0; i < MACHINE_FIXED; i++) {
		uint64_t all = done(m, c, i);

		if (counts(f, i))
			f->value[i] = (f->value[i] + all - f->from[i]) & bits_low(COUNTER_WIDTH);
		f->from[i] = all;
	}
}

/* Maximum ratio without turbo at 15:8, in 100 MHz; programmable ratio limits absent. */
static uint64_t platform_info(const struct machine *m)
{
	return bits_put(0, 15, 8, m->spec.value[SPEC_BASE_MHZ] / 100);
}

enum outcome machine_core_read(struct machine *m, unsigned core, uint32_t msr, uint64_t *value)
{
	struct machine_core *c = &m->core[core];
	struct machine_fixed *f = &c->fixed;

	settle(m, c);
	switch (msr) {
	case MSR_TSC:
		*value = tsc(m) + f->tsc;
		return OUTCOME_OK;
	case MSR_PLATFORM_INFO:
		*value = platform_info(m);
		return OUTCOME_OK;
	case MSR_MPERF:
		*value = done(m, c, 2) + f->mperf;
		return OUTCOME_OK;
	case MSR_APERF:
		*value = done(m, c, 1) + f->aperf;
		return OUTCOME_OK;
	case MSR_FIXED_CTR_CTRL:
		*value = f->fixed_ctrl;
		return OUTCOME_OK;
	case MSR_PERF_GLOBAL_CTRL:
		*value = f->global_ctrl;
		return OUTCOME_OK;
	default:
		if (msr < MSR_FIXED_CTR0 || msr > MSR_FIXED_CTR2)
			return OUTCOME_GP;
		*value = f->value[msr - MSR_FIXED_CTR0];
		return OUTCOME_OK;
	}
}

/* The bits that software may set; writing others faults. */
static enum outcome write_control(uint64_t *reg, uint64_t allowed, uint64_t value)
{
	if (value & ~allowed)
		return OUTCOME_GP;
	*reg = value;
	return OUTCOME_OK;
}

enum outcome machine_core_write(struct machine *m, unsigned core, uint32_t msr, uint64_t value)
{
	struct machine_core *c = &m->core[core];
	struct machine_fixed *f = &c->fixed;
	uint64_t programmable = bits_low(8), fixed = bits_mask(GLOBAL_FIXED + MACHINE_FIXED - 1,
							       GLOBAL_FIXED);

	settle(m, c);
	switch (msr) {
	case MSR_TSC:
		f->tsc = value - tsc(m);
		return OUTCOME_OK;
	case MSR_MPERF:
		f->mperf = value - done(m, c, 2);
		return OUTCOME_OK;
	case MSR_APERF:
		f->aperf = value - done(m, c, 1);
		return OUTCOME_OK;
	case MSR_FIXED_CTR_CTRL:
		return write_control(&f->fixed_ctrl, bits_low(MACHINE_FIXED * CTRL_BITS), value);
	case MSR_PERF_GLOBAL_CTRL:
		return write_control(&f->global_ctrl, programmable | fixed, value);
	default:
		if (msr < MSR_FIXED_CTR0 || msr > MSR_FIXED_CTR2)
			return OUTCOME_GP;	/* PLATFORM_INFO cannot be written either */
		return write_control(&f->value[msr - MSR_FIXED_CTR0], bits_low(COUNTER_WIDTH),
				     value);
	}
}
