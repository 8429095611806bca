/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of QEMU's plugin interface, version 1, that the feed uses (QEMU 6.0 to 8.2;
 * Debian does not package its header).  The symbols live in the emulator that loads the
 * plugin.
 */
#ifndef BXS_QEMU_PLUGIN_H
#define BXS_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* What the emulator says about itself when it installs a plugin. */
struct qemu_plugin_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

enum { QEMU_PLUGIN_CB_NO_REGS };	/* the callback reads no guest registers */
enum { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*qemu_plugin_vcpu_fn)(uint64_t id, unsigned vcpu);
typedef void (*qemu_plugin_exec_fn)(unsigned vcpu, void *data);
typedef void (*qemu_plugin_mem_fn)(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
typedef void (*qemu_plugin_trans_fn)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_syscall_fn)(uint64_t id, unsigned vcpu, int64_t num, uint64_t a1,
				       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
				       uint64_t a6, uint64_t a7, uint64_t a8);
typedef void (*qemu_plugin_syscall_ret_fn)(uint64_t id, unsigned vcpu, int64_t num, int64_t ret);

void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_plugin_vcpu_fn fn);
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, qemu_plugin_vcpu_fn fn);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_trans_fn fn);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, qemu_plugin_syscall_fn fn);
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, qemu_plugin_syscall_ret_fn fn);
void qemu_plugin_register_flush_cb(uint64_t id, void (*fn)(uint64_t id));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*fn)(uint64_t id, void *data), void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_fn fn,
					  int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_fn fn,
					    int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_fn fn,
				      int flags, int rw, void *data);

/* The program, as it was named; to be freed.  Not in QEMU before 6.2. */
char *qemu_plugin_path_to_binary(void) __attribute__((weak));

unsigned qemu_plugin_mem_size_shift(uint32_t info);	/* log2 of the bytes */
bool qemu_plugin_mem_is_store(uint32_t info);

#endif
