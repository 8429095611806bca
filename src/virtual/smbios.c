/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SMBIOS structures.  Each has a formatted part, with the offsets of DSP0134, followed by the strings that the formatted part refers to
 * by number.  Facts that the model does not have (serial numbers, manufacturers of memory modules) are left out.
 */
#include "virtual/smbios.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory_file.h"
#include "catalog/find.h"
#include "catalog/product.h"
#include "machine/spec.h"
#include "virtual/identity.h"

enum {
	BIOS = 0, SYSTEM = 1, BOARD = 2, CHASSIS = 3, PROCESSOR = 4, CACHE = 7, ARRAY = 16, MODULE = 17, RANGE = 19, END = 127,
	NO_STRING = 0, NO_ERROR_HANDLE = 0xfffe,
	BUS_MHZ = 1000,			/* kHz */
	MB_SHIFT = 20,
};

/* Memory types, with the codes of DSP0134, 7.18.2, and the supply voltage. */
static const struct kind {
	uint8_t code;
	uint16_t millivolts;
} kinds[] = {
	[CAT_MEMORY_DDR3] = { 0x18, 1500 }, [CAT_MEMORY_DDR4] = { 0x1a, 1200 },
};

struct table {
	const struct smbios_machine *m;
	const struct kind *memory;
	FILE *out;
	unsigned count;
	size_t longest;
};

/* A structure under construction. */
struct structure {
	uint8_t body[64];
	unsigned length;
	char strings[256];
	size_t string_bytes;
	uint8_t string_count;
};

static void put(struct structure *s, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		s->body[s->length++] = (uint8_t)(value >> 8 * i);
}

static struct structure begin(unsigned type, unsigned number)
{
	struct structure s = { .length = 0 };

	put(&s, type, 1);
	put(&s, 0, 1);			/* the length, which end() fills in */
	put(&s, type << 8 | number, 2);
	return s;
}

/* Store a string and put its number into the formatted part. */
__attribute__((format(printf, 2, 3)))
static void text(struct structure *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	s->string_bytes += 1 + (size_t)vsnprintf(s->strings + s->string_bytes, sizeof s->strings - s->string_bytes, format, args);
	va_end(args);
	put(s, ++s->string_count, 1);
}

/* An empty string ends the list of strings; a structure without strings ends with two zero bytes. */
static void end(struct table *t, struct structure *s)
{
	size_t size = s->length + s->string_bytes + (s->string_count ? 1 : 2);

	s->body[1] = (uint8_t)s->length;
	fwrite(s->body, 1, s->length, t->out);
	fwrite(s->strings, 1, s->string_bytes, t->out);
	fwrite("\0", 1, s->string_count ? 1 : 2, t->out);
	t->count++;
	t->longest = size > t->longest ? size : t->longest;
}

static uint64_t of(const struct table *t, enum spec_key key)
{
	return t->m->spec->value[key];
}

const char *smbios_product(const struct spec *spec, char buf[SMBIOS_PRODUCT])
{
	snprintf(buf, SMBIOS_PRODUCT, "Model of %s%s%s", cat_str(spec->family->name), spec->part ? ":" : "",
		 spec->part ? cat_str(spec->part->name) : "");
	return buf;
}

static void firmware(struct table *t)
{
	enum { PCI = 1 << 7, ACPI = 1 };
	struct structure s = begin(BIOS, 0);

	text(&s, SMBIOS_VENDOR);
	text(&s, SMBIOS_VERSION);
	put(&s, 0xf000, 2);		/* segment */
	text(&s, SMBIOS_DATE);
	put(&s, 0, 1);			/* ROM size: 64 KB */
	put(&s, PCI, 8);
	put(&s, ACPI, 2);
	put(&s, 1, 1);			/* release 1.0 */
	put(&s, 0, 1);
	put(&s, 0xffff, 2);		/* no embedded controller */
	end(t, &s);
}

static void server(struct table *t)
{
	enum { POWER_SWITCH = 6, HOSTS = 1, MOTHERBOARD = 10, SAFE = 3, UNKNOWN = 2 };
	char product[SMBIOS_PRODUCT];
	struct structure s = begin(SYSTEM, 0);

	smbios_product(t->m->spec, product);
	text(&s, SMBIOS_VENDOR);
	text(&s, "%s", product);
	text(&s, SMBIOS_VERSION);
	put(&s, NO_STRING, 1);		/* serial number */
	put(&s, UINT64_MAX, 8);		/* no UUID */
	put(&s, UINT64_MAX, 8);
	put(&s, POWER_SWITCH, 1);
	put(&s, NO_STRING, 1);		/* SKU */
	text(&s, "%s", cat_str(t->m->spec->family->name));
	end(t, &s);

	s = begin(BOARD, 0);
	text(&s, SMBIOS_VENDOR);
	text(&s, "%s", product);
	text(&s, SMBIOS_VERSION);
	put(&s, NO_STRING, 2);		/* serial number, asset tag */
	put(&s, HOSTS, 1);
	put(&s, NO_STRING, 1);		/* location in chassis */
	put(&s, CHASSIS << 8, 2);
	put(&s, MOTHERBOARD, 1);
	put(&s, 0, 1);
	end(t, &s);

	s = begin(CHASSIS, 0);
	text(&s, SMBIOS_VENDOR);
	put(&s, SMBIOS_RACK, 1);
	text(&s, SMBIOS_VERSION);
	put(&s, NO_STRING, 2);
	put(&s, SAFE | SAFE << 8 | SAFE << 16 | UNKNOWN << 24, 4);	/* states: boot-up, power supply, thermal, security */
	put(&s, 0, 4);
	put(&s, 0, 4);			/* height, power cords, contained elements */
	put(&s, NO_STRING, 1);
	end(t, &s);
}

static unsigned ways_code(unsigned ways)
{
	static const uint8_t known[] = { 0, 0, 1, 2, 4, 0, 8, 16, 12, 24, 32, 48, 64, 20 };	/* from code 1 on */

	for (unsigned i = 3; i < LEN(known); i++)
		if (known[i] == ways)
			return i + 1;
	return 1;			/* other */
}

/* The size in units of 1 KB where 15 bits hold it; otherwise bit 15 is set and the unit is 64 KB. */
static unsigned cache_size(unsigned kb)
{
	return kb < 0x8000 ? kb : 0x8000 | kb / 64;
}

/* One cache level of a socket.  The size of private caches is the sum over all cores. */
static void cache(struct table *t, unsigned socket, unsigned index)
{
	enum { WRITE_BACK = 1 << 8, ENABLED = 1 << 7, SYNCHRONOUS = 1 << 5, PARITY = 4, CORRECTED = 5, CODE = 3, DATA = 4, UNIFIED = 5 };
	const struct identity_cache *c = &t->m->id->cache[index];
	unsigned size = cache_size(c->size_kb * (c->shared ? 1 : t->m->id->cores));
	struct structure s = begin(CACHE, socket * IDENTITY_CACHES + index);

	text(&s, "CPU%u L%u%s", socket, c->level, c->type == 'D' ? " data" : c->type == 'I' ? " code" : "");
	put(&s, WRITE_BACK | ENABLED | (c->level - 1), 2);
	put(&s, size, 2);
	put(&s, size, 2);
	put(&s, SYNCHRONOUS, 2);
	put(&s, SYNCHRONOUS, 2);
	put(&s, 0, 1);			/* speed: unknown */
	put(&s, c->level == 1 ? PARITY : CORRECTED, 1);
	put(&s, c->type == 'D' ? DATA : c->type == 'I' ? CODE : UNIFIED, 1);
	put(&s, ways_code(c->ways), 1);
	end(t, &s);
}

/* The longest prefix of the part's name decides. */
static unsigned socket_of(const struct spec *spec)
{
	enum { UNKNOWN = 2 };
	const char *name = spec->part ? cat_str(spec->part->name) : "";
	unsigned found = UNKNOWN;
	size_t longest = 0;

	for (const struct cat_socket *s = cat_sockets; s < cat_sockets + cat_socket_count; s++) {
		size_t len = strlen(cat_str(s->part));

		if (&cat_families[s->family] != spec->family || len < longest || strncmp(name, cat_str(s->part), len) != 0)
			continue;
		found = s->socket;
		longest = len;
	}
	return found;
}

static void processor(struct table *t, unsigned socket)
{
	enum { CENTRAL = 3, XEON = 0xb3, POPULATED_ENABLED = 0x41, BITS_64 = 4, CORES = 8, THREADS = 16, NX = 32, VMX = 64, POWER = 128 };
	static const unsigned levels[] = { 0, 2, 3 };
	const struct smbios_machine *m = t->m;
	const struct identity *id = m->id;
	struct structure s = begin(PROCESSOR, socket);

	text(&s, "CPU%u", socket);
	put(&s, CENTRAL, 1);
	put(&s, XEON, 1);
	text(&s, "Intel(R) Corporation");
	put(&s, m->signature, 4);
	put(&s, m->features, 4);
	text(&s, "%s", id->name);
	put(&s, 0, 1);			/* voltage: unknown */
	put(&s, m->spec->family->bus_khz / BUS_MHZ, 2);
	put(&s, id->turbo_mhz, 2);
	put(&s, id->base_mhz, 2);
	put(&s, POPULATED_ENABLED, 1);
	put(&s, socket_of(m->spec), 1);
	for (unsigned i = 0; i < LEN(levels); i++)
		put(&s, CACHE << 8 | (socket * IDENTITY_CACHES + levels[i]), 2);
	put(&s, NO_STRING, 3);		/* serial number, asset tag, part number */
	put(&s, id->cores, 1);
	put(&s, id->cores, 1);
	put(&s, id->cores * id->threads, 1);
	put(&s, BITS_64 | CORES | (id->threads > 1 ? THREADS : 0) | NX | VMX | POWER, 2);
	put(&s, XEON, 2);
	end(t, &s);
}

static void module(struct table *t, unsigned socket, unsigned channel, unsigned slot)
{
	enum { DIMM = 9, SYNCHRONOUS_REGISTERED = 1 << 7 | 1 << 13, EXTENDED = 0x7fff };
	unsigned channels = (unsigned)of(t, SPEC_CHANNELS), slots = (unsigned)of(t, SPEC_DIMMS);
	uint64_t mb = (of(t, SPEC_MEMORY) / (channels * slots)) >> MB_SHIFT;
	struct structure s = begin(MODULE, (socket * channels + channel) * slots + slot);

	put(&s, ARRAY << 8 | socket, 2);
	put(&s, NO_ERROR_HANDLE, 2);
	put(&s, 72, 2);
	put(&s, 64, 2);
	put(&s, mb < EXTENDED ? mb : EXTENDED, 2);
	put(&s, DIMM, 1);
	put(&s, 0, 1);
	text(&s, "CPU%u channel %u DIMM %u", socket, channel, slot);
	text(&s, "CPU%u memory controller %u", socket, channel / (channels / (unsigned)of(t, SPEC_HAS)));
	put(&s, t->memory->code, 1);
	put(&s, SYNCHRONOUS_REGISTERED, 2);
	put(&s, of(t, SPEC_DDR_MTS), 2);
	put(&s, NO_STRING, 4);		/* manufacturer, serial number, asset tag, part number */
	put(&s, of(t, SPEC_RANKS), 1);
	put(&s, mb < EXTENDED ? 0 : mb, 4);
	put(&s, of(t, SPEC_DDR_MTS), 2);
	for (unsigned i = 0; i < 3; i++)	/* minimum, maximum and configured voltage */
		put(&s, t->memory->millivolts, 2);
	end(t, &s);
}

/* A socket's memory: the array, its modules, and the address range, in KB. */
static void memory(struct table *t, unsigned socket)
{
	enum { ON_BOARD = 3, SYSTEM_MEMORY = 3, ECC = 6 };
	uint64_t bytes = of(t, SPEC_MEMORY), first = socket * bytes, last = first + bytes - 1;
	bool far = last / 1024 >= UINT32_MAX;
	struct structure s = begin(ARRAY, socket);

	put(&s, ON_BOARD, 1);
	put(&s, SYSTEM_MEMORY, 1);
	put(&s, ECC, 1);
	put(&s, bytes / 1024, 4);
	put(&s, NO_ERROR_HANDLE, 2);
	put(&s, of(t, SPEC_CHANNELS) * of(t, SPEC_DIMMS), 2);
	put(&s, 0, 8);
	end(t, &s);
	for (unsigned c = 0; c < of(t, SPEC_CHANNELS); c++)
		for (unsigned slot = 0; slot < of(t, SPEC_DIMMS); slot++)
			module(t, socket, c, slot);

	s = begin(RANGE, socket);
	put(&s, far ? UINT32_MAX : first / 1024, 4);
	put(&s, far ? UINT32_MAX : last / 1024, 4);
	put(&s, ARRAY << 8 | socket, 2);
	put(&s, of(t, SPEC_CHANNELS) * of(t, SPEC_DIMMS), 1);
	put(&s, far ? first : 0, 8);
	put(&s, far ? last : 0, 8);
	end(t, &s);
}

static uint8_t checksum(const uint8_t *bytes, unsigned size)
{
	uint8_t sum = 0;

	for (unsigned i = 0; i < size; i++)
		sum = (uint8_t)(sum + bytes[i]);
	return (uint8_t)-sum;
}

/* The 32-bit entry point.  Its second half is the older DMI entry point, which has its own checksum. */
static void make_entry(const struct table *t, size_t size, uint8_t entry[SMBIOS_ENTRY_SIZE])
{
	enum { CHECKSUM = 4, OLDER = 16, OLDER_CHECKSUM = 21 };
	struct structure s = { .length = 0 };

	put(&s, 0x5f4d535f, 4);		/* _SM_ */
	put(&s, 0, 1);
	put(&s, SMBIOS_ENTRY_SIZE, 1);
	put(&s, 2 | 8 << 8, 2);
	put(&s, t->longest, 2);
	put(&s, 0, 6);			/* revision, reserved */
	put(&s, 0x5f494d445f, 5);	/* _DMI_ */
	put(&s, 0, 1);
	put(&s, size, 2);
	put(&s, t->m->address, 4);
	put(&s, t->count, 2);
	put(&s, 0x28, 1);
	s.body[OLDER_CHECKSUM] = checksum(s.body + OLDER, SMBIOS_ENTRY_SIZE - OLDER);
	s.body[CHECKSUM] = checksum(s.body, SMBIOS_ENTRY_SIZE);
	memcpy(entry, s.body, SMBIOS_ENTRY_SIZE);
}

char *smbios_make(const struct smbios_machine *m, uint8_t entry[SMBIOS_ENTRY_SIZE], size_t *size)
{
	struct table t = { .m = m, .memory = &kinds[cat_design_of(m->spec->family)->memory] };
	struct structure s = begin(END, 0);
	char *bytes = NULL;

	t.out = open_memstream(&bytes, size);
	if (!t.out)
		return NULL;
	firmware(&t);
	server(&t);
	for (unsigned socket = 0; socket < m->id->sockets; socket++) {
		processor(&t, socket);
		for (unsigned i = 0; i < IDENTITY_CACHES; i++)
			cache(&t, socket, i);
		memory(&t, socket);
	}
	end(&t, &s);
	if (memory_file_close(t.out, &bytes) < 0)
		return NULL;
	make_entry(&t, *size, entry);
	return bytes;
}
