/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration space as files show it: any offset, any length. */
#include "virtual/config_space.h"

#include "base/bits.h"

/* The piece that an access at offset begins with, when `left` bytes are wanted. */
static unsigned piece(uint64_t offset, size_t left)
{
	if (offset & 1 || left < 2)
		return 1;
	return offset & 2 || left < 4 ? 2 : 4;
}

static size_t within(uint64_t offset, size_t size)
{
	if (offset >= CONFIG_SPACE_SIZE)
		return 0;
	return size < CONFIG_SPACE_SIZE - offset ? size : CONFIG_SPACE_SIZE - (size_t)offset;
}

size_t config_space_read(struct virtual *v, unsigned pid, const struct tree_function *f, uint64_t offset,
			 size_t size, char *out)
{
	struct access_address at = virtual_function(f->socket, f->bus, f->dev_fn);
	size_t n = within(offset, size);

	for (size_t done = 0; done < n;) {
		unsigned bytes = piece(offset + done, n - done);
		uint64_t value = bits_low(8 * bytes);

		at.offset = (uint32_t)(offset + done);
		at.width = (uint8_t)(8 * bytes);
		virtual_read(v, pid, &at, &value);
		for (unsigned i = 0; i < bytes; i++)
			out[done++] = (char)(value >> 8 * i);
	}
	return n;
}

size_t config_space_write(struct virtual *v, unsigned pid, const struct tree_function *f, uint64_t offset,
			  size_t size, const char *in)
{
	struct access_address at = virtual_function(f->socket, f->bus, f->dev_fn);
	size_t n = within(offset, size);

	for (size_t done = 0; done < n;) {
		unsigned bytes = piece(offset + done, n - done);
		uint64_t value = 0;

		at.offset = (uint32_t)(offset + done);
		at.width = (uint8_t)(8 * bytes);
		for (unsigned i = 0; i < bytes; i++)
			value |= (uint64_t)(uint8_t)in[done++] << 8 * i;
		virtual_write(v, pid, &at, value);
	}
	return n;
}
