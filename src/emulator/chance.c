/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulator/chance.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "emulator/native.h"
#include "plugin/life.h"

#define MOST 0x1ffffff			/* bytes that the kernel gives at once */

enum { MEMORY_DEVICES = 1, RANDOM = 8, URANDOM = 9 };	/* Linux, Documentation/admin-guide/devices.txt */

static struct ring_chance *chance(void)
{
	return plugin_life.segment ? &plugin_life.segment->chance : NULL;
}

bool native_has_seed(void)
{
	return chance() && chance()->seeded;
}

void native_chance_note(void)
{
	plugin_note(RING_NOTE_CHANCE);
}

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
uint64_t native_chance(void)
{
	uint64_t z = chance()->seed + (atomic_fetch_add(&chance()->taken, 1) + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static int64_t fill(uint64_t to, uint64_t n)
{
	uint64_t done = 0;

	n = n < MOST ? n : MOST;
	while (done < n) {
		uint64_t word = native_chance(), some = n - done < sizeof word ? n - done : sizeof word;

		if (!native_put(to + done, &word, some))
			return done ? (int64_t)done : -EFAULT;
		done += some;
	}
	return (int64_t)done;
}

/* The C library takes a key for its heap, to recognise blocks that are freed twice.  What a correct program does never depends on it. */
static bool is_for_heap(const uint64_t arg[6])
{
	return arg[1] == sizeof(uint64_t) && arg[2] == GRND_NONBLOCK;
}

static bool makes_random(int file)
{
	struct stat st;

	return fstat(file, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == MEMORY_DEVICES &&
	       (minor(st.st_rdev) == RANDOM || minor(st.st_rdev) == URANDOM);
}

static bool names_random(uint64_t path)
{
	char name[16];
	size_t have = sizeof name - native_copy(name, (const void *)(uintptr_t)path, sizeof name);

	return memchr(name, 0, have) && (strcmp(name, "/dev/urandom") == 0 || strcmp(name, "/dev/random") == 0);
}

static void note_call(uint64_t num, const uint64_t arg[6])
{
	if ((num == SYS_getrandom && !is_for_heap(arg)) || (num == SYS_open && names_random(arg[0])) ||
	    (num == SYS_openat && names_random(arg[1])))
		native_chance_note();
}

bool native_chance_call(uint64_t num, const uint64_t arg[6], int64_t *result)
{
	bool asks = num == SYS_getrandom && !(arg[2] & ~(uint64_t)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE));

	if (!native_has_seed()) {
		note_call(num, arg);
		return false;
	}
	if (asks)
		*result = fill(arg[0], arg[1]);
	else if (num == SYS_read && makes_random((int)arg[0]))
		*result = fill(arg[1], arg[2]);
	else
		return false;
	return true;
}
