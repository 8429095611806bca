/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what faults are wanted and tells the hardware. */
#include "machine/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "machine/options.h"
#include "machine/private.h"

enum kind { RATE, SPELL, NUMBER };

enum fault {
#define X(id, name, kind, text) FAULT_##id,
	FAULTS_KEYS(X)
#undef X
	FAULTS,
};

static const struct spec_key_info keys[FAULTS] = {
#define X(id, name_, kind, text_) [FAULT_##id] = { .name = name_, .text = text_, .most = UINT64_MAX - 1 },
	FAULTS_KEYS(X)
#undef X
};

static const uint8_t kinds[FAULTS] = {
#define X(id, name, kind, text) [FAULT_##id] = kind,
	FAULTS_KEYS(X)
#undef X
};

struct wanted {
	uint64_t rate[FAULTS];		/* hits of 2^64 tries */
	struct { uint64_t from, length, period; } spell[FAULTS];
	uint64_t number[FAULTS];
	uint64_t given;			/* a bit each */
};

static int bad(const struct complaint *c, enum fault f, const struct options_word *v, const char *right)
{
	return complain(c, BXS_EINVAL, "%s=%.*s: has to be %s", keys[f].name, (int)v->len, v->s, right);
}

static int take_rate(struct wanted *w, enum fault f, const struct options_word *v, const struct complaint *c)
{
	char text[32], *end;
	double rate;

	if (v->len == 0 || v->len >= sizeof text || !strchr(".0123456789", v->s[0]))
		return bad(c, f, v, "a probability, such as 1e-6");
	memcpy(text, v->s, v->len);
	text[v->len] = '\0';
	rate = strtod(text, &end);
	if (*end || !(rate >= 0) || rate > 1 || strpbrk(text, "xX"))
		return bad(c, f, v, "a probability from 0 to 1, such as 1e-6");
	w->rate[f] = rate == 1 ? UINT64_MAX : (uint64_t)ldexp(rate, 64);
	return 0;
}

static int take_spell(struct wanted *w, enum fault f, const struct options_word *v, const struct complaint *c)
{
	static const char right[] = "a time and a length, such as 1ms+200us, and a longer period, such as 1ms+200us/2ms";
	const char *s = v->s, *end = v->s + v->len;
	uint64_t from, length, period = 0;

	if (!options_time(&s, end, &from) || s == end || *s++ != '+' || !options_time(&s, end, &length) || !length)
		return bad(c, f, v, right);
	if (s < end && (*s++ != '/' || !options_time(&s, end, &period) || period <= length))
		return bad(c, f, v, right);
	if (s != end)
		return bad(c, f, v, right);
	w->spell[f].from = from;
	w->spell[f].length = length;
	w->spell[f].period = period;
	return 0;
}

static int parse(const char *text, struct wanted *w, const struct complaint *c)
{
	struct options options = { .what = "faults", .keys = keys, .n = FAULTS };
	struct options_word value;
	int key, err = 0;

	if (!*text)
		return complain(c, BXS_EINVAL, "no fault; name one: ecc=1e-6");
	while (err == 0 && (key = options_next(&options, &text, &value, c)) != -1) {
		if (key < 0)
			err = options_error(key);
		else if (kinds[key] == RATE)
			err = take_rate(w, (enum fault)key, &value, c);
		else if (kinds[key] == SPELL)
			err = take_spell(w, (enum fault)key, &value, c);
		else
			err = options_value(&keys[key], &value, &w->number[key], c);
		if (key >= 0 && kinds[key] != NUMBER)
			w->given |= UINT64_C(1) << key;
	}
	return err;
}

/* ECC has corrected a read of a socket: its cores hear of it. */
static void corrected(void *ctx, unsigned socket, uint64_t when)
{
	struct machine *m = ctx;

	ubox_tell_core(fabric_ubox(m->fabric, socket), UBOX_MACHINE_CHECK, when);
}

static void apply_chances(struct machine *m, const struct wanted *w)
{
	unsigned each = (unsigned)m->spec.value[SPEC_HAS] * HA_CHANNELS;

	for (unsigned i = 0; i < LEN(m->imc); i++) {
		if (m->imc[i] && w->rate[FAULT_VMSE])
			imc_link_errors(m->imc[i], chance_start(w->rate[FAULT_VMSE], w->number[FAULT_SEED], i));
		if (m->imc[i] && w->rate[FAULT_ECC])
			imc_errors(m->imc[i], chance_start(w->rate[FAULT_ECC], w->number[FAULT_SEED], i), corrected, m, i / each);
	}
}

/* The ranks of module `dimm` of a channel, or of all. */
static unsigned ranks_of(const struct machine *m, uint64_t dimm)
{
	unsigned each = (unsigned)m->spec.value[SPEC_RANKS];

	return dimm == UINT64_MAX ? (unsigned)bits_low(DRAM_MAX_RANKS) : (unsigned)(bits_low(each) << dimm * each);
}

static void throttle(struct machine *m, enum imc_cause cause, unsigned ranks, uint64_t from, uint64_t length, uint64_t period)
{
	for (unsigned k = 0; k < LEN(m->imc); k++)
		if (m->imc[k])
			imc_throttle(m->imc[k], cause, ranks, from, length, period);
	if (m->p9500)
		p9500_throttle(m->p9500, cause, ranks, from, length, period);
}

static void apply_throttling(struct machine *m, const struct wanted *w, uint64_t now)
{
	/* Who finds that something off the die is too hot throttles memory, too. */
	static const struct { uint8_t fault, cause; } spells[] = {
		{ FAULT_MEMHOT, IMC_TOO_HOT }, { FAULT_MEMCRITICAL, IMC_CRITICAL }, { FAULT_PROCHOT, IMC_PCU },
	};

	for (unsigned i = 0; i < LEN(spells); i++)
		if (w->spell[spells[i].fault].length)
			throttle(m, (enum imc_cause)spells[i].cause, ranks_of(m, w->number[FAULT_MEMDIMM]),
				 now + w->spell[spells[i].fault].from, w->spell[spells[i].fault].length,
				 w->spell[spells[i].fault].period);
}

/* What memory controllers of an Itanium machine know beside. */
static void apply_itanium(struct machine *m, const struct wanted *w, uint64_t now)
{
	static const struct { uint8_t fault, kind; } rates[] = {
		{ FAULT_ECC, ZBOX_ECC }, { FAULT_REREAD, ZBOX_REREAD }, { FAULT_SMI, ZBOX_FRAMES }, { FAULT_BUFFER, ZBOX_BUFFERS },
	};
	uint64_t dimm = w->number[FAULT_MEMDIMM];
	unsigned modules = dimm == UINT64_MAX ? (unsigned)bits_low((unsigned)m->spec.value[SPEC_DIMMS]) : 1u << dimm;

	for (unsigned i = 0; i < LEN(rates); i++)
		if (w->given >> rates[i].fault & 1)
			p9500_memory_fault(m->p9500, (enum zbox_fault)rates[i].kind, w->rate[rates[i].fault],
					   w->number[FAULT_SEED]);
	if (w->spell[FAULT_MEMHOT].length)
		p9500_heat(m->p9500, modules, now + w->spell[FAULT_MEMHOT].from, w->spell[FAULT_MEMHOT].length,
			   w->spell[FAULT_MEMHOT].period);
}

bool machine_fault_has(const char *name, size_t len)
{
	for (unsigned f = 0; f < FAULTS; f++)
		if (strlen(keys[f].name) == len && memcmp(keys[f].name, name, len) == 0)
			return true;
	return false;
}

static void apply_reread(struct machine *m, const struct wanted *w)
{
	for (unsigned i = 0; i < LEN(m->ha); i++)
		if (m->ha[i])
			ha_errors(m->ha[i], chance_start(w->rate[FAULT_REREAD], w->number[FAULT_SEED], i));
}

#define BIT(fault) (UINT64_C(1) << FAULT_##fault)

/* What an Itanium machine has that could fail. */
static const uint64_t of_itanium = BIT(ECC) | BIT(REREAD) | BIT(SMI) | BIT(BUFFER) | BIT(THERMAL) | BIT(PROCHOT) |
				   BIT(VRHOT) | BIT(MEMHOT) | BIT(MEMCRITICAL);

static int check_itanium(const struct wanted *w, const struct complaint *c)
{
	for (unsigned f = 0; f < FAULTS; f++)
		if (w->given >> f & 1 && !(of_itanium >> f & 1))
			return complain(c, BXS_ENOTSUP, "%s: this machine has nothing that could fail so", keys[f].name);
	return 0;
}

/* Has the machine what is to fail, and does nobody ask for it twice?  Asked of all faults before the first happens. */
static int check(const struct machine *m, const struct wanted *w, uint64_t now, const struct complaint *c)
{
	for (unsigned f = 0; f < FAULTS; f++)
		if (now == m->faults_at && m->faults & w->given & UINT64_C(1) << f)
			return complain(c, BXS_EINVAL, "%s is given twice", keys[f].name);
	if (!m->pcu)
		return complain(c, BXS_ENOTSUP, "this machine has no hardware that could fail");
	if (m->p9500 && check_itanium(w, c) < 0)
		return BXS_ENOTSUP;
	if (!m->p9500 && w->given & (BIT(SMI) | BIT(BUFFER)))
		return complain(c, BXS_ENOTSUP, "%s: this machine has no memory controller that could tell of it",
				keys[w->given & BIT(SMI) ? FAULT_SMI : FAULT_BUFFER].name);
	if (w->rate[FAULT_VMSE] && !m->spec.value[SPEC_VMSE])
		return complain(c, BXS_ENOTSUP, "vmse-crc: this machine has no memory buffers; vmse=on has");
	if (w->number[FAULT_MEMDIMM] != UINT64_MAX && w->number[FAULT_MEMDIMM] >= m->spec.value[SPEC_DIMMS])
		return complain(c, BXS_EINVAL, "memdimm=%ju: a channel has %ju modules, from 0",
				(uintmax_t)w->number[FAULT_MEMDIMM], (uintmax_t)m->spec.value[SPEC_DIMMS]);
	if (w->number[FAULT_MEMDIMM] != UINT64_MAX && !w->spell[FAULT_MEMHOT].length)
		return complain(c, BXS_EINVAL, "memdimm=%ju: says which module is hot, but not when: memhot= is missing",
				(uintmax_t)w->number[FAULT_MEMDIMM]);
	return 0;
}

int machine_fault(struct machine *m, const char *text, char *why, size_t size)
{
	static const struct { uint8_t fault, condition; } spells[] = {
		{ FAULT_THERMAL, PCU_HOT }, { FAULT_PROCHOT, PCU_OUTSIDE_HOT }, { FAULT_VRHOT, PCU_REGULATOR_HOT },
	};
	struct complaint c = { .why = why, .size = size };
	struct wanted w = { .number[FAULT_SEED] = 1, .number[FAULT_MEMDIMM] = UINT64_MAX };
	uint64_t now = machine_horizon(m);
	int err = parse(text, &w, &c);

	if (err == 0)
		err = check(m, &w, now, &c);
	if (err < 0)
		return err;
	m->faults = w.given | (now == m->faults_at ? m->faults : 0);
	m->faults_at = now;
	apply_chances(m, &w);
	if (w.rate[FAULT_REREAD])
		apply_reread(m, &w);
	if (w.rate[FAULT_CRC])
		fabric_link_errors(m->fabric, w.rate[FAULT_CRC], w.number[FAULT_SEED]);
	apply_throttling(m, &w, now);
	if (m->p9500)
		apply_itanium(m, &w, now);
	for (unsigned i = 0; i < LEN(spells); i++) {
		unsigned f = spells[i].fault;

		if (w.spell[f].length)
			pcu_expect(m->pcu, (enum pcu_condition)spells[i].condition, now + w.spell[f].from,
				   w.spell[f].length, w.spell[f].period);
	}
	m->next_close = now;
	return 0;
}
