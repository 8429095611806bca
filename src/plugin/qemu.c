/* SPDX-License-Identifier: BSD-2-Clause */
/* What is QEMU's part: memory for the plugin, anywhere; nothing that a program's next emulator must be told. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin.h"
#include "qemu_plugin.h"
#include "turn.h"
#include "feed/target.h"

bool plugin_makes_calls = false;

void *plugin_memory_core(size_t size)
{
	return aligned_alloc(64, (size + 63) & ~(size_t)63);
}

void plugin_memory_core_free(struct plugin_core *c)
{
	free(c);
}

void *plugin_memory_sites(size_t size)
{
	return malloc(size);
}

void plugin_memory_sites_free(void *p)
{
	free(p);
}

const char *plugin_file(void)
{
	static Dl_info self;

	return dladdr(&self, &self) && access(self.dli_fname, R_OK) == 0 ? self.dli_fname : NULL;
}

const char *plugin_program(void)
{
	static char name[PATH_MAX];
	static bool asked;

	if (!asked && qemu_plugin_path_to_binary) {
		char *given = qemu_plugin_path_to_binary();

		if (given && !realpath(given, name))
			name[0] = 0;
		free(given);
	}
	asked = true;
	return name;
}

/* It opens the program by its name: one that leads through the program's files may not be there any more when it does. */
static void name_anew(struct target *t, int file)
{
	char link[64], name[sizeof t->path] = "";
	struct stat now, then;

	if (fstat(file, &now) < 0)
		return;
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	if (readlink(link, name, sizeof name - 1) > 0 && stat(name, &then) == 0 && then.st_dev == now.st_dev &&
	    then.st_ino == now.st_ino) {
		memcpy(t->path, name, sizeof name);
		return;
	}
	fcntl(file, F_SETFD, 0);
	snprintf(t->path, sizeof t->path, "%s", link);
}

const char *const *plugin_options(struct target *t, int file)
{
	static const char *const none[] = { NULL };

	if (file && (!strncmp(t->path, "/dev/fd/", 8) || !strncmp(t->path, "/proc/", 6)))
		name_anew(t, file);
	return none;
}
