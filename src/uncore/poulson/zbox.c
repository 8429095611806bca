/* SPDX-License-Identifier: BSD-2-Clause */
/* An Itanium 9500's memory controller: commands of the Bbox, and the frames that carry them to the memory buffers. */
#include "uncore/poulson/zbox.h"

#include "base/bits.h"
#include "signal_ids.h"

int zbox_init(struct zbox *z, const struct imc_config *config, uint32_t uclk_khz, struct signal_port *silent)
{
	*z = (struct zbox){ .port = silent, .uclk = calendar_rate(uclk_khz), .frame = calendar_rate(config->dram.dclk_khz) };
	entries_init(&z->live, ZBOX_LIVE);
	z->full = (struct depth){ .signal = { DEPTH_NONE, SIG_IMC_ZFULL }, .full = ZBOX_LIVE };
	for (unsigned i = 0; i < ZBOX_CHANNELS; i++) {
		struct imc_config own = *config;
		int err;

		own.buses = ZBOX_CHANNELS;
		own.bus = (uint8_t)i;
		err = imc_new(&own, &z->imc[i]);
		if (err < 0)
			return err;
		imc_share(z->imc[i], &z->live, ZBOX_LIVE);
	}
	return 0;
}

void zbox_free(struct zbox *z)
{
	for (unsigned i = 0; i < ZBOX_CHANNELS; i++)
		imc_free(z->imc[i]);
	depth_free(&z->full);
}

void zbox_port(struct zbox *z, struct signal_port *port)
{
	z->port = port;
	for (unsigned i = 0; i < ZBOX_CHANNELS; i++)
		imc_port(z->imc[i], port->clock ? port : NULL);	/* a silent port has none */
}

static uint64_t flag_of(enum zbox_command command)
{
	switch (command) {
	case ZBOX_WRITE: return IMC_FVC_WRITES;
	case ZBOX_MERGE: return IMC_FVC_MERGE;
	case ZBOX_F2V: return IMC_FVC_F2V;
	case ZBOX_F2B: return IMC_FVC_F2B;
	case ZBOX_MEGAOP1: return IMC_FVC_MEGAOP1;
	case ZBOX_MEGAOP2: return IMC_FVC_MEGAOP2;
	default: return IMC_FVC_READS;
	}
}

static bool is_write(enum zbox_command command)
{
	return command == ZBOX_WRITE || command == ZBOX_MERGE || command == ZBOX_MEGAOP1 || command == ZBOX_MEGAOP2;
}

/* Frames that go to the buffers for a command. */
static void send_frames(struct zbox *z, enum zbox_command command, uint64_t when)
{
	unsigned data = is_write(command) ? ZBOX_WDAT : 0;

	z->frames += 1 + data;
	signal_pulse(z->port, SIG_IMC_FRAME, when, 1, IMC_FRAME_CMD1, NULL);
	signal_pulse(z->port, SIG_IMC_FRAME, when, data, IMC_FRAME_WDAT, NULL);
}

/* The link to the buffers is started anew, and what was lost comes again. */
static uint64_t reset_link(struct zbox *z, uint64_t flag, uint64_t when)
{
	signal_pulse(z->port, SIG_IMC_FVC, when, 1, flag, NULL);
	signal_pulse(z->port, SIG_IMC_FAST_RESET, when, 1, 0, NULL);
	return when + (uint64_t)ZBOX_RESET * z->uclk.period;
}

/* A line is read until it is right; *corrected: not at once, or ECC had to. */
static uint64_t read_line(struct zbox *z, const struct zbox_line *line, uint64_t when, bool *corrected)
{
	for (;;) {
		uint64_t back = imc_read(z->imc[line->channel], line->line, when).data;

		if (chance_hits(&z->chance[ZBOX_FRAMES])) {
			when = reset_link(z, IMC_FVC_SMI_CRC_ERR, back);
		} else if (chance_hits(&z->chance[ZBOX_REREAD])) {
			signal_pulse(z->port, SIG_IMC_FVC, back, 1, IMC_FVC_MEM_ECC_ERR, NULL);
			signal_pulse(z->port, SIG_IMC_FVC, back, 1, IMC_FVC_RETRY, NULL);
			when = back + (uint64_t)ZBOX_ACK * z->uclk.period;
		} else {
			if (chance_hits(&z->chance[ZBOX_ECC])) {
				signal_pulse(z->port, SIG_IMC_FVC, back, 1, IMC_FVC_MEM_ECC_ERR, NULL);
				signal_pulse(z->port, SIG_IMC_FVC, back, 1, IMC_FVC_ECC, NULL);
				*corrected = true;
			}
			return back;
		}
		*corrected = true;
	}
}

/* A buffer that holds a line corrects it. */
static void check_buffer(struct zbox *z, uint64_t flag, uint64_t when)
{
	if (chance_hits(&z->chance[ZBOX_BUFFERS]))
		signal_pulse(z->port, SIG_IMC_FVC, when, 1, flag, NULL);
}

/* The line is read from memory or written to it; returns when that is acknowledged. */
static uint64_t move_line(struct zbox *z, enum zbox_command command, const struct zbox_line *line, uint64_t when,
			  bool *corrected)
{
	struct imc *imc = z->imc[line->channel];

	imc_buffer(imc, line->buffer);
	if (command == ZBOX_READ) {
		z->reads++;
		return read_line(z, line, when, corrected);
	}
	z->writes++;
	check_buffer(z, IMC_FVC_VIC_CORR, when);
	/* The memory buffer says that it has not understood a frame. */
	while (chance_hits(&z->chance[ZBOX_FRAMES])) {
		when = reset_link(z, IMC_FVC_ALERT, when);
		*corrected = true;
	}
	return imc_write(imc, line->line, when, command == ZBOX_MERGE).issued + (uint64_t)ZBOX_ACK * z->uclk.period;
}

struct zbox_answer zbox_command(struct zbox *z, enum zbox_command command, const struct zbox_line *line, uint64_t when)
{
	bool answered = command != ZBOX_F2B;	/* by nothing but the line itself (5.4.3.7) */
	uint64_t free = answered ? entries_take(&z->live, when) : 0, begin = free > when ? free : when;
	uint64_t accepted = begin + z->uclk.period + calendar_book(&z->fvid, &z->uclk, begin, 1);
	struct zbox_answer a = { .accepted = accepted };
	bool corrected = false;

	if (command == ZBOX_READ || is_write(command)) {
		a.ack = move_line(z, command, line, accepted, &corrected);
		send_frames(z, command, accepted);
	} else {
		a.ack = accepted + (uint64_t)ZBOX_F2B_CLOCKS * z->uclk.period;
	}
	if (command == ZBOX_F2B || command == ZBOX_MEGAOP1 || command == ZBOX_MEGAOP2)
		check_buffer(z, IMC_FVC_FILL_CORR, accepted);
	signal_pulse(z->port, SIG_IMC_FVC, when, 1, flag_of(command), NULL);
	signal_pulse(z->port, SIG_IMC_FVID_WRITE, when, 1, 0, NULL);
	signal_span(z->port, SIG_IMC_FVID, when, accepted, 1, 0, NULL);
	if (!answered)
		return a;
	entries_give(&z->live, a.ack);
	signal_pulse(z->port, SIG_IMC_FVC, a.ack, 1, corrected ? IMC_FVC_COR : IMC_FVC_ACK, NULL);
	signal_span(z->port, SIG_IMC_LIVE, begin, a.ack, 1, 0, NULL);
	depth_stay(&z->full, z->port, begin, a.ack);
	return a;
}

/* Frames never stop: what carries neither command nor data is a sync frame, in its turn, or an empty one. */
static void tell_frames(struct zbox *z, uint64_t now)
{
	uint64_t all = (uint64_t)(((bits_u128)now * z->frame.mult) >> 64), used = z->frames;
	uint64_t when = now > z->frame.period ? now - z->frame.period : 0;
	uint64_t sync, rest;

	if (all <= z->told + used)
		return;
	rest = all - z->told - used;
	sync = all / ZBOX_SYNC - z->told / ZBOX_SYNC;
	sync = sync < rest ? sync : rest;
	signal_pulse(z->port, SIG_IMC_FRAME, when, sync, IMC_FRAME_SYNC, NULL);
	signal_pulse(z->port, SIG_IMC_FRAME, when, rest - sync, IMC_FRAME_NOP, NULL);
	z->frames = 0;
	z->told = all;
}

void zbox_advance(struct zbox *z, uint64_t now)
{
	for (unsigned i = 0; i < ZBOX_CHANNELS; i++)
		imc_advance(z->imc[i], now);
	if (z->full.on)
		depth_sweep(&z->full, z->port, signal_clocks(z->port->clock, now));
	zbox_tell_heat(z, now);
	tell_frames(z, now);
}
