/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding our loadable parts and data from where the executable lies. */
#include "feed/module.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"

static const char *const parts[] = {
	"", "/src/plugin", "/src/emulator", "/src/virtual/preload", MODULE_BELOW,
};

static bool is_file(const char *dir, const char *below, const char *name, char *out, size_t size)
{
	return (size_t)snprintf(out, size, "%s%s/%s", dir, below, name) < size && !access(out, R_OK);
}

/* In one of these places below the executable's directory or the three above it. */
static bool find_near(const char *const *places, size_t count, const char *name, char *out, size_t size)
{
	char dir[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);

	if (n > 0) {
		dir[n] = 0;
		for (unsigned up = 0; up < 4; up++) {
			char *slash = strrchr(dir, '/');

			if (!slash)
				break;
			*slash = 0;
			for (size_t i = 0; i < count; i++) {
				if (is_file(dir, places[i], name, out, size))
					return true;
			}
		}
	}
	return false;
}

bool module_find(const char *name, char *out, size_t size)
{
	return find_near(parts, LEN(parts), name, out, size) || is_file(MODULE_DIR, "", name, out, size);
}

bool module_lost(char *out, size_t size)
{
	char self[PATH_MAX];

	if (readlink("/proc/self/exe", self, sizeof self) >= 0)
		return false;
	snprintf(out, size, "/proc, which tells where boxscore and its parts are, cannot be read: /proc/self/exe: %s", strerror(errno));
	return true;
}

void module_missing(const char *name, char *out, size_t size)
{
	char dir[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);
	char *slash;
	size_t used;

	if (module_lost(out, size))
		return;
	dir[n > 0 ? n : 0] = '\0';
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	used = (size_t)snprintf(out, size, "%s is neither in %s/ or a folder above it (3 at most), nor there in ", name, dir);
	for (size_t i = 1; i < LEN(parts) && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i > 1 ? ", " : "", parts[i] + 1);
	if (used < size)
		snprintf(out + used, size - used, ", nor in %s", MODULE_DIR);
}

bool module_data(const char *name, char *out, size_t size)
{
	static const char *const places[] = { "/share/boxscore", "/share" };

	return find_near(places, LEN(places), name, out, size) || is_file(DATA_DIR, "", name, out, size);
}
