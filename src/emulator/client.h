/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of `boxscore with` under the emulator: see client.c.  Without one all of these do nothing. */
#ifndef BXS_NATIVE_CLIENT_H
#define BXS_NATIVE_CLIENT_H

#include "emulator/native.h"
#include "plugin/client.h"

/* The program is one; `library` answers for the machine. */
void native_client_init(const char *library);
bool native_is_client(void);

/* Answers to CPUID, RDTSCP and a system call; false: the program is no client, or the kernel's answer is right. */
bool native_client_cpuid(struct native_env *env);
bool native_client_tsc(uint64_t *tsc, uint32_t *number);
bool native_client_call(const struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result);

/* A thread that begins gets the CPUs of the one that made it, by native_client_thread() there. */
int32_t native_client_thread(void);
void native_client_thread_start(int32_t maker);
void native_client_thread_end(void);

/* The program cannot run here: it goes on by itself, of which `with` tells. */
void native_client_unserved(const char *program);

#endif
