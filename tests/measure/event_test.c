/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event strings: what the registers get, worked out by hand from the uncore manuals of HSX and,
 * where it differs, SNB-EP (control: thresh 31:24, invert 23, tid_en 19, edge 18, umask 15:8, event 7:0), and
 * what is said about strings that mean nothing.
 */
#include <string.h>

#include "base/error.h"
#include "catalog/find.h"
#include "check.h"
#include "measure/event.h"

static struct names *names;

static const struct encoding {
	int line;
	const char *text;
	uint32_t control, counters;
	int socket, box;
	const char *filter;	/* "reg[hi:lo]=value" of each setting, in order */
} encodings[] = {
	{ LINE, "cbo.CLOCKTICKS", 0x0, 0xf, -1, -1, "" },
	{ LINE, "cbo.LLC_LOOKUP.ANY", 0x1134, 0xf, -1, -1, "FILTER0[23:17]=0x7f" },
	{ LINE, "CBO.llc_lookup.any", 0x1134, 0xf, -1, -1, "FILTER0[23:17]=0x7f" },
	{ LINE, "LLC_LOOKUP", 0x1134, 0xf, -1, -1, "FILTER0[23:17]=0x7f" },
	{ LINE, "cbo3.LLC_LOOKUP.DATA_READ:state=I", 0x334, 0xf, -1, 3, "FILTER0[23:17]=0x1" },
	{ LINE, "s1.cbo17.LLC_LOOKUP.WRITE:state=M|E", 0x534, 0xf, 1, 17, "FILTER0[23:17]=0xc" },
	{ LINE, "s0.cbo.LLC_LOOKUP.WRITE:state=M+M'", 0x534, 0xf, 0, -1, "FILTER0[23:17]=0x48" },
	{ LINE, "LLC_LOOKUP.ANY:state=all", 0x1134, 0xf, -1, -1, "FILTER0[23:17]=0x7f" },
	{ LINE, "cbo.LLC_LOOKUP.NID:state=0x1,nid=2", 0x4134, 0xf, -1, -1,
	  "FILTER0[23:17]=0x1 FILTER1[15:0]=0x2" },
	{ LINE, "cbo.LLC_LOOKUP.NID:nid=other_nodes", 0x4134, 0xf, -1, -1,
	  "FILTER1[15:0]=other_nodes FILTER0[23:17]=0x7f" },
	{ LINE, "cbo.LLC_VICTIMS.M_STATE+E_STATE", 0x337, 0xf, -1, -1, "" },
	{ LINE, "cbo.LLC_VICTIMS.M_STATE|E_STATE|NID:nid=my_node", 0x4337, 0xf, -1, -1,
	  "FILTER1[15:0]=my_node" },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE:opc=0x182", 0x335, 0xf, -1, -1,
	  "FILTER1[28:20]=0x182 FILTER1[30:30]=0x0 FILTER1[31:31]=0x0 FILTER1[29:29]=0x0" },
	{ LINE, "cbo.TOR_INSERTS.OPCODE:opc=0x182,thresh=2,edge,invert,tid=0x3e", 0x028c0135, 0xf, -1,
	  -1, "FILTER1[28:20]=0x182 FILTER0[5:0]=0x3e FILTER0[9:6]=0x0 FILTER1[30:30]=0x0 "
	      "FILTER1[31:31]=0x0 FILTER1[29:29]=0x0" },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE:opc=0x187:nc=1", 0x335, 0xf, -1, -1,
	  "FILTER1[28:20]=0x187 FILTER1[30:30]=0x1 FILTER1[31:31]=0x0 FILTER1[29:29]=0x0" },
	{ LINE, "TOR_INSERTS.MISS_OPCODE{edge_det,thresh=0x1} with:Cn_MSR_PMON_BOX_FILTER1.opc=0x182",
	  0x01040335, 0xf, -1, -1,
	  "FILTER1[28:20]=0x182 FILTER1[30:30]=0x0 FILTER1[31:31]=0x0 FILTER1[29:29]=0x0" },
	{ LINE, "TOR_OCCUPANCY.NID_MISS_OPCODE with:Cn_MSR_PMON_BOX_FILTER1.{opc,nid}={0x182,my_node}",
	  0x4336, 0x1, -1, -1,
	  "FILTER1[28:20]=0x182 FILTER1[15:0]=my_node FILTER1[30:30]=0x0 FILTER1[31:31]=0x0 "
	  "FILTER1[29:29]=0x0" },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE with:{Cn_MSR_PMON_BOX_FILTER0.tid=0x3E, "
		"Cn_MSR_PMON_BOX_FILTER1.opc=0x1C8}", 0x00080335, 0xf, -1, -1,
	  "FILTER0[5:0]=0x3e FILTER1[28:20]=0x1c8 FILTER1[30:30]=0x0 FILTER1[31:31]=0x0 "
	  "FILTER1[29:29]=0x0" },
	{ LINE, "TOR_INSERTS.MISS_OPCODE with:Cn_MSR_PMON_BOX_FILTER.opc=0x1e6", 0x335, 0xf, -1, -1,
	  "FILTER1[28:20]=0x1e6 FILTER1[30:30]=0x0 FILTER1[31:31]=0x0 FILTER1[29:29]=0x0" },
	{ LINE, "cbo.LLC_LOOKUP.DATA_READ+WRITE", 0x734, 0xf, -1, -1, "FILTER0[23:17]=0x7f" },
	{ LINE, "imc.POWER_CKE_CYCLES.RANK0+RANK1", 0x383, 0xf, -1, -1, "" },
	{ LINE, "ha.REQUESTS.READS_LOCAL+INVITOE_REMOTE", 0x2101, 0xf, -1, -1, "" },
	{ LINE, "irp.SNOOP_RESP.HIT_ES+SNPINV", 0x4417, 0xf, -1, -1, "" },
	{ LINE, "irp.TRANSACTIONS.READS+ORDERINGQ", 0x4116, 0xf, -1, -1, "" },
	{ LINE, "cbo.0x34.0x11", 0x1134, 0xf, -1, -1, "FILTER0[23:17]=0x7f" },
	{ LINE, "cbo.0x36.0x8", 0x836, 0x1, -1, -1, "" },
	{ LINE, "cbo.0x77.0x12:thresh=3", 0x03001277, 0xf, -1, -1, "" },
	{ LINE, "cbo.RxR_OCCUPANCY.IRQ", 0x111, 0x1, -1, -1, "" },
	{ LINE, "cbo.FAST_ASSERTED", 0x9, 0x3, -1, -1, "" },
	{ LINE, "ubox.PHOLD_CYCLES.ASSERT_TO_ACK:thresh=31,inv", 0x1f800145, 0x3, -1, -1, "" },
	{ LINE, "pcu.POWER_STATE_OCCUPANCY.CORES_C3:thresh=2", 0x02008080, 0xf, -1, -1, "" },
	{ LINE, "pcu.0x80.0xc0", 0xc080, 0xf, -1, -1, "" },
};

static const struct mistake {
	int line;
	const char *text, *want;
	unsigned at;
} mistakes[] = {
	{ LINE, "cbo.TOR_INSERT.ALL", "cbo: no event TOR_INSERT; did you mean TOR_INSERTS?", 4 },
	{ LINE, "cb.TOR_INSERTS.ALL", "hsx: no box cb; did you mean cbo?", 0 },
	{ LINE, "cbo18.CLOCKTICKS", "cbo: no box 18; there are 18, from 0", 0 },
	{ LINE, "ubox1.PHOLD_CYCLES.ASSERT_TO_ACK", "ubox: no box 1; there is 1, from 0", 0 },
	{ LINE, "cbo.TOR_INSERTS.AL", "cbo.TOR_INSERTS: no subevent AL; did you mean ALL?", 16 },
	{ LINE, "cbo.CLOCKTICKS.ANY", "cbo.CLOCKTICKS: has no subevents", 15 },
	{ LINE, "cbo.LLC_VICTIMS.NO_SUCH_THING",
	  "cbo.LLC_VICTIMS: no subevent NO_SUCH_THING; it has M_STATE, E_STATE, I_STATE, F_STATE, "
	  "MISS, NID", 16 },
	{ LINE, "cbo.LLC_VICTIMS", "cbo.LLC_VICTIMS: which subevent? it has M_STATE, E_STATE, I_STATE, "
				  "F_STATE, MISS, NID", 4 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE", "cbo.TOR_INSERTS.OPCODE: needs a value for opc: add :opc=...",
	  0 },
	{ LINE, "cbo.TOR_INSERTS.ALL:opc=0x182", "cbo.TOR_INSERTS.ALL does not look at opc; of its subevents do OPCODE, "
	  "MISS_OPCODE, LOCAL_OPCODE, ", 20 },
	{ LINE, "TOR_INSERTS.OPCODE with:Cn_MSR_PMON_BOX_FILTER1.{opc,nid}={0x182,1}",
	  "cbo.TOR_INSERTS.OPCODE does not look at nid; of its subevents do NID_OPCODE, ", 53 },
	{ LINE, "imc.CAS_COUNT.RD:thresh=1,edge=1,edge=0", "imc: edge is given twice", 33 },
	{ LINE, "imc.CAS_COUNT.RD:opc=1", "imc: no field opc; there are thresh, invert, edge_det", 17 },
	{ LINE, "imc.CAS_COUNT.RD:e=1", "imc: no field e; there are thresh, invert, edge_det", 17 },
	{ LINE, "imc.CAS_COUNT.RD:thresh=many", "imc: many is no value for thresh; write a number", 24 },
	{ LINE, "cbo.LLC_LOOKUP.ANY:state=Q", "cbo: Q is no value for state; write a number or I, S, E, M, F, ", 25 },
	{ LINE, "cbo.TOR_INSERTS.NID_ALL:nid=mine", "cbo: mine is no value for nid; write a number or my_node, other_nodes, all",
	  28 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE:opc=XYZ", "cbo: XYZ is no value for opc; write a number or RFO, CRd, DRd, ", 27 },
	{ LINE, "cbo.NO_SUCH_THING", "cbo: no event NO_SUCH_THING; there are CLOCKTICKS, TxR_INSERTS, ", 4 },
	{ LINE, "nowhere.CLOCKTICKS", "hsx: no event nowhere; boxes are ubox, cbo, sbo, ha, imc, ", 0 },
	{ LINE, "nowhere.CLOCKTICKS.ANY", "hsx: no box nowhere; boxes are ubox, cbo, sbo, ha, imc, ", 0 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE:opc=0x200", "cbo: 0x200 does not fit opc, which has 9 bits", 27 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE:opcc=0x182", "cbo: no field opcc; did you mean opc?", 23 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE:opc=0x182,opc=1", "cbo: opc is given twice", 33 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE:opc=", "a value is missing here", 27 },
	{ LINE, "cbo.CLOCKTICKS:thresh=256", "cbo: 256 does not fit thresh, which has 8 bits", 22 },
	{ LINE, "ubox.PHOLD_CYCLES.ASSERT_TO_ACK:thresh=32",
	  "ubox: 32 does not fit thresh, which has 5 bits", 39 },
	{ LINE, "cbo.CLOCKTICKS:thresh", "cbo: thresh needs a value: thresh=...", 15 },
	{ LINE, "cbo.CLOCKTICKS:edge", "cbo.CLOCKTICKS:edge: edge_det does nothing without a threshold; "
				       "add thresh=1", 0 },
	{ LINE, "cbo.CLOCKTICKS:en", "cbo: en is not for the event string to set", 15 },
	{ LINE, "cbo.LLC_LOOKUP.ANY:state=X", "cbo: X is no value for state", 25 },
	{ LINE, "pcu.POWER_STATE_OCCUPANCY.CORES_C0+CORES_C3",
	  "pcu.POWER_STATE_OCCUPANCY: these together are the encoding of CORES_C6", 26 },
	{ LINE, "cbo.TOR_INSERTS.ALL+EVICTION",
	  "cbo.TOR_INSERTS: ALL is an encoding of its own and cannot be combined with others", 16 },
	{ LINE, "irp.SNOOP_RESP.HIT_ES", "irp.SNOOP_RESP: counts nothing without one of SNPCODE, SNPDATA, SNPINV", 0 },
	{ LINE, "irp.SNOOP_RESP.SNPINV+SNPDATA", "irp.SNOOP_RESP: counts nothing without one of MISS, HIT_I, HIT_ES, HIT_M", 0 },
	{ LINE, "irp.0x17.0x04", "irp.SNOOP_RESP: counts nothing without one of SNPCODE", 0 },
	{ LINE, "irp.TRANSACTIONS.ORDERINGQ", "irp.TRANSACTIONS: counts nothing without one of READS, WRITES", 0 },
	{ LINE, "CLOCKTICKS", "CLOCKTICKS: which box? ", 0 },
	{ LINE, "cbo.CLOCKTICKS{thresh=1", "this brace is never closed", 14 },
	{ LINE, "cbo.CLOCKTICKS with:Cn_MSR_PMON_BOX_FILTER9.opc=1",
	  "cbo: no register Cn_MSR_PMON_BOX_FILTER9; did you mean Cn_MSR_PMON_BOX_FILTER", 20 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE with:Cn_MSR_PMON_BOX_FILTER1.zzz=1",
	  "cbo: no field zzz in Cn_MSR_PMON_BOX_FILTER1; there are isoc, nc, c6, opc, nid", 52 },
	{ LINE, "cbo.0x34.0x100", "umask 0x100 is more than 8 bits", 9 },
	{ LINE, "cbo.0x1ff", "cbo: event select 0x1ff does not fit", 4 },
	{ LINE, "", "an event is missing here", 0 },
	{ LINE, "cbo..ANY", "'.' cannot be part of an event's name", 4 },
	{ LINE, "a.b.c.d.e", "hsx: no box a", 0 },
	{ LINE, "q.cbo1.LLC_LOOKUP.ANY",
	  "q.cbo1.LLC_LOOKUP.ANY: no socket q; sockets are s0, s1, ...", 0 },
	{ LINE, "a.b.c.d.e.f.g", "a.b.c.d.e.f.g: too many parts; an event is SOCKET.BOX.EVENT.SUBEVENT", 12 },
	{ LINE, "cbo.CLOCKTICKS $", "'$' is not expected here", 15 },
	{ LINE, "cbo.TOR_X*", "cbo: no event TOR_X*", 4 },
};

/* One filter: opc 31:23, state 22:18, nid 17:10, tid 4:0; counter classes; 5 bits of PCU threshold. */
static const struct encoding snbep_encodings[] = {
	{ LINE, "cbo.CLOCKTICKS", 0x0, 0xf, -1, -1, "" },
	{ LINE, "cbo.LLC_LOOKUP.ANY", 0x1f34, 0x3, -1, -1, "FILTER[22:18]=0x1f" },
	{ LINE, "cbo.LLC_LOOKUP.DATA_READ+WRITE:state=M|E", 0x734, 0x3, -1, -1, "FILTER[22:18]=0xc" },
	{ LINE, "cbo.LLC_LOOKUP.DATA_READ+NID:nid=my_node", 0x4334, 0x3, -1, -1,
	  "FILTER[17:10]=my_node FILTER[22:18]=0x1f" },
	{ LINE, "cbo.LLC_LOOKUP.REMOTE_SNOOP+STATE_M", 0x934, 0x3, -1, -1, "FILTER[22:18]=0x8" },
	{ LINE, "cbo.LLC_LOOKUP.STATE_S|DATA_READ", 0x334, 0x3, -1, -1, "FILTER[22:18]=0x2" },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE:opc=DRd", 0x335, 0x3, -1, -1, "FILTER[31:23]=0x182" },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE+OPC_DRD", 0x335, 0x3, -1, -1, "FILTER[31:23]=0x182" },
	{ LINE, "cbo.TOR_INSERTS.NID_MISS_OPCODE+OPC_RFO:nid=2", 0x4335, 0x3, -1, -1,
	  "FILTER[17:10]=0x2 FILTER[31:23]=0x180" },
	{ LINE, "cbo.TOR_OCCUPANCY.ALL", 0x836, 0x1, -1, -1, "" },
	{ LINE, "cbo.TOR_OCCUPANCY.MISS_OPCODE+OPC_PCIITOM", 0x336, 0x1, -1, -1, "FILTER[31:23]=0x19c" },
	{ LINE, "cbo.COUNTER0_OCCUPANCY:thresh=1,edge", 0x0104001f, 0xe, -1, -1, "" },
	{ LINE, "cbo7.RING_BL_USED.UP_EVEN+UP_ODD", 0x31d, 0xc, -1, 7, "" },
	{ LINE, "cbo.RxR_INSERTS.IRQ:tid=0x1f", 0x00080113, 0x3, -1, -1, "FILTER[4:0]=0x1f" },
	{ LINE, "pcu.FREQ_TRANS_CYCLES:thresh=1,edge", 0x01240000, 0xf, -1, -1, "" },
	{ LINE, "pcu.FREQ_TRANS_CYCLES.C3", 0x00200000, 0xf, -1, -1, "" },
	{ LINE, "pcu.POWER_STATE_OCCUPANCY.CORES_C6:thresh=31", 0x1f00c080, 0xf, -1, -1, "" },
	{ LINE, "qpi1.TxL_FLITS_G1.DRS", 0x00201800, 0xf, -1, 1, "" },
	{ LINE, "r2pcie.TxR_INSERTS.HOM", 0x124, 0x1, -1, -1, "" },
	{ LINE, "r3qpi.RING_AD_USED.CW_EVEN", 0x107, 0x7, -1, -1, "" },
	{ LINE, "ubox.LOCK_CYCLES", 0x44, 0x3, -1, -1, "" },
	/* Codes of a page that the controls of the UBox cannot select: no counter at all. */
	{ LINE, "ubox.RACU_REQUESTS.COUNT", 0x146, 0x0, -1, -1, "" },
	{ LINE, "irp.TRANSACTIONS.READS", 0x0, 0x0, -1, -1, "" },
};

static const struct mistake snbep_mistakes[] = {
	{ LINE, "cbo8.CLOCKTICKS", "cbo: no box 8; there are 8, from 0", 0 },
	{ LINE, "sbo.CLOCKTICKS", "snbep: no event sbo", 0 },
	{ LINE, "cbo.TOR_INSERTS.OPC_DRD", "cbo.TOR_INSERTS: OPC_DRD only sets a filter; write it behind "
	  "another: OPCODE+OPC_DRD", 16 },
	{ LINE, "cbo.TOR_INSERTS.OPC_*", "cbo.TOR_INSERTS: OPC_*", 16 },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE+EVICTION", "cbo.TOR_INSERTS: MISS_OPCODE is an encoding of its "
	  "own and cannot be combined with others", 16 },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE+OPC_DRD:opc=0x180",
	  "cbo.TOR_INSERTS: OPC_DRD needs opc=0x182, not 0x180", 0 },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE+OPC_DRD+OPC_RFO",
	  "cbo.TOR_INSERTS: OPC_RFO needs opc=0x180, not 0x182", 0 },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE", "cbo.TOR_INSERTS.MISS_OPCODE: needs a value for opc", 0 },
	{ LINE, "cbo.RxR_INSERTS.IRQ:tid=0x20", "cbo: 0x20 does not fit tid, which has 5 bits", 24 },
	{ LINE, "pcu.CLOCKTICKS:thresh=32", "pcu: 32 does not fit thresh, which has 5 bits", 22 },
	{ LINE, "cbo.SBO_CREDITS_ACQUIRED.AD", "cbo: no event SBO_CREDITS_ACQUIRED", 4 },
	{ LINE, "ha.CLOCKTICKS:ext=1", "ha: no field ext", 14 },
};

static void print_settings(const struct event_spec *spec, char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (unsigned i = 0; i < spec->settings; i++) {
		const struct event_setting *s = spec->setting + i;
		const char *reg = strstr(cat_str(cat_regs[s->reg].name), "FILTER");
		char value[32];

		snprintf(value, sizeof value, "%#" PRIx64, s->value);
		if (s->value == 0)
			strcpy(value, "0x0");
		if (s->symbol)
			strcpy(value, s->symbol == EVENT_MY_NODE ? "my_node" : "other_nodes");
		used += (size_t)snprintf(out + used, size - used, "%s%s[%u:%u]=%s", used ? " " : "",
					 reg, s->hi, s->lo, value);
	}
}

static int keep(void *ctx, const struct event_spec *spec, struct span name)
{
	struct event_spec *out = ctx;

	(void)name;
	*out = *spec;
	return 0;
}

static void check_encodings(const struct encoding *rows, size_t n)
{
	for (const struct encoding *r = rows; r < rows + n; r++) {
		struct event_error error = { .text = "" };
		struct event_spec spec;
		char settings[400];
		int err = event_list(names, r->text, keep, &spec, &error);

		CHECK_STR(r->line, error.text, "");
		if (err != 0)
			continue;
		print_settings(&spec, settings, sizeof settings);
		CHECK_EQ(r->line, spec.control, r->control);
		CHECK_EQ(r->line, spec.counters, r->counters);
		CHECK_EQ(r->line, spec.socket, r->socket);
		CHECK_EQ(r->line, spec.box, r->box);
		CHECK_STR(r->line, settings, r->filter);
	}
}

static void check_mistakes(const struct mistake *rows, size_t n)
{
	for (const struct mistake *r = rows; r < rows + n; r++) {
		struct event_error error = { .text = "" };
		struct event_spec spec;
		int err = event_list(names, r->text, keep, &spec, &error);

		CHECK_EQ(r->line, err == BXS_EINVAL || err == BXS_ENOENT, 1);
		if (strncmp(error.text, r->want, strlen(r->want)) != 0)
			CHECK_STR(r->line, error.text, r->want);
		CHECK_EQ(r->line, error.at, r->at);
	}
}

/* What a list gives, one name after the other; a group's number stands before it. */
static int collect(void *ctx, const struct event_spec *spec, struct span name)
{
	char *out = ctx;

	sprintf(out + strlen(out), "%s", *out ? " ; " : "");
	if (spec->group)
		sprintf(out + strlen(out), "%u:", spec->group);
	sprintf(out + strlen(out), "%.*s", (int)name.n, name.s);
	return 0;
}

static const struct list {
	int line;
	const char *text, *want;
} lists[] = {
	{ LINE, "cbo.CLOCKTICKS,sbo.CLOCKTICKS", "cbo.CLOCKTICKS ; sbo.CLOCKTICKS" },
	{ LINE, " cbo.CLOCKTICKS , sbo.CLOCKTICKS ", "cbo.CLOCKTICKS ; sbo.CLOCKTICKS" },
	{ LINE, "cbo.CLOCKTICKS:thresh=1,edge,inv,LLC_LOOKUP.ANY",
	  "cbo.CLOCKTICKS:thresh=1,edge,inv ; LLC_LOOKUP.ANY" },
	{ LINE, "cbo.TOR_INSERTS.OPCODE{thresh=1} with:{Cn_MSR_PMON_BOX_FILTER1.opc=0x182},cbo.CLOCKTICKS",
	  "cbo.TOR_INSERTS.OPCODE{thresh=1} with:{Cn_MSR_PMON_BOX_FILTER1.opc=0x182} ; cbo.CLOCKTICKS" },
	{ LINE, "{cbo.CLOCKTICKS,LLC_LOOKUP.ANY},{sbo.CLOCKTICKS},cbo.CLOCKTICKS",
	  "1:cbo.CLOCKTICKS ; 1:LLC_LOOKUP.ANY ; 2:sbo.CLOCKTICKS ; cbo.CLOCKTICKS" },
	{ LINE, "cbo.RING_SRC*", "cbo.RING_SRC_THRTL" },
	{ LINE, "cbo2.TxR_ADS_USED.A*", "cbo2.TxR_ADS_USED.AD ; cbo2.TxR_ADS_USED.AK" },
	{ LINE, "s1.cbo.TxR_ADS_USED.?D:thresh=1", "s1.cbo.TxR_ADS_USED.AD:thresh=1" },
	{ LINE, "TOR_OCC*.WB", "cbo.TOR_OCCUPANCY.WB" },
	{ LINE, "cbo.TOR_INSERTS.MISS_*", "cbo.TOR_INSERTS.MISS_LOCAL ; cbo.TOR_INSERTS.MISS_REMOTE" },
};

/* What only sets a filter is none of a pattern's events. */
static const struct list snbep_lists[] = {
	{ LINE, "cbo.TOR_INSERTS.*PC*:opc=0x182", "cbo.TOR_INSERTS.OPCODE:opc=0x182 ; cbo.TOR_INSERTS.MISS_OPCODE:opc=0x182 ; "
	  "cbo.TOR_INSERTS.NID_OPCODE:opc=0x182 ; cbo.TOR_INSERTS.NID_MISS_OPCODE:opc=0x182" },
	{ LINE, "cbo.LLC_LOOKUP.*:state=1", "cbo.LLC_LOOKUP.DATA_READ:state=1 ; cbo.LLC_LOOKUP.WRITE:state=1 ; "
	  "cbo.LLC_LOOKUP.DATA_READ_AND_ALL:state=1 ; cbo.LLC_LOOKUP.REMOTE_SNOOP:state=1 ; cbo.LLC_LOOKUP.ANY:state=1 ; "
	  "cbo.LLC_LOOKUP.NID:state=1" },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE+OPC_DRD", "cbo.TOR_INSERTS.MISS_OPCODE+OPC_DRD" },
};

static void check_lists(const struct list *rows, size_t n)
{
	for (const struct list *r = rows; r < rows + n; r++) {
		struct event_error error = { .text = "" };
		char got[2000] = "";

		int err = event_list(names, r->text, collect, got, &error);

		if (err)
			CHECK_STR(r->line, error.text, "");
		CHECK_STR(r->line, got, r->want);
	}
}

/* Every event and subevent of the catalogue encodes to what the catalogue says. */
static int check_name(void *ctx, const struct event_spec *spec, struct span name)
{
	struct event_error error = { .text = "" };
	struct event_spec again;
	unsigned *count = ctx;
	char text[200];

	(*count)++;
	snprintf(text, sizeof text, "%.*s", (int)name.n, name.s);
	CHECK_EQ(__LINE__, event_list(names, text, keep, &again, &error), 0);
	CHECK_EQ(__LINE__, again.control, spec->control);
	CHECK_EQ(__LINE__, again.event, spec->event);
	if (cat_types[spec->type].counters)
		CHECK_EQ(__LINE__, spec->control & 0xff, cat_events[spec->event].code);
	return 0;
}

static void check_all(void)
{
	struct event_error error;
	unsigned count = 0;

	CHECK_EQ(__LINE__, event_list(names, "*.*", check_name, &count, &error), 0);
	CHECK(count > 100);
	names_free(names);
}

int main(void)
{
	if (names_new((unsigned)(cat_find_family("hsx", 3) - cat_families), &names) < 0)
		return 1;
	check_encodings(encodings, LEN(encodings));
	check_mistakes(mistakes, LEN(mistakes));
	check_lists(lists, LEN(lists));
	check_all();
	if (names_new((unsigned)(cat_find_family("snbep", 5) - cat_families), &names) < 0)
		return 1;
	check_encodings(snbep_encodings, LEN(snbep_encodings));
	check_mistakes(snbep_mistakes, LEN(snbep_mistakes));
	check_lists(snbep_lists, LEN(snbep_lists));
	check_all();
	return check_done();
}
