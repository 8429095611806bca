/* SPDX-License-Identifier: BSD-2-Clause */
/* DMA engines: what they are asked to do, and doing it when its time has come. */
#include "machine/devices.h"

#include "base/bits.h"
#include "machine/options.h"
#include "machine/private.h"

enum {
	LINE = 64,
	ATOMIC_SIZE = 8,
	REQUEST_LINES = 8,	/* a device asks for 512 bytes at once */
	SPACE = 255,		/* address space of the first engine; the next ones lie below */
};

#define LINE_TIME UINT64_C(4000)	/* ps: a line on the link */
#define ASK_TIME UINT64_C(500)		/* ps: a line of a request for many */

static const struct spec_key_info keys[DEVICES_KEY_COUNT] = {
#define X(id, name_, def_, least_, most_, words_, text_) \
	[DEVICES_##id] = { .name = name_, .def = def_, .least = least_, .most = most_, .words = words_, \
			   .text = text_ },
	DEVICES_KEYS(X)
#undef X
};

/* Stream i is of the rate of key i. */
static const uint8_t kind_of[DEVICES_STREAMS] = {
	[DEVICES_READ] = FABRIC_IO_READ, [DEVICES_WRITE] = FABRIC_IO_WRITE, [DEVICES_ATOMIC] = FABRIC_IO_ATOMIC,
	[DEVICES_PEER_READ] = FABRIC_IO_PEER_READ, [DEVICES_PEER_WRITE] = FABRIC_IO_PEER_WRITE,
};

static uint64_t size_of(const struct devices_engine *e, unsigned stream)
{
	return stream == DEVICES_ATOMIC ? ATOMIC_SIZE : e->value[DEVICES_SIZE];
}

/* Where transfer `n` starts in the buffer: transfers lie one after the other. */
static uint64_t offset_of(const struct devices_engine *e, unsigned stream, uint64_t n)
{
	uint64_t align = e->value[DEVICES_ALIGN], first = align < LINE ? align : 0;
	uint64_t step = (size_of(e, stream) + align - 1) / align * align;
	uint64_t room = (e->value[DEVICES_BUFFER] - first) / step;

	return first + n % (room ? room : 1) * step;
}

/* When transfer `n` should begin. */
static uint64_t due(const struct devices_engine *e, unsigned stream, uint64_t n)
{
	bits_u128 bytes = (bits_u128)n * size_of(e, stream);

	return e->start + (uint64_t)(bytes * 1000000000000u / e->value[stream]);
}

static uint64_t virtual_line(const struct devices_engine *e, unsigned stream, const struct devices_stream *s)
{
	uint64_t at = offset_of(e, stream, s->transfer) + s->done;

	return (e->buffer + stream * e->apart + at) / LINE;
}

/* Where the devices of a socket are. */
static unsigned first_node(const struct machine *m, unsigned socket)
{
	return socket * (m->nodes / m->sockets);
}

/* The first core of the device's socket writes to a register of it. */
static void doorbell(struct machine *m, unsigned engine, uint64_t when)
{
	unsigned socket = (unsigned)m->devices.engine[engine].value[DEVICES_SOCKET], node = first_node(m, socket);
	struct fabric_request rq = {
		.line = map_translate(&m->map, map_user(SPACE - engine, UINT64_C(15) << 40), node), .when = when,
		.socket = (uint8_t)node, .kind = LEAVE_UC_WRITE,
	};

	fabric_request(m->fabric, &rq);
	ubox_doorbell(fabric_ubox(m->fabric, socket), when);
}

static void end_transfer(struct machine *m, const struct devices_engine *e, unsigned stream,
			 struct devices_stream *s, uint64_t last)
{
	struct fabric_io interrupt = {
		.when = last, .socket = (uint8_t)first_node(m, (unsigned)e->value[DEVICES_SOCKET]), .kind = FABRIC_IO_INTERRUPT,
	};
	uint64_t next;

	if (e->value[DEVICES_INTERRUPT] && stream != DEVICES_ATOMIC)
		fabric_io(m->fabric, &interrupt);
	s->transfer++;
	s->done = s->lines = 0;
	if (e->value[DEVICES_COUNT] && s->transfer == e->value[DEVICES_COUNT]) {
		s->next = UINT64_MAX;
		return;
	}
	next = due(e, stream, s->transfer);
	/* Faster than the link nothing goes. */
	s->next = next > s->next + LINE_TIME ? next : s->next + LINE_TIME;
}

/* Devices have only so many lines under way: what is slow slows them. */
static void wait_for(struct devices_stream *s, uint64_t back)
{
	uint64_t oldest;

	s->back[s->issued++ % DEVICES_LINES] = back;
	oldest = s->back[s->issued % DEVICES_LINES];
	if (oldest > s->next)
		s->next = oldest;
}

/* One line, or the part of it that the transfer covers. */
static void do_line(struct machine *m, unsigned engine, unsigned stream)
{
	struct devices_engine *e = &m->devices.engine[engine];
	struct devices_stream *s = &e->stream[stream];
	uint64_t line = virtual_line(e, stream, s), left = size_of(e, stream) - s->done;
	uint64_t in_line = (offset_of(e, stream, s->transfer) + s->done) % LINE;
	uint64_t bytes = LINE - in_line < left ? LINE - in_line : left, last;
	struct fabric_io io = { .when = s->next, .socket = (uint8_t)first_node(m, (unsigned)e->value[DEVICES_SOCKET]),
				.kind = kind_of[stream] };

	if (s->done == 0) {
		s->begun = s->next;
		if (e->value[DEVICES_DOORBELL] && stream != DEVICES_ATOMIC)
			doorbell(m, engine, s->next);
	}
	if (io.kind == FABRIC_IO_WRITE && bytes < LINE)
		io.kind = FABRIC_IO_PARTIAL;
	io.line = map_translate(&m->map, map_user(e->space, line), first_node(m, (unsigned)e->value[DEVICES_SOCKET]));
	if (m->pcu)
		pcu_io(m->pcu, io.when);
	last = fabric_io(m->fabric, &io);
	s->done += bytes;
	s->lines++;
	if (s->done == size_of(e, stream))
		end_transfer(m, e, stream, s, last);
	else if (stream == DEVICES_READ || stream == DEVICES_PEER_READ)
		s->next = s->begun + s->lines / REQUEST_LINES * LINE_TIME * REQUEST_LINES +
			  s->lines % REQUEST_LINES * ASK_TIME;
	else
		s->next += LINE_TIME;
	wait_for(s, last);
}

/* The stream whose line is due first. */
static uint64_t first(const struct devices *d, unsigned *engine, unsigned *stream)
{
	uint64_t next = UINT64_MAX;

	for (unsigned e = 0; e < d->engines; e++)
		for (unsigned s = 0; s < DEVICES_STREAMS; s++)
			if (d->engine[e].stream[s].next < next) {
				next = d->engine[e].stream[s].next;
				*engine = e;
				*stream = s;
			}
	return next;
}

uint64_t devices_next(const struct machine *m)
{
	unsigned engine, stream;
	uint64_t mine, writes;

	if (!m->devices.engines)
		return UINT64_MAX;
	mine = first(&m->devices, &engine, &stream);
	writes = fabric_io_next(m->fabric);
	return mine < writes ? mine : writes;
}

void devices_run(struct machine *m, uint64_t until)
{
	unsigned engine = 0, stream = 0;

	if (!m->devices.engines)
		return;
	for (;;) {
		uint64_t next = first(&m->devices, &engine, &stream);

		fabric_io_advance(m->fabric, next < until ? next : until);
		if (next > until)
			return;
		do_line(m, engine, stream);
	}
}

static int check(const struct machine *m, const struct devices_engine *e, const struct complaint *c)
{
	const uint64_t *v = e->value;
	uint64_t rates = 0;

	for (unsigned s = 0; s < DEVICES_STREAMS; s++)
		rates |= v[s];
	if (!rates)
		return complain(c, BXS_EINVAL, "a device that neither reads nor writes; give it a rate: read=4G");
	if (v[DEVICES_SOCKET] >= m->sockets)
		return complain(c, BXS_EINVAL, "socket=%ju: the machine has sockets 0 to %u", (uintmax_t)v[DEVICES_SOCKET],
				m->sockets - 1);
	if (v[DEVICES_NODE] >= m->nodes && v[DEVICES_NODE] != SPEC_NONE)
		return complain(c, BXS_EINVAL, "node=%ju: the machine has nodes 0 to %u", (uintmax_t)v[DEVICES_NODE],
				m->nodes - 1);
	if (v[DEVICES_ALIGN] & (v[DEVICES_ALIGN] - 1))
		return complain(c, BXS_EINVAL, "align=%ju: has to be a power of two", (uintmax_t)v[DEVICES_ALIGN]);
	if (v[DEVICES_SIZE] + LINE > v[DEVICES_BUFFER])
		return complain(c, BXS_EINVAL, "size=%ju: a transfer does not fit into buffer=%ju",
				(uintmax_t)v[DEVICES_SIZE], (uintmax_t)v[DEVICES_BUFFER]);
	return 0;
}

static int parse(const char *text, struct devices_engine *e, const struct complaint *c)
{
	struct options options = { .what = "a DMA engine", .keys = keys, .n = DEVICES_KEY_COUNT };
	struct options_word value;
	int key, err = 0;

	for (unsigned i = 0; i < DEVICES_KEY_COUNT; i++)
		e->value[i] = keys[i].def;
	while (err == 0 && (key = options_next(&options, &text, &value, c)) != -1)
		err = key < 0 ? options_error(key) : options_value(&keys[key], &value, &e->value[key], c);
	return err;
}

/* The engine's buffers: of its own, or the array that kernels work on. */
static void lay_out(struct machine *m, struct devices_engine *e, unsigned engine)
{
	uint64_t *v = e->value, node = v[DEVICES_NODE];
	bool shared = v[DEVICES_DATA] != SPEC_NONE;

	if (node == SPEC_NONE)
		v[DEVICES_NODE] = first_node(m, (unsigned)v[DEVICES_SOCKET]);
	e->space = (uint8_t)(shared ? arrays_space(v[DEVICES_DATA], node) : SPACE - engine);
	e->apart = shared ? 0 : UINT64_C(1) << 40;
	e->buffer = shared ? ARRAYS_START(0) : e->apart;
	machine_bind(m, SPACE - engine, v[DEVICES_NODE]);
	if (node != SPEC_NONE)
		machine_bind(m, e->space, node);
}

int machine_dma(struct machine *m, const char *text, char *why, size_t size)
{
	struct complaint c = { .why = why, .size = size };
	struct devices *d = &m->devices;
	struct devices_engine e = { .start = machine_horizon(m) };
	int err = parse(text, &e, &c);

	if (err < 0)
		return err;
	if (!m->fabric)
		return complain(&c, BXS_ENOTSUP, "this machine has no I/O that devices could use");
	if (d->engines == DEVICES_ENGINES)
		return complain(&c, BXS_ECONFLICT, "more than %d DMA engines", DEVICES_ENGINES);
	err = check(m, &e, &c);
	if (err < 0)
		return err;
	for (unsigned s = 0; s < DEVICES_STREAMS; s++)
		e.stream[s].next = e.value[s] ? e.start : UINT64_MAX;
	lay_out(m, &e, d->engines);
	d->engine[d->engines++] = e;
	m->next_close = e.start;
	return 0;
}
