/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The register file: one read and one write for all families, by the masks of the
 * catalogue; what a write sets off goes by the role of the register.
 */
#include <string.h>

#include "catalog/find.h"
#include "pmu/engine.h"
#include "pmu/xeon.h"

enum { PCI_SPACE = 4096 };	/* bytes of configuration space of a function */

static uint64_t key_of(const struct pmu_address *at, uint32_t offset)
{
	return (uint64_t)at->space << 60 | (uint64_t)at->bus << 56 | (uint64_t)at->base << 32 |
	       offset;
}

/* The slot at an address, or the last one before it; NULL: it is before all. */
static const struct pmu_slot *slot_before(const struct pmu *p, uint64_t key)
{
	unsigned lo = 0, hi = p->keys;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (p->by_key[mid].key <= key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &p->by_key[lo - 1] : NULL;
}

/* The register that covers a byte of configuration space, or NULL. */
static const struct pmu_slot *slot_of_byte(const struct pmu *p, const struct pmu_address *at,
					   uint32_t offset)
{
	uint64_t key = key_of(at, offset);
	const struct pmu_slot *s = slot_before(p, key);

	return s && key - s->key < cat_regs[s->reg].width / 8u ? s : NULL;
}

static const struct pmu_slot *slot_exact(const struct pmu *p, const struct pmu_address *at)
{
	bool cpu = at->space == CAT_CPU;
	uint64_t key = key_of(at, at->offset) - (cpu ? (uint64_t)at->base << 32 : 0);
	const struct pmu_slot *s = slot_before(p, key);
	const struct pmu_type *t;

	if (!s || s->key != key)
		return NULL;
	if (!cpu)
		return s;
	t = p->socket[0].box[s->box].type;
	return at->base < t->boxes ? &p->by_slot[s->slot + at->base * t->slots] : NULL;
}

struct counter *pmu_counter_of(struct box *b, uint32_t slot)
{
	for (unsigned i = 0; i < b->type->counters; i++)
		if (b->counter[i].ctr == slot)
			return &b->counter[i];
	return NULL;
}

struct counter *pmu_counter_of_control(struct box *b, uint32_t slot)
{
	for (unsigned i = 0; i < b->type->counters; i++)
		if (b->counter[i].ctl == slot)
			return &b->counter[i];
	return NULL;
}

static bool is_counter(const struct cat_reg *r)
{
	return r->role == CAT_CTR || r->role == CAT_FIXED_CTR || r->role == CAT_FREE;
}

/* Of a register that several logical CPUs share, the first of them keeps it. */
static const struct pmu_slot *slot_kept(const struct pmu *p, const struct pmu_slot *slot)
{
	const struct box *b = &p->socket[0].box[slot->box];
	unsigned per = cat_regs[slot->reg].per, owner;

	if (per == CAT_PER_THREAD)
		return slot;
	owner = per == CAT_PER_CORE ? b->index % p->cores : 0;
	return &p->by_slot[slot->slot - (b->index - owner) * b->type->slots];
}

/* The register at an address outside configuration space; NULL: there is none. */
static const struct pmu_slot *slot_there(const struct pmu *p, const struct pmu_address *at)
{
	const struct pmu_slot *slot = slot_exact(p, at);
	const struct box *b = slot ? &p->socket[at->socket].box[slot->box] : NULL;

	if (!b || (b->type->reg->there && !b->type->reg->there(b, slot->slot)))
		return NULL;
	return slot_kept(p, slot);
}

static uint64_t slot_read(struct socket *s, const struct pmu_slot *slot)
{
	const struct cat_reg *r = &cat_regs[slot->reg];

	struct box *b = &s->box[slot->box];
	uint64_t value = is_counter(r) ? pmu_counter_of(b, slot->slot)->value : s->value[slot->slot];

	if (b->type->reg->shown)
		value = b->type->reg->shown(b, slot->slot, value);
	return value & r->read;
}

/* What a write sets off.  written: the bits that were written as 1, before any mask. */

/* A box control with frz_en obeys frz only while that is set.  Both hold what was written. */
static void write_box_ctl(struct box *b, uint64_t held, uint64_t written)
{
	const struct pmu_type *t = b->type;
	bool obeys = t->frz_en.width == 0 || pmu_bits_get(held, t->frz_en);
	bool ctrs = written & pmu_bits_mask(t->rst_ctrs);
	bool ctrl = written & pmu_bits_mask(t->rst_ctrl);

	b->frozen = obeys && pmu_bits_get(held, t->frz);
	for (unsigned i = 0; i < t->counters; i++) {
		struct counter *c = &b->counter[i];

		if (c->kind == COUNTER_FREE)
			continue;
		if (ctrs)
			c->value = 0;
		if (ctrl && c->ctl != PMU_NO_SLOT)
			b->socket->value[c->ctl] = 0;
	}
	if (ctrl)
		pmu_bind_all(b);
}

/* Does counter c count what counter 0 counts? */
static bool follows(const struct box *b, const struct counter *c)
{
	struct pmu_selection s;
	const struct cat_event *e;

	if (c->kind != COUNTER_PROGRAMMED)
		return false;
	s = pmu_decode(b->type, b->socket->value[c->ctl]);
	e = cat_event_of_code(b->type->cat, s.code, s.ext, UINT32_C(1) << c->bit);
	return e && e->binding == CAT_BIND_COUNTER0;
}

static void write_ctl(struct box *b, uint32_t slot, uint64_t written, uint64_t changed)
{
	struct counter *c = pmu_counter_of_control(b, slot);
	const struct pmu_ctl_layout *l;

	if (!c)
		return;
	l = c->kind == COUNTER_FIXED ? &b->type->fixed_ctl : &b->type->ctl;
	if (written & pmu_bits_mask(l->rst))
		c->value = 0;
	c->ov_en = pmu_bits_get(b->socket->value[slot], l->ov_en);
	c->held = pmu_bits_get(b->socket->value[slot], l->rst);
	if (!(changed & ~pmu_bits_mask(l->ov_en) & ~pmu_bits_mask(l->rst)))
		return;
	pmu_bind(b, c);
	if (c->kind != COUNTER_PROGRAMMED || c->number != 0)
		return;
	for (unsigned i = 0; i < b->type->counters; i++)
		if (&b->counter[i] != c && follows(b, &b->counter[i]))
			pmu_bind(b, &b->counter[i]);
}

static void write_filter(struct box *b, uint32_t slot, uint64_t changed)
{
	bool latched = b->latch.live == &b->socket->value[slot];

	if (!b->type->filtered)
		return;
	for (unsigned i = 0; changed && !latched && i < b->type->counters; i++)
		if (b->counter[i].kind == COUNTER_PROGRAMMED)
			pmu_bind(b, &b->counter[i]);
}

/* Both strobes at once freeze. */
static void write_global_ctl(struct socket *s, const struct cat_reg *r, uint64_t written)
{
	const struct cat_field *frz = cat_reg_field(r, "frz_all");
	const struct cat_field *unfrz = cat_reg_field(r, "unfrz_all");

	if (unfrz && bits_get(written, unfrz->hi, unfrz->lo))
		s->frozen = false;
	if (frz && bits_get(written, frz->hi, frz->lo))
		s->frozen = true;
}

/* A bit of the status beside it for each 1 that is written. */
static void write_clear(struct box *b, uint64_t written)
{
	const struct pmu_type *t = b->type;
	uint32_t slot = t->status_slot == PMU_NO_SLOT ? b->socket->pmu->global_status :
			b->slot0 + t->status_slot;

	if (slot != PMU_NO_SLOT)
		b->socket->value[slot] &= ~written;
}

static enum outcome slot_write(struct socket *s, const struct pmu_slot *slot, uint64_t value,
			       uint64_t touched)
{
	const struct cat_reg *r = &cat_regs[slot->reg];
	struct box *b = &s->box[slot->box];
	struct counter *c = is_counter(r) ? pmu_counter_of(b, slot->slot) : NULL;
	uint64_t old = c ? c->value : s->value[slot->slot];
	uint64_t stored = r->write & touched;
	uint64_t new = (old & ~stored) | (value & stored);

	value &= touched & bits_low(r->width);
	if (value & r->gp || r->read_only || (r->same && (value ^ slot_read(s, slot)) & r->same) ||
	    (b->type->reg->locked && b->type->reg->locked(b, slot->slot, value)))
		return OUTCOME_GP;
	new &= ~(value & r->w1c);
	if (c) {
		c->value = c->held ? 0 : new & bits_low(c->width);
		if (b->type->reg->wrote)
			b->type->reg->wrote(b, slot->slot, old, value);
		pmu_arm(s);
		return OUTCOME_OK;
	}
	s->value[slot->slot] = new;
	switch (r->role) {
	case CAT_BOX_CTL:
		write_box_ctl(b, new, value);
		break;
	case CAT_CTL:
	case CAT_FIXED_CTL:
		write_ctl(b, slot->slot, value, old ^ new);
		break;
	case CAT_FILTER:
		write_filter(b, slot->slot, old ^ new);
		break;
	case CAT_GLOBAL_CTL:
		write_global_ctl(s, r, value);
		break;
	case CAT_OVF_CTL:
		write_clear(b, value);
		break;
	default:
		break;
	}
	if (b->type->reg->wrote)
		b->type->reg->wrote(b, slot->slot, old, value);
	pmu_arm(s);
	return OUTCOME_OK;
}

/* Has the catalogue a window in this function of configuration space, and is its box there? */
enum window { WINDOW_NONE, WINDOW_PRESENT, WINDOW_ABSENT };

static enum window window_at(const struct pmu *p, enum cat_bus bus, uint32_t base)
{
	for (unsigned t = 0; t < p->family->types; t++) {
		const struct cat_type *cat = p->type[t].cat;

		for (unsigned n = 0; n < cat->windows * (unsigned)cat->boxes; n++) {
			const struct cat_window *w = &cat_windows[cat->window0 + n / cat->boxes];
			unsigned box = n % cat->boxes;

			if (w->space != CAT_PCI || w->bus != bus ||
			    cat_numbers[w->base0 + box] != base)
				continue;
			return box < p->type[t].boxes ? WINDOW_PRESENT : WINDOW_ABSENT;
		}
	}
	return WINDOW_NONE;
}

static bool function_exists(const struct pmu *p, const struct pmu_address *at)
{
	enum window w = window_at(p, at->bus, at->base);
	uint32_t ignored;

	if (w != WINDOW_NONE)
		return w == WINDOW_PRESENT;
	return pmu_config(p, at->socket, at->bus, at->base, 0, &ignored);
}

static uint8_t config_byte(const struct pmu *p, const struct pmu_address *at, uint32_t offset)
{
	uint32_t dword = 0;

	pmu_config(p, at->socket, at->bus, at->base, offset & ~3u, &dword);
	return (uint8_t)(dword >> 8 * (offset & 3));
}

static bool in_config_space(const struct pmu *p, const struct pmu_address *at)
{
	return at->offset <= PCI_SPACE - at->width / 8u && function_exists(p, at);
}

static enum outcome pci_read(struct pmu *p, const struct pmu_address *at, uint64_t *value)
{
	struct socket *s = &p->socket[at->socket];
	uint64_t got = 0;

	*value = bits_low(at->width);
	if (!in_config_space(p, at))
		return OUTCOME_NONE;
	for (unsigned i = 0; i < at->width / 8u; i++) {
		const struct pmu_slot *slot = slot_of_byte(p, at, at->offset + i);
		uint64_t byte;

		if (slot)
			byte = slot_read(s, slot) >> 8 * (key_of(at, at->offset + i) - slot->key);
		else
			byte = config_byte(p, at, at->offset + i);
		got |= (byte & 0xff) << 8 * i;
	}
	*value = got;
	return OUTCOME_OK;
}

/* A write of several registers is one of each, lowest address first. */
static enum outcome pci_write(struct pmu *p, const struct pmu_address *at, uint64_t value)
{
	struct socket *s = &p->socket[at->socket];
	unsigned i = 0, n = at->width / 8u;

	if (!in_config_space(p, at))
		return OUTCOME_NONE;
	while (i < n) {
		const struct pmu_slot *slot = slot_of_byte(p, at, at->offset + i);
		uint64_t part = 0, touched = 0;

		if (!slot) {
			i++;
			continue;
		}
		for (; i < n && slot_of_byte(p, at, at->offset + i) == slot; i++) {
			unsigned shift = (unsigned)(8 * (key_of(at, at->offset + i) - slot->key));

			part |= (value >> 8 * i & 0xff) << shift;
			touched |= UINT64_C(0xff) << shift;
		}
		slot_write(s, slot, part, touched);
	}
	return OUTCOME_OK;
}

int pmu_set(struct pmu *p, const struct pmu_box *box, const char *reg, uint64_t value)
{
	const struct pmu_slot *slot;
	struct pmu_address at;

	if (pmu_find_register(p, box, reg, strlen(reg), &at) < 0)
		return BXS_ENOENT;
	slot = slot_exact(p, &at);
	if (!slot)
		return BXS_ENOENT;
	p->socket[box->socket].value[slot->slot] = value & bits_low(cat_regs[slot->reg].width);
	return 0;
}

/*
 * Of registers that belong to a thread all 256 numbers may be read and written: those that do
 * not exist read 0 and ignore writes (Itanium Architecture manual, volume 2, 7.2).
 */
static enum outcome nowhere(const struct pmu *p, const struct pmu_address *at, uint64_t *value)
{
	uint64_t key = key_of(at, UINT32_MAX);
	const struct pmu_slot *last;

	if (at->space != CAT_PMC && at->space != CAT_PMD)
		return OUTCOME_GP;
	last = slot_before(p, key);
	if (!last || last->key >> 32 != key >> 32)
		return OUTCOME_GP;
	*value = 0;
	return OUTCOME_OK;
}

static bool valid(const struct pmu *p, const struct pmu_address *at)
{
	return at->socket < p->sockets && (at->width == 8 || at->width == 16 || at->width == 32 ||
					   at->width == 64);
}

enum outcome pmu_read(struct pmu *p, const struct pmu_address *at, uint64_t *value)
{
	const struct pmu_slot *slot;

	if (!valid(p, at)) {
		*value = UINT64_MAX;
		return OUTCOME_NONE;
	}
	if (at->space == CAT_PCI)
		return pci_read(p, at, value);
	slot = slot_there(p, at);
	if (!slot)
		return nowhere(p, at, value);
	*value = slot_read(&p->socket[at->socket], slot);
	return OUTCOME_OK;
}

bool pmu_undefined(const struct pmu *p, const struct pmu_address *at)
{
	const struct pmu_slot *slot = valid(p, at) && at->space != CAT_PCI ? slot_exact(p, at) : NULL;
	const struct box *b = slot ? &p->socket[at->socket].box[slot->box] : NULL;

	return b && b->type->reg->undefined && b->type->reg->undefined(b, slot->slot);
}

bool pmu_stopped(const struct pmu *p, unsigned socket)
{
	return p->socket[socket].frozen;
}

enum outcome pmu_write(struct pmu *p, const struct pmu_address *at, uint64_t value)
{
	const struct pmu_slot *slot;

	if (!valid(p, at))
		return OUTCOME_NONE;
	if (at->space == CAT_PCI)
		return pci_write(p, at, value);
	slot = slot_there(p, at);
	if (!slot)
		return nowhere(p, at, &value);
	return slot_write(&p->socket[at->socket], slot, value, UINT64_MAX);
}
