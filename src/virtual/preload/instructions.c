/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two bytes that look like CPUID may as well lie within another instruction, so each find is checked: the function that holds it
 * is decoded from its start.
 */
#include "plugin/decode.h"
#include "virtual/preload/sites.h"

enum site_kind sites_kind(const uint8_t *at, size_t left)
{
	if (left < 2 || at[0] != 0x0f)
		return SITE_NONE;
	if (at[1] == 0xa2)
		return SITE_CPUID;
	if (at[1] == 0x31)
		return SITE_RDTSC;
	if (at[1] == 0x05)
		return SITE_SYSCALL;
	return left >= 3 && at[1] == 0x01 && at[2] == 0xf9 ? SITE_RDTSCP : SITE_NONE;
}

enum site_place sites_place(const struct frames *f, uintptr_t address)
{
	uintptr_t at, end;

	if (!frames_find(f, address, &at, &end))
		return SITE_UNKNOWN;
	while (at < address) {
		size_t n = decode_length((const uint8_t *)at, end - at);

		if (n == 0)
			return SITE_UNKNOWN;
		at += n;
	}
	return at == address ? SITE_BOUNDARY : SITE_WITHIN;
}
