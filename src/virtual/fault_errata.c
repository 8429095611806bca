/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errata and quirks that some hardware has and our machine has not by itself (docs/reference/errata.md says which and why): each
 * can be switched on.
 */
#include <string.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "catalog/find.h"
#include "machine/machine.h"
#include "virtual/decode.h"
#include "virtual/fault.h"
#include "virtual/fault_private.h"

/* The register at an address, if it plays that role in a box of that type; NULL: another. */
static const struct cat_reg *register_at(const struct fault *f, const struct virtual_event *e, const char *type,
					 enum cat_role role)
{
	const struct decode_register *r = decode_find(f->decode, e->at);

	return r && r->reg->role == role && strcmp(cat_str(r->type->name), type) == 0 ? r->reg : NULL;
}

static bool same_place(const struct access_address *a, const struct access_address *b)
{
	return a->space == b->space && a->socket == b->socket && a->bus == b->bus && a->base == b->base &&
	       a->offset == b->offset;
}

/* A box control of an SBo faults when a write sets more than one bit that was not set: Linux sets them one by one. */
static bool sbo_gp(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
		   uint64_t *value)
{
	uint64_t fresh = same_place(&f->last, e->at) ? *value & ~f->held : *value;

	(void)m;
	if (!e->write || !register_at(f, e, "sbo", CAT_BOX_CTL))
		return false;
	if (fresh & (fresh - 1)) {
		*outcome = BXS_EFAULT;
		return true;
	}
	f->last = *e->at;
	f->held = *value;
	return false;
}

/* Controls of the boxes at the ring stops take a new event only when they are written twice in a row. */
static bool write_twice(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
			uint64_t *value)
{
	const struct decode_register *r = e->write ? decode_find(f->decode, e->at) : NULL;
	const struct cat_field *select = r && decode_twice(m, r) ? cat_reg_field(r->reg, "ev_sel") : NULL;
	uint64_t old;

	if (!select || access_read(machine_registers(m), e->at, &old) < 0)
		return false;
	if (f->waits && same_place(&f->last, e->at) &&
	    bits_get(f->last_value, select->hi, select->lo) == bits_get(*value, select->hi, select->lo)) {
		f->waits = false;
		return false;
	}
	f->waits = true;
	f->last = *e->at;
	f->last_value = *value;
	old = bits_get(old, select->hi, select->lo);
	*outcome = access_write(machine_registers(m), e->at, bits_put(*value, select->hi, select->lo, old));
	return true;
}

/* A counter of the WBox read with its low 24 bits 0 or 1 is 0x1000000 too great. */
static bool wbox_read(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
		      uint64_t *value)
{
	if (e->write || (!register_at(f, e, "wbox", CAT_CTR) && !register_at(f, e, "wbox", CAT_FIXED_CTR)))
		return false;
	*outcome = access_read(machine_registers(m), e->at, value);
	if (*outcome == 0 && (*value & bits_low(24)) <= 1)
		*value = (*value + (UINT64_C(1) << 24)) & bits_low(48);
	return true;
}

static const struct erratum {
	const char *name, *family, *text;
	bool (*act)(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome,
		    uint64_t *value);
} errata[] = {
	{ "sbo-gp", "hsx", "a box control of an SBo faults when several bits are set at once", sbo_gp },
	{ "write-twice", "hsx", "controls of sbo, r2pcie and r3qpi take a new event at the second write",
	  write_twice },
	{ "wbox-read", "nhmex", "a WBox counter with its low 24 bits 0 or 1 reads 0x1000000 too great",
	  wbox_read },
};

const char *fault_erratum(unsigned n, const char **family, const char **text)
{
	if (n >= LEN(errata))
		return NULL;
	*family = errata[n].family;
	*text = errata[n].text;
	return errata[n].name;
}

static const char *erratum_name(const void *ctx, unsigned n)
{
	(void)ctx;
	return errata[n].name;
}

int fault_parse_erratum(struct fault *f, struct machine *m, const char *text, const struct complaint *c)
{
	const char *family = cat_str(machine_spec(m)->family->name);
	int near;

	for (size_t i = 0; i < LEN(errata); i++) {
		if (strcmp(errata[i].name, text) != 0)
			continue;
		f->act = errata[i].act;
		return strcmp(errata[i].family, family) == 0 ? 0 :
		       complain(c, BXS_ENOENT, "erratum=%s: it is one of %s, not of %s", text, errata[i].family,
				family);
	}
	near = cat_nearest(text, strlen(text), LEN(errata), erratum_name, NULL);
	return complain(c, BXS_ENOENT, "erratum=%s: there are sbo-gp, write-twice (hsx) and wbox-read (nhmex)%s%s%s", text,
			near >= 0 ? "; did you mean " : "", near >= 0 ? errata[near].name : "", near >= 0 ? "?" : "");
}
