/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions against scripted registers: what is written in which order (from the HSX uncore
 * manual, 2.1.2 and the register tables), and what readings are worth.
 */
#include <math.h>

#include "check.h"
#include "fake.h"
#include "measure/session.h"

#define MS UINT64_C(1000000000)		/* picoseconds of a millisecond */
#define WIDE (UINT64_C(1) << 48)

static struct names *names;
static struct fake fake;
static struct session *session;

static int add(void *ctx, const struct event_spec *spec, struct span name)
{
	char *why = ctx;
	int event = session_add(session, spec, name, 0, why, 400);

	return event < 0 ? event : 0;
}

/* A new session over fresh registers; the error of the first thing that fails. */
static int open_session(const char *events, unsigned sockets, bool model, bool turns, char *why)
{
	struct session_config config = {
		.access = &fake.access, .names = names, .sockets = sockets, .cores = 2,
		.model = model, .turns = turns,
	};
	struct event_error error;

	session_free(session);
	session = NULL;
	*why = '\0';
	if (session_new(&config, &session) < 0)
		return BXS_ENOMEM;
	return event_list(names, events, add, why, &error);
}

static void start(const char *events, bool turns)
{
	char why[400];

	CHECK_EQ(__LINE__, open_session(events, 1, false, turns, why), 0);
	CHECK_EQ(__LINE__, session_start(session, 0, why, sizeof why), 0);
	CHECK_STR(__LINE__, why, "");
}

static const struct program {
	int line;
	const char *events, *log;
} programs[] = {
	{ LINE, "cbo3.LLC_LOOKUP.ANY",
	  "s0.0x700=0x80000000 s0.0xe30=0x30103 s0.0xe35=0xfe0000 "
	  "s0.0xe31=0x1134 s0.0xe38=0 s0.0xe31=0x401134 s0.0xe32=0 s0.0xe33=0 s0.0xe34=0 "
	  "s0.0xe30=0x30000 s0.0x700=0x20000000 " },
	{ LINE, "cbo0.TOR_INSERTS.NID_MISS_OPCODE:opc=0x182,nid=my_node,cbo0.TOR_OCCUPANCY.ALL",
	  "s0.0x700=0x80000000 s0.0xe00=0x30103 s0.0xe06=0x18200001 "
	  "s0.0xe02=0x4335 s0.0xe09=0 s0.0xe02=0x404335 s0.0xe01=0x836 s0.0xe08=0 s0.0xe01=0x400836 "
	  "s0.0xe03=0 s0.0xe04=0 s0.0xe00=0x30000 s0.0x700=0x20000000 " },
	/* The UBox has no box control. */
	{ LINE, "ubox.PHOLD_CYCLES.ASSERT_TO_ACK",
	  "s0.0x700=0x80000000 s0.0x705=0x145 s0.0x709=0 s0.0x705=0x400145 s0.0x706=0 "
	  "s0.0x700=0x20000000 " },
	{ LINE, "ubox.U_MSR_PMON_UCLK_FIXED_CTR",
	  "s0.0x700=0x80000000 s0.0x703=0x400000 s0.0x705=0 s0.0x706=0 s0.0x700=0x20000000 " },
	/* Its clocks are the fixed counter's, not those of event 0. */
	{ LINE, "ubox.CLOCKTICKS",
	  "s0.0x700=0x80000000 s0.0x703=0x400000 s0.0x705=0 s0.0x706=0 s0.0x700=0x20000000 " },
	/* The subevents of an occupancy of the PCU are its selection, where other boxes have their mask. */
	{ LINE, "pcu.POWER_STATE_OCCUPANCY.CORES_C3",
	  "s0.0x700=0x80000000 s0.0x710=0x30103 s0.0x711=0x8080 s0.0x717=0 s0.0x711=0x408080 s0.0x712=0 "
	  "s0.0x713=0 s0.0x714=0 s0.0x710=0x30000 s0.0x700=0x20000000 " },
	/* R3QPI: no reserved bits to keep in the box control; three counters. */
	{ LINE, "r3qpi0.CLOCKTICKS",
	  "s0.0x700=0x80000000 s0.D11:F1+0xf4=0x103 s0.D11:F1+0xd8=0x1 s0.D11:F1+0xa0=0 "
	  "s0.D11:F1+0xd8=0x400001 s0.D11:F1+0xdc=0 s0.D11:F1+0xe0=0 s0.D11:F1+0xf4=0 "
	  "s0.0x700=0x20000000 " },
	/* A QPI port's filters lie in another function; all of them are set. */
	{ LINE, "qpi1.CTO_COUNT:rx=DRS.DataC_M",
	  "s0.0x700=0x80000000 s0.D9:F2+0xf4=0x30103 s0.D9:F6+0x22c=0x80000 s0.D9:F6+0x204=0 "
	  "s0.D9:F6+0x228=0x1c00 s0.D9:F6+0x200=0 s0.D9:F6+0x23c=0xf0000 s0.D9:F6+0x214=0 "
	  "s0.D9:F6+0x238=0x1fe0 s0.D9:F6+0x210=0 s0.D9:F2+0xd8=0x200038 s0.D9:F2+0xa0=0 "
	  "s0.D9:F2+0xd8=0x600038 s0.D9:F2+0xdc=0 s0.D9:F2+0xe0=0 s0.D9:F2+0xe4=0 "
	  "s0.D9:F2+0xf4=0x30000 s0.0x700=0x20000000 " },
};

static void check_programs(void)
{
	for (const struct program *r = programs; r < programs + LEN(programs); r++) {
		fake_reset(&fake);
		start(r->events, false);
		CHECK_STR(r->line, fake.log, r->log);
	}
}

/* One counter, read at 1 ms with `first` and at 2 ms with `second`. */
static const struct counting {
	int line;
	const char *event;
	unsigned dev, fn;		/* 0: an MSR */
	uint32_t address, status;
	uint64_t first, second, after, overflow;
	double want;
	enum bxs_validity validity;
} counts[] = {
	{ LINE, "cbo0.CLOCKTICKS", 0, 0, 0xe08, 0xe07, 100, 350, 1, 0, 350, BXS_EXACT },
	/* Round once: right all the same. */
	{ LINE, "cbo0.CLOCKTICKS", 0, 0, 0xe08, 0xe07, WIDE - 10, 5, 1, 1, 0x1000000000005, BXS_EXACT },
	{ LINE, "r3qpi0.CLOCKTICKS", 11, 1, 0xa0, 0xf8, 0xffffffffff6, 5, 1, 1, 0x100000000005,
	  BXS_EXACT },
	/* 2^44 clocks at twice 2.3 GHz are 3824 s: at 4000 s only the overflow bit tells. */
	{ LINE, "r3qpi0.CLOCKTICKS", 11, 1, 0xa0, 0xf8, 7, 9, 4000000, 0, 9, BXS_EXACT },
	{ LINE, "r3qpi0.CLOCKTICKS", 11, 1, 0xa0, 0xf8, 7, 9, 4000000, 1, 9, BXS_WRAPPED },
	/* All bits set: it stands there, and may have seen any number more. */
	{ LINE, "cbo0.CLOCKTICKS", 0, 0, 0xe08, 0xe07, 100, WIDE - 1, 1, 0, WIDE - 1, BXS_SATURATED },
	{ LINE, "cbo0.CLOCKTICKS", 0, 0, 0xe08, 0xe07, WIDE - 1, WIDE - 1, 1, 0, WIDE - 1, BXS_SATURATED },
	/* What nothing stops comes by all ones; only where it stays there is it stuck. */
	{ LINE, "qpi0.Q_Py_PCI_PMON_LINK_IDLE", 8, 2, 0xc8, 0xf8, 5, UINT32_MAX, 1, 0, UINT32_MAX, BXS_EXACT },
	{ LINE, "qpi0.Q_Py_PCI_PMON_LINK_IDLE", 8, 2, 0xc8, 0xf8, UINT32_MAX, 3, 1, 0, 0x100000003, BXS_EXACT },
	{ LINE, "qpi0.Q_Py_PCI_PMON_LINK_IDLE", 8, 2, 0xc8, 0xf8, UINT32_MAX, UINT32_MAX, 1, 0, UINT32_MAX,
	  BXS_SATURATED },
	/* Ones where the counter has no bits: whatever answers is no counter. */
	{ LINE, "cbo0.CLOCKTICKS", 0, 0, 0xe08, 0xe07, 100, UINT64_MAX, 1, 0, 0, BXS_NOT_THERE },
	/* 32 bits that nothing stops go round in 0.9 s; nobody tells how often. */
	{ LINE, "qpi0.Q_Py_PCI_PMON_LINK_IDLE", 8, 2, 0xc8, 0xf8, 5, 3, 1, 0, 0x100000003, BXS_EXACT },
	{ LINE, "qpi0.Q_Py_PCI_PMON_LINK_IDLE", 8, 2, 0xc8, 0xf8, 5, 3, 1000, 0, 0x100000003, BXS_WRAPPED },
};

static struct fake_reg *at_address(const struct counting *r, uint32_t address)
{
	return r->dev ? fake_pci(&fake, 0, r->dev, r->fn, address) : fake_msr(&fake, 0, address);
}

static void check_counts(void)
{
	for (const struct counting *r = counts; r < counts + LEN(counts); r++) {
		struct session_value v;

		fake_reset(&fake);
		start(r->event, false);
		at_address(r, r->address)->value = r->first;
		CHECK_EQ(r->line, session_read(session, MS), 0);
		at_address(r, r->address)->value = r->second;
		at_address(r, r->status)->value = r->overflow;
		CHECK_EQ(r->line, session_stop(session, MS + r->after * MS), 0);
		session_value(session, 0, -1, -1, &v);
		CHECK_EQ(r->line, v.value, r->want);
		CHECK_EQ(r->line, v.validity, r->validity);
	}
}

/* Intervals: what is cleared is not counted again. */
static void check_intervals(void)
{
	struct session_value v;

	fake_reset(&fake);
	start("cbo0.CLOCKTICKS", false);
	fake_msr(&fake, 0, 0xe08)->value = 100;
	session_read(session, MS);
	session_value(session, 0, -1, -1, &v);
	CHECK_EQ(__LINE__, v.value, 100);
	CHECK_EQ(__LINE__, session_time(session), MS);
	session_clear(session);
	fake_msr(&fake, 0, 0xe08)->value = 140;
	session_read(session, 3 * MS);
	session_value(session, 0, -1, -1, &v);
	CHECK_EQ(__LINE__, v.value, 40);
	CHECK_EQ(__LINE__, session_time(session), 2 * MS);
}

/* Two events that both need counter 0: each is counted half of the time. */
static void check_turns(void)
{
	static const uint64_t first[] = { 100, 120 }, second[] = { 7, 5 };
	struct session_value v;

	fake_reset(&fake);
	start("cbo0.TOR_OCCUPANCY.ALL,cbo0.RxR_OCCUPANCY.IRQ", true);
	CHECK_EQ(__LINE__, session_most_turns(session), 2);
	CHECK_EQ(__LINE__, fake_msr(&fake, 0, 0xe01)->value, 0x400836);
	for (unsigned i = 0; i < 2; i++) {
		fake_msr(&fake, 0, 0xe08)->value = first[i];
		session_read(session, (2 * i + 1) * MS);
		CHECK_EQ(__LINE__, fake_msr(&fake, 0, 0xe01)->value, 0x400111);
		CHECK_EQ(__LINE__, fake_msr(&fake, 0, 0xe08)->value, 0);
		fake_msr(&fake, 0, 0xe08)->value = second[i];
		session_read(session, (2 * i + 2) * MS);
		CHECK_EQ(__LINE__, fake_msr(&fake, 0, 0xe01)->value, 0x400836);
	}
	/* 220 in 2 of 4 ms: 440.  Rates 100 and 120 a ms: s = 14.142, t = 31.82 for two turns: 4 t s /
	 * sqrt 2 x sqrt(1/2) = 900.006, and 3 for what may have been overlooked. */
	session_value(session, 0, -1, -1, &v);
	CHECK_EQ(__LINE__, v.value, 440);
	CHECK_EQ(__LINE__, v.validity, BXS_SCALED);
	CHECK_EQ(__LINE__, llround(v.error * 1000), 903006);
	session_value(session, 1, -1, -1, &v);
	CHECK_EQ(__LINE__, v.value, 24);
	/* Rates 7 and 5: s = 1.4142, so 90.0006; the first turn, of 1 ms, was not its: 6.  Together 90.2003, and 3. */
	CHECK_EQ(__LINE__, llround(v.error * 1000), 93200);
	/* An interval in which its turn did not come has no reading. */
	session_clear(session);
	fake_msr(&fake, 0, 0xe08)->value = 50;
	session_read(session, 5 * MS);
	session_value(session, 1, -1, -1, &v);
	CHECK_EQ(__LINE__, v.validity, BXS_NOT_THERE);
	/* One turn alone says little: the error is the share that was not seen. */
	fake_msr(&fake, 0, 0xe08)->value = 8;
	session_read(session, 6 * MS);
	session_value(session, 1, -1, -1, &v);
	CHECK_EQ(__LINE__, v.value, 16);
	CHECK_EQ(__LINE__, llround(v.error * 1000), 11000);
}

/* Sums over boxes and sockets; boxes that are not there; registers that fault. */
static void check_boxes(void)
{
	struct session_value v;
	char why[400];

	fake_reset(&fake);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned box = 2; box < 18; box++)
			fake_msr(&fake, s, 0xe01 + 0x10 * box)->faults = true;
	CHECK_EQ(__LINE__, open_session("cbo.CLOCKTICKS", 2, false, false, why), 0);
	CHECK_EQ(__LINE__, session_start(session, 0, why, sizeof why), 0);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned box = 0; box < 2; box++)
			fake_msr(&fake, s, 0xe08 + 0x10 * box)->value = s ? 1000 : 1 + 9 * box;
	session_stop(session, MS);
	session_value(session, 0, -1, -1, &v);
	CHECK_EQ(__LINE__, v.value, 2011);
	session_value(session, 0, 0, -1, &v);
	CHECK_EQ(__LINE__, v.value, 11);
	session_value(session, 0, 0, 1, &v);
	CHECK_EQ(__LINE__, v.value, 10);
	CHECK_EQ(__LINE__, v.validity, BXS_EXACT);
	session_value(session, 0, 0, 2, &v);
	CHECK_EQ(__LINE__, v.validity, BXS_NOT_THERE);

	/* PCI functions that are not there read as all ones. */
	fake_reset(&fake);
	for (unsigned i = 0; i < 3; i++)
		fake_pci(&fake, 0, 8 + i, 2, 0xd8)->value = UINT32_MAX;
	CHECK_EQ(__LINE__, open_session("qpi.CLOCKTICKS,qpi0.CLOCKTICKS", 1, false, false, why), 0);
	CHECK_EQ(__LINE__, session_start(session, 0, why, sizeof why), 0);
	session_stop(session, MS);
	session_value(session, 0, -1, -1, &v);
	CHECK_EQ(__LINE__, v.validity, BXS_NOT_THERE);

	/* A counter that faults makes its own reading absent, no more. */
	fake_reset(&fake);
	fake_msr(&fake, 0, 0xe09)->faults = true;
	CHECK_EQ(__LINE__, open_session("cbo0.CLOCKTICKS,cbo0.LLC_LOOKUP.ANY", 1, false, false, why), 0);
	CHECK_EQ(__LINE__, session_start(session, 0, why, sizeof why), 0);
	session_stop(session, MS);
	session_value(session, 0, -1, -1, &v);
	CHECK_EQ(__LINE__, v.validity, BXS_EXACT);
	session_value(session, 1, -1, -1, &v);
	CHECK_EQ(__LINE__, v.validity, BXS_NOT_THERE);
}

static const struct refusal {
	int line;
	const char *events, *why;
	int err;
} refusals[] = {
	{ LINE, "s2.cbo.CLOCKTICKS", "s2.cbo.CLOCKTICKS: no socket 2; there are 2, from 0", BXS_EINVAL },
	{ LINE, "cbo.COUNTER0_OCCUPANCY:thresh=1,edge",
	  "cbo.COUNTER0_OCCUPANCY:thresh=1,edge: watches counter 0; ask for an occupancy event of that box "
	  "before it", BXS_EINVAL },
	{ LINE, "cbo.TOR_OCCUPANCY.ALL,cbo.RxR_OCCUPANCY.IRQ",
	  "cbo.TOR_OCCUPANCY.ALL and cbo.RxR_OCCUPANCY.IRQ both need counter 0; they can only be measured "
	  "in turns", BXS_ETURNS },
	{ LINE, "cbo.TOR_INSERTS.MISS_OPCODE:opc=0x182,cbo3.TOR_INSERTS.OPCODE:opc=0x180",
	  "cbo.TOR_INSERTS.MISS_OPCODE:opc=0x182 and cbo3.TOR_INSERTS.OPCODE:opc=0x180 need different values "
	  "of opc in Cn_MSR_PMON_BOX_FILTER1; they can only be measured in turns", BXS_ETURNS },
	/* The same filter of one socket's box; of a mask; the registers of a link's packets as a whole. */
	{ LINE, "pcu.FREQ_BAND0_CYCLES:filt7_0=12,s0.pcu.FREQ_BAND0_CYCLES:filt7_0=20",
	  "pcu.FREQ_BAND0_CYCLES:filt7_0=12 and s0.pcu.FREQ_BAND0_CYCLES:filt7_0=20 need different values "
	  "of filt7_0 in PCU_MSR_PMON_BOX_FILTER; they can only be measured in turns", BXS_ETURNS },
	{ LINE, "cbo.LLC_LOOKUP.ANY:state=M,cbo.CLOCKTICKS,cbo.LLC_LOOKUP.READ:state=I",
	  "cbo.LLC_LOOKUP.ANY:state=M and cbo.LLC_LOOKUP.READ:state=I need different values of state in "
	  "Cn_MSR_PMON_BOX_FILTER0; they can only be measured in turns", BXS_ETURNS },
	{ LINE, "cbo.TOR_INSERTS.ALL:tid=3,cbo.TOR_INSERTS.WB:tid=4",
	  "cbo.TOR_INSERTS.ALL:tid=3 and cbo.TOR_INSERTS.WB:tid=4 need different values of tid in "
	  "Cn_MSR_PMON_BOX_FILTER0; they can only be measured in turns", BXS_ETURNS },
	{ LINE, "qpi.CTO_COUNT:rx=DRS.DataC_M,qpi0.CTO_COUNT:rx=DRS.DataC_E",
	  "qpi.CTO_COUNT:rx=DRS.DataC_M and qpi0.CTO_COUNT:rx=DRS.DataC_E need different values of RDS in "
	  "Q_P0_PCI_PMON_RX_PKT_MATCH1; they can only be measured in turns", BXS_ETURNS },
	/* Each watches the queue before it; the queues fight. */
	{ LINE, "cbo.TOR_OCCUPANCY.ALL,cbo.COUNTER0_OCCUPANCY:thresh=1,cbo.RxR_OCCUPANCY.IRQ,"
		"cbo.COUNTER0_OCCUPANCY:thresh=1",
	  "cbo.TOR_OCCUPANCY.ALL and cbo.RxR_OCCUPANCY.IRQ both need counter 0; they can only be measured "
	  "in turns", BXS_ETURNS },
	{ LINE, "{cbo.CLOCKTICKS,cbo.CLOCKTICKS:thresh=1,cbo.CLOCKTICKS:thresh=2,cbo.LLC_LOOKUP.ANY,"
		"cbo.LLC_LOOKUP.READ}",
	  "cbo.CLOCKTICKS, cbo.CLOCKTICKS:thresh=1, cbo.CLOCKTICKS:thresh=2, cbo.LLC_LOOKUP.ANY and cbo.LLC_LOOKUP.READ "
	  "are more than the counters that can hold them, and have to be measured at once", BXS_ECONFLICT },
	{ LINE, "cbo.TOR_OCCUPANCY.ALL,cbo.CLOCKTICKS,cbo.RxR_OCCUPANCY.IRQ,cbo.TOR_OCCUPANCY.WB",
	  "cbo.TOR_OCCUPANCY.ALL, cbo.RxR_OCCUPANCY.IRQ and cbo.TOR_OCCUPANCY.WB all need counter 0; they can only be "
	  "measured in turns", BXS_ETURNS },
	{ LINE, "{cbo.TOR_OCCUPANCY.ALL,cbo.RxR_OCCUPANCY.IRQ}",
	  "cbo.TOR_OCCUPANCY.ALL and cbo.RxR_OCCUPANCY.IRQ both need counter 0, and have to be measured at once",
	  BXS_ECONFLICT },
};

static void check_refusals(void)
{
	for (const struct refusal *r = refusals; r < refusals + LEN(refusals); r++) {
		char why[400];
		int err;

		fake_reset(&fake);
		err = open_session(r->events, 2, false, false, why);
		if (err == 0)
			err = session_start(session, 0, why, sizeof why);
		CHECK_EQ(r->line, err, r->err);
		CHECK_STR(r->line, why, r->why);
	}
}

/* On the model an event that nothing drives has no number and takes no counter. */
static void check_unmodelled(void)
{
	const struct cat_family *f = cat_families;
	struct session_value v;
	char why[400], name[80] = "";

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types && !*name; t++)
		for (unsigned i = 0; i < cat_types[t].events && !*name; i++) {
			const struct cat_event *e = cat_events + cat_types[t].event0 + i;

			if (e->binding == CAT_BIND_NONE && !e->umasks &&
			    !strstr(cat_str(e->keys), "counter=fixed"))
				snprintf(name, sizeof name, "%s.%s", cat_str(cat_types[t].name),
					 cat_str(e->name));
		}
	if (!*name)
		return;
	fake_reset(&fake);
	CHECK_EQ(__LINE__, open_session(name, 1, true, false, why), 0);
	CHECK_EQ(__LINE__, session_start(session, 0, why, sizeof why), 0);
	session_stop(session, MS);
	session_value(session, 0, -1, -1, &v);
	CHECK_EQ(__LINE__, v.validity, BXS_NOT_MODELLED);
}

/* Cores: three fixed counters each, summed. */
static void check_cores(void)
{
	struct session_value v;

	fake_reset(&fake);
	fake_msr(&fake, 0, 0xce)->value = 23 << 8;
	start("cbo0.CLOCKTICKS", false);
	CHECK_EQ(__LINE__, fake_msr(&fake, 0, 0x38d)->value, 0x333);
	CHECK_EQ(__LINE__, fake_msr(&fake, 0, 0x38f)->value, UINT64_C(7) << 32);
	fake_msr(&fake, 0, 0x309)->value = 500;
	fake_find(&fake, UINT64_C(1) << 48 | 0x309)->value = 60;
	fake_msr(&fake, 0, 0x10)->value = 2300000;
	session_stop(session, MS);
	session_core(session, SESSION_INSTRUCTIONS, -1, &v);
	CHECK_EQ(__LINE__, v.value, 560);
	CHECK_EQ(__LINE__, session_tsc(session), 2300000);
	CHECK_EQ(__LINE__, session_tsc_mhz(session), 2300);
}

int main(void)
{
	if (names_new(0, &names) < 0)
		return 1;
	check_programs();
	check_counts();
	check_intervals();
	check_turns();
	check_boxes();
	check_refusals();
	check_unmodelled();
	check_cores();
	session_free(session);
	names_free(names);
	return check_done();
}
