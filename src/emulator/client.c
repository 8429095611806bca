/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client of `boxscore with` under the emulator.  It sees the machine's processor, clocks and CPUs: the library that is preloaded into
 * other clients answers for them (plugin/client.h).  The plugin is not used, and nothing is measured.
 */
#include "emulator/client.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const struct client_cpu *client;
static char own_file[PATH_MAX];

void native_client_init(const char *library)
{
	static struct client_host host = { .kernel = native_system, .get = native_get, .put = native_put, .emulator = own_file };
	void *module = dlopen(library, RTLD_NOW | RTLD_LOCAL), *found = module ? dlsym(module, CLIENT_OPEN) : NULL;
	client_open_fn *open_client;
	ssize_t n = readlink("/proc/self/exe", own_file, sizeof own_file - 1);

	if (!found)
		native_die("%s", dlerror());
	if (n < 0)
		native_die("/proc/self/exe: %s", strerror(errno));
	/* C has no conversion from the object pointer that dlsym() returns to a function pointer. */
	memcpy(&open_client, &found, sizeof open_client);
	client = open_client(&host);
	if (!client)
		native_die("there is no machine: the program that `boxscore with` runs has ended");
}

bool native_is_client(void)
{
	return client;
}

bool native_client_cpuid(struct native_env *env)
{
	static const uint8_t place[4] = { NATIVE_RAX, NATIVE_RBX, NATIVE_RCX, NATIVE_RDX };
	uint32_t reg[4];

	if (!client)
		return false;
	for (unsigned i = 0; i < 4; i++)
		reg[i] = (uint32_t)env->general[place[i]];
	client->cpuid(reg);
	for (unsigned i = 0; i < 4; i++)
		env->general[place[i]] = reg[i];
	return true;
}

bool native_client_tsc(uint64_t *tsc, uint32_t *number)
{
	if (client)
		client->tsc(tsc, number);
	return client;
}

bool native_client_call(const struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	return client && client->call(num, arg, env->mask, result);
}

int32_t native_client_thread(void)
{
	return client ? client->thread() : 0;
}

void native_client_thread_start(int32_t maker)
{
	if (client)
		client->thread_start(maker);
}

void native_client_thread_end(void)
{
	if (client)
		client->thread_end();
}

void native_client_unserved(const char *program)
{
	if (client)
		client->unserved(program);
}
