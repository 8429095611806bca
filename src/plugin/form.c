/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes before an opcode, and where the operands of each opcode are. */
#include "form.h"

static const char one_byte[257] =
	"MMRRaa..MMRRaa.."	/* 00 */
	"MMRRaa..MMRRaa.."	/* 10 */
	"MMRRaa..MMRRaa.."	/* 20 */
	"MMRRaa..cccc...."	/* 30 */
	"................"	/* 40 */
	"PPPPPPPPpppppppp"	/* 50 */
	"...r....PrProooo"	/* 60 */
	"................"	/* 70 */
	"1111ccXXwwrroLoo"	/* 80 */
	"xxxxxxxxa...Po.."	/* 90 */
	"oooossss..ssssss"	/* a0 */
	"kkkkkkkkkkkkkkkk"	/* b0 */
	"IItt..iioloooooo"	/* c0 */
	"IIII...ooooooooo"	/* d0 */
	"........C......."	/* e0 */
	"......33......44";	/* f0 */

static const char map_0f[257] =
	"oo.............o"	/* 00 */
	"vVvVvvvVh......."	/* 10 */
	"........vVvSggvv"	/* 20 */
	"................"	/* 30 */
	"RRRRRRRRRRRRRRRR"	/* 40 */
	"gvvvvvvvvvvvvvvv"	/* 50 */
	"vvvvvvvvvvvvvvvv"	/* 60 */
	"v...vvv.vvvvvvDV"	/* 70 */
	"................"	/* 80 */
	"eeeeeeeeeeeeeeee"	/* 90 */
	"oo.ooo..oo.oooAR"	/* a0 */
	"MMoooorrr.oorrrr"	/* b0 */
	"ddvSvgvobbbbbbbb"	/* c0 */
	"vvvvvvVgvvvvvvvv"	/* d0 */
	"vvvvvvvSvvvvvvvv"	/* e0 */
	"vvvvvvvovvvvvvv.";	/* f0 */

static void read_legacy(struct cursor *c)
{
	for (; c->at < c->end; c->at++) {
		switch (*c->at) {
		case 0xf0:
			c->locked = true;
			break;
		case 0xf2: case 0xf3:
			c->rep = *c->at;
			break;
		case 0x66:
			c->opsize = true;
			break;
		case 0x64: case 0x65:
			c->segment = true;
			break;
		case 0x67:
			c->narrow = true;
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e:
			break;
		default:
			if ((*c->at & 0xf0) == 0x40)
				c->rex = *c->at++;
			return;
		}
	}
}

/* VEX stores its R, X, B inverted. */
static void read_vex(struct cursor *c)
{
	static const uint8_t rep[4] = { 0, 0, 0xf3, 0xf2 };
	bool two = form_next(c) == 0xc5;
	uint8_t b = form_next(c);

	c->vex = true;
	c->map = two ? 1 : b & 31;
	c->rex = (uint8_t)(two ? (~b >> 7 & 1) << 2 : ~b >> 5 & 7);
	if (!two) {
		b = form_next(c);
		c->rex |= (uint8_t)(b >> 4 & 8);
	}
	c->wide = b & 4;
	c->opsize = (b & 3) == 1;
	c->rep = rep[b & 3];
}

/* 62, then three bytes of which the first names the map and the second the operand size. */
static void read_evex(struct cursor *c)
{
	uint8_t map, prefix;

	form_next(c);
	map = form_next(c);
	prefix = form_next(c);
	form_next(c);
	c->vex = true;
	c->map = map & 7;
	c->opsize = (prefix & 3) == 1;
}

void form_prefixes(struct cursor *c)
{
	read_legacy(c);
	if (c->at < c->end && *c->at == 0x62) {
		read_evex(c);
	} else if (c->end - c->at >= 3 && (*c->at == 0xc5 || *c->at == 0xc4)) {
		read_vex(c);
	} else if (c->at < c->end && *c->at == 0x0f) {
		c->at++;
		c->map = 1;
		if (c->at < c->end && (*c->at == 0x38 || *c->at == 0x3a))
			c->map = *c->at++ == 0x38 ? 2 : 3;
	}
}

enum form form_of(const struct cursor *c, uint8_t op)
{
	switch (c->map) {
	case 0:
		return (enum form)one_byte[op];
	case 1:
		return (enum form)map_0f[op];
	case 2:
		/* vmaskmovps and vmaskmovpd, both ways: which elements there are is in a mask */
		if (op >= 0x2c && op <= 0x2f)
			return F_OTHER;
		if (op < 0x80)
			return F_VLOAD;
		if (op >= 0xf0 && op <= 0xf1)
			return c->rep || op == 0xf0 ? F_MOV_R_RM : F_OTHER;
		return op >= 0xf2 && op <= 0xf7 && c->vex ? F_MOV_R_RM : F_OTHER;
	default:
		return op >= 0x14 && op <= 0x17 ? F_OTHER : op == 0xf0 ? F_MOV_R_RM : F_OTHER;
	}
}
