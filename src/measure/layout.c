/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the catalogue says of a box type, in the form in which measuring asks for it: the fields of the
 * control, what is set when nobody says otherwise.
 */
#include <string.h>

#include "base/bits.h"
#include "catalog/find.h"
#include "measure/names.h"

const struct cat_field *names_field_of(const struct cat_reg *reg, struct span name)
{
	const struct cat_field *fields = cat_fields + reg->field0;

	for (unsigned i = 0; i < reg->fields; i++)
		if (names_same(name, cat_str(fields[i].name)) ||
		    names_same(name, cat_str(fields[i].as)))
			return fields + i;
	return NULL;
}

uint32_t names_role(unsigned type, enum cat_role role)
{
	const struct cat_type *t = cat_types + type;

	for (unsigned i = t->reg0; i < (unsigned)t->reg0 + t->regs; i++)
		if (cat_regs[i].role == role)
			return i;
	return NAMES_NONE;
}

static struct names_field field(uint32_t reg, const char *name)
{
	if (reg == NAMES_NONE)
		return (struct names_field){ 0 };

	const struct cat_field *f = names_field_of(cat_regs + reg, (struct span){ name, strlen(name) });

	if (!f)
		return (struct names_field){ 0 };
	return (struct names_field){ f->lo, (uint8_t)(f->hi - f->lo + 1) };
}

/* "Reserved, must be written as 1" is kept by the register though it means nothing; a freeze is
 * obeyed only with frz_en. */
static uint64_t always_ones(uint32_t reg)
{
	const struct cat_field *freezes = reg == NAMES_NONE ? NULL : cat_reg_field(cat_regs + reg, "frz_en");

	if (reg == NAMES_NONE)
		return 0;
	return cat_wanted_ones(cat_regs + reg) | (freezes ? bits_mask(freezes->hi, freezes->lo) : 0);
}

static uint64_t presets_of(uint32_t reg)
{
	return reg == NAMES_NONE ? 0 : cat_presets(cat_regs + reg);
}

/* Where events name their counters by the numbers of the controls. */
static unsigned first_counter(uint32_t ctl)
{
	if (ctl == NAMES_NONE || cat_windows[cat_regs[ctl].window].space != CAT_PMC)
		return 0;
	return cat_numbers[cat_regs[ctl].offset0];
}

void names_fill_layout(struct names_type *l, unsigned type)
{
	l->ctl = names_role(type, CAT_CTL);
	l->ctr = names_role(type, CAT_CTR);
	l->box_ctl = names_role(type, CAT_BOX_CTL);
	l->status = names_role(type, CAT_STATUS);
	l->fixed_ctl = names_role(type, CAT_FIXED_CTL);
	l->fixed_ctr = names_role(type, CAT_FIXED_CTR);
	l->ev_sel = field(l->ctl, "ev_sel");
	l->ev_sel_ext = field(l->ctl, "ev_sel_ext");
	l->umask = field(l->ctl, "umask");
	l->occ_sel = field(l->ctl, "occ_sel");
	l->ev_sel_alt = field(l->ctl, "ev_sel_alt");
	l->pages = l->ev_sel_ext.width || l->ev_sel_alt.width;
	l->thresh = field(l->ctl, "thresh");
	l->invert = field(l->ctl, "invert");
	l->edge_det = field(l->ctl, "edge_det");
	l->en = field(l->ctl, "en");
	l->ov_en = field(l->ctl, "ov_en");
	l->tid_en = field(l->ctl, "tid_en");
	l->rst = field(l->ctl, "rst");
	l->frz = field(l->box_ctl, "frz");
	l->rst_ctrs = field(l->box_ctl, "rst_ctrs");
	l->rst_ctrl = field(l->box_ctl, "rst_ctrl");
	l->status_frz = field(l->status, "frz");
	l->fixed_en = field(l->fixed_ctl, "en");
	l->fixed_rst = field(l->fixed_ctl, "rst");
	l->box_ones = always_ones(l->box_ctl) | presets_of(l->box_ctl);
	l->presets = presets_of(l->ctl);
	l->counter0 = first_counter(l->ctl);
	l->counters = (uint32_t)bits_low(cat_types[type].counters);
	for (unsigned i = 0; i < cat_types[type].events; i++) {
		const struct cat_event *e = cat_events + cat_types[type].event0 + i;

		l->joined |= l->ev_sel.width && !l->ev_sel_ext.width && e->code >> l->ev_sel.width;
		l->dotted |= strchr(cat_str(e->name), '.') != NULL;
	}
	for (unsigned i = 0; i < cat_types[type].regs; i++)
		for (unsigned k = 0; k < cat_regs[cat_types[type].reg0 + i].fields; k++)
			l->narrowed |= cat_fields[cat_regs[cat_types[type].reg0 + i].field0 + k].narrows != 0;
}

uint64_t names_put_code(const struct names_type *l, uint64_t control, uint32_t code, unsigned ext)
{
	if (l->joined) {
		control = names_put(control, l->umask, code);
		code >>= l->umask.width;
	}
	control = names_put(control, ext && l->ev_sel_alt.width ? l->ev_sel_alt : l->ev_sel, code);
	return names_put(control, l->ev_sel_ext, ext);
}

const struct cat_field *names_any_field(unsigned type, struct span name, unsigned *reg)
{
	const struct cat_type *t = cat_types + type;
	const char *dot = memrchr(name.s, '.', name.n);
	struct span owner = { name.s, dot ? (size_t)(dot - name.s) : 0 };

	if (dot)
		name = (struct span){ dot + 1, name.n - owner.n - 1 };
	for (unsigned i = t->reg0; i < (unsigned)t->reg0 + t->regs; i++) {
		if (dot && !names_same(owner, cat_str(cat_regs[i].name)))
			continue;
		for (unsigned k = 0; k < cat_regs[i].fields; k++) {
			const struct cat_field *f = cat_fields + cat_regs[i].field0 + k;

			if (f->attr == CAT_RV || !names_same(name, cat_str(f->name)))
				continue;
			*reg = i;
			return f;
		}
	}
	return NULL;
}

bool names_next(struct span *list, struct span *word)
{
	const char *comma;

	if (!list->s || !list->n)
		return false;
	comma = memchr(list->s, ',', list->n);
	*word = (struct span){ list->s, comma ? (size_t)(comma - list->s) : list->n };
	list->s += word->n + (comma != NULL);
	list->n -= word->n + (comma != NULL);
	return true;
}
