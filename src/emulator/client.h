/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of `boxscore with` under the emulator (client.c).  If the program is not a client, these functions do nothing. */
#ifndef BXS_NATIVE_CLIENT_H
#define BXS_NATIVE_CLIENT_H

#include "emulator/native.h"
#include "plugin/client.h"

/* The program is a client, and `library` answers for the machine. */
void native_client_init(const char *library);
bool native_is_client(void);

/* The results of CPUID, RDTSCP and a system call; false: the program is not a client, or the host's result is right. */
bool native_client_cpuid(struct native_env *env);
bool native_client_tsc(uint64_t *tsc, uint32_t *number);
bool native_client_call(const struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result);

/* A new thread inherits the CPUs of its maker, whose number is what native_client_thread() returned to the maker. */
int32_t native_client_thread(void);
void native_client_thread_start(int32_t maker);
void native_client_thread_end(void);

/* The program cannot run under the emulator and runs natively instead; `with` says so. */
void native_client_unserved(const char *program);

#endif
